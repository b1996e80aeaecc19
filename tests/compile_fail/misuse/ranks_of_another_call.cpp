// error: ranks take reduce, the scans, histogram, linear_recurrence, batches along one axis or between
#include <vector>

#include "../../support/lone_rank.hpp"
#include "tally/detail/ranks/refused.hpp"
#include "tally/for_each.hpp"

void f(std::vector<float>& out)
{
  auto const clear = [&](std::size_t k) { out[k] = 0; };
#ifdef RIGHT
  tally::for_each_index(tally::cpu{}, out.size(), clear);
#else
  tally::for_each_index(tally::test::lone_rank(), out.size(), clear);
#endif
}
