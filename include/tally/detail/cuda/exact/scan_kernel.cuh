#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/detail/at_index.hpp"
#include "tally/detail/cuda/exact/accumulator.cuh"
#include "tally/detail/cuda/exact/level_sum.cuh"
#include "tally/detail/cuda/exact/running_sum.cuh"
#include "tally/detail/cuda/exact/sequences_kernel.cuh"
#include "tally/detail/cuda/problem.cuh"

/// Scans with exact sums, of one sequence and of many.
///
/// A short sequence is scanned by a lane, another one by a warp, chunk by chunk. A long one is cut into pieces: one
/// kernel adds up each, two others add up the sums before each piece, digit by digit, and the last one scans.
namespace tally::cuda_backend::exact {

/// The sums before each piece of the long sequences: words for the digits, and two for counts of the kinds of terms.
/// Sums are those of all pieces before in the list; a piece's own is the difference to the first of its sequence.
template <class T>
struct piece_sums {
  static constexpr int digits = accumulator<T>::digits;
  static constexpr int words = digits + 2;
  static constexpr int block = 256;  ///< pieces that a block adds up

  long long* of_piece;  ///< `words` a piece: its own sum, then that of the pieces before it in its block
  long long* of_block;  ///< `words` a block: its own sum, then that of the blocks before it

  __device__ __forceinline__ long long before(std::size_t piece, int word) const
  {
    return of_piece[piece * words + word] + of_block[piece / block * words + word];
  }
};

/// The arguments of a scan. An initial value is a term before the others.
template <class T, class Places, class Out>
struct scan_problem {
  using element = T;

  Places places;
  Out out;
  working_type<T> init;
  bool has_init;
  T const* initials;  ///< one for each sequence, if not null
  T* lasts;           ///< takes each sequence's last inclusive sum, if not null
  T nothing;          ///< the last sum of no terms
  bool is_exclusive;
  std::size_t terms_alone;  ///< a lane scans a sequence of up to so many terms
  std::size_t piece;        ///< terms of a piece of a long sequence, which has more of them
  unsigned at_a_time;       ///< sequences that a warp draws, at most 32
  long_list<T> longer;
  piece_sums<T> sums;
  unsigned const* only_if;  ///< if not null, the call is done only if this is not 0

