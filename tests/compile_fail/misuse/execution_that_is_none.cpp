// error: tally: reduce takes ([on,] first, last
#include <vector>

#include "tally/reduce.hpp"

int total(std::vector<int> const& x)
{
#ifdef RIGHT
  return tally::reduce(tally::cpu{.threads = 4}, x.begin(), x.end());
#else
  struct four_threads {};
  return tally::reduce(four_threads{}, x.begin(), x.end());
#endif
}
