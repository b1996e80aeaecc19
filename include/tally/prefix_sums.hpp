#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "tally/array_view.hpp"
#include "tally/batches.hpp"
#include "tally/config.hpp"
#include "tally/detail/contract.hpp"
#include "tally/operators/arithmetic.hpp"

/// Prefix sums in several dimensions: summed-area tables, from which the sum of any box takes a few reads.
namespace tally {

/// Writes `out[i, j, ...]`, the sum of `in[a, b, ...]` over all a <= i, b <= j, ..., where `a + b` is `op(a, b)`.
///
///     prefix_sums([on,] in, out [, op])
///
/// Requires  arrays (array_view.hpp) of one shape; `out` may be `in`. `op` is associative and commutative (up to
///           rounding).
/// Result    one inclusive scan along each axis, from the last axis to the first: the bits are those of `inclusive_scan`
///           of every sequence of the last axis, then of every sequence of those results along the axis before, and so
///           on. The accumulator has the type of `out`, unless the call names one; so tables of bytes may be wider.
/// Cost      each axis takes one pass over memory. The first reads `in`, the others are in place.
/// Blocks    until all results are written; on a GPU it returns at once.
/// Throws    usage_error if the shapes differ. Otherwise as `inclusive_scan` of a batch.
/// Source    Crow (1984): Summed-area tables for texture mapping.
template <class Acc = void, execution P, detail::batch::array_argument In, detail::batch::array_argument Out,
          class Op = plus>
void prefix_sums(P const& on, In const& in, Out&& out, Op op = {})
{
  auto const from = detail::batch::view_of(in);
  auto const to = detail::batch::view_of(out);
  using value = detail::accumulator<Acc, typename std::remove_const_t<decltype(to)>::element_type>;
  if (from.rank() == 0 && to.rank() == 0) {  // one element, along an axis of its own
    array_view const one(from.data_handle(), {1});
    tally::inclusive_scan<value>(on, along(0, one), along(0, array_view(to.data_handle(), {1})), std::move(op));
    return;
  }
  tally::inclusive_scan<value>(on, along(-1, from), along(-1, to), op);
  for (std::size_t axis = to.rank() - 1; axis-- > 0;)
    tally::inclusive_scan<value>(on, along(axis, to), along(axis, to), op);
}

TALLY_WITHOUT_EXECUTION(prefix_sums,
                        "([on,] in, out [, op]), where `on` is an execution such as tally::cpu{}, and in and out are "
                        "arrays",
                        Acc);

/// Returns the sum of the elements of the box [lower, upper), from their prefix sums.
///
///     box_sum(prefix_sums_of_image, {top, left}, {bottom, right})
///
/// Requires  `table` has been written by `prefix_sums`, and can be read where the call runs, which may be a kernel.
///           0 <= lower and upper <= the shape, on each axis.
/// Result    0 for an empty box. Up to 2^rank elements of the table are added and subtracted, one after the other: first
///           the one at upper - 1; each axis of which the box begins behind 0 doubles their number. Exact for integers,
///           which wrap; floating-point differences lose what large prefix sums have lost.
/// Cost      2^rank reads at most.
template <strided_array A>
[[nodiscard]] TALLY_HD auto box_sum(A const& table, per_axis const& lower, per_axis const& upper)
{
  using element = std::remove_const_t<std::remove_pointer_t<std::remove_cvref_t<decltype(table.data_handle())>>>;
  std::size_t const rank = table.rank();
  std::ptrdiff_t last = 0;  // the place of upper - 1
  std::size_t corners = 1;  // axes on which the box begins behind 0
  std::ptrdiff_t back[most_axes];
  int axes = 0;
  for (std::size_t d = 0; d < rank; ++d) {
    if (upper[d] <= lower[d]) return element();
    auto const step = static_cast<std::ptrdiff_t>(table.stride(d));
    last += (upper[d] - 1) * step;
    if (lower[d] == 0) continue;
    back[axes++] = (upper[d] - lower[d]) * step;
    corners *= 2;
  }
  element sum{};
  for (std::size_t corner = 0; corner < corners; ++corner) {
    std::ptrdiff_t at = last;
    bool minus = false;
    for (int d = 0; d < axes; ++d) {
      if ((corner >> d & 1) == 0) continue;
      at -= back[d];
      minus = !minus;
    }
    element const term = table.data_handle()[at];
    sum = corner == 0 ? term : minus ? static_cast<element>(sum - term) : static_cast<element>(sum + term);
  }
  return sum;
}

}  // namespace tally
