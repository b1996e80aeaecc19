#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/detail/cuda/asynchronous.cuh"
#include "tally/detail/cuda/batch/columns_ring.cuh"
#include "tally/detail/cuda/handover.hpp"
#include "tally/detail/cuda/recurrence/lane_rows.cuh"
#include "tally/detail/cuda/recurrence/recurrence_problem.cuh"
#include "tally/detail/cuda/recurrence/repair_sequence.cuh"
#include "tally/detail/cuda/recurrence/staged_array.cuh"
#include "tally/detail/cuda/recurrence/state_fold.cuh"
#include "tally/detail/cuda/ring.cuh"

/// Few long recurrences along memory: blocks draw tiles and hand over their totals.
namespace tally::cuda_backend {

/// Where a tile is.
template <class T>
struct place_of_tile {
  std::uint32_t sequence, in_sequence;
  std::size_t size;  ///< of the sequence
  T const *a, *b;    ///< its first step
  T* out;
};

template <class T>
struct recurrence_tiles_problem : recurrence_problem<T> {
  std::uint32_t tiles_each;
  control* shared;
  std::uint64_t* words;  ///< those of a total for each tile
  std::size_t capacity;

  __device__ std::uint32_t tiles() const { return static_cast<std::uint32_t>(this->sequences) * tiles_each; }
  __device__ __forceinline__ place_of_tile<T> place_of(std::uint32_t tile) const
  {
    std::uint32_t const s = tile / tiles_each;
    return {s,
            tile - s * tiles_each,
            this->size,
            this->a == nullptr ? nullptr : this->a_of(s),
            this->b_of(s),
            this->out_of(s)};
  }
};

/// The warps of a block: a loader, folders that find the carries of the block's tiles in turn, and teams that do its
/// tiles in turn, a row of the order a lane. A folder folds the totals of all tiles.
template <class T>
struct recurrence_tiles {
  static constexpr int team_warps = lane_rows::warps;
  /// Registers limit the teams: doubles and elements of two bytes spill in the 128 that six teams leave.
  static constexpr int teams = sizeof(T) == 4 ? 6 : 4;
  static constexpr int folders = 2;
  static constexpr int loaders = 2;  ///< one for each array
  static constexpr int workers = teams * team_warps;
  static constexpr int threads = (workers + loaders + folders) * warp_lanes;
};

/// The shared memory of a block: tiles that are on their way, or that a team has.
template <class P>
struct recurrence_tiles_memory {
  using S = typename P::stored;
  using W = typename P::W;
  using C = typename P::C;
  using shape = recurrence_tiles<typename P::T>;
  /// The spans between two tiles of a folder if 132 blocks work, with those in which these tiles lie.
  using fold = state_fold<W, C, 5 * shape::folders, sizeof(W) == 8 ? 2 : 5>;
  static constexpr int stages = 6;
  static constexpr int row = static_cast<int>(P::row);
  static_assert(row * sizeof(S) == lane_rows::bytes && row * lane_rows::rows == P::tile);
  static_assert(shape::folders <= shape::teams);  // each ends at a stage of its own

  /// A tile of a sequence, as the loader finds it for the other warps.
  struct found {
    std::uint32_t tile;  ///< beyond the last one: there are no more
    std::uint32_t sequence, in_sequence;
    int size;
    std::size_t begin, end_of_sequence;
    S const *a, *b;  ///< its first step
    S* out;
  };
  struct stage {
    alignas(16) unsigned char a[lane_rows::rows][lane_rows::pitch];
    alignas(16) unsigned char b[lane_rows::rows][lane_rows::pitch];
    found at;
    W carry;
    arrival drawn, arrived, carried, free;
  };
  stage all[stages];
  uninitialized<affine<W>> strips[shape::teams][2][order::tile_strips];  // of two tiles in turn
  uninitialized<typename fold::shared> fold_memory[shape::folders];
  std::uint32_t epoch;

