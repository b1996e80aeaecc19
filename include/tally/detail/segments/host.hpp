#pragma once

#include <cstddef>
#include <optional>

#include "tally/detail/at_index.hpp"
#include "tally/detail/contract.hpp"
#include "tally/detail/execution.hpp"
#include "tally/detail/segments/host_segments.hpp"
#include "tally/detail/segments/host_single_segment.hpp"

/// Reductions and scans of segments on a CPU.
namespace tally::detail::segments {

template <class T, host P, class Criterion, class Values, class Out, class Head, class Op>
std::size_t reduce(P const& on, std::size_t n, std::size_t bytes, Criterion const& criterion, Values values, Out out,
                   Head const& head, Op op)
{
  auto const work = [&](auto const& where, std::size_t ordinal, std::size_t begin, std::size_t end) {
    head(ordinal, begin);
    at_index(out, ordinal) = reduce_single_segment<T>(where, values, begin, end, op);
  };
  return for_each_numbered_segment(on, n, bytes, criterion, work);
}

template <direction Shift, class T, host P, class Criterion, class Values, class Out, class Op>
void scan(P const& on, std::size_t n, Criterion const& criterion, Values values, Out out, std::optional<T> const& init,
          Op op)
{
  auto const work = [&](auto const& where, std::size_t, std::size_t begin, std::size_t end) {
    scan_single_segment<Shift, T>(where, values, begin, end, out, init, op);
  };
  for_each_segment(on, n, criterion, work);
}

}  // namespace tally::detail::segments
