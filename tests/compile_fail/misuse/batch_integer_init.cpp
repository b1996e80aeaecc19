// error: tally: an integer initial value would truncate every sum of floating-point elements
#include "tally/batches.hpp"

void sums(tally::array_view<float> x, float* out)
{
#ifdef RIGHT
  tally::reduce(tally::along(0, x), out, 0.0f);
#else
  tally::reduce(tally::along(0, x), out, 0);
#endif
}
