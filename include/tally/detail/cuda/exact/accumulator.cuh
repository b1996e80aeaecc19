#pragma once

#include <cstdint>
#include <limits>

#include "tally/detail/cuda/warp.cuh"
#include "tally/detail/exact/fixed_point.hpp"

/// Exact sums that many threads add to.
namespace tally::cuda_backend::exact {

using detail::exact::sum_of;

/// The bits of the upper half of a double.
inline constexpr std::uint32_t sign_bit = 0x80000000;
inline constexpr std::uint32_t infinite = 0x7ff00000;

__device__ __forceinline__ std::uint32_t upper_half(double x)
{
  return static_cast<std::uint32_t>(__double2hiint(x));
}

/// The kind of a term.
__device__ __forceinline__ std::uint8_t kind_of(double x)
{
  namespace terms = detail::exact::terms;
  if (x - x != 0)
    return static_cast<std::uint8_t>(terms::others | (x != x  ? terms::nan
                                                      : x > 0 ? terms::infinity
                                                              : terms::minus_infinity));
  return x == 0 && (upper_half(x) & sign_bit) != 0 ? terms::minus_zero : terms::others;
}

/// The T nearest to (value + f) * 2^exponent, the sum of terms of these kinds; 0 < f < 1 if `has_part`, else f = 0.
/// Requires  with a part, that T has fewer bits than `value`, by two (has_bits_for).
template <class T>
__device__ __forceinline__ T nearest_of(__int128 value, int exponent, std::uint8_t kinds, bool has_part = false)
{
  using limits = std::numeric_limits<T>;
  bool const negative = value < 0;
  // -(v + f) = -v - 1 + (1 - f), and -v - 1 = ~v.
  auto const magnitude = static_cast<unsigned __int128>(!negative ? value : has_part ? ~value : -value);
  auto const upper = static_cast<std::uint64_t>(magnitude >> 64), lower = static_cast<std::uint64_t>(magnitude);
  int const width =
      upper != 0 ? 128 - __clzll(static_cast<long long>(upper)) : 64 - __clzll(static_cast<long long>(lower));
  // 63 bits, the last of which stands for all behind it.
  int const beyond = width > 63 ? width - 63 : 0;
  bool const inexact = has_part || (magnitude & ((static_cast<unsigned __int128>(1) << beyond) - 1)) != 0;
  std::uint64_t significand = static_cast<std::uint64_t>(magnitude >> beyond) | (inexact ? 1 : 0);
  exponent += beyond;
  int const least = limits::min_exponent - limits::digits;
  int drop = width - beyond - limits::digits;
  if (drop < least - exponent) drop = least - exponent;
  if (drop > 0) {
    // All bits are below half of the last one of a T.
    if (drop > 63) return detail::exact::rounded_to<T>({0, 0}, negative, kinds);
    std::uint64_t const half = std::uint64_t{1} << (drop - 1), behind = significand & (2 * half - 1);
    significand >>= drop;
    if (behind > half || (behind == half && (significand & 1) != 0)) ++significand;
    exponent += drop;
  }
  return detail::exact::rounded_to<T>({significand, exponent}, negative, kinds);
}

/// Whether `value` has so many bits that a part of one more does not tell how a T is rounded.
template <class T>
__device__ __forceinline__ bool has_bits_for(__int128 value)
{
  __int128 const most = static_cast<__int128>(1) << (std::numeric_limits<T>::digits + 2);
  return value >= most || value < -most;
}

/// A sum of Ts: the digits of detail::exact::fixed_point, and the range of those that are in use, so that work is for
/// few of them. It takes 2^31 additions between two carries.
///
/// Shared, it lies in memory of a block or of all, and threads add to it at the same time. All its digits are numbers,
/// and the sum of nothing is all zeros. Otherwise it is one thread's, and digits that are not in use are undefined.
template <class T, bool IsShared = true>
struct accumulator {
  using numbers = typename sum_of<T>::numbers;
  static constexpr int digits = numbers::digits;

  long long digit[digits];
  int depth;            ///< digits from the lowest one in use to the top; 0 if there is none
  int end;              ///< the place behind the highest one in use
  std::uint32_t kinds;  ///< of the terms (detail::exact::terms)

  __device__ int first() const { return digits - depth; }

  /// Makes it the sum of nothing, by `threads` threads. A barrier must follow.
  __device__ __forceinline__ void clear(int thread, int threads)
  {
    if constexpr (IsShared)
      for (int i = thread; i < digits; i += threads) digit[i] = 0;
    if (thread == 0) depth = end = static_cast<int>(kinds = 0);
  }
  /// Makes it equal to another, whose digits nobody changes.
  template <bool B>
  __device__ __forceinline__ void assign(accumulator<T, B> const& other)
  {
    static_assert(!IsShared);
    depth = other.depth;
    end = other.end;
    kinds = other.kinds;
    for (int i = first(); i < end; ++i) digit[i] = other.digit[i];
  }

