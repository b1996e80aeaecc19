#pragma once

#include <cstdint>

#include "tally/detail/cuda/groups.cuh"
#include "tally/detail/cuda/recurrence/maps_in_rows.cuh"
#include "tally/detail/cuda/recurrence/repair_sequence.cuh"
#include "tally/detail/cuda/recurrence/row_scan.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/order.hpp"

/// Rows of the order in shared memory, one for each lane: nothing in a row needs a shuffle. A row has 256 bytes of each
/// array, whatever the states' type.
namespace tally::cuda_backend {

struct lane_rows {
  static constexpr int bytes = 256;         ///< of a row of one array
  static constexpr int words = bytes / 16;  ///< of 16 bytes: two groups each
  /// A row has room for a word more, since it may begin anywhere in a word. And lanes that each read the same word of
  /// their own row then meet different banks.
  static constexpr int pitch = bytes + 16;
};

/// Moves a row's elements of two bytes one place to the left.
__device__ __forceinline__ void shift_row(uint4* row)
{
  uint4 now = row[0];
#pragma unroll 4
  for (int w = 0; w < lane_rows::words; ++w) {
    uint4 const next = row[w + 1];
    row[w] = {__funnelshift_r(now.x, now.y, 16), __funnelshift_r(now.y, now.z, 16), __funnelshift_r(now.z, now.w, 16),
              __funnelshift_r(now.w, next.x, 16)};
    now = next;
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
  __device__ __forceinline__ W put_results(bool has_base, affine<W> const& base, W const& carry, int parts) const
  {
    W bad(0);
    row_scan<W> scan;
    affine<W> left{};  // the fold of the groups before
    auto const put_part = [&](int q) {
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
            bad = marked_if_not_finite(bad, static_cast<W>(y));
          }
          left = folds[g];
        }
        results.write_aligned(b_ + (q * part_words + w) * in_word);
      }
    };
    // Two parts of doubles without a branch back need fewer moves between registers, some .02 of a copy. Floats gain
    // nothing, and the code of two parts of bfloat16 is too long.
    constexpr int at_a_time = sizeof(S) == 8 ? 2 : 1;
#pragma unroll 1
    for (int q = 0; q < parts; q += at_a_time) {
      put_part(q);
      if constexpr (at_a_time == 2)
        if (q + 1 < parts) put_part(q + 1);
    }
    return bad;
  }

private:
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
