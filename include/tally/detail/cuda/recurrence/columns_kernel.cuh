#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tally/detail/cuda/asynchronous.cuh"
#include "tally/detail/cuda/batch/column_copy.cuh"
#include "tally/detail/cuda/recurrence/column_rows.cuh"
#include "tally/detail/cuda/recurrence/maps_in_rows.cuh"
#include "tally/detail/cuda/recurrence/recurrence_problem.cuh"
#include "tally/detail/cuda/recurrence/repair_sequence.cuh"
#include "tally/detail/cuda/ring_position.cuh"

/// Recurrences across memory: time runs along another axis than the one whose elements are neighbours. A block goes
/// through neighbouring sequences ("columns") from begin to end, a row of the order at a time. Some warps copy rows to
/// a ring in shared memory. The others have a row each, a column a lane, and nothing of a row's order needs a shuffle.
/// The state before a row passes from warp to warp, and waits for the rows' totals alone. In blocks of half as many
/// columns each warp has two rows at a time, one behind the other. In blocks of twice as many two warps share a row.
namespace tally::cuda_backend {

template <class T, int Columns>
struct recurrence_columns_problem : recurrence_problem<T> {
  static constexpr int columns = Columns;  ///< of a block
  std::uint32_t groups_each;               ///< groups of columns that neighbours make
  std::uint32_t groups;                    ///< in all
};

/// The warps of a block and the stages of its ring, of a team's rows each. Two blocks with a lane for each column of
/// floats or doubles share a multiprocessor; on an H200 doubles have .93 to .97 of a copy so, and .91 to .93 in blocks
/// of ten workers. A block of elements of two bytes has a multiprocessor for itself (4096 columns .92 for .86), and so
/// have those of other widths. Found in trials with an earlier order, shares of a copy for 2048 columns of floats and
/// doubles in blocks of 16: with one loader an array .60, .68; with two and 12 workers .83, .72; with two and 8 workers
/// .82, .78. For 65536 columns of bfloat16 in blocks of 32: .74, of 64, which read whole lines of memory: .85.
template <class T, int Columns>
struct recurrence_columns {
  static_assert(Columns == warp_lanes / 2 || Columns == warp_lanes || Columns == 2 * warp_lanes);
  static constexpr bool is_narrow = Columns < warp_lanes, is_shared = Columns == warp_lanes && sizeof(T) >= 4;
  static constexpr int blocks = is_shared ? 2 : 1;
  /// One for each array and row of a unit: a warp takes some 200 cycles to start copies of 64 bytes of eight rows.
  static constexpr int loaders = is_narrow ? 4 : 2;
  static constexpr int team_warps = Columns > warp_lanes ? Columns / warp_lanes : 1;
  static constexpr int workers = is_shared ? 6 : is_narrow ? 8 : 10;
  static constexpr int teams = workers / team_warps;
  static constexpr int stages = is_shared ? 6 : is_narrow ? 13 : 12 / team_warps;
  static constexpr int threads = (loaders + workers) * warp_lanes;
  /// The stages whose copies are on their way at a time, or 0: as many as are free. It matters where blocks read 64
  /// bytes of a line at most. Shares of a copy for 2048 columns of floats with 2, 3, 4 and 13: .865, .90, .83, .80; for
  /// 4096 of bfloat16 with 3 and 12: .855, .78.
  static constexpr int copies = sizeof(T) <= 4 && (is_narrow || (sizeof(T) == 2 && Columns == warp_lanes)) ? 3 : 0;
  static_assert(teams <= stages && copies < stages);
};

/// The shared memory of a block.
template <class P>
struct recurrence_columns_memory {
  using S = typename P::stored;
  using W = typename P::W;
  using C = typename P::C;
  static constexpr int columns = P::columns;
  using shape = recurrence_columns<typename P::T, columns>;
  static constexpr int row = P::row;
  static constexpr int rows_at_a_time = shape::is_narrow ? 2 : 1;  ///< of a warp; they lie in one strip
  static constexpr int pitch = rows_at_a_time * columns;           ///< elements between two steps
  static constexpr int unit = row * rows_at_a_time;                ///< steps of them
  static constexpr int stages = shape::stages;

