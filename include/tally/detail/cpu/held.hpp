#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include "tally/operators/traits.hpp"
#include "tally/order.hpp"

/// Large values live on the heap while they are combined: a row of them would not fit on a stack.
namespace tally::cpu_backend {

/// Values of up to this many bytes stay on the stack. A call has up to 90 values there: 100 KiB.
inline constexpr std::size_t most_on_stack = 1024;

/// A value on the heap, moved by its address. It stands for a T in rows, totals and carries, so that no T among them is
/// on the stack.
template <class T>
class on_heap {
public:
  struct made_by {};
  /// The value that `make()` returns, constructed in place.
  template <class Make>
  on_heap(made_by, Make const& make) : value_(new T(make()))
  {
  }
  /// Converts another large value or a small one: a carry's type to the values' and back.
  template <class U>
    requires(!std::is_same_v<U, on_heap>)
  explicit on_heap(U const& other) : value_(new T(static_cast<T>(other)))
  {
  }
  template <class U>
    requires(!std::is_same_v<U, T>)
  explicit on_heap(on_heap<U> const& other) : value_(new T(static_cast<T>(*other)))
  {
  }
  on_heap(on_heap const& other) : value_(new T(*other)) {}
  on_heap(on_heap&&) noexcept = default;
  on_heap& operator=(on_heap other) noexcept
  {
    value_.swap(other.value_);
    return *this;
  }
  ~on_heap() = default;

  T const& operator*() const { return *value_; }
  template <class U>
  explicit operator U() const
  {
    return static_cast<U>(*value_);
  }

private:
  std::unique_ptr<T> value_;
};

template <class T>
inline constexpr bool is_on_heap = false;
template <class T>
inline constexpr bool is_on_heap<on_heap<T>> = true;

template <class T>
inline constexpr bool large = sizeof(T) > most_on_stack;

/// The type that stands for a T.
template <class T>
using held = std::conditional_t<large<T>, on_heap<T>, T>;

/// The type that a held value stands for.
template <class T>
struct unheld {
  using type = T;
};
template <class T>
struct unheld<on_heap<T>> {
  using type = T;
};
template <class T>
using unheld_t = typename unheld<T>::type;

/// The value of a held one: a T if it is small, else a reference to it.
template <class T, class Held>
decltype(auto) value_of(Held const& held)
{
  if constexpr (is_on_heap<Held>)
    return *held;
  else
    return static_cast<T>(held);
}

/// An operator over T, applied to values that are held.
template <class Op, class T>
class on_heap_operator {
public:
  static constexpr bool exactly_associative = tally::exactly_associative<Op, T>;
  using carry = held<carry_type<Op, T>>;

  explicit on_heap_operator(Op& op) : op_(&op) {}

  template <class Held>
  Held operator()(Held const& a, Held const& b) const
  {
    if constexpr (is_on_heap<Held>)
      return Held(typename Held::made_by{}, [&] { return static_cast<unheld_t<Held>>((*op_)(*a, *b)); });
    else
      return static_cast<Held>((*op_)(a, b));
  }

private:
  Op* op_;
};

template <class Op, class T>
using held_operator = std::conditional_t<large<T>, on_heap_operator<Op, T>, Op>;

/// `op` as an operator over held<T>.
template <class T, class Op>
decltype(auto) hold_operator(Op& op)
{
  if constexpr (large<T>)
    return on_heap_operator<Op, T>(op);
  else
    return (op);
}

/// A transformation of elements to values of T on the heap.
template <class T, class Transform>
struct to_heap {
  Transform* transform;

  template <class Element>
  on_heap<T> operator()(Element&& element) const
  {
    return on_heap<T>({}, [&] { return static_cast<T>((*transform)(std::forward<Element>(element))); });
  }
};

/// The carry before a tile of elements of T.
template <class T, class Op>
using held_carry = order::carry<held<T>, held_operator<Op, T>>;

}  // namespace tally::cpu_backend

namespace tally::order {

/// A large value is a group of its own, wherever it lies.
template <class T>
inline constexpr std::size_t group<cpu_backend::on_heap<T>> = 1;

}  // namespace tally::order
