// error: tally: a scan of a batch takes (in, out [, op [, init]] [, options])
#include "tally/batches.hpp"

void running_sums(tally::array_view<float> x, float* lasts)
{
#ifdef RIGHT
  tally::inclusive_scan(tally::along(0, x), tally::along(0, x), tally::plus{}, tally::last_to(lasts));
#else
  tally::inclusive_scan(tally::along(0, x), tally::along(0, x), tally::last_to(lasts), tally::plus{});
#endif
}
