#include "textbook/catalogue.hpp"

#include <algorithm>

#include "tally/error.hpp"

namespace tally::textbook {

namespace {

std::vector<kernel_entry> assembled()
{
  std::vector<kernel_entry> all;
  for (auto const part : {reductions, block_scans, array_scans}) {
    std::vector<kernel_entry> const more = part();
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

}  // namespace

std::vector<kernel_entry> const& catalogue()
{
  static std::vector<kernel_entry> const all = assembled();
  return all;
}

kernel_entry const* find_kernel(std::string_view name)
{
  auto const found =
      std::find_if(catalogue().begin(), catalogue().end(), [&](kernel_entry const& each) { return each.name == name; });
  return found == catalogue().end() ? nullptr : &*found;
}

void check(kernel_entry const& kernel, values const& in)
{
  std::size_t const n = std::visit([](auto const& elements) { return elements.size(); }, in);
  std::string const name(kernel.name);
  if (n == 0) throw usage_error(name + " takes at least one element");
  if (kernel.most != 0 && n > static_cast<std::size_t>(kernel.most))
    throw usage_error(name + " is a kernel of one block and takes at most " + std::to_string(kernel.most) +
                      " elements, not " + std::to_string(n));
  if (kernel.needs_commutative && std::holds_alternative<std::vector<letters>>(in))
    throw usage_error(name + " takes operands out of order, and joining letters is not commutative");
}

outcome run(kernel_entry const& kernel, model::machine& on, values const& in, operation op)
{
  check(kernel, in);
  outcome result;
  if (auto const* integers = std::get_if<std::vector<int>>(&in)) kernel.run_int(on, *integers, op, result);
  if (auto const* decimals = std::get_if<std::vector<float>>(&in)) kernel.run_float(on, *decimals, op, result);
  if (auto const* runs = std::get_if<std::vector<letters>>(&in)) kernel.run_letters(on, *runs, result);
  return result;
}

std::ostream& operator<<(std::ostream& out, letters const& run)
{
  auto const letter = [](short position) {
    std::string name(1, static_cast<char>('a' + position % 26));
    if (position >= 26) name += std::to_string(position / 26);
    return name;
  };
  if (run == join::empty) return out << "-";
  if (run.first == letters::broken) return out << "?!";
  out << letter(run.first);
  return run.first == run.last ? out : out << ".." << letter(run.last);
}

}  // namespace tally::textbook
