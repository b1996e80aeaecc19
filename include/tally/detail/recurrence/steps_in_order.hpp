#pragma once

#include <cstddef>
#include <type_traits>

#include "tally/config.hpp"
#include "tally/detail/recurrence/steps.hpp"
#include "tally/half.hpp"
#include "tally/operators/affine.hpp"
#include "tally/operators/traits.hpp"
#include "tally/order.hpp"

/// A recurrence of floating-point states in the order of docs/order.md, a step at a time: for elements and results at
/// any place, on any backend.
namespace tally::detail::recurrence {

/// Whether recurrences of these states have the order of docs/order.md, "Linear recurrences"; others are scans of maps.
template <class T>
inline constexpr bool has_order =
    std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, half> || std::is_same_v<T, bfloat16>;

/// Whether a scan of maps M by Op is such a recurrence.
template <class Op, class M>
inline constexpr bool is_in_order = false;
template <class T>
inline constexpr bool is_in_order<steps_in_turn, affine<T>> = has_order<T>;
template <class Op, class M>
inline constexpr bool is_in_order<Op const, M> = is_in_order<Op, M>;

/// The type of the states of maps M.
template <class M>
using state_of = typename affine_traits<M>::scalar;

/// The rows of a tile, one after the other, from their totals. Stored type S.
template <class S>
class rows_in_order {
public:
  using W = working_type<S>;
  using map = affine<W>;

  /// `carry`: the state before the tile.
  TALLY_HD explicit rows_in_order(W const& carry) : carry_(carry), state_(carry) {}

  /// The state before the next row.
  TALLY_HD W const& state() const { return state_; }
  /// Takes the total of the next row.
  TALLY_HD void push(map const& row)
  {
    bool const begins_strip = rows_ % order::strip_rows == 0;
    of_rows_ = begins_strip ? row : steps_in_turn{}(of_rows_, row);
    state_ = row(state_);
    if (++rows_ % order::strip_rows != 0) return;
    of_strips_ = rows_ == order::strip_rows ? of_rows_ : steps_in_turn{}(of_strips_, of_rows_);
    state_ = of_strips_(carry_);
  }
  /// The total of the rows so far, one at least.
  TALLY_HD map total() const
  {
    if (rows_ % order::strip_rows == 0) return of_strips_;
    return rows_ < order::strip_rows ? of_rows_ : steps_in_turn{}(of_strips_, of_rows_);
  }

private:
  W carry_, state_;
  map of_rows_{};  // of the strip
  map of_strips_{};
  unsigned rows_ = 0;
};

/// The steps of a tile, one after the other.
///
/// A row is a binary tree of its groups. The state goes down the tree: to a left half unchanged, to a right half by the
/// total of the left one. The totals of left halves are the digits of a binary counter. Loops over its digits have no
/// end that a compiler does not know, so that the digits are registers.
///
/// Cost      a step, its composition with its group, and for each group two maps
template <class S>
class steps_in_order {
public:
  using W = working_type<S>;
  using map = affine<W>;

  /// `carry`: the state before the tile.
  TALLY_HD explicit steps_in_order(W const& carry) : rows_(carry), state_(carry) { begin_row(); }

  /// Takes a step. Returns the state after it.
  TALLY_HD W next(map const& step)
  {
    if (in_group_ == group) end_group();
    own_ = in_group_ == 0 ? step : steps_in_turn{}(own_, step);
    ++in_group_;
    state_ = step(state_);
    return state_;
  }

  /// The total of the steps taken so far, one at least.
  TALLY_HD map total() const
  {
    rows_in_order<S> rows = rows_;
    rows.push(total_of_row());
    return rows.total();
  }
  /// That of the row alone.
  TALLY_HD map total_of_row() const
  {
    map all = own_;
    for (unsigned level = 0; level < levels; ++level)
      if ((groups_ >> level & 1) != 0) all = steps_in_turn{}(left_[level], all);
    return all;
  }

private:
  static constexpr unsigned group = order::recurrence::group<S>;
  static constexpr unsigned levels = 4;
  static_assert(order::recurrence::row_groups == std::size_t{1} << levels);

