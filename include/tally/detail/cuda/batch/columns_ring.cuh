#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tally/detail/cuda/asynchronous.cuh"
#include "tally/detail/cuda/batch/column_copy.cuh"
#include "tally/detail/cuda/batch/column_piece.cuh"
#include "tally/detail/cuda/batch/column_row.cuh"
#include "tally/detail/cuda/batch/columns_problem.cuh"
#include "tally/detail/cuda/elements.cuh"
#include "tally/detail/cuda/handover.hpp"
#include "tally/detail/cuda/left_operand.cuh"
#include "tally/detail/cuda/problem.cuh"
#include "tally/detail/cuda/ring_position.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/order.hpp"

/// The scan of many columns on sm_90 and later. As in the ring of one array (ring.cuh), each multiprocessor has one
/// block, whose warps divide the work and pass pieces along a ring of buffers in shared memory. A piece is a row of the
/// order of columns side by side, 512 bytes of a line of the array; a lane has one of them.
///
///   1 drawer    draws pieces
///   4 loaders   start their copies into the ring, some rows of memory each
///   4 reducers  total the rows, fold the totals of the rows and strips before, and publish those of rows, strips, tiles
///   8 scanners  fold the totals of the tiles before, scan the rows, and write the results as they come
///
/// A reducer waits for the rows of its own tile alone, and these wait for no carry. It keeps rows that arrive later
/// waiting all the same, so columns must be many: there are few rows of a column in all rings then.
namespace tally::cuda_backend {

/// The warps of a block, as found in trials: fewer loaders than four are slower than the memory; so are pieces of 256
/// bytes across (.87 of a copy instead of .92).
struct columns_ring {
  static constexpr int loaders = 4;
  static constexpr int reducers = 4;
  static constexpr int scanners = 8;
  static constexpr int threads = (1 + loaders + reducers + scanners) * warp_lanes;
  static constexpr int bytes_on_the_way = 65536;  ///< of copies

  static constexpr int columns = 128;  ///< of a piece
};

/// A piece, as it is found for the other warps.
struct drawn_columns {
  std::ptrdiff_t in, out;  ///< of its first column
  std::size_t first_sequence;
  std::uint32_t row;  ///< of the order
  int columns;        ///< 0: there is no piece any more
};

template <class P>
struct columns_ring_memory {
  using T = typename P::element;
  using Op = typename P::operation;
  using W = working_type<T>;
  using left = left_operand<W, Op>;
  using In = typename P::input;

  static constexpr int columns = columns_ring::columns;
  static constexpr int warps = columns / warp_lanes;  ///< that do a piece together
  static constexpr int row = static_cast<int>(order::row<T>);
  static constexpr int parts = 8;                ///< of a piece; each loader has every Loaders-th
  static constexpr int part_rows = row / parts;  ///< rows of memory, elements of a column
  static constexpr std::size_t bytes = sizeof(In) * row * columns;
  static constexpr int stages = static_cast<int>(std::clamp<std::size_t>(196608 / bytes, 2, 12));
  /// Of one loader.
  static constexpr int parts_on_their_way =
      static_cast<int>(std::clamp<std::size_t>(columns_ring::bytes_on_the_way * parts / bytes / columns_ring::loaders,
                                               1, stages* parts / columns_ring::loaders - 1));
  static_assert(parts % columns_ring::loaders == 0);
  static constexpr int reducer_teams = columns_ring::reducers / warps;
  static constexpr int scanner_teams = columns_ring::scanners / warps;
  static constexpr int teams = std::max(reducer_teams, scanner_teams);
  static_assert(teams <= stages && columns_ring::reducers % warps == 0 && columns_ring::scanners % warps == 0);

  alignas(128) In elements[stages][row][columns];
  uninitialized<left> base[stages][columns];  // the strips and rows before, in the tile
  uninitialized<W> last[stages][columns];     // the tile-local value of the last element, if it ends a tile or a column
  drawn_columns found[stages];
  std::uint32_t epoch;
  arrival drawn[stages];  // what is found is known
  arrival arrived[stages][parts];
  arrival reduced[stages];  // the values before the rows are known
  arrival free[stages];

