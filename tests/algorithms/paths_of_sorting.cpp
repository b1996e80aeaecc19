// Paths of the radix sort and of the quicksort.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <type_traits>
#include <vector>

#include "paths.hpp"
#include "sorted_keys.hpp"
#include "tally/algorithms/quicksort.hpp"
#include "tally/algorithms/radix_sort.hpp"

namespace tally::test {

namespace {

/// The indices of the keys in their stable order.
template <class Key, class Order>
std::vector<std::uint32_t> origins(std::vector<Key> const& keys, Order order)
{
  std::vector<std::uint32_t> from(keys.size());
  std::iota(from.begin(), from.end(), 0u);
  std::stable_sort(from.begin(), from.end(), [&](auto a, auto b) { return before(keys[a], keys[b], order); });
  return from;
}

template <class Key>
bool same(Key const* own, std::vector<Key> const& keys, std::vector<std::uint32_t> const& from)
{
  for (std::size_t k = 0; k < keys.size(); ++k)
    if (std::memcmp(own + k, &keys[from[k]], sizeof(Key)) != 0) return false;
  return true;
}

template <class Key, class Order>
void sort_one(std::vector<Key> const& keys, Order order, output<Key>& out, output<std::uint32_t>& values)
{
  std::size_t const n = keys.size();
  auto const from = origins(keys, order);
  on_one_and_sometimes_three(n, [&](cpu on) {
    Key* const own = out.poisoned(n, n % 64);
    std::copy(keys.begin(), keys.end(), own);
    tally::radix_sort(on, own, own + n, order);
    ASSERT_TRUE(same(own, keys, from) && out.guards_intact())
        << n << " of " << sizeof(Key) << " bytes on " << on.threads;
    Key* const again = out.poisoned(n, n % 61);
    std::uint32_t* const with = values.poisoned(n, n % 16);
    std::copy(keys.begin(), keys.end(), again);
    std::iota(with, with + n, 0u);
    tally::radix_sort_by_key(on, again, again + n, with, order);
    ASSERT_TRUE(same(again, keys, from) && out.guards_intact())
        << n << " of " << sizeof(Key) << " bytes on " << on.threads;
    ASSERT_TRUE(values.is(from)) << n;
  });
}

template <class Key>
void sort_all()
{
  output<Key> out(10'000);
  output<std::uint32_t> values(10'000);
  auto const any = random_values<Key>(10'000, 21);
  for (std::size_t const n : every_size(300, {512, 1024, 1028, 1536, 4096}, 3)) {
    std::vector<Key> const keys(any.begin(), any.begin() + static_cast<std::ptrdiff_t>(n));
    if (n % 2 == 0)
      sort_one(keys, std::less<>{}, out, values);
    else
      sort_one(keys, std::greater<>{}, out, values);
  }
  for (std::size_t const n : {2, 63, 64, 65, 129, 700})
    for (auto const& keys : key_sequences<Key>(n)) {
      sort_one(keys, std::less<>{}, out, values);
      sort_one(keys, std::greater<>{}, out, values);
    }
}

/// Sorts by digits that begin and end at any bit.
void sort_by_bits()
{
  auto const any = random_values<std::uint32_t>(3000, 22);
  for (std::size_t const n : {2, 100, 300, 1500})
    for (int first = 0; first < 32; ++first)
      for (int const width : {0, 1, 7, 8, 9, 16, 17, 32}) {
        int const last = std::min(32, first + width);
        auto const part = [=](std::uint32_t x) {
          return first == last ? 0
                               : static_cast<std::uint32_t>((std::uint64_t{x} >> first) &
                                                            ((std::uint64_t{1} << (last - first)) - 1));
        };
        std::vector<std::uint32_t> own(any.begin(), any.begin() + static_cast<std::ptrdiff_t>(n)), expected = own;
        std::stable_sort(expected.begin(), expected.end(), [&](auto a, auto b) { return part(a) < part(b); });
        tally::radix_sort(cpu{1}, own, std::less<>{}, {first, last});
        ASSERT_TRUE(own == expected) << n << ": " << first << " to " << last;
      }
}

/// Sorts with counts of any type: they have 64 bits from 2^32 keys on.
template <class Key, class Index>
void sort_by(std::vector<std::size_t> const& sizes)
{
  auto const any = random_values<Key>(30'000, 23);
  for (std::size_t const n : sizes) {
    std::vector<Key> keys(any.begin(), any.begin() + static_cast<std::ptrdiff_t>(n)), own = keys;
    detail::radix_sort::sort_by_passes<Index, std::less<>>(cpu{n % 7 == 3 ? 3 : 1}, own.data(),
                                                           static_cast<detail::radix_sort::no_value*>(nullptr), n, 0,
                                                           8 * static_cast<int>(sizeof(Key)));
    ASSERT_TRUE(same(own.data(), keys, origins(keys, std::less<>{}))) << n;
  }
}

/// A key and its index in the input, which the order ignores.
struct card {
  std::uint32_t key;
  std::uint32_t origin;
  friend bool operator==(card const&, card const&) = default;
};
struct by_key {
  bool operator()(card const& a, card const& b) const { return a.key < b.key; }
};

void quicksort_one(std::vector<card> const& cards, output<card>& out)
{
  std::vector<card> expected = cards;
  std::stable_sort(expected.begin(), expected.end(), by_key{});
  on_one_and_sometimes_three(expected.size(), [&](cpu on) {
    card* const own = out.poisoned(cards.size(), cards.size() % 8);
    std::copy(cards.begin(), cards.end(), own);
    tally::quicksort(on, own, own + cards.size(), by_key{});
    ASSERT_TRUE(out.is(expected)) << cards.size() << " on " << on.threads;
  });
}

void quicksort_all()
{
  output<card> out(10'000);
  for (std::size_t const n : every_size(70, {4096, 8192}, 1))
    for (std::uint32_t const different : {1u, 2u, 5u, 1000u}) {
      std::vector<card> cards(n);
      for (std::uint32_t k = 0; k < n; ++k) cards[k] = {static_cast<std::uint32_t>(random_bits(n, k) % different), k};
      quicksort_one(cards, out);
    }
  // Keys in order except for two neighbours, at each place, in and between the blocks in which order is checked.
  for (std::size_t const n : {std::size_t{40}, std::size_t{4097}, std::size_t{8193}})
    for (std::size_t const at : every_size(38, {4095}, 2)) {
      if (at + 1 >= n) continue;
      std::vector<card> cards(n);
      for (std::uint32_t k = 0; k < n; ++k) cards[k] = {k, k};
      std::swap(cards[at], cards[at + 1]);
      if (n < 100 || at > 4000) quicksort_one(cards, out);
    }
}

}  // namespace

TEST(paths_of_applications, sorting)
{
  sort_all<std::uint8_t>();
  sort_all<std::int16_t>();
  sort_all<std::uint32_t>();
  sort_all<float>();
  sort_all<std::int64_t>();
  sort_by_bits();
  sort_by<std::uint32_t, std::uint64_t>(every_size(130, {512}, 3));
  quicksort_all();
}

}  // namespace tally::test
