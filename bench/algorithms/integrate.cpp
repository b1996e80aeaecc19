/// Integrals of functions and of samples, and integrals up to each node.
#include <cmath>
#include <cstddef>
#include <execution>
#include <functional>
#include <numeric>
#include <vector>

#include "bench/algorithms/rounds.hpp"
#include "tally/algorithms/integrate.hpp"

namespace {

double volatile sink;

struct half_circle {
  double operator()(double x) const { return std::sqrt(1 - x * x); }
};

void of_a_function(std::size_t n)
{
  half_circle const f;
  double const h = 2.0 / static_cast<double>(n);
  auto const areas = tally::elements_from(tally::trapezoids(f, -1.0, 1.0, n));
  auto const end = areas + static_cast<std::ptrdiff_t>(n);
  tally::bench::rounds rounds("pi by the trapezoidal rule", n, n * sizeof(double));
  rounds.add("plain loop", [&] {
    double sum = (f(-1) + f(1)) / 2;
    for (std::size_t k = 1; k < n; ++k) sum += f(-1 + static_cast<double>(k) * h);
    sink = sum * h;
  });
  rounds.add("std::transform_reduce of areas, par_unseq", [&] {
    sink = std::transform_reduce(std::execution::par_unseq, tally::counting_from(0),
                                 tally::counting_from(0) + static_cast<std::ptrdiff_t>(n), 0.0, std::plus<>{},
                                 [&](std::size_t k) { return areas[static_cast<std::ptrdiff_t>(k)]; });
  });
  rounds.add("tally, all threads",
             [&] { sink = tally::integrate(tally::cpu{}, f, -1.0, 1.0, n, tally::trapezoidal{}); });
  rounds.add("tally, one thread",
             [&] { sink = tally::integrate(tally::cpu{1}, f, -1.0, 1.0, n, tally::trapezoidal{}); });
  rounds.add("tally, areas, all threads", [&] { sink = tally::reduce(tally::cpu{}, areas, end); });
  rounds.run();
}

void of_samples(std::size_t n)
{
  std::vector<double> samples(n);
  for (std::size_t k = 0; k < n; ++k) samples[k] = static_cast<double>(k % 1000);
  tally::bench::rounds rounds("Simpson's rule over samples", n, n * sizeof(double));
  rounds.add("plain loop", [&] {
    double sum = samples[0];
    for (std::size_t k = 1; k + 1 < n; ++k) sum += (k % 2 == 1 ? 4 : 2) * samples[k];
    sink = sum / 3;
  });
  rounds.add("tally, all threads",
             [&] { sink = tally::integrate_samples(tally::cpu{}, samples.begin(), samples.end(), 1.0); });
  rounds.add("tally, one thread",
             [&] { sink = tally::integrate_samples(tally::cpu{1}, samples.begin(), samples.end(), 1.0); });
  rounds.run();
}

void up_to_each_node(std::size_t n)
{
  half_circle const f;
  double const h = 2.0 / static_cast<double>(n);
  std::vector<double> out(n);
  tally::bench::rounds rounds("integrals up to each node", n, n * sizeof(double));
  rounds.add("plain loop", [&] {
    double sum = 0, left = f(-1);
    for (std::size_t k = 0; k < n; ++k) {
      double const right = f(k + 1 == n ? 1.0 : -1 + static_cast<double>(k + 1) * h);
      out[k] = sum += (left + right) * (h / 2);
      left = right;
    }
  });
  rounds.add("tally, all threads", [&] { tally::cumulative_integral(tally::cpu{}, f, -1.0, 1.0, n, out.begin()); });
  rounds.add("tally, one thread", [&] { tally::cumulative_integral(tally::cpu{1}, f, -1.0, 1.0, n, out.begin()); });
  rounds.run();
}

}  // namespace

int main()
{
  for (int const bits : {16, 20, 22, 24}) {
    std::size_t const n = std::size_t{1} << bits;
    of_a_function(n);
    of_samples(n);
    up_to_each_node(n);
  }
}
