/// The table of a normal distribution, and the empirical distribution of sorted data.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <vector>

#include "bench/algorithms/rounds.hpp"
#include "tally/algorithms/distribution.hpp"

namespace {

using point = tally::distribution_point<double>;
using step = tally::distribution_step<std::uint32_t>;

void normal(std::size_t n)
{
  std::vector<point> table(n);
  tally::bench::rounds rounds("a normal distribution's x, density and cumulative", n, n * sizeof(point));
  rounds.add("plain loop, std::exp", [&] {
    auto const density = [](double x) {
      return std::exp(x * x * -0.5) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
    };
    double const h = 10.0 / static_cast<double>(n);
    double sum = 0, left = density(-5);
    for (std::size_t k = 0; k < n; ++k) {
      double const x = -5 + static_cast<double>(k + 1) * h, right = density(x);
      sum += (left + right) * (h / 2);
      table[k] = {x, right, sum};
      left = right;
    }
  });
  rounds.add("tally, all threads", [&] { tally::tabulate_normal(tally::cpu{}, 0.0, 1.0, n, table.begin()); });
  rounds.add("tally, one thread", [&] { tally::tabulate_normal(tally::cpu{1}, 0.0, 1.0, n, table.begin()); });
  rounds.run();
}

void empirical(std::size_t n)
{
  std::vector<std::uint32_t> data(n);
  std::uint64_t state = 1;
  for (std::uint32_t& each : data) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    each = static_cast<std::uint32_t>(state >> 40) % static_cast<std::uint32_t>(n);
  }
  std::sort(data.begin(), data.end());
  std::vector<step> steps(n);
  tally::bench::rounds rounds("an empirical distribution of sorted data", n, n * sizeof(std::uint32_t));
  rounds.add("plain loop", [&] {
    std::size_t count = 0;
    for (std::size_t k = 0; k < n; ++k) {
      if (k + 1 < n && data[k] == data[k + 1]) continue;
      steps[count++] = {data[k], k + 1};
    }
  });
  rounds.add("tally, all threads",
             [&] { tally::empirical_distribution(tally::cpu{}, data.begin(), data.end(), steps.begin()); });
  rounds.add("tally, one thread",
             [&] { tally::empirical_distribution(tally::cpu{1}, data.begin(), data.end(), steps.begin()); });
  rounds.run();
}

}  // namespace

int main()
{
  for (int const bits : {16, 20, 22, 24}) {
    std::size_t const n = std::size_t{1} << bits;
    normal(n);
    empirical(n);
  }
}
