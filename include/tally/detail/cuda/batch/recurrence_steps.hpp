#pragma once

#include <cstddef>
#include <iterator>
#include <optional>
#include <type_traits>

#include "tally/config.hpp"
#include "tally/detail/atomic.hpp"
#include "tally/detail/optional_value.hpp"
#include "tally/detail/recurrence/steps.hpp"
#include "tally/detail/recurrence/steps_in_order.hpp"
#include "tally/detail/results.hpp"
#include "tally/operators/affine.hpp"
#include "tally/operators/traits.hpp"
#include "tally/order.hpp"

/// Recurrences with an order of their own on a GPU, for elements and results at any places: a thread for each row,
/// which takes one step after the other. All are functions of an item's number, which tests call on a CPU.
///
/// Recurrences say where steps are:
///
///     sequences(), size(s)   the number of sequences, and of the steps of one
///     first_of(s)            the number of its first step among those of all sequences, one after the other
///     end()                  the number behind those of all steps
///     sequence_of(k)         the last sequence whose first step has the number k or one before, for k < end()
///     steps_of(s)            the places of its coefficients and results, a function of a step
///     a, b, out              the coefficients and the results
namespace tally::cuda_backend {

namespace recurrence = detail::recurrence;

inline constexpr std::size_t no_step = static_cast<std::size_t>(-1);

/// The places of a step's coefficients and of its result.
struct places_of_step {
  std::ptrdiff_t a, b, out;
};

/// A call, in the device's memory.
template <class T, class Recurrences>
struct recurrence_call {
  Recurrences all;
  detail::optional_value<T> initial;
  T const* initials;
  T* lasts;
  affine<T>* starts;     ///< of scans of maps, the first map of each sequence, if there are `initials`
  affine<T>* ends;       ///< the last result of each sequence, if there are `lasts`
  std::size_t* bad;      ///< the first step of each sequence whose result is not finite, or no_step
  std::size_t* any_bad;  ///< no_step if there is none
  T* before_bad;         ///< the state before that step, if outputs cannot be read

  TALLY_HD T before(std::size_t s) const { return initials != nullptr ? initials[all.initial_of(s)] : initial.value; }
  TALLY_HD void report(std::size_t s, std::size_t step) const
  {
    detail::lower_atomically(bad + s, step);
    *any_bad = 0;
  }
};

/// The uses of the results of a recurrence.
enum class results_are { stored, only_looked_at, stored_while_finite };

/// The map of a step.
TALLY_HD_AS_GIVEN
template <class T, class Recurrences>
TALLY_HD affine<T> map_at(Recurrences const& all, places_of_step const& at)
{
  return {static_cast<T>(all.a[at.a]), static_cast<T>(all.b[at.b])};
}
TALLY_HD_AS_GIVEN
template <class T, class Recurrences>
TALLY_HD void put_state(Recurrences const& all, places_of_step const& places, T const& state)
{
  using output = std::remove_cvref_t<decltype(all.out)>;
  std::ptrdiff_t const at = places.out;
  if constexpr (detail::takes_results<output>)
    all.out[at] = state;
  else if constexpr (requires { all.out[at].put(state); })
    all.out[at].put(state);
  else
    all.out[at] = static_cast<std::iter_value_t<output>>(state);
}

/// A place in a sequence, or none.
struct place_in_sequence {
  std::size_t sequence, step;
  bool is_present;
};

/// Of the steps with the numbers [chunk * size, (chunk + 1) * size), that at which a piece of `size` steps of its
/// sequence begins that is not the first. There is one at most: `size` steps of its sequence are before it.
TALLY_HD_AS_GIVEN
template <class Recurrences>
TALLY_HD place_in_sequence later_piece(Recurrences const& all, std::size_t size, std::size_t chunk)
{
  std::size_t const begin = chunk * size;
  if (begin >= all.end()) return {0, 0, false};
  std::size_t const s = all.sequence_of(begin), first = all.first_of(s);
  if (begin <= first) return {s, 0, false};
  std::size_t const step = (begin - first + size - 1) / size * size;
  return {s, step, step < all.size(s)};
}

/// The totals of rows, tiles and spans before others of their sequences. That of a piece is at the place of the piece
/// behind it, which is the chunk of later_piece.
template <class T>
struct totals_of_pieces {
  using W = working_type<T>;
  using C = typename recurrence::state_before_tiles<T>::C;
  static constexpr std::size_t row = order::recurrence::row<T>, tile = order::recurrence::tile<T>,
                               span = tile * order::span_tiles;

  affine<W>* rows = nullptr;  ///< later the state before the row behind, as an offset
  affine<W>* tiles = nullptr;
  affine<C>* spans = nullptr;  ///< later the state before the span behind, as an offset

