#pragma once

#include "tally/model/thread_program.hpp"

namespace tally::textbook::exhibits {

/// Wrong on purpose. A scan by shuffles, 32 x 32: the totals of the warps are scanned by as many lanes as there are
/// warps, but the mask of their shuffle names all 32.
///
/// Source    CUDA scan exercise, solution 04, as it is usually filled in.
/// Right     warp_shuffle_scan.hpp: every lane of the warp takes part, also those without a total.
struct full_mask_shuffle {
  static constexpr char const* name = "full_mask_shuffle";

  template <class Array, class Op>
  model::thread_program operator()(model::thread thread, Array in, Array out, Op op) const
  {
    using E = element_of<Array>;
    int const t = thread.index(), lane = t % 32, warp = t / 32, num_warps = thread.block_size() / 32;
    auto totals = thread.shared<E>(32, "totals");
    E own = in[t];
    for (int d = 1; d < 32; d *= 2) {
      E const left = co_await thread.shuffle_up(own, d);
      if (lane >= d) own = op(left, own);
    }
    if (lane == 31) totals[warp] = own;
    co_await thread.barrier();
    if (warp == 0 && lane < num_warps) {
      E sum = totals[lane];
      for (int d = 1; d < num_warps; d *= 2) {
        E const left = co_await thread.shuffle_up(sum, d, 0xffffffff);
        if (lane >= d) sum = op(left, sum);
      }
      totals[lane] = sum;
    }
    co_await thread.barrier();
    if (warp > 0) own = op(totals[warp - 1], own);
    out[t] = own;
  }
};

}  // namespace tally::textbook::exhibits
