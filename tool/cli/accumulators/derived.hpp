#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include <tally/operators.hpp>

#include "accumulators/accumulator.hpp"

/// Accumulators whose results are of another kind than the values: truth values, positions, counts, means.
namespace tally::cli {

/// 1 if all (logical_and) or any (logical_or) of the values are nonzero, else 0. A NaN is nonzero.
template <class Op>
class truth_accumulator final : public accumulator {
public:
  explicit truth_accumulator(std::optional<bool> init) : start_(init.value_or(identity_of<bool>(Op{}))), value_(start_)
  {
  }

  void restart() override { value_ = start_; }

  void reduce(io::values_view const& values) override
  {
    std::visit(
        [&](auto in) {
          for (auto const value : in) value_ = Op{}(value_, value != 0);
        },
        values);
  }

  void scan(io::values_view const& values, scan_kind kind, value_buffer& out) override
  {
    std::uint8_t* const to = out.resize<std::uint8_t>(io::size_of(values));
    std::visit(
        [&](auto in) {
          for (std::size_t k = 0; k < in.size(); ++k) {
            bool const before = value_;
            value_ = Op{}(value_, in[k] != 0);
            to[k] = kind == scan_kind::inclusive ? value_ : before;
          }
        },
        values);
  }

  result value() const override { return int128{value_}; }

private:
  bool start_;
  bool value_;
};

/// The position, from 0, of the first extreme value among values of one type. `Op` is argmin or argmax.
template <class T, class Op>
class place_accumulator final : public accumulator {
public:
  void restart() override
  {
    best_.reset();
    count_ = 0;
  }

  void reduce(io::values_view const& values) override
  {
    for_all(values, [](std::uint64_t, std::size_t) {});
  }

  void scan(io::values_view const& values, scan_kind, value_buffer& out) override
  {
    std::int64_t* const to = out.resize<std::int64_t>(io::size_of(values));
    for_all(values, [to](std::uint64_t place, std::size_t k) { to[k] = static_cast<std::int64_t>(place); });
  }

  result value() const override
  {
    if (!best_) throw error("no values, so none is the least or the greatest");
    return static_cast<int128>(best_->index);
  }

private:
  template <class Use>
  void for_all(io::values_view const& values, Use use)
  {
    if constexpr (std::is_same_v<T, double>) {
      for_span(as_doubles(values, scratch()), use);
    } else {
      std::visit(
          [&]<class U>(std::span<U const> in) {
            if constexpr (std::is_same_v<T, U> || (std::is_same_v<T, int128> && !std::is_floating_point_v<U>))
              for_span(in, use);
          },
          values);
    }
  }

  template <class U, class Use>
  void for_span(std::span<U const> in, Use use)
  {
    if (in.empty()) return;
    indexed<T, std::uint64_t> best = best_.value_or(indexed<T, std::uint64_t>{static_cast<T>(in[0]), count_});
    for (std::size_t k = 0; k < in.size(); ++k) {
      best = Op{}(best, {static_cast<T>(in[k]), count_ + k});
      use(best.index, k);
    }
    best_ = best;
    count_ += in.size();
  }

  std::optional<indexed<T, std::uint64_t>> best_;
  std::uint64_t count_ = 0;
};

class count_accumulator final : public accumulator {
public:
  void restart() override { count_ = 0; }

  void reduce(io::values_view const& values) override { count_ += static_cast<std::int64_t>(io::size_of(values)); }

  void scan(io::values_view const& values, scan_kind kind, value_buffer& out) override
  {
    std::size_t const n = io::size_of(values);
    std::int64_t* const to = out.resize<std::int64_t>(n);
    for (std::size_t k = 0; k < n; ++k) {
      to[k] = kind == scan_kind::inclusive ? count_ + 1 : count_;
      ++count_;
    }
  }

  result value() const override { return int128{count_}; }

private:
  std::int64_t count_ = 0;
};

/// The number of values in a sum of the last `window` ones, or of all if that is 0.
inline double counted(std::uint64_t count, std::size_t window)
{
  return static_cast<double>(window == 0 ? count : std::min<std::uint64_t>(count, window));
}

/// Floats as doubles: a sum of floats would be rounded to float.
inline io::values_view widened(io::values_view const& values)
{
  thread_local value_buffer doubles;
  return io::type_of(values) == io::element_type::float32 ? io::values_view(as_doubles(values, doubles)) : values;
}

/// The sum divided by the count. The exact sum of integers is rounded only here.
class mean_accumulator final : public accumulator {
public:
  /// With a window `sum` is that of the last `window` values.
  explicit mean_accumulator(std::unique_ptr<accumulator> sum, std::size_t window = 0)
      : sum_(std::move(sum)),
        window_(window)
  {
  }

  void restart() override
  {
    sum_->restart();
    count_ = 0;
  }

  void reduce(io::values_view const& values) override
  {
    sum_->reduce(widened(values));
    count_ += io::size_of(values);
  }

  void scan(io::values_view const& values, scan_kind kind, value_buffer& out) override
  {
    thread_local value_buffer sums;
    sum_->scan(widened(values), kind, sums);
    std::span<double const> const totals = as_doubles(sums.view(), scratch());
    double* const to = out.resize<double>(totals.size());
    for (std::size_t k = 0; k < totals.size(); ++k) to[k] = totals[k] / counted(++count_, window_);
  }

  result value() const override
  {
    double const sum = std::visit([](auto x) { return static_cast<double>(x); }, sum_->value());
    return sum / static_cast<double>(count_);
  }

private:
  std::unique_ptr<accumulator> sum_;
  std::size_t window_;
  std::uint64_t count_ = 0;
};

}  // namespace tally::cli
