#pragma once

#include <cstddef>
#include <cstring>
#include <utility>

/// A scan with plain vector registers: Hillis-Steele within a register, and the running total added to all its lanes.
/// Only one addition of an iteration depends on the iteration before.
namespace tally::bench {

#if defined(__AVX512F__)
inline constexpr std::size_t vector_bytes = 64;
#elif defined(__AVX2__)
inline constexpr std::size_t vector_bytes = 32;
#else
inline constexpr std::size_t vector_bytes = 16;
#endif

template <class T>
using vector_of __attribute__((vector_size(vector_bytes))) = T;

template <class T>
inline constexpr std::size_t lanes = vector_bytes / sizeof(T);

/// x moved up by S lanes, zeros below.
template <std::size_t S, class T, std::size_t... I>
inline vector_of<T> shifted(vector_of<T> x, std::index_sequence<I...>)
{
  return __builtin_shufflevector(vector_of<T>{}, x, static_cast<int>(I < S ? I : lanes<T> + I - S)...);
}

template <class T, std::size_t... I>
inline vector_of<T> last_lane(vector_of<T> x, std::index_sequence<I...>)
{
  return __builtin_shufflevector(x, x, static_cast<int>(I * 0 + lanes<T> - 1)...);
}

template <class T, std::size_t S = 1>
inline vector_of<T> scanned(vector_of<T> x)
{
  if constexpr (S < lanes<T>)
    return scanned<T, 2 * S>(x + shifted<S, T>(x, std::make_index_sequence<lanes<T>>{}));
  else
    return x;
}

/// Scans in[0, n) to out, after `before`; returns the total of both.
template <bool Inclusive, class T>
inline T log_step_scan(T const* __restrict in, T* __restrict out, std::size_t n, T before)
{
  constexpr auto each_lane = std::make_index_sequence<lanes<T>>{};
  vector_of<T> carry = vector_of<T>{} + before;
  std::size_t k = 0;
#pragma GCC unroll 4
  for (; k + lanes<T> <= n; k += lanes<T>) {
    vector_of<T> x;
    std::memcpy(&x, in + k, sizeof x);
    vector_of<T> const local = scanned<T>(x);
    vector_of<T> const result = carry + (Inclusive ? local : shifted<1, T>(local, each_lane));
    std::memcpy(out + k, &result, sizeof result);
    carry = carry + last_lane<T>(local, each_lane);
  }
  T sum = carry[0];
  for (; k < n; ++k) {
    T const next = static_cast<T>(sum + in[k]);
    out[k] = Inclusive ? next : sum;
    sum = next;
  }
  return sum;
}

}  // namespace tally::bench
