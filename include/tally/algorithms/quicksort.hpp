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

#include "tally/detail/contract.hpp"
#include "tally/detail/path.hpp"
#include "tally/detail/quicksort/steps.hpp"
#include "tally/detail/sorting/orders.hpp"
#include "tally/error.hpp"
#include "tally/for_each.hpp"
#include "tally/operators/arithmetic.hpp"
#include "tally/operators/segmented.hpp"
#include "tally/reduce.hpp"
#include "tally/scan.hpp"
#include "tally/sequences.hpp"
#include "tally/temporary.hpp"

namespace tally {

namespace detail {

/// A quicksort that can be watched: `step` partitions all segments at once.
template <class P, class Key, class Less>
class segmented_quicksort {
public:
  /// Sorts keys[0, n).
  segmented_quicksort(P const& on, Key* keys, std::size_t n, Less less)
      : on_(on),
        own_keys_(keys),
        n_(checked(n)),
        keys_(on, n),
        heads_(on, 2 * n),
        indices_(on, 2 * n + 1),
        pivots_(on, n),
        ranks_(on, n),
        a_{keys,
           keys_.data(),
           heads_.data(),
           heads_.data() + n,
           indices_.data(),
           indices_.data() + n,
           pivots_.data(),
           ranks_.data(),
           static_cast<std::uint32_t>(n),
           0,
           less}
  {
    tally::for_each_index(on_, n_, first_is_head{a_.heads});
  }

  /// Waits for the answer, where `on` is a GPU.
  bool sorted() const
  {
    std::size_t const block = host<P> ? 4096 : 1, blocks = n_ / block + (n_ % block != 0);
    auto const disorder = elements_from(out_of_order<Key, Less>{a_.keys, n_, block, a_.less}, block * sizeof(Key));
    return tally::reduce(on_, disorder, disorder + static_cast<std::ptrdiff_t>(blocks), std::uint32_t{0}, bit_or{}) ==
           0;
  }

  /// Requires  n > 0.
  void step()
  {
    using arrays = quicksort_arrays<Key, Less>;
    auto const end = static_cast<std::ptrdiff_t>(n_);
    auto const heads = elements_from(head_of_key<arrays>{a_});
    tally::inclusive_scan(on_, heads, heads + end, results_to(number_segments<arrays>{a_}));
    tally::for_each_index(on_, n_, draw_pivot<arrays>{a_});
    auto const ranks = elements_from(rank_of_key<arrays>{a_});
    tally::inclusive_scan(on_, ranks, ranks + end, results_to(store_ranks<arrays>{a_}), segmented<add_ranks>{});
    tally::for_each_index(on_, n_, move_key<arrays>{a_});
    std::swap(a_.keys, a_.moved_keys);
    std::swap(a_.heads, a_.moved_heads);
    ++a_.level;
  }

  /// Leaves the keys where they were given.
  void finish()
  {
    took(a_.level == 0          ? "quicksort: sorted already"
         : a_.keys != own_keys_ ? "quicksort: copied back"
                                : "quicksort: ends where it began");
    if (a_.keys != own_keys_) tally::for_each_index(on_, n_, copy_key<Key>{a_.keys, own_keys_});
  }

  std::size_t levels() const { return a_.level; }
  Key const* keys() const { return a_.keys; }
  std::uint8_t const* heads() const { return a_.heads; }
  /// The pivots of the last step, by the segments that it partitioned.
  Key const* pivots() const { return a_.pivots; }

private:
  static std::size_t checked(std::size_t n)
  {
    if (n >= std::numeric_limits<std::uint32_t>::max())
      throw usage_error("tally: quicksort: " + std::to_string(n) + " keys; it takes fewer than 2^32 - 1");
    return n;
  }

  P on_;
  Key* own_keys_;
  std::size_t n_;
  temporary<Key, P> keys_;
  temporary<std::uint8_t, P> heads_;
  temporary<std::uint32_t, P> indices_;
  temporary<Key, P> pivots_;
  temporary<pivot_ranks, P> ranks_;
  quicksort_arrays<Key, Less> a_;
};

}  // namespace detail

/// Sorts [first, last), stably, and returns in how many levels: a teaching algorithm, which radix_sort.hpp is to be
/// preferred to.
///
///     quicksort([on,] first, last [, less])        quicksort([on,] range [, less])
///
/// All segments are partitioned at once. A level is a scan that numbers the segments, a segmented scan that ranks every
/// key among those of its segment that are less than the pivot, equal to it or greater, and a map that moves it.
///
/// Requires  keys are contiguous, fewer than 2^32 - 1, and can be copied as bytes. `less` is a strict weak order,
///           copied as bytes; an own `<` of floating-point numbers is none if there are NaNs.
/// Result    the order of std::stable_sort. Floating-point numbers in the standard library's orders (`std::less<>`,
///           `std::greater<>`) have a total order, that of `radix_sort`: NaNs, as they came, last in either, and -0.0
///           less than +0.0. 4.3 ln n levels at most are expected if keys differ; there are none if they are sorted.
///           Pivots are drawn by a generator whose seed is the level: the same in every run.
/// Cost      a level: 2 n calls of `less`, n applications of two scans' operators, and n more calls to see whether all
///           is sorted. O((n/p + log p) log n) on p threads.
/// Memory    18 bytes and two keys for each key, as `temporary`.
/// Blocks    until all is sorted.
/// Throws    what `less` throws, and then keys are lost; usage_error, std::bad_alloc, cuda_error.
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
  auto const order = detail::callable_order<key>(less);
  detail::segmented_quicksort<P, key, std::remove_const_t<decltype(order)>> sort(on, std::to_address(first), n, order);
  while (!sort.sorted()) sort.step();
  sort.finish();
  return sort.levels();
}

template <execution P, detail::range R, class Less = std::less<>>
std::size_t quicksort(P const& on, R&& keys, Less less = {})
{
  return tally::quicksort(on, std::ranges::begin(keys), std::ranges::end(keys), less);
}

/// Without an execution argument: on the calling thread, as `less` is the caller's.
TALLY_WITHOUT_EXECUTION(
    quicksort,
    "([on,] first, last [, less]) or ([on,] range [, less]), where `on` is an execution such as tally::cpu{}");

}  // namespace tally
