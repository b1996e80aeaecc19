#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tally/execution.hpp"
#include "tally/temporary.hpp"

/// What is found of a block of elements when a scan first asks for it is asked for again when the block has its turn:
/// kept, it is found once.
namespace tally::detail {

/// A note for each of so many blocks, on a CPU. Whoever comes while another one is writing does the work for itself.
template <class T>
struct notes {
  static_assert(std::is_trivially_copyable_v<T>);

  T* values;
  std::uint32_t* states;

  template <class Find>
  T get(std::size_t block, Find const& find) const
  {
    enum : std::uint32_t { nothing, being_written, written };
    std::atomic_ref<std::uint32_t> const state(states[block]);
    if (state.load(std::memory_order_acquire) == written) return values[block];
    T const found = find();
    std::uint32_t expected = nothing;
    if (state.compare_exchange_strong(expected, being_written, std::memory_order_relaxed)) {
      values[block] = found;
      state.store(written, std::memory_order_release);
    }
    return found;
  }
};

/// Memory for them.
template <class T, class P>
class notebook {
public:
  notebook(P const& on, std::size_t blocks) : values_(on, blocks), states_(on, blocks)
  {
    for (std::uint32_t& each : states_) each = 0;
  }
  notes<T> pages() const { return {values_.data(), states_.data()}; }

private:
  temporary<T, P> values_;
  temporary<std::uint32_t, P> states_;
};

}  // namespace tally::detail
