// Sums by pairs of doubles: every result that a pair tells is that of an accumulator.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../support/bits.hpp"
#include "../support/generator.hpp"
#include "tally/detail/exact/pair_sum.hpp"
#include "tally/exact_accumulator.hpp"
#include "tally/tally.hpp"
#include "terms.hpp"

namespace {

using tally::exact_accumulator;
using tally::detail::exact::float_sizes;
using tally::detail::exact::pair_sum;
using tally::detail::exact::plain_sum;
using tally::test::kinds_of_terms;
using tally::test::random_bits;
using tally::test::same;
using tally::test::shown;
using tally::test::terms;
using tally::test::terms_of;

template <class T>
class pair_sums : public testing::Test {};
using all_types = testing::Types<float, double, tally::half, tally::bfloat16>;
TYPED_TEST_SUITE(pair_sums, all_types);

/// Results of pairs: how many they told, of all.
struct told {
  std::size_t results = 0, all = 0;
};

template <class T>
void expect_rounded(pair_sum const& sum, exact_accumulator<T> const& exact, told& count, std::string const& what)
{
  T const expected = exact.round();
  T quick{}, precise{};
  bool const is_quick = tally::detail::exact::rounded_quickly(sum, quick);
  bool const is_known = tally::detail::exact::rounded(sum.high, sum.low, sum.lost, precise);
  ++count.all;
  if (is_quick || is_known) ++count.results;
  ASSERT_TRUE(!is_quick || same(quick, expected)) << what << ": " << shown(quick) << " for " << shown(expected);
  ASSERT_TRUE(!is_known || same(precise, expected)) << what << ": " << shown(precise) << " for " << shown(expected);
}

/// Sums in any brackets: pieces of random lengths, each added to the one before or after it.
TYPED_TEST(pair_sums, are_exact_or_say_that_they_are_not)
{
  using T = TypeParam;
  for (int kind = 0; kind < kinds_of_terms; ++kind) {
    told count;
    for (std::size_t round = 0; round < 3000; ++round) {
      std::size_t const n = 1 + random_bits(7, round) % 60;
      auto const x = terms<T>(terms_of(kind), n, 97 * round + static_cast<std::size_t>(kind));
      exact_accumulator<T> exact;
      pair_sum all, piece;
      for (std::size_t k = 0; k < n; ++k) {
        std::uint64_t const random = random_bits(round, k);
        exact.add(x[k]);
        piece.add(static_cast<double>(x[k]));
        if (random % 4 == 0) {
          if (random % 8 == 0)
            all.add(piece);
          else
            piece.add(all), all = piece;
          piece = pair_sum{};
        }
        pair_sum sum = all;
        sum.add(piece);
        expect_rounded(sum, exact, count, "kind " + std::to_string(kind) + ", round " + std::to_string(round));
        if (testing::Test::HasFatalFailure()) return;
      }
    }
    // Pairs tell nearly all results of terms that two doubles can hold.
    bool const are_near = terms_of(kind) == terms_of::one_size || terms_of(kind) == terms_of::near_sizes ||
                          terms_of(kind) == terms_of::zeros || terms_of(kind) == terms_of::minus_zeros;
    EXPECT_TRUE(!are_near || count.results == count.all) << kind;
    EXPECT_TRUE(terms_of(kind) != terms_of::not_finite || count.results < count.all);
  }
}

/// Sums that are a little beside a tie, or beside a number, by what the pair has or has lost.
TYPED_TEST(pair_sums, know_how_near_a_tie_is)
{
  using T = TypeParam;
  using limits = std::numeric_limits<T>;
  told count;
  for (std::size_t round = 0; round < 200'000; ++round) {
    std::uint64_t const random = random_bits(3, round);
    auto const digits = static_cast<std::uint64_t>(limits::digits);
    double const whole =
        std::ldexp(1.0, limits::digits - 1) + static_cast<double>(random % (1u << (digits < 12 ? digits - 1 : 12)));
    double const half = random >> 20 & 1 ? 0.5 : random >> 21 & 1 ? 0.0 : -0.5;
    int const below = -1 - static_cast<int>(random >> 24) % 100;
    double const little = (random >> 22 & 3) == 0 ? 0.0 : std::ldexp((random >> 22 & 3) == 1 ? 1.0 : -1.0, below);
    double const less = (random >> 40 & 3) == 0 ? 0.0 : std::ldexp((random >> 40 & 3) == 1 ? 1.0 : -1.0, below - 70);
    double const sign = (random >> 50 & 1) != 0 ? 1 : -1;
    // Terms of double: their exact sum is rounded to T.
    tally::detail::exact::sum_of<double> exact;
    pair_sum sum;
    for (double const x : {sign * whole, sign * half, sign * little, sign * less}) {
      exact.add(x);
      sum.add(x);
    }
    T const expected = exact.template nearest<T>();
    T quick{}, precise{};
    // With doubles as terms the least normal T is no matter.
    ASSERT_TRUE(!tally::detail::exact::rounded_quickly(sum, quick) || same(quick, expected)) << round;
    bool const is_known = tally::detail::exact::rounded(sum.high, sum.low, sum.lost, precise);
    ASSERT_TRUE(!is_known || same(precise, expected)) << round;
    ++count.all;
    count.results += is_known ? 1 : 0;
  }
  EXPECT_GT(count.results, count.all / 2);
}

/// Floats whose sizes say that plain sums are exact, alone, on a sum before, or beside one, small or not.
TEST(float_sizes, tell_where_doubles_are_enough)
{
  std::size_t plain = 0, on_sum = 0, small = 0, beside = 0, beside_known = 0, others = 0;
  for (int kind = 0; kind < kinds_of_terms; ++kind) {
    for (std::size_t round = 0; round < 3000; ++round) {
      std::uint64_t const random = random_bits(11, round);
      // A thread's 16 terms and the value that a sequence begins with, behind other terms, which are scaled.
      std::size_t const before_them = random % 40;
      auto x = terms<float>(terms_of(kind), before_them + 17, 131 * round + static_cast<std::size_t>(kind));
      auto const scale = static_cast<int>(random >> 20 & 63) - 32;
      if ((random >> 10 & 3) != 0)
        for (std::size_t k = 0; k < before_them; ++k) x[k] = std::ldexp(x[k], scale);
      exact_accumulator<float> exact, alone;
      pair_sum before;
      for (std::size_t k = 0; k < before_them; ++k) before.add(x[k]), exact.add(x[k]);
      float_sizes sizes;
      for (std::size_t k = before_them; k < x.size(); ++k) sizes.add(x[k]);
      bool const is_plain = sizes.have_plain_sums(), is_on_sum = is_plain && sizes.have_plain_sums_on(before),
                 is_small = is_plain && sizes.are_small_beside(before);
      plain += is_plain ? 1 : 0, on_sum += is_on_sum ? 1 : 0, small += is_small ? 1 : 0, others += is_plain ? 0 : 1;
      bool const is_beside = is_plain && before.lost == 0;
      auto const [high, low] = tally::detail::exact::two_sum(before.high, before.low);
      plain_sum sum, all{before.high};
      for (std::size_t k = before_them; k < x.size(); ++k) {
        alone.add(x[k]), sum.add(x[k]), exact.add(x[k]), all.add(x[k]);
        std::string const what = "kind " + std::to_string(kind) + ", round " + std::to_string(round);
        ASSERT_TRUE(!is_plain || same(static_cast<float>(sum.value), alone.round())) << what;
        ASSERT_TRUE(!is_on_sum || same(static_cast<float>(all.value), exact.round())) << what;
        float result{};
        bool const is_known =
            is_small && tally::detail::exact::round_on_large(before.high, before.low, sum.value, result);
        ASSERT_TRUE(!is_known || same(result, exact.round())) << what << shown(result) << shown(exact.round());
        bool const is_told = is_beside && tally::detail::exact::round_beside(high, low, sum.value, result);
        ASSERT_TRUE(!is_told || same(result, exact.round())) << what << shown(result) << shown(exact.round());
        beside += is_beside ? 1 : 0, beside_known += is_told ? 1 : 0;
      }
    }
  }
  EXPECT_TRUE(plain > 1000 && on_sum > 1000 && small > 1000 && others > 1000)
      << plain << ' ' << on_sum << ' ' << small << ' ' << others;
  // Many sums here are zeros, or end behind few bits.
  EXPECT_TRUE(beside > 10'000 && beside_known > beside / 4) << beside_known << " of " << beside;
}

/// The bounds are met, and not passed: sums of the largest terms, with one of the least.
TEST(float_sizes, have_plain_sums_up_to_a_bound)
{
  for (int exponent = -126; exponent <= 127; ++exponent) {
    for (int apart = 0; apart <= 40; ++apart) {
      float const most = std::ldexp(0x1.fffffep0F, exponent), least = std::ldexp(0x1.000002p0F, exponent - apart);
      float_sizes sizes;
      sizes.add(most), sizes.add(-0.0F), sizes.add(-least);
      // Below the least normal number the unit stays.
      EXPECT_EQ(sizes.have_plain_sums(), exponent - std::max(exponent - apart, -127) <= 18) << exponent << ' ' << apart;
      if (!sizes.have_plain_sums()) continue;
      exact_accumulator<float> exact;
      double sum = least;
      exact.add(least);
      for (int k = 0; k < 1022; ++k) sum += most, exact.add(most);
      EXPECT_EQ(static_cast<float>(sum), exact.round());
      // The sum less all of the largest is the least again only if nothing was lost.
      for (int k = 0; k < 1022; ++k) sum -= most;
      EXPECT_EQ(sum, static_cast<double>(least));
      // The same on the largest sum before: 2^51 units of the least float, half of that if it is below the normal ones.
      pair_sum before;
      before.high = std::ldexp(1.0, std::max(exponent - apart, -127) - 23 + 51);
      EXPECT_TRUE(sizes.have_plain_sums_on(before));
      sum = before.high + least;
      for (int k = 0; k < 1022; ++k) sum += most;
      for (int k = 0; k < 1022; ++k) sum -= most;
      EXPECT_EQ(sum - before.high, static_cast<double>(least)) << exponent << ' ' << apart;
      before.high *= 2;
      EXPECT_EQ(sizes.have_plain_sums_on(before), least == 0) << exponent << ' ' << apart;
    }
  }
}

/// A sum of two doubles that cancel is zero.
TYPED_TEST(pair_sums, that_cancel_are_zero)
{
  using T = TypeParam;
  pair_sum sum;
  for (double const x : {0x1p53, 1.0, -0x1p53, -1.0}) sum.add(x);
  EXPECT_NE(sum.high, 0);
  T result{};
  EXPECT_TRUE(tally::detail::exact::rounded(sum.high, sum.low, sum.lost, result));
  EXPECT_TRUE(same(result, static_cast<T>(0.0))) << shown(result);
  EXPECT_TRUE(same(tally::detail::exact::rounded<T>(sum.high, sum.low), static_cast<T>(0.0)));
}

TEST(exact_scans, of_a_pair_that_cancels)
{
  std::vector<double> const x{0x1p53, 1, -0x1p53, -1, -0.0};
  std::vector<double> sums(x.size());
  tally::inclusive_scan(x, sums.begin(), tally::exact_plus{});
  EXPECT_EQ(sums, (std::vector<double>{0x1p53, 0x1p53, 1, 0, 0}));
}

}  // namespace
