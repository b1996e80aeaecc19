#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/counted.hpp"
#include "tally/detail/cuda/block_memory.cuh"
#include "tally/detail/cuda/elements.cuh"
#include "tally/detail/cuda/exact/accumulator.cuh"
#include "tally/detail/cuda/exact/level_sum.cuh"
#include "tally/detail/cuda/groups.cuh"
#include "tally/detail/cuda/handover.hpp"
#include "tally/detail/cuda/problem.cuh"

/// The exact sum of one array.
namespace tally::cuda_backend::exact {

inline constexpr int sum_threads = 256;

/// The arguments of a call's kernel.
template <class T, class In, class Out, class Transform>
struct sum_problem {
  using element = T;
  using input = In;
  static constexpr bool is_counted = false;
  In in;
  Out out;
  std::size_t size;
  Transform transform;
  working_type<T> init;  ///< an initial value, which is a term, or the value of nothing
  bool has_init;
  control* shared;
  std::uint64_t* words;
  std::size_t capacity;
  /// The terms of all blocks that surely do not fill the digits: a digit takes 32 bits of each. Tests change it.
  std::size_t most_without_carry = std::size_t{1} << 29;
};

/// The shared memory of a block.
template <class T>
struct sum_block {
  accumulator<T> all;
  std::uint32_t epoch;
};

/// The elements that a thread reads at a time, as they are stored: 64 bytes, and 16 elements at most.
template <class Stored>
inline constexpr int elements_in_hand = sizeof(Stored) >= 16  ? 4
                                        : sizeof(Stored) <= 4 ? 16
                                                              : 64 / sizeof(Stored);

/// Adds a block's share of the elements: pieces of 16 KiB in turns, so that all blocks read from one region of memory.
/// It calls `meanwhile` once, while the first elements are on their way.
template <class P, class Sum, class Meanwhile>
__device__ __forceinline__ void add_share(P const& problem, Sum& sum, accumulator<typename P::element>& all,
                                          Meanwhile const& meanwhile)
{
  using T = typename P::element;
  using In = typename P::input;
  using stored = std::remove_cv_t<std::iter_value_t<In>>;
  constexpr int count = elements_in_hand<stored>;
  constexpr std::size_t piece = static_cast<std::size_t>(count) * sum_threads;
  auto transform = problem.transform;
  std::size_t head = 0, pieces = 0;
  if constexpr (is_plain<In> && 16 % sizeof(stored) == 0 && sizeof(stored) <= 8) {
    constexpr int group = static_cast<int>(16 / sizeof(stored)), groups = count / group;
    using packed = packed_group<stored, group>;
    head = (16 - reinterpret_cast<std::uintptr_t>(problem.in) % 16) % 16 / sizeof(stored);
    pieces = problem.size > head ? (problem.size - head) / piece : 0;
    stored const* const from = problem.in + head + threadIdx.x * group;
    packed next[groups];
    auto const load = [&](std::size_t p) {
#pragma unroll
      for (int g = 0; g < groups; ++g) next[g].load_aligned(from + p * piece + g * group * sum_threads);
    };
    std::size_t p = blockIdx.x;
    if (p < pieces) load(p);
    meanwhile();
    while (p < pieces) {
      double x[count];
#pragma unroll
      for (int k = 0; k < count; ++k)
        x[k] = static_cast<double>(element_of<T>(next[k / group].get(k % group), transform));
      p += gridDim.x;
      if (p < pieces) load(p);
      sum.add(x, all);
    }
  } else {
    meanwhile();
  }
  // The rest, which is not in whole pieces: in memory, elements before the first aligned one, and the last ones.
  std::size_t const rest = problem.size - pieces * piece;
  std::size_t const parts = (rest + piece - 1) / piece;
  for (std::size_t p = (blockIdx.x + gridDim.x - pieces % gridDim.x) % gridDim.x; p < parts; p += gridDim.x) {
    double x[count];
#pragma unroll
    for (int k = 0; k < count; ++k) {
      std::size_t const i = p * piece + k * sum_threads + threadIdx.x;
      x[k] = i < rest ? static_cast<double>(element_of<T>(
                            static_cast<stored>(
                                problem.in[static_cast<std::iter_difference_t<In>>(i < head ? i : i + pieces * piece)]),
                            transform))
                      : -0.0;
    }
    sum.add(x, all);
  }
}

/// The sum of a call with several blocks, in its words. The digits are numbers that all blocks add to, and not words of
/// an epoch. So the block with the first ticket clears them while it reads its first elements. The last block clears
/// them again, for calls that would take a digit for a word of theirs.
template <class T>
class sum_of_blocks {
  static constexpr int digits = accumulator<T>::digits;

public:
  static constexpr std::size_t words = 3 + digits;

