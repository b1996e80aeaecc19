// The radix sort against std::stable_sort with the same order of zeros and NaNs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "../support/bits.hpp"
#include "../support/generator.hpp"
#include "../support/sizes.hpp"
#include "sorted_keys.hpp"
#include "tally/algorithms/radix_sort.hpp"
#include "tally/half.hpp"

namespace {

using tally::test::before;
using tally::test::key_sequences;
using tally::test::random_bits;

/// Sizes around groups of four, around blocks, and around the least size that threads share.
std::vector<std::size_t> const sizes =
    tally::test::some_of({0, 1, 2, 3, 5, 255, 257, 16383, 16384, 16385, 32769, 50'000});

/// The values are the indices of the keys. They show that the sort is stable, and tell NaNs apart.
template <class T, class Order>
void expect_sorted(std::vector<T> const& keys, Order order, tally::cpu on)
{
  std::size_t const n = keys.size();
  std::vector<std::uint32_t> expected(n);
  std::iota(expected.begin(), expected.end(), 0u);
  std::stable_sort(expected.begin(), expected.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return before<T>(keys[a], keys[b], order); });
  std::vector<T> expected_keys(n);
  for (std::size_t k = 0; k < n; ++k) expected_keys[k] = keys[expected[k]];

  std::vector<T> own = keys;
  std::vector<std::uint32_t> from(n);
  std::iota(from.begin(), from.end(), 0u);
  if constexpr (std::is_same_v<T, bool>) {  // std::vector<bool> is not contiguous
    auto const room = std::make_unique<bool[]>(n + 1);
    std::copy(own.begin(), own.end(), room.get());
    tally::radix_sort_by_key(on, room.get(), room.get() + n, from.data(), order);
    std::copy(room.get(), room.get() + n, own.begin());
  } else {
    tally::radix_sort_by_key(on, own, from, order);
  }
  ASSERT_EQ(from, expected);
  if constexpr (!std::is_same_v<T, bool>) {
    EXPECT_TRUE(tally::test::same_bits(own, expected_keys));
    own = keys;
    tally::radix_sort(on, own.begin(), own.end(), order);
    EXPECT_TRUE(tally::test::same_bits(own, expected_keys));
  } else {
    EXPECT_EQ(own, expected_keys);
  }
}

template <class T>
class radix_sort : public testing::Test {};
#ifdef TALLY_TEST_BRIEFLY
using types = testing::Types<bool, std::int64_t, float, tally::half>;
#else
using types = testing::Types<bool, std::int8_t, std::uint16_t, char16_t, std::int32_t, std::uint32_t, std::int64_t,
                             std::uint64_t, float, double, tally::half, tally::bfloat16>;
#endif
TYPED_TEST_SUITE(radix_sort, types);

TYPED_TEST(radix_sort, is_the_stable_sort)
{
  for (std::size_t const n : sizes) {
    std::size_t which = 0;
    for (auto const& keys : key_sequences<TypeParam>(n)) {
      SCOPED_TRACE(std::to_string(n) + " keys, sequence " + std::to_string(which));
      expect_sorted(keys, std::less<>{}, tally::cpu{which % 2 == 0 ? 0 : 3});
      expect_sorted(keys, std::greater<>{}, tally::cpu{1});
      ++which;
    }
  }
}

TYPED_TEST(radix_sort, has_a_last_number_behind_which_none_comes)
{
  using up = tally::detail::radix_sort::ordered_bits<TypeParam, std::less<>>;
  using down = tally::detail::radix_sort::ordered_bits<TypeParam, std::greater<>>;
  auto const last = up{}(tally::detail::radix_sort::last_in_order<TypeParam, std::less<>>());
  auto const last_down = down{}(tally::detail::radix_sort::last_in_order<TypeParam, std::greater<>>());
  for (auto const& keys : key_sequences<TypeParam>(1000))
    for (TypeParam const key : keys) {
      EXPECT_LE(up{}(key), last);
      EXPECT_LE(down{}(key), last_down);
    }
  // Each digit of it is the greatest one, too.
  if constexpr (!std::is_same_v<TypeParam, bool>) {
    EXPECT_EQ(last, static_cast<decltype(last)>(~decltype(last){0}));
    EXPECT_EQ(last_down, last);
  }
}

TEST(radix_sort_of_bits, compares_these_and_no_others)
{
  std::size_t const n = 20'000;
  std::vector<std::uint32_t> keys(n);
  for (std::size_t k = 0; k < n; ++k) keys[k] = static_cast<std::uint32_t>(random_bits(9, k));
  for (auto const& [first, last] : {std::pair{0, 32}, {0, 1}, {31, 32}, {5, 5}, {3, 12}, {4, 27}, {8, 99}, {32, 40}}) {
    int const end = std::min(last, 32);
    auto const part = [&](std::uint32_t x) {
      return first == end ? 0 : (x >> first) & static_cast<std::uint32_t>((std::uint64_t{1} << (end - first)) - 1);
    };
    auto expected = keys, own = keys;
    std::stable_sort(expected.begin(), expected.end(), [&](auto a, auto b) { return part(a) < part(b); });
    tally::radix_sort(own.begin(), own.end(), std::less<>{}, tally::bit_range{first, last});
    EXPECT_EQ(own, expected) << first << " to " << last;
    std::stable_sort(expected.begin(), expected.end(), [&](auto a, auto b) { return part(a) > part(b); });
    tally::radix_sort(own, std::greater<>{}, tally::bit_range{first, last});
    EXPECT_EQ(own, expected) << first << " to " << last << ", descending";
  }
}

/// Order is checked block by block. Here only two neighbours are out of order, at the ends of blocks too.
TEST(radix_sort_of_bits, sees_disorder_between_blocks)
{
  std::vector<std::uint32_t> sorted(3 * 4096);
  std::iota(sorted.begin(), sorted.end(), 0u);
  for (std::size_t const at : {std::size_t{1}, std::size_t{4096}, std::size_t{8192}, sorted.size() - 1}) {
    auto keys = sorted;
    std::swap(keys[at - 1], keys[at]);
    tally::radix_sort(tally::cpu{2}, keys);
    EXPECT_EQ(keys, sorted) << at;
  }
}

TEST(radix_sort_of_values, moves_what_can_be_copied_as_bytes)
{
  struct person {
    char name[12];
    int age;
  };
  std::vector<int> keys = {3, -1, 2, -1};
  std::vector<person> people = {{"c", 3}, {"a", 1}, {"b", 2}, {"d", 4}};
  tally::radix_sort_by_key(keys, people);
  EXPECT_EQ(keys, (std::vector<int>{-1, -1, 2, 3}));
  EXPECT_EQ(std::string(people[0].name) + people[1].name + people[2].name + people[3].name, "adbc");
}

TEST(radix_sort_errors, say_what_is_wrong)
{
  std::vector<int> keys(10), values(9);
  auto const message = [](auto call) {
    try {
      call();
    } catch (tally::usage_error const& e) {
      return std::string(e.what());
    }
    return std::string("nothing thrown");
  };
  EXPECT_EQ(message([&] { tally::radix_sort(keys, std::less<>{}, tally::bit_range{3, 2}); }),
            "tally::radix_sort: the bits [3, 2); they must begin at 0 or above, and not end before they begin");
  EXPECT_EQ(message([&] { tally::radix_sort(keys, std::less<>{}, tally::bit_range{-1, 2}); }).substr(0, 36),
            "tally::radix_sort: the bits [-1, 2);");
  EXPECT_EQ(message([&] { tally::radix_sort_by_key(keys, values); }),
            "tally::radix_sort_by_key: 9 values for 10 keys; there must be at least as many");
  EXPECT_THROW(tally::radix_sort(tally::cpu{-1}, keys), tally::usage_error);
}

}  // namespace
