#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>

#include "tally/detail/path.hpp"
#include "tally/detail/radix_sort/bit_summary.hpp"
#include "tally/detail/radix_sort/host.hpp"
#include "tally/detail/radix_sort/ordered_bits.hpp"
#include "tally/detail/radix_sort/pass.hpp"
#include "tally/detail/sorting/orders.hpp"
#include "tally/error.hpp"
#include "tally/for_each.hpp"
#include "tally/scan.hpp"
#include "tally/temporary.hpp"

namespace tally::detail::radix_sort {

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

/// Returns the bits of [first_bit, end_bit) in which some keys differ, or none if the keys are in order. The other bits
/// need no pass.
template <class Order, class P, class Key>
auto differing_bits(P const& on, Key const* keys, std::size_t n, int first_bit, int end_bit)
{
  using bits = typename ordered_bits<Key, Order>::bits;
  int const width = end_bit - first_bit;
  if (width == 0) return bits{0};
  constexpr auto every = static_cast<bits>(~bits{0});
  auto const mask =
      static_cast<bits>(static_cast<bits>(every >> (ordered_bits<Key, Order>::width - width)) << first_bit);
  auto const found = thread_steps::summarise(on, summarise_keys<Key, Order>{keys, mask}, n);
  return found.disorder ? static_cast<bits>(found.any & static_cast<bits>(~found.all)) : bits{0};
}

/// Sorts by the bits [first_bit, end_bit) on a CPU. Counts are of type `Index`.
template <class Index, class Order, host P, class Key, class Value>
void sort_by_passes(P const& on, Key* keys, Value* values, std::size_t n, int first_bit, int end_bit)
{
  constexpr bool with_values = !std::is_same_v<Value, no_value>;

  auto const differing = differing_bits<Order>(on, static_cast<Key const*>(keys), n, first_bit, end_bit);
  auto const differs = [&](int bit) { return ((differing >> bit) & 1) != 0; };
  auto const next_of = [&](int bit) {
    while (bit < end_bit && !differs(bit)) ++bit;
    return bit;
  };
  int shift = next_of(first_bit);
  if (shift == end_bit) {
    took("radix sort: in order already");
    return;
  }

  std::size_t const block = thread_steps::block(n), blocks = n / block + (n % block != 0);
  temporary<Key, P> const other_keys(on, n);
  temporary<Value, P> const other_values(on, with_values ? n : 0);
  temporary<Index, P> const places(on, digits * blocks);
  took(blocks == 1 ? "radix sort: one block" : "radix sort: several blocks");
  took(sizeof(Index) == 4 ? "radix sort: counts of 32 bits" : "radix sort: counts of 64 bits");
  took(with_values ? "radix sort: with values" : "radix sort: keys alone");
  pass<Key, Value, Order, Index> each{keys,   values, other_keys.data(), other_values.data(), places.data(), block,
                                      blocks, {}};

  bool sorted_in_temporary = false;
  for (; shift < end_bit; shift = next_of(shift + digit_bits)) {
    int const width = end_bit - shift < digit_bits ? end_bit - shift : digit_bits;
    took(width < digit_bits ? "radix sort: a short digit" : "radix sort: a whole digit");
    each.digit = {shift, (1u << width) - 1};
    std::size_t const counters = (std::size_t{1} << width) * blocks;
    thread_steps::count(on, n, each);
    tally::exclusive_scan(on, places.data(), places.data() + counters, places.data(), Index{0});
    thread_steps::scatter(on, n, each);
    sorted_in_temporary = !sorted_in_temporary;
    each.keys = sorted_in_temporary ? other_keys.data() : keys;
    each.sorted_keys = sorted_in_temporary ? keys : other_keys.data();
    each.values = sorted_in_temporary ? other_values.data() : values;
    each.sorted_values = sorted_in_temporary ? values : other_values.data();
  }
  took(sorted_in_temporary ? "radix sort: copied back" : "radix sort: ends where it began");
  if (sorted_in_temporary) tally::for_each_index(on, n, copy_sorted<Key, Value>{each.keys, each.values, keys, values});
}

/// Sorts at least two keys by the bits [first_bit, end_bit).
template <class Order, host P, class Key, class Value>
void sort_by_bits(P const& on, Key* keys, Value* values, std::size_t n, int first_bit, int end_bit)
{
  if (n <= std::numeric_limits<std::uint32_t>::max())
    sort_by_passes<std::uint32_t, Order>(on, keys, values, n, first_bit, end_bit);
  else
    sort_by_passes<std::uint64_t, Order>(on, keys, values, n, first_bit, end_bit);
}
template <class Order, device P, class Key, class Value>
void sort_by_bits(P const& on, Key* keys, Value* values, std::size_t n, int first_bit, int end_bit)
{
  if (first_bit < end_bit) backend_radix_sort(on, keys, values, n, Order{}, first_bit, end_bit);
}

/// Sorts [first, last) and moves `values` with the keys, unless they are of type no_value.
template <class Order, class P, class I, class S, class Value>
void sort(P const& on, I first, S last, Value* values, int first_bit, int end_bit)
{
  static_assert(std::contiguous_iterator<I>, "tally: radix_sort takes keys that are contiguous in memory");
  using key = std::iter_value_t<I>;
  static_assert(has_ordered_bits<key>,
                "tally: radix_sort takes integers and IEEE 754 numbers of 1, 2, 4 or 8 bytes as keys");
  static_assert(sorting::ascends<Order, key> || sorting::descends<Order, key>,
                "tally: radix_sort orders by std::less<> or std::greater<>");
  constexpr int width = ordered_bits<key, Order>::width;
  if (first_bit < 0 || end_bit < first_bit)
    throw usage_error("tally::radix_sort: the bits [" + std::to_string(first_bit) + ", " + std::to_string(end_bit) +
                      "); they must begin at 0 or above, and not end before they begin");
  if (end_bit > width) end_bit = width;
  if (first_bit > width) first_bit = width;
  auto const n = static_cast<std::size_t>(last - first);
  if (n < 2) return;
  sort_by_bits<Order>(on, std::to_address(first), values, n, first_bit, end_bit);
}

}  // namespace tally::detail::radix_sort
