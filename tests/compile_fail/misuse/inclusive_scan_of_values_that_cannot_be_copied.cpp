// error: tally: an inclusive scan writes results that it goes on from
#include <memory>
#include <vector>

#include "tally/scan.hpp"

void sums(std::vector<int> const& x, std::vector<std::unique_ptr<int>>& out)
{
  auto const add = [](std::unique_ptr<int> const& a, int b) { return std::make_unique<int>(*a + b); };
#ifdef RIGHT
  tally::exclusive_scan(x, out, std::make_unique<int>(0), add);
#else
  tally::inclusive_scan(x, out, add, std::make_unique<int>(0));
#endif
}
