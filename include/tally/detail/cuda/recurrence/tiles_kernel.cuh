#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/detail/cuda/asynchronous.cuh"
#include "tally/detail/cuda/groups.cuh"
#include "tally/detail/cuda/handover.hpp"
#include "tally/detail/cuda/recurrence/maps_in_rows.cuh"
#include "tally/detail/cuda/recurrence/recurrence_problem.cuh"
#include "tally/detail/cuda/recurrence/repair_sequence.cuh"
#include "tally/detail/cuda/recurrence/staged_array.cuh"
#include "tally/detail/cuda/recurrence/tiles_memory.cuh"
#include "tally/detail/cuda/ring_position.cuh"
#include "tally/detail/cuda/shifted_rows.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/order.hpp"

/// Few long recurrences along memory: blocks draw tiles and hand over their totals, as the scan of large arrays does
/// (ring.cuh). The warps of a block divide the work:
///
///   1 loader    draws tiles and starts their copies
///   4 reducers  total the rows of a tile, and publish its total
///   2 folders   find the carries of the block's tiles from the totals of all tiles
///   8 or 12 writers  find the states of some rows at a time and store them
namespace tally::cuda_backend {

/// The end of an array's memory. Only the device knows it where it knows the number of elements.
template <class P, class S>
__device__ __forceinline__ S const* end_of(P const& p, S const* begin, S const* end)
{
  if constexpr (requires { p.elements(); })
    return begin == nullptr ? nullptr : begin + p.elements();
  else
    return end;
}

/// Draws tiles and copies them, until there are no more. One lane does all of this.
template <class P>
__device__ __forceinline__ void load_recurrence_tiles(recurrence_tiles_memory<P>& memory, P const& p)
{
  using memory_type = recurrence_tiles_memory<P>;
  using shape = typename memory_type::shape;
  using S = typename P::stored;
  if (threadIdx.x % warp_lanes != 0) return;
  std::uint32_t const tiles = p.tiles(), tickets = tickets_of_scan(tiles, gridDim.x);
  S const* const a_end = end_of(p, p.a_begin, p.a_end);
  S const* const b_end = end_of(p, p.b_begin, p.b_end);
  struct {
    std::uint32_t sequence = 0xffffffff, span = 0;
  } last, last_but_one;
  int ended = 0;
  bool is_first = true;
  for (ring_position<memory_type::stages> at; ended < shape::folders; at.step(), is_first = false) {
    auto& stage = memory.all[at.stage];
    stage.free.wait(at.phase ^ 1);
    typename memory_type::found found{};
    found.tile = tiles;
    if (ended == 0) {
      // Not before the stage is free: other blocks wait for the totals of all tiles that were drawn.
      drawing const drawn = resolve(*p.shared, draw_unseen(*p.shared), tickets);
      found.tile = drawn.tile;
      if (is_first) memory.epoch = drawn.epoch;
    }
    if (found.tile >= tiles) {
      ++ended;  // each folder ends at a stage of its own
      stage.at = found;
      stage.drawn.arrive();
      continue;
    }
    auto const place = p.place_of(found.tile);
    if constexpr (requires { p.expect(found.tile); }) p.expect(found.tile + gridDim.x);
    auto const& before = shape::tiles_between == 1 ? last : last_but_one;
    found.sequence = place.sequence;
    found.in_sequence = place.in_sequence;
    found.goes_on = before.sequence == place.sequence;
    found.first_span = found.goes_on ? before.span : 0;
    last_but_one = last;
    last = {place.sequence, place.in_sequence / static_cast<std::uint32_t>(order::span_tiles)};
    found.begin = static_cast<std::size_t>(found.in_sequence) * P::tile;
    found.end_of_sequence = place.size;
    std::size_t const rest = place.size - found.begin;
    found.size = static_cast<int>(rest < P::tile ? rest : P::tile);
    auto const begin = static_cast<std::ptrdiff_t>(found.begin);
    found.a = place.a == nullptr ? nullptr : place.a + begin * p.a_step;
    found.b = place.b + begin * p.b_step;
    found.out = place.out + begin * p.out_step;
    stage.at = found;
    stage.drawn.arrive();
    auto const b = stage.staged_b(p);
    std::uint32_t bytes = start_copy<S>(b.memory, b.low(0), found.size, p.b_begin, b_end, stage.arrived);
    if (p.a_step != 0) {
      auto const a = stage.staged_a(p);
      bytes += start_copy<S>(a.memory, a.low(0), found.size, p.a_begin, a_end, stage.arrived);
    }
    stage.arrived.arrive_and_expect(bytes);
  }
}

/// The fold of the values of two lanes, of which the lane has one. `is_right`: its own is the later one.
template <class W>
__device__ __forceinline__ affine<W> folded_with(affine<W> const& own, affine<W> const& other, bool is_right)
{
  W const later_scale = select(is_right, own.scale, other.scale);
  W const earlier = select(is_right, other.offset, own.offset), later = select(is_right, own.offset, other.offset);
  return {detail::elementary::rounded_product(own.scale, other.scale),
          detail::recurrence::sum(detail::elementary::rounded_product(later_scale, earlier), later)};
}

/// The balanced trees over 16 lanes of values of eight rows, of which each half of a warp has four: `totals[r]` is of
/// row 2 r + lane / 16. Two exchanges halve the rows of a lane, and lane k gets row 4 (k % 2) + 2 (k / 2 % 2) + k / 16.
template <class W>
__device__ __forceinline__ affine<W> totals_of_eight_rows(affine<W> (&totals)[4])
{
  int const lane = static_cast<int>(threadIdx.x) % warp_lanes;
#pragma unroll
  for (int level = 0; level < 2; ++level) {
    int const half = 2 >> level;
    bool const is_right = (lane >> level & 1) != 0;
    affine<W> others[2];
#pragma unroll
    for (int r = 0; r < half; ++r)
      others[r] = shuffle_map_xor(select_map(is_right, totals[r], totals[r + half]), 1 << level);
#pragma unroll
    for (int r = 0; r < half; ++r)
      totals[r] = folded_with(select_map(is_right, totals[r + half], totals[r]), others[r], is_right);
  }
#pragma unroll
  for (int level = 2; level < 4; ++level)
    totals[0] = folded_with(totals[0], shuffle_map_xor(totals[0], 1 << level), (lane >> level & 1) != 0);
  return totals[0];
}

/// Totals sixteen rows of each tile; one reducer in turn publishes the tile's total, and composes the totals of the
/// strips before each strip.
template <class P>
__device__ __forceinline__ void reduce_recurrence_tiles(recurrence_tiles_memory<P>& memory, P const& p, int reducer)
{
  using memory_type = recurrence_tiles_memory<P>;
  using W = typename P::W;
  constexpr int rows = 16, rows_at_once = 8, lines = rows_at_once / 2, reducers = memory_type::shape::reducers;
  constexpr int strips = memory_type::strips, strip_rows = memory_type::strip_rows;
  static_assert(rows * reducers == memory_type::rows);
  int const lane = static_cast<int>(threadIdx.x) % warp_lanes, strip = lane % strips;
  std::uint32_t const tiles = p.tiles();
  int turn = 0;
  for (ring_position<memory_type::stages> at;; at.step(), turn = (turn + 1) % reducers) {
    auto& stage = memory.all[at.stage];
    stage.drawn.wait(at.phase);
    std::uint32_t const tile = stage.at.tile;
    if (tile >= tiles) return;
    bool const is_whole = stage.at.size == static_cast<int>(P::tile);
    stage.arrived.wait(at.phase);
    // A multiprocessor seems to keep some 2000 instructions, and those for sixteen rows at a time have no place beside
    // the rest.
#pragma unroll 1
    for (int first_row = reducer * rows; first_row < (reducer + 1) * rows; first_row += rows_at_once) {
      steps_of_tile<P, lines> const steps(stage, p, first_row * P::row + lane * P::group);
      affine<W> totals[lines];
#pragma unroll
      for (int l = 0; l < lines; ++l) totals[l] = steps.total(l);
      affine<W> const total = totals_of_eight_rows(totals);
      if ((lane & 12) == 0) *stage.totals[first_row + (lane & 1) * 4 + (lane & 2) + lane / 16] = total;
    }
    stage.totalled.arrive();
    if (turn != reducer) continue;
    stage.totalled.wait(at.phase);

    affine<W> of_rows[strip_rows];
#pragma unroll
    for (int r = 0; r < strip_rows; ++r) of_rows[r] = *stage.totals[strip * strip_rows + r];
    affine<W> own = of_rows[0];
#pragma unroll
    for (int r = 1; r < strip_rows; ++r) own = composed(own, of_rows[r]);
    affine<W> before = shuffle_map_from(own, 0);  // the strips before
#pragma unroll
    for (int s = 1; s < strips - 1; ++s)
      before = select_map(s < strip, composed(before, shuffle_map_from(own, s)), before);
    if (lane == strips - 1 && is_whole)
      publish(p.words + static_cast<std::size_t>(tile) * words_of<affine<W>>, composed(before, own), memory.epoch);
    if (lane < strips) *stage.before[strip] = before;  // of the first strip: not used
    stage.ready.arrive();
  }
}

/// Finds the carries of the block's tiles at places that are `folder` modulo the number of folders.
template <class P>
__device__ __forceinline__ void fold_recurrence_tiles(recurrence_tiles_memory<P>& memory, P const& p, int folder)
{
  using W = typename P::W;
  using C = typename P::C;
  using memory_type = recurrence_tiles_memory<P>;
  using shape = typename memory_type::shape;
  static_assert(shape::folders == 2 && (shape::tiles_between == 1 || shape::tiles_between == 2));
  std::uint32_t const tiles = p.tiles();
  team_position<memory_type::stages, shape::folders> at(folder);
  for (auto number = static_cast<std::uint32_t>(folder);; number += shape::folders, at.next()) {
    auto& stage = memory.all[at.stage];
    stage.drawn.wait(at.phase);
    std::uint32_t const tile = stage.at.tile;
    if (tile >= tiles) return;
    std::uint32_t const sequence = stage.at.sequence, in_sequence = stage.at.in_sequence;
    bool const goes_on = stage.at.goes_on;
    auto const state_before_first_span = [&] {
      std::uint32_t const from = number - shape::tiles_between;
      auto& state = memory.spans[from % 2];
      if (number >= shape::tiles_between) state.known.wait(from / 2 % 2);  // in turn, where it does not go on too
      return goes_on ? state.before : static_cast<C>(static_cast<W>(p.before_of(sequence)));
    };
    typename memory_type::fold const found(in_sequence, stage.at.first_span,
                                           p.words + static_cast<std::size_t>(tile - in_sequence) * words_of<affine<W>>,
                                           memory.epoch, *memory.fold_memory[folder], state_before_first_span);
    __syncwarp();  // all lanes have read the span's state
    if (threadIdx.x % warp_lanes == 0) {
      memory.spans[number % 2].before = found.before_span;
      stage.carry = found.before_tile;
    }
    memory.spans[number % 2].known.arrive();
    stage.ready.arrive();
  }
}

/// The results of some rows at a time, by one warp.
template <class P>
class recurrence_tile_writer {
public:
  using S = typename P::stored;
  using T = typename P::T;
  using W = typename P::W;
  using memory_type = recurrence_tiles_memory<P>;
  using shape = typename memory_type::shape;
  static constexpr int lines = shape::lines_at_a_time, rows = memory_type::unit_rows, group = P::group;

