#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tally/detail/cuda/block_memory.cuh"
#include "tally/detail/cuda/sort/look_back.hpp"
#include "tally/detail/cuda/sort/problem.cuh"
#include "tally/detail/cuda/warp.cuh"

/// A pass of a radix sort moves all keys to their places by one digit, in one reading. Adinets & Merrill, Onesweep
/// (2022).
///
/// A block draws a tile of keys and sorts it by the digit in shared memory. Keys of one digit then lie together there
/// and are written from there, whole lines at a time. Their place in the output follows from the counts of the tiles
/// before, which blocks hand to one another (look_back.hpp).
///
/// The warps of a block have consecutive parts of the tile, and a warp takes its part a key a lane at a time. The keys
/// of one digit that come before a key are therefore those of the warps before its own, those that its warp has taken
/// before, and those of the lanes before its own.
namespace tally::cuda_backend::sorting {

/// Hides from the compiler where a key comes from, so that it does not keep what it has computed from it before.
template <class Key>
__device__ __forceinline__ void forget(Key& key)
{
  using bits = detail::radix_sort::unsigned_of_size<sizeof(Key)>;
  auto x = __builtin_bit_cast(bits, key);
  if constexpr (sizeof(Key) == 8) {
    asm volatile("" : "+l"(x));
  } else {
    std::uint32_t wide = x;
    asm volatile("" : "+r"(wide));
    x = static_cast<bits>(wide);
  }
  key = __builtin_bit_cast(Key, x);
}

/// The work of a block. A tile has 8448 keys, or 4224 of 8 bytes: three blocks then have room on a multiprocessor.
/// Values beside the keys spill some registers.
template <class P>
struct tile_pass {
  using key = typename P::key_type;
  using value = typename P::value_type;
  using word = typename P::word_type;
  using handed = handed_over<word>;
  /// The best of eight shapes on an H200 (docs/measurements/gpu_notes.md). Two blocks of 512 threads with 16 keys each
  /// took 1.08 to 1.12 of the time from 2^24 keys on.
  static constexpr int threads = 384;
  static constexpr int items = sizeof(key) <= 4 ? 22 : 11;
  static constexpr int blocks = 3;  ///< that share a multiprocessor
  /// Of so many rows of keys one finds equal digits by votes, and the others in a table. By the table alone shared
  /// memory is busy .79 of the time, and instructions are issued in .42 of it.
  static constexpr int rows_a_vote = 3;
  /// The words that a thread reads at a time as it looks back.
  static constexpr int at_once = 4;
  static constexpr int warps = threads / warp_lanes;
  static constexpr unsigned tile = static_cast<unsigned>(threads) * items;
  static constexpr bool with_values = !std::is_same_v<value, no_value>;
  /// Values that take no more room than keys go through shared memory as well. Wider ones are written directly to the
  /// output, each as a line of its own.
  static constexpr bool values_in_memory = with_values && sizeof(value) <= (sizeof(key) <= 4 ? 4 : 8);
  using kept_value = std::conditional_t<values_in_memory, uninitialized<value>, no_value>;
  static_assert(threads >= static_cast<int>(digits));

  static constexpr std::size_t tiles(std::size_t n) { return n / tile + (n % tile != 0); }

  struct memory {
    /// The keys and values in the order of the digits.
    alignas(8) key keys[tile];
    alignas(8) kept_value values[values_in_memory ? tile : 1];
    /// For each warp and digit: the number of its keys; then the place in `keys` of the next of them.
    std::uint32_t places_of_warp[warps][digits];
    /// For each warp and digit: a bit for each lane that has the digit.
    std::uint32_t lanes_with[warps][digits];
    word places[digits];  ///< the place in the output of `keys[0]` if it had this digit
    std::uint32_t sums_of_warps[digits / warp_lanes];
    word sums_of_all[digits / warp_lanes];
    std::uint32_t drawn;
  };

  P const& problem;
  memory& own;
  unsigned round;
  digit_of_key<key, typename P::order_type> digit;
  std::uint32_t own_total;  ///< the tile's keys with the thread's digit

  __device__ static unsigned lane() { return threadIdx.x % warp_lanes; }
  __device__ static unsigned warp() { return threadIdx.x / warp_lanes; }

  /// The lanes whose digit is this lane's, by a vote about each bit.
  __device__ static unsigned lanes_by_votes(unsigned d)
  {
    unsigned same = whole_warp;
#pragma unroll
    for (int b = 0; b < digit_bits; ++b) {
      unsigned const bit = d >> b & 1;
      same &= __ballot_sync(whole_warp, bit != 0) ^ (bit - 1);  // no selection, which took 3 % of a sort
    }
    return same;
  }

  /// The same by a table: each lane sets its bit at its digit, and reads which bits are set there. `__match_any_sync`
  /// took twice the time.
  __device__ unsigned lanes_by_table(unsigned d) const
  {
    std::uint32_t& here = own.lanes_with[warp()][d];
    atomicOr(&here, 1u << lane());
    __syncwarp();
    unsigned const same = here;
    __syncwarp();
    here = 0;
    __syncwarp();
    return same;
  }