  TALLY_HD affine<W>& of_row_at(std::size_t number) const { return rows[number / row + 1]; }
  TALLY_HD affine<W>& of_tile_at(std::size_t number) const { return tiles[number / tile + 1]; }
  TALLY_HD affine<C>& of_span_at(std::size_t number) const { return spans[number / span + 1]; }
};

/// The chunks of pieces of sequences: of rows, tiles and spans. There are at most `numbers` numbers of steps, if that
/// is known, and a sequence has at most `longest` steps.
template <class T>
struct chunks_of_pieces {
  std::size_t rows, tiles, spans;

  chunks_of_pieces(std::optional<std::size_t> numbers, std::size_t longest)
  {
    auto const chunks = [&](std::size_t size) { return numbers && longest > size ? *numbers / size + 2 : 0; };
    rows = chunks(totals_of_pieces<T>::row);
    tiles = chunks(totals_of_pieces<T>::tile);
    spans = chunks(totals_of_pieces<T>::span);
  }
};

/// Takes steps [begin, end) of a sequence, which begin with a row: calls use(k, place of the result, state) after each.
TALLY_HD_AS_GIVEN
template <class T, class Recurrences, class Use>
TALLY_HD void take_steps_of(Recurrences const& all, std::size_t s, std::size_t begin, std::size_t end,
                            recurrence::steps_in_order<T>& steps, Use const& use)
{
  using W = working_type<T>;
  auto const places = all.steps_of(s);
  recurrence::take_steps<T>(
      begin, end, steps, [&](std::size_t k) { return static_cast<affine<W>>(map_at<T>(all, places(k))); },
      [&](std::size_t k, W const& state) { use(k, places(k), state); });
}

/// The totals of rows.
template <class T, class Recurrences>
struct total_recurrence_rows {
  Recurrences all;
  totals_of_pieces<T> totals;

  TALLY_HD_AS_GIVEN
  TALLY_HD void operator()(std::size_t chunk) const
  {
    constexpr std::size_t row = totals_of_pieces<T>::row;
    place_in_sequence const next = later_piece(all, row, chunk);
    if (!next.is_present) return;
    std::size_t const begin = next.step - row;
    recurrence::steps_in_order<T> steps(working_type<T>{});
    take_steps_of<T>(all, next.sequence, begin, next.step, steps, [](auto&&...) {});
    totals.of_row_at(all.first_of(next.sequence) + begin) = steps.total_of_row();
  }
};
/// Those of tiles.
template <class T, class Recurrences>
struct total_recurrence_tiles {
  Recurrences all;
  totals_of_pieces<T> totals;

  TALLY_HD_AS_GIVEN
  TALLY_HD void operator()(std::size_t chunk) const
  {
    constexpr std::size_t row = totals_of_pieces<T>::row, tile = totals_of_pieces<T>::tile;
    place_in_sequence const next = later_piece(all, tile, chunk);
    if (!next.is_present) return;
    std::size_t const begin = all.first_of(next.sequence) + next.step - tile;
    recurrence::rows_in_order<T> rows(working_type<T>{});
    recurrence::take_rows<T>(
        tile / row, rows, [&](std::size_t r) { return totals.of_row_at(begin + r * row); }, [](auto&&...) {});
    totals.of_tile_at(begin) = rows.total();
  }
};
/// Those of spans.
template <class T, class Recurrences>
struct total_recurrence_spans {
  Recurrences all;
  totals_of_pieces<T> totals;

  TALLY_HD_AS_GIVEN
  TALLY_HD void operator()(std::size_t chunk) const
  {
    using map = affine<typename totals_of_pieces<T>::C>;
    constexpr std::size_t tile = totals_of_pieces<T>::tile, span = totals_of_pieces<T>::span;
    place_in_sequence const next = later_piece(all, span, chunk);
    if (!next.is_present) return;
    std::size_t const begin = all.first_of(next.sequence) + next.step - span;
    map sum = static_cast<map>(totals.of_tile_at(begin));
    for (std::size_t k = tile; k < span; k += tile)
      sum = recurrence::steps_in_turn{}(sum, static_cast<map>(totals.of_tile_at(begin + k)));
    totals.of_span_at(begin) = sum;
  }
};
/// Replaces the totals of the spans of each sequence by the states behind them.
template <class T, class Recurrences>
struct fold_recurrence_spans {
  recurrence_call<T, Recurrences> const* call;
  totals_of_pieces<T> totals;

  TALLY_HD_AS_GIVEN
  TALLY_HD void operator()(std::size_t s) const
  {
    using C = typename totals_of_pieces<T>::C;
    constexpr std::size_t span = totals_of_pieces<T>::span;
    Recurrences const& all = call->all;
    if (s >= all.sequences()) return;
    std::size_t const first = all.first_of(s), size = all.size(s);
    if (size <= span) return;
    C state = static_cast<C>(static_cast<working_type<T>>(call->before(s)));
    for (std::size_t k = 0; size - k > span; k += span) {
      affine<C>& at = totals.of_span_at(first + k);
      state = at(state);
      at = recurrence::beginning_with(state);
    }
  }
};

/// Replaces the totals of the rows of a tile by the states behind them, and that of the row before the tile by the
/// tile's carry: first of the first tile of each sequence, then of the chunks of later ones.
template <class T, class Recurrences>
struct states_before_rows {
  using W = working_type<T>;
  using C = typename totals_of_pieces<T>::C;
  static constexpr std::size_t row = totals_of_pieces<T>::row, tile = totals_of_pieces<T>::tile,
                               span = totals_of_pieces<T>::span;

