#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>

#include "tally/config.hpp"
#include "tally/detail/elementary/rounding.hpp"
#include "tally/operators/arithmetic.hpp"

/// Mean and variance in one pass, without the cancellation of E[x^2] - E[x]^2.
namespace tally {

/// The count of values, their mean, and the sum of the squares of their deviations from it.
/// `moments<T>{}` is that of no values. A value that is infinite or NaN makes the variance NaN.
template <std::floating_point T>
class moments {
public:
  moments() = default;
  TALLY_HD explicit constexpr moments(T value) : count_(1), mean_(value), squared_deviations_(value - value) {}
  TALLY_HD constexpr moments(std::uint64_t count, T mean, T squared_deviations)
      : count_(count),
        mean_(mean),
        squared_deviations_(squared_deviations)
  {
  }
  template <class U>
  TALLY_HD explicit constexpr moments(moments<U> const& other)
      : count_(other.count()),
        mean_(static_cast<T>(other.mean_or_zero())),
        squared_deviations_(static_cast<T>(other.squared_deviations()))
  {
  }

  TALLY_HD constexpr std::uint64_t count() const { return count_; }
  TALLY_HD constexpr T squared_deviations() const { return squared_deviations_; }
  /// Zero if there are no values.
  TALLY_HD constexpr T mean_or_zero() const { return mean_; }

  /// NaN if there are no values.
  TALLY_HD constexpr T mean() const { return count_ == 0 ? detail::not_a_number<T> : mean_; }
  /// The mean of the squared deviations, their sum divided by n; NaN if there are no values.
  TALLY_HD constexpr T variance() const { return count_ == 0 ? mean() : squared_deviations_ / static_cast<T>(count_); }
  /// The unbiased estimate from a sample, the sum divided by n - 1; NaN if there are fewer than two values.
  TALLY_HD constexpr T sample_variance() const
  {
    return count_ < 2 ? detail::not_a_number<T> : squared_deviations_ / static_cast<T>(count_ - 1);
  }
  TALLY_HD T standard_deviation() const { return std::sqrt(variance()); }
  TALLY_HD T sample_standard_deviation() const { return std::sqrt(sample_variance()); }

  friend constexpr bool operator==(moments const&, moments const&) = default;

private:
  std::uint64_t count_;
  T mean_;
  T squared_deviations_;
};

namespace detail {

template <class M>
struct moments_traits {
  using carry = M;
};
template <>
struct moments_traits<moments<float>> {
  using carry = moments<double>;
};
template <class M>
inline constexpr bool is_moments = false;
template <class T>
inline constexpr bool is_moments<moments<T>> = true;

}  // namespace detail

/// The moments of two sets of values together.
///
/// Equation  n = n1 + n2,  d = m2 - m1,  mean = m1 + d*n2/n,  S = S1 + S2 + d^2*n1*n2/n
/// Identity  no values, in bits
/// Exact     no: associative and commutative up to rounding. The mean of a constant sequence is exactly its value, and
///           the variance is 0.
/// Cost      one division, four products, five sums. Totals of tiles are combined in double for float.
/// Source    Chan, Golub, LeVeque, Updating formulae and a pairwise algorithm for computing sample variances (1979);
///           the same, Algorithms for computing the sample variance (1983)
struct mean_and_variance {
  template <class T>
  TALLY_HD constexpr moments<T> operator()(moments<T> const& a, moments<T> const& b) const
  {
    bool const a_is_empty = a.count() == 0, b_is_empty = b.count() == 0;
    std::uint64_t const n = a.count() + b.count();
    T const weight = static_cast<T>(b.count()) / static_cast<T>(n == 0 ? 1 : n);
    T const difference = b.mean_or_zero() - a.mean_or_zero();
    T const shift = detail::elementary::rounded_product(difference, weight);
    T const squares = detail::elementary::rounded_product(detail::elementary::rounded_product(difference, shift),
                                                          static_cast<T>(a.count()));
    T mean = a.mean_or_zero() + shift;
    if (difference - difference != T(0)) {  // infinite or NaN. The weighted mean of inf and inf is inf.
      T const other = static_cast<T>(a.count()) / static_cast<T>(n == 0 ? 1 : n);
      mean = detail::elementary::rounded_product(a.mean_or_zero(), other) +
             detail::elementary::rounded_product(b.mean_or_zero(), weight);
    }
    T const deviations = (a.squared_deviations() + b.squared_deviations()) + squares;
    // Empty operands are selected at the end. A branch at the beginning costs more on a GPU, where lanes would diverge.
    return {n,
            a_is_empty   ? b.mean_or_zero()
            : b_is_empty ? a.mean_or_zero()
                         : mean,
            a_is_empty   ? b.squared_deviations()
            : b_is_empty ? a.squared_deviations()
                         : deviations};
  }
  template <class M>
    requires detail::is_moments<M>
  TALLY_HD static constexpr M identity()
  {
    return M{};
  }
  template <class M>
  using carry = typename detail::moments_traits<M>::carry;
};

}  // namespace tally
