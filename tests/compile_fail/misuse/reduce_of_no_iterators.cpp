// error: tally: reduce takes ([on,] first, last
#include "tally/reduce.hpp"

int total(int const* first, int n)
{
#ifdef RIGHT
  return tally::reduce(first, first + n);
#else
  return tally::reduce(n, n);
#endif
}
