// error: ranks take reduce, the scans, histogram, linear_recurrence, batches along an axis, and calls by key
#include <vector>

#include "../../support/lone_rank.hpp"
#include "tally/batches.hpp"
#include "tally/detail/ranks/refused.hpp"

void f(std::vector<float> const& in, std::vector<int> const& offsets, std::vector<float>& out)
{
#ifdef RIGHT
  tally::inclusive_scan(tally::cpu{}, tally::segments(in, offsets), out);
#else
  tally::inclusive_scan(tally::test::lone_rank(), tally::segments(in, offsets), out);
#endif
}
