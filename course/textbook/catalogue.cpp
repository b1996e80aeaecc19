#include "textbook/catalogue.hpp"

#include <algorithm>

#include "tally/error.hpp"

namespace tally::textbook {

namespace {

std::vector<kernel_entry> assembled(blocks size)
{
  std::vector<kernel_entry> all = reductions(size);
  for (std::vector<kernel_entry> const& part : {array_reductions(size), block_scans(), array_scans(size)})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

void check_bins(std::string const& name, values const& in)
{
  auto const* integers = std::get_if<std::vector<int>>(&in);
  auto const has_bin = [](int element) { return element >= 0 && element < histogram_bins; };
  if (integers == nullptr || !std::all_of(integers->begin(), integers->end(), has_bin))
    throw usage_error(name + " counts integers from 0 to " + std::to_string(histogram_bins - 1));
}

}  // namespace

std::vector<kernel_entry> const& catalogue(blocks size)
{
  static std::vector<kernel_entry> const full = assembled(blocks::full), small = assembled(blocks::small);
  return size == blocks::full ? full : small;
}

kernel_entry const* find_kernel(std::string_view name, blocks size)
{
  std::vector<kernel_entry> const& all = catalogue(size);
  auto const found = std::find_if(all.begin(), all.end(), [&](kernel_entry const& each) { return each.name == name; });
  return found == all.end() ? nullptr : &*found;
}

operation operation_of(kernel_entry const& kernel, std::optional<operation> asked)
{
  return asked.value_or(kernel.only.value_or(operation::sum));
}

std::string_view name_of(operation op)
{
  constexpr std::string_view names[] = {"sum", "product", "min", "max", "own"};
  return names[static_cast<std::size_t>(op)];
}

void check(kernel_entry const& kernel, values const& in, std::optional<operation> op)
{
  std::size_t const n = std::visit([](auto const& elements) { return elements.size(); }, in);
  std::string const name(kernel.name);
  if (n == 0) throw usage_error(name + " takes at least one element");
  if (kernel.most != 0 && n > static_cast<std::size_t>(kernel.most))
    throw usage_error(name + " is a kernel of one block and takes at most " + std::to_string(kernel.most) +
                      " elements, not " + std::to_string(n));
  bool const joins = std::holds_alternative<std::vector<letters>>(in);
  if (kernel.only && (joins || op.value_or(*kernel.only) != *kernel.only))
    throw usage_error(name + " is by " + std::string(name_of(*kernel.only)) + " alone");
  if (kernel.result == result_kind::histogram) check_bins(name, in);
  if (kernel.needs_commutative && joins)
    throw usage_error(name + " takes operands out of order, and joining letters is not commutative");
}

outcome run(kernel_entry const& kernel, model::machine& on, values const& in, std::optional<operation> op,
            own_operator const* own)
{
  check(kernel, in, op);
  operation const by = operation_of(kernel, op);
  outcome result;
  if (auto const* integers = std::get_if<std::vector<int>>(&in)) kernel.run_int(on, *integers, {by, own}, result);
  if (auto const* decimals = std::get_if<std::vector<float>>(&in)) kernel.run_float(on, *decimals, {by, own}, result);
  if (auto const* runs = std::get_if<std::vector<letters>>(&in)) kernel.run_letters(on, *runs, result);
  return result;
}

std::string to_text(letters const& run)
{
  auto const letter = [](short position) {
    std::string name(1, static_cast<char>('a' + position % 26));
    if (position >= 26) name += std::to_string(position / 26);
    return name;
  };
  if (run == join::empty) return "-";
  if (run.first == letters::broken) return "?!";
  return run.first == run.last ? letter(run.first) : letter(run.first) + ".." + letter(run.last);
}

}  // namespace tally::textbook
