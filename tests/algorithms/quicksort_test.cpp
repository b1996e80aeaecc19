// The quicksort by segmented scans against std::stable_sort, level by level.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "../support/generator.hpp"
#include "sorted_keys.hpp"
#include "tally/algorithms/quicksort.hpp"
#include "tally/algorithms/radix_sort.hpp"
#include "tally/half.hpp"

namespace {

using tally::test::random_bits;

/// Sizes around the blocks in which order is checked, around tiles, and around the least size that threads share.
std::vector<std::size_t> const sizes = {0, 1, 2, 3, 8, 31, 1000, 4095, 4096, 4097, 20'001};

/// A key and its index in the input, which the order ignores.
struct labelled {
  std::int32_t key;
  std::uint32_t from;
  friend bool operator==(labelled const&, labelled const&) = default;
};
struct by_key {
  bool operator()(labelled const& a, labelled const& b) const { return a.key < b.key; }
};
struct by_key_descending {
  bool operator()(labelled const& a, labelled const& b) const { return a.key > b.key; }
};

std::vector<std::vector<labelled>> sequences(std::size_t n)
{
  std::vector<std::vector<labelled>> all(6, std::vector<labelled>(n));
  for (std::size_t k = 0; k < n; ++k) {
    auto const at = static_cast<std::int32_t>(k), end = static_cast<std::int32_t>(n);
    std::uint64_t const random = random_bits(8, k);
    std::int32_t const keys[] = {static_cast<std::int32_t>(random),
                                 7,
                                 at,
                                 end - at,
                                 static_cast<std::int32_t>(random % 3),
                                 std::min(at, end - at)};
    for (std::size_t s = 0; s < all.size(); ++s) all[s][k] = {keys[s], static_cast<std::uint32_t>(k)};
  }
  return all;
}

template <class Order>
void expect_sorted(std::vector<labelled> const& keys, Order order)
{
  auto expected = keys;
  std::stable_sort(expected.begin(), expected.end(), order);
  auto own = keys;
  std::size_t const levels = tally::quicksort(own, order);
  ASSERT_EQ(own, expected) << keys.size();
  if (keys.size() > 1) {
    EXPECT_LE(levels, 5 * std::log(static_cast<double>(keys.size())) + 2) << keys.size();
  }
  EXPECT_EQ(levels == 0, std::is_sorted(keys.begin(), keys.end(), order));
  for (int const threads : {0, 1, 3}) {
    own = keys;
    EXPECT_EQ(tally::quicksort(tally::cpu{threads}, own.begin(), own.end(), order), levels);
    ASSERT_EQ(own, expected) << keys.size() << " on " << threads;
  }
}

TEST(quicksort, is_the_stable_sort)
{
  for (std::size_t const n : sizes)
    for (auto const& keys : sequences(n)) {
      expect_sorted(keys, by_key{});
      expect_sorted(keys, by_key_descending{});
    }
}

TEST(quicksort, orders_numbers_by_itself)
{
  std::vector<double> keys = {6, 3, 8, 1, 7, 2, 5, 4};
  tally::quicksort(keys);
  EXPECT_EQ(keys, (std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8}));
  tally::quicksort(keys.data(), keys.data() + keys.size(), std::greater<>{});
  EXPECT_EQ(keys, (std::vector<double>{8, 7, 6, 5, 4, 3, 2, 1}));
}

/// Compares bytes, so that NaNs are compared as well.
template <class T>
bool same_bytes(std::vector<T> const& a, std::vector<T> const& b)
{
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

template <class T>
class quicksort_of_numbers : public testing::Test {};
#ifdef TALLY_TEST_BRIEFLY
using numbers = testing::Types<std::int32_t, double, tally::half>;
#else
using numbers = testing::Types<std::int32_t, float, double, tally::half, tally::bfloat16>;
#endif
TYPED_TEST_SUITE(quicksort_of_numbers, numbers);

template <class T, class Order>
void expect_total_order(std::vector<T> const& keys, Order order)
{
  auto expected = keys;
  std::stable_sort(expected.begin(), expected.end(), [&](T a, T b) {
    return tally::test::before(
        a, b, std::conditional_t<tally::detail::sorting::ascends<Order, T>, std::less<>, std::greater<>>{});
  });
  for (int const threads : {1, 3}) {
    auto own = keys;
    tally::quicksort(tally::cpu{threads}, own, order);
    ASSERT_TRUE(same_bytes(own, expected)) << keys.size();
    own = keys;
    tally::radix_sort(own,
                      std::conditional_t<tally::detail::sorting::ascends<Order, T>, std::less<>, std::greater<>>{});
    ASSERT_TRUE(same_bytes(own, expected)) << keys.size();
  }
}

TYPED_TEST(quicksort_of_numbers, has_nans_last_and_the_negative_zero_first)
{
  for (std::size_t const n : {3, 40, 4097}) {
    for (auto const& keys : tally::test::key_sequences<TypeParam>(n)) {
      expect_total_order(keys, std::less<>{});
      expect_total_order(keys, std::greater<>{});
#ifndef TALLY_TEST_BRIEFLY
      expect_total_order(keys, std::less<TypeParam>{});
      expect_total_order(keys, std::ranges::greater{});
#endif
    }
  }
}

TEST(quicksort, orders_numbers_around_a_nan)
{
  double const nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> keys = {99, nan, -7};
  EXPECT_GT(tally::quicksort(keys), 0u);
  EXPECT_EQ(keys[0], -7);
  EXPECT_EQ(keys[1], 99);
  EXPECT_TRUE(std::isnan(keys[2]));
  EXPECT_EQ(tally::quicksort(keys), 0u);  // it is sorted
  std::vector<long double> wide = {0.0L, static_cast<long double>(-nan), -0.0L, 1, static_cast<long double>(nan), -1};
  tally::quicksort(wide, std::greater<>{});
  EXPECT_EQ(wide[0], 1);
  EXPECT_TRUE(wide[1] == 0 && !std::signbit(wide[1]));
  EXPECT_TRUE(wide[2] == 0 && std::signbit(wide[2]));
  EXPECT_EQ(wide[3], -1);
  EXPECT_TRUE(std::isnan(wide[4]) && std::signbit(wide[4]) && std::isnan(wide[5]) && !std::signbit(wide[5]));
}

/// Order is checked block by block. Here only neighbours in two different blocks are out of order.
TEST(quicksort, sees_disorder_between_blocks)
{
  std::vector<int> keys(3 * 4096), sorted(keys.size());
  for (std::size_t k = 0; k < keys.size(); ++k) sorted[k] = static_cast<int>(k);
  for (std::size_t const at : {std::size_t{4096}, std::size_t{8192}, keys.size() - 1, std::size_t{1}}) {
    keys = sorted;
    std::swap(keys[at - 1], keys[at]);
    EXPECT_GT(tally::quicksort(tally::cpu{2}, keys), 0u) << at;
    EXPECT_EQ(keys, sorted) << at;
  }
}

/// After every level no key is in a segment before that of a lesser key, and each level makes more segments.
TEST(segmented_quicksort, partitions_all_segments_at_once)
{
  auto keys = sequences(1000)[0];
  auto const given = keys;
  tally::detail::quicksort::segmented_quicksort sort(tally::cpu{2}, keys.data(), keys.size(), by_key{});
  std::size_t segments = 1;
  while (!sort.sorted()) {
    sort.step();
    std::size_t heads = 0;
    std::int32_t greatest = given[0].key, greatest_before = greatest;
    for (std::size_t k = 0; k < keys.size(); ++k) {
      labelled const& key = sort.keys()[k];
      ASSERT_EQ(key, given[key.from]);
      ASSERT_LE(sort.heads()[k], 1);
      if (sort.heads()[k] != 0) {
        greatest_before = greatest;
        greatest = key.key;
        ++heads;
      }
      if (heads > 1) {
        ASSERT_LT(greatest_before, key.key) << "at " << k << " of level " << sort.levels();
      }
      greatest = std::max(greatest, key.key);
    }
    EXPECT_EQ(sort.heads()[0], 1);
    EXPECT_GT(heads, segments) << "level " << sort.levels();
    segments = heads;
  }
}

TEST(quicksort_errors, say_what_is_wrong)
{
  std::vector<int> keys = {2, 1};
  EXPECT_THROW(tally::quicksort(tally::cpu{-1}, keys), tally::usage_error);
  try {
    tally::detail::quicksort::segmented_quicksort<tally::cpu, int, std::less<>>(tally::cpu{}, nullptr,
                                                                                std::size_t{1} << 32, {});
    FAIL() << "nothing thrown";
  } catch (tally::usage_error const& e) {
    EXPECT_STREQ(e.what(), "tally: quicksort: 4294967296 keys; it takes fewer than 2^32 - 1");
  }
}

}  // namespace
