#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "io/numbers/number.hpp"
#include "io/numbers/style.hpp"
#include "io/text/reader.hpp"
#include "io/writer.hpp"
#include "support.hpp"

namespace tally::io {
namespace {

constexpr int128 greatest = ~(int128{1} << 127);

TEST(number_style, the_default_writes_what_format_number_writes)
{
  for (double const value :
       std::initializer_list<double>{0.0, -0.0, 0.1, 1e300, 1e16, 12345678.0, -INFINITY, std::nan("")})
    EXPECT_EQ(to_text(value, {}), to_text(value));
  EXPECT_EQ(to_text(0.1f, {}), "0.1");
  EXPECT_EQ(to_text(int128{-5}, {}), "-5");
  EXPECT_TRUE(number_style{}.plain());
}

TEST(number_style, precision)
{
  auto const fixed = [](auto value, int digits) { return to_text(value, {.precision = digits}); };
  EXPECT_EQ(fixed(3.14159, 2), "3.14");
  EXPECT_EQ(fixed(2.5, 0), "2");
  EXPECT_EQ(fixed(3.5, 0), "4");
  EXPECT_EQ(fixed(0.125, 2), "0.12");
  EXPECT_EQ(fixed(-0.001, 2), "0.00");
  EXPECT_EQ(fixed(-0.0, 1), "0.0");
  EXPECT_EQ(fixed(-1.0, 1), "-1.0");
  EXPECT_EQ(fixed(14, 2), "14.00");
  EXPECT_EQ(fixed(14, 0), "14");
  EXPECT_EQ(fixed(0.1f, 10), "0.1000000015");
  EXPECT_EQ(fixed(INFINITY, 2), "inf");
  EXPECT_EQ(fixed(-std::nan(""), 2), "nan");
  EXPECT_EQ(fixed(1e22, 1), "10000000000000000000000.0");
}

TEST(number_style, groups_of_three)
{
  number_style const style{.thousands = ","};
  EXPECT_EQ(to_text(0, style), "0");
  EXPECT_EQ(to_text(999, style), "999");
  EXPECT_EQ(to_text(-1000, style), "-1,000");
  EXPECT_EQ(to_text(-100, style), "-100");
  EXPECT_EQ(to_text(1234567.5, style), "1,234,567.5");
  EXPECT_EQ(to_text(0.1234567, style), "0.1234567");
  EXPECT_EQ(to_text(1e300, style), "1e+300");
  EXPECT_EQ(to_text(-INFINITY, style), "-inf");
  EXPECT_EQ(to_text(greatest, style), "170,141,183,460,469,231,731,687,303,715,884,105,727");
  EXPECT_EQ(to_text(1234.5, {.precision = 2, .point = ',', .thousands = "."}), "1.234,50");
  EXPECT_EQ(to_text(1.5, {.point = ','}), "1,5");
}

TEST(number_style, the_longest_number_fits)
{
  double const lowest = std::numeric_limits<double>::lowest();
  std::string const text = to_text(lowest, {.precision = most_precision, .thousands = "\xe2\x80\xaf|"});
  EXPECT_EQ(text.size(), 1 + 309 + 4 * 102 + 1 + 30U);
  EXPECT_LE(text.size(), max_styled_length);
}

TEST(number_style, suffixes)
{
  auto const si = [](auto value) { return to_text(value, {.scale = number_scale::si}); };
  auto const iec = [](auto value) { return to_text(value, {.scale = number_scale::iec}); };
  EXPECT_EQ(si(999), "999");
  EXPECT_EQ(si(1000), "1K");
  EXPECT_EQ(si(1500), "1.5K");
  EXPECT_EQ(si(1234567), "1.23M");
  EXPECT_EQ(si(-12345678), "-12.3M");
  EXPECT_EQ(si(123456789), "123M");
  EXPECT_EQ(si(999499), "999K");
  EXPECT_EQ(si(999500), "1M");
  EXPECT_EQ(si(9.996), "10");
  EXPECT_EQ(si(3.14159), "3.14");
  EXPECT_EQ(si(100), "100");
  EXPECT_EQ(si(100.0), "100");
  EXPECT_EQ(si(0.001), "0");
  EXPECT_EQ(si(-0.001), "0");
  EXPECT_EQ(si(1e33), "1000Q");
  EXPECT_EQ(si(INFINITY), "inf");
  EXPECT_EQ(iec(1023), "1023");
  EXPECT_EQ(iec(1024), "1K");
  EXPECT_EQ(iec(1536), "1.5K");
  EXPECT_EQ(iec(1048575), "1M");
  EXPECT_EQ(iec(1023 * 1024), "1023K");
  EXPECT_EQ(to_text(1536, {.scale = number_scale::iec_i}), "1.5Ki");
  EXPECT_EQ(to_text(1536, {.precision = 2, .scale = number_scale::iec}), "1.50K");
  EXPECT_EQ(to_text(999999, {.precision = 1, .scale = number_scale::si}), "1.0M");
  EXPECT_EQ(to_text(1500, {.scale = number_scale::si, .point = ','}), "1,5K");
  EXPECT_EQ(to_text(1500 * decimal_one, {.form = {number_unit::decimal, 2}, .scale = number_scale::si}), "1.5K");
}

TEST(number_style, hexadecimal)
{
  number_style const style{.scale = number_scale::hexadecimal};
  EXPECT_EQ(to_text(255, style), "0xff");
  EXPECT_EQ(to_text(-16, style), "-0x10");
  EXPECT_EQ(to_text(std::numeric_limits<std::uint64_t>::max(), style), "0xffffffffffffffff");
  EXPECT_EQ(to_text(~greatest, style), "-0x80000000000000000000000000000000");
  EXPECT_EQ(to_text(0.5, style), "0.5");
}

TEST(number_style, decimals)
{
  auto const decimal = [](int128 value, int digits) {
    return to_text(value, {.form = {number_unit::decimal, static_cast<unsigned char>(digits)}});
  };
  EXPECT_EQ(decimal(3 * (decimal_one / 10), 1), "0.3");
  EXPECT_EQ(decimal(3 * (decimal_one / 10), 2), "0.30");
  EXPECT_EQ(decimal(-(decimal_one / 4), 1), "-0.25");
  EXPECT_EQ(decimal(-1, 0), "-0.000000000000000001");
  EXPECT_EQ(decimal(0, 0), "0");
  EXPECT_EQ(decimal(0, 2), "0.00");
  EXPECT_EQ(decimal(14 * decimal_one, 0), "14");
  EXPECT_EQ(decimal(greatest, 0), "170141183460469231731.687303715884105727");
  EXPECT_EQ(decimal(~greatest, 0), "-170141183460469231731.687303715884105728");
  auto const rounded = [](int128 value, int precision) {
    return to_text(value, {.form = {number_unit::decimal, 4}, .precision = precision});
  };
  EXPECT_EQ(rounded(decimal_one / 8, 2), "0.12");
  EXPECT_EQ(rounded(3 * (decimal_one / 8), 2), "0.38");
  EXPECT_EQ(rounded(decimal_one / 2 + 1, 0), "1");
  EXPECT_EQ(rounded(decimal_one / 2, 0), "0");
  EXPECT_EQ(rounded(-(decimal_one / 1000), 2), "0.00");
  EXPECT_EQ(rounded(decimal_one / 10, 18), "0.100000000000000000");
  EXPECT_EQ(rounded(decimal_one / 10, 20), "0.10000000000000000000");
  EXPECT_EQ(to_text(1234 * decimal_one, {.form = {number_unit::decimal, 2}, .thousands = ","}), "1,234.00");
}

/// Text written in a style reads back by the reading of that style.
TEST(number_style, reads_back)
{
  std::mt19937_64 random(3);
  number_style const style{.form = {number_unit::decimal, 3}, .point = ',', .thousands = "."};
  number_reading const how{.rule = number_rule::decimals, .point = ',', .thousands = "."};
  for (int k = 0; k < 2000; ++k) {
    int128 const value = static_cast<int128>(random()) * static_cast<std::int64_t>(random() >> (k % 60));
    std::string const text = to_text(value, style);
    number_form form;
    token_value const back = decode(text.data(), text.data() + text.size(), how, form);
    ASSERT_EQ(back.kind, token_kind::wide) << text;
    ASSERT_TRUE(back.wide == value) << text;
  }
}

/// Enough values for several threads, and for blocks of both ways.
TEST(number_style, of_a_text_writer)
{
  testing::scratch_folder const folder;
  std::vector<double> values;
  std::string expected;
  number_style const style{.precision = 3, .thousands = ","};
  for (int k = 0; k < 20000; ++k) {
    values.push_back(k * 1.37);
    expected += to_text(values.back(), style) + "\n";
  }
  for (int const threads : {1, 3}) {
    text_writer to(output::file(folder.path("out")), {.style = style, .threads = threads});
    to.write(std::span<double const>(values));
    to.finish();
    EXPECT_TRUE(folder.read("out") == expected) << threads;
  }
  text_writer to(output::file(folder.path("out")), {.threads = 1});
  int128 const halves[] = {decimal_one / 2, 2 * decimal_one};
  to.set_form({number_unit::decimal, 1});
  to.write(std::span<int128 const>(halves));
  to.finish();
  EXPECT_EQ(folder.read("out"), "0.5\n2.0\n");
}

}  // namespace
}  // namespace tally::io
