// error: tally: first and last cannot be compared: they are not of one sequence
#include <list>
#include <vector>

#include "tally/reduce.hpp"

int total(std::vector<int> const& x, std::list<int> const& y)
{
#ifdef RIGHT
  return tally::reduce(x.begin(), x.end(), 0) + tally::reduce(y.begin(), y.end(), 0);
#else
  return tally::reduce(x.begin(), y.end(), 0);
#endif
}
