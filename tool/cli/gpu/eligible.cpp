#include "gpu/eligible.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace tally::cli {

namespace {

/// "a", "a and b", "a, b and c".
std::string listed(std::vector<operation> const& operations)
{
  std::string out;
  for (std::size_t k = 0; k < operations.size(); ++k) {
    if (k > 0) out += k + 1 == operations.size() ? " and " : ", ";
    out += name_of(operations[k]);
  }
  return out;
}

bool is_done(operation op)
{
  return has_operator(op) || kind_of(op) == operation_kind::average;
}

std::vector<operation> all_done()
{
  std::vector<operation> out;
  for (std::size_t k = 0; k < operation_choices().size(); ++k)
    if (auto const op = operation(static_cast<operation::identifier>(k)); is_done(op)) out.push_back(op);
  return out;
}

bool has_64_bits(io::number const& init)
{
  io::int128 const* const integer = std::get_if<io::int128>(&init);
  return integer == nullptr ||
         (*integer >= std::numeric_limits<std::int64_t>::min() && *integer <= std::numeric_limits<std::int64_t>::max());
}

}  // namespace

std::optional<std::string> gpu_refuses(operation op, std::optional<io::element_type> type,
                                       std::optional<io::number> const& init)
{
  if (type == io::element_type::int128) return "its values have 128 bits, and the GPU's integers 64";
  if (!is_done(op)) return "the GPU does " + listed(all_done());
  if (op == operation::product && (!type || io::is_integer(*type)))
    return "products of integers are exact in 128 bits, which a GPU does not multiply (--type float64 rounds)";
  if (!type && init && !has_64_bits(*init)) return "--init has more than 64 bits";
  return std::nullopt;
}

std::vector<std::string> refusals(std::vector<operation> const& operations, std::optional<io::element_type> type,
                                  std::optional<io::number> const& init)
{
  std::vector<std::pair<std::string, std::vector<operation>>> by_reason;
  for (operation const op : operations) {
    std::optional<std::string> const reason = gpu_refuses(op, type, init);
    if (!reason) continue;
    auto const known =
        std::find_if(by_reason.begin(), by_reason.end(), [&](auto const& each) { return each.first == *reason; });
    if (known != by_reason.end())
      known->second.push_back(op);
    else
      by_reason.push_back({*reason, {op}});
  }
  std::vector<std::string> out;
  out.reserve(by_reason.size());
  for (auto const& [reason, refused] : by_reason) out.push_back("the CPU does " + listed(refused) + ": " + reason);
  return out;
}

}  // namespace tally::cli
