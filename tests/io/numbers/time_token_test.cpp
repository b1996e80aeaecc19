#include <gtest/gtest.h>

#include <random>

#include "io/numbers/style.hpp"
#include "io/numbers/time_token.hpp"
#include "io/tables/reader.hpp"
#include "io/text/column_reader.hpp"
#include "support.hpp"

namespace tally::io {
namespace {

std::string written(int128 value, number_form form, std::optional<int> precision = {})
{
  char text[max_time_length];
  return std::string(text, format_time(text, value, form, precision));
}

/// The nanoseconds that are read of a text, and the text that is written of them.
std::string instant(std::string const& text, std::optional<int> precision = {})
{
  number_form form;
  std::optional<int128> const value = parse_instant(text, form);
  if (!value) return "none";
  EXPECT_EQ(form.unit, number_unit::instant);
  return written(*value, form, precision);
}
std::string duration(std::string const& text, std::optional<int> precision = {})
{
  number_form form;
  std::optional<int128> const value = parse_duration(text, form);
  if (!value) return "none";
  EXPECT_EQ(form.unit, number_unit::duration);
  return to_text(*value) + " " + written(*value, form, precision);
}

TEST(time_token, instants_are_written_as_they_are_read)
{
  for (char const* text :
       {"2026-11-23", "2024-02-29", "1970-01-01", "1969-12-31", "0000-01-01", "9999-12-31", "2000-02-29",
        "2026-11-23T10:30", "2026-11-23T00:00", "2026-11-23 10:30:00", "2026-11-23T10:30:15Z", "2026-11-23 23:59:59.5Z",
        "2026-11-23T10:30:15.250", "0000-01-01T00:00:00.000000001", "9999-12-31T23:59:59.999999999"})
    EXPECT_EQ(instant(text), text);
  EXPECT_EQ(instant("2026-11-23T10:30:15+01:00"), "2026-11-23T09:30:15Z");
  EXPECT_EQ(instant("2026-11-23T00:30-0130"), "2026-11-23T02:00Z");
  EXPECT_EQ(instant("2026-11-23T00:30+01"), "2026-11-22T23:30Z");
  EXPECT_EQ(instant("2026-11-23 10:30:15 +0100"), "2026-11-23 09:30:15Z");
  EXPECT_EQ(instant("2026-11-23 10:30:15,250"), "2026-11-23 10:30:15.250");
  EXPECT_EQ(instant("2026-11-23T10:30:15.12345678900"), "2026-11-23T10:30:15.123456789");
  EXPECT_EQ(instant("0000-01-01T00:00+01:00"), "none");
  EXPECT_EQ(instant("2026-11-23T10:30:15.250", 1), "2026-11-23T10:30:15.2");
  EXPECT_EQ(instant("2026-11-23T23:59:59.99", 0), "2026-11-24T00:00:00");
}

TEST(time_token, no_instants)
{
  for (char const* text : {"",
                           "2026",
                           "2026-11",
                           "2026-1-2",
                           "2026-13-01",
                           "2026-00-01",
                           "2026-02-29",
                           "2026-04-31",
                           "1900-02-29",
                           "2026-11-23T",
                           "2026-11-23T10",
                           "2026-11-23T24:00",
                           "2026-11-23T10:60",
                           "2026-11-23T10:30:60",
                           "2026-11-23T10:30:",
                           "2026-11-23T10:30:15.",
                           "2026-11-23T10:30:15.1234567891",
                           "2026-11-23T10:30:15,",
                           "2026-11-23T10:30 Z",
                           "2026-11-23 10:30 ",
                           "2026-11-23 10:30  Z",
                           "2026-11-23T10:30ZZ",
                           "2026-11-23T10:30+1",
                           "2026-11-23T10:30+24:00",
                           "2026-11-23x",
                           "02026-11-23",
                           "-2026-11-23",
                           "2026-11-23T1:30",
                           "2026/11/23",
                           "10:30"})
    EXPECT_EQ(instant(text), "none") << text;
}

TEST(time_token, durations)
{
  EXPECT_EQ(duration("1:30"), "5400000000000 1:30");
  EXPECT_EQ(duration("-0:00:01.5"), "-1500000000 -0:00:01.5");
  EXPECT_EQ(duration("100:00:00"), "360000000000000 100:00:00");
  EXPECT_EQ(duration("2562047:47"), "9223372020000000000 2562047:47");  // the last one in 64 bits
  EXPECT_EQ(duration("2562047:48"), "9223372080000000000 2562047:48");
  EXPECT_EQ(duration("-9999999:59:59.999999999"), "-35999999999999999999 -9999999:59:59.999999999");
  EXPECT_EQ(duration("PT1H30M"), "5400000000000 PT1H30M");
  EXPECT_EQ(duration("P1DT2H"), "93600000000000 PT26H");
  EXPECT_EQ(duration("P2W"), "1209600000000000 PT336H");
  EXPECT_EQ(duration("-PT0.25S"), "-250000000 -PT0.25S");
  EXPECT_EQ(duration("PT0S"), "0 PT0S");
  EXPECT_EQ(duration("1h30m"), "5400000000000 1h30m");
  EXPECT_EQ(duration("1.5h"), "5400000000000 1h30m");
  EXPECT_EQ(duration("1,5h"), "5400000000000 1h30m");
  EXPECT_EQ(duration("2w1d"), "1296000000000000 15d");
  EXPECT_EQ(duration("90s"), "90000000000 1m30s");
  EXPECT_EQ(duration("5min250ms"), "300250000000 5m0.25s");
  EXPECT_EQ(duration("7us"), "7000 0.000007s");
  EXPECT_EQ(duration("1ns"), "1 0.000000001s");
  EXPECT_EQ(duration("0s"), "0 0s");
  EXPECT_EQ(duration("0"), "0 0:00");
  EXPECT_EQ(duration("+3d"), "259200000000000 3d");
  EXPECT_EQ(duration("1:30:00.75", 0), "5400750000000 1:30:01");
  EXPECT_EQ(duration("1:30", 2), "5400000000000 1:30:00.00");
  EXPECT_EQ(duration("2.5s", 0), "2500000000 2s");
  for (char const* text : {"",        "-",    "P",      "PT",    "P1",          "P1Y",   "P1M",    "P1DT",
                           "P1H",     "PT1D", "PT1M1H", "P1D1W", "P1DT2Hx",     "1",     "1.5",    "1x",
                           "1h1h",    "1m1h", "1s1m",   "h",     "1.5",         "0.5ns", "1:5",    "1:60",
                           "1:30:60", ":30",  "1:30:",  "1:30x", "12345678:00", "--1s",  "1h 30m", "1234567890123456s"})
    EXPECT_EQ(duration(text), "none") << text;
}

TEST(time_token, random_instants_and_durations_read_back)
{
  std::mt19937_64 random(7);
  for (int k = 0; k < 2000; ++k) {
    auto const value = static_cast<std::int64_t>(random()) >> (k % 40);
    for (time_shape const shape : {time_shape::local, time_shape::utc, time_shape::blank, time_shape::blank_utc}) {
      number_form form{number_unit::instant, 0, shape};
      std::string const text = written(value, form);
      std::optional<int128> const back = parse_instant(text, form);
      ASSERT_TRUE(back && *back == value) << text;
    }
    for (time_shape const shape : {time_shape::clock, time_shape::iso, time_shape::words}) {
      number_form form{number_unit::duration, 1, shape};
      std::string const text = written(value, form);
      std::optional<int128> const back = parse_duration(text, form);
      ASSERT_TRUE(back && *back == value) << text;
    }
  }
}

TEST(time_token, columns_grow_finer_and_keep_their_first_notation)
{
  testing::scratch_folder const folder;
  std::string const path =
      folder.write("t.csv", "t\n2026-11-23\n2026-11-23 10:30\n2026-11-23T10:30:00.5Z\n2026-11-24\nx\n");
  for (std::size_t usual : {std::size_t{1}, std::size_t{1000}}) {
    testing::everything const got = testing::read_all([&] {
      return read_table(input::file(path), table_kind::csv, {.numbers = {.rule = number_rule::instants}, .threads = 1},
                        {.usual = usual});
    });
    ASSERT_EQ(got.forms.size(), 4U);
    EXPECT_EQ(got.forms[0], (number_form{number_unit::instant, 0, time_shape::unsaid}));
    EXPECT_EQ(got.forms[1], (number_form{number_unit::instant, 1, time_shape::blank}));
    EXPECT_EQ(got.forms[3], (number_form{number_unit::instant, 3, time_shape::blank}));
    EXPECT_EQ(got.error, path + ":6:1: found 'x', expected a date or time such as 2026-11-23 or 2026-11-23T10:30:00Z");
  }
}

}  // namespace
}  // namespace tally::io
