// The radix sort by teams, as a GPU runs it, here by teams of one thread: against std::stable_sort.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "../support/bits.hpp"
#include "../support/generator.hpp"
#include "sorted_keys.hpp"
#include "tally/detail/radix_sort/device.hpp"
#include "tally/detail/radix_sort/sort.hpp"

namespace {

using tally::detail::radix_sort::block_of_team;
using tally::detail::radix_sort::no_value;
using tally::detail::radix_sort::sort_by_passes;
using tally::detail::radix_sort::team_steps;
using tally::test::before;
using tally::test::key_sequences;
using tally::test::random_bits;

template <class Key>
constexpr int width = 8 * static_cast<int>(sizeof(Key));

/// A value of `Words` words of four bytes, which follow from the index of its key.
template <std::size_t Words>
struct origin {
  std::array<std::uint32_t, Words> words;

  static origin of(std::size_t k)
  {
    origin all;
    for (std::size_t w = 0; w < Words; ++w) all.words[w] = static_cast<std::uint32_t>(k + w * 1'000'003);
    return all;
  }
  friend bool operator==(origin const&, origin const&) = default;
};
/// A value whose size is no multiple of an alignment.
struct nine_bytes {
  std::array<std::uint8_t, 9> bytes;

  static nine_bytes of(std::size_t k)
  {
    nine_bytes all;
    for (std::size_t b = 0; b < 9; ++b) all.bytes[b] = static_cast<std::uint8_t>(k >> (b % 3 * 8));
    return all;
  }
  friend bool operator==(nine_bytes const&, nine_bytes const&) = default;
};

/// Sizes around rows of 32, and around the blocks of a team.
template <class Key>
std::vector<std::size_t> sizes()
{
  std::size_t const block = block_of_team<Key>;
  return {0, 1, 2, 3, 31, 32, 33, block - 1, block, block + 1, 3 * block + 17};
}

/// The indices of the keys in their sorted order.
template <class Key, class Order>
std::vector<std::size_t> sorted_origins(std::vector<Key> const& keys)
{
  std::vector<std::size_t> origins(keys.size());
  std::iota(origins.begin(), origins.end(), std::size_t{0});
  std::stable_sort(origins.begin(), origins.end(),
                   [&](std::size_t a, std::size_t b) { return before<Key>(keys[a], keys[b], Order{}); });
  return origins;
}

template <class Index, class Order, class Value, class Key>
void expect_sorted(std::vector<Key> keys, std::vector<std::size_t> const& origins)
{
  std::size_t const n = keys.size();
  std::vector<Key> expected(n);
  for (std::size_t k = 0; k < n; ++k) expected[k] = keys[origins[k]];
  if constexpr (std::is_same_v<Value, no_value>) {
    sort_by_passes<Index, Order>(tally::cpu{2}, team_steps{}, keys.data(), static_cast<no_value*>(nullptr), n, 0,
                                 width<Key>);
  } else {
    std::vector<Value> values(n), expected_values(n);
    for (std::size_t k = 0; k < n; ++k) {
      values[k] = Value::of(k);
      expected_values[k] = Value::of(origins[k]);
    }
    sort_by_passes<Index, Order>(tally::cpu{2}, team_steps{}, keys.data(), values.data(), n, 0, width<Key>);
    EXPECT_TRUE(values == expected_values) << n << " values of " << sizeof(Value) << " bytes";
  }
  EXPECT_TRUE(tally::test::same_bits(keys, expected)) << n << " keys";
}

template <class Key>
class team_sort : public testing::Test {};
using keys_of_all_sizes = testing::Types<std::uint8_t, std::int16_t, std::uint32_t, float, std::int64_t, double>;
TYPED_TEST_SUITE(team_sort, keys_of_all_sizes);

TYPED_TEST(team_sort, is_the_stable_sort)
{
  using up = std::less<>;
  using down = std::greater<>;
  for (std::size_t const n : sizes<TypeParam>()) {
    std::size_t which = 0;
    for (auto const& keys : key_sequences<TypeParam>(n)) {
      SCOPED_TRACE("sequence " + std::to_string(which++));
      auto const ascending = sorted_origins<TypeParam, up>(keys);
      expect_sorted<std::uint32_t, up, no_value>(keys, ascending);
      expect_sorted<std::uint32_t, up, origin<1>>(keys, ascending);
      expect_sorted<std::uint32_t, up, origin<2>>(keys, ascending);
      expect_sorted<std::uint32_t, up, origin<6>>(keys, ascending);
      expect_sorted<std::uint64_t, down, nine_bytes>(keys, sorted_origins<TypeParam, down>(keys));
    }
  }
}

/// The first and the last digit may be shorter than eight bits.
TEST(team_sort_of_bits, compares_these_and_no_others)
{
  std::size_t const n = 20'000;
  std::vector<std::uint32_t> keys(n);
  for (std::size_t k = 0; k < n; ++k) keys[k] = static_cast<std::uint32_t>(random_bits(9, k));
  for (auto const& [first, last] : {std::pair{0, 32}, {0, 1}, {31, 32}, {5, 5}, {3, 12}, {4, 27}}) {
    auto const part = [&](std::uint32_t x) {
      return (x >> first) & static_cast<std::uint32_t>((std::uint64_t{1} << (last - first)) - 1);
    };
    auto expected = keys, own = keys;
    std::stable_sort(expected.begin(), expected.end(),
                     [&](auto a, auto b) { return first != last && part(a) < part(b); });
    sort_by_passes<std::uint32_t, std::less<>>(tally::cpu{2}, team_steps{}, own.data(), static_cast<no_value*>(nullptr),
                                               n, first, last);
    EXPECT_TRUE(own == expected) << first << " to " << last;
  }
}

/// The bits that all keys have and that any has, and whether keys are out of order, at the ends of blocks too.
TEST(team_steps, find_the_bits_that_differ)
{
  using summarise = tally::detail::radix_sort::summarise_keys<std::uint32_t, std::less<>>;
  std::size_t const block = tally::detail::radix_sort::summarise_by_team<std::uint32_t, std::less<>>::block;
  for (std::uint32_t const mask : {0xffffffffu, 0x0000ff00u})
    for (std::size_t const n : {std::size_t{0}, std::size_t{1}, std::size_t{9}, block, 2 * block, 2 * block + 5})
      for (std::size_t const swapped : {std::size_t{0}, std::size_t{1}, block, n - 1}) {
        if (swapped >= n) continue;
        std::vector<std::uint32_t> keys(n);
        for (std::size_t k = 0; k < n; ++k) keys[k] = 0x10203u + (static_cast<std::uint32_t>(k) << 8);
        if (swapped > 0) std::swap(keys[swapped - 1], keys[swapped]);
        std::uint32_t all = ~0u, any = 0;
        for (std::uint32_t const key : keys) {
          all &= key & mask;
          any |= key & mask;
        }
        auto const found = team_steps::summarise(tally::cpu{2}, summarise{keys.data(), mask}, keys.size());
        EXPECT_EQ(found.all, all) << n;
        EXPECT_EQ(found.any, any) << n;
        bool const disorder = std::adjacent_find(keys.begin(), keys.end(),
                                                 [&](auto a, auto b) { return (a & mask) > (b & mask); }) != keys.end();
        EXPECT_EQ(found.disorder, disorder) << n << " keys, " << swapped << " swapped with the one before it";
      }
  auto const nothing = team_steps::summarise(tally::cpu{2}, summarise{nullptr, ~0u}, 0);
  EXPECT_EQ(nothing.all, ~0u);
  EXPECT_EQ(nothing.any, 0u);
  EXPECT_FALSE(nothing.disorder);
}

}  // namespace
