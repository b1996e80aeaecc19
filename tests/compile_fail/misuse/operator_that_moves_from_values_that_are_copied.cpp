// error: tally: the operator cannot be called with two values of the accumulator's type
#include <string>
#include <vector>

#include "tally/scan.hpp"

void joined(std::vector<std::string> const& x, std::vector<std::string>& out)
{
#ifdef RIGHT
  auto const join = [](std::string const& a, std::string const& b) { return a + b; };
#else
  auto const join = [](std::string&& a, std::string&& b) { return a + b; };
#endif
  tally::inclusive_scan(x, out, join);
}
