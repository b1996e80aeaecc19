// error: tally: an element does not convert to the accumulator's type
#include <map>

#include "tally/reduce.hpp"

int total(std::map<int, int> const& x)
{
#ifdef RIGHT
  return tally::transform_reduce(x, 0, tally::plus{}, [](auto const& entry) { return entry.second; });
#else
  return tally::reduce(x, 0);
#endif
}
