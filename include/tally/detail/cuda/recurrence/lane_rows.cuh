#pragma once

#include <cstdint>

#include "tally/detail/cuda/groups.cuh"
#include "tally/detail/cuda/recurrence/maps_in_rows.cuh"
#include "tally/detail/cuda/recurrence/row_scan.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/order.hpp"

/// A tile of a recurrence in shared memory, of which each lane has a whole row of the order: nothing in a row needs a
/// shuffle. A tile has 64 rows of 256 bytes of each array, whatever the states' type.
namespace tally::cuda_backend {

struct lane_rows {
  static constexpr int bytes = 256;         ///< of a row of one array
  static constexpr int words = bytes / 16;  ///< of 16 bytes: two groups each
  /// A row has room for a word more, since it may begin anywhere in a word. And lanes that each read the same word of
  /// their own row then meet different banks.
  static constexpr int pitch = bytes + 16;
  static constexpr int rows = static_cast<int>(order::strip_rows * order::tile_strips);
  static constexpr int warps = rows / warp_lanes;
};

/// Moves a row's elements to its begin, from `Words` words of 4 bytes and `bits` behind it.
template <int Words>
__device__ __forceinline__ void shift_row(uint4* row, unsigned bits)
{
  uint4 now = row[0];
#pragma unroll 4
  for (int w = 0; w < lane_rows::words; ++w) {
    uint4 const next = row[w + 1];
    std::uint32_t const all[8] = {now.x, now.y, now.z, now.w, next.x, next.y, next.z, next.w};
    auto const at = [&](int k) { return __funnelshift_r(all[k + Words], all[k + Words + 1], bits); };
    row[w] = {at(0), at(1), at(2), at(3)};
    now = next;
  }
}

/// Turns a lane's row, as it was copied, to steps that follow each other from its begin on. `gap` elements lie before
/// it in its first word.
template <class S>
__device__ __forceinline__ void straighten_row(unsigned char* memory, int gap, bool backwards)
{
  auto* const row = reinterpret_cast<uint4*>(memory);
  unsigned const behind = static_cast<unsigned>(gap) * sizeof(S), bits = behind % 4 * 8;
  switch (behind / 4) {
    case 0:
      if (bits != 0) shift_row<0>(row, bits);
      break;
    case 1: shift_row<1>(row, bits); break;
    case 2: shift_row<2>(row, bits); break;
    default: shift_row<3>(row, bits); break;
  }
  if (!backwards) return;
  constexpr int in_word = 16 / static_cast<int>(sizeof(S));
#pragma unroll 2
  for (int w = 0; w < lane_rows::words / 2; ++w) {
    packed_group<S, in_word> low, high;
    auto* const low_place = reinterpret_cast<S*>(row + w);
    auto* const high_place = reinterpret_cast<S*>(row + (lane_rows::words - 1 - w));
    low.load_aligned(low_place);
    high.load_aligned(high_place);
    high.reversed_if(true).write_aligned(low_place);
    low.reversed_if(true).write_aligned(high_place);
  }
}

/// Fills a lane's row with one value.
template <class S>
__device__ __forceinline__ void fill_row(unsigned char* memory, S const& value)
{
  constexpr int in_word = 16 / static_cast<int>(sizeof(S));
  packed_group<S, in_word> all;
#pragma unroll
  for (int j = 0; j < in_word; ++j) all.set(j, value);
#pragma unroll 4
  for (int w = 0; w < lane_rows::words; ++w) all.write_aligned(reinterpret_cast<S*>(memory) + w * in_word);
}

/// A lane's row of the order, whose groups it scans.
template <class P>
class lane_row {
public:
  using S = typename P::stored;
  using T = typename P::T;
  using W = typename P::W;
  static constexpr int group = P::group, in_word = 2 * group, part_words = groups_at_a_time / 2;
  static_assert(sizeof(S) * in_word == 16 && order::row_groups == 2 * lane_rows::words);

