// error: tally: each(...) gives initial values of the accumulator's type
#include "tally/batches.hpp"

void sums(tally::array_view<float> x, float const* floats, double const* doubles, double* out)
{
#ifdef RIGHT
  tally::reduce<double>(tally::along(0, x), out, tally::each(doubles));
#else
  tally::reduce<double>(tally::along(0, x), out, tally::each(floats));
#endif
  (void)floats;
  (void)doubles;
}