  __device__ void begin()
  {
    for (int s = 0; s < stages; ++s) {
      drawn[s].begin(1);
      for (arrival& part : arrived[s]) part.begin(warp_lanes);
      reduced[s].begin(columns);
      free[s].begin(columns);
    }
    fence_asynchronous();
  }
  __device__ __forceinline__ void wait_for_elements(int stage, std::uint32_t phase)
  {
#pragma unroll
    for (int part = 0; part < parts; ++part) arrived[stage][part].wait(phase);
  }
};

/// Draws pieces, until there are no more. One lane does all of this.
template <class P>
__device__ __forceinline__ void draw_columns(columns_ring_memory<P>& memory, P const& p)
{
  using ring = columns_ring_memory<P>;
  if (threadIdx.x % warp_lanes != 0) return;
  std::uint32_t const pieces = p.groups * p.rows;
  int ended = 0;
  ring_position<ring::stages> at;
  for (bool first = true; ended < ring::teams; first = false, at.step()) {
    memory.free[at.stage].wait(at.phase ^ 1);
    drawn_columns found{};
    drawing ticket{0, pieces};
    if (ended == 0) ticket = resolve(*p.shared, draw_unseen(*p.shared), tickets_of_scan(pieces, gridDim.x));
    if (first) memory.epoch = ticket.epoch;
    if (ticket.tile < pieces) {
      std::uint32_t const in_panel = p.panel * p.rows;
      std::uint32_t const panel = ticket.tile / in_panel;
      std::uint32_t const before = panel * p.panel;
      std::uint32_t const wide = p.groups - before < p.panel ? p.groups - before : p.panel;
      std::uint32_t const rest = ticket.tile - panel * in_panel;
      found.row = rest / wide;
      std::uint32_t const group = before + (rest - found.row * wide);
      found.first_sequence = p.first_sequence(group);
      found.columns = p.columns_of(group);
      found.in = p.places.template in<&detail::batch::distances::in>(found.first_sequence);
      found.out = p.places.template in<&detail::batch::distances::out>(found.first_sequence);
    } else {
      ++ended;  // each team ends at a stage of its own
    }
    memory.found[at.stage] = found;
    memory.drawn[at.stage].arrive();
  }
}

/// Copies pieces.
template <class P>
__device__ __forceinline__ void load_columns(columns_ring_memory<P>& memory, P const& p, int loader)
{
  using ring = columns_ring_memory<P>;
  using In = typename P::input;
  auto const lane = static_cast<int>(threadIdx.x) % warp_lanes;
  std::ptrdiff_t const across = p.places.across.in;
  ring_position<ring::stages> behind;  // of the part that must have arrived before the next copy starts
  int ahead = 0, part_behind = loader;
  for (ring_position<ring::stages> at;; at.step()) {
    memory.drawn[at.stage].wait(at.phase);
    drawn_columns const& found = memory.found[at.stage];
    int const columns = found.columns;
    if (columns == 0) return;
    std::size_t const begin = static_cast<std::size_t>(found.row) * order::row<typename P::element>;
    std::size_t const rest = p.size - begin;
    int const count = rest < static_cast<std::size_t>(ring::row) ? static_cast<int>(rest) : ring::row;
    In const* const from = p.in + (found.in + static_cast<std::ptrdiff_t>(begin) * p.in_step);
    std::uintptr_t const bits = across != 1 ? 1
                                            : reinterpret_cast<std::uintptr_t>(from) |
                                                  static_cast<std::uintptr_t>(p.in_step | columns) * sizeof(In);
#pragma unroll 1
    for (int part = loader; part < ring::parts; part += columns_ring::loaders) {
      if (ahead == ring::parts_on_their_way) {
        memory.arrived[behind.stage][part_behind].wait(behind.phase);
        part_behind += columns_ring::loaders;
        if (part_behind >= ring::parts) {
          part_behind = loader;
          behind.step();
        }
      } else {
        ++ahead;
      }
      int const own = part * ring::part_rows;
      int const here = count - own < ring::part_rows ? count - own : ring::part_rows;  // perhaps none
      arrival& arrived = memory.arrived[at.stage][part];
      In const* const source = from + own * p.in_step;
      In* const target = memory.elements[at.stage][own];
      by_widest_words<In>(bits, [&]<class Word>(std::type_identity<Word>) {
        constexpr int in_word = static_cast<int>(sizeof(Word) / sizeof(In));
        int const words = columns / in_word;
        // Several rows of memory at a time if they are short.
        int const at_a_time = words < warp_lanes ? warp_lanes / words : 1;
        int const own_row = words < warp_lanes ? lane / words : 0;
        std::ptrdiff_t const stride = at_a_time * p.in_step;
#pragma unroll 1
        for (int word = lane - own_row * words; word < words && own_row < at_a_time; word += warp_lanes) {
          In const* element = source + (own_row * p.in_step + word * in_word * (in_word > 1 ? 1 : across));
          In* to = target + (own_row * ring::columns + word * in_word);
#pragma unroll 8
          for (int k = own_row; k < here; k += at_a_time) {
            copy_asynchronously(reinterpret_cast<Word*>(to), reinterpret_cast<Word const*>(element));
            element += stride;
            to += at_a_time * ring::columns;
          }
        }
        if constexpr (sizeof(Word) >= 4 && alignof(Word) == sizeof(Word))
          arrive_after_copies(arrived);
        else  // the copies were loads and stores
          arrived.arrive();
      });
    }
  }
}

/// The totals that a warp reads: of the units of one kind before its own, `Most` of them at most, all on their way at
/// once.
template <class W, int Most>
struct awaited_units {
  read_words<W> read[Most];

