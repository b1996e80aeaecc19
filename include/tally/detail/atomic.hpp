#pragma once

#include <atomic>
#include <type_traits>

#include "tally/config.hpp"

namespace tally::detail {

/// `to += x`, atomically, for integers of 4 or 8 bytes.
template <class T>
TALLY_HD void add_atomically(T* to, T x)
{
  static_assert(std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8));
#ifdef __CUDA_ARCH__
  using word = std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>;
  atomicAdd(reinterpret_cast<word*>(to), static_cast<word>(x));
#else
  std::atomic_ref<T>(*to).fetch_add(x, std::memory_order_relaxed);
#endif
}

/// Replaces a number by a lower one, atomically.
template <class T>
TALLY_HD void lower_atomically(T* to, T value)
{
  static_assert(std::is_unsigned_v<T> && sizeof(T) == 8);
#ifdef __CUDA_ARCH__
  atomicMin(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(value));
#else
  std::atomic_ref<T> const at(*to);
  T now = at.load(std::memory_order_relaxed);
  while (value < now && !at.compare_exchange_weak(now, value, std::memory_order_relaxed)) {}
#endif
}

}  // namespace tally::detail
