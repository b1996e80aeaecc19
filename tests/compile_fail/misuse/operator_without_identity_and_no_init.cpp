// error: tally: an operator without an identity has no value for an empty range
#include <vector>

#include "tally/reduce.hpp"

int total(std::vector<int> const& x)
{
  auto const add = [](int a, int b) { return a + b; };
#ifdef RIGHT
  return tally::reduce(x, 0, add);
#else
  return tally::reduce(x, add);
#endif
}
