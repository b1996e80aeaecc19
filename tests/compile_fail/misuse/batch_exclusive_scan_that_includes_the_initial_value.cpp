// error: tally: include_initial is an option of inclusive_scan
#include "tally/batches.hpp"

void running_sums(tally::array_view<float> x, tally::array_view<float> y)
{
#ifdef RIGHT
  tally::inclusive_scan(tally::along(0, x), tally::along(0, y), tally::plus{}, 0.0f, tally::include_initial);
#else
  tally::exclusive_scan(tally::along(0, x), tally::along(0, y), 0.0f, tally::include_initial);
#endif
}
