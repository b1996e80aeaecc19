#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <random>

#include "io/errors.hpp"
#include "io/numbers/number.hpp"
#include "io/numbers/token.hpp"

namespace tally::io {
namespace {

/// Decodes a token between bytes that would change it if they were read as its own.
token_value decode_among_digits(std::string const& token)
{
  std::string const text = std::string(front_padding, '7') + token + std::string(64, '7');
  return decode(text.data() + front_padding, text.data() + front_padding + token.size());
}

void expect_narrow(std::string const& token, std::int64_t value)
{
  token_value const got = decode_among_digits(token);
  ASSERT_EQ(got.kind, token_kind::narrow) << token;
  EXPECT_EQ(got.narrow, value) << token;
}

void expect_real(std::string const& token)
{
  token_value const got = decode_among_digits(token);
  ASSERT_EQ(got.kind, token_kind::real) << token;
  double const expected = std::strtod(token.c_str(), nullptr);
  if (std::isnan(expected))
    EXPECT_TRUE(std::isnan(got.real)) << token;
  else
    EXPECT_EQ(std::bit_cast<std::uint64_t>(got.real), std::bit_cast<std::uint64_t>(expected)) << token;
}

TEST(number_token, integers_of_every_length)
{
  std::string digits;
  std::int64_t value = 0;
  for (int length = 1; length <= 18; ++length) {
    int const digit = length * 7 % 10;
    digits += static_cast<char>('0' + digit);
    value = value * 10 + digit;
    expect_narrow(digits, value);
    expect_narrow("-" + digits, -value);
    expect_narrow("+" + digits, value);
    expect_narrow("000" + digits, value);
  }
  expect_narrow("-0", 0);
  expect_narrow("9223372036854775807", std::numeric_limits<std::int64_t>::max());
  expect_narrow("-9223372036854775808", std::numeric_limits<std::int64_t>::min());
  std::string zeros_first(101, '0');
  zeros_first.back() = '5';
  expect_narrow(zeros_first, 5);
}

TEST(number_token, integers_beyond_64_bits)
{
  for (std::string const token :
       {"9223372036854775808", "-9223372036854775809", "18446744073709551616",
        "170141183460469231731687303715884105727", "-170141183460469231731687303715884105728"}) {
    token_value const got = decode_among_digits(token);
    ASSERT_EQ(got.kind, token_kind::wide) << token;
    EXPECT_EQ(to_text(got.wide), token);
  }
  for (std::string const token :
       {"170141183460469231731687303715884105728", "-170141183460469231731687303715884105729",
        "340282366920938463463374607431768211456", "99999999999999999999999999999999999999999"}) {
    token_value const got = decode_among_digits(token);
    ASSERT_EQ(got.kind, token_kind::integer_too_large) << token;
    EXPECT_EQ(got.real, std::strtod(token.c_str(), nullptr));
  }
}

TEST(number_token, a_point_at_every_place_of_every_length)
{
  std::string const digits = "9407183562048197365";
  for (std::size_t length = 1; length <= digits.size(); ++length) {
    for (std::size_t point = 0; point <= length; ++point) {
      std::string const token = digits.substr(0, point) + "." + digits.substr(point, length - point);
      for (char const* sign : {"", "-", "+"}) expect_real(sign + token);
    }
  }
}

TEST(number_token, random_decimals_are_correctly_rounded)
{
  std::mt19937_64 random(17);
  for (int i = 0; i < 200000; ++i) {
    char token[64];
    double const value = std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 120) - 90);
    int const digits = static_cast<int>(random() % 20);
    std::snprintf(token, sizeof token, i % 3 == 0 ? "%.*f" : i % 3 == 1 ? "%.*e" : "%.*g", digits, value);
    std::string const text = token;
    if (text.find_first_of(".e") == text.npos) continue;
    expect_real(text);
    expect_real("-" + text);
  }
}

TEST(number_token, special_values)
{
  for (char const* token :
       {"inf", "-inf", "+inf", "INF", "Infinity", "-infinity", "nan", "-nan", "NaN", "-0.0", "0.0", "1e5", "1E+5",
        "1e-5", "5e-324", "1e-400", "1.7976931348623157e308", "2.2250738585072014e-308"})
    expect_real(token);
  EXPECT_TRUE(std::signbit(decode_among_digits("-0.0").real));
}

