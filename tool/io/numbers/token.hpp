#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "io/element_type.hpp"

/// Decodes the bytes of one token to a number.
///
/// The tokens of most large files have an optional sign and up to 16 digits with at most one point among them. They
/// take a path of about thirty instructions without a loop; all others go to `decode_rest`.
namespace tally::io {

/// The number of bytes before a token that may be read.
inline constexpr std::size_t front_padding = 32;

enum class token_kind : unsigned char { narrow, wide, real, garbage, integer_too_large, float_too_large };

/// The value of a token: the member that `kind` names.
struct token_value {
  token_kind kind;
  union {
    std::int64_t narrow;
    double real;
  };
  int128 wide;
};

/// Decodes any token. Requires: begin <= end. `integer_too_large` comes with the nearest double in `real`.
token_value decode_rest(char const* begin, char const* end);

inline constexpr char const* expected_narrower_integer = "an integer of at most 128 bits";
inline constexpr char const* expected_finite_double = "a number of magnitude below 1.8e308";

/// A token for messages: quoted, shortened, with unprintable bytes as \xNN. An empty token is "nothing".
std::string describe(std::string_view token);

namespace detail {

inline constexpr std::uint64_t zeros = 0x3030303030303030;  // eight characters '0'

inline constexpr double exact_powers_of_ten[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

/// Keeps the last n of 16 bytes: the low word holds the earlier eight.
struct tail_mask {
  std::uint64_t low, high;
};
struct tail_masks {
  tail_mask of[17];
  constexpr tail_masks() : of()
  {
    for (int n = 0; n <= 16; ++n) {
      of[n].high = n == 0 ? 0 : n >= 8 ? ~std::uint64_t(0) : ~std::uint64_t(0) << (64 - 8 * n);
      of[n].low = n <= 8 ? 0 : ~std::uint64_t(0) << (128 - 8 * n);
    }
  }
};
inline constexpr tail_masks keep_last;

/// Eight bytes with the first one lowest.
inline std::uint64_t load_eight(char const* from)
{
  std::uint64_t word;
  std::memcpy(&word, from, 8);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}

/// The top bit of each byte that is not a digit. Correct up to and including the first byte of 0x8a or more, whose
/// carry spoils the bytes after it.
inline std::uint64_t not_a_digit(std::uint64_t digits)
{
  return ((digits + 0x7676767676767676) | digits) & 0x8080808080808080;
}

/// The number of eight digits, the lowest byte being the most significant.
inline std::uint64_t join_eight(std::uint64_t digits)
{
  digits = digits * 10 + (digits >> 8);
  return (((digits & 0x000000ff000000ff) * 0x000f424000000064) +
          (((digits >> 16) & 0x000000ff000000ff) * 0x0000271000000001)) >>
         32;
}

/// The first bit of the lowest byte that `others` marks.
inline unsigned lowest_byte(std::uint64_t others)
{
  return static_cast<unsigned>(std::countr_zero(others)) & ~7u;
}

/// Whether the byte at bit `point` is a point and the only byte that `others` marks.
inline bool is_only_point(std::uint64_t word, std::uint64_t others, unsigned point)
{
  return (others & (others - 1)) == 0 && ((word >> point) & 0xff) == ('.' ^ '0');
}

/// Moves the bytes before the one at bit `point` up over it. The first byte becomes 0.
inline std::uint64_t close_gap(std::uint64_t word, unsigned point)
{
  std::uint64_t const before = (std::uint64_t(1) << point) - 1;
  return (word & (~before << 7 << 1)) | ((word & before) << 8);
}

inline token_value integer_of(std::int64_t magnitude, bool negative)
{
  token_value result;
  result.kind = token_kind::narrow;
  result.narrow = negative ? -magnitude : magnitude;
  return result;
}

/// The double nearest to `digits` with `decimals` of them behind the point. 15 digits and powers of ten up to 10^15 are
/// exact, so the division rounds once.
inline token_value quotient_of(std::int64_t digits, unsigned decimals, bool negative)
{
  double const value = static_cast<double>(digits) / exact_powers_of_ten[decimals];
  token_value result;
  result.kind = token_kind::real;
  result.real = negative ? -value : value;
  return result;
}

inline std::int64_t join_sixteen(std::uint64_t low, std::uint64_t high)
{
  return static_cast<std::int64_t>(join_eight(low) * 100000000 + join_eight(high));
}

}  // namespace detail

/// The value of the token [begin, end). Requires: begin < end, and `front_padding` bytes before begin are readable.
inline token_value decode(char const* begin, char const* end)
{
  using namespace detail;
  bool const negative = *begin == '-';
  char const* const unsigned_begin = begin + (negative || *begin == '+');
  std::size_t const length = static_cast<std::size_t>(end - unsigned_begin);
  if (length - 1 < 8) {
    // One word: most columns consist of such numbers, which take half the instructions.
    std::uint64_t const word = (load_eight(end - 8) ^ zeros) & keep_last.of[length].high;
    std::uint64_t const others = not_a_digit(word);
    if (others == 0) return integer_of(static_cast<std::int64_t>(join_eight(word)), negative);
    unsigned const point = lowest_byte(others);
    if (is_only_point(word, others, point) && length > 1)
      return quotient_of(static_cast<std::int64_t>(join_eight(close_gap(word, point))), 7 - point / 8, negative);
  } else if (length - 1 < 16) {
    std::uint64_t const low = (load_eight(end - 16) ^ zeros) & keep_last.of[length].low;
    std::uint64_t const high = load_eight(end - 8) ^ zeros;
    std::uint64_t const others_low = not_a_digit(low), others_high = not_a_digit(high);
    if ((others_low | others_high) == 0) return integer_of(join_sixteen(low, high), negative);
    // Exactly one byte is not a digit, and it is a point: close its gap, and count the digits behind it.
    if (others_low == 0) {
      unsigned const point = lowest_byte(others_high);
      if (is_only_point(high, others_high, point))
        return quotient_of(join_sixteen(low << 8, close_gap(high, point) | (low >> 56)), 7 - point / 8, negative);
    } else if (others_high == 0) {
      unsigned const point = lowest_byte(others_low);
      if (is_only_point(low, others_low, point))
        return quotient_of(join_sixteen(close_gap(low, point), high), 15 - point / 8, negative);
    }
  }
  return decode_rest(begin, end);
}

}  // namespace tally::io
