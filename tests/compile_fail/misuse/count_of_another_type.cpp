// error: tally: a count in memory is an integer of 32 or 64 bits
#include <vector>

#include "tally/counted.hpp"
#include "tally/reduce.hpp"

int sum(std::vector<int> const& x)
{
#ifdef RIGHT
  int const count = 3;
#else
  short const count = 3;
#endif
  return tally::reduce(tally::counted(x, tally::count_at(&count, x.size())));
}
