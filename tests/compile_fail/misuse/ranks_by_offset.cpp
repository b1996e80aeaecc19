// error: ranks take segments(part, offsets) in reduce and the scans
#include <vector>

#include "../../support/lone_rank.hpp"
#include "tally/algorithms/by_offset.hpp"
#include "tally/ranks.hpp"

void f(std::vector<float> const& in, std::vector<int> const& offsets, std::vector<float>& out)
{
#ifdef RIGHT
  tally::reduce(tally::test::lone_rank(), tally::segments(in, offsets), out);
#else
  tally::reduce_by_offset(tally::test::lone_rank(), in.begin(), offsets.begin(), offsets.end(), out.begin());
#endif
}
