// error: tally: exclusive_scan takes ([on,] first, last, out, init
#include <vector>

#include "tally/scan.hpp"

void scan(std::vector<int>& x)
{
#ifdef RIGHT
  tally::exclusive_scan(x.begin(), x.end(), x.begin(), 0);
#else
  tally::exclusive_scan(x.begin(), x.end(), x.begin());
#endif
}
