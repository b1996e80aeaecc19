#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <type_traits>

#include "tally/algorithms/in_order.hpp"
#include "tally/operators/traits.hpp"
#include "tally/order.hpp"
#include "tally/reduce.hpp"
#include "tally/scan.hpp"

/// A segment as if it were alone: the bits of `tally::reduce` and of the scans of [begin, end), on a CPU by these calls or, where it is short, by a loop that has
/// their brackets.
namespace tally::detail {

/// So few values have brackets that a loop knows: two groups, which are s[0..G) and then (the total of these) + s[j]; or any if `op` does not care.
template <class T, class Op>
inline constexpr std::size_t short_segment = !std::is_same_v<working_type<T>, T> ? 0
                                             : tally::exactly_associative<Op, T> ? 16
                                                                                 : 2 * order::group<T>;

/// Calls put(k, inclusive result of k) for a segment of at most `short_segment` elements.
template <class T, class I, class Op, class Put>
void scan_short(I const& values, std::size_t begin, std::size_t end, std::optional<T> const& init, Op& op,
                Put const& put)
{
  constexpr std::size_t group = tally::exactly_associative<Op, T> ? 16 : order::group<T>;
  using distance = std::iter_difference_t<I>;
  auto const at = [&](std::size_t k) { return static_cast<T>(values[static_cast<distance>(k)]); };
  std::size_t const first_end = end - begin < group ? end : begin + group;
  std::optional<T> sum;
  for (std::size_t k = begin; k < first_end; ++k) {
    sum = sum ? static_cast<T>(op(*sum, at(k))) : at(k);
    put(k, init ? static_cast<T>(op(*init, *sum)) : *sum);
  }
  std::optional<T> second;
  for (std::size_t k = first_end; k < end; ++k) {
    second = second ? static_cast<T>(op(*second, at(k))) : at(k);
    T const local = static_cast<T>(op(*sum, *second));
    put(k, init ? static_cast<T>(op(*init, local)) : local);
  }
}

/// `tally::reduce` of a segment that is not empty.
template <class T, class P, class I, class Op>
T reduce_alone(P const& on, I const& values, std::size_t begin, std::size_t end, std::optional<T> const& init, Op& op)
{
  using distance = std::iter_difference_t<I>;
  if constexpr (short_segment<T, Op> != 0) {
    if (end - begin <= short_segment<T, Op>) {
      auto const at = [&](std::size_t k) { return static_cast<T>(values[static_cast<distance>(k)]); };
      auto const fold = [&](std::size_t k, std::size_t upto) {
        T sum = at(k);
        while (++k < upto) sum = static_cast<T>(op(sum, at(k)));
        return sum;
      };
      std::size_t const split = begin + order::group<T>;
      T const local = tally::exactly_associative<Op, T> || end <= split
                          ? fold(begin, end)
                          : static_cast<T>(op(fold(begin, split), fold(split, end)));
      return init ? static_cast<T>(op(*init, local)) : local;
    }
  }
  return *reduce_all<T, T>(on, values + static_cast<distance>(begin), values + static_cast<distance>(end), init, op,
                           std::identity{});
}

/// A scan of a segment to out[begin], out[begin + 1], ...
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
  scan_all<Shift, T, T>(on, values + static_cast<distance>(begin), values + static_cast<distance>(end),
                        out + static_cast<out_distance>(begin), init, op, std::identity{});
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