  __device__ void begin()
  {
    for (stage& one : all) {
      one.drawn.begin(1);
      one.arrived.begin(shape::loaders * warp_lanes);
      one.carried.begin(warp_lanes);
      one.free.begin(lane_rows::rows);
    }
    fence_asynchronous();
  }

  /// The elements between the begin of a word and the lowest one of a row that begins at `first`, whole or not.
  __device__ __forceinline__ static int gap(S const* first, std::ptrdiff_t step)
  {
    return staged_array<S const>::gap(step < 0 ? first - (row - 1) : first);
  }
};

/// Starts the copies of a tile's rows of one array, by a warp. (Bulk copies of rows would be started lane by lane, some
/// 70 cycles each.) Elements in words that are not wholly in the array are copied at once.
template <class S>
__device__ __forceinline__ void start_copy_of_rows(unsigned char (*to)[lane_rows::pitch], S const* from, int step,
                                                   int size, S const* array_begin, S const* array_end)
{
  constexpr int row = lane_rows::bytes / static_cast<int>(sizeof(S));
  int const lane = static_cast<int>(threadIdx.x) % warp_lanes;
  auto const address = [](S const* at) { return reinterpret_cast<std::uintptr_t>(at); };
  // Backwards through memory the row's last place is the first of its memory, whether there is a step or not.
  std::uintptr_t const first = address(step < 0 ? from - (row - 1) : from), first_word = first / 16 * 16;
  std::ptrdiff_t const across = step * lane_rows::bytes;  // from row to row
  int const rows = (size - 1) / row + 1, own = lane / lane_rows::words, word = lane % lane_rows::words;
  bool const has_more = first != first_word;  // a word more in each row
  auto const target = [&](int r, int w) { return reinterpret_cast<uint4*>(to[r]) + w; };
  std::uintptr_t const last_word = first_word + (rows - 1) * across;
  std::uintptr_t const low_word = step < 0 ? last_word : first_word, high_word = step < 0 ? first_word : last_word;
  if (low_word >= address(array_begin) && high_word + lane_rows::pitch <= address(array_end)) {
    constexpr int at_a_time = warp_lanes / lane_rows::words;
    std::uintptr_t source = first_word + own * across + word * 16;
#pragma unroll 8
    for (int r = own; r < rows; r += at_a_time, source += at_a_time * across)
      copy_asynchronously(target(r, word), reinterpret_cast<uint4 const*>(source));
    if (has_more)
      for (int r = lane; r < rows; r += warp_lanes)
        copy_asynchronously(target(r, lane_rows::words),
                            reinterpret_cast<uint4 const*>(first_word + r * across + lane_rows::bytes));
    return;
  }
  std::uintptr_t const low = address(step < 0 ? from - (size - 1) : from), high = low + size * sizeof(S);
#pragma unroll 1
  for (int k = lane; k < (lane_rows::words + 1) * rows; k += warp_lanes) {
    int const r = k / (lane_rows::words + 1), w = k % (lane_rows::words + 1);
    std::uintptr_t const source = first_word + r * across + w * 16;
    if (source >= high || source + 16 <= low || (w == lane_rows::words && !has_more)) continue;
    if (source >= address(array_begin) && source + 16 <= address(array_end)) {
      copy_asynchronously(target(r, w), reinterpret_cast<uint4 const*>(source));
    } else {
      for (std::uintptr_t at = source; at < source + 16; at += sizeof(S))
        if (at >= low && at < high)
          reinterpret_cast<S*>(target(r, w))[(at - source) / sizeof(S)] = *reinterpret_cast<S const*>(at);
    }
  }
  __threadfence_block();  // an arrival that waits for copies orders no other stores
}

/// The end of an array's memory. Only the device knows it where it knows the number of elements.
template <class P, class S>
__device__ __forceinline__ S const* end_of(P const& p, S const* begin, S const* end)
{
  if constexpr (requires { p.elements(); })
    return begin == nullptr ? nullptr : begin + p.elements();
  else
    return end;
}

/// Draws tiles and copies their coefficients, by one warp.
template <class P>
__device__ __forceinline__ void load_recurrence_tiles(recurrence_tiles_memory<P>& memory, P const& p)
{
  using memory_type = recurrence_tiles_memory<P>;
  int const lane = static_cast<int>(threadIdx.x) % warp_lanes;
  std::uint32_t const tiles = p.tiles(), tickets = tickets_of_scan(tiles, gridDim.x);
  auto const* const end = end_of(p, p.a_begin, p.a_end);
  std::uint64_t ticket = 0;
  if (lane == 0) ticket = draw_unseen(*p.shared);  // the next one is on its way while this one waits for its stage
  int ended = 0;
  bool first = true;
  for (ring_position<memory_type::stages> at; ended < memory_type::shape::teams; at.step(), first = false) {
    auto& stage = memory.all[at.stage];
    typename memory_type::found found{};
    found.tile = tiles;
    place_of_tile<typename P::T> place{};
    if (ended == 0) {
      if (lane == 0) {
        drawing const drawn = resolve(*p.shared, ticket, tickets);
        found.tile = drawn.tile;
        if (first) memory.epoch = drawn.epoch;
      }
      found.tile = shuffle_from(found.tile, 0);
      if (found.tile < tiles) place = p.place_of(found.tile);
    }
    stage.free.wait(at.phase ^ 1);
    if (found.tile >= tiles) {
      ++ended;  // each team and each folder ends at a stage of its own
    } else {
      if (lane == 0) ticket = draw_unseen(*p.shared);
      found.sequence = place.sequence;
      found.in_sequence = place.in_sequence;
      found.begin = static_cast<std::size_t>(found.in_sequence) * P::tile;
      found.end_of_sequence = place.size;
      std::size_t const rest = place.size - found.begin;
      found.size = static_cast<int>(rest < P::tile ? rest : P::tile);
      auto const begin = static_cast<std::ptrdiff_t>(found.begin);
      found.a = place.a == nullptr ? nullptr : place.a + begin * p.a_step;
      found.b = place.b + begin * p.b_step;
      found.out = place.out + begin * p.out_step;
    }
    if (lane == 0) {
      stage.at = found;
      stage.drawn.arrive();
    }
    if (found.tile < tiles) {
      if (p.a_step != 0) start_copy_of_rows(stage.a, found.a, static_cast<int>(p.a_step), found.size, p.a_begin, end);
      arrive_after_copies(stage.arrived);
    }
  }
}

/// Copies the terms of the tiles that were drawn.
template <class P>
__device__ __forceinline__ void load_terms_of_tiles(recurrence_tiles_memory<P>& memory, P const& p)
{
  std::uint32_t const tiles = p.tiles();
  auto const* const end = end_of(p, p.b_begin, p.b_end);
  for (ring_position<recurrence_tiles_memory<P>::stages> at;; at.step()) {
    auto& stage = memory.all[at.stage];
    stage.drawn.wait(at.phase);
    if (stage.at.tile >= tiles) return;
    start_copy_of_rows(stage.b, stage.at.b, static_cast<int>(p.b_step), stage.at.size, p.b_begin, end);
    arrive_after_copies(stage.arrived);
  }
}

/// Finds the carries of the block's tiles at places that are `folder` modulo the number of folders.
template <class P>
__device__ __forceinline__ void fold_recurrence_tiles(recurrence_tiles_memory<P>& memory, P const& p, int folder)
{
  using W = typename P::W;
  using C = typename P::C;
  using memory_type = recurrence_tiles_memory<P>;
  std::uint32_t const tiles = p.tiles();
  std::uint32_t sequence = 0xffffffff;
  typename memory_type::fold states(C(0));
  for (team_position<memory_type::stages, memory_type::shape::folders> at(folder);; at.next()) {
    auto& stage = memory.all[at.stage];
    stage.drawn.wait(at.phase);
    std::uint32_t const tile = stage.at.tile, in_sequence = stage.at.in_sequence;
    if (tile >= tiles) return;
    if (stage.at.sequence != sequence) {
      sequence = stage.at.sequence;
      states = typename memory_type::fold(static_cast<C>(static_cast<W>(p.before_of(sequence))));
    }
    W const carry =
        states.before(in_sequence, p.words + static_cast<std::size_t>(tile - in_sequence) * words_of<affine<W>>,
                      memory.epoch, *memory.fold_memory[folder]);
    if (threadIdx.x % warp_lanes == 0) stage.carry = carry;
    stage.carried.arrive();  // every lane: it has read the stage, where the loader may write its next tile after that
  }
}

/// Half of each of a team's tiles, by one warp. Its total is published before the warp waits for its carry.
template <class P>
class recurrence_half_tiles {
public:
  using S = typename P::stored;
  using T = typename P::T;
  using W = typename P::W;
  using memory_type = recurrence_tiles_memory<P>;
  using shape = typename memory_type::shape;
  static constexpr int strip_rows = static_cast<int>(order::strip_rows), row = memory_type::row;

