#pragma once

#include <type_traits>

#include "tally/detail/cpu/kernels.hpp"

namespace tally::cpu_backend {

/// The kernels of every compiled operator on one type; empty where there are none.
template <class T>
struct operator_kernels {
  tile_kernels<T> plus, multiplies, minimum, maximum, bit_and, bit_or, bit_xor;

  template <class Op>
  constexpr tile_kernels<T> const& of() const
  {
    if constexpr (std::is_same_v<Op, tally::plus>)
      return plus;
    else if constexpr (std::is_same_v<Op, tally::multiplies>)
      return multiplies;
    else if constexpr (std::is_same_v<Op, tally::minimum>)
      return minimum;
    else if constexpr (std::is_same_v<Op, tally::maximum>)
      return maximum;
    else if constexpr (std::is_same_v<Op, tally::bit_and>)
      return bit_and;
    else if constexpr (std::is_same_v<Op, tally::bit_or>)
      return bit_or;
    else
      return bit_xor;
  }
};

/// The kernels on T for the best instruction set of this machine, or the one that Highway was told to use.
template <class T>
operator_kernels<T> const& all_kernels();

/// T is the type that the kernels of `Op` are compiled for (and not one that shares them).
template <class Op, class T>
inline constexpr bool is_kernel_element = [] {
  if constexpr (has_kernels<Op, T>)
    return std::is_same_v<typename kernel_element<Op, T>::type, T>;
  else
    return false;
}();

}  // namespace tally::cpu_backend