  __device__ __forceinline__ recurrence_tile_writer(memory_type& memory, P const& p) : memory_(memory), p_(p) {}

  __device__ __forceinline__ void run(int writer)
  {
    std::uint32_t const tiles = p_.tiles();
    ring_position<memory_type::stages> at;
    for (int unit = writer;; unit += shape::writers) {
      if (unit >= memory_type::units) {
        unit -= memory_type::units;
        at.step();
      }
      auto& stage = memory_.all[at.stage];
      stage.drawn.wait(at.phase);
      if (stage.at.tile >= tiles) return;
      one(stage, at.phase, unit * rows);
    }
  }

private:
  using found = typename memory_type::found;

  __device__ __forceinline__ static int lane() { return static_cast<int>(threadIdx.x) % warp_lanes; }

  /// The states before the lane's row of each line.
  __device__ __forceinline__ static void states_before_rows(typename memory_type::stage& stage, int first_row,
                                                            W (&states)[lines])
  {
    constexpr int strip_rows = memory_type::strip_rows;
    int const strip = first_row / strip_rows;
    W state = stage.carry;
    if (strip > 0) state = (*stage.before[strip])(state);
    if constexpr (rows < strip_rows) {
#pragma unroll 1
      for (int at = strip * strip_rows; at < first_row; at += rows) {
#pragma unroll
        for (int r = 0; r < rows; ++r) state = (*stage.totals[at + r])(state);
      }
    }
#pragma unroll
    for (int l = 0; l < lines; ++l) {
      W const second = (*stage.totals[first_row + 2 * l])(state);
      states[l] = lane() < warp_lanes / 2 ? state : second;
      if (l + 1 < lines) state = (*stage.totals[first_row + 2 * l + 1])(second);
    }
  }

