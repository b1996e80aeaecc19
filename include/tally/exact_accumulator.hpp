#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>

#include "tally/config.hpp"
#include "tally/detail/exact/fixed_point.hpp"
#include "tally/detail/exact/kernels.hpp"
#include "tally/error.hpp"
#include "tally/half.hpp"

namespace tally {

/// The exact sum of numbers of type T in any order: they are added, subtracted, merged, compared, and rounded once.
///
///     tally::exact_accumulator<double> sum;
///     sum.add(0.1);
///     sum.add(values);                     a range
///     sum.add(another);                    another accumulator
///     double const rounded = sum.round();
///
/// Requires  T is float, double, half or bfloat16; at most 2^62 terms.
/// Result    round() is the number nearest to the exact sum, ties to even, whatever the order of the terms and however
///           they were shared among accumulators. Infinities and NaN add as IEEE 754 says: an infinity stays, infinities
///           of both signs and NaN give NaN. A sum overflows only if the rounded one does, not on the way. A sum of zero
///           is +0, or -0 if there are terms and all of them are -0.
/// Cost      some 5 ns a number; of a contiguous range as `reduce` with exact_plus on one thread. round(): 0.1 us.
/// Memory    576 bytes for double, 120 for the others.
/// Source    Kulisch, Computer arithmetic and validity (2013), section 8; Neal, Fast exact summation using small and
///           large superaccumulators (2015).
template <class T>
class exact_accumulator {
  static_assert(detail::is_floating<T>, "tally: exact sums are those of float, double, half and bfloat16");
  using sum_type = detail::exact::sum_of<T>;

public:
  using value_type = T;

  /// The sum of nothing.
  exact_accumulator() = default;
  TALLY_HD constexpr explicit exact_accumulator(T x) { add(x); }

  TALLY_HD constexpr void add(T x) { sum_.add(static_cast<double>(x)); }
  TALLY_HD constexpr void add(exact_accumulator const& other) { sum_.add(other.sum_); }
  /// Adds the elements of a range.
  template <std::ranges::input_range R>
    requires std::is_convertible_v<std::ranges::range_value_t<R>, T>
  void add(R&& values)
  {
    if constexpr (std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
                  std::is_same_v<std::ranges::range_value_t<R>, T>)
      detail::exact::add_all(std::ranges::data(values), std::ranges::size(values), sum_);
    else
      for (auto&& value : values) add(static_cast<T>(value));
  }
  TALLY_HD constexpr void subtract(T x) { sum_.add(-static_cast<double>(x)); }
  /// Adds the negatives of the other's terms. So a sum less itself is +0, but an infinity less itself is NaN.
  TALLY_HD constexpr void subtract(exact_accumulator const& other) { sum_.subtract(other.sum_); }

  /// The number nearest to the sum, ties to even: a T, or a wider or narrower type, rounded once.
  template <class To = T>
  [[nodiscard]] TALLY_HD constexpr To round() const
  {
    static_assert(detail::is_floating<To>, "tally: exact sums are rounded to float, double, half or bfloat16");
    return sum_.template nearest<To>();
  }

  /// Exact sums in order; -0 and +0 are equal, and NaN is unordered.
  friend constexpr std::partial_ordering operator<=>(exact_accumulator const& a, exact_accumulator const& b)
  {
    if (a.sum_.is_nan() || b.sum_.is_nan()) return std::partial_ordering::unordered;
    if (!a.sum_.is_finite() || !b.sum_.is_finite())
      return a.sum_.template nearest<double>() <=> b.sum_.template nearest<double>();
    sum_type difference = a.sum_;
    difference.subtract(b.sum_);
    return difference.carried().all().sign() <=> 0;
  }
  friend constexpr bool operator==(exact_accumulator const& a, exact_accumulator const& b)
  {
    return (a <=> b) == std::partial_ordering::equivalent;
  }

  /// The size of the canonical form: 3 bytes for the kind of number and of terms, and the sum as a whole number of
  /// 2^lowest, little-endian, in two's complement.
  static constexpr std::size_t byte_count = 3 + 4 * static_cast<std::size_t>(sum_type::numbers::digits);
  using byte_array = std::array<std::byte, byte_count>;

  /// The canonical form: equal for equal sums of the same kinds of terms, on every machine and in every version of the
  /// library that has the same first byte.
  [[nodiscard]] constexpr byte_array bytes() const
  {
    sum_type const carried = sum_.carried();
    byte_array all{};
    all[0] = std::byte{format};
    all[1] = std::byte{type};
    // Beside other terms one of -0 tells nothing.
    using namespace detail::exact::terms;
    all[2] = std::byte{
        static_cast<std::uint8_t>((carried.kinds() & others) != 0 ? carried.kinds() & ~minus_zero : carried.kinds())};
    for (std::size_t k = 3; k < byte_count; ++k) {
      auto const digit = static_cast<std::uint64_t>(carried.all().digit(static_cast<int>((k - 3) / 4)));
      all[k] = static_cast<std::byte>(digit >> 8 * ((k - 3) % 4) & 0xff);
    }
    return all;
  }

  /// The sum whose canonical form it is.
  ///
  /// Throws    usage_error if it is none, or one of another type.
  [[nodiscard]] static exact_accumulator from_bytes(std::span<std::byte const> given)
  {
    auto const fail = [](std::string const& what) {
      throw usage_error("tally::exact_accumulator::from_bytes: " + what);
    };
    if (given.size() != byte_count)
      fail(std::to_string(given.size()) + " bytes, expected " + std::to_string(byte_count));
    if (given[0] != std::byte{format})
      fail("the format is " + std::to_string(std::to_integer<int>(given[0])) + ", expected " + std::to_string(format));
    if (given[1] != std::byte{type})
      fail("the sum is one of type " + std::to_string(std::to_integer<int>(given[1])) + ", expected " +
           std::to_string(type) + " (1: half, 2: bfloat16, 3: float, 4: double)");
    exact_accumulator result;
    sum_type& sum = result.sum_;
    sum.note(std::to_integer<std::uint8_t>(given[2]));
    constexpr int digits = sum_type::numbers::digits;
    for (int i = 0; i < digits; ++i) {
      std::uint32_t digit = 0;
      for (int byte = 0; byte < 4; ++byte)
        digit |= std::to_integer<std::uint32_t>(given[static_cast<std::size_t>(3 + 4 * i + byte)]) << 8 * byte;
      sum.all().set_digit(i, i + 1 < digits ? static_cast<std::int64_t>(digit)
                                            : static_cast<std::int64_t>(static_cast<std::int32_t>(digit)));
    }
    std::int64_t const last = sum.all().digit(digits - 1);
    bool const zero = sum.all().sign() == 0;
    if ((last != 0 && last != -1) || sum.kinds() >= 32 ||
        (!zero && (sum.kinds() & detail::exact::terms::others) == 0) || !std::ranges::equal(result.bytes(), given))
      fail("the bytes are no sum");
    return result;
  }

private:
  static constexpr std::uint8_t format = 1;
  static constexpr std::uint8_t type = std::is_same_v<T, half>       ? 1
                                       : std::is_same_v<T, bfloat16> ? 2
                                       : std::is_same_v<T, float>    ? 3
                                                                     : 4;

  sum_type sum_;
};

}  // namespace tally
