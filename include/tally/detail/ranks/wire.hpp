#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>

#include "tally/detail/cpu/held.hpp"

/// Values as bytes, as they travel between ranks.
namespace tally::ranks_backend {

/// The bytes of a value, of one on the heap too.
template <class Held>
inline constexpr std::size_t wire_size = sizeof(cpu_backend::unheld_t<Held>);

template <class Held>
void store(std::byte* to, Held const& value)
{
  if constexpr (cpu_backend::is_on_heap<Held>)
    std::memcpy(to, static_cast<void const*>(std::addressof(*value)), wire_size<Held>);
  else
    std::memcpy(to, static_cast<void const*>(std::addressof(value)), wire_size<Held>);
}

/// Requires  that `from` is aligned for a value on the heap.
template <class Held>
Held load(std::byte const* from)
{
  using value = cpu_backend::unheld_t<Held>;
  if constexpr (cpu_backend::is_on_heap<Held>) {
    return Held(typename Held::made_by{},
                [&]() -> value { return *std::launder(reinterpret_cast<value const*>(from)); });
  } else {
    alignas(value) std::byte bytes[sizeof(value)];
    std::memcpy(bytes, from, sizeof(value));
    return *std::launder(reinterpret_cast<value const*>(bytes));
  }
}

/// Uninitialised memory for values that are copied as bytes.
template <class T>
class memory {
  static_assert(std::is_trivially_copyable_v<T>);

public:
  memory() = default;
  explicit memory(std::size_t count, std::size_t alignment = alignof(T))
      : at_(static_cast<T*>(::operator new(count * sizeof(T), std::align_val_t{alignment})), release{alignment})
  {
  }

  T* get() const { return at_.get(); }
  std::byte* bytes() const { return reinterpret_cast<std::byte*>(at_.get()); }

private:
  struct release {
    std::size_t alignment = alignof(T);
    void operator()(T* at) const { ::operator delete(at, std::align_val_t{alignment}); }
  };
  std::unique_ptr<T, release> at_;
};

}  // namespace tally::ranks_backend