  __device__ bool is_done() const { return only_if != nullptr && *only_if == 0; }
  __device__ void read_count()
    requires requires(Places& of) { of.read_count(); }
  {
    places.read_count();
  }
  template <class Sequence>
  __device__ __forceinline__ double term(Sequence const& of, std::size_t k) const
  {
    return static_cast<double>(static_cast<working_type<T>>(static_cast<T>(places.element(of, k))));
  }
  template <class Sequence>
  __device__ __forceinline__ void put(Sequence const& of, std::size_t k, T const& sum) const
  {
    detail::at_index(out, places.place(of, k)) = sum;
  }
  template <class Sequence, class Accumulator>
  __device__ __forceinline__ void add_initial(Sequence const& of, Accumulator& sum) const
  {
    if (initials != nullptr)
      sum.add(static_cast<double>(static_cast<working_type<T>>(initials[of.initial])));
    else if (has_init)
      sum.add(static_cast<double>(init));
    sum.carry();
  }
  /// By one lane, after running_sum::end().
  template <class Sequence, class Accumulator>
  __device__ __forceinline__ void put_last(Sequence const& of, Accumulator& sum) const
  {
    if (lasts == nullptr) return;
    bool const is_nothing = of.size == 0 && initials == nullptr && !has_init;
    lasts[of.last] = is_nothing ? nothing : sum.template nearest<T>();
  }
};

/// A warp's chunk on its way between memory, where a lane reads every 32nd term, and lanes, which have neighbours.
inline constexpr int chunk_terms = warp_lanes * 8;
inline constexpr int chunk_room = chunk_terms + warp_lanes;
__device__ __forceinline__ int place_in_chunk(int k)
{
  return k + k / 8;
}

/// Scans the terms [begin, end) of a sequence by a warp.
template <class P, class Sequence, class Sum>
__device__ __forceinline__ void scan_together(P const& problem, Sequence const& of, std::size_t begin, std::size_t end,
                                              Sum& sum, double* chunk)
{
  using T = typename P::element;
  static_assert(Sum::count * warp_lanes == chunk_terms && sizeof(T) <= sizeof(double));
  int const lane = static_cast<int>(threadIdx.x) % warp_lanes;
  for (; begin < end; begin += chunk_terms) {
    std::size_t const left = end - begin;
#pragma unroll
    for (int i = 0; i < Sum::count; ++i) {
      int const k = i * warp_lanes + lane;
      chunk[place_in_chunk(k)] = static_cast<std::size_t>(k) < left ? problem.term(of, begin + k) : -0.0;
    }
    __syncwarp();
    double x[Sum::count];
    T results[Sum::count];
#pragma unroll
    for (int i = 0; i < Sum::count; ++i) x[i] = chunk[place_in_chunk(lane * Sum::count + i)];
    sum.scan(x, results, problem.is_exclusive);
    T* const scanned = reinterpret_cast<T*>(chunk);
    __syncwarp();
#pragma unroll
    for (int i = 0; i < Sum::count; ++i) scanned[place_in_chunk(lane * Sum::count + i)] = results[i];
    __syncwarp();
#pragma unroll
    for (int i = 0; i < Sum::count; ++i) {
      int const k = i * warp_lanes + lane;
      if (static_cast<std::size_t>(k) < left) problem.put(of, begin + k, scanned[place_in_chunk(k)]);
    }
    __syncwarp();
  }
}

template <class P, class Sequence>
__device__ __forceinline__ void scan_alone(P const& problem, Sequence const& of)
{
  using T = typename P::element;
  accumulator<T, false> before;
  before.clear(0, 1);
  problem.add_initial(of, before);
  running_sum<T, lanes::alone, accumulator<T, false>> sum(before);
  constexpr int count = decltype(sum)::count;
  for (std::size_t k = 0; k < of.size; k += count) {
    double x[count];
    T results[count];
#pragma unroll
    for (int i = 0; i < count; ++i) x[i] = k + i < of.size ? problem.term(of, k + i) : -0.0;
    sum.scan(x, results, problem.is_exclusive);
#pragma unroll
    for (int i = 0; i < count; ++i)
      if (k + i < of.size) problem.put(of, k + i, results[i]);
  }
  if (problem.lasts == nullptr) return;
  sum.end();
  problem.put_last(of, before);
}

/// Scans sequences that are not long, and puts the long ones on a list.
template <class P>
__global__ void __launch_bounds__(sequence_threads, 2) scans_kernel(__grid_constant__ P const given)
{
  using T = typename P::element;
  __shared__ accumulator<T> sums[sequence_warps];
  __shared__ double chunks[sequence_warps][chunk_room];
  int const lane = static_cast<int>(threadIdx.x) % warp_lanes;
  auto& before = sums[threadIdx.x / warp_lanes];
  auto const& problem = at_its_turn(given);
  if (problem.is_done()) return;
  std::size_t const sequences = problem.places.sequences();
  unsigned const width = problem.at_a_time;
  for (;;) {
    unsigned long long drawn = 0;
    if (lane == 0) drawn = atomicAdd(problem.longer.drawn, 1ull);
    std::size_t const first = __shfl_sync(whole_warp, drawn, 0) * width;
    if (first >= sequences) return;
    std::size_t const own = first + lane;
    bool const has_one = static_cast<unsigned>(lane) < width && own < sequences;
    std::size_t terms = 0;
    if (has_one) {
      auto const of = problem.places.at(own);
      terms = of.size;
      if (terms <= problem.terms_alone) scan_alone(problem, of);
    }
    bool const is_short = terms <= problem.terms_alone, is_long = !is_short && terms > problem.piece;
    for (unsigned left = __ballot_sync(whole_warp, has_one && !is_short && !is_long); left != 0; left &= left - 1) {
      auto const of = problem.places.at(first + __ffs(static_cast<int>(left)) - 1);
      before.clear(lane, warp_lanes);
      __syncwarp();
      if (lane == 0) problem.add_initial(of, before);
      __syncwarp();
      running_sum<T, lanes::together, accumulator<T>> sum(before);
      scan_together(problem, of, 0, of.size, sum, chunks[threadIdx.x / warp_lanes]);
      if (problem.lasts != nullptr) {
        sum.end();
        if (lane == 0) problem.put_last(of, before);
      }
      __syncwarp();
    }
    if (__any_sync(whole_warp, is_long)) put_on_list(problem, own, terms, is_long);
  }
}

/// The sum of each piece of the long sequences.
template <class P>
__global__ void __launch_bounds__(sequence_threads, 3) piece_sums_kernel(__grid_constant__ P const given)
{
  using T = typename P::element;
  namespace terms = detail::exact::terms;
  __shared__ accumulator<T> sums[sequence_warps];
  int const lane = static_cast<int>(threadIdx.x) % warp_lanes;
  auto& own = sums[threadIdx.x / warp_lanes];
  auto const& problem = at_its_turn(given);
  if (problem.is_done()) return;
  std::size_t const pieces = problem.longer.pieces();
  for (std::size_t p = blockIdx.x * sequence_warps + threadIdx.x / warp_lanes; p < pieces;
       p += static_cast<std::size_t>(gridDim.x) * sequence_warps) {
    auto const entry = problem.longer.entries[problem.longer.entry_of(p)];
    auto const of = problem.places.at(entry.sequence);
    std::size_t const begin = (p - entry.first_piece) * problem.piece;
    own.clear(lane, warp_lanes);
    __syncwarp();
    level_sum<T, lanes::together, accumulator<T>> sum;
    add_elements<warp_lanes, terms_in_hand_together>(
        problem, of, begin, of.size - begin > problem.piece ? begin + problem.piece : of.size, sum, own);
    sum.end(own);
    __syncwarp();
    if (lane == 0) own.carry();
    __syncwarp();
    long long* const to = problem.sums.of_piece + p * piece_sums<T>::words;
    for (int i = lane; i < piece_sums<T>::digits; i += warp_lanes)
      to[i] = i >= own.first() && i < own.end ? own.digit[i] : 0;
    if (lane == 0) {
      auto const has = [&](std::uint8_t kind) { return (own.kinds & kind) != 0 ? 1ll : 0ll; };
      to[piece_sums<T>::digits] = has(terms::nan) | has(terms::infinity) << 32;
      to[piece_sums<T>::digits + 1] = has(terms::minus_infinity) | has(terms::others) << 32;
    }
    __syncwarp();
  }
}

/// Adds up words [begin, end), `stride` apart, each to the sum of those before it. Returns the sum of all.
__device__ __forceinline__ long long sums_before(long long* word, std::size_t begin, std::size_t end, int stride)
{
  constexpr int at_once = 8;
  long long sum = 0;
  for (std::size_t k = begin; k < end; k += at_once) {
    long long read[at_once];
#pragma unroll
    for (int i = 0; i < at_once; ++i) read[i] = k + i < end ? word[(k + i) * stride] : 0;
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      if (k + i < end) word[(k + i) * stride] = sum;
      sum += read[i];
    }
  }
  return sum;
}

