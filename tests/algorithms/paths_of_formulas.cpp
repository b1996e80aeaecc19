// Paths of integrals, polynomials, recurrences, filters and linear sequences.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "paths.hpp"
#include "tally/algorithms/distribution.hpp"
#include "tally/algorithms/integrate.hpp"
#include "tally/algorithms/linear_sequence.hpp"
#include "tally/algorithms/polynomial.hpp"
#include "tally/algorithms/recurrence.hpp"
#include "tally/algorithms/recursive_filter.hpp"

namespace tally::test {

namespace {

/// Small whole numbers at multiples of a half: their sums are exact in every order.
struct whole_at_halves {
  template <class T>
  T operator()(T x) const
  {
    return static_cast<T>(random_bits(31, static_cast<std::uint64_t>(2 * x)) % 64);
  }
};

template <class T>
void integrals(std::size_t n)
{
  whole_at_halves const f;
  T const end = static_cast<T>(n);
  double middles = 0, ends = 0, parabolas = 0;
  std::vector<T> areas(n);
  for (std::size_t k = 0; k < n; ++k) {
    auto const left = f(static_cast<double>(k)), middle = f(static_cast<double>(k) + 0.5),
               right = f(static_cast<double>(k + 1));
    middles += middle;
    ends += (left + right) / 2;
    parabolas += left + 4 * middle + right;
    areas[k] = static_cast<T>(ends);
  }
  on_one_and_three([&](cpu on) {
    ASSERT_EQ(tally::integrate(on, f, T(0), end, n, midpoint{}), static_cast<T>(middles)) << n;
    ASSERT_EQ(tally::integrate(on, f, T(0), end, n, trapezoidal{}), static_cast<T>(ends)) << n;
    ASSERT_EQ(tally::integrate(on, f, T(0), end, n),
              static_cast<T>(static_cast<T>(parabolas) * static_cast<T>(1.0 / 6)))
        << n;
    std::vector<T> own(n + 1, T(-7));
    ASSERT_EQ(tally::cumulative_integral(on, f, T(0), end, n, own.begin()), own.end() - 1);
    ASSERT_EQ(own.back(), T(-7));
    own.pop_back();
    ASSERT_TRUE(own == areas) << n;
    std::vector<distribution_point<T>> table(n + 1, {T(-7), T(-7), T(-7)});
    tally::tabulate_distribution(on, f, T(0), end, n, table.begin());
    ASSERT_EQ(table.back().x, T(-7));
    for (std::size_t k = 0; k < n; ++k) {
      T const x = static_cast<T>(k + 1);
      ASSERT_TRUE(table[k].x == x && table[k].density == f(x) && table[k].cumulative == areas[k]) << n << ", " << k;
    }
  });
}

/// The rules as in textbooks.
void integrals_of_samples(std::size_t n)
{
  std::vector<double> x = random_values<double>(n, 32);
  for (double& each : x) each += 1;
  long double all = 0, ends = 0, rule = 0;
  for (double const each : x) all += each;
  for (std::size_t k = 0; k + 1 < n; ++k) ends += (x[k] + x[k + 1]) / 2.0L;
  if (n == 2) rule = ends;
  if (n > 2) {
    std::size_t k = 0, parabolas = (n - 1) % 2 == 0 ? n - 1 : n - 4;
    for (; k < parabolas; k += 2) rule += (x[k] + 4.0L * x[k + 1] + x[k + 2]) / 3;
    if (k + 1 < n) rule += 3 * (x[k] + 3.0L * x[k + 1] + 3.0L * x[k + 2] + x[k + 3]) / 8;
  }
  if (n == 1) ends = 0;
  on_one_and_three([&](cpu on) {
    auto const near = [&](double own, long double expected) {
      return std::abs(own - 0.25 * static_cast<double>(expected)) <= 1e-13 * (1 + static_cast<double>(n));
    };
    ASSERT_TRUE(near(tally::integrate_samples(on, x.begin(), x.end(), 0.25, midpoint{}), all)) << n;
    ASSERT_TRUE(near(tally::integrate_samples(on, x.begin(), x.end(), 0.25, trapezoidal{}), ends)) << n;
    ASSERT_TRUE(near(tally::integrate_samples(on, x.begin(), x.end(), 0.25), rule)) << n;
  });
}

/// Integers wrap: every bit of every coefficient shows.
void polynomials(std::size_t n)
{
  std::vector<std::uint64_t> const c = random_values<std::uint64_t>(n, 33);
  std::uint64_t const x = 0x9E3779B97F4A7C15u;
  std::uint64_t value = 0;
  for (std::size_t k = n; k > 0; --k) value = value * x + c[k - 1];
  std::vector<std::uint64_t> expected(n);
  for (std::size_t k = 0; k < n; ++k) expected[k] = k == 0 ? 1 : expected[k - 1] * x;
  // Close to 1, so that all coefficients count.
  double const near_one = 1 - 0x1p-10;
  std::vector<double> const d = random_values<double>(n, 34);
  long double sum = 0;
  for (std::size_t k = n; k > 0; --k) sum = sum * near_one + d[k - 1];
  output<std::uint64_t> out(n);
  on_one_and_three([&](cpu on) {
    ASSERT_EQ(tally::polynomial_value(on, c.begin(), c.end(), x), value) << n;
    ASSERT_NEAR(tally::polynomial_value(on, d.begin(), d.end(), near_one), static_cast<double>(sum), 1e-9) << n;
    std::uint64_t* const to = out.poisoned(n, n % 8);
    tally::powers(on, x, n, to);
    ASSERT_TRUE(out.is(expected)) << n;
    std::vector<float> own(n + 1, -7.0f);
    tally::powers(on, 1 + 0x1p-10f, n, own.begin());
    ASSERT_EQ(own.back(), -7.0f);
    for (std::size_t k = 0; k < n; ++k)
      ASSERT_NEAR(static_cast<double>(own[k]) / std::pow(1 + 0x1p-10, static_cast<double>(k)), 1, 1e-5)
          << n << ", " << k;
  });
}

void values_at_points(std::size_t n)
{
  std::vector<std::uint64_t> const points = random_values<std::uint64_t>(n, 35);
  output<std::uint64_t> out(n);
  for (std::size_t const size : {0, 1, 5}) {
    std::vector<std::uint64_t> const c = random_values<std::uint64_t>(size, 36);
    std::vector<std::uint64_t> expected(n);
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t k = size; k > 0; --k) expected[p] = expected[p] * points[p] + c[k - 1];
    on_one_and_three([&](cpu on) {
      std::uint64_t* const to = out.poisoned(n, n % 8);
      tally::polynomial_values(on, c.begin(), c.end(), points.begin(), points.end(), to);
      ASSERT_TRUE(out.is(expected)) << n;
    });
  }
}

void powers_of_numbers()
{
  for (std::size_t n = 0; n < 70; ++n) {
    std::uint32_t whole = 1;
    long double wide = 1;
    for (std::size_t k = 0; k < n; ++k) {
      whole *= 0x9E3779B9u;
      wide *= 1.3L;
    }
    ASSERT_EQ(detail::polynomial::power_of(0x9E3779B9u, n), whole) << n;
    ASSERT_NEAR(detail::polynomial::power_of(1.3, n) / static_cast<double>(wide), 1, 1e-13) << n;
    ASSERT_NEAR(static_cast<double>(detail::polynomial::power_of(1.3f, n)) /
                    std::pow(static_cast<double>(1.3f), static_cast<double>(n)),
                1, 1e-7)
        << n;
  }
  // 1e200^2 overflows, so its pair has no low half.
  ASSERT_EQ(detail::polynomial::power_of(1e200, 2), std::numeric_limits<double>::infinity());
  ASSERT_EQ(detail::polynomial::power_of(1e200, 1), 1e200);
}

/// Integers that wrap, or fractions that die away, against the loop.
template <class T>
void recurrences(std::size_t n)
{
  std::vector<T> a = random_values<T>(n, 37), b = random_values<T>(n, 38);
  using wide = std::conditional_t<std::is_floating_point_v<T>, long double, T>;
  std::vector<T> forward(n), backward(n);
  wide y = T(3);
  for (std::size_t k = 0; k < n; ++k) forward[k] = static_cast<T>(y = static_cast<wide>(a[k] * y + b[k]));
  y = T(5);
  for (std::size_t k = n; k-- > 0;) backward[k] = static_cast<T>(y = static_cast<wide>(a[k] * y + b[k]));
  auto const same = [n](T const* own, std::vector<T> const& expected) {
    for (std::size_t k = 0; k < n; ++k) {
      if constexpr (std::is_floating_point_v<T>) {
        if (!(std::abs(own[k] - expected[k]) <= 64 * std::numeric_limits<T>::epsilon())) return false;
      } else if (own[k] != expected[k]) {
        return false;
      }
    }
    return true;
  };
  output<T> out(n);
  on_one_and_three([&](cpu on) {
    T* to = out.poisoned(n, n % 16);
    tally::linear_recurrence(on, a.begin(), a.end(), b.begin(), to, T(3));
    ASSERT_TRUE(same(to, forward) && out.guards_intact()) << n << " of " << sizeof(T) << " bytes on " << on.threads;
    // In place.
    to = out.poisoned(n, n % 16);
    std::copy(b.begin(), b.end(), to);
    tally::linear_recurrence_backward(on, a.begin(), a.end(), to, to, T(5));
    ASSERT_TRUE(same(to, backward) && out.guards_intact()) << n << " of " << sizeof(T) << " bytes on " << on.threads;
  });
}

/// A state of 128 bytes, whose blocks have sixteen elements.
struct wide_state {
  std::array<std::uint32_t, 32> words;
  wide_state() : wide_state(0) {}
  explicit wide_state(std::uint32_t one) { words.fill(one); }
  friend bool operator==(wide_state const&, wide_state const&) = default;
  friend wide_state operator+(wide_state a, wide_state const& b)
  {
    for (std::size_t w = 0; w < 32; ++w) a.words[w] += b.words[w];
    return a;
  }
  friend wide_state operator*(wide_state a, wide_state const& b)
  {
    for (std::size_t w = 0; w < 32; ++w) a.words[w] *= b.words[w];
    return a;
  }
};

void recurrences_of_wide_states()
{
  for (std::size_t const n : every_size(70)) {
    std::vector<wide_state> a(n), b(n), expected(n), own(n + 1, wide_state(7));
    wide_state y(3);
    for (std::size_t k = 0; k < n; ++k) {
      for (std::uint32_t w = 0; w < 32; ++w) {
        a[k].words[w] = static_cast<std::uint32_t>(random_bits(w, k));
        b[k].words[w] = static_cast<std::uint32_t>(random_bits(w + 99, k));
      }
      expected[k] = y = a[k] * y + b[k];
    }
    on_one_and_three([&](cpu on) {
      tally::linear_recurrence(on, a.begin(), a.end(), b.begin(), own.begin(), wide_state(3));
      ASSERT_TRUE(std::equal(expected.begin(), expected.end(), own.begin()) && own.back() == wide_state(7)) << n;
    });
  }
}

template <class T, std::size_t Order>
void filters(std::size_t n, std::array<T, Order> const& feedback)
{
  std::vector<T> const x = random_values<T>(n, 39);
  std::array<T, Order> before;
  for (std::size_t i = 0; i < Order; ++i) before[i] = T(i + 1);
  std::vector<T> expected(n);
  for (std::size_t k = 0; k < n; ++k) {
    T y = x[k];
    for (std::size_t i = 0; i < Order; ++i)
      y = static_cast<T>(y + feedback[i] * (k > i ? expected[k - 1 - i] : before[i - k]));
    expected[k] = y;
  }
  output<T> out(n);
  on_one_and_three([&](cpu on) {
    T* const to = out.poisoned(n, n % 16);
    if (n % 2 == 1) std::copy(x.begin(), x.end(), to);  // in place
    T const* const in = n % 2 == 1 ? to : x.data();
    tally::recursive_filter(on, feedback, in, in + n, to, before);
    if constexpr (std::is_floating_point_v<T>) {
      for (std::size_t k = 0; k < n; ++k) ASSERT_NEAR(to[k], expected[k], 1e-12) << n << ", " << k;
      ASSERT_TRUE(out.guards_intact());
    } else {
      ASSERT_TRUE(out.is(expected)) << n << " of order " << Order << " on " << on.threads;
    }
  });
}

void linear_sequences(std::size_t n)
{
  std::array<std::uint64_t, 3> const c = {5, 0xFFFFFFFFFFFFFFFFu, 77}, first = {1, 2, 1'000'000'007};
  for (std::uint64_t const modulus : {std::uint64_t{1}, std::uint64_t{1'000'003}, std::uint64_t{1} << 32}) {
    std::vector<std::uint64_t> expected(n);
    for (std::size_t k = 0; k < n; ++k) {
      expected[k] = k < 3 ? first[k] % modulus : 0;
      if (k >= 3)
        for (std::size_t i = 0; i < 3; ++i)
          expected[k] = (expected[k] + c[i] % modulus * expected[k - 1 - i]) % modulus;
    }
    output<std::uint64_t> out(n);
    on_one_and_three([&](cpu on) {
      std::uint64_t* const to = out.poisoned(n);
      tally::linear_sequence_modulo(on, c, first, modulus, n, to);
      ASSERT_TRUE(out.is(expected)) << n << " modulo " << modulus;
    });
  }
}

}  // namespace

TEST(paths_of_applications, formulas)
{
  for (std::size_t const n : every_size(70, {256, 512, 1024, 2048, 3072}, 5)) {
    if (n == 0) continue;
    integrals<double>(n);
    integrals<float>(n);
  }
  for (std::size_t const n : every_size(70, {512, 1024}, 5)) integrals_of_samples(n);
  for (std::size_t const n : every_size(70, {512, 1024, 2048, 3072}, 17)) polynomials(n);
  for (std::size_t const n : every_size(70, {512, 1024}, 17)) values_at_points(n);
  powers_of_numbers();
}

TEST(paths_of_applications, recurrences)
{
  for (std::size_t const n : every_size(40, {256, 512, 1024, 1536, 2048}, 5)) {
    recurrences<std::uint32_t>(n);
    recurrences<std::uint64_t>(n);
    recurrences<double>(n);
    recurrences<float>(n);
  }
  // Tiles of some blocks each.
  for (std::size_t const n : every_size(0, {8192, 16'384}, 3)) recurrences<double>(n);
  recurrences_of_wide_states();
  for (std::size_t const n : every_size(20, {320, 1280, 2560, 3840}, 5)) {
    filters<std::uint32_t, 1>(n, {0x9E3779B9u});
    filters<std::uint32_t, 2>(n, {0x9E3779B9u, 0x85EBCA6Bu});
    filters<std::uint64_t, 3>(n, {3, 0x9E3779B97F4A7C15u, 5});
    filters<double, 2>(n, {1.2, -0.5});
  }
  for (std::size_t const n : every_size(30, {4096, 8192, 12'288}, 3)) linear_sequences(n);
}

}  // namespace tally::test
