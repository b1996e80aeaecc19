#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "accumulators/accumulator.hpp"

/// Accumulators whose results are one of the values, or the distance between two of them.
namespace tally::cli {

/// The first or the last of values that are taken as T.
template <class T, bool first>
class end_accumulator final : public accumulator {
public:
  void restart() override { value_.reset(); }

  void reduce(io::values_view const& values) override
  {
    std::visit(
        [&]<class U>(std::span<U const> in) {
          if constexpr (takes<U>)
            if (!in.empty() && !(first && value_)) value_ = static_cast<T>(first ? in.front() : in.back());
        },
        values);
  }

  void scan(io::values_view const& values, scan_kind, value_buffer& out) override
  {
    std::visit(
        [&]<class U>(std::span<U const> in) {
          if constexpr (takes<U>) {
            T* const to = out.resize<T>(in.size());
            if (!first) {
              for (std::size_t k = 0; k < in.size(); ++k) to[k] = static_cast<T>(in[k]);
            } else if (!in.empty()) {
              std::fill_n(to, in.size(), value_.value_or(static_cast<T>(in[0])));
            }
          }
        },
        values);
    reduce(values);
  }

  result value() const override
  {
    if (value_) return *value_;
    return std::numeric_limits<double>::quiet_NaN();
  }

private:
  template <class U>
  static constexpr bool takes = !std::is_same_v<T, int128> || !std::is_floating_point_v<U>;

  std::optional<T> value_;
};

/// The greatest value less the least one.
class range_accumulator final : public accumulator {
public:
  range_accumulator(std::unique_ptr<accumulator> least, std::unique_ptr<accumulator> greatest)
      : least_(std::move(least)),
        greatest_(std::move(greatest))
  {
  }

  void restart() override
  {
    least_->restart();
    greatest_->restart();
    is_empty_ = true;
  }

  void reduce(io::values_view const& values) override
  {
    least_->reduce(values);
    greatest_->reduce(values);
    is_empty_ = is_empty_ && io::size_of(values) == 0;
  }

  void scan(io::values_view const& values, scan_kind kind, value_buffer& out) override
  {
    thread_local value_buffer low, high, wide_low, wide_high;
    least_->scan(values, kind, low);
    greatest_->scan(values, kind, high);
    is_empty_ = is_empty_ && io::size_of(values) == 0;
    io::values_view lows = low.view(), highs = high.view();
    if (lows.index() != highs.index()) {  // windows narrow integers, each for itself
      lows = converted(lows, io::element_type::int128, wide_low);
      highs = converted(highs, io::element_type::int128, wide_high);
    }
    std::visit(
        [&]<class T>(std::span<T const> least) {
          using wide = std::conditional_t<std::is_floating_point_v<T>, T, int128>;
          auto const greatest = std::get<std::span<T const>>(highs);
          wide* const to = out.resize<wide>(least.size());
          for (std::size_t k = 0; k < least.size(); ++k)
            if (!subtract<wide>(static_cast<wide>(greatest[k]), static_cast<wide>(least[k]), to[k])) too_wide(k);
        },
        lows);
  }

  result value() const override
  {
    if (is_empty_) return std::numeric_limits<double>::quiet_NaN();
    return std::visit(
        []<class T, class U>(T greatest, U least) -> result {
          if constexpr (std::is_same_v<T, U> && !std::is_same_v<T, io::quantity>) {
            T difference{};
            if (!subtract(greatest, least, difference))
              throw error("the range of these integers needs more than 128 bits (--type float64 rounds)");
            return difference;
          } else {
            return std::numeric_limits<double>::quiet_NaN();
          }
        },
        greatest_->value(), least_->value());
  }

private:
  /// Whether the difference of the two fits.
  template <class T>
  static bool subtract(T a, T b, T& difference)
  {
    if constexpr (std::is_floating_point_v<T>) {
      difference = a - b;
      return true;
    } else {
      return !__builtin_sub_overflow(a, b, &difference);
    }
  }

  [[noreturn]] static void too_wide(std::size_t index)
  {
    throw value_problem(index, "a range of integers that needs more than 128 bits",
                        "one that fits (--type float64 rounds numbers of text instead)");
  }

  std::unique_ptr<accumulator> least_;
  std::unique_ptr<accumulator> greatest_;
  bool is_empty_ = true;
};

}  // namespace tally::cli
