// error: tally: an integer initial value would truncate every sum of floating-point elements
#include <vector>

#include "tally/reduce.hpp"

double total(std::vector<double> const& x)
{
#ifdef RIGHT
  return tally::reduce(x.begin(), x.end(), 0.0) + tally::reduce<double>(x.begin(), x.end(), 0);
#else
  return tally::reduce(x.begin(), x.end(), 0);
#endif
}
