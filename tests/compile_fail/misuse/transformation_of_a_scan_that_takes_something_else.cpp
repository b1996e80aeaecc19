// error: tally: the transformation cannot be called with an element
#include <string>
#include <vector>

#include "tally/scan.hpp"

void lengths(std::vector<std::string> const& x, std::vector<std::size_t>& out)
{
#ifdef RIGHT
  auto const length = [](std::string const& word) { return word.size(); };
#else
  auto const length = [](int word) { return std::size_t(word); };
#endif
  tally::transform_inclusive_scan(x.begin(), x.end(), out.begin(), tally::plus{}, length);
}
