#include "accumulators/windows/running_order.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "accumulators/mixed.hpp"
#include "sorting/figures.hpp"
#include "sorting/ordered_values.hpp"

namespace tally::cli {

namespace {

template <class T>
bool is_nan(T value)
{
  if constexpr (std::is_same_v<T, double>) return std::isnan(value);
  return false;
}

/// Quantiles, their range and the median of the distances from the median, as doubles or as the nearest integers.
template <class T, class Out>
class order_of_values {
public:
  using out = Out;

  explicit order_of_values(operation op) : op_(op) {}

  void add(T value) { values_.add(value); }
  void take(T value) { values_.take(value); }
  void clear() { values_.clear(); }

  /// Requires: there are values.
  Out figure() const
  {
    std::size_t const n = values_.size();
    if constexpr (std::is_same_v<Out, int128>) {
      if (op_ == operation::iqr) return std::get<int128>(between_quartiles(between_integers::an_integer));
      if (op_ != operation::mad) return std::get<int128>(at(place_of(op_, n), between_integers::an_integer));
      constexpr int128 safe = int128{1} << 124;  // no sum overflows
      return values_[0] > -safe && values_[n - 1] < safe ? exact_deviation() : nearest_integer(deviation());
    } else {
      if (is_nan(values_[n - 1])) return std::numeric_limits<double>::quiet_NaN();
      if (op_ == operation::iqr) return nearest_double(between_quartiles(between_integers::a_double));
      return op_ == operation::mad ? deviation() : nearest_double(at(place_of(op_, n)));
    }
  }

private:
  result at(quantile_place const& position, between_integers form = between_integers::a_double) const
  {
    result const here = values_[position.place];
    return position.part.numerator == 0 ? here : between(here, values_[position.place + 1], position.part, form);
  }

  result between_quartiles(between_integers form) const
  {
    std::size_t const n = values_.size();
    return difference_of(at(place_of(upper_quartile, n), form), at(place_of(lower_quartile, n), form), form);
  }

  double deviation() const
  {
    std::size_t const n = values_.size();
    double const median = nearest_double(at({(n - 1) / 2, {n % 2 == 0 ? 1 : 0, 2}}));
    if (!std::isfinite(median)) return std::numeric_limits<double>::quiet_NaN();
    auto const above = [median](T value) { return static_cast<double>(value) - median; };
    auto const below = [median](T value) { return median - static_cast<double>(value); };
    double const upper = distance(above, below, n / 2);
    return n % 2 != 0 ? upper : nearest_double(between(distance(above, below, n / 2 - 1), upper, {1, 2}));
  }

  int128 exact_deviation() const
  {
    std::size_t const n = values_.size();
    int128 const twice_median = values_[(n - 1) / 2] + values_[n / 2];
    auto const above = [=](int128 value) { return 2 * value - twice_median; };
    auto const below = [=](int128 value) { return twice_median - 2 * value; };
    int128 const upper = distance(above, below, n / 2);
    return io::rounded_quotient(upper + (n % 2 != 0 ? upper : distance(above, below, n / 2 - 1)), 4);
  }

  /// The kth distance from the median, from 0: the k + 1 nearest values stand side by side, and one of the two at their
  /// ends is the farthest. `over(x)` and `under(x)` are how far x is above and below the median.
  template <class Over, class Under>
  auto distance(Over over, Under under, std::size_t k) const
  {
    auto const below = [&](std::size_t first) { return under(values_[first]); };
    auto const above = [&](std::size_t first) { return over(values_[first + k]); };
    std::size_t least = 0;
    std::size_t most = values_.size() - 1 - k;
    while (least < most) {
      std::size_t const middle = least + (most - least) / 2;
      if (below(middle) <= above(middle))
        most = middle;
      else
        least = middle + 1;
    }
    auto const here = std::max(below(least), above(least));
    return least == 0 ? here : std::min(here, std::max(below(least - 1), above(least - 1)));
  }

