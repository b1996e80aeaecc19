// error: tally: an initial value of a narrower integer type would truncate the elements
#include <cstddef>
#include <vector>

#include "tally/scan.hpp"

void offsets(std::vector<std::size_t> const& counts, std::vector<std::size_t>& out)
{
#ifdef RIGHT
  tally::exclusive_scan(counts, out, std::size_t{0});
#else
  tally::exclusive_scan(counts, out, 0);
#endif
}
