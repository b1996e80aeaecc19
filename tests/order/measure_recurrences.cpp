#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "../support/generator.hpp"
#include "tally/algorithms/recurrence.hpp"

/// Measures the figures of docs/accuracy.md about recurrences: the largest errors of y[k] = a[k]*y[k-1] + b[k], by
/// Tally and by the plain loop, against numbers of 113 bits, whose own errors are less than a millionth of these.
/// Prints rows of a Markdown table.
///
///     measure_recurrences [LARGEST]      of 2^12, 2^20, 2^24, ... 2^LARGEST steps (24)
namespace {

__extension__ typedef __float128 exact;

double fraction(std::uint64_t seed, std::size_t k)
{
  return static_cast<double>(tally::test::random_bits(seed, k) >> 11) * 0x1p-53;
}

/// The coefficients of n steps.
struct kind {
  char const* name;
  double (*coefficient)(std::size_t k, double n);
};
constexpr kind kinds[] = {
    {"decaying, 0 to 1", [](std::size_t k, double) { return fraction(1, k); }},
    {"decaying slowly, 0.998 to 1", [](std::size_t k, double) { return 1 - fraction(1, k) / 512; }},
    {"neutral, 1 or -1", [](std::size_t k, double) { return fraction(1, k) < 0.5 ? 1.0 : -1.0; }},
    {"growing, by e^40 in all", [](std::size_t k, double n) { return 1 + 80 / n * fraction(1, k); }},
};

struct errors {
  double tally = 0, loop = 0;
};

template <class T>
errors measure(kind const& of, std::size_t n)
{
  std::vector<T> a(n), b(n), y(n);
  for (std::size_t k = 0; k < n; ++k) {
    a[k] = static_cast<T>(of.coefficient(k, static_cast<double>(n)));
    b[k] = static_cast<T>(2 * fraction(2, k) - 1);
  }
  tally::linear_recurrence(tally::cpu{}, a.begin(), a.end(), b.begin(), y.begin(), T(0));
  errors worst;
  exact state = 0, magnitude = 0;
  T loop = 0;
  auto const take = [&](double& largest, T value) {
    exact const error = static_cast<exact>(value) - state;
    exact const size = magnitude * static_cast<exact>(std::numeric_limits<T>::epsilon() / 2);
    largest = std::max(largest, static_cast<double>((error < 0 ? -error : error) / size));
  };
  for (std::size_t k = 0; k < n; ++k) {
    exact const factor = static_cast<exact>(a[k]), term = static_cast<exact>(b[k]);
    state = factor * state + term;
    magnitude = (factor < 0 ? -factor : factor) * magnitude + (term < 0 ? -term : term);
    T const product = a[k] * loop;
    loop = product + b[k];
    take(worst.tally, y[k]);
    take(worst.loop, loop);
  }
  return worst;
}

template <class T>
void rows(char const* type, int largest)
{
  for (kind const& each : kinds) {
    for (int exponent = 12; exponent <= largest; exponent += exponent == 12 ? 8 : 4) {
      errors const worst = measure<T>(each, std::size_t{1} << exponent);
      std::printf("| %s | %s | 2^%d | %.3g | %.3g |\n", type, each.name, exponent, worst.tally, worst.loop);
      std::fflush(stdout);
    }
  }
}

}  // namespace

int main(int count, char** arguments)
{
  int const largest = count > 1 ? std::atoi(arguments[1]) : 24;
  rows<float>("float", largest);
  rows<double>("double", largest);
}
