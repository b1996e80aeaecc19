#include "brent/times.hpp"

#include <algorithm>

#include "tally/error.hpp"

namespace tally::cli {

brent_times times_of(std::string name, model::dag const& operations, int n)
{
  std::vector<std::size_t> const width = operations.width();
  std::size_t const widest = width.empty() ? 0 : *std::max_element(width.begin(), width.end());
  brent_times found{std::move(name), operations.work(), operations.depth(), widest, {}};
  std::size_t p = 1;
  for (;; p *= 2) {
    found.times.push_back(operations.schedule(p));
    if (p >= static_cast<std::size_t>(n)) break;
  }
  check(found);
  return found;
}

void check(brent_times const& each)
{
  std::size_t p = 1;
  for (std::size_t const time : each.times) {
    if (p * time < each.work || p * time > each.work + p * each.depth || time < each.depth)
      throw error(each.name + ": T_" + std::to_string(p) + " = " + std::to_string(time) +
                  " is not within the bounds of Brent's theorem, with T_1 = " + std::to_string(each.work) +
                  " and T_inf = " + std::to_string(each.depth));
    p *= 2;
  }
}

model::dag map_of(int n)
{
  model::dag operations;
  for (int k = 0; k < n; ++k) operations.apply(model::traced<int>::constant, model::traced<int>::constant);
  return operations;
}

}  // namespace tally::cli
