// error: tally: an integer initial value would truncate every sum of floating-point elements
#include <vector>

#include "tally/scan.hpp"

void offsets(std::vector<double> const& x, std::vector<double>& out)
{
#ifdef RIGHT
  tally::exclusive_scan(x.begin(), x.end(), out.begin(), 0.0);
#else
  tally::exclusive_scan(x.begin(), x.end(), out.begin(), 0);
#endif
}