  TALLY_HD void begin_row()
  {
    for (unsigned level = 0; level <= levels; ++level) before_[level] = state_;
    groups_ = 0;
  }
  /// Puts the state before the next group.
  TALLY_HD void end_group()
  {
    in_group_ = 0;
    if (groups_ + 1 == order::recurrence::row_groups) {
      rows_.push(total_of_row());
      state_ = rows_.state();
      begin_row();
      return;
    }
    map all = own_;
    unsigned ended = 0;  // the level of the left half that ends
    for (unsigned level = 0; level < levels; ++level) {
      if (level != ended) continue;
      if ((groups_ >> level & 1) != 0) {
        all = steps_in_turn{}(left_[level], all);
        ++ended;
      } else {
        left_[level] = all;
        state_ = all(before_[level + 1]);
      }
    }
    for (unsigned below = 0; below < levels; ++below)
      if (below <= ended) before_[below] = state_;
    ++groups_;
  }

  rows_in_order<S> rows_;
  W state_;
  W before_[levels + 1];  // the state before the present tree of each size
  map left_[levels]{};    // the total of the left half of the present tree of twice the size, where it is complete
  map own_{};             // of the group so far
  unsigned in_group_ = 0, groups_ = 0;
};

/// Takes steps [begin, end), which begin with a row, after the ones before: calls use(k, state) after each. `read(k)`
/// is the map of a step. A group is read at once, before its results are used.
template <class S, class Read, class Use>
TALLY_HD void take_steps(std::size_t begin, std::size_t end, steps_in_order<S>& steps, Read const& read, Use const& use)
{
  constexpr std::size_t group = order::recurrence::group<S>;
  typename steps_in_order<S>::map of[group];
  std::size_t k = begin;
  for (; end - k >= group; k += group) {
    for (std::size_t j = 0; j < group; ++j) of[j] = read(k + j);
    for (std::size_t j = 0; j < group; ++j) use(k + j, steps.next(of[j]));
  }
  for (; k < end; ++k) use(k, steps.next(read(k)));
}

/// Takes rows [0, count) of a tile, whose totals are total_of(r): calls use(r, state before row r). The totals of a
/// strip are read before.
template <class S, class TotalOf, class Use>
TALLY_HD void take_rows(std::size_t count, rows_in_order<S>& rows, TotalOf const& total_of, Use const& use)
{
  typename rows_in_order<S>::map of[order::strip_rows];
  for (std::size_t first = 0; first < count; first += order::strip_rows) {
    for (std::size_t j = 0; j < order::strip_rows; ++j)
      if (first + j < count) of[j] = total_of(first + j);
    for (std::size_t j = 0; j < order::strip_rows; ++j) {
      if (first + j >= count) break;
      use(first + j, rows.state());
      rows.push(of[j]);
    }
  }
}

/// The state before the next tile, from the totals of those before: `order::carry` of a recurrence, as a plain value
/// that kernels and memory take.
template <class S>
class state_before_tiles {
public:
  using W = working_type<S>;
  using C = state_of<carry_type<steps_in_turn, affine<S>>>;
  using map = affine<C>;

  /// `spans`: the state before a span.
  TALLY_HD explicit state_before_tiles(C const& spans) : spans_(spans) {}

  TALLY_HD C wide() const { return count_ == 0 ? spans_ : tiles_(spans_); }
  TALLY_HD W next() const { return static_cast<W>(wide()); }
  /// Takes the total of the next tile.
  TALLY_HD void push(affine<W> const& total)
  {
    map const tile = static_cast<map>(total);
    tiles_ = count_ == 0 ? tile : steps_in_turn{}(tiles_, tile);
    if (++count_ < order::span_tiles) return;
    spans_ = wide();
    count_ = 0;
  }

private:
  C spans_;
  map tiles_{};  // of this span
  std::size_t count_ = 0;
};

}  // namespace tally::detail::recurrence