  __device__ __forceinline__ void one(typename memory_type::stage& stage, std::uint32_t phase, int first_row)
  {
    found const at = stage.at;
    int const begin = first_row * P::row, first = begin + lane() * group;
    if (begin >= at.size) {
      stage.free.arrive();
      return;
    }
    // In plain tiles the trees of rows come before the wait for the carry. In others this would slow the reducers down.
    if constexpr (P::is_plain)
      stage.arrived.wait(phase);
    else
      stage.ready.wait(phase);
    steps_of_tile<P, lines> const steps(stage, p_, first);
    affine<W> totals[lines];
#pragma unroll
    for (int l = 0; l < lines; ++l) totals[l] = steps.total(l);
    trees_of_lines<W, lines, 2> const trees(totals, warp_lanes);
    if constexpr (P::is_plain) stage.ready.wait(phase);
    W states[lines];
    states_before_rows(stage, first_row, states);
    stage.free.arrive();

    packed_group<S, group> results[lines];
    W bad[lines];  // NaN if a result of the line is not finite
#pragma unroll
    for (int l = 0; l < lines; ++l) {
      bad[l] = W(0);
      W state = trees.before_group(l, states[l]);
#pragma unroll
      for (int j = 0; j < group; ++j) {
        state = steps.step(l, j)(state);
        auto const y = static_cast<T>(state);
        results[l].set(j, static_cast<S>(y));
        bad[l] = marked_if_not_finite(bad[l], static_cast<W>(y));  // of values beyond the end too
      }
    }
#pragma unroll
    for (int stride = 1; stride < lines; stride *= 2) {
#pragma unroll
      for (int l = 0; l < lines; l += 2 * stride) bad[l] += bad[l + stride];
    }
    if (p_.lasts != nullptr && at.begin + static_cast<std::size_t>(at.size) == at.end_of_sequence)
      put_last(results, at.sequence, at.size - 1 - first);
    if (p_.stores != results_stored::before_the_first_bad && __any_sync(whole_warp, bad[0] != bad[0])) {
      unsigned bad_step = 0xffffffff;
#pragma unroll
      for (int k = lines * group - 1; k >= 0; --k) {
        int const step = first + k / group * P::line + k % group;
        if (step < at.size && !is_number(zero_if_finite<T>(static_cast<W>(results[k / group].get(k % group)))))
          bad_step = static_cast<unsigned>(step);
      }
      bad_step = __reduce_min_sync(whole_warp, bad_step);
      if (lane() == 0 && bad_step != 0xffffffff)
        atomicMin(p_.first_bad + at.sequence, static_cast<unsigned long long>(at.begin + bad_step));
    }
    int const end = results_to_store(at);
    if constexpr (is_from_anywhere<P>) {
      store_shifted(results, at.out + begin, end - begin);
    } else if constexpr (!P::is_plain) {
      if (p_.out_step > 0)
        store_shifted(results, at.out + begin, end - begin);
      else
        store_shifted<-1>(results, at.out - begin, end - begin);
    } else if (begin + lines * P::line <= end) {
#pragma unroll
      for (int l = 0; l < lines; ++l) results[l].store_aligned(at.out + first + l * P::line);
    } else {
#pragma unroll
      for (int l = 0; l < lines; ++l) store_results(results[l], at.out, first + l * P::line, end, 1);
    }
  }

