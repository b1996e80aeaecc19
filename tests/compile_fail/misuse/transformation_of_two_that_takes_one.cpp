// error: tally: the transformation cannot be called with an element
#include <vector>

#include "tally/reduce.hpp"

int dot(std::vector<int> const& x, std::vector<int> const& y)
{
#ifdef RIGHT
  return tally::transform_reduce(x.begin(), x.end(), y.begin(), 0, tally::plus{}, tally::multiplies{});
#else
  return tally::transform_reduce(x.begin(), x.end(), y.begin(), 0, tally::plus{}, [](int a) { return a; });
#endif
}
