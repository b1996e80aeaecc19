// error: tally: the operator cannot be called with two values of the accumulator's type
#include <string>
#include <vector>

#include "tally/reduce.hpp"

struct join {
  std::string operator()(std::string const& a, std::string const& b) const { return a + b; }
};

int total(std::vector<int> const& x)
{
#ifdef RIGHT
  return tally::reduce(x, 0, tally::plus{});
#else
  return tally::reduce(x, 0, join{});
#endif
}
