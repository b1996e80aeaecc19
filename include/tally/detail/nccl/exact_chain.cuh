#pragma once

#include <type_traits>

#include "tally/config.hpp"
#include "tally/detail/cuda/warp.cuh"
#include "tally/detail/exact/pair_sum.hpp"
#include "tally/operators/arithmetic.hpp"

/// The sums before each of many values, by a whole block.
namespace tally::nccl_backend {

/// Whether a block can take values that are folded with `Op` in the type C together.
template <class Op, class C>
inline constexpr bool adds_doubles = std::is_same_v<Op, plus> && std::is_same_v<C, double>;

/// Writes `sum` and the values before it in the place of each of `count` values, and adds them all to `sum`, if no
/// addition drops anything: each of these sums is a double then, and a chain of additions, one after the other, would
/// have found the same ones. Otherwise it leaves everything as it is, and returns false. Totals of floats are doubles
/// with half of their digits to spare, so it succeeds unless they differ much in size.
///
/// The whole block of `Threads` calls this, with the same arguments, behind a barrier. `count` is at most `Most`;
/// `Threads / warp_lanes` places of `memory` are its own.
template <int Threads, int Most, class Slot>
__device__ __forceinline__ bool chain_exactly(double& sum, Slot* slots, int count, double* memory)
{
  constexpr int each = Most / Threads, warps = Threads / cuda_backend::warp_lanes;
  static_assert(Most % Threads == 0);
  auto const thread = static_cast<int>(threadIdx.x);
  int const lane = thread % cuda_backend::warp_lanes, warp = thread / cuda_backend::warp_lanes;
  bool is_exact = true;
  auto const add = [&](double a, double b) {
    auto const [both, error] = detail::exact::two_sum(a, b);
    is_exact = is_exact && error == 0;  // NaN, if a sum is not finite
    return both;
  };
  double sums[each];  // of the thread's values up to each; -0.0 changes no sum
#pragma unroll
  for (int k = 0; k < each; ++k) {
    int const at = thread * each + k;
    double const value = at < count ? slots[at].template load<double>() : -0.0;
    sums[k] = k == 0 ? value : add(sums[k - 1], value);
  }
  double upto = sums[each - 1];  // of the warp's threads up to this one
#pragma unroll
  for (int by = 1; by < cuda_backend::warp_lanes; by *= 2) {
    double const below = __shfl_up_sync(cuda_backend::whole_warp, upto, by);
    upto = add(lane >= by ? below : -0.0, upto);
  }
  double const below = __shfl_up_sync(cuda_backend::whole_warp, upto, 1);
  if (lane == cuda_backend::warp_lanes - 1) memory[warp] = upto;
  __syncthreads();
  double before = sum, all = sum;  // before the thread's values, and with those of all warps
#pragma unroll
  for (int w = 0; w < warps; ++w) {
    if (w == warp) before = all;
    all = add(all, memory[w]);
  }
  before = add(before, lane > 0 ? below : -0.0);
#pragma unroll
  for (int k = 0; k < each; ++k) sums[k] = add(before, sums[k]);
  if (__syncthreads_or(!is_exact)) return false;
#pragma unroll
  for (int k = 0; k < each; ++k) {
    int const at = thread * each + k;
    if (at < count) slots[at].store(k == 0 ? before : sums[k - 1]);
  }
  sum = all;
  return true;
}

}  // namespace tally::nccl_backend
