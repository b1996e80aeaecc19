#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "tally/config.hpp"
#include "tally/detail/batch/layout.hpp"
#include "tally/detail/optional_value.hpp"
#include "tally/detail/ranks/division.hpp"
#include "tally/order.hpp"

/// The totals that GPUs share and the carries that follow, as functions for a device. Tests run them on a CPU.
namespace tally::nccl_backend {

/// A shared value: the total of a tile, or a fold of totals. All have one size, so that a place is a number.
template <class T, class Op>
struct slot {
  using W = working_type<T>;
  using C = carry_type<Op, T>;

  alignas(alignof(W) > alignof(C) ? alignof(W)
                                  : alignof(C)) unsigned char bytes[sizeof(W) > sizeof(C) ? sizeof(W) : sizeof(C)];

  template <class V>
  TALLY_HD void store(V const& value)
  {
    *reinterpret_cast<V*>(bytes) = value;  // memcpy would go byte by byte on a GPU
  }
  template <class V>
  TALLY_HD V load() const
  {
    return *reinterpret_cast<V const*>(bytes);
  }
};

/// The values that a rank shares, as it tells all others: their slots follow it in memory. Rank 0 has the initial value
/// in front of its totals.
struct alignas(16) shared_header {
  std::uint64_t first_tile = 0;  ///< the number of the rank's first tile, in the whole sequence
  std::uint64_t spans = 0;       ///< as in ranks_backend::shared_totals, and so the rest
  std::uint32_t single = 0;
  std::uint32_t part = 0;
  std::uint32_t last = 0;
  std::uint32_t has_init = 0;

  shared_header() = default;
  shared_header(ranks_backend::shared_totals const& of, std::uint64_t first, bool init)
      : first_tile(first),
        spans(of.spans),
        single(static_cast<std::uint32_t>(of.single)),
        part(of.part),
        last(of.last),
        has_init(init)
  {
  }

  TALLY_HD std::uint64_t values() const { return has_init + single + spans + (part > 0 ? 1 : 0) + last; }
  /// Those up to the first that tells of a span which begins among the rank's tiles.
  TALLY_HD std::uint64_t values_to_span() const
  {
    std::uint64_t const count = has_init + (order::span_tiles - first_tile % order::span_tiles) % order::span_tiles + 1;
    return count < values() ? count : values();
  }
};

/// The blocks of ranks in memory, in the order of a sequence: a header and slots each.
struct shared_blocks {
  std::byte const* first;
  std::ptrdiff_t
      step;  ///< from one to the next, in bytes; negative if the sequence goes from the last rank to the first

  TALLY_HD std::byte const* at(int place) const { return first + place * step; }
};

/// The fold of everything before a tile: `order::carry` as a plain value, which kernels and memory take.
template <class T, class Op>
struct carry_state {
  using W = working_type<T>;
  using C = carry_type<Op, T>;

  detail::optional_value<C> spans;  ///< the initial value and the spans before this one
  detail::optional_value<W> last;   ///< the inclusive value at the last element so far
  C tiles;                          ///< the earlier tiles of this span, if there are any
  std::uint32_t count;              ///< of these

  TALLY_HD static carry_state nothing()
  {
    carry_state state;
    state.spans.is_present = state.last.is_present = false;
    state.count = 0;
    return state;
  }
  TALLY_HD static carry_state of_init(W const& init)
  {
    carry_state state = nothing();
    state.spans = {static_cast<C>(init), true};
    state.last = {init, true};
    return state;
  }
  /// A span begins here, after the fold of others.
  TALLY_HD static carry_state of_spans(C const& spans)
  {
    carry_state state = nothing();
    state.spans = {spans, true};
    return state;
  }

  /// The carry of the next tile.
  TALLY_HD_AS_GIVEN
  template <class F>
  TALLY_HD detail::optional_value<W> next(F& op) const
  {
    if (count == 0) return {static_cast<W>(spans.value), spans.is_present};
    return {static_cast<W>(spans.before(tiles, op)), true};
  }
  /// Takes the total of the next tile.
  TALLY_HD_AS_GIVEN
  template <class F>
  TALLY_HD void push(W const& total, F& op)
  {
    last = {next(op).before(total, op), true};
    push_total(total, op);
  }
  /// The same; `last` stays that of earlier tiles.
  TALLY_HD_AS_GIVEN
  template <class F>
  TALLY_HD void push_total(W const& total, F& op)
  {
    C const tile = static_cast<C>(total);
    tiles = count == 0 ? tile : static_cast<C>(op(tiles, tile));
    if (++count == order::span_tiles) close_span(op);
  }
  /// Takes the fold of `n` tiles, at most a whole span, which begins here. `last` stays that of earlier tiles.
  TALLY_HD_AS_GIVEN
  template <class F>
  TALLY_HD void push_fold(C const& fold, std::uint32_t n, F& op)
  {
    tiles = fold;
    count = n;
    if (count == order::span_tiles) close_span(op);
  }
  /// Ends the span, if it has tiles.
  TALLY_HD_AS_GIVEN
  template <class F>
  TALLY_HD void close_span(F& op)
  {
    if (count == 0) return;
    spans.append(tiles, op);
    count = 0;
  }
};

/// The initial value of a single sequence.
template <class T>
struct initial_value {
  working_type<T> value;
  TALLY_HD working_type<T> operator()(std::size_t) const { return value; }
};
/// Those of several: one for all, or one of each in memory.
template <class T>
struct initial_values {
  working_type<T> value;
  T const* each;
  detail::batch::layout where;
  TALLY_HD working_type<T> operator()(std::size_t s) const
  {
    return each == nullptr ? value : static_cast<working_type<T>>(each[where.place(s).initial]);
  }
};

/// Computes the values that a rank shares, each by itself.
template <class T, class Op, class Inits>
struct sharing {
  using W = working_type<T>;
  using C = carry_type<Op, T>;

