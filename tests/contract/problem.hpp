#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "../order/reference.hpp"
#include "../support/data.hpp"

namespace tally::test {

/// Any operator on values of W and totals of C. With it the reference is compiled once for each type, and not for each
/// operator.
template <class W, class C>
struct any_operator {
  using carry = C;
  std::function<W(W const&, W const&)> on_values;
  std::function<C(C const&, C const&)> on_totals;

  template <class X>
  X operator()(X const& a, X const& b) const
  {
    if constexpr (std::is_same_v<X, W>)
      return on_values(a, b);
    else
      return on_totals(a, b);
  }
};

template <class T, class Op>
reference::results<T> by_reference(std::vector<T> const& x, Op op, std::optional<T> const& init = {})
{
  using W = working_type<T>;
  using C = carry_type<Op, T>;
  any_operator<W, C> const any{[op](W const& a, W const& b) { return static_cast<W>(op(a, b)); },
                               [op](C const& a, C const& b) { return static_cast<C>(op(a, b)); }};
  return reference::scan(x, any, init);
}

/// One input with an initial value, and their results by the order.
template <class T, class Op>
struct problem {
  using element = T;

  std::vector<T> x;
  Op op;
  T init;
  reference::results<T> plain;    ///< without the initial value
  reference::results<T> started;  ///< with it

  problem(std::vector<T> elements, Op operation, T initial)
      : x(std::move(elements)),
        op(operation),
        init(initial),
        plain(by_reference(x, op)),
        started(by_reference(x, op, std::optional<T>(init)))
  {
  }
  problem(data kind, std::size_t n, Op operation)
      : problem(make_data<T>(kind, n), operation, make_data<T>(data::distinct, 1, 99)[0])
  {
  }
};

/// A transformation that is its own inverse. A call that transforms receives the twisted elements of a problem, and
/// must give the answers of the problem.
struct twist {
  template <class T>
  TALLY_HD constexpr T operator()(T const& x) const
  {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(~x);
    else
      return -x;
  }
};

/// The input of a contract's call for the elements x.
template <class Contract, class T>
std::vector<T> input_for(std::vector<T> x)
{
  if constexpr (requires { Contract::transforms; }) {
    for (T& value : x) value = twist{}(value);
  }
  return x;
}

/// The places of the operands of a call.
struct placement {
  std::size_t in_offset = 0;  ///< elements after an aligned place
  std::size_t out_offset = 0;
  bool in_place = false;

  std::string shown() const
  {
    return "input at offset " + std::to_string(in_offset) +
           (in_place ? ", in place" : ", output at offset " + std::to_string(out_offset));
  }
};

/// Every pair of offsets from 0 to 15, and in place at each.
inline std::vector<placement> every_placement()
{
  std::vector<placement> places;
  for (std::size_t in = 0; in < 16; ++in) {
    places.push_back({.in_offset = in, .in_place = true});
    for (std::size_t out = 0; out < 16; ++out) places.push_back({.in_offset = in, .out_offset = out});
  }
  return places;
}

}  // namespace tally::test