TEST(number_token, numbers_too_large_for_a_double)
{
  for (char const* token : {"1e309", "-1e309", "1.8e308", "1e99999999", "123456789e308"})
    EXPECT_EQ(decode_among_digits(token).kind, token_kind::float_too_large) << token;
}

TEST(number_token, garbage)
{
  for (char const* token : {"-",
                            "+",
                            ".",
                            "-.",
                            "--1",
                            "+-1",
                            "-+1",
                            "++1",
                            "1-",
                            "1..2",
                            "1.2.3",
                            "..",
                            "1e",
                            "1e+",
                            "e5",
                            "1x",
                            "x1",
                            "0x10",
                            "1,5",
                            "1_000",
                            "infx",
                            "in",
                            "na",
                            "1.5f",
                            "1d5",
                            "\xff",
                            "1\x80",
                            "\x8a.5",
                            "1.\xba",
                            "12345678\x8a.234567",
                            "1234567.\xf9",
                            "1 2",
                            "1/2",
                            "1:2",
                            "12345678901234567.x",
                            ".e5",
                            "-.e5",
                            "1e5.5",
                            "\xef\xbb\xbf"
                            "1"})
    EXPECT_EQ(decode_among_digits(token).kind, token_kind::garbage) << token;
}

TEST(number_token, every_byte_at_every_place_of_short_tokens)
{
  for (std::size_t length = 1; length <= 17; ++length) {
    for (std::size_t place = 0; place < length; ++place) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string token = std::string("12345678901234567").substr(0, length);
        token[place] = static_cast<char>(byte);
        token_value const fast = decode_among_digits(token);
        token_value const slow = decode_rest(token.data(), token.data() + token.size());
        ASSERT_EQ(fast.kind, slow.kind) << token << " byte " << byte << " at " << place;
        ASSERT_TRUE(fast.kind != token_kind::narrow || fast.narrow == slow.narrow) << token;
        ASSERT_TRUE(fast.kind != token_kind::real || fast.real == slow.real) << token;
      }
    }
  }
}

TEST(number, whole_tokens)
{
  EXPECT_EQ(std::get<int128>(parse_number("-12", "--init")), -12);
  EXPECT_EQ(std::get<double>(parse_number("2.5", "--init")), 2.5);
  try {
    parse_number("2,5", "--init");
    FAIL();
  } catch (data_error const& failure) {
    EXPECT_STREQ(failure.what(), "--init: found '2,5', expected a number");
  }
  EXPECT_THROW(parse_number("", "--init"), data_error);
  EXPECT_THROW(parse_number("1e999", "--init"), data_error);
}

TEST(number, text_reads_back_to_the_same_bits)
{
  std::mt19937_64 random(3);
  for (int i = 0; i < 200000; ++i) {
    auto const bits = random();
    auto const value = std::bit_cast<double>(bits);
    if (std::isnan(value)) continue;
    std::string const text = to_text(value);
    number const back = parse_number(text, "text");
    double const read =
        std::holds_alternative<double>(back) ? std::get<double>(back) : static_cast<double>(std::get<int128>(back));
    ASSERT_EQ(std::bit_cast<std::uint64_t>(read), bits) << text;
    auto const narrow = std::bit_cast<float>(static_cast<std::uint32_t>(bits >> 32));
    ASSERT_TRUE(std::isnan(narrow) || std::strtof(to_text(narrow).c_str(), nullptr) == narrow) << narrow;
    auto const wide = static_cast<int128>(uint128(bits) << 64 | random());
    ASSERT_TRUE(std::get<int128>(parse_number(to_text(wide), "text")) == wide);
  }
}

TEST(number, text_of_special_values)
{
  EXPECT_EQ(to_text(-0.0), "-0.0");
  EXPECT_EQ(to_text(0.0), "0");
  EXPECT_EQ(to_text(3.0), "3");
  EXPECT_EQ(to_text(0.1), "0.1");
  EXPECT_EQ(to_text(0.1f), "0.1");
  EXPECT_EQ(to_text(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(to_text(-std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(to_text(-std::nan("")), "nan");
  EXPECT_EQ(to_text(std::int8_t(-128)), "-128");
  EXPECT_EQ(to_text(std::uint8_t(255)), "255");
  EXPECT_EQ(to_text(std::numeric_limits<int128>::min()), "-170141183460469231731687303715884105728");
}

}  // namespace
}  // namespace tally::io