  shared_header header;
  W const* all_totals;  ///< of the rank's tiles
  std::uint64_t tiles;  ///< of a sequence
  Inits inits;
  slot<T, Op>* all_slots;
  Op op;

  /// Value `place` of a sequence.
  TALLY_HD_AS_GIVEN
  TALLY_HD void share(std::size_t sequence, std::uint64_t place) const
  {
    W const* const totals = all_totals + sequence * tiles;
    slot<T, Op>* const slots = all_slots + sequence * header.values();
    if (place < header.has_init) return slots[place].store(inits(sequence));
    std::uint64_t const k = place - header.has_init;
    std::uint64_t const folds = header.spans + (header.part > 0 ? 1 : 0);
    if (k < header.single) return slots[place].store(totals[k]);
    if (k >= header.single + folds)
      return slots[place].store(totals[k - folds + header.spans * order::span_tiles + header.part]);
    std::uint64_t const fold = k - header.single, begin = header.single + fold * order::span_tiles;
    std::uint64_t const count = fold < header.spans ? order::span_tiles : header.part;
    Op own = op;
    C sum = static_cast<C>(totals[begin]);
    for (std::uint64_t t = 1; t < count; ++t) sum = static_cast<C>(own(sum, static_cast<C>(totals[begin + t])));
    slots[place].store(sum);
  }
};

/// Places among the shared values of a rank.
struct places {
  std::uint64_t first, last;
};

/// Goes through the shared values of a rank, in pieces.
template <class T, class Op>
struct shared_walk {
  using W = working_type<T>;
  using C = carry_type<Op, T>;

  carry_state<T, Op> at = carry_state<T, Op>::nothing();

  /// Takes the values at [first, last); `slots` begins with that at `first`. Calls at_span(tile) before the rank's tile
  /// `tile`, counted from 0, if it is the rank's first one or begins a span; but for the spans whose places are
  /// chained(first, last), whose slots hold the spans before them instead.
  TALLY_HD_AS_GIVEN
  template <class AtSpan>
  TALLY_HD void take(shared_header const& of, slot<T, Op>* slots, std::uint64_t first, std::uint64_t last, Op& op,
                     AtSpan const& at_span)
  {
    auto const before_tile = [&](std::uint64_t tile) {
      bool const begins = (of.first_tile + tile) % order::span_tiles == 0;
      if (begins) at.close_span(op);  // for operators in any order: parts of others may end within a span
      if (begins || tile == 0) at_span(tile);
    };
    std::uint64_t k = first;
    if (k < last && k < of.has_init) {
      at = carry_state<T, Op>::of_init(slots->template load<W>());
      ++k, ++slots;
    }
    std::uint64_t const singles = of.has_init + of.single, spans = singles + of.spans;
    for (; k < last && k < singles; ++k, ++slots) {
      before_tile(k - of.has_init);
      at.push(slots->template load<W>(), op);
    }
    if (k < last && k == singles && k < spans) {
      before_tile(of.single);
      at.push_fold(slots->template load<C>(), static_cast<std::uint32_t>(order::span_tiles), op);
      ++k, ++slots;
    }
    if (k < last && k < spans) {
      std::uint64_t const end = last < spans ? last : spans;
      at.spans.value = chain(at.spans.value, slots, static_cast<std::uint32_t>(end - k), op);
      slots += end - k;
      k = end;
    }
    for (; k < last; ++k, ++slots) {
      std::uint64_t const tile = of.single + of.spans * order::span_tiles;
      if (of.part > 0 && k == spans) {
        before_tile(tile);
        at.push_fold(slots->template load<C>(), of.part, op);
      } else {
        before_tile(tile + of.part + (k - spans - (of.part > 0 ? 1 : 0)));
        at.push(slots->template load<W>(), op);
      }
    }
  }

  /// Takes the spans at places that are chained(..).
  TALLY_HD_AS_GIVEN
  TALLY_HD void take_chain(slot<T, Op>* slots, places of, Op& op)
  {
    at.spans.value = chain(at.spans.value, slots, static_cast<std::uint32_t>(of.last - of.first), op);
  }

