// error: tally: an integer initial value would truncate every sum of floating-point elements
#include <vector>

#include "tally/scan.hpp"

void sums(std::vector<float> const& x, std::vector<float>& out)
{
#ifdef RIGHT
  tally::inclusive_scan(x, out, tally::plus{}, 1.0f);
#else
  tally::inclusive_scan(x, out, tally::plus{}, 1);
#endif
}