/// Sums before each piece within its block, by a thread for each word.
template <class P>
__global__ void sums_in_blocks_kernel(__grid_constant__ P const given)
{
  using sums = piece_sums<typename P::element>;
  auto const& problem = at_its_turn(given);
  if (problem.is_done()) return;
  std::size_t const pieces = problem.longer.pieces(), blocks = (pieces + sums::block - 1) / sums::block;
  int const word = static_cast<int>(threadIdx.x);
  if (word >= sums::words) return;
  for (std::size_t b = blockIdx.x; b < blocks; b += gridDim.x) {
    std::size_t const begin = b * sums::block, end = pieces - begin > sums::block ? begin + sums::block : pieces;
    problem.sums.of_block[b * sums::words + word] = sums_before(problem.sums.of_piece + word, begin, end, sums::words);
  }
}

/// The sums before each block, by one block.
template <class P>
__global__ void sums_of_blocks_kernel(__grid_constant__ P const given)
{
  using sums = piece_sums<typename P::element>;
  auto const& problem = at_its_turn(given);
  if (problem.is_done()) return;
  std::size_t const blocks = (problem.longer.pieces() + sums::block - 1) / sums::block;
  if (static_cast<int>(threadIdx.x) < sums::words)
    sums_before(problem.sums.of_block + threadIdx.x, 0, blocks, sums::words);
}

/// Scans the pieces of the long sequences.
template <class P>
__global__ void __launch_bounds__(sequence_threads, 2) long_scans_kernel(__grid_constant__ P const given)
{
  using T = typename P::element;
  namespace terms = detail::exact::terms;
  __shared__ accumulator<T> all_sums[sequence_warps];
  __shared__ double chunks[sequence_warps][chunk_room];
  int const lane = static_cast<int>(threadIdx.x) % warp_lanes;
  auto& before = all_sums[threadIdx.x / warp_lanes];
  auto const& problem = at_its_turn(given);
  if (problem.is_done()) return;
  auto const& sums = problem.sums;
  std::size_t const pieces = problem.longer.pieces();
  for (std::size_t p = blockIdx.x * sequence_warps + threadIdx.x / warp_lanes; p < pieces;
       p += static_cast<std::size_t>(gridDim.x) * sequence_warps) {
    auto const entry = problem.longer.entries[problem.longer.entry_of(p)];
    auto const of = problem.places.at(entry.sequence);
    std::size_t const begin = (p - entry.first_piece) * problem.piece;
    bool const is_last = of.size - begin <= problem.piece;
    auto const word = [&](int i) { return sums.before(p, i) - sums.before(entry.first_piece, i); };
    for (int i = lane; i < accumulator<T>::digits; i += warp_lanes) before.digit[i] = word(i);
    if (lane == 0) {
      before.depth = before.end = accumulator<T>::digits;
      auto const lower = static_cast<std::uint64_t>(word(piece_sums<T>::digits)),
                 upper = static_cast<std::uint64_t>(word(piece_sums<T>::digits + 1));
      before.kinds = ((lower & 0xffffffff) != 0 ? terms::nan : 0) | (lower >> 32 != 0 ? terms::infinity : 0) |
                     ((upper & 0xffffffff) != 0 ? terms::minus_infinity : 0) | (upper >> 32 != 0 ? terms::others : 0) |
                     (begin != 0 ? terms::minus_zero : 0);
    }
    __syncwarp();
    if (lane == 0) problem.add_initial(of, before);
    __syncwarp();
    running_sum<T, lanes::together, accumulator<T>> sum(before);
    scan_together(problem, of, begin, is_last ? of.size : begin + problem.piece, sum, chunks[threadIdx.x / warp_lanes]);
    if (problem.lasts != nullptr && is_last) {
      sum.end();
      if (lane == 0) problem.put_last(of, before);
    }
    __syncwarp();
  }
}

}  // namespace tally::cuda_backend::exact