  __device__ __forceinline__ recurrence_half_tiles(memory_type& memory, P const& p, int warp)
      : memory_(memory),
        p_(p),
        team_(warp / shape::team_warps),
        row_(warp % shape::team_warps * warp_lanes + static_cast<int>(threadIdx.x) % warp_lanes)
  {
  }

  __device__ __forceinline__ void run()
  {
    std::uint32_t const tiles = p_.tiles();
    int parity = 0;
    for (team_position<memory_type::stages, shape::teams> at(team_);; at.next(), parity ^= 1) {
      auto& stage = memory_.all[at.stage];
      stage.drawn.wait(at.phase);
      if (stage.at.tile >= tiles) return;
      stage.arrived.wait(at.phase);
      one(stage, at.phase, parity);
      stage.free.arrive();
    }
  }

private:
  __device__ __forceinline__ static int lane() { return static_cast<int>(threadIdx.x) % warp_lanes; }
  __device__ __forceinline__ void meet_team() const
  {
    asm volatile("bar.sync %0, %1;" ::"r"(1 + team_), "n"(lane_rows::rows) : "memory");
  }

  __device__ __forceinline__ void one(typename memory_type::stage& stage, std::uint32_t phase, int parity)
  {
    auto const& at = stage.at;
    if (p_.a_step == 0)
      fill_row<S>(stage.a[row_], p_.a == nullptr ? p_.constant : *at.a);
    else
      straighten_row<S>(stage.a[row_], memory_type::gap(at.a, p_.a_step), p_.a_step < 0);
    straighten_row<S>(stage.b[row_], memory_type::gap(at.b, p_.b_step), p_.b_step < 0);
    auto* const results = reinterpret_cast<S*>(stage.b[row_]);
    lane_row<P> const own(reinterpret_cast<S*>(stage.a[row_]), results);

    // The rows before in the strip, the strips before in the tile.
    int const in_strip = lane() % strip_rows, strip = row_ / strip_rows;
    affine<W> const total = own.total();
    affine<W> rows = shuffle_from(total, lane() - in_strip);
#pragma unroll
    for (int r = 1; r < strip_rows; ++r) {
      affine<W> const next = shuffle_from(total, lane() - in_strip + r);
      rows = select(r < in_strip, composed(rows, next), rows);
    }
    if (in_strip == strip_rows - 1) *memory_.strips[team_][parity][strip] = composed(rows, total);
    meet_team();
    affine<W> strips = *memory_.strips[team_][parity][0];
#pragma unroll
    for (int s = 1; s < static_cast<int>(order::tile_strips) - 1; ++s)
      strips = select(s < strip, composed(strips, *memory_.strips[team_][parity][s]), strips);
    affine<W> const base = select(in_strip > 0, composed_if(strip > 0, strips, rows), strips);
    if (at.size == static_cast<int>(P::tile) && row_ == lane_rows::rows - 1)
      publish(p_.words + static_cast<std::size_t>(at.tile) * words_of<affine<W>>, own.last(base), memory_.epoch);

    stage.carried.wait(phase);
    W const bad = own.put_results(row_ > 0, base, stage.carry);
    int const mine = at.size - row_ * row;  // steps of the row that are there, if that is less
    if (p_.lasts != nullptr && mine > 0 && mine <= row &&
        at.begin + static_cast<std::size_t>(at.size) == at.end_of_sequence)
      p_.put_last(at.sequence, results[mine - 1]);
    if (p_.stores != results_stored::before_the_first_bad && __any_sync(whole_warp, bad != bad)) {
      unsigned found = 0xffffffff;
      for (int k = 0; k < row && k < mine; ++k)
        if (!is_number(zero_if_finite<T>(static_cast<W>(results[k])))) {
          found = static_cast<unsigned>(row_ * row + k);
          break;
        }
      found = __reduce_min_sync(whole_warp, found);
      if (lane() == 0 && found != 0xffffffff)
        atomicMin(p_.first_bad + at.sequence, static_cast<unsigned long long>(at.begin + found));
    }
    __syncwarp();
    store(stage, results_to_store(at));
  }

