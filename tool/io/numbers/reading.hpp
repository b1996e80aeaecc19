#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/numbers/form.hpp"
#include "io/numbers/token.hpp"

namespace tally::io {

/// The kind of number that a token of text may be. An integer is an optional sign and digits. Anything else is read as
/// the nearest double: decimals, exponents, inf, infinity and nan in any case and with any sign. `-0` is 0 as an
/// integer and negative zero as a double; `-0.0` is negative zero.
enum class number_rule {
  automatic,  ///< integers (of up to 128 bits) up to the first other token, doubles from there on
  floating,   ///< doubles only: for a column known to be floating, perhaps from an earlier file
  integers,   ///< a token that is not an integer is an error; whole decimals such as 12.0 are integers here
  decimals,   ///< every token is a decimal, read exactly: an int128 of number_unit::decimal
  instants,   ///< every token is a date or a time: an int128 of number_unit::instant
  durations,  ///< every token is a duration: an int128 of number_unit::duration
};

/// The unit of the integers that a rule gives.
constexpr number_unit unit_of(number_rule rule)
{
  switch (rule) {
    case number_rule::decimals: return number_unit::decimal;
    case number_rule::instants: return number_unit::instant;
    case number_rule::durations: return number_unit::duration;
    default: return number_unit::one;
  }
}

/// The characters that may stand around the digits of a number.
enum class number_notation {
  plain,
  si,           ///< K (or k) 10^3, M 10^6, G, T, P, E, Z, Y, R, Q
  iec,          ///< K or Ki 2^10, M or Mi 2^20, ...
  automatic,    ///< K 10^3, Ki 2^10, M 10^6, Mi 2^20, ...
  hexadecimal,  ///< integers of the digits 0-9a-fA-F, perhaps behind 0x
};

/// The way in which the numbers of a text are written.
struct number_reading {
  number_rule rule = number_rule::automatic;
  number_notation notation = number_notation::plain;
  char point = '.';            ///< before decimals: '.' or ','
  std::string thousands = {};  ///< may stand between groups of three digits before the point; empty for nothing
  std::vector<std::string> units = {};  ///< may stand before and behind a number; see units.hpp

  /// Whether `decode` of number_token.hpp, and no more, says what a token is.
  bool plain() const
  {
    return rule < number_rule::decimals && notation == number_notation::plain && point == '.' && thousands.empty() &&
           units.empty();
  }
};

/// The value of the token [begin, end) as `how` says. Where the rule has a unit it is `wide`, and `form`
/// becomes as fine as the token. A value that needs more decimals, or more than 128 bits, is garbage. Requires:
/// begin < end; !how.plain().
token_value decode(char const* begin, char const* end, number_reading const& how, number_form& form);

/// The words for what `how` expects: "a number", "a number with ',' for a point".
std::string expected_number(number_reading const& how);

}  // namespace tally::io
