/// Polynomials: one of many coefficients at a point, one of few at many points, all powers of a number.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <execution>
#include <functional>
#include <numeric>
#include <vector>

#include "bench/algorithms/rounds.hpp"
#include "tally/algorithms/polynomial.hpp"

namespace {

double volatile sink;

double horner(std::vector<double> const& c, double x)
{
  double y = 0;
  for (std::size_t k = c.size(); k-- > 0;) y = y * x + c[k];
  return y;
}

void at_a_point(std::size_t n)
{
  std::vector<double> c(n);
  for (std::size_t k = 0; k < n; ++k) c[k] = static_cast<double>(k % 1001) - 500;
  double const x = 0.99999;
  tally::bench::rounds rounds("a polynomial at a point", n, n * sizeof(double));
  rounds.add("Horner's rule", [&] { sink = horner(c, x); });
  rounds.add("tally, all threads", [&] { sink = tally::polynomial_value(tally::cpu{}, c.begin(), c.end(), x); });
  rounds.add("tally, one thread", [&] { sink = tally::polynomial_value(tally::cpu{1}, c.begin(), c.end(), x); });
  rounds.run();
}

void at_points(std::size_t n)
{
  std::vector<double> const c = {1, 0.5, -0.25, 3, 1, -1, 0.125, 7, -2, 0.5, 1, 4, -0.5, 2, 1, 1};
  std::vector<double> x(n), y(n);
  for (std::size_t k = 0; k < n; ++k) x[k] = static_cast<double>(k) / static_cast<double>(n);
  tally::bench::rounds rounds("16 coefficients at many points", n, 2 * n * sizeof(double));
  rounds.add("Horner's rule at each", [&] {
    for (std::size_t k = 0; k < n; ++k) y[k] = horner(c, x[k]);
  });
  rounds.add("std::transform, par_unseq", [&] {
    std::transform(std::execution::par_unseq, x.begin(), x.end(), y.begin(), [&](double at) { return horner(c, at); });
  });
  rounds.add("tally, all threads",
             [&] { tally::polynomial_values(tally::cpu{}, c.begin(), c.end(), x.begin(), x.end(), y.begin()); });
  rounds.add("tally, one thread",
             [&] { tally::polynomial_values(tally::cpu{1}, c.begin(), c.end(), x.begin(), x.end(), y.begin()); });
  rounds.run();
}

void all_powers(std::size_t n)
{
  std::vector<double> y(n);
  double const volatile given = 0.9999999;
  double const x = given;
  tally::bench::rounds rounds("all powers", n, n * sizeof(double));
  rounds.add("plain loop", [&] {
    double power = 1;
    for (std::size_t k = 0; k < n; ++k, power *= x) y[k] = power;
  });
  rounds.add("std::exclusive_scan, par_unseq", [&] {
    std::fill(y.begin(), y.end(), x);
    std::exclusive_scan(std::execution::par_unseq, y.begin(), y.end(), y.begin(), 1.0, std::multiplies<>{});
  });
  rounds.add("tally, all threads", [&] { tally::powers(tally::cpu{}, x, n, y.begin()); });
  rounds.add("tally, one thread", [&] { tally::powers(tally::cpu{1}, x, n, y.begin()); });
  rounds.run();
}

}  // namespace

int main()
{
  for (int const bits : {16, 20, 22, 24}) {
    std::size_t const n = std::size_t{1} << bits;
    at_a_point(n);
    at_points(n);
    all_powers(n);
  }
}
