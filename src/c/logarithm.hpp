#pragma once

#include "tally/config.hpp"
#include "tally/operators/log_sum_exp.hpp"

namespace tally::c {

/// An exponential_sum that comes from a logarithm and becomes one.
template <class T>
struct logarithm : exponential_sum<T> {
  logarithm() = default;
  TALLY_HD logarithm(T x) : exponential_sum<T>(x) {}
  TALLY_HD explicit logarithm(exponential_sum<T> const& sum) : exponential_sum<T>(sum) {}
  template <class U>
  TALLY_HD explicit logarithm(logarithm<U> const& other)
      : exponential_sum<T>(static_cast<exponential_sum<U> const&>(other))
  {
  }
  TALLY_HD operator T() const { return this->result(); }
};

/// log_sum_exp of logarithms.
struct add_exponentials {
  template <class T>
  TALLY_HD logarithm<T> operator()(logarithm<T> const& a, logarithm<T> const& b) const
  {
    return logarithm<T>(
        log_sum_exp{}(static_cast<exponential_sum<T> const&>(a), static_cast<exponential_sum<T> const&>(b)));
  }
  template <class E>
  TALLY_HD static constexpr E identity()
  {
    return E{};
  }
  template <class E>
  using carry = logarithm<double>;
};

}  // namespace tally::c
