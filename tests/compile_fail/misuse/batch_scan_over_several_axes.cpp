// error: tally: inclusive_scan of a batch takes
#include "tally/batches.hpp"

void running_sums(tally::array_view<float> x)
{
#ifdef RIGHT
  tally::inclusive_scan(tally::along(0, x), tally::along(0, x));
#else
  tally::inclusive_scan(tally::along({0, 1}, x), tally::along({0, 1}, x));
#endif
}
