#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

#include <tally/operators.hpp>

#include "accumulators/accumulator.hpp"

/// Accumulators of integers, exact in 128 bits. A result that needs more bits is an error at the value that causes it.
namespace tally::cli {

/// An operator on integers of 64 and 128 bits. `combine(a, b, c)` sets c to the result of a and b and returns whether
/// it fits. Most operators' results need no more bits than their operands.
template <class Op>
struct exact {
  static constexpr bool grows = false;
  template <class W>
  static bool combine(W a, W b, W& c)
  {
    c = static_cast<W>(Op{}(a, b));
    return true;
  }
};

template <>
struct exact<plus> {
  static constexpr bool grows = true;
  template <class W>
  static bool combine(W a, W b, W& c)
  {
    return !__builtin_add_overflow(a, b, &c);
  }
};

template <>
struct exact<multiplies> {
  static constexpr bool grows = true;
  template <class W>
  static bool combine(W a, W b, W& c)
  {
    return !__builtin_mul_overflow(a, b, &c);
  }
};

/// Whether no values have an exact result. The least and the greatest of none are infinite, which no integer is.
template <class Op>
inline constexpr bool has_exact_identity = exact<Op>::grows || !operator_over<Op, double>;

/// The exact sum of up to 2^31 values of at most 64 bits.
template <class T>
int128 sum_of(std::span<T const> values)
{
  if constexpr (sizeof(T) < 8) {
    std::int64_t sum = 0;
    for (T const value : values) sum += value;
    return sum;
  } else {
    // The halves of 32 bits are summed in 64 bits each. There are no carries between them, so the loop becomes vector
    // code.
    constexpr std::uint64_t bias = std::is_signed_v<T> ? std::uint64_t{1} << 63 : 0;
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    for (T const value : values) {
      std::uint64_t const biased = static_cast<std::uint64_t>(value) ^ bias;
      low += biased & 0xffffffffU;
      high += biased >> 32;
    }
    return static_cast<int128>(high) * (int128{1} << 32) + low -
           static_cast<int128>(bias) * static_cast<int128>(values.size());
  }
}

template <class Op>
class exact_accumulator final : public accumulator {
public:
  /// `start` is combined before the first value: the initial value, or the identity; nothing if there is neither.
  explicit exact_accumulator(std::optional<int128> start, io::number_unit unit = io::number_unit::one)
      : start_(start),
        unit_(unit)
  {
    restart();
  }

  void restart() override
  {
    value_ = start_.value_or(0);
    has_value_ = start_.has_value();
  }

  void reduce(io::values_view const& values) override
  {
    std::visit(
        [&]<class T>(std::span<T const> in) {
          if constexpr (!std::is_floating_point_v<T>) reduce_span(in);
        },
        values);
  }

  void scan(io::values_view const& values, scan_kind kind, value_buffer& out) override
  {
    std::visit(
        [&]<class T>(std::span<T const> in) {
          if constexpr (!std::is_floating_point_v<T>) {
            constexpr bool narrow = sizeof(T) < 8 || std::is_same_v<T, std::int64_t>;
            if constexpr (narrow) {
              if (scan_span<std::int64_t>(in, kind, out) == in.size()) return;
            }
            if (std::size_t const done = scan_span<int128>(in, kind, out); done < in.size()) overflow(done, unit_);
          }
        },
        values);
  }

  result value() const override
  {
    if (has_value_) return value_;
    if constexpr (has_exact_identity<Op>)
      return identity_of<int128>(Op{});
    else
      return identity_of<double>(Op{});
  }

  /// Throws the error of a result that needs more than 128 bits from value `index` on.
  [[noreturn]] static void overflow(std::size_t index, io::number_unit unit = io::number_unit::one)
  {
    if (unit != io::number_unit::one)
      throw value_problem(index,
                          unit == io::number_unit::decimal ? "a sum of decimals beyond 1.7e20"
                                                           : "a sum of times that needs more than 128 bits",
                          "one that fits");
    std::string const name = std::is_same_v<Op, multiplies> ? "product" : "sum";
    throw value_problem(index, "a " + name + " of integers that needs more than 128 bits",
                        "one that fits (--type float64 rounds numbers of text instead)");
  }

private:
  static constexpr int128 safe = int128{1} << 126;

  template <class T>
  void reduce_span(std::span<T const> in)
  {
    if (in.empty()) return;
    if constexpr (std::is_same_v<Op, plus> && sizeof(T) <= 8) {
      if (-safe < value_ && value_ < safe) {
        for (std::size_t first = 0; first < in.size(); first += block)
          value_ += sum_of(in.subspan(first, std::min(block, in.size() - first)));
        has_value_ = true;
        return;
      }
    }
    std::size_t first = 0;
    if (!has_value_) value_ = static_cast<int128>(in[first++]);
    has_value_ = true;
    if constexpr (!exact<Op>::grows) {
      T folded = first < in.size() ? in[first] : T{};
      for (std::size_t k = first + 1; k < in.size(); ++k) exact<Op>::combine(folded, in[k], folded);
      if (first < in.size()) exact<Op>::combine(value_, static_cast<int128>(folded), value_);
    } else {
      for (std::size_t k = first; k < in.size(); ++k)
        if (!exact<Op>::combine(value_, static_cast<int128>(in[k]), value_)) overflow(k, unit_);
    }
  }

  /// Scans in `Wide` and returns how many results fit it. If some do not, nothing has changed.
  template <class Wide, class T>
  std::size_t scan_span(std::span<T const> in, scan_kind kind, value_buffer& out)
  {
    if constexpr (!std::is_same_v<Wide, int128>) {
      if (value_ < std::numeric_limits<Wide>::min() || value_ > std::numeric_limits<Wide>::max()) return 0;
    }
    Wide* const to = out.resize<Wide>(in.size());
    Wide value = static_cast<Wide>(value_);
    std::size_t k = 0;
    if (!has_value_ && kind == scan_kind::inclusive && !in.empty()) {
      value = static_cast<Wide>(in[0]);
      to[k++] = value;
    }
    if (kind == scan_kind::inclusive) {
      for (; k < in.size(); ++k) {
        if (!exact<Op>::combine(value, static_cast<Wide>(in[k]), value)) return k;
        to[k] = value;
      }
    } else {
      for (; k < in.size(); ++k) {
        to[k] = value;
        if (!exact<Op>::combine(value, static_cast<Wide>(in[k]), value)) return k;
      }
    }
    value_ = value;
    has_value_ = has_value_ || !in.empty();
    return in.size();
  }

  static constexpr std::size_t block = std::size_t{1} << 20;  // far below the 2^31 that sum_of takes

  std::optional<int128> start_;
  io::number_unit unit_;
  int128 value_ = 0;
  bool has_value_ = false;
};

}  // namespace tally::cli
