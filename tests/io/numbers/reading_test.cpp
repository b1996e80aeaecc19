#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "io/numbers/number.hpp"
#include "io/numbers/other_notation.hpp"
#include "io/numbers/reading.hpp"
#include "io/tables/reader.hpp"
#include "io/text/column_reader.hpp"
#include "io/text/reader.hpp"
#include "support.hpp"

namespace tally::io {
namespace {

using testing::everything;
using testing::read_all;
using testing::scratch_folder;
using testing::word;

/// The reading of a token: "i:12", "d:0.5/...", "garbage", "too large".
std::string read(std::string const& token, number_reading const& how)
{
  number_form form;
  token_value const value = decode(token.data(), token.data() + token.size(), how, form);
  switch (value.kind) {
    case token_kind::narrow: return word(value.narrow);
    case token_kind::wide: return word(value.wide);
    case token_kind::real: return word(value.real);
    case token_kind::garbage: return "garbage";
    case token_kind::integer_too_large:
    case token_kind::float_too_large: break;
  }
  return "too large";
}

/// A decimal and its digits: "1.50 (2)".
std::string decimal(std::string const& token, number_reading how = {})
{
  how.rule = number_rule::decimals;
  number_form form;
  token_value const value = decode(token.data(), token.data() + token.size(), how, form);
  if (value.kind != token_kind::wide) return "garbage";
  return to_text(value.wide) + "/" + std::to_string(form.digits);
}

TEST(number_reading, thousands)
{
  number_reading const how{.thousands = ","};
  EXPECT_EQ(read("1,234", how), word(1234));
  EXPECT_EQ(read("-12,345,678", how), word(-12345678));
  EXPECT_EQ(read("+1,234.5", how), word(1234.5));
  EXPECT_EQ(read("1234567", how), word(1234567));
  EXPECT_EQ(read("1,234e2", how), word(123400.0));
  EXPECT_EQ(read("170,141,183,460,469,231,731,687,303,715,884,105,727", how), word(~(int128{1} << 127)));
  for (char const* token :
       {"1,23", "1,2345", "12,34,567", ",123", "1,", "1,,234", "1234,567", "1,234,", "1.5,000", "-", "1,234,56"})
    EXPECT_EQ(read(token, how), "garbage") << token;
  EXPECT_EQ(read("1\xe2\x80\xaf"
                 "234",
                 {.thousands = "\xe2\x80\xaf"}),
            word(1234));
  EXPECT_EQ(read("1'234'567.25", {.thousands = "'"}), word(1234567.25));
}

TEST(number_reading, units)
{
  number_reading const how{.units = {"$", "%", "ms", "US$", "/s"}};
  for (char const* token : {"5", "$5", "US$5", "$ 5", "+$5", "$+5", "5%", "5 %", "5ms", "$5%", "US$ 5 /s"})
    EXPECT_EQ(read(token, how), word(5)) << token;
  for (char const* token : {"-5", "-$5", "$-5", "$ -5", "-5 ms"}) EXPECT_EQ(read(token, how), word(-5)) << token;
  for (char const* token : {"$", "%", "$%", "-", "-$", "--5", "-$-5", "+$-5", "$$5", "5%%", "5 % %", "$  5", "(5)",
                            "5s", " $5", "$ ", "- 5", "ms"})
    EXPECT_EQ(read(token, how), "garbage") << token;
  EXPECT_EQ(read("$1,234.50", {.thousands = ",", .units = {"$"}}), word(1234.5));
  EXPECT_EQ(read("1.234,5 \xe2\x82\xac", {.point = ',', .thousands = ".", .units = {"\xe2\x82\xac"}}), word(1234.5));
  EXPECT_EQ(read("1.5KB/s", {.notation = number_notation::si, .units = {"/s"}}), word(1500));
  EXPECT_EQ(read("-0x1fh", {.notation = number_notation::hexadecimal, .units = {"h"}}), word(-31));
  EXPECT_EQ(decimal("$0.10", {.units = {"$"}}), "100000000000000000/2");
}

TEST(number_reading, accounts)
{
  number_reading const how{.thousands = ",", .units = {"()", "$"}};
  for (char const* token : {"(2.50)", "($2.50)", "($ 2.50)", "-2.50", "-$2.50"})
    EXPECT_EQ(read(token, how), word(-2.5)) << token;
  EXPECT_EQ(read("(1,234)", how), word(-1234));
  for (char const* token : {"()", "(", ")", "($)", "(-2)", "($-2)", "-(2)", "$(2)", "((2))", "(2", "2)", "2()", "()2"})
    EXPECT_EQ(read(token, how), "garbage") << token;
  EXPECT_EQ(read("(2)", {.units = {"$"}}), "garbage") << "not asked for";
}

TEST(number_reading, decimal_comma)
{
  number_reading const how{.point = ',', .thousands = "."};
  EXPECT_EQ(read("1.234,5", how), word(1234.5));
  EXPECT_EQ(read("0,1", how), word(0.1));
  EXPECT_EQ(read(",5", how), word(0.5));
  EXPECT_EQ(read("1234", how), word(1234));
  EXPECT_EQ(read("1,5e3", how), word(1500.0));
  EXPECT_EQ(read("-inf", how), word(-double(INFINITY)));
  EXPECT_EQ(read("12,00", {.rule = number_rule::integers, .point = ','}), word(12));
  EXPECT_EQ(read("12,50", {.rule = number_rule::integers, .point = ','}), word(12.5));
  for (char const* token : {"1.5", "1,2,3", "1,234.5", "1.23", "1,5.0"})
    EXPECT_EQ(read(token, how), "garbage") << token;
  EXPECT_EQ(read("1.5", {.point = ','}), "garbage");
}

TEST(number_reading, suffixes)
{
  number_reading const si{.notation = number_notation::si}, iec{.notation = number_notation::iec};
  number_reading const either{.notation = number_notation::automatic};
  EXPECT_EQ(read("1.1K", si), word(1100));
  EXPECT_EQ(read("1.5k", si), word(1500));
  EXPECT_EQ(read("-2M", si), word(-2000000));
  EXPECT_EQ(read("1Q", si), word(int128{1'000'000'000'000'000} * 1'000'000'000'000'000));
  EXPECT_EQ(read("1.2345K", si), word(1234.5));
  EXPECT_EQ(read("12", si), word(12));
  EXPECT_EQ(read("12B", si), word(12));
  EXPECT_EQ(read("12 KB", si), word(12000));
  EXPECT_EQ(read("0.5", si), word(0.5));
  EXPECT_EQ(read("1e-3K", si), word(1));
  EXPECT_EQ(read("1e2.K", si), "garbage");
  EXPECT_EQ(read("1Ki", si), "garbage");
  EXPECT_EQ(read("1.5K", iec), word(1536));
  EXPECT_EQ(read("1.5Ki", iec), word(1536));
  EXPECT_EQ(read("1.3G", iec), word(1.3 * 1073741824));
  EXPECT_EQ(read("4.0K", iec), word(4096));
  EXPECT_EQ(read("1.5K", either), word(1500));
  EXPECT_EQ(read("1.5KiB", either), word(1536));
  EXPECT_EQ(read("1,024.5K", {.notation = number_notation::si, .thousands = ","}), word(1024500));
  EXPECT_EQ(read("1,5K", {.notation = number_notation::si, .point = ','}), word(1500));
  EXPECT_EQ(read("200000000Q", iec), "too large");
  EXPECT_EQ(read("1e300Q", si), "too large");
  EXPECT_EQ(read("1e300Q", iec), "too large");
  for (char const* token : {"K", "B", "1KK", "1Bi", "1i", "1x", "1 ", "K1", "1 KK", "1K B", "nanK"})
    EXPECT_EQ(read(token, iec), "garbage") << token;
}

TEST(number_reading, hexadecimal)
{
  number_reading const how{.notation = number_notation::hexadecimal};
  EXPECT_EQ(read("ff", how), word(255));
  EXPECT_EQ(read("0xFF", how), word(255));
  EXPECT_EQ(read("-0X10", how), word(-16));
  EXPECT_EQ(read("10", how), word(16));
  EXPECT_EQ(read("0x7fffffffffffffffffffffffffffffff", how), "too large");
  EXPECT_EQ(read("3fffffffffffffffffffffffffffffff", how), word((int128{1} << 126) - 1));
  for (char const* token : {"0x", "g", "1.5", "-", "0x-1", "1 "}) EXPECT_EQ(read(token, how), "garbage") << token;
}

TEST(number_reading, decimals)
{
  EXPECT_EQ(decimal("0.1"), "100000000000000000/1");
  EXPECT_EQ(decimal("-12.50"), "-12500000000000000000/2");
  EXPECT_EQ(decimal("7"), "7000000000000000000/0");
  EXPECT_EQ(decimal(".5"), "500000000000000000/1");
  EXPECT_EQ(decimal("5."), "5000000000000000000/0");
  EXPECT_EQ(decimal("1e-18"), "1/18");
  EXPECT_EQ(decimal("25E-1"), "2500000000000000000/1");
  EXPECT_EQ(decimal("1.5e+3"), "1500000000000000000000/0");
  EXPECT_EQ(decimal("0.000000000000000001"), "1/18");
  EXPECT_EQ(decimal("0.0000000000000000010"), "1/18");
  EXPECT_EQ(decimal("223456789012345678901.5"), "garbage");
  EXPECT_EQ(decimal("170141183460469231731.687303715884105727"), "170141183460469231731687303715884105727/18");
  EXPECT_EQ(decimal("170141183460469231731.687303715884105728"), "garbage");
  EXPECT_EQ(decimal("0e-99"), "0/18");
  EXPECT_EQ(decimal("1.5K", {.notation = number_notation::iec}), "1536000000000000000000/1");
  EXPECT_EQ(decimal("1.2345K", {.notation = number_notation::si}), "1234500000000000000000/1");
  EXPECT_EQ(decimal("1.234,50", {.point = ',', .thousands = "."}), "1234500000000000000000/2");
  EXPECT_EQ(decimal("-0xff", {.notation = number_notation::hexadecimal}), "-255000000000000000000/0");
  EXPECT_EQ(decimal("0xffffffffffffffffffff", {.notation = number_notation::hexadecimal}), "garbage");
  for (char const* token :
       {"-", ".", "1e", "1e999", "inf", "nan", "1.5.2", "1e-19", "0.0000000000000000001", "1x", "1e+-2", "--1", "0x1"})
    EXPECT_EQ(decimal(token), "garbage") << token;
}

/// Decimals of up to 18 digits agree with integers of the same digits.
TEST(number_reading, random_decimals)
{
  std::mt19937 random(1);
  for (int k = 0; k < 2000; ++k) {
    auto const digits = std::to_string(random() % 1000000000) + std::to_string(random() % 1000000000);
    std::size_t const point = random() % (digits.size() + 1);
    int128 expected = 0;
    for (char const digit : digits) expected = expected * 10 + (digit - '0');
    for (std::size_t d = digits.size() - point; d < 18; ++d) expected *= 10;
    EXPECT_EQ(decimal(digits.substr(0, point) + '.' + digits.substr(point)),
              to_text(expected) + "/" + std::to_string(digits.size() - point));
  }
}

/// Chunks of any size and any number of threads give the same values in the same forms.
everything read_in_every_way(std::string const& text, text_options options)
{
  scratch_folder const folder;
  std::string const path = folder.write("text", text);
  options.threads = 1;
  everything const whole = read_all([&] { return read_text(input::file(path), options, {}); });
  for (int const threads : {1, 3}) {
    options.threads = threads;
    for (std::size_t size = 1; size <= text.size() + 1; ++size)
      EXPECT_EQ(read_all([&] { return read_text(input::file(path), options, {.usual = size}); }), whole) << size;
  }
  everything named = whole;
  if (!named.error.empty()) named.error.replace(0, path.size(), "text");
  return named;
}

TEST(number_reading, columns_of_decimals_grow_finer)
{
  everything const got =
      read_in_every_way("1 2.5 3.125 4.0 5 0.000001 7", {.numbers = {.rule = number_rule::decimals}});
  std::vector<int> digits;
  for (number_form const form : got.forms) digits.push_back(form.digits);
  EXPECT_EQ(digits, (std::vector{0, 1, 3, 3, 3, 6, 6}));
  EXPECT_EQ(got.values[1], word(25 * (decimal_one / 10)));
  EXPECT_EQ(got.error, "");
}

/// Every place takes a run of its own.
TEST(number_reading, a_column_with_every_number_of_decimals)
{
  std::string text;
  for (int places = 0; places <= 18; ++places) text += "0." + std::string(static_cast<std::size_t>(places), '1') + " ";
  everything const got = read_in_every_way(text, {.numbers = {.rule = number_rule::decimals}});
  ASSERT_EQ(got.forms.size(), 19U);
  for (int places = 0; places <= 18; ++places) EXPECT_EQ(got.forms[static_cast<std::size_t>(places)].digits, places);
}

TEST(number_reading, columns_turn_to_doubles_as_plain_ones_do)
{
  text_options const options{.numbers = {.notation = number_notation::iec}};
  EXPECT_EQ(read_in_every_way("1K 10 1.3K -0 4K", options).values,
            (std::vector{word(1024), word(10), word(1.3 * 1024), word(-0.0), word(4096.0)}));
  EXPECT_EQ(read_in_every_way("1Q 2 200Q 1.3K 300Y", options).values,
            (std::vector{word(int128{1} << 100), word(2), word(int128{200} << 100), word(1.3 * 1024),
                         word(300 * std::ldexp(1.0, 80))}));
  EXPECT_EQ(read_in_every_way("1K 2x", options).error,
            "text:1:4: found '2x', expected a number, perhaps with a suffix (K, Ki, M, Mi, ...)");
}

TEST(number_reading, errors_say_which_options_read_it)
{
  auto const hint = [](char const* token) { return options_to_read(token, {}); };
  EXPECT_EQ(hint("1.5K"), " (--from si or --from iec reads it)");
  EXPECT_EQ(hint("12kB"), " (--from si or --from iec reads it)");
  EXPECT_EQ(hint("12Ki"), " (--from iec or --from auto reads it)");
  EXPECT_EQ(hint("-0Xff"), " (--from hex reads it)");
  EXPECT_EQ(hint("1,234"), " (--thousands , or --decimal-point , reads it)");
  EXPECT_EQ(hint("1,234.5"), " (--thousands , reads it)");
  EXPECT_EQ(hint("1,23"), " (--decimal-point , reads it)");
  EXPECT_EQ(hint("1.234,5"), " (--decimal-point , and --thousands . read it)");
  EXPECT_EQ(hint("1 234.5"), " (--thousands space reads it)");
  EXPECT_EQ(hint("1 234,5"), " (--decimal-point , and --thousands space read it)");
  EXPECT_EQ(hint("2026-11-23"), " (--type time reads it)");
  EXPECT_EQ(hint("1:30"), " (--type duration reads it)");
  // Numbers, whatever else is wrong with them, and words.
  for (char const* token : {"", "2.5", "1e999", "4,", "x", "ff", "K", "0x", "1,2,3", "10:30x", "nan"})
    EXPECT_EQ(hint(token), "") << token;
  EXPECT_EQ(read_in_every_way("1 2,5", {}).error,
            "text:1:3: found '2,5', expected a number (--decimal-point , reads it)");
  EXPECT_EQ(read_in_every_way("1 2,5", {.numbers = {.thousands = " "}}).error,
            "text:1:3: found '2,5', expected a number with ' ' between groups of three digits");
  EXPECT_EQ(options_to_read("2,5", {.rule = number_rule::decimals}), " (--decimal-point , reads it)");
  EXPECT_EQ(hint("$5"), " (--unit '$' reads it)");
  EXPECT_EQ(hint("-12%"), " (--unit '%' reads it)");
  EXPECT_EQ(hint("7kg"), " (--unit 'kg' reads it)");
  EXPECT_EQ(hint("(2.50)"), " (--unit '()' reads it)");
  EXPECT_EQ(hint("$1,234.50"), " (--unit '$' and --thousands , read it)");
  EXPECT_EQ(hint("\xe2\x82\xac"
                 "1.234,50"),
            " (--unit '\xe2\x82\xac', --decimal-point , and --thousands . read it)");
  for (char const* token : {"12x", "$", "x$", "(a)", "1st", "()"}) EXPECT_EQ(hint(token), "") << token;
  EXPECT_EQ(options_to_read("$1,234", {.units = {"$"}}), " (--thousands , reads it)");
  EXPECT_EQ(options_to_read("$1,234", {.thousands = ","}), " (--unit '$' reads it)");
  EXPECT_EQ(options_to_read("$5K", {.units = {"$"}}), " (--from si or --from iec reads it)");
  EXPECT_EQ(options_to_read("1e99", {.rule = number_rule::decimals}), "");
  EXPECT_EQ(options_to_read("1:30", {.rule = number_rule::instants}), " (--type duration reads it)");
  EXPECT_EQ(options_to_read("2026-11-23", {.rule = number_rule::durations}), " (--type time reads it)");
  EXPECT_EQ(options_to_read("x", {.rule = number_rule::durations}), "");
  EXPECT_EQ(
      read_in_every_way("2026-11-23 10:30", {.numbers = {.rule = number_rule::instants}}).error,
      "text:1:12: found '10:30', expected a date or time such as 2026-11-23 or 2026-11-23T10:30:00Z (a blank ends "
      "a time in text: --input-format csv --no-header takes whole lines)");
}

TEST(number_reading, errors_say_what_is_expected)
{
  EXPECT_EQ(read_in_every_way("1 x", {.numbers = {.rule = number_rule::decimals}}).error,
            "text:1:3: found 'x', expected a decimal of at most 18 places, below 1.7e20");
  EXPECT_EQ(expected_number({.point = ',', .thousands = "."}),
            "a number with '.' between groups of three digits and ',' for a point");
  EXPECT_EQ(expected_number({.point = ','}), "a number with ',' for a point");
}

}  // namespace
}  // namespace tally::io
