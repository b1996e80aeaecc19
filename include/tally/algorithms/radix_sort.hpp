#pragma once

#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "tally/detail/contract.hpp"
#include "tally/detail/radix_sort/sort.hpp"
#include "tally/error.hpp"

namespace tally {

/// The bits [first, last) of keys. Bit 0 is worth the least. `last` may be beyond a key's highest bit.
struct bit_range {
  int first = 0;
  int last = std::numeric_limits<int>::max();
};

/// Sorts [first, last), stably: equal keys keep their order.
///
///     radix_sort([on,] first, last [, order [, bits]])        radix_sort([on,] range [, order [, bits]])
///
/// `order` is std::less<>{} or std::greater<>{}. `bits` are the bits that are compared: all unless they are given.
///
/// Requires  contiguous integers, bool, float, double, half or bfloat16.
/// Result    -0.0 before +0.0 in ascending order, and behind it in descending order; NaNs last in either order, in the
///           order of the input. `bits` are those of unsigned integers in the same order: of a signed integer the sign
///           is reversed; of a floating-point number the sign, and if it is negative all other bits too.
/// Cost      one reduction, which finds the bits in which keys differ, and whether the keys are sorted already. Then
///           for every 8 bits each key is read twice (on a GPU once) and written once. O(n b / p) on p threads, for b
///           differing bits.
/// Memory    n keys, and one byte for every 16 keys (at least 1 KiB), as `temporary`; on a GPU one byte for every 8
///           keys, or for every 4 keys of 8 bytes, twice that from 2^30 keys on, and 17 KiB.
/// Blocks    until all is sorted; not on a GPU, where a sort can be captured into a CUDA graph.
/// Throws    usage_error, std::bad_alloc, cuda_error; the last two only before anything is moved.
/// Source    Hollerith (1887); Blelloch, Prefix sums and their applications (1990), section 1.3; Zagha & Blelloch,
///           Radix sort for vector multiprocessors (1991) for blocks of keys; on a GPU Adinets & Merrill, Onesweep
///           (2022).
template <execution P, detail::iterator I, detail::end_of<I> S, class Order = std::less<>>
void radix_sort(P const& on, I first, S last, Order = {}, bit_range bits = {})
{
  detail::radix_sort::sort<Order>(on, std::move(first), std::move(last),
                                  static_cast<detail::radix_sort::no_value*>(nullptr), bits.first, bits.last);
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
/// Requires  values that are contiguous, at least as many as keys, and can be copied as bytes.
/// Memory    n values more.
template <execution P, detail::iterator I, detail::end_of<I> S, detail::iterator V, class Order = std::less<>>
void radix_sort_by_key(P const& on, I first, S last, V values, Order = {}, bit_range bits = {})
{
  static_assert(std::contiguous_iterator<V> && std::is_trivially_copyable_v<std::iter_value_t<V>>,
                "tally: radix_sort_by_key takes values that are contiguous in memory and can be copied as bytes");
  detail::radix_sort::sort<Order>(on, std::move(first), std::move(last), std::to_address(values), bits.first,
                                  bits.last);
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

/// Without an execution argument a sort runs on all threads, since it calls nothing of the caller's.
TALLY_WITHOUT_EXECUTION(radix_sort, "([on,] first, last [, order [, bits]]) or ([on,] range [, order [, bits]]), where "
                                    "`on` is an execution such as tally::cpu{} and bits a tally::bit_range");
TALLY_WITHOUT_EXECUTION(radix_sort_by_key,
                        "([on,] first, last, values [, order [, bits]]) or ([on,] keys, values [, order [, bits]]), "
                        "where `on` is an execution such as tally::cpu{} and bits a tally::bit_range");

}  // namespace tally
