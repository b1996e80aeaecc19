// error: tally: offsets are integers
#include <vector>

#include "tally/batches.hpp"

void sums(std::vector<float> const& x, float* out)
{
#ifdef RIGHT
  std::vector<int> const offsets{0, 2};
#else
  std::vector<float> const offsets{0, 2};
#endif
  tally::reduce(tally::segments(x, offsets), out);
}
