#pragma once

#include <iterator>
#include <memory>
#include <type_traits>

#include "tally/algorithms/bins.hpp"
#include "tally/detail/execution.hpp"
#include "tally/execution.hpp"

/// The arguments of a histogram.
namespace tally::detail::histogram {

/// Returns a contiguous iterator as a pointer, since functions for a GPU call no iterator of the host's library. Other
/// iterators stay as they are.
template <class I>
auto plain_iterator(I const& i)
{
  if constexpr (std::contiguous_iterator<I>)
    return std::to_address(i);
  else
    return i;
}

template <class I, class Bins>
constexpr void check()
{
  static_assert(std::random_access_iterator<I>, "tally: a histogram takes random-access iterators");
  static_assert(
      requires(Bins const& bins, std::iter_reference_t<I> value) {
        bins.slots();
        bins(value);
      }, "tally: the bins of a histogram are even_bins, edge_bins of the values' type, or have slots() and (value)");
  static_assert(std::is_trivially_copyable_v<Bins>, "tally: the bins of a histogram are copied as bytes");
}

/// Whether Bins are Tally's, and so may be called from several threads at once.
template <class Bins>
inline constexpr bool are_tallys_bins = false;
template <>
inline constexpr bool are_tallys_bins<even_bins> = true;
template <class T>
inline constexpr bool are_tallys_bins<edge_bins<T>> = true;

/// The execution of a call that names none: all threads if it calls nothing of the caller's, else the calling thread.
template <class I, class Bins>
auto default_execution()
{
  if constexpr (std::contiguous_iterator<I> && are_tallys_bins<Bins>)
    return cpu{};
  else
    return automatic{};
}

}  // namespace tally::detail::histogram
