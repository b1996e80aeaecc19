// Histograms as a GPU adds them up, with slots in the memory of teams, here by teams of one thread: against a loop.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

#include "../support/generator.hpp"
#include "../support/sizes.hpp"
#include "tally/algorithms/histogram.hpp"
#include "tally/sequences.hpp"

namespace {

using tally::test::random_bits;

/// Remainders by `count`. All slots are bins.
struct remainders {
  std::size_t count;

  std::size_t slots() const { return count; }
  std::size_t operator()(std::uint32_t x) const { return x % count; }
};

constexpr std::size_t most_slots =
    tally::detail::histogram::add_by_team<std::uint32_t const*, tally::detail::histogram::ones, remainders,
                                          std::uint32_t>::most_slots;
std::vector<std::size_t> const slot_counts = {1, 3, 256, 2047, 2049, 5000, most_slots, most_slots + 1};
/// Sizes around the values that a team takes at once, around the least block of a team, and of several blocks.
std::vector<std::size_t> const sizes = tally::test::tidy({0, 1, 2, 9, 8191, 8192, 8193, 70'001});

/// Random values, of which one in five is 42.
std::vector<std::uint32_t> values_of(std::size_t n)
{
  std::vector<std::uint32_t> values(n);
  for (std::size_t k = 0; k < n; ++k) {
    auto const random = static_cast<std::uint32_t>(random_bits(11, k));
    values[k] = random % 5 == 0 ? 42 : random;
  }
  return values;
}

template <class Out>
void expect_counts()
{
  for (std::size_t const n : sizes) {
    std::vector<std::uint32_t> const values = values_of(n);
    for (std::size_t const slots : slot_counts) {
      remainders const bins{slots};
      std::vector<Out> expected(slots);
      for (std::uint32_t const x : values) expected[bins(x)] = static_cast<Out>(expected[bins(x)] + 1);
      auto const expect = [&](auto call) {
        std::vector<Out> counts(slots + 1, Out(77));
        call(counts.data());
        EXPECT_EQ(counts.back(), Out(77));
        counts.pop_back();
        EXPECT_TRUE(counts == expected) << n << " values in " << slots << " slots";
      };
      tally::cpu const on{2};
      tally::detail::histogram::ones const ones;
      expect([&](Out* to) {
        tally::detail::histogram::sum_in_any_order<std::uint32_t>(on, values.data(), n, ones, bins, to);
      });
      expect([&](Out* to) {
        tally::detail::histogram::sum_in_any_order<std::uint64_t>(on, values.data(), n, ones, bins, to);
      });
      if (slots <= most_slots)
        expect([&](Out* to) {
          tally::detail::histogram::sum_by_teams<std::uint32_t>(on, values.data(), n, ones, bins, to);
        });
    }
  }
}

/// A number near `x`: some floats beside it.
float beside(float x, std::uint64_t random)
{
  for (std::uint64_t k = random % 5; k > 0; --k) x = std::nextafter(x, random & 8 ? 1e38f : -1e38f);
  return x;
}

TEST(histogram_by_teams, bins_by_floats_are_those_by_doubles)
{
  std::uint64_t at = 0;
  int sure = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    auto const random = [&] { return random_bits(5, ++at); };
    auto const unit = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
    std::size_t const count = 1 + random() % (trial % 2 == 0 ? 40 : 30'000);
    double const width = std::exp2(200 * unit() - 100),
                 lower = trial % 3 == 0 ? 0 : (unit() - 0.5) * width * std::exp2(12 * unit());
    if (!(lower < lower + width)) continue;
    tally::even_bins const bins(lower, lower + width, count);
    tally::detail::histogram::float_bins const by_floats(bins);
    sure += by_floats.are_sure();
    auto const expect = [&](float x) {
      ASSERT_EQ(by_floats(x), bins(x)) << x << " in " << count << " bins from " << lower << " to " << bins.upper();
    };
    for (int k = 0; k < 40; ++k) {
      expect(static_cast<float>(lower + width * (1.5 * unit() - 0.25)));
      expect(beside(static_cast<float>(bins.edge(random() % (count + 1))), random()));
      expect(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
    }
    float const infinity = std::numeric_limits<float>::infinity();
    for (float const x :
         {0.0f, -0.0f, infinity, -infinity, -std::numeric_limits<float>::quiet_NaN(), 3.4e38f, -3.4e38f, 0x1p23f})
      expect(x);
  }
  EXPECT_GT(sure, 1000);
}

TEST(histogram_by_teams, counts_in_any_type)
{
  expect_counts<std::uint32_t>();
  expect_counts<std::int32_t>();
  expect_counts<std::uint64_t>();
  expect_counts<std::int64_t>();
  expect_counts<std::int16_t>();
  expect_counts<double>();
}

TEST(histogram_by_teams, count_from_any_iterator_to_any)
{
  std::vector<std::uint32_t> const values = values_of(10'000);
  remainders const bins{7};
  std::deque<std::uint32_t> counts(7, 77), expected(7);
  for (std::uint32_t const x : values) ++expected[bins(x)];
  auto const numbers = tally::elements_from([from = values.data()](std::size_t k) { return from[k]; });
  tally::detail::histogram::sum_by_teams<std::uint32_t>(tally::cpu{2}, numbers, values.size(),
                                                        tally::detail::histogram::ones{}, bins, counts.begin());
  EXPECT_EQ(counts, expected);
}

/// Sums are those of weighted_histogram on a CPU: they wrap in the type of the weights and then convert to the
/// output's.
template <class Weight, class Out>
void expect_weights()
{
  for (std::size_t const n : sizes) {
    std::vector<std::uint32_t> const values = values_of(n);
    std::vector<Weight> weights(n);
    for (std::size_t k = 0; k < n; ++k) weights[k] = static_cast<Weight>(random_bits(12, k));
    for (std::size_t const slots : {std::size_t{1}, std::size_t{3}, std::size_t{256}, most_slots + 1}) {
      remainders const bins{slots};
      std::vector<Out> expected(slots), sums(slots, Out(77));
      tally::weighted_histogram(tally::cpu{1}, values.begin(), values.end(), weights.begin(), bins, expected.begin());
      tally::detail::histogram::sum_in_any_order<Weight>(tally::cpu{2}, values.data(), n, weights.data(), bins,
                                                         sums.data());
      EXPECT_TRUE(sums == expected) << n << " weights of " << sizeof(Weight) << " bytes in " << slots << " slots of "
                                    << sizeof(Out);
    }
  }
}

TEST(histogram_by_teams, adds_weights_up)
{
  expect_weights<std::int32_t, std::int32_t>();
  expect_weights<std::uint32_t, std::uint64_t>();
  expect_weights<std::int64_t, std::int64_t>();
  expect_weights<std::int16_t, std::int16_t>();
}
TEST(histogram_by_teams, adds_weights_up_in_their_own_type)
{
  expect_weights<std::int32_t, std::int64_t>();
  expect_weights<std::int32_t, double>();
  expect_weights<std::int16_t, std::int32_t>();
  expect_weights<std::uint8_t, std::uint32_t>();
  expect_weights<std::int64_t, double>();
}

}  // namespace
