// error: tally: the accumulator is a pointer, as its initial value is (text in quotes is one)
#include <string>
#include <vector>

#include "tally/reduce.hpp"

std::string joined(std::vector<std::string> const& x)
{
#ifdef RIGHT
  return tally::reduce(x, std::string());
#else
  return tally::reduce(x, "");
#endif
}
