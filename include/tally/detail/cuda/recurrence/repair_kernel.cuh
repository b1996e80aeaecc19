#pragma once

#include <cstddef>

#include "tally/detail/cuda/problem.cuh"
#include "tally/detail/cuda/recurrence/repair_sequence.cuh"
#include "tally/detail/cuda/warp.cuh"

namespace tally::cuda_backend {

inline constexpr int repair_threads = 256;

/// The plain loops of sequences with results that are not finite: a thread looks after each sequence, and its warp goes
/// through those that need it.
template <class P>
__global__ void __launch_bounds__(repair_threads) repair_sequences_kernel(__grid_constant__ P const p)
{
  take_turn();
  std::size_t const s = static_cast<std::size_t>(blockIdx.x) * repair_threads + threadIdx.x;
  std::size_t k = p.size;
  if (s < p.sequences) {
    k = p.first_bad[s];
    p.first_bad[s] = 0;  // no word of this memory may look published later
    if (k < p.size && p.stores == results_stored::all) {
      // After a step with a NaN no result is a number.
      auto const step = static_cast<std::ptrdiff_t>(k);
      if (!is_number(p.a == nullptr ? p.constant : p.a_of(s)[step * p.a_step]) ||
          !is_number(p.b_of(s)[step * p.b_step]))
        k = p.size;
    }
  }
  unsigned which = __ballot_sync(whole_warp, k < p.size);
  while (which != 0) {
    int const lane = __ffs(static_cast<int>(which)) - 1;
    which &= which - 1;
    repair_sequence(p, shuffle_from(s, lane), shuffle_from(k, lane));
  }
}

}  // namespace tally::cuda_backend
