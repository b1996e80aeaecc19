#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>
#include <vector>

#include "tally/exact_accumulator.hpp"
#include "tally/operators/exact_plus.hpp"
#include "tally/operators/traits.hpp"

/// A second implementation of docs/order.md: slow, obvious, written from the text. It shares no code with the library,
/// so that the two can be compared.
namespace tally::test::reference {

/// The sizes of the units, each in units of the one before. The defaults are those of the text; its small example uses
/// smaller ones.
struct shape {
  std::size_t group;      // elements
  std::size_t row = 32;   // groups
  std::size_t strip = 8;  // rows
  std::size_t tile = 8;   // strips
  std::size_t span = 32;  // tiles

  constexpr std::size_t row_elements() const { return group * row; }
  constexpr std::size_t tile_elements() const { return row_elements() * strip * tile; }
};

template <class T>
constexpr shape shape_of()
{
  return {.group = sizeof(T) < 16 ? 16 / sizeof(T) : 1};
}

/// A value, or absent. `a + absent = a`.
template <class W>
using slot = std::optional<W>;

template <class W, class Op>
slot<W> add(slot<W> const& a, slot<W> const& b, Op& op)
{
  if (!a) return b;
  if (!b) return a;
  return static_cast<W>(op(*a, *b));
}

/// The values within a row: the prefixes s of its groups, and the scan I of their totals.
template <class W>
struct row_values {
  std::vector<slot<W>> prefix;  // prefix[k] = elements of k's group up to k, from the left
  std::vector<slot<W>> groups;  // groups[g] = Kogge-Stone over the totals of groups 0..g
};

/// The row of x that begins at element `first`; elements from x.size() on are absent.
template <class W, class Op>
row_values<W> scan_row(std::vector<W> const& x, std::size_t first, shape const& by, Op& op)
{
  row_values<W> row;
  for (std::size_t g = 0; g < by.row; ++g) {
    slot<W> sum;
    for (std::size_t j = 0; j < by.group; ++j) {
      std::size_t const k = first + g * by.group + j;
      sum = add(sum, k < x.size() ? slot<W>(x[k]) : slot<W>(), op);
      row.prefix.push_back(sum);
    }
    row.groups.push_back(sum);
  }
  for (std::size_t stride = 1; stride < by.row; stride *= 2) {
    std::vector<slot<W>> const before = row.groups;
    for (std::size_t g = stride; g < by.row; ++g) row.groups[g] = add(before[g - stride], before[g], op);
  }
  return row;
}

/// The tile-local values of the tile of x that begins at element `first`.
template <class W, class Op>
std::vector<W> scan_tile(std::vector<W> const& x, std::size_t first, shape const& by, Op& op)
{
  std::vector<W> local;
  slot<W> strips_before;
  for (std::size_t s = 0; s < by.tile; ++s) {
    slot<W> rows_before;
    for (std::size_t r = 0; r < by.strip; ++r) {
      std::size_t const row_first = first + (s * by.strip + r) * by.row_elements();
      if (row_first >= x.size()) return local;
      row_values<W> const row = scan_row(x, row_first, by, op);
      slot<W> const base = add(strips_before, rows_before, op);
      for (std::size_t k = 0; k < by.row_elements() && row_first + k < x.size(); ++k) {
        std::size_t const g = k / by.group;
        slot<W> const groups_before = g == 0 ? slot<W>() : row.groups[g - 1];
        local.push_back(*add(add(base, groups_before, op), row.prefix[k], op));
      }
      rows_before = add(rows_before, row.groups.back(), op);
    }
    strips_before = add(strips_before, rows_before, op);
  }
  return local;
}

/// The inclusive scan of x in the working type W, with carries in C.
template <class C, class W, class Op>
std::vector<W> inclusive(std::vector<W> const& x, slot<W> const& init, Op& op, shape const& by)
{
  std::vector<W> result;
  slot<C> spans;
  if (init) spans = static_cast<C>(*init);
  slot<C> tiles;
  for (std::size_t tile = 0; tile * by.tile_elements() < x.size(); ++tile) {
    slot<C> const before = add(spans, tiles, op);
    slot<W> carry;
    if (before) carry = static_cast<W>(*before);
    std::vector<W> const local = scan_tile(x, tile * by.tile_elements(), by, op);
    for (W const& value : local) result.push_back(*add(carry, slot<W>(value), op));
    tiles = add(tiles, slot<C>(static_cast<C>(local.back())), op);
    if (tile % by.span == by.span - 1) {
      spans = add(spans, tiles, op);
      tiles.reset();
    }
  }
  return result;
}

/// Converts elements to the type in which they are combined, and results back to the type in which they are stored.
template <class To, class From>
std::vector<To> converted(std::vector<From> const& values)
{
  if constexpr (std::is_same_v<To, From>) {
    return values;
  } else {
    std::vector<To> result;
    for (From const& value : values) result.push_back(static_cast<To>(value));
    return result;
  }
}

/// The three results of one sequence. `T` is the type of its elements and results.
template <class T>
struct results {
  std::vector<T> inclusive;
  std::vector<T> exclusive;  // only with an initial value, which is its first element
  std::optional<T> reduced;  // absent if there is neither element nor initial value
};

/// Exact sums, by an accumulator.
template <class T>
results<T> scan(std::vector<T> const& x, exact_plus, std::optional<T> const& init = {}, shape const& = shape_of<T>())
{
  results<T> all;
  exact_accumulator<T> sum;
  if (init) sum.add(*init);
  for (T const& term : x) {
    all.exclusive.push_back(sum.round());
    sum.add(term);
    all.inclusive.push_back(sum.round());
  }
  if (init || !x.empty()) all.reduced = sum.round();
  return all;
}

template <class T, class Op>
results<T> scan(std::vector<T> const& x, Op op, std::optional<T> const& init = {}, shape const& by = shape_of<T>())
{
  using working = working_type<T>;
  using carry = carry_type<Op, T>;
  slot<working> start;
  if (init) start = static_cast<working>(*init);
  results<T> all;
  all.inclusive = converted<T>(inclusive<carry, working>(converted<working>(x), start, op, by));
  all.reduced = x.empty() ? init : std::optional<T>(all.inclusive.back());
  if (init) {
    all.exclusive.push_back(*init);
    all.exclusive.insert(all.exclusive.end(), all.inclusive.begin(), all.inclusive.end());
    all.exclusive.pop_back();
  }
  return all;
}

}  // namespace tally::test::reference
