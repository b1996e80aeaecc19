#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/config.hpp"
#include "tally/detail/nccl/carries.hpp"
#include "tally/detail/recurrence/steps_in_order.hpp"
#include "tally/operators/affine.hpp"
#include "tally/operators/traits.hpp"
#include "tally/order.hpp"

/// Recurrences that have an order of their own, as functions for a device: an item does a row, step after step, or
/// folds the rows of a tile. Sequences have `size` steps each; inputs(s) are the maps of sequence s.
namespace tally::nccl_backend {

/// A row of a rank's part.
template <class T>
struct row_of_steps {
  using W = working_type<T>;

  affine<W> total;
  W before;  ///< the state before it
};

/// Rows of the tiles of several sequences, of `size` steps each.
template <class T>
struct rows_of_sequences {
  static constexpr std::size_t row = order::recurrence::row<T>;

  std::size_t size, tile;  ///< steps of a sequence and of a tile
  row_of_steps<T>* rows;
  std::uint64_t tiles_each;  ///< from a sequence's first tile to the next one's, in memory

  /// Of a tile.
  TALLY_HD static std::size_t rows_of(std::size_t tile) { return (tile - 1) / row + 1; }
  /// Of a sequence.
  TALLY_HD std::size_t tiles() const { return (size - 1) / tile + 1; }
  /// The rows of one of its tiles. They are in memory one after the other.
  TALLY_HD std::size_t rows_of_tile(std::size_t number) const
  {
    std::size_t const left = size - number * tile;
    return rows_of(left < tile ? left : tile);
  }
  TALLY_HD row_of_steps<T>* of_tile(std::size_t s, std::size_t number) const
  {
    return rows + (s * tiles_each + number) * rows_of(tile);
  }

  /// Item k of one for each place of a row, of which there may be none in the last tile.
  struct place {
    std::size_t sequence, tile, row, begin, end;
  };
  TALLY_HD std::size_t places() const { return tiles() * rows_of(tile); }
  TALLY_HD place at(std::size_t k) const
  {
    std::size_t const s = k / places(), in_sequence = k - s * places();
    std::size_t const number = in_sequence / rows_of(tile), r = in_sequence - number * rows_of(tile);
    std::size_t const begin = number * tile + r * row,
                      whole = number * tile + tile < size ? number * tile + tile : size;
    return {s, number, r, begin, whole < begin + row ? whole : begin + row};
  }
};

/// Takes the steps of a row after the ones before.
TALLY_HD_AS_GIVEN
template <class T, class I, class Use>
TALLY_HD void take_row(I const& maps, std::size_t begin, std::size_t end, detail::recurrence::steps_in_order<T>& steps,
                       Use const& use)
{
  using map = affine<working_type<T>>;
  detail::recurrence::take_steps<T>(
      begin, end, steps,
      [&](std::size_t k) { return static_cast<map>(static_cast<affine<T>>(maps[static_cast<std::ptrdiff_t>(k)])); },
      use);
}

template <class T, class Inputs>
struct total_rows {
  Inputs inputs;
  rows_of_sequences<T> all;

  TALLY_HD_AS_GIVEN
  TALLY_HD void operator()(std::size_t k) const
  {
    auto const own = all.at(k);
    if (own.begin >= own.end) return;
    detail::recurrence::steps_in_order<T> steps(working_type<T>{});
    take_row<T>(inputs(own.sequence), own.begin, own.end, steps, [](auto&&...) {});
    all.of_tile(own.sequence, own.tile)[own.row].total = steps.total_of_row();
  }
};

/// Writes the totals of tiles from those of their rows.
template <class T>
struct total_tiles {
  rows_of_sequences<T> all;
  affine<working_type<T>>* totals;

  TALLY_HD void operator()(std::size_t k) const
  {
    std::size_t const s = k / all.tiles(), number = k - s * all.tiles();
    row_of_steps<T> const* const own = all.of_tile(s, number);
    detail::recurrence::rows_in_order<T> rows(working_type<T>{});
    detail::recurrence::take_rows<T>(
        all.rows_of_tile(number), rows, [&](std::size_t r) { return own[r].total; }, [](auto&&...) {});
    totals[s * all.tiles_each + number] = rows.total();
  }
};

/// Writes the states before rows. Sequences begin with the rank's tile `tile`.
template <class T, class Op>
struct states_before_rows {
  rows_of_sequences<T> all;
  carries<affine<T>, Op> before;
  std::uint64_t tile;

  TALLY_HD void operator()(std::size_t k) const
  {
    std::size_t const s = k / all.tiles(), number = k - s * all.tiles();
    auto const of_sequence = before.of(s);
    Op op;
    auto const at =
        of_sequence.before(tile + number, op, [&](std::uint64_t before_it) { return of_sequence.totals[before_it]; });
    row_of_steps<T>* const own = all.of_tile(s, number);
    detail::recurrence::rows_in_order<T> rows(at.carry.value.offset);
    detail::recurrence::take_rows<T>(
        all.rows_of_tile(number), rows, [&](std::size_t r) { return own[r].total; },
        [&](std::size_t r, working_type<T> const& state) { own[r].before = state; });
  }
};

/// Writes the states of rows to outputs(s), as offsets of maps.
template <class T, class Inputs, class Outputs>
struct states_of_rows {
  Inputs inputs;
  rows_of_sequences<T> all;
  Outputs outputs;

  TALLY_HD_AS_GIVEN
  TALLY_HD void operator()(std::size_t k) const
  {
    auto const own = all.at(k);
    if (own.begin >= own.end) return;
    auto const results = outputs(own.sequence);
    detail::recurrence::steps_in_order<T> steps(all.of_tile(own.sequence, own.tile)[own.row].before);
    take_row<T>(inputs(own.sequence), own.begin, own.end, steps, [&](std::size_t at, working_type<T> const& state) {
      results[static_cast<std::ptrdiff_t>(at)] = static_cast<affine<T>>(detail::recurrence::beginning_with(state));
    });
  }
};

/// The totals of tiles by `work`, a machine's, as it has them in total_lines, and their states as in scan_lines.
template <class T, class Work, class Inputs>
void total_recurrences(Work& work, Inputs const& inputs, std::size_t count, rows_of_sequences<T> const& all,
                       affine<working_type<T>>* totals)
{
  work.for_each(count * all.places(), total_rows<T, Inputs>{inputs, all});
  work.for_each(count * all.tiles(), total_tiles<T>{all, totals});
}
template <class T, class Op, class Work, class Inputs, class Outputs>
void scan_recurrences(Work& work, Inputs const& inputs, std::size_t count, rows_of_sequences<T> const& all,
                      Outputs const& outputs, carries<affine<T>, Op> const& before, std::uint64_t tile)
{
  work.for_each(count * all.tiles(), states_before_rows<T, Op>{all, before, tile});
  work.for_each(count * all.places(), states_of_rows<T, Inputs, Outputs>{inputs, all, outputs});
}

}  // namespace tally::nccl_backend
