#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/detail/cuda/exact/pair_ends.cuh"
#include "tally/detail/cuda/exact/pair_terms.cuh"
#include "tally/detail/cuda/exact/pair_tile.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/detail/exact/pair_sum.hpp"

/// Exact sums of the sequences that end in a tile (pair_kernel.cuh), where all sums of its terms are exact in doubles.
namespace tally::cuda_backend::exact {

/// The sum of neighbouring terms is the difference of two sums from the tile's begin on, which is exact too. So a lane
/// adds up its terms without a look at where sequences end.
template <class P>
class plain_sums {
public:
  using T = typename P::element;

  /// `sums` has room for a double for each term, and for each lane.
  __device__ __forceinline__ plain_sums(P const& problem, std::size_t tile, T* values, double* sums)
      : problem_(problem),
        tile_(tile),
        values_(values),
        sums_(sums)
  {
    own_terms<T> const own(values);
    own_terms<double> const places(sums);
    plain_sum sum;
    word_of_terms<T> word;
    word_of_terms<double> both;
#pragma unroll
    for (int i = 0; i < pair_terms; ++i) {
      if (i % own.in_word == 0) word = own.word(i / own.in_word);
      sum.add(term_of(word.get(i % own.in_word)));
      both.set(i % 2, sum.value);
      if (i % 2 == 1) places.set_word(i / 2, both);
    }
    int const lane = static_cast<int>(lane_of_warp());
    add_lanes(sum, lane, warp_lanes);
    sum = shuffle_up(sum, 1);
    sums[pair_tile + lane] = lane == 0 ? -0.0 : sum.value;
    __syncwarp();
  }

  /// The sum of a sequence that begins and ends in the tile.
  __device__ __forceinline__ T of(unsigned first, unsigned last) const
  {
    return static_cast<T>(problem_.initial + sum_of(first, last));
  }
  __device__ __forceinline__ void hand_over_up_to(unsigned last) const
  {
    problem_.states.up_to_ends[tile_] = tile_sum{{sum_to(last), 0, 0}, 1};
  }
  __device__ __forceinline__ void hand_over_behind(unsigned first) const
  {
    double sum = sum_of(first, pair_tile - 1);
    if (first > 0) sum += problem_.initial;
    problem_.states.of_tiles[tile_] = tile_sum{{sum, 0, 0}, first > 0 ? 1u : 0u};
  }

private:
  /// The sum of neighbouring terms, or of none, in which zeros alone keep their sign.
  __device__ __forceinline__ double sum_of(unsigned first, unsigned last) const
  {
    if (first == 0) return sum_to(last);
    double const sum = sum_to(last) - sum_to(first - 1);
    return sum == 0 && is_minus_zero(problem_.initial) && are_minus_zeros(first, last) ? -0.0 : sum;
  }
  /// The sum of the lanes before, and of its own terms so far.
  __device__ __forceinline__ double sum_to(unsigned last) const
  {
    return sums_[pair_tile + last / pair_terms] + sums_[place_in_tile<double>(last)];
  }
  __device__ __forceinline__ static bool is_minus_zero(double x)
  {
    return __double_as_longlong(x) == static_cast<long long>(std::uint64_t{1} << 63);
  }
  __device__ __noinline__ bool are_minus_zeros(unsigned from, unsigned last) const
  {
    for (unsigned k = from; k <= last; ++k)
      if (!is_minus_zero(term_of(values_[place_in_tile<T>(k)]))) return false;
    return true;
  }

  P const& problem_;
  std::size_t tile_;
  T const* values_;
  double* sums_;
};

}  // namespace tally::cuda_backend::exact
