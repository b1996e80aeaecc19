#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace tally::soak {

/// Memory that tries use one after the other. A read or write after its end ends the program.
class region {
public:
  /// A poisoned array of `bytes` bytes, at a multiple of 64 bytes plus `phase`. With `at_end` it ends at the end of the
  /// memory instead, and the size determines its phase. The bytes beside it that `beside` checks are poisoned too.
  std::byte* poisoned(std::size_t bytes, std::size_t phase, bool at_end);
  template <class T>
  T* of(std::size_t n, std::size_t phase, bool at_end)
  {
    return reinterpret_cast<T*>(poisoned(n * sizeof(T), phase * sizeof(T), at_end));
  }
  /// Describes a write beside the first `used` bytes of the last array, which alone were to be written; nothing if
  /// there was none.
  std::optional<std::string> beside(std::size_t used) const;

private:
  void grow(std::size_t bytes);

  std::byte* memory_ = nullptr;
  std::size_t capacity_ = 0;
  std::byte* begin_ = nullptr;
  std::byte* first_ = nullptr;  // the first poisoned byte
  std::byte* last_ = nullptr;   // after the last poisoned byte
};

/// Regions by number, kept for the next try.
region& region_of(int number);

}  // namespace tally::soak
