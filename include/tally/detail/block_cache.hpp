#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tally/execution.hpp"
#include "tally/temporary.hpp"

/// A cache of per-block results, on a CPU. A scan asks for a block's total twice, first for the carry and later for the
/// block's own turn; the cache computes it once.
namespace tally::detail {

/// The cache as the steps of a scan see it. A thread that asks for a result while another thread stores it computes its
/// own.
template <class T>
struct block_cache_view {
  static_assert(std::is_trivially_copyable_v<T>);

  T* values;
  std::uint32_t* states;

  /// The cached result of `block`; else `compute()`, which is then cached.
  template <class Compute>
  T get(std::size_t block, Compute const& compute) const
  {
    enum : std::uint32_t { empty, being_stored, stored };
    std::atomic_ref<std::uint32_t> const state(states[block]);
    if (state.load(std::memory_order_acquire) == stored) return values[block];
    T const result = compute();
    std::uint32_t expected = empty;
    if (state.compare_exchange_strong(expected, being_stored, std::memory_order_relaxed)) {
      values[block] = result;
      state.store(stored, std::memory_order_release);
    }
    return result;
  }
};

/// The memory of the cache.
template <class T, class P>
class block_cache {
public:
  block_cache(P const& on, std::size_t blocks) : values_(on, blocks), states_(on, blocks)
  {
    for (std::uint32_t& each : states_) each = 0;
  }
  block_cache_view<T> view() const { return {values_.data(), states_.data()}; }

private:
  temporary<T, P> values_;
  temporary<std::uint32_t, P> states_;
};

}  // namespace tally::detail
