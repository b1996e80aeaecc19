#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <random>

#include "io/tables/reader.hpp"
#include "io/text/column_reader.hpp"
#include "io/text/reader.hpp"
#include "support.hpp"

namespace tally::io {
namespace {

using testing::everything;
using testing::pieces_of;
using testing::read_all;
using testing::scratch_folder;
using testing::slow_pipe;
using testing::word;

everything read(std::string const& path, text_options const& options = {}, chunk_sizes sizes = {})
{
  return read_all([&] { return read_text(input::file(path), options, sizes); });
}

/// Expects the same values from chunks of any size, with one thread and with three, from a file and from a pipe cut
/// anywhere.
everything read_in_every_way(std::string const& text, text_options options = {})
{
  scratch_folder const folder;
  std::string const path = folder.write("text", text);
  options.threads = 1;
  everything const whole = read(path, options);
  for (int const threads : {1, 3}) {
    options.threads = threads;
    for (std::size_t size = 1; size <= text.size() + 1; ++size)
      EXPECT_EQ(read(path, options, {.usual = size}), whole) << "chunks of " << size << ", " << threads << " threads";
  }
  for (std::size_t cut = 1; cut < text.size(); cut += 1 + text.size() / 16) {
    slow_pipe const pipe({text.substr(0, cut), text.substr(cut)});
    everything through = read_all([&] { return read_text(pipe.source(), options); });
    if (!through.error.empty()) through.error.replace(0, 4, path);
    EXPECT_EQ(through, whole) << "pipe cut at " << cut;
  }
  everything named = whole;
  if (!named.error.empty()) named.error.replace(0, path.size(), "text");
  return named;
}

std::vector<std::string> integers(std::vector<int> const& values)
{
  std::vector<std::string> words;
  for (int const value : values) words.push_back(word(value));
  return words;
}

TEST(text_reader, nothing)
{
  for (char const* text : {"", " ", "\n", " \t\r\n\v\f \n"}) EXPECT_EQ(read_in_every_way(text), everything());
}

TEST(text_reader, integers_between_white_space)
{
  EXPECT_EQ(read_in_every_way("1 22\n333\t-4444\r\n\v5\f+6").values, integers({1, 22, 333, -4444, 5, 6}));
  EXPECT_EQ(read_in_every_way("\n\n7").values, integers({7}));
  EXPECT_EQ(read_in_every_way("7\n").values, integers({7}));
  EXPECT_EQ(read_in_every_way("\xef\xbb\xbf"
                              "7\n")
                .values,
            integers({7}));
}

TEST(text_reader, integers_end_at_the_first_token_that_is_none)
{
  everything const got = read_in_every_way("1 2\n 3.5 4\n-5 9007199254740993 ");
  EXPECT_EQ(got.values, (std::vector{word(1), word(2), word(3.5), word(4.0), word(-5.0), word(9007199254740992.0)}));
  EXPECT_EQ(read_in_every_way("inf 1").values, (std::vector{word(double(INFINITY)), word(1.0)}));
}

TEST(text_reader, integers_are_exact_up_to_128_bits)
{
  everything const got = read_in_every_way("1 9223372036854775808\n-170141183460469231731687303715884105728 2\n");
  EXPECT_EQ(got.values, (std::vector<std::string>{"i:1", "i:9223372036854775808",
                                                  "i:-170141183460469231731687303715884105728", "i:2"}));
  std::string const large = "170141183460469231731687303715884105728";
  EXPECT_EQ(read_in_every_way("1\n " + large + "\n2.5").error,
            "text:2:2: found '" + large + "', expected an integer of at most 128 bits");
  // Among doubles it is a double, however the text is cut.
  EXPECT_EQ(read_in_every_way("0.5\n " + large + "\n7 7 7").values[1], word(170141183460469231731687303715884105728.0));
}

TEST(text_reader, floating_rule)
{
  everything const got = read_in_every_way("1 -2 0.5\n", {.numbers = {.rule = number_rule::floating}});
  EXPECT_EQ(got.values, (std::vector{word(1.0), word(-2.0), word(0.5)}));
}

TEST(text_reader, negative_zero_is_one_where_doubles_are_read)
{
  std::string const long_zero = "-" + std::string(20, '0');
  std::vector<std::string> const negative = {word(-0.0), word(0.0), word(-0.0), word(0.0), word(0.5)};
  EXPECT_EQ(read_in_every_way("-0 0 " + long_zero + " +0 0.5\n", {.numbers = {.rule = number_rule::floating}}).values,
            negative);
  EXPECT_EQ(read_in_every_way("-0 0.5 -0 0").values, (std::vector{word(0), word(0.5), word(-0.0), word(0.0)}));
  EXPECT_EQ(read_in_every_way("-0", {.numbers = {.rule = number_rule::integers}}).values, integers({0}));
}

TEST(text_reader, integer_rule)
{
  EXPECT_EQ(read_in_every_way("1 2 3", {.numbers = {.rule = number_rule::integers}}).values, integers({1, 2, 3}));
  EXPECT_EQ(read_in_every_way("1 2\n3 4.5 x", {.numbers = {.rule = number_rule::integers}}).error,
            "text:2:3: found '4.5', expected an integer");
  everything const whole = read_in_every_way("1.0 -2. 9007199254740993.0 18446744073709551616.00 -0.0 +30.000 0.0",
                                             {.numbers = {.rule = number_rule::integers}});
  EXPECT_EQ(whole.error, "");
  EXPECT_EQ(whole.values, (std::vector<std::string>{"i:1", "i:-2", "i:9007199254740993", "i:18446744073709551616",
                                                    "i:0", "i:30", "i:0"}));
  for (char const* token :
       {"1e3", "0.99999999999999999999", "10.01", "1e-0", ".0", "-.0", "1.0e0", "inf", "nan", "1.0.0", "."})
    EXPECT_EQ(read_in_every_way(token, {.numbers = {.rule = number_rule::integers}}).error,
              "text:1:1: found '" + std::string(token) + "', expected an integer");
}

TEST(text_reader, errors_name_the_first_offence_and_its_place)
{
  EXPECT_EQ(read_in_every_way("1\n2 x3\ny").error, "text:2:3: found 'x3', expected a number");
  EXPECT_EQ(read_in_every_way("x").error, "text:1:1: found 'x', expected a number");
  EXPECT_EQ(read_in_every_way("1 2\n\n  1e999 ").error,
            "text:3:3: found '1e999', expected a number of magnitude below 1.8e308");
  EXPECT_EQ(read_in_every_way(std::string("1\n23\0 5", 7)).error, "text:2:3: found a NUL byte, expected a number");
  EXPECT_EQ(read_in_every_way("1\r\n2\r\n\xc3\xa9").error, "text:3:1: found '\\xc3\\xa9', expected a number");
}

TEST(text_reader, one_number_a_line)
{
  text_options const lines{.one_a_line = true};
  EXPECT_EQ(read_in_every_way("1\n 22 \r\n\t333", lines).values, integers({1, 22, 333}));
  EXPECT_EQ(read_in_every_way("1\n\n2\n", lines).error, "text:2:1: found an empty line, expected a number");
  EXPECT_EQ(read_in_every_way("1\n 2 3\n", lines).error, "text:2:2: found '2 3', expected a number");
}

/// The values and the error of a text of zeros and ones whose tokens may have `longest` bytes, found without a reader.
everything expected_of(std::string const& text, std::size_t longest)
{
  everything result;
  std::string token;
  std::size_t line = 1, at = 1, begin = 1;
  for (char const c : text + "\n") {
    if (c == ' ' || c == '\n') {
      if (!token.empty()) result.values.push_back(word(token.back() - '0'));
      token.clear();
    } else {
      if (token.empty()) begin = at;
      token += c;
      if (token.size() > longest) {
        result.error = "text:" + std::to_string(line) + ":" + std::to_string(begin) + ": found a token of more than " +
                       std::to_string(longest) + " bytes, expected a number";
        return result;
      }
    }
    line += c == '\n';
    at = c == '\n' ? 1 : at + 1;
  }
  return result;
}

TEST(text_reader, comments_are_skipped)
{
  text_options const options{.comment = "#"};
  EXPECT_EQ(read_in_every_way("# x 1\n1 2\n#\n#3\n4\n#5", options).values, read_in_every_way("1 2 4").values);
  EXPECT_EQ(read_in_every_way("1\n #2\n", options).error, "text:2:2: found '#2', expected a number");
  EXPECT_EQ(read_in_every_way("/1\n//2\n", {.comment = "//"}).error, "text:1:1: found '/1', expected a number");
  EXPECT_EQ(read_in_every_way("# 1\n").error,
            "text:1:1: found '#', expected a number (--comment '#' skips lines that begin with it)");
  EXPECT_EQ(read_in_every_way("# 1\n2\n# 3\n4", {.one_a_line = true, .comment = "#"}).values,
            read_in_every_way("2 4").values);
}

TEST(text_reader, tokens_up_to_the_limit_and_none_beyond_whatever_the_pieces)
{
  scratch_folder const folder;
  std::mt19937 random(11);
  int refused = 0;
  for (int round = 0; round < 400; ++round) {
    std::size_t const longest = 1 + random() % 12;
    std::string text;
    for (std::size_t tokens = random() % 6; tokens > 0; --tokens) {
      text += std::string(random() % (longest + (random() % 3)), '0') + "1";
      text += std::string(random() % 3, ' ') + (random() % 4 ? " " : "\n");
    }
    if (random() % 2 && !text.empty()) text.pop_back();
    everything const expected = expected_of(text, longest);
    refused += !expected.error.empty();
    auto const check = [&](everything got, std::size_t name, char const* how, std::size_t size) {
      if (!got.error.empty()) got.error.replace(0, name, "text");
      EXPECT_EQ(got, expected) << how << " of " << size << ", tokens of " << longest << ": '" << text << "'";
    };
    std::string const path = folder.write("text", text);
    for (std::size_t usual = 1; usual <= text.size() + 2; ++usual)
      check(read(path, {.threads = 1}, {.usual = usual, .longest = longest}), path.size(), "chunks", usual);
    if (round % 20 != 0) continue;
    for (std::size_t const piece : {std::size_t(1), longest, longest + 1, longest + 2}) {
      slow_pipe const pipe(pieces_of(text, piece));
      check(read_all([&] { return read_text(pipe.source(), {}, {.usual = 3, .longest = longest}); }), 4, "pieces",
            piece);
    }
  }
  EXPECT_GT(refused, 50);
  EXPECT_LT(refused, 350);
}

TEST(text_reader, lines_up_to_the_limit_and_none_beyond_whatever_the_pieces)
{
  scratch_folder const folder;
  for (std::size_t length = 6; length <= 10; ++length) {
    for (char const* line_end : {"\n", ""}) {
      std::string const path = folder.write("text", "1\n" + std::string(length - 2, ' ') + "2 " + line_end);
      for (std::size_t usual = 1; usual <= 12; ++usual) {
        everything const got = read(path, {.one_a_line = true}, {.usual = usual, .longest = 8});
        EXPECT_EQ(got.values, length <= 8 ? integers({1, 2}) : integers({1}));
        EXPECT_EQ(got.error, length <= 8 ? "" : path + ":2:1: found a line of more than 8 bytes, expected a number");
      }
    }
  }
}

TEST(text_reader, other_formats_are_known_by_their_first_bytes)
{
  struct known {
    std::string bytes, message;
  };
  std::string const export_it = " (export it first, for instance as CSV or .npy)";
  std::vector<known> const all = {
      {"\x04\x22\x4d\x18", "data compressed by lz4, expected text (decompress it first: lz4cat FILE | tally ...)"},
      {"\x93NUMPY\x01", "a .npy array, expected text (--input-format npy reads it)"},
      {"PAR1\x15",
       "a Parquet file, expected text (Tally does not read it; export it first: python3 -c \"import pandas; "
       "pandas.read_parquet('FILE').to_csv('FILE.csv', index=False)\")"},
      {std::string("ARROW1\0\0", 8),
       "an Arrow file, expected text (Tally does not read it; export it first: python3 -c \"import pandas; "
       "pandas.read_feather('FILE').to_csv('FILE.csv', index=False)\")"},
      {"\x89HDF\r\n\x1a\n",
       "an HDF5 file, expected text (take a data set out first: h5dump -d NAME -b LE -o data.raw FILE)"},
      {"CDF\x02", "a NetCDF file, expected text" + export_it},
      {"\xd0\xcf\x11\xe0", "a document of Microsoft Office, expected text" + export_it},
      {std::string("\xff\xfe"
                   "1\0\n\0",
                   6),
       "text in UTF-16, expected text (convert it first: iconv -t UTF-8 -f UTF-16 FILE | tally ...)"},
      {std::string("\xfe\xff\0"
                   "1",
                   4),
       "text in UTF-16, expected text (convert it first: iconv -t UTF-8 -f UTF-16 FILE | tally ...)"},
      {std::string("\xff\xfe\0\0"
                   "1\0\0\0",
                   8),
       "text in UTF-32, expected text (convert it first: iconv -t UTF-8 -f UTF-32 FILE | tally ...)"},
  };
  for (known const& one : all) {
    std::string const text = one.bytes + "junk\n1 2 3\n";
    EXPECT_EQ(read_in_every_way(text).error, "text: found " + one.message);
    for (first_row const first : {first_row::unsaid, first_row::values}) {
      slow_pipe const pipe(pieces_of(text, 1));
      EXPECT_EQ(read_all([&] { return read_table(pipe.source(), table_kind::csv, {.first = first}); }).error,
                "pipe: found " + one.message);
    }
  }
  for (char const* text : {"P", "BZh", "\x1f", "\xff", "\x93NUMP"}) EXPECT_NE(read_in_every_way(text).error, "");
  EXPECT_EQ(read_in_every_way("BZh").error,
            "text:1:1: found 'BZh', expected a number (--column chooses a column of a table)");
}

TEST(text_reader, values_are_found_again)
{
  scratch_folder const folder;
  std::string const path = folder.write("text", "10 20\n30\n\n 40 0.5\n60 70");
  std::vector<std::string> places;
  auto const from = read_text(input::file(path), {.threads = 2}, {.usual = 9});
  batch next;
  while (from->next(next))
    for (std::size_t i = 0; i < next.rows; ++i) places.push_back(to_string(from->locate(i)).substr(path.size()));
  EXPECT_EQ(places, (std::vector<std::string>{":1:1", ":1:4", ":2:1", ":4:2", ":4:5", ":5:1", ":5:4"}));
  EXPECT_EQ(from->so_far().bytes, *from->so_far().total);
}

TEST(text_reader, a_large_text_in_parallel)
{
  std::mt19937_64 random(5);
  std::string text;
  std::vector<std::string> expected;
  for (int i = 0; i < 300000; ++i) {
    if (i < 200000) {
      auto const value = static_cast<std::int64_t>(random()) >> random() % 60;
      text += to_text(value) + (random() % 4 ? "\n" : " ");
      expected.push_back(word(value));
    } else {
      char token[32];
      std::snprintf(token, sizeof token, "%.3f", static_cast<double>(random() % 1000000) / 1000);
      text += std::string(token) + "\n";
      expected.push_back(word(std::strtod(token, nullptr)));
    }
  }
  scratch_folder const folder;
  std::string const path = folder.write("text", text);
  everything const got = read(path, {.threads = 4});
  EXPECT_EQ(got.error, "");
  EXPECT_TRUE(got.values == expected);
  EXPECT_TRUE(read(path, {.threads = 1}) == got);
  EXPECT_TRUE(read(path, {.threads = 4}, {.usual = 1000}) == got);
  std::string const broken = folder.write("broken", text + "oops\n" + text + "later\n");
  for (int const threads : {1, 4})
    EXPECT_EQ(read(broken, {.threads = threads}).error.substr(broken.size()),
              ":" + std::to_string(std::count(text.begin(), text.end(), '\n') + 1) +
                  ":1: found 'oops', expected a number (--column chooses a column of a table)");
}

TEST(text_reader, a_slow_pipe_is_given_as_it_comes)
{
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  auto const from = read_text(input::descriptor(ends[0], "pipe"));
  batch next;
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(write(ends[1], "12\n3", 4), 4);
    ASSERT_TRUE(from->next(next));
    EXPECT_TRUE(from->waiting());
    EXPECT_EQ(std::get<std::span<std::int64_t const>>(next.values())[0], i == 0 ? 12 : 312);
  }
  close(ends[1]);
  EXPECT_FALSE(from->waiting());
  ASSERT_TRUE(from->next(next));
  EXPECT_EQ(std::get<std::span<std::int64_t const>>(next.values())[0], 3);
  EXPECT_FALSE(from->next(next));
  close(ends[0]);
}

TEST(text_reader, a_failing_read_is_reported_after_what_came_before)
{
  EXPECT_THROW(read_text(input::file("/"), {}), file_error);
  EXPECT_THROW(read_text(input::file("/no/such/file"), {}), file_error);
  scratch_folder const folder;
  int const fd = open(folder.write("text", "1").c_str(), O_WRONLY);
  EXPECT_EQ(read_all([&] { return read_text(input::descriptor(fd, "write-only")); }).error,
            "write-only: cannot read: Bad file descriptor");
  close(fd);
}

}  // namespace
}  // namespace tally::io
