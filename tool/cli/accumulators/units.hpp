#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>

#include "accumulators/accumulator.hpp"
#include "io/numbers/form.hpp"

/// Accumulators of values with a unit (decimals, times, durations), which arrive as integers of that unit, all as
/// int128.
namespace tally::cli {

/// The exact sum divided by the count, rounded to the nearest unit, ties to even.
class unit_mean_accumulator final : public accumulator {
public:
  /// `window` as in accumulation: the sums are of so many values.
  unit_mean_accumulator(std::unique_ptr<accumulator> sum, std::size_t window) : sum_(std::move(sum)), window_(window) {}

  void restart() override
  {
    sum_->restart();
    count_ = 0;
  }

  void reduce(io::values_view const& values) override
  {
    sum_->reduce(values);
    count_ += static_cast<std::int64_t>(io::size_of(values));
  }

  void scan(io::values_view const& values, scan_kind kind, value_buffer& out) override
  {
    sum_->scan(values, kind, sums_);
    int128* const to = out.resize<int128>(io::size_of(values));
    std::visit(
        [&]<class T>(std::span<T const> sums) {
          if constexpr (!std::is_floating_point_v<T>) {
            for (std::size_t k = 0; k < sums.size(); ++k) {
              ++count_;
              bool const whole = window_ == 0 || count_ < static_cast<std::int64_t>(window_);
              to[k] = io::rounded_quotient(sums[k], whole ? count_ : static_cast<std::int64_t>(window_));
            }
          }
        },
        sums_.view());
  }

  result value() const override
  {
    if (count_ == 0) return std::numeric_limits<double>::quiet_NaN();
    return io::rounded_quotient(std::get<int128>(sum_->value()), count_);
  }

private:
  std::unique_ptr<accumulator> sum_;
  value_buffer sums_;
  std::size_t window_;
  std::int64_t count_ = 0;
};

/// The exact product. A product that is no decimal is an error at the value that causes it.
class decimal_product_accumulator final : public accumulator {
public:
  explicit decimal_product_accumulator(int128 start) : start_(start), value_(start) {}

  void restart() override { value_ = start_; }

  void reduce(io::values_view const& values) override
  {
    auto const in = std::get<std::span<int128 const>>(values);
    for (std::size_t k = 0; k < in.size(); ++k) multiply(in[k], k);
  }

  void scan(io::values_view const& values, scan_kind kind, value_buffer& out) override
  {
    auto const in = std::get<std::span<int128 const>>(values);
    int128* const to = out.resize<int128>(in.size());
    for (std::size_t k = 0; k < in.size(); ++k) {
      int128 const before = value_;
      multiply(in[k], k);
      to[k] = kind == scan_kind::inclusive ? value_ : before;
    }
  }

  result value() const override { return value_; }

private:
  void multiply(int128 by, std::size_t index);

  int128 start_;
  int128 value_;
};

/// Doubles, for an operation that has no exact results: decimals become the nearest doubles, times become seconds.
class units_as_doubles final : public accumulator {
public:
  units_as_doubles(std::unique_ptr<accumulator> of_doubles, io::number_unit unit)
      : of_doubles_(std::move(of_doubles)),
        unit_(unit)
  {
  }

  void restart() override { of_doubles_->restart(); }
  void reduce(io::values_view const& values) override { of_doubles_->reduce(doubles(values)); }
  void scan(io::values_view const& values, scan_kind kind, value_buffer& out) override
  {
    of_doubles_->scan(doubles(values), kind, out);
  }
  result value() const override { return of_doubles_->value(); }

private:
  io::values_view doubles(io::values_view const& values) const;

  std::unique_ptr<accumulator> of_doubles_;
  io::number_unit unit_;
};

/// The accumulator of values with a unit. Sums, products, the least and the greatest are exact, a mean is rounded once;
/// operations that keep no unit take the values as doubles. Throws `command_line_error` for an operation that has no
/// meaning: the sum of dates.
std::unique_ptr<accumulator> make_with_unit(accumulation const& what);

/// The double nearest to a number of units, in ones or seconds.
double nearest_double(int128 count, io::number_unit unit);

}  // namespace tally::cli
