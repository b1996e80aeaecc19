// error: tally: the operator cannot be called with two values of the accumulator's type
#include <vector>

#include "tally/scan.hpp"

void scan(std::vector<int> const& x, std::vector<int>& out)
{
#ifdef RIGHT
  tally::inclusive_scan(x.begin(), x.end(), out.begin(), [](int a, int b) { return a + b; });
#else
  tally::inclusive_scan(x.begin(), x.end(), out.begin(), [](int a) { return a; });
#endif
}
