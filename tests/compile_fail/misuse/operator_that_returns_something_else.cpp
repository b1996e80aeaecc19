// error: tally: the operator's result does not convert to the accumulator's type
#include <string>
#include <vector>

#include "tally/reduce.hpp"

int total(std::vector<int> const& x)
{
#ifdef RIGHT
  return tally::reduce(x, 0, [](int a, int b) { return a + b; });
#else
  return tally::reduce(x, 0, [](int a, int b) { return std::to_string(a + b); });
#endif
}