  operation op_;
  ordered_values<T> values_;
};

/// The most frequent value, or the number of different ones.
template <class T, bool counts>
class frequencies_of_values {
public:
  using out = std::conditional_t<counts, std::int64_t, T>;

  explicit frequencies_of_values(operation) {}

  void add(T value) { change(value, 1); }
  void take(T value) { change(value, -1); }
  void clear()
  {
    counts_.clear();
    by_count_.clear();
  }

  out figure() const
  {
    if constexpr (counts)
      return static_cast<std::int64_t>(counts_.size());
    else
      return value_of<T>(by_count_.begin()->second);
  }

private:
  void change(T value, std::int64_t by)
  {
    order_key const key = key_of(value == T{} ? T{} : value);
    auto const at = counts_.try_emplace(key, 0).first;
    if (!counts) by_count_.erase({-at->second, key});
    at->second += by;
    if (at->second == 0)
      counts_.erase(at);
    else if (!counts)
      by_count_.insert({-at->second, key});
  }

  std::map<order_key, std::int64_t> counts_;
  std::set<std::pair<std::int64_t, order_key>> by_count_;  // the most frequent first, and of several the least
};

/// Values of type T, whose figures are made by Figures.
template <class T, class Figures>
class running_order_accumulator final : public accumulator {
public:
  running_order_accumulator(accumulation const& what)
      : window_(what.window),
        figures_(what.op),
        as_float_(what.type == io::element_type::float32)
  {
  }

  void restart() override
  {
    figures_.clear();
    recent_.clear();
  }

  void reduce(io::values_view const& values) override
  {
    for_each(values, [](std::size_t) {});
  }

  void scan(io::values_view const& values, scan_kind, value_buffer& out) override
  {
    using out_type = typename Figures::out;
    if constexpr (std::is_same_v<out_type, double>) {
      if (as_float_) {
        float* const to = out.resize<float>(io::size_of(values));
        for_each(values, [&](std::size_t k) { to[k] = static_cast<float>(figures_.figure()); });
        return;
      }
    }
    out_type* const to = out.resize<out_type>(io::size_of(values));
    for_each(values, [&](std::size_t k) { to[k] = figures_.figure(); });
  }

  result value() const override { throw error("a running result has no last value"); }  // only scans use it

private:
  template <class Use>
  void for_each(io::values_view const& values, Use use)
  {
    std::visit(
        [&]<class U>(std::span<U const> in) {
          if constexpr (std::is_same_v<T, double> || !std::is_floating_point_v<U>) {
            for (std::size_t k = 0; k < in.size(); ++k) {
              auto const value = static_cast<T>(in[k]);
              if (window_ > 0) {
                if (recent_.size() == window_) {
                  figures_.take(recent_.front());
                  recent_.pop_front();
                }
                recent_.push_back(value);
              }
              figures_.add(value);
              use(k);
            }
          }
        },
        values);
  }

  std::size_t window_;
  Figures figures_;
  bool as_float_;
  std::deque<T> recent_;  // the values of the window
};

template <class T, class Order>
std::unique_ptr<accumulator> make_of(accumulation const& what)
{
  if (what.op == operation::mode)
    return std::make_unique<running_order_accumulator<T, frequencies_of_values<T, false>>>(what);
  if (what.op == operation::distinct)
    return std::make_unique<running_order_accumulator<T, frequencies_of_values<T, true>>>(what);
  return std::make_unique<running_order_accumulator<T, Order>>(what);
}

}  // namespace

std::unique_ptr<accumulator> make_running_order(accumulation const& what)
{
  if (what.unit != io::number_unit::one) return make_of<int128, order_of_values<int128, int128>>(what);
  auto const of_integers = make_of<int128, order_of_values<int128, double>>;
  auto const of_doubles = make_of<double, order_of_values<double, double>>;
  if (!what.type) return std::make_unique<mixed_accumulator>(of_integers(what), of_doubles(what), what.op);
  return io::is_integer(*what.type) ? of_integers(what) : of_doubles(what);
}

}  // namespace tally::cli
