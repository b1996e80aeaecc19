#pragma once

#include <cstddef>
#include <type_traits>

#include "tally/config.hpp"
#include "tally/operators/traits.hpp"
#include "tally/order.hpp"

/// The order of docs/order.md by one thread, element by element, on a CPU or a GPU: what a call on [0, n) gives, for
/// those who cannot make one.
namespace tally::detail {

/// A value that may be absent: a + absent = a.
template <class T>
struct maybe {
  T value{};
  bool there = false;

  template <class Op>
  TALLY_HD void append(T const& next, Op& op)
  {
    value = there ? static_cast<T>(op(value, next)) : next;
    there = true;
  }
  template <class Op>
  TALLY_HD void append(maybe const& next, Op& op)
  {
    if (next.there) append(next.value, op);
  }
};

/// Calls `put(k, inclusive result of element k)` for at(0) .. at(n-1), in their order, on top of `init` if it is there.
/// `T` is the accumulator's type; results are in its working type.
///
/// Cost      per group of a row some five applications of op more than its elements; a row's totals are kept on the
///           stack.
template <class T, class At, class Op, class Put>
TALLY_HD void scan_in_order(At const& at, std::size_t n, maybe<T> const& init, Op& op, Put const& put)
{
  using working = working_type<T>;
  using wide = carry_type<Op, T>;
  constexpr std::size_t lanes = 32;
  constexpr std::size_t group = sizeof(T) < 16 ? 16 / sizeof(T) : 1;
  constexpr std::size_t row = lanes * group, strip = 8 * row, tile = 8 * strip, span = 32 * tile;
  static_assert(lanes == order::row_groups && group == order::group<T> && strip == order::strip<T> &&
                tile == order::tile<T> && span == order::span<T>);

  maybe<wide> spans, tiles;
  maybe<working> carry, strips, rows;
  if (init.there) {
    spans = {static_cast<wide>(static_cast<working>(init.value)), true};
    carry = {static_cast<working>(spans.value), true};
  }
  for (std::size_t begin = 0; begin < n; begin += row) {
    std::size_t const count = n - begin < row ? n - begin : row;
    std::size_t const groups = (count + group - 1) / group;
    working before[lanes];  // I of docs/order.md
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

    maybe<working> base = strips;
    base.append(rows, op);
    working local{};
    for (std::size_t g = 0; g < groups; ++g) {
      maybe<working> left = base;
      if (g != 0) left.append(before[g - 1], op);
      std::size_t const end = (g + 1) * group < count ? (g + 1) * group : count;
      working sum{};
      for (std::size_t k = g * group; k < end; ++k) {
        working const value = static_cast<working>(static_cast<T>(at(begin + k)));
        sum = k == g * group ? value : static_cast<working>(op(sum, value));
        local = left.there ? static_cast<working>(op(left.value, sum)) : sum;
        put(begin + k, carry.there ? static_cast<working>(op(carry.value, local)) : local);
      }
    }
    rows.append(before[groups - 1], op);
    std::size_t const next = begin + row;
    if (next % strip == 0) {
      strips.append(rows, op);
      rows.there = false;
    }
    if (next % tile == 0) {
      strips.there = false;
      tiles.append(static_cast<wide>(local), op);
      if (next % span == 0) {
        spans.append(tiles, op);
        tiles.there = false;
      }
      maybe<wide> sum = spans;
      sum.append(tiles, op);
      carry = {static_cast<working>(sum.value), true};
    }
  }
}

}  // namespace tally::detail
