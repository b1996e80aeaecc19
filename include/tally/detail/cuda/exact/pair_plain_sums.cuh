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
        begin_(problem.ends.first() + tile * pair_tile),
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

  /// Writes the sums. `carry` is that of the sequence which goes on at the tile's begin. False if a pair does not tell
  /// its result.
  __device__ __forceinline__ bool write(sum_writer<P> const& writer, pair_sum const& carry,
                                        float_sizes const& sizes) const
  {
    bool is_known = true;
    writer.write([&](auto const& bounds, unsigned last) {
      double const all = sum_to(last);
      auto const first = static_cast<std::size_t>(bounds.begin);
      if (first < begin_) {
        if (sizes.have_plain_sums_on(carry)) return static_cast<T>(carry.high + all);
        pair_sum sum = carry;
        sum.add(all);
        T result;
        is_known = round_pair(sum, result) && is_known;
        return result;
      }
      auto const from = static_cast<unsigned>(first - begin_);
      double sum = problem_.initial + (from == 0 ? all : all - sum_to(from - 1));
      // A difference of 0 has lost the sign that zeros alone have.
      if (sum == 0 && is_minus_zero(problem_.initial) && are_minus_zeros(from, last)) sum = -0.0;
      return static_cast<T>(sum);
    });
    __syncwarp();
    return __all_sync(whole_warp, is_known);
  }

private:
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
  std::size_t begin_;
  T const* values_;
  double* sums_;
};

}  // namespace tally::cuda_backend::exact
