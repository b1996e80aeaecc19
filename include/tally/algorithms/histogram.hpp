#pragma once

#include <cstddef>
#include <iterator>

#include "tally/algorithms/bins.hpp"
#include "tally/detail/contract.hpp"
#include "tally/detail/histogram/arguments.hpp"
#include "tally/detail/histogram/device.hpp"
#include "tally/detail/histogram/host.hpp"
#include "tally/operators/arithmetic.hpp"

namespace tally {

/// Counts values by bins: `counts[s]` becomes the number of k with `bins(first[k]) == s`, for each of `bins.slots()`
/// slots.
///
///     histogram([on,] first, last, bins, counts)        histogram([on,] range, bins, counts)
///
/// Requires  `counts` has room for bins.slots() numbers. `bins` is even_bins, edge_bins, or a function object with
///           slots(), whose results are less than that, and which is copied as bytes.
/// Result    the end of the counts. Those of the bins come first, then those of bins.below(), bins.above() and
///           bins.not_a_number().
/// Cost      each value is read once and put into its bin once; O(n/p + bins) on p threads.
/// Memory    8 bytes for each slot and part of the input; there are at most 64 parts, and fewer if bins are many beside
///           values. On a GPU 4 or 8 bytes for each slot and copy: 2^16 slots together, or one copy.
/// Blocks    until all is counted; on a GPU returns at once.
/// Throws    what bins and iterators throw, usage_error, std::bad_alloc, cuda_error.
/// Source    privatisation, Kirk & Hwu, Programming massively parallel processors (2010): every part has its own copy
///           of the counts, and the copies are added up.
template <execution P, detail::iterator I, detail::end_of<I> S, class Bins, detail::iterator Out>
Out histogram(P const& on, I first, S last, Bins const& bins, Out counts)
{
  namespace impl = detail::histogram;
  impl::check<I, Bins>();
  impl::count(on, impl::plain_iterator(first), static_cast<std::size_t>(last - first), bins,
              impl::plain_iterator(counts));
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
  return tally::histogram(detail::histogram::default_execution<I, Bins>(), first, last, bins, counts);
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
/// Requires  integers as weights on a GPU.
/// Result    the same bits for every number of threads: weights are added in the order of the values within a part,
///           then part by part, in the carry type of `plus` (double for float). Integers wrap.
/// As `histogram` otherwise.
template <execution P, detail::iterator I, detail::end_of<I> S, detail::iterator W, class Bins, detail::iterator Out>
Out weighted_histogram(P const& on, I first, S last, W weights, Bins const& bins, Out sums)
{
  namespace impl = detail::histogram;
  impl::check<I, Bins>();
  using sum = carry_type<plus, std::iter_value_t<W>>;
  impl::weigh<sum>(on, impl::plain_iterator(first), static_cast<std::size_t>(last - first),
                   impl::plain_iterator(weights), bins, impl::plain_iterator(sums));
  return sums + static_cast<std::iter_difference_t<Out>>(bins.slots());
}
template <detail::iterator I, detail::end_of<I> S, detail::iterator W, class Bins, detail::iterator Out>
Out weighted_histogram(I first, S last, W weights, Bins const& bins, Out sums)
{
  return tally::weighted_histogram(detail::histogram::default_execution<I, Bins>(), first, last, weights, bins, sums);
}

}  // namespace tally