  recurrence_call<T, Recurrences> const* call;
  std::size_t firsts;  ///< the number of sequences at most
  totals_of_pieces<T> totals;

  TALLY_HD_AS_GIVEN
  TALLY_HD void operator()(std::size_t item) const
  {
    Recurrences const& all = call->all;
    if (item < firsts) {
      if (item < all.sequences()) take_tile(item, 0, static_cast<W>(call->before(item)));
      return;
    }
    place_in_sequence const own = later_piece(all, tile, item - firsts);
    if (own.is_present) take_tile(own.sequence, own.step, carry(own));
  }

private:
  TALLY_HD_AS_GIVEN
  TALLY_HD W carry(place_in_sequence const& own) const
  {
    std::size_t const in_span = own.step % span, begin = call->all.first_of(own.sequence) + own.step - in_span;
    C const spans = own.step < span ? static_cast<C>(static_cast<W>(call->before(own.sequence)))
                                    : totals.of_span_at(begin - span).offset;
    recurrence::state_before_tiles<T> at(spans);
    for (std::size_t k = 0; k < in_span; k += tile) at.push(totals.of_tile_at(begin + k));
    return at.next();
  }
  TALLY_HD_AS_GIVEN
  TALLY_HD void take_tile(std::size_t s, std::size_t step, W const& before) const
  {
    std::size_t const first = call->all.first_of(s) + step, left = call->all.size(s) - step;
    if (left == 0) return;
    std::size_t const rows_left = (left - 1) / row + 1, count = rows_left < tile / row ? rows_left : tile / row;
    recurrence::rows_in_order<T> rows(before);
    auto const put = [&](std::size_t r, W const& state) {
      if (step + r > 0) totals.of_row_at(first + r * row - row) = recurrence::beginning_with(state);
    };
    recurrence::take_rows<T>(count - 1, rows, [&](std::size_t r) { return totals.of_row_at(first + r * row); }, put);
    put(count - 1, rows.state());
  }
};

/// The states of rows: first those of the first row of each sequence, then those of the chunks of later ones. Without
/// totals of rows, all of a sequence.
template <class T, class Recurrences>
struct states_of_rows {
  using W = working_type<T>;
  static constexpr std::size_t row = totals_of_pieces<T>::row, tile = totals_of_pieces<T>::tile;

  Recurrences all;
  recurrence_call<T, Recurrences> const* call;
  results_are are;
  std::size_t firsts;  ///< the number of sequences at most
  totals_of_pieces<T> totals;

  TALLY_HD_AS_GIVEN
  TALLY_HD void operator()(std::size_t item) const
  {
    if (item >= firsts) {
      place_in_sequence const own = later_piece(all, row, item - firsts);
      if (!own.is_present) return;
      std::size_t const before = all.first_of(own.sequence) + own.step - row, size = all.size(own.sequence);
      take(own.sequence, own.step, size - own.step < row ? size : own.step + row, totals.of_row_at(before).offset);
      return;
    }
    if (item >= all.sequences()) return;
    T const before = call->before(item);
    std::size_t const size = all.size(item), each = totals.rows != nullptr ? row : tile;
    if (size == 0 && call->ends != nullptr) call->ends[item] = recurrence::beginning_with(before);
    using C = typename totals_of_pieces<T>::C;
    recurrence::state_before_tiles<T> at(static_cast<C>(static_cast<W>(before)));
    for (std::size_t step = 0; step < size; step += each) {
      affine<W> const total = take(item, step, size - step < each ? size : step + each, at.next());
      if (totals.rows != nullptr) return;
      at.push(total);
    }
  }

private:
  /// Takes steps [begin, end). Returns their total.
  TALLY_HD_AS_GIVEN
  TALLY_HD affine<W> take(std::size_t s, std::size_t begin, std::size_t end, W const& before) const
  {
    std::size_t const size = all.size(s);
    bool const is_cut = are == results_are::stored_while_finite && *call->any_bad != no_step;
    std::size_t const bad = is_cut ? call->bad[s] : no_step;
    recurrence::steps_in_order<T> steps(before);
    take_steps_of<T>(all, s, begin, end, steps, [&](std::size_t k, places_of_step const& at, W const& y) {
      auto const state = static_cast<T>(y);
      if (k + 1 == size && call->ends != nullptr) call->ends[s] = recurrence::beginning_with(state);
      if (is_cut && call->before_bad != nullptr && k + 1 == bad) call->before_bad[s] = state;
      if (are != results_are::stored_while_finite && !recurrence::is_finite(state)) call->report(s, k);
      if (are != results_are::only_looked_at && k < bad) put_state(all, at, state);
    });
    return steps.total();
  }
};

}  // namespace tally::cuda_backend
