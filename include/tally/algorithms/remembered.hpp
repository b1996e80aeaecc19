#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tally/temporary.hpp"

namespace tally::detail {

/// What blocks were found to be, each found once or, by threads that ask at the same time, found to be the same. A scan asks for an element when it totals
/// a tile, and again when it writes the tile's results.
template <class T, class P>
class remembered_blocks {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(std::uint64_t) == 0);
  static constexpr std::size_t words = sizeof(T) / sizeof(std::uint64_t);
  struct bits {
    std::uint64_t word[words];
  };

public:
  remembered_blocks(P const& on, std::size_t blocks) : memory_(on, blocks * (words + 1))
  {
    for (std::uint64_t& each : memory_) each = 0;
  }

  /// The value of block b, which `find()` gives if it is not known.
  template <class Find>
  T of(std::size_t b, Find const& find) const
  {
    std::uint64_t* const place = memory_.data() + b * (words + 1);
    std::atomic_ref<std::uint64_t> const known(*place);
    bits value;
    if (known.load(std::memory_order_acquire) == 0) {
      value = std::bit_cast<bits>(find());
      for (std::size_t w = 0; w < words; ++w)
        std::atomic_ref<std::uint64_t>(place[w + 1]).store(value.word[w], std::memory_order_relaxed);
      known.store(1, std::memory_order_release);
    } else {
      for (std::size_t w = 0; w < words; ++w)
        value.word[w] = std::atomic_ref<std::uint64_t>(place[w + 1]).load(std::memory_order_relaxed);
    }
    return std::bit_cast<T>(value);
  }

private:
  temporary<std::uint64_t, P> memory_;
};

}  // namespace tally::detail
