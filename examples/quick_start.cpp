/// A running total and a total of a vector of floats.
#include <cstddef>
#include <cstdio>
#include <vector>

#include <tally/reduce.hpp>
#include <tally/scan.hpp>

int main()
{
  std::vector<float> const rain = {0.25f, 0.0f, 1.5f, 3.25f, 0.5f};  // millimetres in each hour
  std::vector<float> since_midnight(rain.size());

  tally::inclusive_scan(rain, since_midnight);

  for (std::size_t hour = 0; hour < rain.size(); ++hour)
    std::printf("hour %zu: %.2f mm, since midnight %.2f mm\n", hour, rain[hour], since_midnight[hour]);
  std::printf("in all %.2f mm\n", tally::reduce(rain));
}
