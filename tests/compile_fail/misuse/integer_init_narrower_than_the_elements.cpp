// error: tally: an initial value of a narrower integer type would truncate the elements
#include <cstdint>
#include <vector>

#include "tally/reduce.hpp"

std::int64_t total(std::vector<std::int64_t> const& x)
{
#ifdef RIGHT
  return tally::reduce(x, std::int64_t{0}) + tally::reduce<std::int64_t>(x, 0);
#else
  return tally::reduce(x, 0);
#endif
}
