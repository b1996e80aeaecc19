#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/detail/cuda/asynchronous.cuh"
#include "tally/detail/cuda/batch/columns_ring.cuh"
#include "tally/detail/cuda/carry_fold.cuh"
#include "tally/detail/cuda/folds.cuh"
#include "tally/detail/cuda/handover.hpp"
#include "tally/detail/cuda/recurrence/rows_kernel.cuh"
#include "tally/detail/cuda/ring.cuh"

/// Few long recurrences along memory: blocks draw tiles and hand over their totals.
namespace tally::cuda_backend {

template <class T>
struct recurrence_tiles_problem : recurrence_problem<T> {
  std::uint32_t tiles_each;
  control* shared;
  std::uint64_t* words;  ///< those of a total for each tile
  std::size_t capacity;

  __host__ __device__ std::uint32_t tiles() const { return static_cast<std::uint32_t>(this->sequences) * tiles_each; }
};

/// The warps of a block: a loader, folders that find the carries of the block's tiles in turn, and teams that do its
/// tiles in turn, a strip a warp. A folder folds the totals of all tiles. With one block a multiprocessor these are
/// half as many for each of its tiles as with two.
struct recurrence_tiles {
  static constexpr int team_warps = static_cast<int>(order::tile_strips);
  static constexpr int teams = 2;
  static constexpr int folders = 2;
  static constexpr int workers = teams * team_warps;
  static constexpr int threads = (workers + 1 + folders) * warp_lanes;
};

/// The shared memory of a block: for each team a tile whose total is found and one whose results are, and two that are
/// on their way.
template <class P>
struct recurrence_tiles_memory {
  using S = typename P::stored;
  using W = typename P::W;
  using Op = typename P::operation;
  using fold = scan_fold<affine<typename P::T>, Op, recurrence_tiles::folders>;
  static constexpr int stages = 6;
  static constexpr std::size_t room = P::tile * sizeof(S) + 48;  // a tile begins anywhere in a word
  static_assert(stages % recurrence_tiles::teams == 0 && stages % recurrence_tiles::folders == 0);

  /// A tile of a sequence, as the loader finds it for the other warps.
  struct found {
    std::uint32_t tile;  ///< beyond the last one: there are no more
    std::uint32_t sequence, in_sequence;
    int size;
    std::size_t begin;
    S const *a, *b;  ///< its first step
    S* out;
  };
  struct stage {
    alignas(16) unsigned char a[room];
    alignas(16) unsigned char b[room];
    found at;
    W carry;
    arrival drawn, arrived, carried, free;
  };
  stage all[stages];
  uninitialized<affine<W>> strips[recurrence_tiles::teams][2][recurrence_tiles::team_warps];  // of two tiles in turn
  uninitialized<typename fold::shared> fold_memory[recurrence_tiles::folders];
  std::uint32_t epoch;

