// error: ranks take reduce, the scans, histogram, linear_recurrence, batches along one axis or between
#include <vector>

#include "../../support/lone_rank.hpp"
#include "tally/detail/ranks/refused.hpp"
#include "tally/ranks.hpp"

void f(tally::array_view<float const> const& in, std::vector<float>& out)
{
#ifdef RIGHT
  tally::reduce(tally::cpu{}, tally::along({0, 1}, in), out);
#else
  tally::reduce(tally::test::lone_rank(), tally::along({0, 1}, in), out);
#endif
}
