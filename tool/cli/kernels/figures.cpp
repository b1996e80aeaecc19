#include "kernels/figures.hpp"

#include <algorithm>
#include <type_traits>
#include <variant>

#include "tally/error.hpp"

namespace tally::cli {

namespace {

/// The right result of a kernel.
template <class T, class Op>
std::vector<T> expected(std::vector<T> const& in, textbook::result_kind kind, Op const& op)
{
  std::vector<T> out;
  if constexpr (std::is_same_v<T, int>)
    if (kind == textbook::result_kind::histogram) {
      out.resize(textbook::histogram_bins);
      for (int const bin : in) ++out.at(static_cast<std::size_t>(bin));
      return out;
    }
  if (kind == textbook::result_kind::exclusive_scan) out.push_back(identity_of<T>(op));
  T total = in.at(0);
  if (kind == textbook::result_kind::inclusive_scan) out.push_back(total);
  for (std::size_t k = 1; k < in.size(); ++k) {
    if (kind == textbook::result_kind::exclusive_scan) out.push_back(total);
    total = op(total, in[k]);
    if (kind == textbook::result_kind::inclusive_scan) out.push_back(total);
  }
  if (kind == textbook::result_kind::reduction) out = {total};
  return out;
}

}  // namespace

textbook::values expected_result(textbook::values const& in, textbook::result_kind kind, textbook::operation op,
                                 textbook::own_operator const* own)
{
  return std::visit(
      [&](auto const& elements) -> textbook::values {
        using T = typename std::remove_cvref_t<decltype(elements)>::value_type;
        if constexpr (std::is_same_v<T, textbook::letters>)
          return expected<T>(elements, kind, textbook::join{});
        else
          return expected<T>(elements, kind, textbook::selected_operator<T>{op, own});
      },
      in);
}

kernel_figures measure(textbook::kernel_entry const& kernel, int n, std::optional<kernel_operation> asked)
{
  model::machine on;
  kernel_operation const op = kernel_operation_of(kernel, asked);
  textbook::values const in = kernel_input(kernel, n, op);
  textbook::outcome const left = textbook::run(kernel, on, in, catalogue_operation(op));
  std::string const name(kernel.name);
  if (!on.counts().clean()) throw error(name + ": " + on.counts().findings.front().text());
  if (left.result != expected_result(in, kernel.result, catalogue_operation(op)))
    throw error(name + ": the result on " + std::to_string(n) + " elements is wrong");
  return {&kernel, on.counts(), on.operations()};
}

std::optional<std::string> why_not(textbook::kernel_entry const& kernel, int n, std::optional<kernel_operation> op)
{
  if (kernel.most != 0 && n > kernel.most)
    return "takes at most " + std::to_string(kernel.most) + " elements: it is a kernel of one block";
  if (kernel.only && op && *op != kernel_operation_of(kernel, {}))
    return "is by " + std::string(textbook::name_of(*kernel.only)) + " alone";
  if (op == kernel_operation::join && kernel.needs_commutative)
    return "takes operands out of order, and joining letters is not commutative";
  return std::nullopt;
}

std::string_view name_of(textbook::result_kind kind)
{
  switch (kind) {
    case textbook::result_kind::inclusive_scan: return "inclusive";
    case textbook::result_kind::exclusive_scan: return "exclusive";
    case textbook::result_kind::histogram: return "histogram";
    default: return "reduction";
  }
}

std::optional<std::size_t> ahead_from(model::dag const& lean, model::dag const& shallow)
{
  auto const ahead = [&](std::size_t p) { return shallow.schedule(p) < lean.schedule(p); };
  if (shallow.depth() >= lean.depth() || ahead(1)) return std::nullopt;
  std::size_t behind = 1, found = 2;
  for (; !ahead(found); found *= 2) behind = found;  // ends: on as many processors as operations the time is the depth
  while (found - behind > 1) {
    std::size_t const middle = behind + (found - behind) / 2;
    (ahead(middle) ? found : behind) = middle;
  }
  return found;
}

std::vector<crossover> crossovers(std::vector<kernel_figures const*> const& all)
{
  std::vector<kernel_figures const*> scans;
  for (kernel_figures const* each : all)
    if (is_scan(each->kernel->result)) scans.push_back(each);
  std::sort(scans.begin(), scans.end(), [](auto const* a, auto const* b) { return a->kernel < b->kernel; });
  auto const shallow = std::min_element(scans.begin(), scans.end(), [](auto const* a, auto const* b) {
    return a->operations.depth() < b->operations.depth();
  });
  std::vector<crossover> found;
  for (kernel_figures const* lean : scans)
    if (auto const from = ahead_from(lean->operations, (*shallow)->operations))
      found.push_back({lean->kernel, (*shallow)->kernel, *from, (*shallow)->operations.schedule(*from)});
  return found;
}

}  // namespace tally::cli