  __device__ void begin()
  {
    for (stage& one : all) {
      one.drawn.begin(1);
      one.arrived.begin(1);
      one.carried.begin(warp_lanes);
      one.free.begin(recurrence_tiles::team_warps * warp_lanes);
    }
    fence_asynchronous();
  }
};

/// Draws tiles and copies them; by one lane.
template <class P>
__device__ __forceinline__ void load_recurrence_tiles(recurrence_tiles_memory<P>& memory, P const& p)
{
  using S = typename P::stored;
  using memory_type = recurrence_tiles_memory<P>;
  if (threadIdx.x % warp_lanes != 0) return;
  std::uint32_t const tiles = p.tiles();
  int ended = 0;
  bool first = true;
  for (ring_position<memory_type::stages> at; ended < recurrence_tiles::teams; at.step(), first = false) {
    auto& stage = memory.all[at.stage];
    stage.free.wait(at.phase ^ 1);
    drawing drawn{0, tiles};
    if (ended == 0) drawn = resolve(*p.shared, draw_unseen(*p.shared), tickets_of_scan(tiles, gridDim.x));
    if (first) memory.epoch = drawn.epoch;
    typename memory_type::found found{};
    found.tile = drawn.tile;
    if (drawn.tile >= tiles) {
      ++ended;  // each team and each folder ends at a stage of its own
    } else {
      found.sequence = drawn.tile / p.tiles_each;
      found.in_sequence = drawn.tile - found.sequence * p.tiles_each;
      found.begin = static_cast<std::size_t>(found.in_sequence) * P::tile;
      std::size_t const rest = p.size - found.begin;
      found.size = static_cast<int>(rest < P::tile ? rest : P::tile);
      auto const begin = static_cast<std::ptrdiff_t>(found.begin);
      found.a = p.a == nullptr ? nullptr : p.a_of(found.sequence) + begin * p.a_step;
      found.b = p.b_of(found.sequence) + begin * p.b_step;
      found.out = p.out_of(found.sequence) + begin * p.out_step;
    }
    stage.at = found;
    stage.drawn.arrive();
    std::uint32_t bytes = 0;
    if (drawn.tile < tiles) {
      auto const start = [&](unsigned char* to, S const* from, std::ptrdiff_t step, S const* array_begin,
                             S const* array_end) {
        S const* const low = step < 0 ? from - (found.size - 1) : from;
        bytes += start_copy<S>(to + 16, low, found.size, array_begin, array_end, stage.arrived);
      };
      if (p.a_step != 0) start(stage.a, found.a, p.a_step, p.a_begin, p.a_end);
      start(stage.b, found.b, p.b_step, p.b_begin, p.b_end);
    }
    stage.arrived.arrive_and_expect(bytes);
  }
}

/// Finds the carries of the block's tiles at places that are `folder` modulo the number of folders.
template <class P>
__device__ __forceinline__ void fold_recurrence_tiles(recurrence_tiles_memory<P>& memory, P const& p, int folder)
{
  using T = typename P::T;
  using W = typename P::W;
  using C = typename P::C;
  using Op = typename P::operation;
  using memory_type = recurrence_tiles_memory<P>;
  Op op;
  std::uint32_t const tiles = p.tiles();
  std::uint32_t sequence = 0xffffffff;
  typename memory_type::fold carries(initial_value<affine<T>, Op>{}, op);
  for (team_position<memory_type::stages, recurrence_tiles::folders> at(folder);; at.next()) {
    auto& stage = memory.all[at.stage];
    stage.drawn.wait(at.phase);
    std::uint32_t const tile = stage.at.tile, in_sequence = stage.at.in_sequence;
    if (tile >= tiles) return;
    if (stage.at.sequence != sequence) {
      sequence = stage.at.sequence;
      auto const before = static_cast<W>(p.before_of(sequence));
      carries = typename memory_type::fold({true, {W(0), before}, {C(0), static_cast<C>(before)}}, op);
    }
    auto const found =
        carries.advance(in_sequence, p.words + static_cast<std::size_t>(tile - in_sequence) * words_of<affine<W>>,
                        memory.epoch, *memory.fold_memory[folder], op);
    if (threadIdx.x % warp_lanes == 0) stage.carry = found.carry.value.offset;
    stage.carried.arrive();  // every lane: it has read the stage, where the loader may write its next tile after that
  }
}

/// A strip of each of a team's tiles, by one warp. The total of a tile is published before the results of the tile
/// before are written, so it waits for no carry.
template <class P>
class recurrence_strips {
public:
  using S = typename P::stored;
  using T = typename P::T;
  using W = typename P::W;
  using memory_type = recurrence_tiles_memory<P>;
  static constexpr int group = P::group, slots = static_cast<int>(order::strip_rows), row = P::row,
                       warps = recurrence_tiles::team_warps;

  __device__ __forceinline__ recurrence_strips(memory_type& memory, P const& p, int warp)
      : memory_(memory),
        p_(p),
        team_(warp / warps),
        strip_(warp % warps)
  {
  }

  __device__ __forceinline__ void run()
  {
    std::uint32_t const tiles = p_.tiles();
    team_position<memory_type::stages, recurrence_tiles::teams> at(team_), before(team_);
    int parity = 0;
    for (bool first = true;; first = false, at.next(), parity ^= 1) {
      auto& stage = memory_.all[at.stage];
      stage.arrived.wait(at.phase);
      bool const is_there = stage.at.tile < tiles;
      affine<W> folds[slots];
      if (is_there) total(stage, parity, folds);
      if (!first) {
        finish(memory_.all[before.stage], before.phase);
        before.next();
      }
      if (!is_there) return;
#pragma unroll
      for (int r = 0; r < slots; ++r) folds_[r] = folds[r];
    }
  }

private:
  using elements = packed_group<S, group>[slots];

