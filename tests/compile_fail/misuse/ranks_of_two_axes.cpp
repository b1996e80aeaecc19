// error: ranks take batches along one axis
#include <vector>

#include "../../support/lone_rank.hpp"
#include "tally/ranks.hpp"

void f(std::vector<float> const& in, std::vector<float>& out)
{
  tally::array_view<float const> const matrix(in.data(), {2, in.size() / 2});
#ifdef RIGHT
  tally::reduce(tally::test::lone_rank(), tally::along(1, matrix), out);
#else
  tally::reduce(tally::test::lone_rank(), tally::along({0, 1}, matrix), out);
#endif
}
