#pragma once

#include <type_traits>

#include "tally/config.hpp"
#include "tally/operators/arithmetic.hpp"

/// Products that no compiler fuses with the sums they feed.
namespace tally::detail::elementary {

/// a * b, rounded to T before anything is added to it. Integers wrap.
///
/// A compiler may turn `a * b + c` into one fused multiply-add where the target has it. The bits of an operator written
/// that way would depend on the flags and on the machine. Every product that feeds a sum goes through this function.
template <class T>
TALLY_HD constexpr T rounded_product(T const& a, T const& b)
{
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    T product = a * b;
    if (__builtin_is_constant_evaluated()) return product;
#if defined(__CUDA_ARCH__)
    if constexpr (std::is_same_v<T, float>)
      product = __fmul_rn(a, b);
    else
      product = __dmul_rn(a, b);
#elif defined(__GNUC__) && defined(__x86_64__)
    __asm__("" : "+x"(product));  // an empty instruction that may have changed the product: nothing is fused across it
#elif defined(__GNUC__) && defined(__aarch64__)
    __asm__("" : "+w"(product));
#elif defined(__GNUC__)
    __asm__("" : "+m"(product));
#endif
    return product;
  } else {
    return static_cast<T>(multiplies{}(a, b));
  }
}

/// a + x*b, rounded after the product and after the sum: a step of a polynomial.
template <class T>
TALLY_HD constexpr T plus_product(T const& a, T const& x, T const& b)
{
  return a + rounded_product(x, b);
}

}  // namespace tally::detail::elementary
