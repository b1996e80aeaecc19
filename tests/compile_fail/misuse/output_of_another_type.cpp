// error: tally: the results cannot be written through the output iterator
#include <string>
#include <vector>

#include "tally/scan.hpp"

#ifdef RIGHT
void scan(std::vector<int> const& x, std::vector<long>& out)
#else
void scan(std::vector<int> const& x, std::vector<std::vector<int>>& out)
#endif
{
  tally::exclusive_scan(x.begin(), x.end(), out.begin(), 0);
}
