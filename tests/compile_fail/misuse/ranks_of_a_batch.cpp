// error: ranks take reduce, transform_reduce and the scans of one sequence
#include <vector>

#include "../../support/lone_rank.hpp"
#include "tally/batches.hpp"
#include "tally/detail/ranks/refused.hpp"

void f(std::vector<float> const& in, std::vector<float>& out)
{
#ifdef RIGHT
  tally::inclusive_scan(tally::cpu{}, tally::along(0, tally::array_view(in.data(), {in.size()})),
                        tally::along(0, tally::array_view(out.data(), {out.size()})));
#else
  tally::inclusive_scan(tally::test::lone_rank(), tally::along(0, tally::array_view(in.data(), {in.size()})),
                        tally::along(0, tally::array_view(out.data(), {out.size()})));
#endif
}