  /// The number of a tile's results that are to be stored.
  __device__ __forceinline__ int results_to_store(typename memory_type::found const& at) const
  {
    std::size_t limit = at.end_of_sequence;
    if (p_.stores == results_stored::none) return 0;
    if (p_.stores == results_stored::before_the_first_bad && p_.first_bad[at.sequence] < limit)
      limit = p_.first_bad[at.sequence];
    if (limit <= at.begin) return 0;
    return limit - at.begin < static_cast<std::size_t>(at.size) ? static_cast<int>(limit - at.begin) : at.size;
  }

  /// Stores the warp's share of the first `end` results of a tile.
  __device__ __forceinline__ void store(typename memory_type::stage& stage, int end) const
  {
    constexpr int share = warp_lanes * row;
    int const first_row = row_ - lane(), begin = first_row * row;
    int const count = end - begin < share ? end - begin : share;
    if (count <= 0) return;
    S* const out = stage.at.out + begin * p_.out_step;
    if (count == share && p_.out_step == 1 && reinterpret_cast<std::uintptr_t>(out) % 16 == 0) {
      auto const result = [&](int w) {
        return reinterpret_cast<uint4 const*>(stage.b[first_row + w / lane_rows::words]) + w % lane_rows::words;
      };
#pragma unroll
      for (int k = 0; k < lane_rows::words; ++k) {
        int const w = k * warp_lanes + lane();
        store_in_order(reinterpret_cast<uint4*>(out) + w, *result(w));
      }
    } else {
#pragma unroll 4
      for (int k = lane(); k < count; k += warp_lanes)
        out[k * p_.out_step] = reinterpret_cast<S const*>(stage.b[first_row + k / row])[k % row];
    }
  }

  memory_type& memory_;
  P const& p_;
  int team_, row_;
};

template <class P>
__global__ void __launch_bounds__(recurrence_tiles<typename P::T>::threads, 1)
    recur_tiles_kernel(__grid_constant__ P const p)
{
#if __CUDA_ARCH__ >= 900
  extern __shared__ __align__(128) unsigned char raw[];
  auto& memory = *reinterpret_cast<recurrence_tiles_memory<P>*>(raw);
  if (threadIdx.x == 0) memory.begin();
  __syncthreads();
  take_turn();
  int const warp = static_cast<int>(threadIdx.x) / warp_lanes, other = warp - recurrence_tiles<typename P::T>::workers;
  if (other < 0)
    recurrence_half_tiles<P>(memory, p, warp).run();
  else if (other == 0)
    load_recurrence_tiles(memory, p);
  else if (other == 1)
    load_terms_of_tiles(memory, p);
  else
    fold_recurrence_tiles(memory, p, other - recurrence_tiles<typename P::T>::loaders);
  __syncwarp();
  __syncthreads();
  if (threadIdx.x == 0) finish(*p.shared, memory.epoch, gridDim.x, p.words, p.capacity);
#endif
}

}  // namespace tally::cuda_backend
