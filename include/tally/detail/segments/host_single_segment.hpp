#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <type_traits>

#include "tally/detail/at_index.hpp"
#include "tally/detail/backends.hpp"
#include "tally/detail/contract.hpp"
#include "tally/detail/path.hpp"
#include "tally/operators/traits.hpp"
#include "tally/order.hpp"
#include "tally/reduce.hpp"
#include "tally/scan.hpp"

/// A single segment on a CPU: the bits of `tally::reduce` and of the scans of [begin, end). The calls themselves do it,
/// or where the segment is short a loop that has their brackets.
namespace tally::detail::segments {

using cpu_backend::is_short;
using cpu_backend::reduce_short;
using cpu_backend::scan_short;
using cpu_backend::short_sequence;

/// `tally::reduce` of a segment that is not empty.
template <class T, class P, class I, class Op>
T reduce_single_segment(P const& on, I const& values, std::size_t begin, std::size_t end, Op& op)
{
  using distance = std::iter_difference_t<I>;
  if constexpr (short_sequence<T, Op> != 0) {
    if (is_short<T, Op>(values, end - begin)) return reduce_short<T>(values, begin, end, op);
  }
  took("segments: reduction by a call of its own");
  auto const first = values + static_cast<distance>(begin), last = values + static_cast<distance>(end);
  if constexpr (has_identity<Op, T>)
    return tally::reduce<T>(on, first, last, identity_of<T>(op), op);
  else  // `tally::reduce` calls this too, but asks for an identity: its range may be empty
    return *reduce_all<T, T>(on, first, last, std::optional<T>(), op, std::identity{});
}

/// Scans a segment to out[begin], out[begin + 1], ... An exclusive scan has an initial value, an inclusive one has
/// none.
template <direction Shift, class T, class P, class I, class Out, class Op>
void scan_single_segment(P const& on, I const& values, std::size_t begin, std::size_t end, Out const& out,
                         std::optional<T> const& init, Op& op)
{
  using distance = std::iter_difference_t<I>;
  if (begin == end) return;
  if constexpr (short_sequence<T, Op> != 0) {
    if (is_short<T, Op>(values, end - begin)) {
      std::optional<T> previous = init;
      scan_short<T>(values, begin, end, init, op, [&](std::size_t k, T const& result) {
        // The value of element k has been read, so `out` may be `values`.
        if constexpr (Shift == direction::inclusive) {
          at_index(out, k) = result;
        } else {
          at_index(out, k) = *previous;
          previous = result;
        }
      });
      return;
    }
  }
  took("segments: scan by a call of its own");
  auto const first = values + static_cast<distance>(begin), last = values + static_cast<distance>(end);
  auto const to = out + static_cast<std::iter_difference_t<Out>>(begin);
  if constexpr (Shift == direction::inclusive)
    tally::inclusive_scan<T>(on, first, last, to, op);
  else
    tally::exclusive_scan<T>(on, first, last, to, *init, op);
}

}  // namespace tally::detail::segments
