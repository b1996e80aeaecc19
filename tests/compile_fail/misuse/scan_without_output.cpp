// error: tally: inclusive_scan takes ([on,] first, last, out
#include <vector>

#include "tally/scan.hpp"

void scan(std::vector<int>& x)
{
#ifdef RIGHT
  tally::inclusive_scan(x, x);
#else
  tally::inclusive_scan(x);
#endif
}
