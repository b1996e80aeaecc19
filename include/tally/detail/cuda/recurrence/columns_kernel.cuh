#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tally/detail/cuda/asynchronous.cuh"
#include "tally/detail/cuda/batch/column_copy.cuh"
#include "tally/detail/cuda/batch/columns_ring.cuh"
#include "tally/detail/cuda/recurrence/maps_in_rows.cuh"
#include "tally/detail/cuda/recurrence/recurrence_problem.cuh"
#include "tally/detail/cuda/recurrence/repair_sequence.cuh"
#include "tally/detail/cuda/ring.cuh"

/// Recurrences across memory: time runs along another axis than the one whose elements are neighbours. A block goes
/// through neighbouring sequences ("columns") from begin to end, a row of the order at a time. Some warps copy rows to
/// a ring in shared memory. The others have a row each, a column a lane, and nothing of a row's order needs a shuffle.
/// The folds before a row pass from warp to warp; they wait for the rows' totals alone. In blocks of half as many
/// columns each warp has two rows at a time, one behind the other.
namespace tally::cuda_backend {

template <class T, int Columns>
struct recurrence_columns_problem : recurrence_problem<T> {
  static constexpr int columns = Columns;  ///< of a block
  std::uint32_t groups_each;               ///< groups of columns that neighbours make
  std::uint32_t groups;                    ///< in all
};

/// The warps of a block and the stages of its ring, of a warp's rows each. Two blocks with a lane for each column of
/// floats share a multiprocessor. A block of doubles or of elements of two bytes, which spill in 128 registers, has it
/// for itself, and so has one of half as many columns. Found in trials, shares of a copy for 2048 columns of floats,
/// doubles and bfloat16 in blocks of half as many: with one loader an array .60, .68, .26; with two and 12 workers .83,
/// .72, .37; with two and 8 workers .82, .78, .60.
template <class T, int Columns>
struct recurrence_columns {
  static_assert(Columns == warp_lanes || Columns == warp_lanes / 2);
  static constexpr bool is_wide = Columns == warp_lanes, is_shared = is_wide && sizeof(T) == 4;
  static constexpr int blocks = is_shared ? 2 : 1;
  /// One for each array and row of a unit: a warp takes some 200 cycles to start copies of 64 bytes of eight rows.
  static constexpr int loaders = 2 * warp_lanes / Columns;
  static constexpr int workers = is_shared ? 6 : is_wide ? 10 : 8;
  static constexpr int stages = is_shared ? 6 : is_wide ? 12 : 13;
  static constexpr int threads = (loaders + workers) * warp_lanes;
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
  static constexpr int rows_at_a_time = warp_lanes / columns;  ///< of a warp; they lie in one strip
  static constexpr int unit = row * rows_at_a_time;            ///< steps of them
  static constexpr int stages = shape::stages;

  /// The steps of a unit. The same step of each of its rows lies side by side, so that lanes meet different banks.
  using steps = S[row][rows_at_a_time][columns];
  alignas(128) steps a[stages];
  alignas(128) steps b[stages];
  /// Before a unit: the rows of its strip, the strips of its tile, and the tile's carry.
  struct state {
    affine<W> rows[columns];
    affine<W> strips[columns];
    W carry[columns];
  };
  /// One for each worker, which is at most one phase of a barrier ahead of the unit that it waits for.
  state before[shape::workers];
  affine<C> tiles[columns];
  C spans[columns];
  arrival arrived[stages], free[stages], known[shape::workers];