  __device__ __forceinline__ static int lane() { return static_cast<int>(threadIdx.x) % warp_lanes; }
  __device__ __forceinline__ bool is_last_thread() const { return strip_ == warps - 1 && lane() == warp_lanes - 1; }
  __device__ __forceinline__ void meet_team() const
  {
    asm volatile("bar.sync %0, %1;" ::"r"(1 + team_), "n"(warps * warp_lanes) : "memory");
  }
  /// The lane's first step in row r, in the tile.
  __device__ __forceinline__ int step_of(int r) const
  {
    return strip_ * static_cast<int>(P::strip) + r * row + lane() * group;
  }

  __device__ __forceinline__ static auto part(unsigned char* staged, S const* first, std::ptrdiff_t step, int size)
  {
    return staged_array<S>{staged + 16, const_cast<S*>(first), 0, static_cast<int>(step), size, true};
  }
  __device__ __forceinline__ void take(typename memory_type::stage& stage, elements& a, elements& b) const
  {
    auto const no_sequence = [](int) { return 0; };
    auto const step = [&](int r) { return step_of(r); };
    int const size = stage.at.size;
    if (p_.a_step != 0) {
      take_groups<group>(part(stage.a, stage.at.a, p_.a_step, size), p_.a_groups, a, no_sequence, step);
    } else {
      S const value = p_.a == nullptr ? p_.constant : *stage.at.a;
#pragma unroll
      for (int r = 0; r < slots; ++r)
#pragma unroll
        for (int j = 0; j < group; ++j) a[r].set(j, value);
    }
    take_groups<group>(part(stage.b, stage.at.b, p_.b_step, size), p_.b_groups, b, no_sequence, step);
  }

  /// Finds the folds before each group in the tile, and publishes the tile's total.
  __device__ __forceinline__ void total(typename memory_type::stage& stage, int parity, affine<W> (&into)[slots])
  {
    elements a, b;
    take(stage, a, b);
    auto const steps = [&](int r, int j) {
      return affine<W>{static_cast<W>(a[r].get(j)), static_cast<W>(b[r].get(j))};
    };
    folds_before<W, group, slots, slots> folds(steps, warp_lanes);
    affine<W> own = steps(slots - 1, 0);
#pragma unroll
    for (int j = 1; j < group; ++j) own = composed(own, steps(slots - 1, j));
    if (lane() == 0) *memory_.strips[team_][parity][strip_] = folds.total();
    meet_team();
    affine<W> before = *memory_.strips[team_][parity][0];
#pragma unroll
    for (int s = 1; s < warps - 1; ++s) {
      affine<W> const later = *memory_.strips[team_][parity][s];
      before = select(s < strip_, composed(before, later), before);
    }
    folds.precede(strip_ > 0, before, false, before);
#pragma unroll
    for (int r = 0; r < slots; ++r) into[r] = folds.fold[r];
    if (stage.at.size == static_cast<int>(P::tile) && is_last_thread())
      publish(p_.words + static_cast<std::size_t>(stage.at.tile) * words_of<affine<W>>, composed(into[slots - 1], own),
              memory_.epoch);
  }