  __device__ __forceinline__ void load(std::uint64_t const* first, std::size_t distance, int count)
  {
#pragma unroll
    for (int k = 0; k < Most; ++k)
      if (k < count) read[k].load(first + static_cast<std::size_t>(k) * distance);
  }
  template <class Take>
  __device__ __forceinline__ void take(std::uint64_t const* first, std::size_t distance, int count, std::uint32_t epoch,
                                       W const& any, Take const& take)
  {
#pragma unroll
    for (int k = 0; k < Most; ++k) {
      if (k < count) {
        W value = any;
        if (!read[k].decode(value, epoch))
          value = awaited<W>(first + static_cast<std::size_t>(k) * distance, epoch, any);
        take(value);
      }
    }
  }
};

/// The place of a row of the order.
struct row_place_in_column {
  std::uint32_t row, strip, tile, span;
  std::uint32_t in_strip, in_tile, in_span;  ///< rows of the strip, strips of the tile, tiles of the span before it
  int count;                                 ///< elements
  bool is_last, ends_strip, ends_tile;       ///< the last row ends nothing: no later row needs totals

  template <class P>
  __device__ __forceinline__ row_place_in_column(P const& p, std::uint32_t at)
      : row(at),
        strip(at / rows_of_strip),
        tile(at / rows_of_tile),
        span(tile / tiles_of_span),
        in_strip(at % rows_of_strip),
        in_tile(strip % strips_of_tile),
        in_span(tile % tiles_of_span)
  {
    constexpr auto length = static_cast<std::size_t>(order::row<typename P::element>);
    std::size_t const rest = p.size - static_cast<std::size_t>(row) * length;
    count = static_cast<int>(rest < length ? rest : length);
    is_last = row + 1 == p.rows;
    ends_strip = in_strip == rows_of_strip - 1 && !is_last;
    ends_tile = ends_strip && in_tile == strips_of_tile - 1;
  }
};

/// Totals rows, and finds the values before them in their tile.
template <class P>
__device__ __forceinline__ void reduce_columns(columns_ring_memory<P>& memory, P const& p, int reducer)
{
  using ring = columns_ring_memory<P>;
  using T = typename P::element;
  using Op = typename P::operation;
  using In = typename P::input;
  using W = working_type<T>;
  using left = left_operand<W, Op>;
  using row_type = column_row<T, Op, In, In, static_cast<int>(order::row_groups), ring::columns>;
  Op op = p.op;
  auto const lane = static_cast<int>(threadIdx.x) % warp_lanes;
  int const nominal = reducer % ring::warps * warp_lanes + lane;
  for (team_position<ring::stages, ring::reducer_teams> at(reducer / ring::warps);; at.next()) {
    memory.drawn[at.stage].wait(at.phase);
    drawn_columns const& found = memory.found[at.stage];
    int const columns = found.columns;
    if (columns == 0) return;
    if (nominal - lane < columns) {
      bool const is_own = nominal < columns;
      int const column = is_own ? nominal : columns - 1;
      std::size_t const sequence = found.first_sequence + static_cast<std::size_t>(column);
      row_place_in_column const place(p, found.row);
      memory.wait_for_elements(at.stage, at.phase);
      std::uint32_t const epoch = memory.epoch;
      In* const first = &memory.elements[at.stage][0][column];
      W const any = static_cast<W>(static_cast<T>(*first));
      W total = any;
      typename row_type::end_of_row end{left::absent(op, any), any};
      if (!place.is_last || p.lasts != nullptr) {
        row_type elements(first, ring::columns, place.count);
        elements.fold(op);
        total = elements.total();
        end = elements.end(op);
      }
      if (!place.is_last && !place.ends_strip && is_own) publish(p.words + p.at.row(place.row, sequence), total, epoch);
      left rows_before = left::absent(op, any);
      left strips_before = rows_before;
      std::size_t const distance = p.at.columns * words_of<W>;
      std::uint64_t const* const row_words = p.words + p.at.row(place.row - place.in_strip, sequence);
      std::uint64_t const* const strip_words = p.words + p.at.strip(place.strip - place.in_tile, sequence);
      awaited_units<W, rows_of_strip - 1> rows;
      awaited_units<W, strips_of_tile - 1> strips;
      rows.load(row_words, distance, static_cast<int>(place.in_strip));
      strips.load(strip_words, distance, static_cast<int>(place.in_tile));
      rows.take(row_words, distance, static_cast<int>(place.in_strip), epoch, any,
                [&](W const& one) { rows_before = left::present(rows_before.before(one, op)); });
      if (place.ends_strip && !place.ends_tile && is_own)
        publish(p.words + p.at.strip(place.strip, sequence), rows_before.before(total, op), epoch);
      strips.take(strip_words, distance, static_cast<int>(place.in_tile), epoch, any,
                  [&](W const& one) { strips_before = left::present(strips_before.before(one, op)); });
      left const base = strips_before.before(rows_before, op);
      W const last = end.last(base, op);
      if (place.ends_tile && is_own) publish(p.words + p.at.tile(place.tile, sequence), last, epoch);
      *memory.base[at.stage][column] = base;
      *memory.last[at.stage][column] = last;
      if (place.count < ring::row) {
        // Places without an element get the last one, so that scanners need no conditions.
        In const filler = first[(place.count - 1) * ring::columns];
        for (int k = place.count; k < ring::row; ++k) first[k * ring::columns] = filler;
        fence_asynchronous();
      }
    }
    memory.reduced[at.stage].arrive();
  }
}

/// The scan of a row's group totals, one after the other: Kogge & Stone's values of a group depend on those before it
/// alone. Indices are constants once loops are unrolled.
template <class W, class Op, int Groups>
class running_groups {
public:
  /// Takes the total of group g, and returns the fold up to it.
  __device__ __forceinline__ W push(int g, W const& total, Op& op)
  {
    W value = total;
#pragma unroll
    for (int level = 0; level < levels; ++level) {
      int const stride = 1 << level;
      W const before = value;
      if (g >= stride) value = static_cast<W>(op(values_[level][g % stride], value));
      values_[level][g % stride] = before;
    }
    return value;
  }

private:
  static constexpr int levels = 5;
  static_assert(Groups == 1 << levels);
  W values_[levels][Groups / 2];
};

/// Finds the carries of rows, scans the rows, and writes the results. An exclusive scan is an inclusive one whose
/// results are written one place later; so its output may not be its input.
template <class P>
__device__ __forceinline__ void scan_columns(columns_ring_memory<P>& memory, P const& p, int scanner)
{
  using ring = columns_ring_memory<P>;
  using T = typename P::element;
  using Op = typename P::operation;
  using In = typename P::input;
  using Out = typename P::output;
  using W = working_type<T>;
  using C = carry_type<Op, T>;
  using left = left_operand<W, Op>;
  using wide_left = left_operand<C, Op>;
  constexpr int group = static_cast<int>(order::group<T>);
  constexpr int batch = group * 2;
  Op op = p.op;
  auto const lane = static_cast<int>(threadIdx.x) % warp_lanes;
  int const nominal = scanner % ring::warps * warp_lanes + lane;
  bool const exclusive = p.what == work::exclusive_scan;
  for (team_position<ring::stages, ring::scanner_teams> at(scanner / ring::warps);; at.next()) {
    memory.drawn[at.stage].wait(at.phase);
    drawn_columns const& found = memory.found[at.stage];
    int const columns = found.columns;
    if (columns == 0) return;
    if (nominal - lane < columns) {
      bool const is_own = nominal < columns;
      int const column = is_own ? nominal : columns - 1;
      std::size_t const sequence = found.first_sequence + static_cast<std::size_t>(column);
      row_place_in_column const place(p, found.row);
      auto const init = initial_of_column(p, sequence);
      // The carry.
      wide_left tiles = wide_left::absent(op, init.wide);
      wide_left spans = init.is_present ? wide_left::present(init.wide) : wide_left::absent(op, init.wide);
      if (place.tile > 0) {
        constexpr int at_once = words_of<W> == 1 ? 16 : 8;
        std::uint32_t const epoch = memory.epoch;
        std::size_t const distance = p.at.columns * words_of<W>;
        std::uint64_t const* const span_words = p.words + p.at.span(place.span > 0 ? place.span - 1 : 0, sequence);
        std::uint64_t const* words = p.words + p.at.tile(place.span * tiles_of_span, sequence);
        read_words<C> span_read;
        if (place.span > 0) span_read.load(span_words);
#pragma unroll 1
        for (int k = static_cast<int>(place.in_span); k > 0; k -= at_once, words += at_once * distance) {
          awaited_units<W, at_once> read;
          read.load(words, distance, k);
          read.take(words, distance, k, epoch, init.value,
                    [&](W const& one) { tiles = wide_left::present(tiles.before(static_cast<C>(one), op)); });
        }
        if (place.span > 0) {
          C value = init.wide;
          if (!span_read.decode(value, epoch)) value = awaited<C>(span_words, epoch, init.wide);
          spans = wide_left::present(value);
        }
      }
      left const carry = place.tile == 0     ? carry_of_first_tile(init, op)
                         : place.in_span > 0 ? left::present(static_cast<W>(spans.before(tiles, op).value))
                                             : left::present(static_cast<W>(spans.value));
      std::size_t const begin = static_cast<std::size_t>(place.row) * order::row<T>;
      Out* to = p.out + (found.out + static_cast<std::ptrdiff_t>(begin) * p.out_step + column * p.places.across.out);
      std::ptrdiff_t const step = p.out_step;
      std::size_t rest = is_own ? p.size - begin : 0;

      memory.wait_for_elements(at.stage, at.phase);
      memory.reduced[at.stage].wait(at.phase);
      left const base = *memory.base[at.stage][column];
      if (place.ends_tile && place.in_span == tiles_of_span - 1 && is_own)
        publish(p.words + p.at.span(place.span, sequence),
                static_cast<C>(spans.before(tiles.before(static_cast<C>(*memory.last[at.stage][column]), op), op)),
                memory.epoch);
      if (place.is_last && p.lasts != nullptr && is_own)
        p.lasts[p.places.template in<&detail::batch::distances::last>(sequence)] =
            static_cast<T>(carry.before(*memory.last[at.stage][column], op));
      if (exclusive && is_own) {
        if (begin == 0) *to = static_cast<Out>(static_cast<T>(carry.value));  // the initial value
        to += step;
        --rest;
      }
      int const limit = rest < static_cast<std::size_t>(ring::row) ? static_cast<int>(rest) : ring::row;
      In const* const from = &memory.elements[at.stage][0][column];
      auto const element = [&](int k) { return from[k * ring::columns]; };
      auto const value_of = [](In const& stored) { return static_cast<W>(static_cast<T>(stored)); };
      running_groups<W, Op, static_cast<int>(order::row_groups)> groups;
      left before_group = base;
      W own = value_of(element(0));
      In next[batch];
#pragma unroll
      for (int j = 0; j < batch; ++j) next[j] = element(j);
#pragma unroll
      for (int k = 0; k < ring::row; k += batch) {
        In now[batch];
#pragma unroll
        for (int j = 0; j < batch; ++j) now[j] = next[j];
        if (k + batch < ring::row) {
#pragma unroll
          for (int j = 0; j < batch; ++j) next[j] = element(k + batch + j);
        }
#pragma unroll
        for (int j = 0; j < batch; ++j) {
          own = j % group == 0 ? value_of(now[j]) : static_cast<W>(op(own, value_of(now[j])));
          W const value = carry.before(before_group.before(own, op), op);
          if (k + j < limit) *to = static_cast<Out>(static_cast<T>(value));
          to += step;
          if (j % group == group - 1 && k + j + 1 < ring::row)
            before_group = left::present(base.before(groups.push((k + j) / group, own, op), op));
        }
      }
    }
    memory.free[at.stage].arrive();
  }
}

template <class P>
__global__ void __launch_bounds__(columns_ring::threads, 1) scan_columns_ring_kernel(__grid_constant__ P const p)
{
#if __CUDA_ARCH__ >= 900
  using ring = columns_ring_memory<P>;
  extern __shared__ __align__(128) unsigned char raw[];
  ring& memory = *reinterpret_cast<ring*>(raw);
  int const warp = static_cast<int>(threadIdx.x) / warp_lanes;
  if (threadIdx.x == 0) memory.begin();
  __syncthreads();
  take_turn();

  constexpr int loaders_end = 1 + columns_ring::loaders, reducers_end = loaders_end + columns_ring::reducers;
  if (warp == 0)
    draw_columns(memory, p);
  else if (warp < loaders_end)
    load_columns(memory, p, warp - 1);
  else if (warp < reducers_end)
    reduce_columns(memory, p, warp - loaders_end);
  else
    scan_columns(memory, p, warp - reducers_end);

  __syncwarp();
  __syncthreads();
  if (threadIdx.x == 0) finish(*p.shared, memory.epoch, gridDim.x, p.words, p.capacity);
#endif
}

}  // namespace tally::cuda_backend
