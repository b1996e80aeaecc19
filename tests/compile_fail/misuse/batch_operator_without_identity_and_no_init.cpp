// error: tally: an operator without an identity has no value for an empty sequence
#include "tally/batches.hpp"

struct longer {
  float operator()(float a, float b) const { return a * a < b * b ? b : a; }
};

void longest(tally::array_view<float> x, float* out)
{
#ifdef RIGHT
  tally::reduce(tally::along(0, x), out, 0.0f, longer{});
#else
  tally::reduce(tally::along(0, x), out, longer{});
#endif
}
