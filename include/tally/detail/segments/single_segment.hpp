#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <type_traits>

#include "tally/detail/path.hpp"
#include "tally/detail/segments/in_order.hpp"
#include "tally/operators/traits.hpp"
#include "tally/order.hpp"
#include "tally/reduce.hpp"
#include "tally/scan.hpp"

/// A segment as if it were alone: the bits of `tally::reduce` and of the scans of [begin, end), on a CPU by these calls
/// or, where it is short, by a loop that has their brackets.
namespace tally::detail {

/// So many groups at most are combined by the loops below. A call takes some 20 ns.
inline constexpr std::size_t short_groups = 16;
/// The loops keep T's in arrays: what cannot be made from nothing is left to the calls.
template <class T, class Op>
inline constexpr std::size_t short_segment =
    !std::is_same_v<working_type<T>, T> || !std::is_default_constructible_v<T> ? 0
    : tally::exactly_associative<Op, T>                                        ? 64
                                                                               : short_groups * order::group<T>;

template <class T, class I, class Op>
T fold_values(I const& values, std::size_t begin, std::size_t end, Op& op)
{
  using distance = std::iter_difference_t<I>;
  T sum = static_cast<T>(values[static_cast<distance>(begin)]);
  for (std::size_t k = begin + 1; k < end; ++k)
    sum = static_cast<T>(op(sum, static_cast<T>(values[static_cast<distance>(k)])));
  return sum;
}

/// The reduction of a segment of one row at most: what is before the last group is Kogge and Stone's I[g-1] = (t[0] +
/// tree) + tree ..., of as many groups as the binary digits of g-1 say, the smaller first.
template <class T, class I, class Op>
T reduce_short(I const& values, std::size_t begin, std::size_t end, Op& op)
{
  constexpr std::size_t group = order::group<T>;
  if (tally::exactly_associative<Op, T> || end - begin <= group) return fold_values<T>(values, begin, end, op);
  std::size_t const before = (end - begin - 1) / group;  // groups but the last
  T totals[short_groups];
  for (std::size_t g = 0; g < before; ++g)
    totals[g] = fold_values<T>(values, begin + g * group, begin + (g + 1) * group, op);
  T sum = totals[0];
  std::size_t at = 1;
  for (std::size_t size = 1; size < before; size *= 2) {
    if (((before - 1) & size) == 0) continue;
    for (std::size_t half = 1; half < size; half *= 2)
      for (std::size_t g = at; g < at + size; g += 2 * half)
        totals[g] = static_cast<T>(op(totals[g], totals[g + half]));
    sum = static_cast<T>(op(sum, totals[at]));
    at += size;
  }
  return static_cast<T>(op(sum, fold_values<T>(values, begin + before * group, end, op)));
}

/// Calls put(k, inclusive result of k) for a segment of at most `short_segment` elements.
template <class T, class I, class Op, class Put>
void scan_short(I const& values, std::size_t begin, std::size_t end, std::optional<T> const& init, Op& op,
                Put const& put)
{
  constexpr std::size_t group = tally::exactly_associative<Op, T> ? short_segment<T, Op> : order::group<T>;
  using distance = std::iter_difference_t<I>;
  std::size_t const groups = (end - begin + group - 1) / group;
  T before[short_groups];  // I of docs/order.md, of the groups but the last
  for (std::size_t g = 0; g + 1 < groups; ++g)
    before[g] = fold_values<T>(values, begin + g * group, begin + (g + 1) * group, op);
  for (std::size_t stride = 1; stride + 1 < groups; stride *= 2)
    for (std::size_t g = groups - 2; g >= stride; --g) before[g] = static_cast<T>(op(before[g - stride], before[g]));
  for (std::size_t g = 0; g < groups; ++g) {
    std::size_t k = begin + g * group;
    std::size_t const group_end = end - k < group ? end : k + group;
    T sum = static_cast<T>(values[static_cast<distance>(k)]);
    for (;;) {
      T const local = g == 0 ? sum : static_cast<T>(op(before[g - 1], sum));
      put(k, init ? static_cast<T>(op(*init, local)) : local);
      if (++k == group_end) break;
      sum = static_cast<T>(op(sum, static_cast<T>(values[static_cast<distance>(k)])));
    }
  }
}

/// `tally::reduce` of a segment that is not empty.
template <class T, class P, class I, class Op>
T reduce_alone(P const& on, I const& values, std::size_t begin, std::size_t end, std::optional<T> const& init, Op& op)
{
  using distance = std::iter_difference_t<I>;
  if constexpr (short_segment<T, Op> != 0) {
    if (end - begin <= short_segment<T, Op>) {
      T const local = reduce_short<T>(values, begin, end, op);
      return init ? static_cast<T>(op(*init, local)) : local;
    }
  }
  took("segments: reduction by a call of its own");
  auto const first = values + static_cast<distance>(begin), last = values + static_cast<distance>(end);
  if constexpr (has_identity<Op, T>)
    return tally::reduce<T>(on, first, last, init ? *init : identity_of<T>(op), op);
  else  // what `tally::reduce` calls: without an initial value it wants an identity, since its range may be empty
    return *reduce_all<T, T>(on, first, last, init, op, std::identity{});
}

/// A scan of a segment to out[begin], out[begin + 1], ...; an exclusive one, and no other, has an initial value.
template <direction Shift, class T, class P, class I, class Out, class Op>
void scan_alone(P const& on, I const& values, std::size_t begin, std::size_t end, Out const& out,
                std::optional<T> const& init, Op& op)
{
  using distance = std::iter_difference_t<I>;
  using out_distance = std::iter_difference_t<Out>;
  if (begin == end) return;
  if constexpr (short_segment<T, Op> != 0) {
    if (end - begin <= short_segment<T, Op>) {
      std::optional<T> previous = init;
      scan_short<T>(values, begin, end, init, op, [&](std::size_t k, T const& result) {
        // The value of k has been read: `out` may be where it is.
        if constexpr (Shift == direction::inclusive) {
          out[static_cast<out_distance>(k)] = result;
        } else {
          out[static_cast<out_distance>(k)] = *previous;
          previous = result;
        }
      });
      return;
    }
  }
  took("segments: scan by a call of its own");
  auto const first = values + static_cast<distance>(begin), last = values + static_cast<distance>(end);
  auto const to = out + static_cast<out_distance>(begin);
  if constexpr (Shift == direction::inclusive)
    tally::inclusive_scan<T>(on, first, last, to, op);
  else
    tally::exclusive_scan<T>(on, first, last, to, *init, op);
}

/// The same by one thread of a GPU.
template <class T, class I, class Op>
TALLY_HD maybe<T> reduce_on_thread(I const& values, std::size_t begin, std::size_t end, maybe<T> const& init, Op op)
{
  auto const at = [&](std::size_t k) -> decltype(auto) {
    return values[static_cast<std::iter_difference_t<I>>(begin + k)];
  };
  maybe<T> last = init;
  if constexpr (tally::exactly_associative<Op, T> && std::is_same_v<working_type<T>, T>)
    for (std::size_t k = 0; k < end - begin; ++k) last.append(static_cast<T>(at(k)), op);
  else
    scan_in_order<T>(at, end - begin, init, op,
                     [&](std::size_t, working_type<T> const& result) { last = {static_cast<T>(result), true}; });
  return last;
}
template <direction Shift, class T, class I, class Out, class Op>
TALLY_HD void scan_on_thread(I const& values, std::size_t begin, std::size_t end, Out const& out, maybe<T> const& init,
                             Op op)
{
  auto const at = [&](std::size_t k) -> decltype(auto) {
    return values[static_cast<std::iter_difference_t<I>>(begin + k)];
  };
  T previous = init.value;
  scan_in_order<T>(at, end - begin, init, op, [&](std::size_t k, working_type<T> const& result) {
    out[static_cast<std::iter_difference_t<Out>>(begin + k)] =
        Shift == direction::inclusive ? static_cast<T>(result) : previous;
    previous = static_cast<T>(result);
  });
}

}  // namespace tally::detail
