#include "io/numbers/number.hpp"

#include <cmath>
#include <cstring>
#include <fmt/compile.h>
#include <fmt/format.h>
#include <type_traits>
#include <vector>

#include "io/errors.hpp"
#include "io/numbers/token.hpp"

namespace tally::io {

template <class T>
char* format_number(char* to, T value)
{
  if constexpr (std::is_floating_point_v<T>) {
    if (value == 0 && std::signbit(value)) {
      std::memcpy(to, "-0.0", 4);
      return to + 4;
    }
    // The sign of a NaN is not written: it means nothing, and other programs do not read it.
    if (std::isnan(value)) {
      std::memcpy(to, "nan", 3);
      return to + 3;
    }
    return fmt::format_to(to, FMT_COMPILE("{}"), value);
  } else if constexpr (std::is_same_v<T, int128>) {
    return fmt::format_to(to, FMT_COMPILE("{}"), value);
  } else {
    fmt::format_int const digits(value);
    std::memcpy(to, digits.data(), digits.size());
    return to + digits.size();
  }
}

template char* format_number(char*, std::int8_t);
template char* format_number(char*, std::int16_t);
template char* format_number(char*, std::int32_t);
template char* format_number(char*, std::int64_t);
template char* format_number(char*, std::uint8_t);
template char* format_number(char*, std::uint16_t);
template char* format_number(char*, std::uint32_t);
template char* format_number(char*, std::uint64_t);
template char* format_number(char*, float);
template char* format_number(char*, double);
template char* format_number(char*, int128);

number parse_number(std::string_view token, std::string const& where, number_reading const& how)
{
  if (how.plain()) return parse_number(token, where);
  number_form form;
  token_value value{};
  value.kind = token_kind::garbage;
  if (!token.empty()) value = decode(token.data(), token.data() + token.size(), how, form);
  switch (value.kind) {
    case token_kind::narrow: return int128(value.narrow);
    case token_kind::wide: return value.wide;
    case token_kind::real: return value.real;
    default: throw data_error({where}, describe(token), expected_number(how));
  }
}

number parse_number(std::string_view token, std::string const& where)
{
  auto const refuse = [&](std::string const& expected) -> number {
    throw data_error({where}, describe(token), expected);
  };
  token_value const value = decode_rest(token.data(), token.data() + token.size());
  switch (value.kind) {
    case token_kind::narrow: return int128(value.narrow);
    case token_kind::wide: return value.wide;
    case token_kind::real: return value.real;
    case token_kind::integer_too_large:
      return refuse(expected_narrower_integer + std::string(" (a double is written with a point or an exponent)"));
    case token_kind::float_too_large: return refuse(expected_finite_double);
    case token_kind::garbage: break;
  }
  return refuse("a number");
}

}  // namespace tally::io
