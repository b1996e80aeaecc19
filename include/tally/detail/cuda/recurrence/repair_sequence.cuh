#pragma once

#include <cstddef>
#include <type_traits>

#include "tally/detail/cuda/warp.cuh"
#include "tally/detail/recurrence/steps.hpp"
#include "tally/operators/traits.hpp"

/// The plain loop of sequences with states that are not finite.
namespace tally::cuda_backend {

/// 0 if y is finite once it is rounded to T, else NaN.
template <class T>
__device__ __forceinline__ working_type<T> zero_if_finite(working_type<T> const& y)
{
  return static_cast<working_type<T>>(static_cast<T>(y)) * working_type<T>(0);
}
/// `mark`, or NaN if y is not finite, by one instruction.
template <class W>
__device__ __forceinline__ W marked_if_not_finite(W mark, W y)
{
  if constexpr (std::is_same_v<W, double>)
    return __fma_rn(y, W(0), mark);
  else
    return __fmaf_rn(y, W(0), mark);
}
template <class T>
__device__ __forceinline__ bool is_number(T const& y)
{
  auto const wide = static_cast<working_type<T>>(y);
  return wide == wide;
}

/// The plain loop from step k of a sequence on, by a warp. The warp has written the results before k.
template <class P>
__device__ __noinline__ void repair_sequence(P const& p, std::size_t sequence, std::size_t k)
{
  using T = typename P::T;
  int const lane = static_cast<int>(threadIdx.x) % warp_lanes;
  T const* const coefficients = p.a == nullptr ? nullptr : p.a_of(sequence);
  T const* const terms = p.b_of(sequence);
  T* const out = p.out_of(sequence);
  __syncwarp();
  T y = k == 0 ? p.before_of(sequence) : out[static_cast<std::ptrdiff_t>(k - 1) * p.out_step];
  __syncwarp();
  for (; k < p.size && is_number(y); k += warp_lanes) {
    std::size_t const rest = p.size - k;
    int const count = rest < warp_lanes ? static_cast<int>(rest) : warp_lanes;
    auto const mine = static_cast<std::ptrdiff_t>(k + static_cast<std::size_t>(lane < count ? lane : 0));
    T a(1.0f), b = terms[mine * p.b_step];  // a gradient begins with the coefficient 1
    if (!P::is_gradient || mine != 0) a = coefficients == nullptr ? p.constant : coefficients[mine * p.a_step];
    T kept = y;
    for (int j = 0; j < count; ++j) {
      y = detail::recurrence::step(shuffle_from(a, j), y, shuffle_from(b, j));
      if (j == lane) kept = y;
    }
    if (lane < count) {
      out[mine * p.out_step] = kept;
      if constexpr (P::is_gradient) p.put_product(sequence, mine, kept);
    }
  }
  // Once a state is not a number, no later one is.
  for (k += static_cast<std::size_t>(lane); k < p.size; k += warp_lanes) {
    out[static_cast<std::ptrdiff_t>(k) * p.out_step] = y;
    if constexpr (P::is_gradient) p.put_product(sequence, static_cast<std::ptrdiff_t>(k), y);
  }
  if (p.lasts != nullptr && lane == 0) p.put_last(sequence, y);
}

}  // namespace tally::cuda_backend