  /// The places at [first, last) whose slots hold the spans before them after `take`.
  TALLY_HD static places chained(shared_header const& of, std::uint64_t first, std::uint64_t last)
  {
    std::uint64_t const singles = of.has_init + of.single, spans = singles + of.spans;
    std::uint64_t const begin = first > singles ? first : singles + 1, end = last < spans ? last : spans;
    return {begin, begin < end ? end : begin};
  }
  /// The rank's tile that begins the span at a place.
  TALLY_HD static std::uint64_t tile_of_span(shared_header const& of, std::uint64_t place)
  {
    return of.single + (place - of.has_init - of.single) * order::span_tiles;
  }

private:
  /// The fold of `sum` and the values of `count` spans. Each slot gets the fold before it. Values are read a batch
  /// ahead: the operations alone depend on each other.
  TALLY_HD_AS_GIVEN
  TALLY_HD static C chain(C sum, slot<T, Op>* slots, std::uint32_t count, Op& op)
  {
    constexpr std::uint32_t batch = sizeof(C) <= 8 ? 16 : sizeof(C) <= 16 ? 8 : sizeof(C) <= 32 ? 4 : 1;
    auto const append = [&](slot<T, Op>& at, C const& value) {
      at.store(sum);
      sum = static_cast<C>(op(sum, value));
    };
    std::uint32_t k = 0;
    if (count >= batch) {
      C values[batch], next[batch];
#ifdef __CUDACC__
#pragma unroll
#endif
      for (std::uint32_t j = 0; j < batch; ++j) values[j] = slots[j].template load<C>();
      for (; count - k >= 2 * batch; k += batch) {
#ifdef __CUDACC__
#pragma unroll
#endif
        for (std::uint32_t j = 0; j < batch; ++j) next[j] = slots[k + batch + j].template load<C>();
#ifdef __CUDACC__
#pragma unroll
#endif
        for (std::uint32_t j = 0; j < batch; ++j) append(slots[k + j], values[j]);
#ifdef __CUDACC__
#pragma unroll
#endif
        for (std::uint32_t j = 0; j < batch; ++j) values[j] = next[j];
      }
#ifdef __CUDACC__
#pragma unroll
#endif
      for (std::uint32_t j = 0; j < batch; ++j) append(slots[k + j], values[j]);
      k += batch;
    }
    for (; k < count; ++k) append(slots[k], slots[k].template load<C>());
    return sum;
  }
};

/// The values before a tile, of which the first tile of all may have none.
template <class T>
struct before_tile {
  detail::optional_value<working_type<T>> carry;     ///< the carry of the tile
  detail::optional_value<working_type<T>> previous;  ///< the inclusive value at the element before
};

/// The values before each tile of a rank, from what all have shared.
template <class T, class Op>
struct carries {
  using W = working_type<T>;
  using C = carry_type<Op, T>;

  W const* totals = nullptr;                  ///< of the rank's tiles
  carry_state<T, Op> const* first = nullptr;  ///< before the rank's first tile
  C const* starts = nullptr;                  ///< the spans before the rank's span k, for k > 0
  std::uint64_t first_tile = 0;               ///< the number of the rank's first tile, in the whole sequence
  std::uint64_t tiles_each = 0;               ///< of several sequences, the totals of one
  std::uint64_t starts_each = 0;

  /// Those of a sequence.
  TALLY_HD carries of(std::size_t sequence) const
  {
    return {totals + sequence * tiles_each, first + sequence, starts + sequence * starts_each, first_tile};
  }

  /// The rank's span that has its tile `tile`.
  TALLY_HD std::uint64_t span_of(std::uint64_t tile) const
  {
    return (first_tile + tile) / order::span_tiles - first_tile / order::span_tiles;
  }

  /// The first of the tiles whose totals `before(tile)` needs; there are at most a span of them.
  TALLY_HD std::uint64_t needed_from(std::uint64_t tile) const
  {
    std::uint64_t const span = span_before(tile);
    return span == 0 ? 0 : (first_tile / order::span_tiles + span) * order::span_tiles - first_tile;
  }
  /// The values before the rank's tile `tile`; total_of(k) is the total of its tile k.
  TALLY_HD_AS_GIVEN
  template <class TotalOf>
  TALLY_HD before_tile<T> before(std::uint64_t tile, Op& op, TotalOf const& total_of) const
  {
    std::uint64_t const span = span_before(tile);
    carry_state<T, Op> at = span == 0 ? *first : carry_state<T, Op>::of_spans(starts[span]);
    std::uint64_t k = needed_from(tile);
    for (; k + 1 < tile; ++k) at.push_total(total_of(k), op);
    if (k < tile) at.push(total_of(k), op);
    return {at.next(op), at.last};
  }

private:
  /// The rank's span that has the tile before.
  TALLY_HD std::uint64_t span_before(std::uint64_t tile) const { return span_of(tile == 0 ? 0 : tile - 1); }
};

}  // namespace tally::nccl_backend
