#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <ranges>

#include "tally/detail/batch/ends.hpp"
#include "tally/detail/contract.hpp"

namespace tally::detail::batch {

inline constexpr std::size_t unknown_size = static_cast<std::size_t>(-1);

template <class Values, class Offsets, class From = from_front>
struct segments_between {
  Values values;
  Offsets offsets;
  std::size_t count;                    ///< of segments
  std::size_t elements = unknown_size;  ///< of `values`
};

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
