#pragma once

#include <cstddef>
#include <type_traits>

#include "tally/detail/backends.hpp"
#include "tally/detail/execution.hpp"

namespace tally {

/// An array for intermediate values, in memory that `on` can read and write. On a GPU that is device memory from the
/// workspace's pool, allocated and freed in the stream's order. The values are not initialised.
///
/// Requires  T is trivially copyable. `on` (its stream) outlives it.
/// Throws    std::bad_alloc, cuda_error.
template <class T, execution P = detail::automatic>
class temporary {
  static_assert(std::is_trivially_copyable_v<T>, "tally: temporary holds values that can be copied as bytes");

public:
  temporary(P const& on, std::size_t size) : on_(on), size_(size), data_(nullptr)
  {
    using detail::backend_allocate;
    if (size != 0) data_ = static_cast<T*>(backend_allocate(on_, size * sizeof(T)));
  }
  ~temporary()
  {
    using detail::backend_free;
    if (data_ != nullptr) backend_free(on_, data_);
  }
  temporary(temporary const&) = delete;
  temporary& operator=(temporary const&) = delete;

  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  T* begin() const { return data_; }
  T* end() const { return data_ + size_; }

private:
  P on_;
  std::size_t size_;
  T* data_;
};

/// The value at `at`, a place in the memory of `on`.
///
/// Blocks    on a GPU until all earlier work in the stream is done.
template <execution P, class T>
[[nodiscard]] T value_at(P const& on, T const* at)
{
  using detail::backend_value;
  return backend_value(on, at);
}

}  // namespace tally
