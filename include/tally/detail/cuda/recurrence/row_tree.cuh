#pragma once

#include <type_traits>

#include "tally/detail/cuda/recurrence/maps_in_rows.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/operators/affine.hpp"
#include "tally/order.hpp"

/// A row of the order in one lane: the tree of its groups' totals, and the states before its groups. `Steps` are the
/// steps of a row in shared memory: `Steps::part(steps, q)` are those of part q, `step(g, j)` of it is step j of its
/// group g.
namespace tally::cuda_backend {

inline constexpr int part_groups = 4;
inline constexpr int row_parts = static_cast<int>(order::recurrence::row_groups) / part_groups;
static_assert(row_parts == 4);

/// Replaces the totals of groups by those of trees: place g has the total of the largest tree that ends with group g
/// and is a left half, the last place that of all groups.
template <class W, int Groups>
__device__ __forceinline__ void total_trees(affine<W> (&totals)[Groups])
{
  static_assert((Groups & (Groups - 1)) == 0);
#pragma unroll
  for (int half = 1; half < Groups; half *= 2) {
#pragma unroll
    for (int g = 2 * half - 1; g < Groups; g += 2 * half) totals[g] = composed(totals[g - half], totals[g]);
  }
}

/// The state before group g, a constant, from the one before all groups. The compiler sees that groups share states.
template <class W, int Groups>
__device__ __forceinline__ W state_before_group(affine<W> const (&trees)[Groups], int g, W state)
{
#pragma unroll
  for (int half = Groups / 2; half > 0; half /= 2)
    if ((g & half) != 0) state = trees[(g & -2 * half) + half - 1](state);
  return state;
}

template <class Steps>
__device__ __forceinline__ affine<typename Steps::W> total_of_group(typename Steps::part const& steps, int g)
{
  affine<typename Steps::W> all = steps.step(g, 0);
#pragma unroll
  for (int j = 1; j < Steps::group; ++j) all = composed(all, steps.step(g, j));
  return all;
}

/// The totals of the trees of a part's groups.
template <class Steps>
struct trees_of_part {
  affine<typename Steps::W> totals[part_groups];

  __device__ __forceinline__ explicit trees_of_part(typename Steps::part const& steps)
  {
#pragma unroll
    for (int g = 0; g < part_groups; ++g) totals[g] = total_of_group<Steps>(steps, g);
    total_trees(totals);
  }
};

/// A row whose trees' totals stay in registers. Of elements of 4 and 8 bytes, whose rows are 64 and 32 steps.
template <class Steps>
class row_at_once {
public:
  using W = typename Steps::W;

  /// Of the first `parts` parts.
  __device__ __forceinline__ row_at_once(Steps const& steps, int parts) : steps_(steps)
  {
#pragma unroll
    for (int q = 0; q < row_parts; ++q) {
      if (q < parts) {
        typename Steps::part const part(steps_, q);
#pragma unroll
        for (int g = 0; g < part_groups; ++g) trees_[q * part_groups + g] = total_of_group<Steps>(part, g);
      }
    }
    total_trees(trees_);
  }
  /// Of all parts.
  __device__ __forceinline__ affine<W> total() const { return trees_[groups - 1]; }
  /// Calls use(first, g, part, y) for each group first + g of the first `parts` parts: with the steps of its part,
  /// whose first group is `first`, and the state before the group. `g` is a constant. `state` is the one before the
  /// row.
  template <class Use>
  __device__ __forceinline__ void for_each_group(W const& state, int parts, Use const& use) const
  {
#pragma unroll
    for (int q = 0; q < row_parts; ++q) {
      if (q < parts) {
        typename Steps::part const part(steps_, q);
#pragma unroll
        for (int g = 0; g < part_groups; ++g)
          use(q * part_groups, g, part, state_before_group(trees_, q * part_groups + g, state));
      }
    }
  }

private:
  static constexpr int groups = part_groups * row_parts;

  Steps steps_;
  affine<W> trees_[groups]{};
};

/// A row that goes twice by parts in a loop. Without one the 128 steps of a row of elements of two bytes are more than
/// 2000 instructions, and a multiprocessor seems to keep no more. The totals of groups are computed each time.
template <class Steps>
class row_in_parts {
public:
  using W = typename Steps::W;

  __device__ __forceinline__ row_in_parts(Steps const& steps, int) : steps_(steps) {}

  __device__ __forceinline__ affine<W> total() const
  {
    affine<W> all{}, half{}, quarter{};
#pragma unroll 1
    for (int q = 0; q < row_parts; ++q) {
      affine<W> const here = trees_of_part<Steps>(typename Steps::part(steps_, q)).totals[part_groups - 1];
      affine<W> const two = composed(quarter, here);
      all = composed(half, two);
      half = select_map(q == 1, two, half);
      quarter = here;
    }
    return all;
  }
  /// As that of row_at_once, but `first` is a variable.
  template <class Use>
  __device__ __forceinline__ void for_each_group(W const& state, int parts, Use const& use) const
  {
    W now = state, before_half = state;
    affine<W> quarter{};
#pragma unroll 1
    for (int q = 0; q < parts; ++q) {
      typename Steps::part const part(steps_, q);
      trees_of_part<Steps> const trees(part);
#pragma unroll
      for (int g = 0; g < part_groups; ++g) use(q * part_groups, g, part, state_before_group(trees.totals, g, now));
      // The left tree that ends with this part begins with the half's, or is the part.
      affine<W> const here = trees.totals[part_groups - 1];
      now = select_map(q == 1, composed(quarter, here), here)(before_half);
      before_half = q == 1 ? now : before_half;
      quarter = here;
    }
  }

private:
  Steps steps_;
};

template <class Steps>
using row_in_lane = std::conditional_t<(Steps::group > 4), row_in_parts<Steps>, row_at_once<Steps>>;

}  // namespace tally::cuda_backend
