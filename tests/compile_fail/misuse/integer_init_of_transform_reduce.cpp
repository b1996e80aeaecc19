// error: tally: an integer initial value would truncate every sum of floating-point elements
#include <vector>

#include "tally/reduce.hpp"

double dot(std::vector<double> const& x, std::vector<double> const& y)
{
#ifdef RIGHT
  return tally::transform_reduce(x.begin(), x.end(), y.begin(), 0.0);
#else
  return tally::transform_reduce(x.begin(), x.end(), y.begin(), 0);
#endif
}
