#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "tally/detail/path.hpp"
#include "tally/detail/radix_sort/digits.hpp"
#include "tally/detail/radix_sort/ordered_bits.hpp"
#include "tally/detail/radix_sort/teams.hpp"
#include "tally/error.hpp"
#include "tally/for_each.hpp"
#include "tally/reduce.hpp"
#include "tally/scan.hpp"
#include "tally/sequences.hpp"
#include "tally/temporary.hpp"

namespace tally {

/// The bits [first, last) of keys, of which bit 0 is worth the least. `last` may be beyond a key's highest.
struct bit_range {
  int first = 0;
  int last = std::numeric_limits<int>::max();
};

namespace detail {

template <class Key, class Value>
struct copy_sorted {
  Key const* keys;
  Value const* values;
  Key* keys_to;
  Value* values_to;

  TALLY_HD void operator()(std::size_t k) const
  {
    keys_to[k] = keys[k];
    if constexpr (!std::is_same_v<Value, no_value>) values_to[k] = values[k];
  }
};

/// The bits of `range` by which some keys differ; none if all are in order. No pass is needed for the others.
template <class Digits, class Order, class P, class Key>
auto differing_bits(P const& on, Key const* keys, std::size_t n, bit_range range)
{
  using bits = typename ordered_bits<Key, Order>::bits;
  int const width = range.last - range.first;
  if (width == 0) return bits{0};
  constexpr auto every = static_cast<bits>(~bits{0});
  auto const mask =
      static_cast<bits>(static_cast<bits>(every >> (ordered_bits<Key, Order>::width - width)) << range.first);
  auto const all = Digits::template seen<Order>(on, seen_in_block<Key, Order>{keys, mask}, n);
  return all.disorder ? static_cast<bits>(all.any & static_cast<bits>(~all.all)) : bits{0};
}

/// `Digits` says how long a digit is, and how a block of keys is counted and moved (radix_digits.hpp, radix_teams.hpp).
template <class Digits, class Index, class Order, class P, class Key, class Value>
void radix_passes(P const& on, Key* keys, Value* values, std::size_t n, bit_range range)
{
  using pass = radix_pass<Key, Value, Order, Index>;
  constexpr bool with_values = !std::is_same_v<Value, no_value>;

  auto const differing = differing_bits<Digits, Order>(on, static_cast<Key const*>(keys), n, range);
  auto const differs = [&](int bit) { return ((differing >> bit) & 1) != 0; };
  auto const next_of = [&](int bit) {
    while (bit < range.last && !differs(bit)) ++bit;
    return bit;
  };
  int shift = next_of(range.first);
  if (shift == range.last) {
    took("radix sort: in order already");
    return;
  }

  std::size_t const block = Digits::block(n), blocks = n / block + (n % block != 0);
  temporary<Key, P> const other_keys(on, n);
  temporary<Value, P> const other_values(on, with_values ? n : 0);
  temporary<Index, P> const places(on, Digits::digits * blocks);
  took(blocks == 1 ? "radix sort: one block" : "radix sort: several blocks");
  took(sizeof(Index) == 4 ? "radix sort: counts of 32 bits" : "radix sort: counts of 64 bits");
  took(with_values ? "radix sort: with values" : "radix sort: keys alone");
  pass each{keys, values, other_keys.data(), other_values.data(), places.data(), block, blocks, {}};

  bool sorted_in_room = false;
  for (; shift < range.last; shift = next_of(shift + Digits::digit_bits)) {
    int const width = range.last - shift < Digits::digit_bits ? range.last - shift : Digits::digit_bits;
    took(width < Digits::digit_bits ? "radix sort: a short digit" : "radix sort: a whole digit");
    each.digit = {shift, (1u << width) - 1};
    std::size_t const counters = (std::size_t{1} << width) * blocks;
    Digits::count(on, n, each);
    tally::exclusive_scan(on, places.data(), places.data() + counters, places.data(), Index{0});
    Digits::scatter(on, n, each);
    sorted_in_room = !sorted_in_room;
    each.keys = sorted_in_room ? other_keys.data() : keys;
    each.sorted_keys = sorted_in_room ? keys : other_keys.data();
    each.values = sorted_in_room ? other_values.data() : values;
    each.sorted_values = sorted_in_room ? values : other_values.data();
  }
  took(sorted_in_room ? "radix sort: copied back" : "radix sort: ends where it began");
  if (sorted_in_room) tally::for_each_index(on, n, copy_sorted<Key, Value>{each.keys, each.values, keys, values});
}

template <class P, class I, class S, class Value, class Order>
void radix_sort_all(P const& on, I first, S last, Value* values, Order const&, bit_range range)
{
  static_assert(std::contiguous_iterator<I>, "tally: radix_sort takes keys that are contiguous in memory");
  using key = std::iter_value_t<I>;
  static_assert(has_ordered_bits<key>,
                "tally: radix_sort takes integers and IEEE 754 numbers of 1, 2, 4 or 8 bytes as keys");
  static_assert(ascends<Order, key> || descends<Order, key>,
                "tally: radix_sort orders by std::less<> or std::greater<>");
  constexpr int width = ordered_bits<key, Order>::width;
  if (range.first < 0 || range.last < range.first)
    throw usage_error("tally::radix_sort: the bits [" + std::to_string(range.first) + ", " +
                      std::to_string(range.last) + "); they must begin at 0 or above, and not end before they begin");
  if (range.last > width) range.last = width;
  if (range.first > width) range.first = width;
  using digits = std::conditional_t<host<P>, tabulated_digits, team_digits<key, Value>>;
  auto const n = static_cast<std::size_t>(last - first);
  if (n < 2) return;
  if (n <= std::numeric_limits<std::uint32_t>::max())
    radix_passes<digits, std::uint32_t, Order>(on, std::to_address(first), values, n, range);
  else
    radix_passes<digits, std::uint64_t, Order>(on, std::to_address(first), values, n, range);
}

}  // namespace detail

/// Sorts [first, last), stably: equal keys keep their order.
///
///     radix_sort([on,] first, last [, order [, bits]])        radix_sort([on,] range [, order [, bits]])
///
/// `order` is std::less<>{} or std::greater<>{}; `bits` the bits that are compared, all unless they are given.
///
/// Requires  contiguous integers, bool, float, double, half or bfloat16.
/// Result    -0.0 before +0.0 (behind it in descending order); NaNs last in either order, as they came. Bits are those
///           of the order: a signed integer's highest is its sign, reversed; a negative floating-point number's are all
///           reversed.
/// Cost      one reduction, which finds the bits by which keys differ, and keys that are sorted already. Then for each
///           8 bits each key is read twice and written once. O(n b / p) on p threads, for b differing bits.
/// Memory    n keys, and a byte for each 16 of them (1 KiB at least; on a GPU a byte for each 8, for each 4 if they have
///           8 bytes), as `temporary`.
/// Blocks    until all is sorted; on a GPU until the reduction's value is known.
/// Throws    usage_error, std::bad_alloc, cuda_error; the last two only before anything is moved.
/// Source    Hollerith (1887); Blelloch, Prefix sums and their applications (1990), section 1.3; Zagha & Blelloch,
///           Radix sort for vector multiprocessors (1991) for blocks of keys.
template <execution P, detail::iterator I, detail::end_of<I> S, class Order = std::less<>>
void radix_sort(P const& on, I first, S last, Order order = {}, bit_range bits = {})
{
  detail::radix_sort_all(on, std::move(first), std::move(last), static_cast<detail::no_value*>(nullptr), order, bits);
}

template <execution P, detail::range R, class Order = std::less<>>
void radix_sort(P const& on, R&& keys, Order order = {}, bit_range bits = {})
{
  tally::radix_sort(on, std::ranges::begin(keys), std::ranges::end(keys), order, bits);
}

/// Sorts [first, last) and moves `values[k]` with `first[k]`. As `radix_sort` otherwise.
///
///     radix_sort_by_key([on,] first, last, values [, order [, bits]])        radix_sort_by_key([on,] keys, values [, order [, bits]])
///
/// Requires  values are contiguous, at least as many as keys, and can be copied as bytes.
/// Memory    n values more.
template <execution P, detail::iterator I, detail::end_of<I> S, detail::iterator V, class Order = std::less<>>
void radix_sort_by_key(P const& on, I first, S last, V values, Order order = {}, bit_range bits = {})
{
  static_assert(std::contiguous_iterator<V> && std::is_trivially_copyable_v<std::iter_value_t<V>>,
                "tally: radix_sort_by_key takes values that are contiguous in memory and can be copied as bytes");
  detail::radix_sort_all(on, std::move(first), std::move(last), std::to_address(values), order, bits);
}

template <execution P, detail::range R, detail::range V, class Order = std::less<>>
void radix_sort_by_key(P const& on, R&& keys, V&& values, Order order = {}, bit_range bits = {})
{
  if constexpr (std::ranges::sized_range<R> && std::ranges::sized_range<V>)
    if (std::ranges::size(values) < std::ranges::size(keys))
      throw usage_error("tally::radix_sort_by_key: " + std::to_string(std::ranges::size(values)) + " values for " +
                        std::to_string(std::ranges::size(keys)) + " keys; there must be at least as many");
  tally::radix_sort_by_key(on, std::ranges::begin(keys), std::ranges::end(keys), std::ranges::begin(values), order,
                           bits);
}

/// Without an execution argument: on all threads, since nothing of the caller's is called.
TALLY_WITHOUT_EXECUTION(radix_sort, "([on,] first, last [, order [, bits]]) or ([on,] range [, order [, bits]]), where "
                                    "`on` is an execution such as tally::cpu{} and bits a tally::bit_range");
TALLY_WITHOUT_EXECUTION(radix_sort_by_key,
                        "([on,] first, last, values [, order [, bits]]) or ([on,] keys, values [, order [, bits]]), "
                        "where `on` is an execution such as tally::cpu{} and bits a tally::bit_range");

}  // namespace tally
