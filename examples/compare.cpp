/// The first difference of two texts, and the one that comes first in a dictionary: reductions to the least index.
#include <cstddef>
#include <cstdio>
#include <string>

#include <tally/algorithms/compare.hpp>
#include <tally/reduce.hpp>

int main()
{
  std::string text;
  for (int line = 0; line < 100'000; ++line) text += "the quick brown fox jumps over the lazy dog\n";
  std::string other = text;
  other[3'000'020] = 'f';

  auto const [at, there] = tally::mismatch(tally::cpu{}, text, other);
  std::size_t const line = 1 + tally::transform_reduce(tally::cpu{}, text.begin(), at, std::size_t{0}, tally::plus{},
                                                       [](char c) { return std::size_t{c == '\n'}; });
  std::printf("they part at byte %td, in line %zu: '%c' and '%c'\n", at - text.begin(), line, *at, *there);

  auto const order = tally::lexicographical_compare_three_way(tally::cpu{}, text, other);
  std::printf("the first comes %s\n", order < 0 ? "first" : order > 0 ? "second" : "to the same");
  std::printf("equal: %s\n", tally::equal(text, other) ? "yes" : "no");
}