  /// `last`: the sequence's last step, counted from the lane's first one on.
  __device__ __forceinline__ void put_last(packed_group<S, group> const (&results)[lines], std::size_t sequence,
                                           int last) const
  {
    S y = results[0].get(0);
#pragma unroll
    for (int k = 1; k < lines * group; ++k)
      if (last == k / group * P::line + k % group) y = results[k / group].get(k % group);
    if (last >= 0 && last < lines * P::line && last % P::line < group) p_.put_last(sequence, y);
  }

  /// The number of a tile's results that are to be stored.
  __device__ __forceinline__ int results_to_store(found const& at) const
  {
    std::size_t limit = at.end_of_sequence;
    if (p_.stores == results_stored::none) return 0;
    if (p_.stores == results_stored::before_the_first_bad && p_.first_bad[at.sequence] < limit)
      limit = p_.first_bad[at.sequence];
    if (limit <= at.begin) return 0;
    return limit - at.begin < static_cast<std::size_t>(at.size) ? static_cast<int>(limit - at.begin) : at.size;
  }

  memory_type& memory_;
  P const& p_;
};

/// The work of a block on tiles.
template <class P>
__device__ __forceinline__ void recur_tiles(recurrence_tiles_memory<P>& memory, P const& p)
{
  if (threadIdx.x == 0) memory.begin();
  __syncthreads();
  take_turn();
  using shape = typename recurrence_tiles_memory<P>::shape;
  constexpr int reducers_end = shape::writers + shape::reducers, folders_end = reducers_end + shape::folders;
  int const duty = shape::duty_of(static_cast<int>(threadIdx.x) / warp_lanes);
  if (duty < shape::writers)
    recurrence_tile_writer<P>(memory, p).run(duty);
  else if (duty < reducers_end)
    reduce_recurrence_tiles(memory, p, duty - shape::writers);
  else if (duty < folders_end)
    fold_recurrence_tiles(memory, p, duty - reducers_end);
  else if (duty == folders_end)
    load_recurrence_tiles(memory, p);
  __syncwarp();  // only one of the loader's lanes has worked
  __syncthreads();
  if (threadIdx.x == 0) finish(*p.shared, memory.epoch, gridDim.x, p.words, p.capacity);
}

template <class P>
__global__ void __launch_bounds__(recurrence_tiles_memory<P>::shape::threads, 1)
    recur_tiles_kernel(__grid_constant__ P const p)
{
#if __CUDA_ARCH__ >= 900
  extern __shared__ __align__(128) unsigned char raw[];
  recur_tiles(reinterpret_cast<recurrence_tiles_memory<P>&>(raw), p);
#endif
}

}  // namespace tally::cuda_backend
