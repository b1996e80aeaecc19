// Histograms against a loop that compares a value with every edge.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "../support/bits.hpp"
#include "../support/generator.hpp"
#include "tally/algorithms/histogram.hpp"

namespace {

using tally::test::random_bits;

/// Sizes around the chunks of a part, around parts, and around the least size that threads share.
std::vector<std::size_t> const sizes = {0, 1, 2, 255, 256, 257, 16383, 16384, 16385, 40'001};

/// The slot of x, by comparison with all edges in long double.
template <class T>
std::size_t slot_by_edges(T x, std::vector<long double> const& edges)
{
  std::size_t const count = edges.size() - 1;
  auto const value = static_cast<long double>(x);
  if (std::isnan(value)) return count + 2;
  if (value < edges.front()) return count;
  if (value > edges.back()) return count + 1;
  auto const above = std::upper_bound(edges.begin(), edges.end() - 1, value);
  return static_cast<std::size_t>(above - edges.begin()) - 1;
}

std::vector<long double> even_edges(double lower, double upper, std::size_t count)
{
  std::vector<long double> edges(count + 1);
  for (std::size_t k = 0; k <= count; ++k)
    edges[k] = static_cast<long double>(lower) + (static_cast<long double>(upper) - static_cast<long double>(lower)) *
                                                     static_cast<long double>(k) / static_cast<long double>(count);
  return edges;
}

template <class T>
std::vector<std::vector<T>> sequences(std::size_t n)
{
  std::vector<std::vector<T>> all(4, std::vector<T>(n));
  for (std::size_t k = 0; k < n; ++k) {
    std::uint64_t const random = random_bits(3, k);
    all[0][k] = static_cast<T>(static_cast<double>(random % 1000) / (std::is_same_v<T, float> ? 7.0 : 8.0));
    all[1][k] = T(64);
    all[2][k] = static_cast<T>(k % 120);
    all[3][k] = static_cast<T>((n - k) % 120);
    if constexpr (std::is_floating_point_v<T>) {
      T const infinity = std::numeric_limits<T>::infinity();
      if (random % 11 == 0) all[0][k] = std::numeric_limits<T>::quiet_NaN();
      if (random % 11 == 1) all[0][k] = infinity;
      if (random % 11 == 2) all[0][k] = -infinity;
      if (random % 11 == 3) all[0][k] = T(-0.0);
    }
  }
  return all;
}

template <class T>
std::vector<std::uint64_t> expected_counts(std::vector<T> const& values, std::vector<long double> const& edges)
{
  std::vector<std::uint64_t> counts(edges.size() + 2);
  for (T const x : values) ++counts[slot_by_edges(x, edges)];
  return counts;
}

/// Counts into poisoned outputs on several numbers of threads, and by the GPU's atomic additions.
template <class T, class Bins>
void expect_counts(std::vector<T> const& values, Bins const& bins, std::vector<std::uint64_t> const& expected)
{
  std::vector<std::uint64_t> const poison(bins.slots() + 1, 12345);
  for (int const threads : {0, 1, 3}) {
    auto counts = poison;
    auto const end = tally::histogram(tally::cpu{threads}, values, bins, counts.begin());
    EXPECT_EQ(end, counts.end() - 1);
    EXPECT_EQ(counts.back(), 12345u);
    counts.pop_back();
    ASSERT_EQ(counts, expected) << values.size() << " values on " << threads;
  }
  auto counts = poison;
  counts.pop_back();
  tally::detail::histogram::sum_by_atomics<std::uint32_t>(tally::cpu{2}, values.begin(), values.size(),
                                                          tally::detail::histogram::ones{}, bins, counts.begin());
  ASSERT_EQ(counts, expected) << values.size() << " values by atomic additions";
}

template <class T>
class histogram : public testing::Test {};
using types = testing::Types<std::uint8_t, std::int32_t, std::int64_t, float, double>;
TYPED_TEST_SUITE(histogram, types);

TYPED_TEST(histogram, counts_by_even_bins)
{
  for (std::size_t const n : sizes)
    for (auto const& values : sequences<TypeParam>(n))
      for (auto const& [lower, upper, count] :
           {std::tuple{0.0, 100.0, 10}, {5.0, 6.0, 1}, {-50.0, 64.0, 19}, {0.0, 128.0, 1022}, {1.0, 98.0, 1500}}) {
        auto const bins = static_cast<std::size_t>(count);
        expect_counts(values, tally::even_bins(lower, upper, bins),
                      expected_counts(values, even_edges(lower, upper, bins)));
      }
}

TYPED_TEST(histogram, counts_between_edges)
{
  std::vector<TypeParam> const uneven = {3, 4, 4, 10, 64, 64, 100}, two = {10, 20}, repeated = {64, 64};
  std::vector<TypeParam> many(101);
  std::iota(many.begin(), many.end(), TypeParam(7));
  for (std::size_t const n : sizes)
    for (auto const& values : sequences<TypeParam>(n))
      for (auto const& edges : {uneven, two, repeated, many})
        expect_counts(values, tally::edge_bins(edges.data(), edges.size()),
                      expected_counts(values, std::vector<long double>(edges.begin(), edges.end())));
}

/// Each multiple of the width begins its bin, even if quotients by the width are not exact.
TEST(even_bins, have_their_lower_edges)
{
  for (double const width : {1.0, 3.0, 49.0, 1e6 + 1, 0.125})
    for (double const lower : {0.0, -7.0, 1e9}) {
      tally::even_bins const bins(lower, lower + 1000 * width, 1000);
      for (int k = 0; k < 1000; ++k) {
        ASSERT_EQ(bins(lower + k * width), k) << width << " from " << lower;
        if (k > 0) {
          ASSERT_EQ(bins(lower + k * width - 0.0625), k - 1) << width << " from " << lower;
        }
      }
      EXPECT_EQ(bins(lower + 1000 * width), 999);
    }
  // 2^49 integers in bins of 2^40 - 1.
  auto const width = static_cast<std::int64_t>((std::uint64_t{1} << 40) - 1);
  tally::even_bins const wide(0, static_cast<double>(512 * width), 512);
  for (std::int64_t k = 1; k < 512; ++k) {
    ASSERT_EQ(wide(k * width), k);
    ASSERT_EQ(wide(k * width - 1), k - 1);
  }
  EXPECT_EQ(tally::even_bins(0, 1, 4).edge(3), 0.75);
  EXPECT_EQ(tally::even_bins(0, 0.3, 3).edge(3), 0.3);
}

TEST(weighted_histogram, has_the_same_bits_on_every_number_of_threads)
{
  std::size_t const n = 100'003;
  std::vector<float> values(n), weights(n);
  std::vector<std::int8_t> small(n);
  for (std::size_t k = 0; k < n; ++k) {
    values[k] = static_cast<float>(random_bits(1, k) % 1000) / 10;
    weights[k] = std::ldexp(static_cast<float>(random_bits(2, k) % 1000) - 500, static_cast<int>(k % 40) - 20);
    small[k] = static_cast<std::int8_t>(random_bits(4, k));
  }
  tally::even_bins const bins(10, 90, 7);
  std::vector<double> serial(bins.slots()), sums(bins.slots(), -1.0), magnitude(bins.slots());
  std::vector<std::int8_t> wrapped(bins.slots()), wrapped_sums(bins.slots());
  for (std::size_t k = 0; k < n; ++k) {
    auto const slot = static_cast<std::size_t>(bins(values[k]));
    serial[slot] += static_cast<double>(weights[k]);
    magnitude[slot] += std::abs(static_cast<double>(weights[k]));
    wrapped[slot] = static_cast<std::int8_t>(wrapped[slot] + small[k]);
  }
  tally::weighted_histogram(tally::cpu{1}, values.begin(), values.end(), weights.begin(), bins, sums.begin());
  for (std::size_t s = 0; s < sums.size(); ++s) EXPECT_NEAR(sums[s], serial[s], 1e-12 * magnitude[s]);
  for (int const threads : {0, 2, 5}) {
    std::vector<double> again(bins.slots(), -1.0);
    tally::weighted_histogram(tally::cpu{threads}, values.begin(), values.end(), weights.begin(), bins, again.begin());
    EXPECT_TRUE(tally::test::same_bits(again, sums)) << threads;
    tally::weighted_histogram(tally::cpu{threads}, values.begin(), values.end(), small.begin(), bins,
                              wrapped_sums.begin());
    EXPECT_EQ(wrapped_sums, wrapped) << threads;
  }
  tally::detail::histogram::sum_by_atomics<std::uint32_t>(tally::cpu{2}, values.begin(), n, small.begin(), bins,
                                                          wrapped_sums.begin());
  EXPECT_EQ(wrapped_sums, wrapped);
}

/// The remainders by three as bins of the caller's own.
struct thirds {
  std::size_t slots() const { return 3; }
  std::size_t operator()(int x) const { return static_cast<std::size_t>(x) % 3; }
};

TEST(histogram_of_own_bins, and_any_iterator)
{
  std::deque<int> const values = {0, 1, 2, 3, 4, 5, 6};
  std::vector<int> counts(3);
  tally::histogram(values, thirds{}, counts.begin());
  EXPECT_EQ(counts, (std::vector<int>{3, 2, 2}));
  tally::histogram(values.begin(), values.begin(), thirds{}, counts.begin());
  EXPECT_EQ(counts, (std::vector<int>{0, 0, 0}));
}

TEST(histogram_errors, say_what_is_wrong)
{
  auto const message = [](auto call) {
    try {
      call();
    } catch (tally::usage_error const& e) {
      return std::string(e.what());
    }
    return std::string("nothing thrown");
  };
  double const infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(message([] { tally::even_bins(0, 1, 0); }), "tally: a histogram of 0 bins; it has 1 to 2147483644");
  EXPECT_EQ(message([] { tally::even_bins(2.5, -1e300, 5); }),
            "tally: bins from 2.5 to -1e+300; the range must be finite, and begin below its end");
  for (auto const& [lower, upper] : {std::pair{1.0, 1.0}, {0.0, infinity}, {-1e308, 1e308}, {std::nan(""), 1.0}})
    EXPECT_THROW(tally::even_bins(lower, upper, 5), tally::usage_error) << lower << " to " << upper;
  float const edge = 1;
  EXPECT_THROW(tally::edge_bins(&edge, 1), tally::usage_error);
}

}  // namespace