  __device__ void begin()
  {
    for (int s = 0; s < stages; ++s) {
      arrived[s].begin(shape::loaders * warp_lanes);
      free[s].begin(warp_lanes);
    }
    for (arrival& unit_known : known) unit_known.begin(warp_lanes);
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
  for (std::uint32_t group = blockIdx.x; group < p.groups; group += gridDim.x) {
    recurrence_group<P> const own(p, group);
    S const* from = constant != nullptr ? nullptr : place(own.first_sequence);
    std::uintptr_t const bits = across != 1 ? 1
                                            : reinterpret_cast<std::uintptr_t>(from) |
                                                  static_cast<std::uintptr_t>(step | own.columns) * sizeof(S);
#pragma unroll 1
    for (std::uint32_t unit = 0; unit < units; ++unit, at.step(), from += memory_type::unit * step) {
      memory.free[at.stage].wait(at.phase ^ 1);
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
        int const word = lane - own_row * words;
        if (word < words && own_row < at_a_time) {
          S const* element = from + ((half * P::row + own_row) * step + word * in_word * (in_word > 1 ? 1 : across));
          S* target = &to[at.stage][own_row][half][word * in_word];
#pragma unroll 8
          for (int k = own_row; k < count; k += at_a_time) {
            copy_asynchronously(reinterpret_cast<Word*>(target), reinterpret_cast<Word const*>(element));
            element += stride;
            target += at_a_time * warp_lanes;
          }
        }
        if constexpr (sizeof(Word) >= 4 && alignof(Word) == sizeof(Word))
          arrive_after_copies(arrived);
        else
          arrived.arrive();
      });
    }
  }
}

/// The groups of a row in a thread's registers.
template <class P>
class recurrence_column_row {
public:
  using S = typename P::stored;
  using W = typename P::W;
  static constexpr int group = P::group, groups = warp_lanes;
  static constexpr int pitch = warp_lanes;

  __device__ __forceinline__ recurrence_column_row(S const* a, S const* b) : a_(a), b_(b)
  {
#pragma unroll
    for (int g = 0; g < groups; ++g) totals_[g] = own_group(g);
    // In place: downwards, no value is read after it has changed.
#pragma unroll
    for (int stride = 1; stride < groups; stride *= 2) {
#pragma unroll
      for (int g = groups - 1; g > 0; --g)
        if (g >= stride) totals_[g] = composed(totals_[g >= stride ? g - stride : 0], totals_[g]);
    }
  }
  __device__ __forceinline__ affine<W> step(int k) const
  {
    return {static_cast<W>(a_[k * pitch]), static_cast<W>(b_[k * pitch])};
  }
  __device__ __forceinline__ affine<W> own_group(int g) const
  {
    affine<W> own = step(g * group);
#pragma unroll
    for (int j = 1; j < group; ++j) own = composed(own, step(g * group + j));
    return own;
  }
  __device__ __forceinline__ affine<W> const& total() const { return totals_[groups - 1]; }
  /// The tile-local value of the last step of a whole row.
  __device__ __forceinline__ affine<W> last(bool has_base, affine<W> const& base) const
  {
    return composed(composed_if(has_base, base, totals_[groups - 2]), own_group(groups - 1));
  }
  /// Calls take(k, y) for each step.
  template <class Take>
  __device__ __forceinline__ void for_each(bool has_base, affine<W> const& base, W const& carry, Take const& take) const
  {
#pragma unroll
    for (int g = 0; g < groups; ++g) {
      affine<W> const before = g == 0 ? base : composed_if(has_base, base, totals_[g > 0 ? g - 1 : 0]);
      affine<W> own = step(g * group);
#pragma unroll
      for (int j = 0; j < group; ++j) {
        if (j > 0) own = composed(own, step(g * group + j));
        take(g * group + j, composed_if(g > 0 || has_base, before, own)(carry));
      }
    }
  }

private:
  S const* a_;
  S const* b_;
  affine<W> totals_[groups];
};

