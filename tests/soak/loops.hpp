#pragma once

#include <type_traits>

#include "tally/operators/arithmetic.hpp"

/// The operators of plain loops: Tally's operators, written without the library.
namespace tally::soak {

template <class Op>
struct loop : Op {};
template <>
struct loop<plus> {
  template <class T>
  TALLY_HD T operator()(T a, T b) const
  {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<unsigned long long>(a) + static_cast<unsigned long long>(b));
    else
      return a + b;
  }
};
template <>
struct loop<multiplies> {
  template <class T>
  TALLY_HD T operator()(T a, T b) const
  {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<unsigned long long>(a) * static_cast<unsigned long long>(b));
    else
      return a * b;
  }
};
template <>
struct loop<minimum> {
  template <class T>
  TALLY_HD T operator()(T a, T b) const
  {
    return b < a ? b : a;
  }
};
template <>
struct loop<maximum> {
  template <class T>
  TALLY_HD T operator()(T a, T b) const
  {
    return a < b ? b : a;
  }
};
template <>
struct loop<bit_and> {
  template <class T>
  TALLY_HD T operator()(T a, T b) const
  {
    return static_cast<T>(a & b);
  }
};
template <>
struct loop<bit_or> {
  template <class T>
  TALLY_HD T operator()(T a, T b) const
  {
    return static_cast<T>(a | b);
  }
};
template <>
struct loop<bit_xor> {
  template <class T>
  TALLY_HD T operator()(T a, T b) const
  {
    return static_cast<T>(a ^ b);
  }
};

}  // namespace tally::soak
