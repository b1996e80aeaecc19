#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>

#include "tally/algorithms/bins.hpp"
#include "tally/detail/contract.hpp"
#include "tally/detail/execution.hpp"
#include "tally/detail/histogram/parts.hpp"
#include "tally/operators/arithmetic.hpp"

namespace tally {

namespace detail {

/// The pointer, where there is one: functions for a GPU call no iterator of the host's library.
template <class I>
auto plain_iterator(I const& i)
{
  if constexpr (std::contiguous_iterator<I>)
    return std::to_address(i);
  else
    return i;
}

template <class I, class Bins>
constexpr void check_histogram()
{
  static_assert(std::random_access_iterator<I>, "tally: a histogram takes random-access iterators");
  static_assert(
      requires(Bins const& bins, std::iter_reference_t<I> value) {
        bins.slots();
        bins(value);
      }, "tally: the bins of a histogram are even_bins, edge_bins of the values' type, or have slots() and (value)");
  static_assert(std::is_trivially_copyable_v<Bins>, "tally: the bins of a histogram are copied as bytes");
}

/// All threads where nothing of the caller's is called, else the calling one.
template <class I, class Bins>
auto histogram_threads()
{
  if constexpr (std::contiguous_iterator<I> && own_bins<Bins>)
    return cpu{};
  else
    return automatic{};
}

}  // namespace detail

/// Counts values by bins: `counts[s]` becomes how many k have `bins(first[k]) == s`, for each of `bins.slots()` slots.
///
///     histogram([on,] first, last, bins, counts)        histogram([on,] range, bins, counts)
///
/// Requires  `counts` has room for bins.slots(): those of the bins, then bins.below(), bins.above() and
///           bins.not_a_number(). `bins` is even_bins, edge_bins, or a function object with slots() whose results are
///           less than that, copied as bytes.
/// Result    the end of what was written.
/// Cost      each value is read once and put into its bin once; O(n/p + bins) on p threads.
/// Memory    8 bytes for each slot and part of the input, of 64 parts at most (fewer where bins are many beside
///           values); on a GPU 4 or 8 bytes for each slot and copy, 256 KiB or one copy.
/// Blocks    until all is counted; on a GPU returns at once.
/// Throws    what bins and iterators throw, usage_error, std::bad_alloc, cuda_error.
/// Source    privatisation: Kirk & Hwu, Programming massively parallel processors (2010): every part counts for itself,
///           then the copies are added up.
template <execution P, detail::iterator I, detail::end_of<I> S, class Bins, detail::iterator Out>
Out histogram(P const& on, I first, S last, Bins const& bins, Out counts)
{
  detail::check_histogram<I, Bins>();
  auto const n = static_cast<std::size_t>(last - first);
  auto const values = detail::plain_iterator(first);
  auto const to = detail::plain_iterator(counts);
  if constexpr (detail::host<P>) {
    using part = detail::count_part<std::remove_const_t<decltype(values)>, Bins>;
    detail::sum_by_parts<std::uint64_t>(on, n, bins.slots(), to, [&](std::uint64_t* table, std::size_t size) {
      return part{values, bins, table, size};
    });
  } else if (n <= std::numeric_limits<std::uint32_t>::max()) {
    detail::sum_in_any_order<std::uint32_t>(on, values, n, detail::ones{}, bins, to);
  } else {
    detail::sum_in_any_order<std::uint64_t>(on, values, n, detail::ones{}, bins, to);
  }
  return counts + static_cast<std::iter_difference_t<Out>>(bins.slots());
}

template <execution P, detail::range R, class Bins, detail::iterator Out>
Out histogram(P const& on, R&& values, Bins const& bins, Out counts)
{
  return tally::histogram(on, std::ranges::begin(values), std::ranges::end(values), bins, counts);
}

template <detail::iterator I, detail::end_of<I> S, class Bins, detail::iterator Out>
Out histogram(I first, S last, Bins const& bins, Out counts)
{
  return tally::histogram(detail::histogram_threads<I, Bins>(), first, last, bins, counts);
}
template <detail::range R, class Bins, detail::iterator Out>
Out histogram(R&& values, Bins const& bins, Out counts)
{
  return tally::histogram(std::ranges::begin(values), std::ranges::end(values), bins, counts);
}

/// Adds up weights by bins: `sums[s]` becomes the sum of the `weights[k]` with `bins(first[k]) == s`.
///
///     weighted_histogram([on,] first, last, weights, bins, sums)
///
/// Result    the same bits for every number of threads: weights are added in the order of the values within a part,
///           then part by part, in the carry type of `plus` (double for float). Integers wrap. On a GPU weights are
///           integers.
/// As `histogram` otherwise.
template <execution P, detail::iterator I, detail::end_of<I> S, detail::iterator W, class Bins, detail::iterator Out>
Out weighted_histogram(P const& on, I first, S last, W weights, Bins const& bins, Out sums)
{
  detail::check_histogram<I, Bins>();
  using sum = carry_type<plus, std::iter_value_t<W>>;
  auto const n = static_cast<std::size_t>(last - first);
  auto const values = detail::plain_iterator(first);
  auto const by = detail::plain_iterator(weights);
  auto const to = detail::plain_iterator(sums);
  if constexpr (detail::host<P>) {
    using part =
        detail::weigh_part<std::remove_const_t<decltype(values)>, std::remove_const_t<decltype(by)>, Bins, sum>;
    detail::sum_by_parts<sum>(on, n, bins.slots(), to,
                              [&](sum* table, std::size_t size) { return part{values, by, bins, table, size}; });
  } else {
    static_assert(
        std::is_integral_v<sum>,
        "tally: on a GPU the weights of a histogram are integers: sums of floating-point numbers would depend "
        "on which thread comes first");
    detail::sum_in_any_order<sum>(on, values, n, by, bins, to);
  }
  return sums + static_cast<std::iter_difference_t<Out>>(bins.slots());
}
template <detail::iterator I, detail::end_of<I> S, detail::iterator W, class Bins, detail::iterator Out>
Out weighted_histogram(I first, S last, W weights, Bins const& bins, Out sums)
{
  return tally::weighted_histogram(detail::histogram_threads<I, Bins>(), first, last, weights, bins, sums);
}

}  // namespace tally
