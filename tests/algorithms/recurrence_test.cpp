// First-order linear recurrences: against the plain loop, and in bits against the order's reference.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "../contract/cpu_backend.hpp"
#include "../support/generator.hpp"
#include "../support/guarded.hpp"
#include "../support/sizes.hpp"
#include "../support/tuning.hpp"
#include "../support/visits.hpp"
#include "gradient_suite.hpp"
#include "recurrence_suite.hpp"
#include "tally/algorithms/recurrence.hpp"

namespace {

[[maybe_unused]] auto* const counted = testing::AddGlobalTestEnvironment(
    new tally::test::visits({"src/cpu/recurrence", "include/tally/detail/batch/host_recurrences.hpp"}));

using tally::test::random_bits;

/// Sizes around fours, blocks (256 doubles, 512 floats), tiles (32 blocks), and the size from which threads share.
std::vector<std::size_t> const sizes =
    tally::test::tidy({0,   1,   2,    3,    4,    5,    7,    8,    255,   256,   257,    259,   511,
                       512, 513, 1023, 1025, 8191, 8192, 8193, 8448, 16385, 65537, 131071, 262147});

template <class T>
std::vector<T> loop(std::vector<T> const& a, std::vector<T> const& b, T y)
{
  std::vector<T> all(a.size());
  for (std::size_t k = 0; k < a.size(); ++k) all[k] = y = static_cast<T>(a[k] * y + b[k]);
  return all;
}
template <class T>
std::vector<T> loop_backward(std::vector<T> const& a, std::vector<T> const& b, T y)
{
  std::vector<T> all(a.size());
  for (std::size_t k = a.size(); k-- > 0;) all[k] = y = static_cast<T>(a[k] * y + b[k]);
  return all;
}

std::vector<std::uint64_t> integers(std::size_t n, std::uint64_t seed)
{
  std::vector<std::uint64_t> all(n);
  for (std::size_t k = 0; k < n; ++k) all[k] = random_bits(seed, k);
  return all;
}
/// In (-scale, scale).
template <class T>
std::vector<T> fractions(std::size_t n, std::uint64_t seed, double scale)
{
  std::vector<T> all(n);
  for (std::size_t k = 0; k < n; ++k)
    all[k] = static_cast<T>(scale * (static_cast<double>(random_bits(seed, k) >> 11) * 0x1p-52 - 1));
  return all;
}

TEST(linear_recurrence, of_integers_is_the_loop_in_bits)
{
  for (std::size_t const n : sizes) {
    auto const a = integers(n, 1), b = integers(n, 2);
    auto const expected = loop<std::uint64_t>(a, b, 12345), backward = loop_backward<std::uint64_t>(a, b, 777);
    for (int const threads : {1, 2, 5}) {
      tally::test::guarded<std::uint64_t> y(n);
      EXPECT_EQ(tally::linear_recurrence(tally::cpu{threads}, a.data(), a.data() + n, b.data(), y.data(),
                                         std::uint64_t{12345}),
                y.data() + n);
      EXPECT_EQ(std::vector(y.begin(), y.end()), expected) << n << " on " << threads;
      EXPECT_TRUE(y.guards_intact());

      tally::test::guarded<std::uint64_t> z(n);
      tally::linear_recurrence_backward(tally::cpu{threads}, a.data(), a.data() + n, b.data(), z.data(),
                                        std::uint64_t{777});
      EXPECT_EQ(std::vector(z.begin(), z.end()), backward) << n << " on " << threads;
      EXPECT_TRUE(z.guards_intact());
    }
  }
}

template <class T>
void expect_no_more_wrong_than_the_loop()
{
  for (std::size_t const n : sizes) {
    auto const a = fractions<T>(n, 3, 1), b = fractions<T>(n, 4, 2);
    std::vector<long double> const wide_a(a.begin(), a.end()), wide_b(b.begin(), b.end());
    auto const exact = loop<long double>(wide_a, wide_b, 1.5L);
    std::vector<T> one(n, T(-1)), several(n, T(-2));
    tally::linear_recurrence(tally::cpu{1}, a.begin(), a.end(), b.begin(), one.begin(), T(1.5));
    tally::linear_recurrence(tally::cpu{3}, a.begin(), a.end(), b.begin(), several.begin(), T(1.5));
    EXPECT_EQ(one, several) << n;
    for (std::size_t k = 0; k < n; ++k)
      ASSERT_NEAR(static_cast<double>(one[k]), static_cast<double>(exact[k]),
                  16 * static_cast<double>(std::numeric_limits<T>::epsilon()))
          << k << " of " << n;
  }
}
TEST(linear_recurrence, of_floats_has_the_loops_error_and_the_same_bits_on_every_number_of_threads)
{
  expect_no_more_wrong_than_the_loop<double>();
  expect_no_more_wrong_than_the_loop<float>();
}

/// Equal to the loop up to rounding, with infinities and NaNs at the same places.
template <class T>
void expect_near(std::vector<T> const& y, std::vector<T> const& expected, std::string const& what)
{
  ASSERT_EQ(y.size(), expected.size());
  for (std::size_t k = 0; k < y.size(); ++k) {
    if (std::isfinite(expected[k]))
      ASSERT_NEAR(y[k], expected[k], 1e-6 + 1e-4 * std::abs(expected[k])) << what << ", " << k << " of " << y.size();
    else
      ASSERT_TRUE(y[k] == expected[k] || (std::isnan(y[k]) && std::isnan(expected[k])))
          << y[k] << ", not " << expected[k] << ", " << what << ", " << k << " of " << y.size();
  }
}

template <class T>
void expect_the_loop(std::vector<T> const& a, std::vector<T> const& b, T before)
{
  auto const expected = loop<T>(a, b, before);
  std::vector<T> const mirrored(a.rbegin(), a.rend()), backward(expected.rbegin(), expected.rend());
  for (int const threads : {1, 3}) {
    tally::cpu const on{threads};
    std::vector<T> y(a.size()), over_a = a, over_b(b.rbegin(), b.rend());
    tally::linear_recurrence(on, a.begin(), a.end(), b.begin(), y.begin(), before);
    expect_near(y, expected, "from " + std::to_string(before));
    tally::linear_recurrence(on, over_a.begin(), over_a.end(), b.begin(), over_a.begin(), before);
    expect_near(over_a, expected, "over a");
    tally::linear_recurrence_backward(on, mirrored.begin(), mirrored.end(), over_b.begin(), over_b.begin(), before);
    expect_near(over_b, backward, "backward");
  }
}

template <class T>
void expect_infinite_growth()
{
  for (std::size_t const n : {3u, 300u, 1100u, 3000u, 100'001u}) {
    std::vector<T> const twos(n, 2), minus_twos(n, -2), ones(n, 1);
    for (T const before : {T(0), T(1), T(-0.625), T(-5)}) expect_the_loop(twos, ones, before);
    expect_the_loop(minus_twos, ones, T(1));
    auto stops = twos;
    stops.back() = 0;  // times infinity
    expect_the_loop(stops, ones, T(0));
  }
}
TEST(linear_recurrence, that_grows_to_infinity_is_infinite)
{
  expect_infinite_growth<double>();
  expect_infinite_growth<float>();
}

/// Products of successive a overflow; states do not.
TEST(linear_recurrence, stays_finite_where_the_loop_does)
{
  for (std::size_t const up : {1u, 2u, 3u, 4u, 250u, 600u, 5000u}) {
    for (std::size_t const offset : {0u, 1u, 2u, 3u, 254u}) {
      std::size_t const n = offset + 2 * up + 100;
      std::vector<double> a(n, 1), zeros(n, 0);
      for (std::size_t k = 0; k < 2 * up; ++k)
        a[offset + k] = std::pow(10, (k < up ? 600.0 : -600.0) / static_cast<double>(up));
      if (up == 1) a[offset] = 1e300, a[offset + 1] = 1e-300;
      expect_the_loop(a, zeros, 1e-300);
    }
  }
}

TEST(linear_recurrence, may_write_over_its_coefficients)
{
  for (std::size_t const n : {1u, 255u, 257u, 100'003u}) {
    auto const a = integers(n, 5), b = integers(n, 6);
    auto const expected = loop<std::uint64_t>(a, b, 9), backward = loop_backward<std::uint64_t>(a, b, 9);
    for (int const threads : {1, 4}) {
      auto over_a = a, over_b = b, over_b_backward = b;
      tally::linear_recurrence(tally::cpu{threads}, over_a.begin(), over_a.end(), b.begin(), over_a.begin(),
                               std::uint64_t{9});
      tally::linear_recurrence(tally::cpu{threads}, a.begin(), a.end(), over_b.begin(), over_b.begin(),
                               std::uint64_t{9});
      tally::linear_recurrence_backward(tally::cpu{threads}, a.begin(), a.end(), over_b_backward.begin(),
                                        over_b_backward.begin(), std::uint64_t{9});
      EXPECT_EQ(over_a, expected) << n;
      EXPECT_EQ(over_b, expected) << n;
      EXPECT_EQ(over_b_backward, backward) << n;
    }
  }
}

/// Matrices do not commute: a wrong order of operands shows.
using tally::test::recurrences::matrix;

TEST(linear_recurrence, keeps_the_order_of_factors)
{
  std::size_t const n = 5000;
  std::vector<matrix> a(n), b(n);
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < 4; ++i) {
      a[k].of[i] = static_cast<std::uint32_t>(random_bits(7, 4 * k + i));
      b[k].of[i] = static_cast<std::uint32_t>(random_bits(8, 4 * k + i));
    }
  auto const expected = loop(a, b, matrix(3)), backward = loop_backward(a, b, matrix(3));
  std::vector<matrix> y(n);
  tally::linear_recurrence(tally::cpu{3}, a.begin(), a.end(), b.begin(), y.begin(), matrix(3));
  EXPECT_EQ(y, expected);
  tally::linear_recurrence_backward(a.begin(), a.end(), b.begin(), y.begin(), matrix(3));
  EXPECT_EQ(y, backward);
}

struct half_each {
  double operator()(std::size_t) const { return 0.5; }
};
struct powers_of_minus_one {
  double operator()(std::size_t k) const { return k % 2 == 0 ? 1 : -1; }
};

TEST(linear_recurrence, takes_coefficients_that_are_functions)
{
  std::size_t const n = 1000;
  auto const a = tally::elements_from(half_each{});
  std::vector<double> y(n);
  tally::linear_recurrence(a, a + static_cast<std::ptrdiff_t>(n), tally::elements_from(powers_of_minus_one{}),
                           y.begin(), 0.0);
  double expected = 0;
  for (std::size_t k = 0; k < n; ++k) {
    expected = 0.5 * expected + (k % 2 == 0 ? 1 : -1);
    ASSERT_NEAR(y[k], expected, 1e-15) << k;
  }
}

TEST(linear_recurrence, of_ones_is_a_running_sum_and_zeros_begin_anew)
{
  std::size_t const n = 70'001;
  std::vector<double> const ones(n, 1), zeros(n, 0);
  std::vector<double> y(n);
  tally::linear_recurrence(tally::cpu{2}, ones.begin(), ones.end(), ones.begin(), y.begin(), 0.0);
  for (std::size_t k = 0; k < n; ++k) ASSERT_EQ(y[k], static_cast<double>(k + 1));
  tally::linear_recurrence(tally::cpu{2}, zeros.begin(), zeros.end(), ones.begin(), y.begin(), 1e300);
  for (std::size_t k = 0; k < n; ++k) ASSERT_EQ(y[k], 1.0);
}

/// The last state is all that the rest of a recurrence depends on.
TEST(linear_recurrence, continues_from_its_last_state)
{
  std::size_t const n = 10'000, cut = 3333;
  auto const a = integers(n, 9), b = integers(n, 10);
  std::vector<std::uint64_t> whole(n), parts(n);
  tally::linear_recurrence(a.begin(), a.end(), b.begin(), whole.begin(), std::uint64_t{1});
  tally::linear_recurrence(a.begin(), a.begin() + cut, b.begin(), parts.begin(), std::uint64_t{1});
  tally::linear_recurrence(a.begin() + cut, a.end(), b.begin() + cut, parts.begin() + cut, parts[cut - 1]);
  EXPECT_EQ(parts, whole);
}

TEST(linear_recurrence, says_what_is_wrong_with_threads)
{
  std::vector<double> a(3), y(3);
  EXPECT_THROW(tally::linear_recurrence(tally::cpu{-1}, a.begin(), a.end(), a.begin(), y.begin(), 0.0),
               tally::usage_error);
}

using tally::along;
using tally::each;
using tally::segments;
using tally::test::ways;
namespace suite = tally::test::recurrences;
using on_cpu = tally::test::cpu_backend;

/// Around the units of the order of maps.
template <class T>
std::vector<std::size_t> units()
{
  constexpr std::size_t group = suite::group_steps<T>, row = tally::order::row<tally::affine<T>>,
                        tile = tally::order::tile<tally::affine<T>>;
  return tally::test::some_of(
      tally::test::tidy({0, 1, 2, group + 1, row - 1, row, row + 1, 16 * group, 16 * group + 1, 8 * row + 1, tile - 1,
                         tile, tile + 1, 2 * tile + row + 3, (tile > 4096 ? 3 : 33) * tile + 5}));
}
std::vector<std::vector<std::size_t>> batches_of_segments()
{
  std::vector<std::size_t> many;
  for (std::size_t k = 0; k < 300; ++k) many.push_back(k * 7 % 93);
  return {{}, {0}, {1}, {0, 1, 5, 64, 65, 0, 4097, 100, 2, 0}, many, {40'000, 3, 0, 20'001}};
}
template <class T>
void everything(std::size_t tries)
{
  suite::ranges<on_cpu, T>(ways::few_threads, units<T>());
  suite::anywhere_along<on_cpu, T>(tries, ways::few_threads);
  suite::segments_of_many_lengths<on_cpu, T>(ways::few_threads, batches_of_segments());
}
TEST(linear_recurrence_in_bits, of_floats)
{
  everything<float>(200);
}
template <class T>
void everything_on_every_instruction_set()
{
  for (bool const around_cache : {false, true}) {
    tally::test::tuned const changed([&](tally::cpu_backend::tuning& all) {
      if (!around_cache) return;
      all.streamed_bytes = all.streamed_recurrence_bytes = 0;
      all.few_recurrence_groups = 1;
      all.recurrences_at_once = 2;
    });
    suite::ranges<on_cpu, T>(ways::instruction_sets, units<T>());
    suite::anywhere_along<on_cpu, T>(200, ways::instruction_sets);
    suite::segments_of_many_lengths<on_cpu, T>(ways::instruction_sets, batches_of_segments());
  }
}
TEST(linear_recurrence_in_bits, of_floats_on_every_instruction_set)
{
  everything_on_every_instruction_set<float>();
}
TEST(linear_recurrence_in_bits, of_doubles_on_every_instruction_set)
{
  everything_on_every_instruction_set<double>();
}
/// Many rows and columns, which fill vectors and blocks of columns.
template <class T>
void many_side_by_side()
{
  for (std::size_t const n : tally::test::some_of({1, 2, 3, 4, 5, 7, 31, 32, 33, 64, 65, 130, 400})) {
    for (std::size_t const count : {15u, 64u, 300u}) {
      for (suite::kind const what :
           {suite::kind::ordinary, suite::kind::growth, suite::kind::pulled_back, suite::kind::steady}) {
        std::vector<T> a, b;
        for (std::size_t k = 0; k < n * count; ++k) {
          a.push_back(suite::coefficient<T>(what, k % n, k / n));
          b.push_back(suite::term<T>(what, k % n, k / n + 1));
        }
        std::vector<T> expected;
        for (std::size_t r = 0; r < count; ++r) {
          auto const at = static_cast<std::ptrdiff_t>(r * n), end = static_cast<std::ptrdiff_t>((r + 1) * n);
          auto const y = suite::states<T>({a.begin() + at, a.begin() + end}, {b.begin() + at, b.begin() + end}, T(1));
          expected.insert(expected.end(), y.begin(), y.end());
        }
        auto const turned = [&](std::vector<T> const& rows) {
          std::vector<T> all(rows.size());
          for (std::size_t k = 0; k < rows.size(); ++k) all[k % n * count + k / n] = rows[k];
          return all;
        };
        std::vector<T> const columns_a = turned(a), columns_b = turned(b), expected_columns = turned(expected);
        on_cpu::for_each_way(ways::instruction_sets, [&](auto const& on, std::string const& way) {
          tally::test::guarded<T> y(n * count), over = tally::test::guarded<T>(b, 4);
          std::vector<T> lasts(count);
          auto const rows = [&](auto* of) { return along(1, tally::array_view(of, {count, n})); };
          tally::linear_recurrence(on, rows(a.data()), rows(b.data()), rows(y.begin()), T(1), tally::last_to(lasts));
          EXPECT_TRUE(tally::test::same_bits<T>(y.values(), expected)) << way << ": " << count << " rows of " << n;
          for (std::size_t r = 0; r < count; ++r)
            ASSERT_TRUE(tally::test::same_bits<T>({lasts[r]}, {expected[(r + 1) * n - 1]})) << way << ", " << r;
          tally::linear_recurrence(on, rows(a.data()), rows(over.begin()), rows(over.begin()), T(1));
          EXPECT_TRUE(tally::test::same_bits<T>(over.values(), expected)) << way << ": over " << count << " of " << n;
          EXPECT_TRUE(y.guards_intact() && over.guards_intact()) << way;
          auto const columns = [&](auto* of) { return along(0, tally::array_view(of, {n, count})); };
          tally::linear_recurrence(on, columns(columns_a.data()), columns(columns_b.data()), columns(y.begin()), T(1));
          EXPECT_TRUE(tally::test::same_bits<T>(y.values(), expected_columns)) << way << ": " << n << " x " << count;
        });
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}
TEST(linear_recurrence_in_bits, of_many_rows_and_columns)
{
  for (bool const around_cache : {false, true}) {
    tally::test::tuned const changed([&](tally::cpu_backend::tuning& all) {
      if (around_cache) all.streamed_bytes = 0;
    });
    many_side_by_side<float>();
    many_side_by_side<double>();
  }
}

/// Few of them are shared by threads in turns.
template <class T>
void few_long_columns()
{
  tally::test::tuned const changed([](tally::cpu_backend::tuning& all) {
    all.serial_bytes = all.bytes_a_thread = 0;
    all.processors = 4;
  });
  std::size_t const n = 3 * tally::order::tile<tally::affine<T>> + 100, width = 5;
  auto const drawn = [&](std::uint64_t seed, double scale) {
    std::vector<float> const wide = fractions<float>(n * width, seed, scale);
    std::vector<T> all(wide.size());
    std::transform(wide.begin(), wide.end(), all.begin(), [](float x) { return static_cast<T>(x); });
    return all;
  };
  std::vector<T> const a = drawn(31, 1.001), b = drawn(32, 1);
  std::vector<T> y(n * width), alone(n * width);
  auto const view = [&](std::vector<T> const& v) {
    return tally::along(0, tally::array_view<T const>(v.data(), {n, width}));
  };
  auto const results = [&](std::vector<T>& v) { return tally::along(0, tally::array_view<T>(v.data(), {n, width})); };
  tally::linear_recurrence(tally::cpu{1}, view(a), view(b), results(alone), T(0.5f));
  for (int threads : {2, 3, 4}) {
    tally::linear_recurrence(tally::cpu{threads}, view(a), view(b), results(y), T(0.5f));
    EXPECT_TRUE(tally::test::same_bits<T>(y, alone)) << threads << " threads";
  }
}
TEST(linear_recurrence_in_bits, of_few_long_columns)
{
  few_long_columns<float>();
  few_long_columns<double>();
  few_long_columns<tally::half>();
}
TEST(linear_recurrence_in_bits, of_halves)
{
  everything<tally::half>(60);
}
TEST(linear_recurrence_in_bits, of_integers)
{
  everything<std::uint32_t>(60);
}
TEST(linear_recurrence_in_bits, of_matrices)
{
  everything<matrix>(60);
}

TEST(linear_recurrence_in_bits, of_complex_numbers)
{
  using complex = std::complex<double>;
  suite::ranges<on_cpu, complex>(ways::few_threads, units<complex>());
  // Growth: one of the parts is infinite first, and from there on the loop's.
  for (std::size_t const n : {1500u, 20'000u}) {
    std::vector<complex> a(n, complex(1.5, 0.5)), b(n, complex(1, -1)), y(n);
    std::vector<complex> expected(n);
    complex state(0.25, 0);
    for (complex& each : expected) {
      each = state = complex(1.5 * state.real() - 0.5 * state.imag() + 1, 1.5 * state.imag() + 0.5 * state.real() - 1);
    }
    for (int const threads : {1, 3}) {
      auto const compare = [&] {
        for (std::size_t k = 0; k < n; ++k) {
          bool const finite = std::isfinite(expected[k].real()) && std::isfinite(expected[k].imag());
          ASSERT_EQ(finite, std::isfinite(y[k].real()) && std::isfinite(y[k].imag())) << k;
          if (finite) {
            ASSERT_LE(std::abs(y[k] / 2.0 - expected[k] / 2.0), 1e-10 * std::abs(expected[k] / 2.0)) << k;
          }
        }
      };
      tally::linear_recurrence(tally::cpu{threads}, a.begin(), a.end(), b.begin(), y.begin(), complex(0.25, 0));
      compare();
      y = b;
      tally::linear_recurrence(tally::cpu{threads}, a.begin(), a.end(), y.begin(), y.begin(), complex(0.25, 0));
      compare();
    }
  }
}

/// The state's type is that of the initial state, or the one that the call names; results are converted once.
TEST(linear_recurrence_in_bits, with_states_of_another_type)
{
  std::size_t const n = 10'001;
  std::vector<float> const a = fractions<float>(n, 11, 1), b = fractions<float>(n, 12, 2);
  auto const expected = suite::states<double, float>({a.begin(), a.end()}, {b.begin(), b.end()}, 0.25);
  auto const of_floats = suite::states<float>(a, b, 0);
  for (int const threads : {1, 3}) {
    tally::cpu const on{threads};
    std::vector<float> y(n), named(n), own(n), over = a;
    tally::linear_recurrence(on, a.begin(), a.end(), b.begin(), y.begin(), 0.25);
    tally::linear_recurrence<double>(on, along(0, a), along(0, b), along(0, named), 0.25f);
    tally::linear_recurrence(on, along(0, a), along(0, b), along(0, own));
    tally::linear_recurrence(on, along(0, over), along(0, b), along(0, over), 0.25);
    EXPECT_EQ(y, expected);
    EXPECT_EQ(named, expected);
    EXPECT_EQ(over, expected);
    EXPECT_EQ(own, of_floats);
  }
}

template <class T>
struct given {
  T const* values;
  T operator()(std::size_t k) const { return values[k]; }
};
template <class T>
struct taken {
  T* values;
  void operator()(std::size_t k, T const& y) const { values[k] = y; }
};
/// Outputs that cannot be read back go on from the state itself.
TEST(linear_recurrence_in_bits, to_a_function)
{
  for (suite::kind const what :
       {suite::kind::ordinary, suite::kind::growth, suite::kind::pulled_back, suite::kind::steady}) {
    std::size_t const n = 50'001;
    std::vector<double> a, b, y(n);
    for (std::size_t k = 0; k < n; ++k) a.push_back(suite::coefficient<double>(what, k, 1));
    for (std::size_t k = 0; k < n; ++k) b.push_back(suite::term<double>(what, k, 2));
    auto const expected = suite::states<double>(a, b, 0.5);
    auto const in = tally::elements_from(given<double>{a.data()});
    for (int const threads : {1, 3}) {
      std::fill(y.begin(), y.end(), -1.0);
      tally::linear_recurrence(tally::cpu{threads}, in, in + static_cast<std::ptrdiff_t>(n),
                               tally::elements_from(given<double>{b.data()}),
                               tally::results_to(taken<double>{y.data()}), 0.5);
      EXPECT_TRUE(tally::test::same_bits<double>(y, expected)) << threads << " threads";
    }
  }
}

TEST(linear_recurrence_gradient, has_the_bits_of_the_recurrence_backward_in_time)
{
  suite::gradients<on_cpu, float>(ways::few_threads);
  suite::gradients<on_cpu, double>(ways::few_threads);
}
TEST(linear_recurrence_gradient, has_these_bits_wherever_its_arrays_lie)
{
  for (bool const shared : {false, true}) {
    tally::test::tuned const changed([&](tally::cpu_backend::tuning& all) {
      if (!shared) return;
      all.streamed_bytes = all.streamed_recurrence_bytes = all.serial_bytes = 0;
      all.bytes_a_thread = 1;
      all.recurrences_at_once = 2;
    });
    suite::gradients_anywhere<on_cpu, float>(300, ways::instruction_sets);
    suite::gradients_anywhere<on_cpu, double>(300, ways::few_threads);
    suite::gradients_anywhere<on_cpu, tally::half>(100, ways::few_threads);
    suite::gradients_anywhere<on_cpu, tally::bfloat16>(100, ways::instruction_sets);
  }
}

/// The sum of weighted states in long double, where a difference of 1e-6 shows eight digits of its derivative.
TEST(linear_recurrence_gradient, is_the_quotient_of_differences)
{
  std::size_t const n = 40;
  std::vector<double> const a = fractions<double>(n, 21, 1.1), b = fractions<double>(n, 22, 1),
                            g = fractions<double>(n, 23, 1);
  std::vector<double> y(n), da(n), db(n), of_before(1);
  tally::linear_recurrence(a.begin(), a.end(), b.begin(), y.begin(), 0.75);
  tally::linear_recurrence_gradient(along(0, a), along(0, y), along(0, g), along(0, da), along(0, db), 0.75,
                                    tally::last_to(of_before));
  auto const weighted = [&](std::vector<long double> const& own_a, std::vector<long double> const& own_b,
                            long double before) {
    auto const own = loop<long double>(own_a, own_b, before);
    long double sum = 0;
    for (std::size_t k = 0; k < n; ++k) sum += static_cast<long double>(g[k]) * own[k];
    return sum;
  };
  std::vector<long double> const wide_a(a.begin(), a.end()), wide_b(b.begin(), b.end());
  long double const step = 1e-6L;
  auto const quotient = [&](auto const& moved) {
    return static_cast<double>((moved(step) - moved(-step)) / (2 * step));
  };
  for (std::size_t k = 0; k < n; ++k) {
    auto const by_a = [&](long double d) {
      auto own = wide_a;
      own[k] += d;
      return weighted(own, wide_b, 0.75L);
    };
    auto const by_b = [&](long double d) {
      auto own = wide_b;
      own[k] += d;
      return weighted(wide_a, own, 0.75L);
    };
    EXPECT_NEAR(da[k], quotient(by_a), 1e-8) << k;
    EXPECT_NEAR(db[k], quotient(by_b), 1e-8) << k;
  }
  EXPECT_NEAR(of_before[0], quotient([&](long double d) { return weighted(wide_a, wide_b, 0.75L + d); }), 1e-8);
}

template <class Call>
std::string message_of(Call const& call)
{
  try {
    call();
  } catch (tally::usage_error const& error) {
    return error.what();
  }
  return "no error";
}
TEST(linear_recurrence, says_what_is_wrong_with_a_batch)
{
  std::vector<double> a(24), b(24), y(24);
  using view = tally::array_view<double>;
  auto const message = [&](view const& of_a, view const& of_b, view const& out) {
    return message_of([&] { tally::linear_recurrence(along(1, of_a), along(1, of_b), along(1, out)); });
  };
  auto const expect = [](std::string const& own, std::string const& part) {
    EXPECT_NE(own.find(part), std::string::npos) << own;
  };
  view const right(a.data(), {4, 6});
  expect(message({a.data(), {4, 5}}, right, right), "extent 5 of axis 1 of a is not extent 6 of axis 1 of out");
  expect(message(right, {b.data(), {3, 6}}, right), "extent 3 of axis 0 of b is not extent 4 of axis 0 of out");
  expect(message(right, {b.data(), {6}}, right), "no axis 1");
  expect(message_of([&] { tally::linear_recurrence(along(0, a), along(1, right), along(1, right)); }),
         "a has 1 axes, out 2");
  expect(message(right, right, {y.data(), {4, 6}, {0, 1}}), "an output cannot repeat an axis");
  expect(message_of([&] {
           tally::linear_recurrence_gradient(along(1, right), along(1, right), along(1, view(b.data(), {4, 5})),
                                             along(1, right), along(1, view(y.data(), {4, 6})));
         }),
         "extent 5 of axis 1 of g is not extent 6 of axis 1 of db");
  std::vector<std::size_t> const offsets{0, 4, 9};
  expect(message_of([&] { tally::linear_recurrence(segments(a, offsets), std::vector<double>(5), y); }), "b has 5");
  std::vector<std::size_t> const far{0, 25};
  expect(message_of([&] { tally::linear_recurrence(segments(a, far), b, y); }), "the last offset is 25");
  expect(message_of([&] { tally::linear_recurrence(0.5, segments(b, offsets), y, each(std::vector<double>(1))); }),
         "each(...): 1 places for 2 segments");
}

}  // namespace
