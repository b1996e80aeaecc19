#pragma once

#include <cstddef>

#include "tally/config.hpp"
#include "tally/detail/optional_value.hpp"
#include "tally/operators/traits.hpp"
#include "tally/order.hpp"

namespace tally::test {

/// The order of docs/order.md by one thread, element by element, written apart from the library's kernels.
///
/// Calls `put(k, inclusive result of element k)` for at(0), ..., at(n-1) in their order, on top of `init` if it is
/// present. T is the accumulator's type; results have its working type.
///
/// Cost      some five applications of op for each group, besides those for its elements; the totals of a row are on
///           the stack.
template <class T, class At, class Op, class Put>
TALLY_HD void scan_in_order(At const& at, std::size_t n, detail::optional_value<T> const& init, Op& op, Put const& put)
{
  using working = working_type<T>;
  using wide = carry_type<Op, T>;
  constexpr std::size_t group = order::group<T>, row = order::row<T>;

  detail::optional_value<wide> spans{}, tiles{};
  detail::optional_value<working> carry{}, strips{}, rows{};
  if (init.is_present) {
    spans = {static_cast<wide>(static_cast<working>(init.value)), true};
    carry = {static_cast<working>(spans.value), true};
  }
  for (std::size_t begin = 0; begin < n; begin += row) {
    std::size_t const count = n - begin < row ? n - begin : row;
    std::size_t const groups = (count + group - 1) / group;
    working before[order::row_groups];  // I of docs/order.md
    for (std::size_t g = 0; g < groups; ++g) {
      std::size_t const end = (g + 1) * group < count ? (g + 1) * group : count;
      working sum = static_cast<working>(static_cast<T>(at(begin + g * group)));
      for (std::size_t k = g * group + 1; k < end; ++k)
        sum = static_cast<working>(op(sum, static_cast<working>(static_cast<T>(at(begin + k)))));
      before[g] = sum;
    }
    for (std::size_t stride = 1; stride < groups; stride *= 2)
      for (std::size_t g = groups - 1; g >= stride; --g)
        before[g] = static_cast<working>(op(before[g - stride], before[g]));

    detail::optional_value<working> base = strips;
    base.append(rows, op);
    working local{};
    for (std::size_t g = 0; g < groups; ++g) {
      detail::optional_value<working> left = base;
      if (g != 0) left.append(before[g - 1], op);
      std::size_t const end = (g + 1) * group < count ? (g + 1) * group : count;
      working sum{};
      for (std::size_t k = g * group; k < end; ++k) {
        working const value = static_cast<working>(static_cast<T>(at(begin + k)));
        sum = k == g * group ? value : static_cast<working>(op(sum, value));
        local = left.is_present ? static_cast<working>(op(left.value, sum)) : sum;
        put(begin + k, carry.is_present ? static_cast<working>(op(carry.value, local)) : local);
      }
    }
    rows.append(before[groups - 1], op);
    std::size_t const next = begin + row;
    if (next % order::strip<T> == 0) {
      strips.append(rows, op);
      rows.is_present = false;
    }
    if (next % order::tile<T> == 0) {
      strips.is_present = false;
      tiles.append(static_cast<wide>(local), op);
      if (next % order::span<T> == 0) {
        spans.append(tiles, op);
        tiles.is_present = false;
      }
      detail::optional_value<wide> sum = spans;
      sum.append(tiles, op);
      carry = {static_cast<working>(sum.value), true};
    }
  }
}

}  // namespace tally::test