  /// The steps of a unit. The same step of each of its rows lies side by side, so that lanes meet different banks.
  using steps = S[row][rows_at_a_time][columns];
  alignas(128) steps a[stages];
  alignas(128) steps b[stages];
  /// Before a unit: the state, the rows of its strip, the strips of its tile, and the tile's carry.
  struct state {
    affine<W> rows[columns];
    affine<W> strips[columns];
    W state[columns];
    W carry[columns];
  };
  /// One for each team, which is at most one phase of a barrier ahead of the unit that it waits for.
  state before[shape::teams];
  affine<C> tiles[columns];
  C spans[columns];
  arrival arrived[stages], free[stages], known[shape::teams];

  __device__ void begin()
  {
    for (int s = 0; s < stages; ++s) {
      arrived[s].begin(shape::loaders * warp_lanes);
      free[s].begin(shape::team_warps * warp_lanes);
    }
    for (arrival& unit_known : known) unit_known.begin(shape::team_warps * warp_lanes);
    fence_asynchronous();
  }
};

/// A group of columns that are neighbours.
template <class P>
struct recurrence_group {
  std::size_t first_sequence;
  int columns;

  __device__ __forceinline__ recurrence_group(P const& p, std::uint32_t group)
  {
    constexpr auto width = static_cast<std::size_t>(recurrence_columns_memory<P>::columns);
    std::uint32_t const outer = group / p.groups_each;
    std::size_t const first = (group - outer * p.groups_each) * width, rest = p.neighbours - first;
    first_sequence = outer * p.neighbours + first;
    columns = static_cast<int>(rest < width ? rest : width);
  }
  /// The steps of a row that are there, if any.
  __device__ __forceinline__ static int count(P const& p, std::uint32_t row)
  {
    std::size_t const begin = static_cast<std::size_t>(row) * P::row, rest = p.size > begin ? p.size - begin : 0;
    return static_cast<int>(rest < static_cast<std::size_t>(P::row) ? rest : P::row);
  }
};

/// Copies row `half` of each unit of one of the arrays, by a warp. `place(s)` is where sequence s begins; if `constant`
/// is not null, all elements have that value.
template <class P, class S, class Place>
__device__ __forceinline__ void load_recurrence_rows(recurrence_columns_memory<P>& memory, P const& p,
                                                     Place const& place, std::ptrdiff_t across, std::ptrdiff_t step,
                                                     S const* constant,
                                                     typename recurrence_columns_memory<P>::steps* to, int half)
{
  using memory_type = recurrence_columns_memory<P>;
  constexpr int stages = memory_type::stages, halves = memory_type::rows_at_a_time;
  int const lane = static_cast<int>(threadIdx.x) % warp_lanes;
  auto const units = static_cast<std::uint32_t>((p.size - 1) / memory_type::unit + 1);
  if (constant != nullptr)
    for (int s = 0; s < stages; ++s)
      for (int k = lane; k < P::row * memory_type::columns; k += warp_lanes)
        to[s][k / memory_type::columns][half][k % memory_type::columns] = *constant;
  ring_position<stages> at;
  [[maybe_unused]] ring_position<stages> arriving;
  [[maybe_unused]] int on_their_way = 0;
  for (std::uint32_t group = blockIdx.x; group < p.groups; group += gridDim.x) {
    recurrence_group<P> const own(p, group);
    S const* from = constant != nullptr ? nullptr : place(own.first_sequence);
    std::uintptr_t const bits = across != 1 ? 1
                                            : reinterpret_cast<std::uintptr_t>(from) |
                                                  static_cast<std::uintptr_t>(step | own.columns) * sizeof(S);
#pragma unroll 1
    for (std::uint32_t unit = 0; unit < units; ++unit, at.step(), from += memory_type::unit * step) {
      memory.free[at.stage].wait(at.phase ^ 1);
      if constexpr (memory_type::shape::copies > 0) {
        if (on_their_way == memory_type::shape::copies) {
          memory.arrived[arriving.stage].wait(arriving.phase);
          arriving.step();
        } else {
          ++on_their_way;
        }
      }
      arrival& arrived = memory.arrived[at.stage];
      if (constant != nullptr) {
        arrived.arrive();
        continue;
      }
      int const count = own.count(p, unit * halves + static_cast<std::uint32_t>(half));
      by_widest_words<S>(bits, [&]<class Word>(std::type_identity<Word>) {
        constexpr int in_word = static_cast<int>(sizeof(Word) / sizeof(S));
        int const words = own.columns / in_word;
        int const at_a_time = words < warp_lanes ? warp_lanes / words : 1;
        int const own_row = words < warp_lanes ? lane / words : 0;
        std::ptrdiff_t const stride = at_a_time * step;
        auto const copy = [&](int word) {
          S const* element = from + ((half * P::row + own_row) * step + word * in_word * (in_word > 1 ? 1 : across));
          S* target = &to[at.stage][own_row][half][word * in_word];
#pragma unroll 8
          for (int k = own_row; k < count; k += at_a_time) {
            copy_asynchronously(reinterpret_cast<Word*>(target), reinterpret_cast<Word const*>(element));
            element += stride;
            target += at_a_time * memory_type::pitch;
          }
        };
        int const word = lane - own_row * words;
        if (word < words && own_row < at_a_time) copy(word);
        // Of 64 columns of elements that are words of their own a lane has two.
        if constexpr (memory_type::columns > warp_lanes && in_word == 1)
          if (word + warp_lanes < words) copy(word + warp_lanes);
        if constexpr (sizeof(Word) >= 4 && alignof(Word) == sizeof(Word))
          arrive_after_copies(arrived);
        else
          arrived.arrive();
      });
    }
  }
}

/// Recurs in every so many units of the block's columns, by one warp.
template <class P>
__device__ __forceinline__ void recur_in_rows(recurrence_columns_memory<P>& memory, P const& p, int worker)
{
  using memory_type = recurrence_columns_memory<P>;
  using shape = typename memory_type::shape;
  using S = typename P::stored;
  using T = typename P::T;
  using W = typename P::W;
  using C = typename P::C;
  constexpr std::uint32_t strip_rows = order::strip_rows, tile_rows = strip_rows * order::tile_strips,
                          span_rows = tile_rows * order::span_tiles, halves = memory_type::rows_at_a_time;
  static_assert(strip_rows % halves == 0);
  int const team = worker / shape::team_warps, side = worker % shape::team_warps;
  int const previous = team == 0 ? shape::teams - 1 : team - 1;
  int const lane = static_cast<int>(threadIdx.x) % warp_lanes;
  int const column = side * warp_lanes + lane % memory_type::columns;
  auto const half = static_cast<std::uint32_t>(lane / memory_type::columns);
  auto const rows = static_cast<std::uint32_t>((p.size - 1) / P::row + 1);
  ring_position<memory_type::stages> at;
  std::uint32_t unit = 0;  // of the block so far
  for (std::uint32_t group = blockIdx.x; group < p.groups; group += gridDim.x) {
    recurrence_group<P> const here(p, group);
    int const own_column = column < here.columns ? column : here.columns - 1;
    std::size_t const sequence = here.first_sequence + static_cast<std::size_t>(own_column);
    S* const out = p.out_of(here.first_sequence) + own_column * p.out_across;
#pragma unroll 1
    for (std::uint32_t first = 0; first < rows; first += halves, ++unit, at.step()) {
      if (unit % shape::teams != static_cast<std::uint32_t>(team)) continue;
      std::uint32_t const r = first + half;  // perhaps beyond the last one
      std::size_t const begin = static_cast<std::size_t>(r) * P::row;
      int const count = here.count(p, r);
      memory.arrived[at.stage].wait(at.phase);
      using steps = recurrence_column_steps<P, memory_type::pitch>;
      steps const own{&memory.a[at.stage][0][half][own_column], &memory.b[at.stage][0][half][own_column]};
      row_in_lane<steps> const row(own, row_parts);
      affine<W> const total = row.total();

      // The values before the row, and those before the next unit.
      if (unit > 0) memory.known[previous].wait((unit - 1) / shape::teams % 2);
      auto const& before = memory.before[previous];
      auto& next = memory.before[team];
      bool const has_rows = r % strip_rows != 0, has_strips = r % tile_rows >= strip_rows;
      affine<W> rows_before = before.rows[column];
      W state = before.state[column], carry = before.carry[column];
      if (first == 0) state = carry = static_cast<W>(p.before_of(sequence));
      if constexpr (halves > 1) {
        affine<W> const first_total = shuffle_from(total, column);
        rows_before = select(half > 0, composed_if(first % strip_rows != 0, rows_before, first_total), rows_before);
        state = half > 0 ? first_total(state) : state;
      }
      if (half == halves - 1) {
        affine<W> const rows_after = composed_if(has_rows, rows_before, total);
        affine<W> strips = before.strips[column];
        W next_state = total(state), next_carry = carry;
        if ((r + 1) % strip_rows == 0) {
          strips = composed_if(has_strips, strips, rows_after);
          next_state = strips(carry);
        }
        if ((r + 1) % tile_rows == 0) {
          auto const wide = static_cast<affine<C>>(strips);
          bool const has_tiles = r % span_rows >= tile_rows;
          affine<C> const tiles = has_tiles ? composed(memory.tiles[column], wide) : wide;
          C const spans = r < span_rows ? static_cast<C>(p.before_of(sequence)) : memory.spans[column];
          C const all = tiles(spans);
          memory.tiles[column] = tiles;
          memory.spans[column] = (r + 1) % span_rows == 0 ? all : spans;
          next_state = next_carry = static_cast<W>(all);
        }
        next.rows[column] = rows_after;
        next.strips[column] = strips;
        next.state[column] = next_state;
        next.carry[column] = next_carry;
      }
      memory.known[team].arrive();

      int end = column < here.columns ? count : 0;
      if (p.stores == results_stored::none) end = 0;
      if (p.stores == results_stored::before_the_first_bad) {
        std::size_t const limit = p.first_bad[sequence];
        if (limit < begin + static_cast<std::size_t>(end)) end = limit <= begin ? 0 : static_cast<int>(limit - begin);
      }
      recurrence_column_results<S> results(out + static_cast<std::ptrdiff_t>(begin) * p.out_step, p.out_step, end);
      for_each_state<steps>(row, state, [&](int part, int k, W const& y) { results.put(part, k, y); });
      bool const is_last = p.lasts != nullptr && r + 1 == rows;
      bool const looks = p.stores != results_stored::before_the_first_bad && !results.are_finite();
      if (is_last || looks) {
        unsigned found = P::row;
        W last(0);
        // By parts: this is rare, and code that is short leaves more room for the rest.
        for_each_state<steps>(row_in_parts<steps>(own, row_parts), state, [&](int part, int step, W const& y) {
          int const k = part + step;
          if (k < count && !is_number(zero_if_finite<T>(y)) && static_cast<unsigned>(k) < found)
            found = static_cast<unsigned>(k);
          last = k == count - 1 ? y : last;
        });
        if (is_last && column < here.columns) p.put_last(sequence, static_cast<T>(last));
        if (looks && found < P::row && column < here.columns)
          atomicMin(p.first_bad + sequence, static_cast<unsigned long long>(begin + found));
      }
      memory.free[at.stage].arrive();
    }
  }
}

/// The whole block calls this, with barriers that have begun.
template <class P>
__device__ __forceinline__ void recur_columns(recurrence_columns_memory<P>& memory, P const& p)
{
  constexpr int of_an_array = recurrence_columns_memory<P>::rows_at_a_time;  // loaders
  int const warp = static_cast<int>(threadIdx.x) / warp_lanes;
  if (warp < of_an_array)
    load_recurrence_rows(
        memory, p, [&](std::size_t s) { return p.a_of(s); }, p.a_across, p.a_step,
        p.a == nullptr ? &p.constant : nullptr, memory.a, warp);
  else if (warp < 2 * of_an_array)
    load_recurrence_rows<P, typename P::stored>(
        memory, p, [&](std::size_t s) { return p.b_of(s); }, p.b_across, p.b_step, nullptr, memory.b,
        warp - of_an_array);
  else
    recur_in_rows(memory, p, warp - 2 * of_an_array);
  __syncthreads();  // the loaders' copies are on their way until others have waited for them
}

#ifdef __CUDACC__
template <class P>
__global__ void __launch_bounds__(recurrence_columns<typename P::T, P::columns>::threads,
                                  recurrence_columns<typename P::T, P::columns>::blocks)
    recur_columns_kernel(__grid_constant__ P const p)
{
#if __CUDA_ARCH__ >= 900
  extern __shared__ __align__(128) unsigned char raw[];
  auto& memory = *reinterpret_cast<recurrence_columns_memory<P>*>(raw);
  if (threadIdx.x == 0) memory.begin();
  __syncthreads();
  take_turn();
  recur_columns(memory, p);
#endif
}
#endif

}  // namespace tally::cuda_backend