  /// The exclusive scan of one number of each of the first 256 threads. All threads of the block call.
  template <class T>
  __device__ static T scan_digits(T x, T* sums)
  {
    T upto = x;
    if (threadIdx.x < digits) {
      for (int stride = 1; stride < warp_lanes; stride *= 2) {
        T const left = __shfl_up_sync(whole_warp, upto, stride);
        if (lane() >= static_cast<unsigned>(stride)) upto += left;
      }
      if (lane() == warp_lanes - 1) sums[warp()] = upto;
    }
    __syncthreads();
    T before = upto - x;
    if (threadIdx.x < digits)
      for (unsigned w = 0; w < digits / warp_lanes; ++w) before += w < warp() ? sums[w] : 0;
    return before;
  }

  /// Whether all keys of the warp have the digit `d`, as where equal keys lie together. Lanes would count, and look for
  /// each other, one after the other there. The first row is enough to say no, so counts do not wait for the others.
  __device__ bool all_have(key const (&item)[items], unsigned d) const
  {
    if (__all_sync(whole_warp, digit(item[0]) == d) == 0) return false;
    bool have = true;
#pragma unroll
    for (int j = 1; j < items; ++j) have = have && digit(item[j]) == d;
    return __all_sync(whole_warp, have) != 0;
  }

  /// Moves a tile's keys. Those of a whole tile are not asked whether they are there.
  template <bool Whole>
  __device__ void move(std::uint32_t tile_number, unsigned count)
  {
    std::size_t const begin = static_cast<std::size_t>(tile_number) * tile;
    unsigned const first = warp() * (warp_lanes * items) + lane();
    auto const is_there = [count](unsigned k) { return Whole || k < count; };

    key const* const keys = problem.keys[round & 1] + begin;
    key item[items];
    // Places beyond the last key have keys of the greatest digit. They come behind all keys of the last tile.
#pragma unroll
    for (int j = 0; j < items; ++j) {
      unsigned const k = first + static_cast<unsigned>(j) * warp_lanes;
      item[j] = is_there(k) ? keys[k] : detail::radix_sort::last_in_order<key, typename P::order_type>();
    }

    std::uint32_t* const of_warp = own.places_of_warp[warp()];
    unsigned const first_digit = __shfl_sync(whole_warp, digit(item[0]), 0);
    bool const alike = all_have(item, first_digit);
    if (alike) {
      if (lane() == 0) of_warp[first_digit] = items * warp_lanes;
    } else {
#pragma unroll
      for (int j = 0; j < items; ++j) atomicAdd(of_warp + digit(item[j]), 1u);
    }
    __syncthreads();
    hand_over(tile_number);
    __syncthreads();
    kept_value moved[values_in_memory ? items : 1];
    if constexpr (values_in_memory) {
      value const* const values = problem.values[round & 1] + begin;
#pragma unroll
      for (int j = 0; j < items; ++j) {
        unsigned const k = first + static_cast<unsigned>(j) * warp_lanes;
        *moved[j] = values[is_there(k) ? k : 0];
      }
    }
    if (threadIdx.x < digits && tile_number != 0) finish_hand_over(tile_number);

    unsigned places[with_values && !values_in_memory ? items : 1];
    auto const put = [&](int j, unsigned place) {
      own.keys[place] = item[j];
      if constexpr (values_in_memory)
        *own.values[place] = *moved[j];
      else if constexpr (with_values)
        places[j] = place;
    };
    if (alike) {
      unsigned const place = of_warp[first_digit] + lane();
#pragma unroll
      for (int j = 0; j < items; ++j) put(j, place + static_cast<unsigned>(j) * warp_lanes);
    } else {
#pragma unroll
      for (int j = 0; j < items; ++j) {
        forget(item[j]);
        unsigned const d = digit(item[j]);
        unsigned const same = j % rows_a_vote == rows_a_vote - 1 ? lanes_by_votes(d) : lanes_by_table(d);
        unsigned const before = static_cast<unsigned>(__popc(same & ((1u << lane()) - 1)));
        // The last of the lanes with a digit counts for all of them.
        int const last = 31 - __clz(static_cast<int>(same));
        unsigned place = 0;
        if (static_cast<int>(lane()) == last) place = atomicAdd(of_warp + d, before + 1);
        __syncwarp();  // a later key of the digit counts behind this one
        put(j, __shfl_sync(whole_warp, place, last) + before);
      }
    }
    __syncthreads();
    write<Whole>(begin, count, places);
  }

  /// Publishes the tile's counts, and turns those of the warps into places.
  __device__ void hand_over(std::uint32_t tile_number)
  {
    unsigned const d = threadIdx.x;
    std::uint32_t total = 0;
    if (d < digits)
      for (int w = 0; w < warps; ++w) total += own.places_of_warp[w][d];
    word* const published_here = problem.words + static_cast<std::size_t>(tile_number) * digits + d;
    if (tile_number == 0) {
      word const all = d < digits ? problem.state->counts[problem.this_pass][d] : 0;
      word const before = scan_digits<word>(all, own.sums_of_all);
      if (d < digits) {
        store_relaxed(published_here, handed::word(published::sum, static_cast<word>(before + total), round));
        own.places[d] = before;
      }
    } else if (d < digits) {
      store_relaxed(published_here, handed::word(published::count, total, round));
      own.places[d] = 0;
    }
    std::uint32_t place = scan_digits<std::uint32_t>(total, own.sums_of_warps);
    if (d >= digits) return;
    own.places[d] -= place;
    for (int w = 0; w < warps; ++w) {
      std::uint32_t const of_warp = own.places_of_warp[w][d];
      own.places_of_warp[w][d] = place;
      place += of_warp;
    }
    own_total = total;
  }

