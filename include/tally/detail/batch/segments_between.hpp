#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <ranges>

#include "tally/counted.hpp"
#include "tally/detail/batch/ends.hpp"
#include "tally/detail/contract.hpp"
#include "tally/detail/execution.hpp"

namespace tally::detail::batch {

inline constexpr std::size_t unknown_size = static_cast<std::size_t>(-1);

template <class Values, class Offsets, class From = from_front>
struct segments_between {
  Values values;
  Offsets offsets;
  std::size_t count;                    ///< of segments
  std::size_t elements = unknown_size;  ///< of `values`
  count_in_memory fewer{};              ///< the number of segments, if it lies in memory where the call runs
};

/// The batch with its number of segments, as far as this machine can know it: it reads a count in memory for calls of
/// its own.
template <class P, class Batch>
Batch with_count(P const&, Batch in)
{
  if constexpr (host<P>) {
    in.count = element_count{in.count, in.fewer}.value();
    in.fewer = {};
  }
  return in;
}
/// The number of segments for a backend. A device reads a count in memory itself.
template <class P, class Batch>
auto count_for(P const&, Batch const& in)
{
  if constexpr (host<P>)
    return in.count;
  else
    return element_count{in.count, in.fewer};
}

/// A pointer where the iterator has one, else the iterator.
template <class I>
auto place_of(I first)
{
  if constexpr (std::contiguous_iterator<I>)
    return std::to_address(first);
  else
    return first;
}
template <class Values>
auto begin_of(Values&& values)
{
  if constexpr (range<Values>)
    return place_of(std::ranges::begin(values));
  else
    return place_of(values);
}

}  // namespace tally::detail::batch

template <class Values, class Offsets, class From>
inline constexpr bool tally::detail::is_batch<tally::detail::batch::segments_between<Values, Offsets, From>> = true;