  __device__ __forceinline__ lane_row(S* a, S* b) : a_(a), b_(b) {}

  __device__ __forceinline__ affine<W> total() const
  {
    return total_of_row<W>([&](int first, affine<W>(&totals)[groups_at_a_time]) { take_totals(first, totals); });
  }
  /// The tile-local value of the last step of a whole row that has a base.
  __device__ __forceinline__ affine<W> last(affine<W> const& base) const
  {
    auto const one = [&](int g) { return total_of_group(g); };
    return composed(composed(base, total_but_the_last<W>(one)), total_of_group(order::row_groups - 1));
  }
  /// Writes the results in the place of the terms, those of the first `parts` of the row's `row_parts` parts at least.
  /// Returns 0 if all are finite, else NaN.
  __device__ __forceinline__ W put_results(bool has_base, affine<W> const& base, W const& carry,
                                           int parts = row_parts) const
  {
    W bad(0);
    row_scan<W> scan;
    affine<W> left{};  // the fold of the groups before
#pragma unroll 1
    for (int q = 0; q < parts; ++q) {
      affine<W> folds[groups_at_a_time];
      take_totals(q * groups_at_a_time, folds);
      scan.push(q, folds);
      word_of_steps ahead(*this, q * part_words);  // read before results are written, for which later reads would wait
#pragma unroll
      for (int w = 0; w < part_words; ++w) {
        word_of_steps const steps = ahead;
        if (w + 1 < part_words) ahead = word_of_steps(*this, q * part_words + w + 1);
        packed_group<S, in_word> results;
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          int const g = 2 * w + half;
          fold_before_group<W> const before(q, g, left, has_base, base);
          affine<W> own = steps.step(half, 0);
#pragma unroll
          for (int j = 0; j < group; ++j) {
            if (j > 0) own = composed(own, steps.step(half, j));
            auto const y = static_cast<T>(before.up_to(g, own)(carry));
            results.set(half * group + j, static_cast<S>(y));
            bad = fused(static_cast<W>(y), W(0), bad);
          }
          left = folds[g];
        }
        results.write_aligned(b_ + (q * part_words + w) * in_word);
      }
    }
    return bad;
  }

private:
  /// x y + z. Only whether it is a number matters.
  __device__ __forceinline__ static W fused(W x, W y, W z)
  {
    if constexpr (std::is_same_v<W, double>)
      return __fma_rn(x, y, z);
    else
      return __fmaf_rn(x, y, z);
  }
  struct word_of_steps {
    packed_group<S, in_word> a, b;

    __device__ __forceinline__ word_of_steps(lane_row const& row, int w)
    {
      a.load_aligned(row.a_ + w * in_word);
      b.load_aligned(row.b_ + w * in_word);
    }
    __device__ __forceinline__ affine<W> step(int half, int j) const
    {
      return {static_cast<W>(a.get(half * group + j)), static_cast<W>(b.get(half * group + j))};
    }
    __device__ __forceinline__ affine<W> total(int half) const
    {
      affine<W> all = step(half, 0);
#pragma unroll
      for (int j = 1; j < group; ++j) all = composed(all, step(half, j));
      return all;
    }
  };

  /// The totals of so many groups from `first` on, which is even.
  __device__ __forceinline__ void take_totals(int first, affine<W> (&totals)[groups_at_a_time]) const
  {
#pragma unroll
    for (int w = 0; w < part_words; ++w) {
      word_of_steps const steps(*this, first / 2 + w);
      totals[2 * w] = steps.total(0);
      totals[2 * w + 1] = steps.total(1);
    }
  }
  __device__ __forceinline__ affine<W> total_of_group(int g) const
  {
    word_of_steps const steps(*this, g / 2);
    return select(g % 2 == 0, steps.total(0), steps.total(1));
  }

  S* a_;
  S* b_;
};

}  // namespace tally::cuda_backend
