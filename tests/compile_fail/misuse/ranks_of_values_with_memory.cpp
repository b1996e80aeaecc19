// error: the accumulator's type must be trivially copyable
#include <string>
#include <vector>

#include "../../support/lone_rank.hpp"
#include "tally/reduce.hpp"

#ifdef RIGHT
using element = char;
#else
using element = std::string;
#endif

element f(std::vector<element> const& in)
{
  return tally::reduce(tally::test::lone_rank(), in.begin(), in.end(), element());
}
