#pragma once

#include <cstddef>

#include "tally/config.hpp"
#include "tally/detail/function_iterator.hpp"
#include "tally/detail/results.hpp"

/// Sequences that are not in memory: elements that a function gives, and results that a function takes. Every reduce
/// and scan takes them, on a CPU and on a GPU. So one pass over memory does the work of several.
namespace tally {

namespace detail {

struct same_index {
  TALLY_HD std::size_t operator()(std::size_t k) const { return k; }
};

}  // namespace detail

/// The iterator over f(0), f(1), f(2), ...: an input that need not be in memory.
///
///     elements_from(f [, bytes_behind])
///
/// An element may stand for a block of others. Then `bytes_behind` says how many bytes are read for it. A call on a CPU
/// chooses its threads by them, and the length of its tiles, so that a tile is still in the cache when its results are
/// known. An operator that is not exactly associative then has the bits of such tiles (docs/order.md).
///
/// Requires  `f` can be copied as bytes, and may be called more than once for an index, from several threads at once.
template <class F>
TALLY_HD auto elements_from(F const& f, std::size_t bytes_behind = 1)
{
  return detail::function_iterator<F>(f, 0, bytes_behind);
}

/// The iterator over 0, 1, 2, ...
TALLY_HD inline auto counting_from(std::size_t first)
{
  return detail::function_iterator<detail::same_index>(detail::same_index{}, first);
}

/// An output that is a function: `use(k, result)` is called with result k of a scan, which is not stored. So a scan of
/// flags can move the elements that it counts, in the same pass.
///
/// Requires  `use` can be copied as bytes. It is called once for each result, from several threads at once if the call
///           runs on several.
template <class F>
TALLY_HD auto results_to(F const& use)
{
  return detail::function_iterator<detail::place_of<F>>(detail::place_of<F>{use}, 0);
}

}  // namespace tally
