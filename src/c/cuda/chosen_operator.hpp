#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "tally/config.hpp"
#include "tally/operators/arithmetic.hpp"

namespace tally::c {

/// One of the operators of the library, chosen when a call is made: one kernel serves all, and is compiled once. Of
/// floats sums are not among them: they are worth kernels of their own, and totals of tiles of float have another
/// type. `T` is float, double or std::uint64_t.
template <class T>
class chosen_operator {
public:
  /// The operator of this number in tally.h: 1 to 7 of integers, 2 to 4 of floats. Of integers `is_signed` says how
  /// they are compared.
  static chosen_operator of(std::size_t number, bool is_signed)
  {
    chosen_operator result;
    result.number_ = static_cast<int>(number);
    result.is_signed_ = is_signed;
    return result;
  }

  TALLY_HD T operator()(T const& a, T const& b) const
  {
    switch (number_) {
      case 2: return multiplies{}(a, b);
      case 3: return compared<minimum>(a, b);
      case 4: return compared<maximum>(a, b);
      default: break;
    }
    if constexpr (std::same_as<T, std::uint64_t>) {
      switch (number_) {
        case 1: return plus{}(a, b);
        case 5: return bit_and{}(a, b);
        case 6: return bit_or{}(a, b);
        default: return bit_xor{}(a, b);
      }
    }
    return a;
  }
  template <class>
  TALLY_HD T identity() const
  {
    switch (number_) {
      case 2: return T(1);
      case 3: return extreme<minimum>();
      case 4: return extreme<maximum>();
      case 5: return static_cast<T>(~std::uint64_t{0});
      default: return T(0);
    }
  }
  template <class>
  static constexpr bool exactly_associative = detail::is_integer<T>;
  template <class>
  static constexpr bool commutative = true;

private:
  template <class Extreme>
  TALLY_HD T compared(T const& a, T const& b) const
  {
    if constexpr (std::same_as<T, std::uint64_t>) {
      if (is_signed_) return static_cast<T>(Extreme{}(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b)));
    }
    return Extreme{}(a, b);
  }
  template <class Extreme>
  TALLY_HD T extreme() const
  {
    if constexpr (std::same_as<T, std::uint64_t>) {
      if (is_signed_) return static_cast<T>(Extreme::template identity<std::int64_t>());
    }
    return Extreme::template identity<T>();
  }

  int number_ = 0;
  bool is_signed_ = true;
};

}  // namespace tally::c
