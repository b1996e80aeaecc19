#pragma once

#include "tally/detail/cuda/recurrence/maps_in_rows.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/order.hpp"

/// A row of the order in one lane, by loops whose code is short: twelve warps that each go once through the code of a
/// whole row wait for instructions half of the time.
namespace tally::cuda_backend {

inline constexpr int groups_at_a_time = 8;
inline constexpr int row_parts = static_cast<int>(order::row_groups) / groups_at_a_time;
static_assert(row_parts == 4);

/// Kogge and Stone's scan of the totals of a row's groups, eight at a time. It keeps the values of each round that
/// later groups need.
template <class W>
class row_scan {
public:
  /// Replaces the totals of the groups of part q by the folds up to each.
  __device__ __forceinline__ void push(int q, affine<W> (&folds)[groups_at_a_time])
  {
    round<1>(folds, by_one_, q > 0);
    round<2>(folds, by_two_, q > 0);
    round<4>(folds, by_four_, q > 0);
    round<8>(folds, by_eight_, q > 0);
#pragma unroll
    for (int g = 0; g < groups_at_a_time; ++g) {
      affine<W> const now = folds[g];
      compose_from_left(folds[g], by_sixteen_[g], q > 1);
      by_sixteen_[g] = by_sixteen_[g + groups_at_a_time];
      by_sixteen_[g + groups_at_a_time] = now;
    }
  }

private:
  template <int Stride>
  __device__ __forceinline__ static void round(affine<W> (&folds)[groups_at_a_time], affine<W> (&before)[Stride],
                                               bool has_before)
  {
    affine<W> last[Stride];
#pragma unroll
    for (int k = 0; k < Stride; ++k) last[k] = folds[groups_at_a_time - Stride + k];
#pragma unroll
    for (int g = groups_at_a_time - 1; g >= Stride; --g)
      folds[g] = composed(folds[g >= Stride ? g - Stride : 0], folds[g]);
#pragma unroll
    for (int g = 0; g < Stride; ++g) compose_from_left(folds[g], before[g], has_before);
#pragma unroll
    for (int k = 0; k < Stride; ++k) before[k] = last[k];
  }

  affine<W> by_one_[1]{}, by_two_[2]{}, by_four_[4]{}, by_eight_[8]{}, by_sixteen_[16]{};
};

/// The fold before a group of a row, if there is one: of `base`, before the row, and `left`, the fold of the groups
/// before in it.
template <class W>
struct fold_before_group {
  affine<W> fold;
  bool is_there;

  /// Of group g of part q. `g` is a constant.
  __device__ __forceinline__ fold_before_group(int q, int g, affine<W> const& left, bool has_base,
                                               affine<W> const& base)
      : fold(left),
        is_there(true)
  {
    compose_from_left(fold, base, has_base);
    if (g == 0) {
      fold = select(q > 0, fold, base);
      is_there = q > 0 || has_base;
    }
  }
  /// The fold up to a step: `own` is that of the group's steps up to it.
  __device__ __forceinline__ affine<W> up_to(int g, affine<W> const& own) const
  {
    affine<W> const all = composed(fold, own);
    return g == 0 ? select(is_there, all, own) : all;
  }
};

/// The fold of eight values, as a balanced tree.
template <class W>
__device__ __forceinline__ affine<W> fold_of_part(affine<W> (&values)[groups_at_a_time])
{
#pragma unroll
  for (int stride = 1; stride < groups_at_a_time; stride *= 2) {
#pragma unroll
    for (int g = 0; g + stride < groups_at_a_time; g += 2 * stride) values[g] = composed(values[g], values[g + stride]);
  }
  return values[0];
}

/// The total of a row. `take(first, totals)` gives the totals of eight groups.
template <class W, class Take>
__device__ __forceinline__ affine<W> total_of_row(Take const& take)
{
  affine<W> all{}, half{}, quarter{};
#pragma unroll 1
  for (int q = 0; q < row_parts; ++q) {
    affine<W> totals[groups_at_a_time];
    take(q * groups_at_a_time, totals);
    affine<W> const here = fold_of_part(totals), two = composed(quarter, here);
    all = composed(half, two);
    half = select(q == 1, two, half);
    quarter = here;
  }
  return all;
}

/// The fold before a row's last group: the same tree one group later, whose first value is absent.
template <class W, class Total>
__device__ __forceinline__ affine<W> total_but_the_last(Total const& total_of_group)
{
  return total_of_row<W>([&](int first, affine<W>(&totals)[groups_at_a_time]) {
#pragma unroll
    for (int g = 0; g < groups_at_a_time; ++g) totals[g] = total_of_group(first + g == 0 ? 0 : first + g - 1);
    // The map (1, -0.0) may stand behind any other, not before it.
    if (first == 0) {
      totals[0] = totals[1];
      totals[1] = {W(1), W(-0.0f)};
    }
  });
}

}  // namespace tally::cuda_backend
