#include "tally/detail/exact/running_sum.hpp"

#include <cmath>
#include <cstddef>
#include <limits>

#include "tally/detail/exact/kernels.hpp"
#include "tally/detail/exact/pair_sum.hpp"
#include "tally/detail/path.hpp"
#include "tally/half.hpp"

namespace tally::detail::exact {

template <class T>
void running_sum<T>::scan(T const* x, std::size_t n, T* out, sum_of<T>& sum, bool inclusive)
{
  sum_of<T> const before = sum;
  add_all(x, n, sum);
  std::size_t const right = usable_ && sum.is_finite() ? scan_pairs(x, n, out, inclusive) : 0;
  if (right == n) {
    if (bound_ != 0) begin(sum);
    return;
  }
  took("exact: results rounded from the whole sum");
  sum_of<T> whole = before;
  for (std::size_t i = 0; i < n; ++i) {
    if (!inclusive && i >= right) out[i] = whole.template nearest<T>();
    whole.add(static_cast<double>(x[i]));
    if (inclusive && i >= right) out[i] = whole.template nearest<T>();
  }
  begin(sum);
}

/// Writes results, and returns how many of them are known to be right.
template <class T>
std::size_t running_sum<T>::scan_pairs(T const* x, std::size_t n, T* out, bool inclusive)
{
  // The sums before each element, and after the last one. Only these two sums wait for each other.
  double high[most + 1], low[most + 1];
  high[0] = high_;
  low[0] = low_;
  double lost = bound_;
  for (std::size_t k = 0; k < n; ++k) {
    auto const [next, error] = two_sum(high[k], static_cast<double>(x[k]));
    auto const [all, rest] = two_sum(low[k], error);
    high[k + 1] = next;
    low[k + 1] = all;
    lost += std::fabs(rest);
  }
  // Infinity or NaN in the end if there was one on the way.
  auto const [again, rest] = two_sum(high[n], low[n]);
  high_ = again == 0 ? high[n] : again;
  low_ = rest;
  bound_ = lost;
  std::size_t const behind = inclusive ? 1 : 0;
  std::size_t k = 0;
  if (lost == 0) {
    for (; k < n; ++k) out[k] = rounded<T>(high[k + behind], low[k + behind]);
  } else {
    while (k < n && rounded<T>(high[k + behind], low[k + behind], lost, out[k])) ++k;
  }
  return k;
}

/// The nearest double, and the one nearest to what is left. `high_` is -0 as long as there are terms of -0 alone.
template <class T>
void running_sum<T>::begin(sum_of<T> const& sum)
{
  bound_ = low_ = 0;
  high_ = -0.0;
  usable_ = sum.is_finite();
  if (!usable_ || (sum.kinds() & terms::others) == 0) return;
  high_ = sum.template nearest<double>();
  usable_ = std::isfinite(high_);
  if (!usable_) return;
  sum_of<T> rest = sum;
  rest.add(-high_);
  low_ = rest.template nearest<double>();
  rest.add(-low_);
  bound_ = rest.carried().all().sign() == 0 ? 0 : std::fabs(low_) * 0x1p-53 + std::numeric_limits<double>::denorm_min();
}

template class running_sum<float>;
template class running_sum<double>;
template class running_sum<half>;
template class running_sum<bfloat16>;

}  // namespace tally::detail::exact
