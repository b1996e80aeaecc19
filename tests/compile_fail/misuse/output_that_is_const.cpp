// error: tally: the results cannot be written through the output iterator
#include <vector>

#include "tally/scan.hpp"

#ifdef RIGHT
void scan(std::vector<int> const& x, std::vector<int>& out)
#else
void scan(std::vector<int> const& x, std::vector<int> const& out)
#endif
{
  tally::inclusive_scan(x.begin(), x.end(), out.begin());
}
