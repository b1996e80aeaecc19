#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace tally::soak {

/// Memory of this process that tries use one after the other. Whatever is read or written behind its end ends the
/// program.
class region {
public:
  /// Begins at a multiple of 64 bytes plus `phase`, and ends at the end of the memory where `at_end`: then the phase is
  /// what the size makes it. All is poisoned, and as much beside it as `intact` looks at.
  std::byte* poisoned(std::size_t bytes, std::size_t phase, bool at_end);
  template <class T>
  T* of(std::size_t n, std::size_t phase, bool at_end)
  {
    return reinterpret_cast<T*>(poisoned(n * sizeof(T), phase * sizeof(T), at_end));
  }
  /// Says where something was written beside the last `bytes` asked for; nothing if nowhere. `used` of them were to be
  /// written.
  std::optional<std::string> beside(std::size_t used) const;

private:
  void grow(std::size_t bytes);

  std::byte* memory_ = nullptr;
  std::size_t capacity_ = 0;
  std::byte* begin_ = nullptr;
  std::byte* first_ = nullptr;  // the first poisoned byte
  std::byte* last_ = nullptr;   // behind the last poisoned byte
};

/// Regions by number, kept for the next try.
region& region_of(int number);

}  // namespace tally::soak
