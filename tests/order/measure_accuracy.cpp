#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "../support/generator.hpp"
#include "tally/reduce.hpp"
#include "tally/scan.hpp"

/// Measures the figures of docs/accuracy.md: the largest errors of sums and cumulative sums whose exact values are
/// known. Prints rows of a Markdown table.
///
///     measure_accuracy [LARGEST]      the worst of 16 inputs of 2^20, and 2^20, 2^24, ... 2^LARGEST (28: 4 GiB)
///
/// Elements are multiples of 2^-fraction, so exact sums are integers: 64 bits hold those of floats up to n = 2^39, 128
/// bits those of doubles.
namespace {

using tally::test::random_bits;

__extension__ typedef __int128 int128;

/// The properties of a type for the measurement: its fraction, and an integer that holds exact sums.
template <class T>
struct measured;
template <>
struct measured<float> {
  static constexpr char const* name = "float";
  static constexpr int fraction = 24;
  using exact = std::int64_t;
};
template <>
struct measured<double> {
  static constexpr char const* name = "double";
  static constexpr int fraction = 53;
  using exact = int128;
};

/// Uniform in (0, 1].
struct uniform {
  static constexpr char const* name = "uniform (0, 1]";
  static constexpr bool one_sign = true;
  static std::int64_t numerator(std::uint64_t seed, std::uint64_t k, int fraction)
  {
    return static_cast<std::int64_t>(random_bits(seed, k) >> (64 - fraction)) + 1;
  }
};

/// Uniform in [-1, 1]. Sums stay near zero, so only the error relative to the sum of magnitudes is meaningful.
struct signed_uniform {
  static constexpr char const* name = "uniform [-1, 1]";
  static constexpr bool one_sign = false;
  static std::int64_t numerator(std::uint64_t seed, std::uint64_t k, int fraction)
  {
    std::int64_t const magnitude = uniform::numerator(seed, k, fraction);
    return random_bits(~seed, k) & 1 ? -magnitude : magnitude;
  }
};

/// |value - sum * 2^-fraction| for the exact integer sum, without rounding that matters.
template <class T>
long double difference(T value, typename measured<T>::exact sum)
{
  using exact = typename measured<T>::exact;
  // value * 2^fraction is an integer if value is at least about 2^-1; the error of a smaller value is negligible.
  long double const scaled = std::ldexp(static_cast<long double>(value), measured<T>::fraction);
  auto const whole = static_cast<exact>(scaled);
  return std::ldexp(std::fabs(static_cast<long double>(whole - sum) + (scaled - static_cast<long double>(whole))),
                    -measured<T>::fraction);
}

struct errors {
  long double ulps = 0;      ///< units in the last place of the exact value
  long double relative = 0;  ///< of the sum of magnitudes, in units of 2^-fraction
};

template <class T>
void take(errors& worst, T value, typename measured<T>::exact sum, typename measured<T>::exact magnitudes)
{
  constexpr int fraction = measured<T>::fraction;
  long double const error = difference(value, sum);
  long double const size = std::ldexp(std::fabs(static_cast<long double>(sum)), -fraction);
  if (size > 0) worst.ulps = std::max(worst.ulps, error / std::ldexp(1.0L, std::ilogb(size) + 1 - fraction));
  worst.relative = std::max(worst.relative, error / std::ldexp(static_cast<long double>(magnitudes), -2 * fraction));
}

/// The errors of Tally's scan, its reduction and a loop on the same input.
struct comparison {
  errors scan, reduction, loop;
};

template <class T, class Inputs>
void measure(std::size_t n, std::uint64_t seed, comparison& worst)
{
  using exact = typename measured<T>::exact;
  constexpr int fraction = measured<T>::fraction;
  std::vector<T> x(n);
  for (std::size_t k = 0; k < n; ++k)
    x[k] = std::ldexp(static_cast<T>(Inputs::numerator(seed, k, fraction)), -fraction);
  std::vector<T> sums(n);
  tally::inclusive_scan(x, sums);
  exact sum = 0;
  exact magnitudes = 0;
  T looped = 0;
  for (std::size_t k = 0; k < n; ++k) {
    std::int64_t const numerator = Inputs::numerator(seed, k, fraction);
    sum += numerator;
    magnitudes += std::abs(numerator);
    looped += x[k];
    take(worst.scan, sums[k], sum, magnitudes);
    take(worst.loop, looped, sum, magnitudes);
  }
  take(worst.reduction, tally::reduce(x), sum, magnitudes);
}

template <class T, class Inputs>
void print(char const* size, comparison const& c)
{
  std::printf("| %s | %s | %s | %.2Lf | %.2Lf | %.3Lg | ", measured<T>::name, Inputs::name, size, c.scan.relative,
              c.reduction.relative, c.loop.relative);
  if (Inputs::one_sign)
    std::printf("%.2Lf | %.2Lf | %.3Lg |\n", c.scan.ulps, c.reduction.ulps, c.loop.ulps);
  else
    std::printf("| | |\n");
  std::fflush(stdout);
}

template <class T, class Inputs>
void measure_sizes(int largest)
{
  comparison many;
  for (std::uint64_t seed = 100; seed < 116; ++seed)
    measure<T, Inputs>(std::size_t{1} << std::min(largest, 20), seed, many);
  print<T, Inputs>("16 times 2^20", many);
  for (int log2 = std::min(largest, 20); log2 <= largest; log2 += 4) {
    comparison one;
    measure<T, Inputs>(std::size_t{1} << log2, 7, one);
    print<T, Inputs>(("2^" + std::to_string(log2)).c_str(), one);
  }
}

}  // namespace

int main(int argc, char** argv)
{
  int const largest = argc > 1 ? std::atoi(argv[1]) : 28;
  if (argc > 2 || largest < 1 || largest > 34) {
    std::fprintf(stderr, "usage: measure_accuracy [LARGEST], the logarithm of the largest size, 1 to 34\n");
    return 2;
  }
  std::printf("| type | elements | n | scan, u | sum, u | loop, u | scan, ulp | sum, ulp | loop, ulp |\n"
              "|---|---|---|---:|---:|---:|---:|---:|---:|\n");
  measure_sizes<float, uniform>(largest);
  measure_sizes<float, signed_uniform>(largest);
  measure_sizes<double, uniform>(largest);
}
