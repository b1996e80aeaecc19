#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <type_traits>

#include "tally/detail/contract.hpp"
#include "tally/detail/quicksort/segmented_quicksort.hpp"
#include "tally/detail/sorting/orders.hpp"

namespace tally {

/// Sorts [first, last), stably, and returns the number of levels. This is a teaching algorithm: to sort numbers prefer
/// radix_sort.hpp.
///
///     quicksort([on,] first, last [, less])        quicksort([on,] range [, less])
///
/// Every level partitions all segments at once. It consists of a scan that numbers the segments; a segmented scan that
/// ranks every key among the keys of its segment that are less than the pivot, equal to it or greater; and a map that
/// moves the keys.
///
/// Requires  keys are contiguous, fewer than 2^32 - 1, and can be copied as bytes. `less` is a strict weak order, and
///           copied as bytes. (`<` of floating-point numbers is no such order if there are NaNs.)
/// Result    the order of std::stable_sort. The standard library's orders (`std::less<>`, `std::greater<>`) have the
///           total order of `radix_sort` for floating-point numbers: NaNs last in either, in the order of the input,
///           and -0.0 less than +0.0. At most 4.3 ln n levels are expected if keys differ; none if they are sorted. The
///           generator that draws pivots is seeded by the level: the pivots are the same in every run.
/// Cost      per level 2 n calls of `less`, n applications of each of two scans' operators, and n more calls to see
///           whether all keys are sorted. O((n/p + log p) log n) on p threads.
/// Memory    18 bytes and two keys for each key, as `temporary`.
/// Blocks    until all is sorted.
/// Throws    what `less` throws, after which keys may be lost; usage_error, std::bad_alloc, cuda_error.
/// Source    Blelloch, Prefix sums and their applications (1990), section 1.5.1.
template <execution P, detail::iterator I, detail::end_of<I> S, class Less = std::less<>>
std::size_t quicksort(P const& on, I first, S last, Less less = {})
{
  static_assert(std::contiguous_iterator<I>, "tally: quicksort takes keys that are contiguous in memory");
  using key = std::iter_value_t<I>;
  static_assert(std::is_trivially_copyable_v<key>, "tally: quicksort takes keys that can be copied as bytes");
  static_assert(std::is_trivially_copyable_v<Less>, "tally: the order of a quicksort is copied as bytes");
  static_assert(std::is_invocable_r_v<bool, Less const&, key, key>,
                "tally: the order of a quicksort cannot be called with two keys");
  auto const n = static_cast<std::size_t>(last - first);
  if (n < 2) return 0;
  auto const order = detail::sorting::callable_order<key>(less);
  detail::quicksort::segmented_quicksort sort(on, std::to_address(first), n, order);
  while (!sort.sorted()) sort.step();
  sort.finish();
  return sort.levels();
}

template <execution P, detail::range R, class Less = std::less<>>
std::size_t quicksort(P const& on, R&& keys, Less less = {})
{
  return tally::quicksort(on, std::ranges::begin(keys), std::ranges::end(keys), less);
}

/// Without an execution argument a sort runs on the calling thread, since `less` is the caller's.
TALLY_WITHOUT_EXECUTION(
    quicksort,
    "([on,] first, last [, less]) or ([on,] range [, less]), where `on` is an execution such as tally::cpu{}");

}  // namespace tally
