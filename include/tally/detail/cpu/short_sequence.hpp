#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>

#include "tally/detail/at_index.hpp"
#include "tally/detail/function_iterator.hpp"
#include "tally/detail/recurrence/steps_in_order.hpp"
#include "tally/detail/row_order.hpp"
#include "tally/operators/exact_plus.hpp"
#include "tally/operators/traits.hpp"
#include "tally/order.hpp"

/// Loops with the brackets of docs/order.md for sequences of up to 16 groups, which lie in [begin, end) of an iterator.
/// A call takes some 20 ns, a loop for few elements a few.
///
/// A loop combines elements as it reads them, and totals of groups by the functions of row_order.hpp. Gathered in a row
/// first, as a tile's elements are, segments of 1 to 16 floats took 1.3 to 3.6 times as long (Zen 4, GCC 12).
namespace tally::cpu_backend {

using detail::at_index;

/// The longest sequence that the loops below combine, in groups. A call takes some 20 ns.
inline constexpr std::size_t short_groups = 16;
/// The longest sequence that the loops below combine, in elements. 0 if the loops cannot: they keep T's in arrays,
/// which takes a default constructor.
template <class T, class Op>
inline constexpr std::size_t short_sequence =
    std::is_same_v<std::remove_const_t<Op>, exact_plus> || detail::recurrence::is_in_order<Op, T> ||
            !std::is_same_v<working_type<T>, T> || !std::is_default_constructible_v<T>
        ? 0
    : tally::exactly_associative<Op, T> ? 64
                                        : short_groups * order::group<T>;

/// Whether the loops below combine these `size` values. Elements that stand for blocks of others have tiles of few
/// elements, and a sequence of several tiles is none of the loops'.
template <class T, class Op, class I>
bool is_short(I const& values, std::size_t size)
{
  return size <= short_sequence<T, Op> && size <= detail::tile_by_bytes<T>(values, short_sequence<T, Op>);
}

template <class T, class I, class Op>
T fold_values(I const& values, std::size_t begin, std::size_t end, Op& op)
{
  T sum = static_cast<T>(at_index(values, begin));
  for (std::size_t k = begin + 1; k < end; ++k) sum = static_cast<T>(op(sum, static_cast<T>(at_index(values, k))));
  return sum;
}

/// The reduction of a sequence of one row at most.
template <class T, class I, class Op>
T reduce_short(I const& values, std::size_t begin, std::size_t end, Op& op)
{
  constexpr std::size_t group = order::group<T>;
  if (tally::exactly_associative<Op, T> || end - begin <= group) return fold_values<T>(values, begin, end, op);
  std::size_t const before = (end - begin - 1) / group;  // groups before the last one
  T totals[short_groups];
  for (std::size_t g = 0; g < before; ++g)
    totals[g] = fold_values<T>(values, begin + g * group, begin + (g + 1) * group, op);
  order::combine_totals<T>(totals, before, op);
  return static_cast<T>(op(totals[before - 1], fold_values<T>(values, begin + before * group, end, op)));
}

/// Calls put(k, inclusive result of k) for a sequence of at most `short_sequence` elements.
template <class T, class I, class Op, class Put>
void scan_short(I const& values, std::size_t begin, std::size_t end, std::optional<T> const& init, Op& op,
                Put const& put)
{
  constexpr std::size_t group = tally::exactly_associative<Op, T> ? short_sequence<T, Op> : order::group<T>;
  std::size_t const groups = (end - begin + group - 1) / group;
  T before[short_groups];  // I of docs/order.md, of the groups before the last one
  for (std::size_t g = 0; g + 1 < groups; ++g)
    before[g] = fold_values<T>(values, begin + g * group, begin + (g + 1) * group, op);
  order::scan_totals<T>(before, groups - 1, op);
  for (std::size_t g = 0; g < groups; ++g) {
    std::size_t k = begin + g * group;
    std::size_t const group_end = end - k < group ? end : k + group;
    T sum = static_cast<T>(at_index(values, k));
    for (;;) {
      T const local = g == 0 ? sum : static_cast<T>(op(before[g - 1], sum));
      put(k, init ? static_cast<T>(op(*init, local)) : local);
      if (++k == group_end) break;
      sum = static_cast<T>(op(sum, static_cast<T>(at_index(values, k))));
    }
  }
}

}  // namespace tally::cpu_backend