  /// Waits for the tiles before, and publishes the sum.
  __device__ void finish_hand_over(std::uint32_t tile_number)
  {
    unsigned const d = threadIdx.x;
    auto const all = [](bool done) { return __all_sync(whole_warp, done) != 0; };
    word const before = look_back<at_once>(problem.words + d, digits, tile_number, round, all);
    store_relaxed(problem.words + static_cast<std::size_t>(tile_number) * digits + d,
                  handed::word(published::sum, static_cast<word>(before + own_total), round));
    own.places[d] += before;
  }

  /// Writes the sorted tile to its places in the output.
  template <bool Whole>
  __device__ void write(std::size_t begin, unsigned count, unsigned const* places)
  {
    using index = std::conditional_t<sizeof(word) == 4, std::uint32_t, std::size_t>;
    auto const is_there = [count](unsigned k) { return Whole || k < count; };
    key* const sorted_keys = problem.keys[1 - (round & 1)];
    value* const sorted_values = problem.values[1 - (round & 1)];
#pragma unroll
    for (int j = 0; j < items; ++j) {
      unsigned const k = threadIdx.x + static_cast<unsigned>(j) * threads;
      if (!is_there(k)) continue;
      key const x = own.keys[k];
      auto const place = static_cast<index>(own.places[digit(x)] + k);
      sorted_keys[place] = x;
      if constexpr (values_in_memory) sorted_values[place] = *own.values[k];
    }
    if constexpr (with_values && !values_in_memory) {
      value const* const values = problem.values[round & 1] + begin;
      unsigned const first = warp() * (warp_lanes * items) + lane();
#pragma unroll
      for (int j = 0; j < items; ++j) {
        unsigned const k = first + static_cast<unsigned>(j) * warp_lanes;
        if (!is_there(k)) continue;
        unsigned const d = digit(own.keys[places[j]]);
        sorted_values[static_cast<index>(own.places[d] + places[j])] = values[k];
      }
    }
  }
};

/// A pass has a block for each tile. The block draws its tile as it begins. So tiles that it waits for belong to blocks
/// that run already, in whatever order blocks begin and however few run at a time.
template <class P>
__global__ void __launch_bounds__(tile_pass<P>::threads, tile_pass<P>::blocks)
    move_by_digit_kernel(__grid_constant__ P const problem)
{
  using pass = tile_pass<P>;
  using memory = typename pass::memory;
  auto& own = *reinterpret_cast<memory*>(memory_of_block());

  unsigned const needed = needed_passes(*problem.state);
  if ((needed >> problem.this_pass & 1) == 0) return;
  if (threadIdx.x == 0) own.drawn = static_cast<std::uint32_t>(draw_unseen(problem.state->tickets[problem.this_pass]));
  for (unsigned k = threadIdx.x; k < pass::warps * digits; k += pass::threads) {
    (&own.places_of_warp[0][0])[k] = 0;
    (&own.lanes_with[0][0])[k] = 0;
  }
  __syncthreads();
  std::uint32_t const tile_number = own.drawn;
  auto const round = static_cast<unsigned>(__popc(needed & ((1u << problem.this_pass) - 1)));
  int const shift = problem.first_bit + digit_bits * problem.this_pass, width = problem.end_bit - shift;
  unsigned const mask = width < digit_bits ? (1u << width) - 1 : digits - 1;
  pass block{problem, own, round, {shift, mask}, 0};
  std::size_t const left = problem.n - static_cast<std::size_t>(tile_number) * pass::tile;
  if (left >= pass::tile)
    block.template move<true>(tile_number, pass::tile);
  else
    block.template move<false>(tile_number, static_cast<unsigned>(left));
}

inline constexpr int copy_back_threads = 256;

/// Copies the result to the caller's arrays, if the last pass left it in the others.
template <class P>
__global__ void __launch_bounds__(copy_back_threads) copy_back_kernel(__grid_constant__ P const problem)
{
  if ((__popc(needed_passes(*problem.state)) & 1) == 0) return;
  std::size_t const step = static_cast<std::size_t>(gridDim.x) * copy_back_threads;
  for (std::size_t k = static_cast<std::size_t>(blockIdx.x) * copy_back_threads + threadIdx.x; k < problem.n;
       k += step) {
    problem.keys[0][k] = problem.keys[1][k];
    if constexpr (!std::is_same_v<typename P::value_type, no_value>) problem.values[0][k] = problem.values[1][k];
  }
}

}  // namespace tally::cuda_backend::sorting