  __device__ __forceinline__ explicit sum_of_blocks(std::uint64_t* begin) : begin_(begin) {}

  // By a warp.

  __device__ __forceinline__ void clear() const
  {
    for (unsigned i = threadIdx.x % warp_lanes; i <= digits; i += warp_lanes) store_relaxed(kinds() + i, 0);
    __syncwarp();
  }
  __device__ __forceinline__ void add(accumulator<T> const& own) const
  {
    unsigned const lane = threadIdx.x % warp_lanes;
    for (unsigned i = lane; i < digits; i += warp_lanes)
      if (own.digit[i] != 0) atomicAdd(digit(i), static_cast<unsigned long long>(own.digit[i]));
    if (lane == 0) atomicOr(reinterpret_cast<unsigned long long*>(kinds()), static_cast<unsigned long long>(own.kinds));
    __syncwarp();
  }
  /// Moves it to an accumulator.
  __device__ __forceinline__ void take(accumulator<T>& to) const
  {
    unsigned const lane = threadIdx.x % warp_lanes;
    unsigned first = digits, end = 0;
    for (unsigned from = 0; from < digits; from += warp_lanes) {
      unsigned const i = from + lane;
      long long const value = i < digits ? static_cast<long long>(load_relaxed(kinds() + 1 + i)) : 0;
      if (i < digits) to.digit[i] = value;
      unsigned const used = __ballot_sync(whole_warp, value != 0);
      if (used == 0) continue;
      if (end == 0) first = from + __ffs(static_cast<int>(used)) - 1;
      end = from + warp_lanes - __clz(static_cast<int>(used));
    }
    if (lane == 0) {
      to.kinds = static_cast<std::uint32_t>(load_relaxed(kinds()));
      to.depth = static_cast<int>(digits - first);
      to.end = static_cast<int>(end);
    }
    __syncwarp();
    clear();
  }

  // By a thread.

  __device__ __forceinline__ void tell_that_it_is_cleared(std::uint32_t epoch) const
  {
    __threadfence();
    store_relaxed(begin_, tagged(0, epoch));
  }
  __device__ __forceinline__ std::uint64_t look_whether_it_is_cleared() const { return load_relaxed(begin_); }
  __device__ __forceinline__ void wait_until_it_is_cleared(std::uint64_t seen, std::uint32_t epoch) const
  {
    while (static_cast<std::uint32_t>(seen >> 32) != epoch) {
      __nanosleep(32);
      seen = load_relaxed(begin_);
    }
    __threadfence();
  }
  /// Tells that this block has added its sum. Whether it is the last one.
  __device__ __forceinline__ bool count(std::uint32_t epoch) const
  {
    __threadfence();
    bool const is_last = count_at(begin_ + 1, epoch) == gridDim.x;
    __threadfence();
    return is_last;
  }

private:
  __device__ __forceinline__ std::uint64_t* kinds() const { return begin_ + 2; }
  __device__ __forceinline__ unsigned long long* digit(unsigned i) const
  {
    return reinterpret_cast<unsigned long long*>(begin_ + 3 + i);
  }

