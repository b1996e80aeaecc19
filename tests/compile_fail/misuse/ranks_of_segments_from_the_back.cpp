// error: on ranks segments go from the front
#include <vector>

#include "../../support/lone_rank.hpp"
#include "tally/ranks.hpp"

void f(std::vector<float> const& in, std::vector<int> const& offsets, std::vector<float>& out)
{
#ifdef RIGHT
  tally::inclusive_scan(tally::test::lone_rank(), tally::segments(in, offsets), out);
#else
  tally::inclusive_scan(tally::test::lone_rank(), tally::reversed(tally::segments(in, offsets)), out);
#endif
}
