// error: tally: last_to(...) takes places of the accumulator's type
#include "tally/batches.hpp"

void running_sums(tally::array_view<float> x, float* floats, double* doubles)
{
#ifdef RIGHT
  tally::inclusive_scan(tally::along(0, x), tally::along(0, x), tally::last_to(floats));
#else
  tally::inclusive_scan(tally::along(0, x), tally::along(0, x), tally::last_to(doubles));
#endif
  (void)floats;
  (void)doubles;
}
