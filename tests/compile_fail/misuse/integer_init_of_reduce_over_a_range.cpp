// error: tally: an integer initial value would truncate every sum of floating-point elements
#include <vector>

#include "tally/reduce.hpp"

float total(std::vector<float> const& x)
{
#ifdef RIGHT
  return tally::reduce(x, 0.0f, tally::plus{});
#else
  return tally::reduce(x, 0, tally::plus{});
#endif
}
