#pragma once

#include "tally/detail/cuda/carry_fold.cuh"
#include "tally/detail/cuda/left_operand.cuh"
#include "tally/order.hpp"

namespace tally::cuda_backend {

/// The fold of the tiles of a segment by one worker, which has them one after the other.
template <class T, class Op>
struct lone_fold {
  using W = working_type<T>;
  using C = carry_type<Op, T>;
  using left = left_operand<W, Op>;
  using wide_left = left_operand<C, Op>;

  wide_left spans, tiles;
  left previous;
  int count;

  __device__ void begin(initial_value<T, Op> const& init, Op& op)
  {
    spans = init.is_present ? wide_left::present(init.wide) : wide_left::absent(op, init.wide);
    tiles = wide_left::absent(op, init.wide);
    previous = init.is_present ? left::present(init.value) : left::absent(op, init.value);
    count = 0;
  }
  /// The carry of the next tile.
  __device__ left carry(Op& op) const
  {
    if (count == 0) return previous;
    wide_left const all = spans.before(tiles, op);
    return left::present(static_cast<W>(all.value));
  }
  __device__ void append(left const& carry, W const& total, Op& op)
  {
    previous = left::present(carry.before(total, op));
    tiles = wide_left::present(tiles.before(static_cast<C>(total), op));
    if (++count % static_cast<int>(order::span_tiles) == 0) {
      spans = spans.before(tiles, op);
      tiles = wide_left::absent(op, tiles.value);
    }
  }
};

}  // namespace tally::cuda_backend