  /// Writes the results of the tile of `total` before the last one.
  __device__ __forceinline__ void finish(typename memory_type::stage& stage, std::uint32_t phase)
  {
    auto const at = stage.at;
    elements a, b;
    take(stage, a, b);
    std::size_t limit = p_.size;
    if (p_.stores == results_stored::none) limit = 0;
    if (p_.stores == results_stored::before_the_first_bad && p_.first_bad[at.sequence] < limit)
      limit = p_.first_bad[at.sequence];
    int const end = limit <= at.begin                                      ? 0
                    : limit - at.begin < static_cast<std::size_t>(at.size) ? static_cast<int>(limit - at.begin)
                                                                           : at.size;
    stage.carried.wait(phase);
    W const carry = stage.carry;
    if (p_.out_groups) stage.free.arrive();
    auto const for_each = [&](int r, auto const& take_one) {
      affine<W> own{static_cast<W>(a[r].get(0)), static_cast<W>(b[r].get(0))};
#pragma unroll
      for (int j = 0; j < group; ++j) {
        if (j > 0) own = composed(own, affine<W>{static_cast<W>(a[r].get(j)), static_cast<W>(b[r].get(j))});
        affine<W> local = composed(folds_[r], own);
        if (r == 0) local = select(strip_ == 0 && lane() == 0, own, local);
        take_one(step_of(r) + j, j, local(carry));
      }
    };
    packed_group<S, group> results[slots];
    W bad(0);
#pragma unroll
    for (int r = 0; r < slots; ++r)
      for_each(r, [&](int k, int j, W const& y) {
        results[r].set(j, static_cast<S>(static_cast<T>(y)));
        bad = k < at.size ? zero_if_finite<T>(y) + bad : bad;
        if (p_.lasts != nullptr && at.begin + static_cast<std::size_t>(k) == p_.size - 1)
          p_.put_last(at.sequence, static_cast<T>(y));
      });
    if (p_.stores != results_stored::before_the_first_bad && __any_sync(whole_warp, bad != bad)) {
      unsigned found = 0xffffffff;
#pragma unroll
      for (int r = 0; r < slots; ++r)
        for_each(r, [&](int k, int, W const& y) {
          if (k < at.size && !is_number(zero_if_finite<T>(y)) && static_cast<unsigned>(k) < found)
            found = static_cast<unsigned>(k);
        });
      found = __reduce_min_sync(whole_warp, found);
      if (lane() == 0) atomicMin(p_.first_bad + at.sequence, static_cast<unsigned long long>(at.begin + found));
    }
    auto const out = part(stage.b, at.out, p_.out_step, at.size);
    if (p_.out_groups) {
#pragma unroll
      for (int r = 0; r < slots; ++r) store_results(results[r], out.array, step_of(r), end, p_.out_step);
      return;
    }
    // By way of the stage, where all have read their elements then.
    meet_team();
    put_groups<group>(
        out, results, [](int) { return 0; }, [&](int r) { return step_of(r); }, [&](int) { return at.size; });
    meet_team();
    copy_strip_out(out, end);
    fence_asynchronous();
    stage.free.arrive();
  }

  /// Writes the warp's share of the first `end` results of a tile.
  __device__ __forceinline__ void copy_strip_out(staged_array<S> const& out, int end) const
  {
    constexpr int strip_size = static_cast<int>(P::strip);
    int const begin = strip_ * strip_size;
    if (begin >= end) return;
    int const count = end - begin < strip_size ? end - begin : strip_size;
    int const low = out.step > 0 ? begin : out.size - begin - count;
    copy_out(out.low(0) + low, out.place(0) + low, count);
  }

  memory_type& memory_;
  P const& p_;
  int team_, strip_;
  affine<W> folds_[slots];
};

template <class P>
__global__ void __launch_bounds__(recurrence_tiles::threads, 1) recur_tiles_kernel(__grid_constant__ P const p)
{
#if __CUDA_ARCH__ >= 900
  extern __shared__ __align__(128) unsigned char raw[];
  auto& memory = *reinterpret_cast<recurrence_tiles_memory<P>*>(raw);
  if (threadIdx.x == 0) memory.begin();
  __syncthreads();
  take_turn();
  int const warp = static_cast<int>(threadIdx.x) / warp_lanes, other = warp - recurrence_tiles::workers;
  if (other < 0)
    recurrence_strips<P>(memory, p, warp).run();
  else if (other == 0)
    load_recurrence_tiles(memory, p);
  else
    fold_recurrence_tiles(memory, p, other - 1);
  __syncwarp();
  __syncthreads();
  if (threadIdx.x == 0) finish(*p.shared, memory.epoch, gridDim.x, p.words, p.capacity);
#endif
}

}  // namespace tally::cuda_backend
