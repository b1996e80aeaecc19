#pragma once

#include <concepts>
#include <type_traits>

#include "tally/config.hpp"
#include "tally/detail/elementary/exponential.hpp"
#include "tally/detail/elementary/logarithm.hpp"
#include "tally/detail/elementary/rounding.hpp"
#include "tally/operators/arithmetic.hpp"

/// The logarithm of a sum of exponentials, even where the exponentials themselves would overflow.
namespace tally {

/// sum exp(x) over n values x, kept as exp(maximum) * scaled_sum. `maximum` is the greatest x, so 1 <= scaled_sum <= n.
/// `exponential_sum<T>{}` is the sum over no values.
template <std::floating_point T>
class exponential_sum {
public:
  exponential_sum() = default;
  /// exp(x). exp(-infinity) is 0, the sum over no values.
  TALLY_HD explicit constexpr exponential_sum(T x) : exponential_sum(x, x == detail::least<T> ? T(0) : T(1)) {}
  TALLY_HD constexpr exponential_sum(T maximum, T scaled_sum)
      : maximum_(scaled_sum == T(0) ? T(0) : maximum),
        scaled_sum_(scaled_sum)
  {
  }
  template <class U>
  TALLY_HD explicit constexpr exponential_sum(exponential_sum<U> const& other)
      : exponential_sum(static_cast<T>(other.maximum()), static_cast<T>(other.scaled_sum()))
  {
  }

  /// -infinity if there are no values.
  TALLY_HD constexpr T maximum() const { return scaled_sum_ == T(0) ? detail::least<T> : maximum_; }
  TALLY_HD constexpr T scaled_sum() const { return scaled_sum_; }

  /// log(sum exp(x)); -infinity if there are no values. For float it is computed in double and rounded once.
  TALLY_HD constexpr T result() const
  {
    using wide = std::common_type_t<T, double>;
    if (scaled_sum_ == T(0)) return maximum();
    return static_cast<T>(static_cast<wide>(maximum_) + detail::elementary::logarithm(static_cast<wide>(scaled_sum_)));
  }

  friend constexpr bool operator==(exponential_sum const&, exponential_sum const&) = default;

private:
  T maximum_;  // 0 if there are no values, so that the empty sum has one representation
  T scaled_sum_;
};

namespace detail {

template <class E>
struct exponential_traits {
  using carry = E;
};
template <>
struct exponential_traits<exponential_sum<float>> {
  using carry = exponential_sum<double>;
};
template <class E>
inline constexpr bool is_exponential_sum = false;
template <class T>
inline constexpr bool is_exponential_sum<exponential_sum<T>> = true;

}  // namespace detail

/// The sum of two sums of exponentials. After a reduction, `result()` is log(sum exp(x)).
///
/// Equation  (m, s) op (n, t) = (k, s*exp(m - k) + t*exp(n - k)) with k = max(m, n)
/// Identity  (-infinity, 0), in bits; its result is -infinity
/// Exact     no: associative up to rounding, commutative in bits. A NaN gives NaN, +infinity gives +infinity.
///           Float and double have the same bits for every compiler, processor and GPU, in `result()` too, because exp
///           and log are Tally's own.
/// Cost      one exp, one product, one sum. Totals of tiles are combined in double for float.
/// Source    Milakov, Gimelshein, Online normalizer calculation for softmax (2018)
struct log_sum_exp {
  template <class T>
  TALLY_HD constexpr exponential_sum<T> operator()(exponential_sum<T> const& a, exponential_sum<T> const& b) const
  {
    if (a.scaled_sum() == T(0)) return b;
    if (b.scaled_sum() == T(0)) return a;
    T const greatest = tally::maximum{}(a.maximum(), b.maximum());
    if (a.maximum() == b.maximum())  // also if both are infinite: their difference would be NaN
      return {greatest, a.scaled_sum() + b.scaled_sum()};
    if (a.maximum() < b.maximum())
      return {greatest, detail::elementary::rounded_product(a.scaled_sum(),
                                                            detail::elementary::exponential(a.maximum() - greatest)) +
                            b.scaled_sum()};
    return {greatest, a.scaled_sum() + detail::elementary::rounded_product(
                                           b.scaled_sum(), detail::elementary::exponential(b.maximum() - greatest))};
  }
  template <class E>
    requires detail::is_exponential_sum<E>
  TALLY_HD static constexpr E identity()
  {
    return E{};
  }
  template <class E>
  using carry = typename detail::exponential_traits<E>::carry;
  template <class E>
  static constexpr bool commutative = detail::is_exponential_sum<E>;
};

}  // namespace tally
