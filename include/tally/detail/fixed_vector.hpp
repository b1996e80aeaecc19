#pragma once

#include <cstddef>
#include <memory>
#include <utility>

namespace tally::detail {

/// Up to `Capacity` values. T need not be default-constructible.
template <class T, std::size_t Capacity>
class fixed_vector {
public:
  fixed_vector() = default;
  fixed_vector(fixed_vector const&) = delete;
  fixed_vector& operator=(fixed_vector const&) = delete;
  ~fixed_vector() { clear(); }

  template <class... Args>
  void emplace_back(Args&&... args)
  {
    std::construct_at(data() + size_, std::forward<Args>(args)...);
    ++size_;
  }
  void clear()
  {
    std::destroy_n(data(), size_);
    size_ = 0;
  }

  std::size_t size() const { return size_; }
  T* data() { return reinterpret_cast<T*>(bytes_); }
  T& operator[](std::size_t k) { return data()[k]; }
  T& back() { return data()[size_ - 1]; }

private:
  alignas(T) std::byte bytes_[Capacity * sizeof(T)];
  std::size_t size_ = 0;
};

}  // namespace tally::detail
