#pragma once

#include <cstddef>

namespace tally::bench {

/// Sum and maximum as the compiler vectorises them when it may reorder.
template <class T>
inline T simd_sum(T const* in, std::size_t n)
{
  T sum{};
#pragma omp simd reduction(+ : sum)
  for (std::size_t k = 0; k < n; ++k) sum = static_cast<T>(sum + in[k]);
  return sum;
}

/// Requires n > 0.
template <class T>
inline T simd_max(T const* in, std::size_t n)
{
  T most = in[0];
#pragma omp simd reduction(max : most)
  for (std::size_t k = 0; k < n; ++k) most = most < in[k] ? in[k] : most;
  return most;
}

}  // namespace tally::bench
