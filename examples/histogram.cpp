/// Counts in even and in uneven bins, and sums of weights.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <tally/algorithms/histogram.hpp>

int main()
{
  // The waiting times of a million requests in seconds, and the cost of each request.
  std::size_t const n = 1'000'000;
  std::vector<double> seconds(n);
  std::vector<float> cost(n);
  for (std::size_t k = 0; k < n; ++k) {
    auto const x = static_cast<double>((k * 2'654'435'761u) % 4'000'000) / 4'000'000;
    seconds[k] = x * x * 4;
    cost[k] = 0.25f;
  }

  tally::even_bins const bins(0, 3, 6);
  std::vector<std::uint64_t> counts(bins.slots());
  tally::histogram(seconds, bins, counts.begin());
  for (std::size_t k = 0; k < bins.count(); ++k)
    std::printf("%.1f to %.1f s: %7llu\n", bins.edge(k), bins.edge(k + 1), static_cast<unsigned long long>(counts[k]));
  std::printf("longer:       %7llu\n", static_cast<unsigned long long>(counts[bins.above()]));

  // Uneven bins. The sums have the same bits for every number of threads.
  std::array<double, 4> const edges = {0, 0.01, 0.1, 1};
  tally::edge_bins const classes(edges.data(), edges.size());
  std::vector<double> costs(classes.slots());
  tally::weighted_histogram(seconds.begin(), seconds.end(), cost.begin(), classes, costs.begin());
  std::printf("cost of those under 10 ms: %.2f, under 100 ms: %.2f, under 1 s: %.2f\n", costs[0], costs[1], costs[2]);
}
