// Recursive filters and linear sequences against the plain loop.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

#include "../support/generator.hpp"
#include "../support/guarded.hpp"
#include "../support/sizes.hpp"
#include "tally/algorithms/linear_sequence.hpp"
#include "tally/algorithms/recursive_filter.hpp"

namespace {

using tally::test::random_bits;

/// Sizes around powers of two, blocks and tiles, and the size from which threads share.
std::vector<std::size_t> const sizes =
    tally::test::tidy({0, 1, 2, 3, 511, 512, 2047, 2048, 2049, 4096, 4099, 16383, 16385, 131073, 262145});

template <class T, std::size_t Order>
std::vector<T> loop(std::array<T, Order> const& feedback, std::vector<T> const& x, std::array<T, Order> last)
{
  std::vector<T> all(x.size());
  for (std::size_t k = 0; k < x.size(); ++k) {
    T y = x[k];
    for (std::size_t j = 0; j < Order; ++j) y = static_cast<T>(y + feedback[j] * last[j]);
    for (std::size_t j = Order - 1; j > 0; --j) last[j] = last[j - 1];
    all[k] = last[0] = y;
  }
  return all;
}

template <std::size_t Order>
void expect_the_loop_of_integers()
{
  std::array<std::uint64_t, Order> feedback{}, before{};
  for (std::size_t j = 0; j < Order; ++j) {
    feedback[j] = random_bits(1, j);
    before[j] = random_bits(2, j);
  }
  for (std::size_t const n : sizes) {
    std::vector<std::uint64_t> x(n);
    for (std::size_t k = 0; k < n; ++k) x[k] = random_bits(3, k);
    auto const expected = loop(feedback, x, before);
    for (int const threads : {1, 2, 5}) {
      tally::test::guarded<std::uint64_t> y(n);
      EXPECT_EQ(tally::recursive_filter(tally::cpu{threads}, feedback, x.begin(), x.end(), y.data(), before),
                y.data() + n);
      EXPECT_EQ(std::vector(y.begin(), y.end()), expected) << n << " of order " << Order << " on " << threads;
      EXPECT_TRUE(y.guards_intact());
    }
    auto over = x;
    tally::recursive_filter(feedback, over.begin(), over.end(), over.begin(), before);
    EXPECT_EQ(over, expected) << n << " in place";
  }
}
TEST(recursive_filter, of_integers_is_the_loop_in_bits)
{
  expect_the_loop_of_integers<1>();
  expect_the_loop_of_integers<2>();
  expect_the_loop_of_integers<3>();
  expect_the_loop_of_integers<6>();
}

TEST(recursive_filter, of_a_stable_filter_is_near_the_loop)
{
  // A resonance: poles at 0.995 of the unit circle.
  std::array<double, 2> const feedback = {2 * 0.995 * std::cos(std::numbers::pi / 10), -0.995 * 0.995};
  std::array<long double, 2> const wide = {feedback[0], feedback[1]};
  for (std::size_t const n : sizes) {
    std::vector<double> x(n);
    for (std::size_t k = 0; k < n; ++k) x[k] = static_cast<double>(random_bits(4, k) >> 11) * 0x1p-52 - 1;
    auto const exact = loop(wide, std::vector<long double>(x.begin(), x.end()), {0, 0});
    std::vector<double> one(n, -7), several(n, -8);
    tally::recursive_filter(tally::cpu{1}, feedback, x.begin(), x.end(), one.begin());
    tally::recursive_filter(tally::cpu{3}, feedback, x.begin(), x.end(), several.begin());
    EXPECT_EQ(one, several) << n;
    for (std::size_t k = 0; k < n; ++k) ASSERT_NEAR(one[k], static_cast<double>(exact[k]), 2e-12) << k << " of " << n;
  }
}

/// Powers of the feedback overflow. Outputs equal the loop's up to rounding, with infinities at the same places.
template <std::size_t Order>
void expect_growth(std::array<double, Order> const& feedback)
{
  for (std::size_t const n : {1000u, 1280u, 1281u, 5000u, 100'001u}) {
    std::vector<double> const ones(n, 1);
    for (double const before : {0.0, 1.0}) {
      std::array<double, Order> first{};
      first[0] = before;
      auto const expected = loop(feedback, ones, first);
      for (int const threads : {1, 3}) {
        auto y = ones;
        tally::recursive_filter(tally::cpu{threads}, feedback, y.begin(), y.end(), y.begin(), first);
        for (std::size_t k = 0; k < n; ++k) {
          if (std::isfinite(expected[k]))
            ASSERT_NEAR(y[k] / expected[k], 1, 1e-9) << k << " of " << n;
          else
            ASSERT_EQ(y[k], expected[k]) << k << " of " << n;
        }
      }
    }
  }
}
TEST(recursive_filter, that_grows_to_infinity_is_infinite)
{
  expect_growth<1>({2.0});
  expect_growth<1>({-2.0});
  expect_growth<1>({1e10});
  expect_growth<2>({1.0, 1.0});
  expect_growth<3>({0.5, 1.0, 0.25});
}

struct impulse {
  double operator()(std::size_t k) const { return k == 0 ? 1 : 0; }
};

TEST(recursive_filter, takes_an_input_that_is_a_function)
{
  std::size_t const n = 5000;
  auto const in = tally::elements_from(impulse{});
  std::vector<double> y(n);
  tally::recursive_filter(std::array{0.5}, in, in + static_cast<std::ptrdiff_t>(n), y.begin());
  for (std::size_t k = 0; k < n; ++k) ASSERT_EQ(y[k], std::ldexp(1.0, -static_cast<int>(k))) << k;
}

/// Outputs and last outputs of the filter of one signal.
template <class T, std::size_t Order>
struct alone {
  std::vector<T> y;
  std::array<T, Order> last;

  alone(std::array<T, Order> const& feedback, std::vector<T> const& x, std::array<T, Order> const& before)
      : y(x.size()),
        last(before)
  {
    tally::recursive_filter(tally::cpu{1}, feedback, x.begin(), x.end(), y.begin(), before);
    for (std::size_t k = 0; k < Order; ++k) last[k] = k < y.size() ? y[y.size() - 1 - k] : before[k - y.size()];
  }
};

template <class T>
T value(std::uint64_t seed, std::size_t k)
{
  return static_cast<T>(static_cast<double>(random_bits(seed, k) >> 11) * 0x1p-52 - 1);
}
template <class T>
bool same(T const& a, T const& b)
{
  return (a != a && b != b) ||
         std::bit_cast<std::array<char, sizeof(T)>>(a) == std::bit_cast<std::array<char, sizeof(T)>>(b);
}

/// Signals along an axis: rows, columns, gaps between elements; from either end; apart and in place. Some feedback
/// overflows, so that blocks are deferred.
template <class T, std::size_t Order>
void expect_signals_along_an_axis(std::array<T, Order> const& feedback)
{
  using state = std::array<T, Order>;
  for (std::size_t const n : tally::test::some_of({0, 1, 2, 319, 1280, 1281, 2600, 40'000, 140'001})) {
    std::size_t const signals = n > 3000 ? 2 : 5;
    for (std::size_t way = 0; way < 12; ++way) {
      bool const columns = way % 2 == 1, backwards = way / 2 % 2 == 1, in_place = way / 4 == 1;
      std::size_t const gap = way / 4 == 2 ? 2 : 1;
      tally::per_axis const shape = columns ? tally::per_axis{n, signals} : tally::per_axis{signals, n};
      tally::per_axis const strides = columns ? tally::per_axis{signals * gap, gap} : tally::per_axis{n * gap, gap};
      std::vector<T> x(n * signals * gap);
      for (std::size_t k = 0; k < x.size(); ++k) x[k] = value<T>(n + 5, k);
      std::vector<T> y(in_place ? x : std::vector<T>(x.size(), T(77)));
      std::vector<state> before(signals), last(signals);
      for (std::size_t s = 0; s < signals; ++s)
        for (std::size_t k = 0; k < Order; ++k) before[s][k] = value<T>(9, s * Order + k);
      std::vector<T> expected = y;
      std::vector<state> expected_last;
      for (std::size_t s = 0; s < signals; ++s) {
        auto const place = [&](std::size_t k) {
          std::size_t const at = backwards ? n - 1 - k : k;
          return gap * (columns ? at * signals + s : s * n + at);
        };
        std::vector<T> signal;
        for (std::size_t k = 0; k < n; ++k) signal.push_back(x[place(k)]);
        alone<T, Order> const own(feedback, signal, before[s]);
        for (std::size_t k = 0; k < n; ++k) expected[place(k)] = own.y[k];
        expected_last.push_back(own.last);
      }
      int const axis = columns ? 0 : 1;
      auto const from = tally::along(axis, tally::array_view<T const>(in_place ? y.data() : x.data(), shape, strides));
      auto const to = tally::along(axis, tally::array_view<T>(y.data(), shape, strides));
      auto const states = tally::each(std::as_const(before));
      if (backwards)
        tally::recursive_filter(tally::cpu{2}, feedback, tally::reversed(from), tally::reversed(to), states,
                                tally::last_to(last));
      else
        tally::recursive_filter(feedback, from, to, states, tally::last_to(last));
      for (std::size_t k = 0; k < y.size(); ++k)
        ASSERT_TRUE(same(y[k], expected[k])) << y[k] << ' ' << expected[k] << " at " << k << " of " << n << ", " << way;
      for (std::size_t s = 0; s < signals; ++s)
        for (std::size_t k = 0; k < Order; ++k)
          ASSERT_TRUE(same(last[s][k], expected_last[s][k])) << "last " << k << " of " << n << ", " << way;
    }
  }
}
TEST(recursive_filter, of_signals_along_an_axis_is_that_of_each_alone)
{
  expect_signals_along_an_axis<float, 2>({1.6f, -0.8f});
  expect_signals_along_an_axis<double, 3>({1.2, 0.1, 0.2});
  expect_signals_along_an_axis<std::uint32_t, 1>({7});
}

TEST(recursive_filter, of_segments_is_that_of_each_alone)
{
  std::array<double, 2> const feedback = {0.5, 0.25}, before = {3, -1};
  std::vector<std::size_t> const offsets = {0, 0, 1, 4, 4, 1284, 4000, 150'000, 150'000};
  std::vector<double> x(offsets.back());
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = value<double>(6, k);
  for (bool const backwards : {false, true}) {
    std::vector<double> y = x;
    std::vector<std::array<double, 2>> last(offsets.size() - 1);
    auto const batch = tally::segments(std::as_const(y), offsets);
    if (backwards)
      tally::recursive_filter(feedback, tally::reversed(batch), y, before, tally::last_to(last));
    else
      tally::recursive_filter(tally::cpu{3}, feedback, batch, y, before, tally::last_to(last));
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      auto const at = [&](std::size_t k) { return x.begin() + static_cast<std::ptrdiff_t>(offsets[k]); };
      std::vector<double> signal(at(s), at(s + 1));
      if (backwards) std::reverse(signal.begin(), signal.end());
      alone<double, 2> own(feedback, signal, before);
      EXPECT_EQ(last[s], own.last) << s;
      if (backwards) std::reverse(own.y.begin(), own.y.end());
      EXPECT_TRUE(std::equal(own.y.begin(), own.y.end(), y.begin() + static_cast<std::ptrdiff_t>(offsets[s]))) << s;
    }
  }
  std::vector<double> y(offsets.back() - 1);
  EXPECT_THROW(tally::recursive_filter(feedback, tally::segments(x, offsets), y), tally::usage_error);
}

/// The phases of a device, here on a CPU: the blocks of all signals at once have the bits of one signal after the
/// other.
template <class T, std::size_t Order>
void expect_phases(std::array<T, Order> const& feedback)
{
  namespace recurrence = tally::detail::recurrence;
  using state = recurrence::filter_state<T, Order>;
  constexpr std::size_t block = recurrence::filter_block, tile = block * recurrence::filter_tile<T, Order>;
  std::array<T, Order> const before = {T(3)};
  for (std::size_t const n : tally::test::some_of({1, block - 1, block, block + 1, tile, tile + 1, tile + 3 * block,
                                                   32 * tile, 32 * tile + 1, 33 * tile + block + 7})) {
    std::size_t const signals = n > tile ? 2 : 7;
    for (bool const columns : {false, true}) {
      auto const place = [&](std::size_t s, std::size_t k) { return columns ? k * signals + s : s * n + k; };
      std::vector<T> y(n * signals);
      for (std::size_t k = 0; k < y.size(); ++k) y[k] = value<T>(n + 7, k);
      std::vector<T> const x = y;
      std::vector<state> last(signals);
      tally::detail::batch::layout where{{n, {1, 1, 0, 0, 0}}, 1, {}};
      auto const length = static_cast<std::ptrdiff_t>(n), many = static_cast<std::ptrdiff_t>(signals);
      if (columns) where.along.step = {many, many, 0, 0, 0};
      where.across[0] = {signals, {columns ? 1 : length, columns ? 1 : length, 0, 1, 0}};
      std::size_t const blocks = recurrence::filter_blocks_in(n);
      recurrence::filters_along<T const*, T*> const places{y.data(), y.data(), where, signals, blocks, columns};
      recurrence::filter_in_phases(tally::cpu{3}, places, recurrence::filter_constants<T, Order>(feedback), signals,
                                   signals * blocks, blocks, recurrence::as_state(before),
                                   static_cast<state const*>(nullptr), last.data());
      for (std::size_t s = 0; s < signals; ++s) {
        std::vector<T> signal;
        for (std::size_t k = 0; k < n; ++k) signal.push_back(x[place(s, k)]);
        alone<T, Order> const own(feedback, signal, before);
        for (std::size_t k = 0; k < n; ++k) ASSERT_TRUE(same(y[place(s, k)], own.y[k])) << k << " of " << n;
        for (std::size_t k = 0; k < Order; ++k) ASSERT_TRUE(same(last[s][k], own.last[k])) << k << " of " << n;
      }
    }
  }
}
TEST(recursive_filter, in_phases_has_the_bits_of_one_pass)
{
  expect_phases<float, 1>({0.75f});
  expect_phases<double, 2>({1.9, -0.95});
  expect_phases<float, 2>({1.2f, 0.3f});
}

TEST(linear_sequence, of_fibonacci)
{
  using residues = std::array<std::uint64_t, 2>;
  for (std::uint64_t const modulus :
       {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{10}, std::uint64_t{1'000'000'007}, std::uint64_t{1} << 32}) {
    for (std::size_t const n : {0u, 1u, 2u, 3u, 4095u, 4096u, 4097u, 300'001u}) {
      std::vector<std::uint64_t> expected(n);
      std::uint64_t a = 0, b = 1 % modulus;
      for (std::size_t k = 0; k < n; ++k) {
        expected[k] = a;
        std::uint64_t const next = (a + b) % modulus;
        a = b;
        b = next;
      }
      for (int const threads : {1, 4}) {
        tally::test::guarded<std::uint64_t> out(n);
        tally::linear_sequence_modulo(tally::cpu{threads}, residues{1, 1}, residues{0, 1}, modulus, n, out.data());
        EXPECT_EQ(std::vector(out.begin(), out.end()), expected) << n << " modulo " << modulus << " on " << threads;
        EXPECT_TRUE(out.guards_intact());
      }
    }
  }
}

TEST(linear_sequence, of_order_three)
{
  std::uint64_t const modulus = 998'244'353;
  std::array<std::uint64_t, 3> const c = {5, modulus - 7, 4'000'000'000'000u}, first = {1, ~std::uint64_t{0}, 100};
  std::size_t const n = 20'000;
  std::vector<std::uint64_t> expected(n), out(n);
  for (std::size_t k = 0; k < n; ++k)
    expected[k] =
        k < 3
            ? first[k] % modulus
            : (c[0] * expected[k - 1] + c[1] * expected[k - 2] % modulus + c[2] % modulus * expected[k - 3] % modulus) %
                  modulus;
  tally::linear_sequence_modulo(c, first, modulus, n, out.begin());
  EXPECT_EQ(out, expected);
}

TEST(linear_sequence, says_what_is_wrong_with_a_modulus)
{
  std::array<std::uint64_t, 1> const one = {1};
  std::vector<std::uint64_t> out(5);
  EXPECT_THROW(tally::linear_sequence_modulo(one, one, 0, 5, out.begin()), tally::usage_error);
  EXPECT_THROW(tally::linear_sequence_modulo(one, one, (std::uint64_t{1} << 32) + 1, 5, out.begin()),
               tally::usage_error);
}

}  // namespace
