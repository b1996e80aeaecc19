// error: tally: the transformation cannot be called with an element
#include <string>
#include <vector>

#include "tally/reduce.hpp"

std::size_t letters(std::vector<std::string> const& x)
{
#ifdef RIGHT
  auto const length = [](std::string const& word) { return word.size(); };
#else
  auto const length = [](int word) { return std::size_t(word); };
#endif
  return tally::transform_reduce(x.begin(), x.end(), std::size_t{0}, tally::plus{}, length);
}
