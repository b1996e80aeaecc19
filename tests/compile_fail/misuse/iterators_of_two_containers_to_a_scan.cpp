// error: tally: first and last cannot be compared: they are not of one sequence
#include <list>
#include <vector>

#include "tally/scan.hpp"

void sums(std::vector<int>& x, std::list<int> const& y)
{
#ifdef RIGHT
  tally::inclusive_scan(y.begin(), y.end(), x.begin());
#else
  tally::inclusive_scan(x.begin(), y.end(), x.begin());
#endif
}
