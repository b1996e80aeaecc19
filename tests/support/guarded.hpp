#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

namespace tally::test {

/// n elements that begin `offset` elements after a 64-byte boundary, between two guard zones. All bytes are poisoned at
/// first.
template <class T>
  requires std::is_trivially_copyable_v<T>
class guarded {
public:
  explicit guarded(std::size_t n, std::size_t offset = 0)
      : size_(n),
        begin_(guard + offset * sizeof(T)),
        total_(begin_ + n * sizeof(T) + guard),
        bytes_(static_cast<std::byte*>(::operator new(total_, std::align_val_t{64})))
  {
    std::memset(bytes_.get(), poison, total_);
  }
  guarded(std::vector<T> const& values, std::size_t offset) : guarded(values.size(), offset)
  {
    std::copy(values.begin(), values.end(), data());
  }

  T* data() const { return reinterpret_cast<T*>(bytes_.get() + begin_); }
  T* begin() const { return data(); }
  T* end() const { return data() + size_; }
  std::span<T const> values() const { return {data(), size_}; }

  /// Checks that nothing was written before or after the elements.
  testing::AssertionResult guards_intact() const
  {
    std::size_t const end = begin_ + size_ * sizeof(T);
    for (std::size_t k = 0; k < total_; ++k) {
      if ((k < begin_ || k >= end) && bytes_.get()[k] != std::byte{poison})
        return testing::AssertionFailure() << "a byte was written " << (k < begin_ ? begin_ - k : k - end + 1)
                                           << (k < begin_ ? " before the first" : " after the last") << " element";
    }
    return testing::AssertionSuccess();
  }

private:
  // The zone is wider than a row of vectors of bytes and a page of streaming stores could overrun by mistake.
  static constexpr std::size_t guard = 1024;
  static constexpr unsigned char poison = 0xA5;
  struct release {
    void operator()(std::byte* bytes) const { ::operator delete(bytes, std::align_val_t{64}); }
  };

  std::size_t size_;
  std::size_t begin_;
  std::size_t total_;
  std::unique_ptr<std::byte, release> bytes_;
};

}  // namespace tally::test
