// error: tally: the operator's result converts to the accumulator's type, but not by a static_cast
#include <vector>

#include "tally/reduce.hpp"

struct sum {
  int value;
};
struct number {
  int value;
  number(int v) : value(v) {}
  number(sum const& s) : value(s.value) {}
#ifndef RIGHT
  explicit number(sum&&) = delete;
#endif
};

number total(std::vector<number> const& x)
{
  return tally::reduce(x, number(0), [](number const& a, number const& b) { return sum{a.value + b.value}; });
}
