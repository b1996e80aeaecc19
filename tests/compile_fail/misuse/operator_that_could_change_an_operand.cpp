// error: tally: the operator takes an operand by a reference that is not const
#include <vector>

#include "tally/reduce.hpp"

int total(std::vector<int> const& x)
{
#ifdef RIGHT
  return tally::reduce(x, 0, [](int a, int const& b) { return a += b; });
#else
  return tally::reduce(x, 0, [](int& a, int const& b) { return a += b; });
#endif
}