  std::uint64_t* begin_;
};

/// Rounds the sum of up to four digits, also before carry(). False if it has more.
template <class T, bool IsShared>
__device__ __forceinline__ bool round_few_digits(accumulator<T, IsShared> const& sum, T& result)
{
  using numbers = typename accumulator<T, IsShared>::numbers;
  constexpr int most = 4;
  int const first = sum.first(), count = sum.end - first;
  if (count > most || !detail::exact::terms::are_finite(static_cast<std::uint8_t>(sum.kinds))) return false;
  __int128 all = 0;
  bool fits = true;
#pragma unroll
  for (int i = most; i-- > 0;) {
    long long const digit = i < count ? sum.digit[first + i] : 0;
    constexpr int bits = 125;
    if (bits - i * numbers::spacing < 63) {
      long long const limit = 1ll << (bits - i * numbers::spacing);
      fits = fits && -limit < digit && digit < limit;
    }
    all = (all << numbers::spacing) + digit;
  }
  result = nearest_of<T>(all, numbers::lowest + first * numbers::spacing, static_cast<std::uint8_t>(sum.kinds));
  return fits;
}

/// The sum of an array: each block adds its share, and the block that comes last rounds the sum.
template <class P>
__global__ void __launch_bounds__(sum_threads, 3) sum_kernel(__grid_constant__ P const given)
{
  using T = typename P::element;
  auto& [all, epoch] = shared_by_block<sum_block<T>>();
  bool const is_alone = gridDim.x == 1, is_in_first_warp = threadIdx.x < warp_lanes;
  all.clear(static_cast<int>(threadIdx.x), sum_threads);
  auto const& problem = at_its_turn(given);
  sum_of_blocks<T> const of_blocks(problem.words);
  std::uint64_t ticket = 0;
  if (!is_alone && threadIdx.x == 0) ticket = draw_unseen(*problem.shared);
  __syncthreads();
  level_sum<T, lanes::together, accumulator<T>> sum;
  add_share(problem, sum, all, [&] {
    if (is_alone || !is_in_first_warp) return;
    bool is_first = false;
    if (threadIdx.x == 0) {
      drawing const drawn = resolve(*problem.shared, ticket, gridDim.x);
      epoch = drawn.epoch;
      is_first = drawn.tile == 0;
    }
    if (!__any_sync(whole_warp, is_first)) return;
    of_blocks.clear();
    if (threadIdx.x == 0) of_blocks.tell_that_it_is_cleared(epoch);
  });
  std::uint64_t seen = 0;
  if (!is_alone && threadIdx.x == 0) seen = of_blocks.look_whether_it_is_cleared();
  sum.end(all);
  __syncthreads();
  if (!is_in_first_warp) return;
  if (!is_alone) {
    bool is_last = false;
    if (threadIdx.x == 0) {
      if (problem.size > problem.most_without_carry) all.carry();
      of_blocks.wait_until_it_is_cleared(seen, epoch);
    }
    __syncwarp();
    of_blocks.add(all);
    if (threadIdx.x == 0) is_last = of_blocks.count(epoch);
    if (!__any_sync(whole_warp, is_last)) {
      if (threadIdx.x == 0) finish(*problem.shared, epoch, gridDim.x, problem.words, problem.capacity);
      return;
    }
    of_blocks.take(all);
  }
  if (threadIdx.x != 0) return;
  if (problem.has_init) {
    auto const init = static_cast<double>(problem.init);
    all.add(init);
  }
  T result = static_cast<T>(problem.init);
  if (problem.size > 0 || problem.has_init) {
    if (!round_few_digits(all, result)) {
      all.carry();
      result = static_cast<T>(all.template nearest<T>());
    }
  }
  problem.out[0] = result;
  if (!is_alone) finish(*problem.shared, epoch, gridDim.x, problem.words, problem.capacity);
}

}  // namespace tally::cuda_backend::exact
