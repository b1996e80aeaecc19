/// A distribution from its density, by a scan of areas, and one from data, by a compaction of the sorted values.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include <tally/algorithms/distribution.hpp>

int main()
{
  std::vector<tally::distribution_point<double>> table(1024);
  tally::tabulate_normal(tally::cpu{}, 0.0, 1.0, table.size(), table.begin());

  double worst = 0;
  for (auto const& each : table) worst = std::max(worst, std::abs(each.cumulative - tally::normal_cumulative(each.x)));
  std::printf("up to %.0f deviations: %.9f, largest error %.1e\n", table.back().x, table.back().cumulative, worst);

  std::vector<double> const data = {1.5, 2, 2, 2, 3.5, 7};  // sorted
  std::vector<tally::distribution_step<double>> steps(data.size());
  steps.erase(tally::empirical_distribution(data.begin(), data.end(), steps.begin()), steps.end());
  for (auto const& step : steps) std::printf("%g or less: %zu of %zu\n", step.value, step.count, data.size());
  std::printf("median %g\n", tally::quantile(data.begin(), data.end(), 0.5));
}
