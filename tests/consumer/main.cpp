/// A consumer of the installed library: it includes the library by its name, links it, and gets the right sum.
#include <cstdio>
#include <vector>

#include <tally/tally.hpp>

int main()
{
  std::vector<float> const ones(100000, 1.0f);
  std::vector<float> sums(ones.size());
  tally::inclusive_scan(ones, sums);
  if (sums.back() == 100000.0f && tally::reduce(ones) == 100000.0f) return 0;
  std::fprintf(stderr, "the scan ends in %g, expected 100000\n", sums.back());
  return 1;
}