/// Recurs in every so many units of the block's columns, by one warp.
template <class P>
__device__ __forceinline__ void recur_in_rows(recurrence_columns_memory<P>& memory, P const& p, int worker)
{
  using memory_type = recurrence_columns_memory<P>;
  using S = typename P::stored;
  using T = typename P::T;
  using W = typename P::W;
  using C = typename P::C;
  constexpr std::uint32_t strip_rows = order::strip_rows, tile_rows = strip_rows * order::tile_strips,
                          span_rows = tile_rows * order::span_tiles, halves = memory_type::rows_at_a_time;
  static_assert(strip_rows % halves == 0);
  int const column = static_cast<int>(threadIdx.x) % memory_type::columns;
  auto const half = threadIdx.x % warp_lanes / memory_type::columns;
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
      if (unit % memory_type::shape::workers != static_cast<std::uint32_t>(worker)) continue;
      std::uint32_t const r = first + half;  // perhaps beyond the last one
      std::size_t const begin = static_cast<std::size_t>(r) * P::row;
      int const count = here.count(p, r);
      memory.arrived[at.stage].wait(at.phase);
      recurrence_column_row<P> const row(&memory.a[at.stage][0][half][own_column],
                                         &memory.b[at.stage][0][half][own_column]);

      // The values before the row, and those before the next unit.
      constexpr auto places = static_cast<std::uint32_t>(memory_type::shape::workers);
      std::uint32_t const own = unit % places, previous = own == 0 ? places - 1 : own - 1;
      if (unit > 0) memory.known[previous].wait((unit - 1) / places % 2);
      auto const& before = memory.before[previous];
      auto& next = memory.before[own];
      bool const has_rows = r % strip_rows != 0, has_strips = r % tile_rows >= strip_rows;
      affine<W> rows_before = before.rows[column];
      affine<W> const strips = before.strips[column];
      if constexpr (halves > 1) {
        affine<W> const first_total = shuffle_from(row.total(), column);
        rows_before = select(half > 0, composed_if(first % strip_rows != 0, rows_before, first_total), rows_before);
      }
      affine<W> const base = select(has_rows, composed_if(has_strips, strips, rows_before), strips);
      bool const has_base = has_rows || has_strips;
      W carry = before.carry[column];
      if (first == 0) carry = static_cast<W>(p.before_of(sequence));
      if (half == halves - 1) {
        affine<W> const rows_after = composed_if(has_rows, rows_before, row.total());
        next.rows[column] = rows_after;
        next.strips[column] = (r + 1) % strip_rows == 0 ? composed_if(has_strips, strips, rows_after) : strips;
        W next_carry = carry;
        if ((r + 1) % tile_rows == 0) {
          auto const total = static_cast<affine<C>>(row.last(has_base, base));
          bool const has_tiles = r % span_rows >= tile_rows;
          affine<C> const tiles = has_tiles ? composed(memory.tiles[column], total) : total;
          C const spans = r < span_rows ? static_cast<C>(p.before_of(sequence)) : memory.spans[column];
          C const all = tiles(spans);
          memory.tiles[column] = tiles;
          memory.spans[column] = (r + 1) % span_rows == 0 ? all : spans;
          next_carry = static_cast<W>(all);
        }
        next.carry[column] = next_carry;
      }
      memory.known[own].arrive();

      int end = column < here.columns ? count : 0;
      if (p.stores == results_stored::none) end = 0;
      if (p.stores == results_stored::before_the_first_bad) {
        std::size_t const limit = p.first_bad[sequence];
        if (limit < begin + static_cast<std::size_t>(end)) end = limit <= begin ? 0 : static_cast<int>(limit - begin);
      }
      S* const results = out + static_cast<std::ptrdiff_t>(begin) * p.out_step;
      W bad(0);
      row.for_each(has_base, base, carry, [&](int k, W const& y) {
        bad += zero_if_finite<T>(y);
        if (k < end) results[k * p.out_step] = static_cast<S>(static_cast<T>(y));
      });
      bool const is_last = p.lasts != nullptr && r + 1 == rows;
      bool const looks = p.stores != results_stored::before_the_first_bad && !is_number(bad);
      if (is_last || looks) {
        unsigned found = P::row;
        row.for_each(has_base, base, carry, [&](int k, W const& y) {
          if (k < count && !is_number(zero_if_finite<T>(y)) && static_cast<unsigned>(k) < found)
            found = static_cast<unsigned>(k);
          if (is_last && k == count - 1 && column < here.columns) p.put_last(sequence, static_cast<T>(y));
        });
        if (looks && found < P::row && column < here.columns)
          atomicMin(p.first_bad + sequence, static_cast<unsigned long long>(begin + found));
      }
      memory.free[at.stage].arrive();
    }
  }
}

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
#endif
}

}  // namespace tally::cuda_backend