  /// Adds value * 2^exponent, a whole multiple of the lowest digit's unit.
  __device__ __forceinline__ void add_scaled(std::int64_t value, int exponent)
  {
    if (value == 0) return;
    if (exponent < numbers::lowest) {
      int const below = numbers::lowest - exponent;
      value >>= below < 63 ? below : 63;
      exponent = numbers::lowest;
    }
    int const position = exponent - numbers::lowest, at = position / numbers::spacing,
              shift = position % numbers::spacing;
    auto const bits = static_cast<std::uint64_t>(value);
    std::uint64_t const low = bits << shift;
    std::int64_t const high = shift == 0 ? (value < 0 ? -1 : 0) : value >> (64 - shift);
    use(at, at + 3);
    add_digit(at, static_cast<std::int64_t>(low & detail::exact::digits_of::mask));
    add_digit(at + 1, static_cast<std::int64_t>(low >> numbers::spacing));
    add_digit(at + 2, high);
  }

  /// Adds a number, also one that is not finite.
  __device__ __forceinline__ void add(double x)
  {
    namespace terms = detail::exact::terms;
    if (x - x == 0) {
      auto const of = detail::exact::parts_of(x);
      add_scaled(of.significand, of.exponent);
    }
    note(kind_of(x));
  }

  __device__ __forceinline__ void note(std::uint32_t more)
  {
    if constexpr (!IsShared)
      kinds |= more;
    else if ((*const_cast<std::uint32_t volatile*>(&kinds) & more) != more)
      atomicOr(&kinds, more);
  }
  __device__ __forceinline__ void add_digit(int at, std::int64_t value)
  {
    if constexpr (!IsShared)
      digit[at] += value;
    else if (value != 0)
      atomicAdd(reinterpret_cast<unsigned long long*>(digit + at), static_cast<unsigned long long>(value));
  }
  /// Notes that the digits [from, to) are in use.
  __device__ __forceinline__ void use(int from, int to)
  {
    if constexpr (IsShared) {
      if (digits - from > *const_cast<int volatile*>(&depth)) atomicMax(&depth, digits - from);
      if (to > *const_cast<int volatile*>(&end)) atomicMax(&end, to);
    } else {
      if (depth == 0) depth = digits - (end = from);
      while (first() > from) digit[digits - ++depth] = 0;
      while (end < to) digit[end++] = 0;
    }
  }

  // By one thread, while nobody adds.

  /// Gives each digit in use but the last 32 bits, and the last the sign, and drops zeros at both ends.
  __device__ __forceinline__ void carry()
  {
    if (depth == 0) return;
    // A digit has up to 63 bits: two more take what the last one carries.
    use(first(), end + 2 < digits ? end + 2 : digits);
    detail::exact::digits_of::carry(digit + first(), end - first());
    while (end - first() > 1 && digit[end - 1] == 0 && digit[end - 2] >> 31 == 0) --end;
    while (end - first() > 1 && digit[end - 1] == -1 && digit[end - 2] >> 31 == 1) {
      digit[--end] = 0;
      digit[end - 1] -= 1ll << 32;
    }
    while (depth > 0 && first() < end && digit[first()] == 0) --depth;
    if (first() >= end) depth = end = 0;
  }

  /// The number nearest to the sum, after carry(). The sum is lost.
  template <class To>
  __device__ To nearest()
  {
    namespace digits_of = detail::exact::digits_of;
    using limits = std::numeric_limits<To>;
    auto const seen = static_cast<std::uint8_t>(kinds);
    if (!detail::exact::terms::are_finite(seen)) return detail::exact::not_finite<To>(seen);
    if (depth == 0) return detail::exact::rounded_to<To>({0, 0}, false, seen);
    long long* const from = digit + first();
    int const count = end - first();
    bool const negative = digits_of::sign(from, count) < 0;
    if (negative) {
      digits_of::negate(from, count);
      digits_of::carry(from, count);
    }
    return detail::exact::rounded_to<To>(digits_of::rounded(from, count, numbers::lowest + first() * numbers::spacing,
                                                            limits::digits, limits::min_exponent - limits::digits),
                                         negative, seen);
  }

  /// The place behind the leading bit of the magnitude, after carry(): the sum is in [-2^top, 2^top).
  __device__ int top() const
  {
    if (depth == 0) return numbers::lowest;
    long long const last = digit[end - 1];
    return numbers::lowest + numbers::spacing * (end - 1) + 64 - __clzll(last < 0 ? ~last : last);
  }

  /// The whole units of 2^unit in the sum, rounded down, after carry().
  /// Requires  the sum in [-2^(unit + 126), 2^(unit + 126)).
  __device__ __int128 whole_units(int unit, bool& has_part) const
  {
    int const shift = unit - numbers::lowest, at = shift > 0 ? shift / numbers::spacing : 0;
    has_part = false;
    if (depth == 0) return 0;
    // The digits above `at`, alone: together with it they may have more than 128 bits.
    __int128 number = 0;
    for (int i = end; i-- > (at + 1 > first() ? at + 1 : first());) number = (number << numbers::spacing) + digit[i];
    // A digit in use stands for those below it too.
    if (first() > at) return number << (numbers::spacing * first() - shift);
    if (shift <= 0) return ((number << numbers::spacing) + digit[0]) << -shift;
    int const bits = shift % numbers::spacing;
    for (int i = first(); i < at && i < end; ++i) has_part = has_part || digit[i] != 0;
    if (at >= end) return digit[end - 1] < 0 ? -1 : 0;
    has_part = has_part || (digit[at] & ((1ll << bits) - 1)) != 0;
    return (number << (numbers::spacing - bits)) + (digit[at] >> bits);
  }
};

}  // namespace tally::cuda_backend::exact
