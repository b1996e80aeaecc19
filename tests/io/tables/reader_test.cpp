// Columns by names, numbers, ranges and patterns; missing cells; tables with blanks, of fixed width, and those whose
// kind the first line decides.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "io/errors.hpp"
#include "io/tables/column_choice.hpp"
#include "io/tables/reader.hpp"
#include "io/text/reader.hpp"
#include "support.hpp"

namespace tally::io {
namespace {

using testing::read_rows;
using testing::scratch_folder;
using testing::slow_pipe;
using testing::word;
using strings = std::vector<std::string>;

/// The rows of a table, the same from chunks of any size with one thread and with two, and from a pipe that gives
/// `piece` bytes at a time.
strings rows_of(std::string const& text, table_kind kind, table_options options = {}, std::size_t piece = 3)
{
  scratch_folder const folder;
  std::string const path = folder.write("table", text);
  auto const rows = [&](chunk_sizes sizes) {
    return read_rows([&] { return read_table(input::file(path), kind, options, sizes); });
  };
  strings whole = rows({});
  for (std::size_t size = 1; size <= text.size() + 1; ++size)
    for (options.threads = 1; options.threads <= 2; ++options.threads)
      EXPECT_EQ(rows({.usual = size}), whole) << "chunks of " << size;
  slow_pipe const pipe(testing::pieces_of(text, piece));
  strings through = read_rows([&] { return read_table(pipe.source(), kind, options); });
  auto const rename = [](strings& lines, std::string const& name) {
    if (!lines.empty() && lines.back().starts_with(name)) lines.back().replace(0, name.size(), "table");
  };
  rename(whole, path);
  rename(through, "pipe");
  EXPECT_EQ(through, whole) << "pieces of " << piece;
  return whole;
}

/// The columns that items choose in the table `a,b,2,ab,"x:y",c`.
strings chosen(strings const& items, strings const& keys = {}, bool all = false)
{
  return rows_of("a,b,2,ab,x:y,c\n1,2,3,4,5,6\n", table_kind::csv,
                 {.first = first_row::names, .columns = items, .all = all, .keys = keys}, 100);
}

TEST(column_choice, names_numbers_ranges_and_patterns)
{
  EXPECT_EQ(chosen({"b"}), strings{"i:2"});
  EXPECT_EQ(chosen({}), strings{"i:1"});
  EXPECT_EQ(chosen({"2"}), strings{"i:3"}) << "a name goes before a number";
  EXPECT_EQ(chosen({"6", "1"}), strings{"i:6|i:1"});
  EXPECT_EQ(chosen({"3-5"}), strings{"i:3|i:4|i:5"});
  EXPECT_EQ(chosen({"5-"}), strings{"i:5|i:6"});
  EXPECT_EQ(chosen({"-2"}), strings{"i:1|i:2"});
  EXPECT_EQ(chosen({"b:ab"}), strings{"i:2|i:3|i:4"});
  EXPECT_EQ(chosen({"x:y"}), strings{"i:5"}) << "a name goes before a range";
  EXPECT_EQ(chosen({"ab:x:y"}), strings{"i:4|i:5"});
  EXPECT_EQ(chosen({"x:y:"}), strings{"i:5|i:6"});
  EXPECT_EQ(chosen({":b"}), strings{"i:1|i:2"});
  EXPECT_EQ(chosen({"b:4"}), strings{"i:2|i:3|i:4"});
  EXPECT_EQ(chosen({"a*"}), strings{"i:1|i:4"});
  EXPECT_EQ(chosen({"?", "a*"}), strings{"i:1|i:2|i:3|i:6|i:4"}) << "a pattern leaves out what was chosen before";
  EXPECT_EQ(chosen({"[bc]", "b"}), strings{"i:2|i:6|i:2"}) << "a name does not";
  EXPECT_EQ(chosen({}, {"a", "c"}, true), strings{"i:2|i:3|i:4|i:5|1" + std::string(1, '\0') + "6"});
  EXPECT_EQ(chosen({"c"}, {"a:b"}, false), strings{"i:6|1" + std::string(1, '\0') + "2"});

  std::string const names = "6 columns: 'a', 'b', '2', 'ab', 'x:y', 'c'";
  EXPECT_EQ(chosen({"d"}), strings{"table:1: found " + names + ", expected one called 'd'"});
  EXPECT_EQ(chosen({"d:b"}), strings{"table:1: found " + names + ", expected one called 'd:b'"});
  EXPECT_EQ(chosen({"d*"}), strings{"table:1: found " + names + ", expected one that matches 'd*'"});
  EXPECT_EQ(chosen({"2-7"}), strings{"table:1: found 6 columns, expected a column number 7"});
  EXPECT_EQ(
      chosen({"b:a"}),
      strings{"table:1: found a range 'b:a' that ends before it begins, expected the first column before the last"});
  EXPECT_EQ(chosen({}, {"-6"}, true),
            strings{"table:1: found no column besides those of the keys, expected one of numbers"});
  EXPECT_EQ(rows_of("a,b\n1,2\n", table_kind::csv, {.all = true, .most_columns = 1}),
            strings{"table:1: found 2 columns that are chosen, expected a single one"});
}

TEST(column_choice, a_list_is_a_row_of_a_csv_table)
{
  EXPECT_EQ(column_list("a"), strings{"a"});
  EXPECT_EQ(column_list("a,b c,2-4"), (strings{"a", "b c", "2-4"}));
  EXPECT_EQ(column_list("\"a,\"\"b\"\"\",\"\""), (strings{"a,\"b\"", ""}));
  for (char const* wrong : {"", "a,,b", "a,", "\"a", "\"a\"b", "\"a\"\""})
    EXPECT_THROW(column_list(wrong), usage_error);
}

TEST(missing, cells_are_left_out_filled_or_errors)
{
  std::string const table = "a,b\n1,x\n,y\n \t,NA\n\"\",z\n4,-\n0.5,\n";
  table_options options{.columns = {"a"}, .keys = {"b"}};
  EXPECT_EQ(rows_of(table, table_kind::csv, options),
            (strings{"i:1|x", "table:3:1: found an empty field, expected a number (or --missing skip, zero, nan or a "
                              "number)"}));
  options.missing.rule = missing_rule::skip;
  EXPECT_EQ(rows_of(table, table_kind::csv, options),
            (strings{"i:1|x", "-|y", "-|NA", "-|z", "i:4|-", word(0.5) + "|"}));
  options.missing = {.rule = missing_rule::fill, .value = "-7", .names = {"4"}};
  EXPECT_EQ(rows_of(table, table_kind::csv, options),
            (strings{"i:1|x", "i:-7|y", "i:-7|NA", "i:-7|z", "i:-7|-", word(0.5) + "|"}));
  options.missing.value = "nan";
  EXPECT_EQ(rows_of(table, table_kind::csv, options),
            (strings{"i:1|x", "d:nan|y", "d:nan|NA", "d:nan|z", "d:nan|-", word(0.5) + "|"}));
  options.numbers.rule = number_rule::integers;
  EXPECT_EQ(rows_of(table, table_kind::csv, options).back(),
            "table:3:1: found a missing cell, which --missing takes as 'nan', expected an integer");
  EXPECT_EQ(rows_of("a,b\n1,NA\n", table_kind::csv, {.columns = {"b"}}).back(),
            "table:2:3: found 'NA', expected a number (--na-strings NA takes it as missing)");
  EXPECT_EQ(rows_of("a,b\n1,NA\n", table_kind::csv, {.columns = {"b"}, .missing = {.names = {"NA"}}}).back(),
            "table:2:3: found 'NA', which is missing, expected a number (or --missing skip, zero, nan or a number)");
}

TEST(missing, each_column_has_its_own_and_types_turn_between_them)
{
  table_options options{.columns = {"a", "b"}, .missing = {.rule = missing_rule::skip, .names = {"NA"}}};
  EXPECT_EQ(rows_of("a,b\n,1\n2,NA\n,\n0.5,3\n,18446744073709551616\n7,\n", table_kind::csv, options),
            (strings{"-|i:1", "i:2|-", "-|-", word(0.5) + "|i:3", "-|i:18446744073709551616", word(7.0) + "|-"}));
  scratch_folder const folder;
  auto const from =
      read_table(input::file(folder.write("csv", "a,b\n,1\n2,NA\n,\n0.5,3\n")), table_kind::csv, options, {.usual = 4});
  for (batch next; from->next(next);) continue;
  EXPECT_EQ(std::vector<std::uint64_t>(from->missing().begin(), from->missing().end()),
            (std::vector<std::uint64_t>{2, 2}));
}

TEST(missing, tokens_of_a_text)
{
  scratch_folder const folder;
  std::string const path = folder.write("text", "1 NA\n3 - 0.5 NA");
  auto const rows = [&](missing_cells const& missing, std::size_t usual) {
    return read_rows([&] { return read_text(input::file(path), {.missing = missing}, {.usual = usual}); });
  };
  for (std::size_t usual = 1; usual < 20; ++usual) {
    EXPECT_EQ(rows({missing_rule::skip, "", {"NA", "-"}}, usual), (strings{"i:1", "-", "i:3", "-", word(0.5), "-"}));
    EXPECT_EQ(rows({missing_rule::fill, "2", {"NA", "-"}}, usual),
              (strings{"i:1", "i:2", "i:3", "i:2", word(0.5), word(2.0)}));
    EXPECT_EQ(rows({missing_rule::error, "", {"NA"}}, usual).back(),
              path +
                  ":1:3: found 'NA', which is missing, expected a number (or --missing skip, zero, nan or a number)");
  }
}

TEST(blank_table, cells_between_blanks_of_any_number)
{
  std::string const listing =
      "total 12\n-rw-r--r-- 1 root  root   123 a\n\n \t\ndrwxr-xr-x 2 user  root 40960 b c\r\n-rw-r--r-- 1 root  x 7";
  EXPECT_EQ(rows_of(listing, table_kind::blanks, {.columns = {"5"}, .keys = {"3"}}),
            (strings{"i:123|root", "i:40960|user", "i:7|root"}));
  EXPECT_EQ(rows_of(listing, table_kind::blanks, {.columns = {"2", "5"}, .keys = {"6"}, .lines = true}),
            (strings{"i:1|i:123|a|-rw-r--r-- 1 root  root   123 a", "i:2|i:40960|b|drwxr-xr-x 2 user  root 40960 b c",
                     "i:1|i:7||-rw-r--r-- 1 root  x 7"}));
  EXPECT_EQ(rows_of(" 1\t2 \n3   4\n", table_kind::blanks, {.columns = {"2"}}), (strings{"i:2", "i:4"}))
      << "a first line with a number is no heading";
  EXPECT_EQ(rows_of("1 x\n2 3\n", table_kind::blanks, {.columns = {"1", "2"}}), strings{"i:2|i:3"});
  EXPECT_EQ(rows_of("NA\n2\n", table_kind::blanks, {.missing = {missing_rule::skip, "", {"NA"}}}),
            (strings{"-", "i:2"}))
      << "a missing cell is none";
  EXPECT_EQ(rows_of("x\n2\n", table_kind::blanks, {.first = first_row::values}),
            strings{"table:1:1: found 'x', expected a number"});
  EXPECT_EQ(rows_of("5 6\n7 8\n", table_kind::blanks, {.first = first_row::names, .columns = {"6"}}), strings{"i:8"});
  EXPECT_EQ(
      rows_of("Filesystem Used Avail\n/ 1 2\n/home 3 4\n", table_kind::blanks, {.columns = {"Used"}, .keys = {"1"}}),
      (strings{"i:1|/", "i:3|/home"}));
  EXPECT_EQ(rows_of("a b c\n1 2 3\n", table_kind::blanks, {.columns = {"2-"}}), strings{"i:2|i:3"});
  EXPECT_EQ(rows_of("", table_kind::blanks, {.columns = {"2"}}), strings{});
  EXPECT_EQ(rows_of("\n\n", table_kind::blanks, {.columns = {"2"}}), strings{});
  EXPECT_EQ(rows_of("", table_kind::blanks, {.columns = {"x"}}), strings{"table:1: found nothing, expected a header"});
}

TEST(blank_table, a_short_row_has_missing_cells)
{
  std::string const table = "1 2\n3\n4 x\n";
  EXPECT_EQ(rows_of(table, table_kind::blanks, {.columns = {"2"}}),
            (strings{"i:2", "table:2:2: found a row that ends before the cell, expected a number (or --missing skip, "
                            "zero, nan or a number)"}));
  EXPECT_EQ(rows_of(table, table_kind::blanks, {.columns = {"2"}, .missing = {.rule = missing_rule::skip}}),
            (strings{"i:2", "-", "table:3:3: found 'x', expected a number"}));
  EXPECT_EQ(rows_of(std::string("1 2\n3 \0 4\n", 10), table_kind::blanks, {.columns = {"2"}}).back(),
            "table:2:3: found a NUL byte, expected text");
}

TEST(fixed_width_table, cells_of_so_many_bytes)
{
  std::string const table = "name      id  x\nA. Smith  12 34\n\nB        345\nC          6-78  \r\n";
  table_options options{.columns = {"id"}, .keys = {"name"}, .widths = {8, 4, 4}};
  EXPECT_EQ(rows_of(table, table_kind::fixed_width, options), (strings{"i:12|A. Smith", "i:345|B", "i:6|C"}));
  options.columns = {"x"};
  EXPECT_EQ(rows_of(table, table_kind::fixed_width, options).back(),
            "table:4:13: found an empty field, expected a number (or --missing skip, zero, nan or a number)");
  options.missing.rule = missing_rule::skip;
  EXPECT_EQ(rows_of(table, table_kind::fixed_width, options), (strings{"i:34|A. Smith", "-|B", "i:-78|C"}));
  EXPECT_EQ(rows_of("123456\n1 3 56\n", table_kind::fixed_width,
                    {.first = first_row::values, .columns = {"3", "1-2"}, .widths = {1, 2, 3}}),
            (strings{"i:456|i:1|i:23", "i:56|i:1|i:3"}));
  EXPECT_EQ(
      rows_of("a  b\n12 3 4\n", table_kind::fixed_width, {.widths = {3, 1}}),
      strings{"table:2:6: found text behind the last column, expected a line of at most 4 bytes, as --widths says"});
}

TEST(blank_table, lines_before_the_first_row)
{
  EXPECT_EQ(rows_of("\n \t\nn k\n1 2\n", table_kind::blanks, {.columns = {"k"}}), strings{"i:2"});
  EXPECT_EQ(
      rows_of("# a b c\n\n#\n1 2\n#3 4\n5 6\n#", table_kind::blanks, {.columns = {"2"}, .comment = "#", .lines = true}),
      (strings{"i:2|1 2", "i:6|5 6"}));
  EXPECT_EQ(rows_of("1 2\n# 3\n", table_kind::blanks, {.columns = {"1"}}).back(),
            "table:2:1: found '#', expected a number (--comment '#' skips lines that begin with it)");
  EXPECT_EQ(rows_of("%\nab\n%2\n12\n", table_kind::fixed_width, {.columns = {"b"}, .widths = {1, 1}, .comment = "%"}),
            strings{"i:2"});
}

TEST(table_of_any_kind, the_first_line_decides)
{
  for (std::size_t const piece : {1, 2, 5, 100}) {
    table_options const commented{.columns = {"b"}, .comment = "#"};
    EXPECT_EQ(rows_of("# x, y\n\na\tb\n1\t2\n# z\n", table_kind::unsaid, commented, piece), strings{"i:2"});
    EXPECT_EQ(rows_of("# x, y\na  b\n1 2\n", table_kind::unsaid, commented, piece), strings{"i:2"});
  }
  for (std::size_t const piece : {1, 2, 5, 100}) {
    EXPECT_EQ(rows_of("a,b c\n1,2\n", table_kind::unsaid, {.columns = {"b c"}}, piece), strings{"i:2"});
    EXPECT_EQ(rows_of("a\tb c\n1\t2\n", table_kind::unsaid, {.columns = {"b c"}}, piece), strings{"i:2"});
    EXPECT_EQ(rows_of("a b\n1 2\n3, 4\n", table_kind::unsaid, {.columns = {"b"}}, piece), (strings{"i:2", "i:4"}));
    EXPECT_EQ(rows_of("\"a\",\"b\n\nc\"\n1,\"2\"\n\"3\",4", table_kind::unsaid, {.columns = {"2"}}, piece),
              (strings{"i:2", "i:4"}));
    EXPECT_EQ(rows_of("7", table_kind::unsaid, {}, piece), strings{"i:7"});
    EXPECT_EQ(rows_of("7,a", table_kind::unsaid, {.first = first_row::values}, piece), strings{"i:7"});
  }
}

TEST(table_of_any_kind, a_first_line_with_tabs_may_be_data)
{
  number_reading const sizes{.notation = number_notation::iec};
  EXPECT_EQ(rows_of("4.0K\ta b\n1M\tc\n", table_kind::unsaid, {.columns = {"1"}, .keys = {"2"}, .numbers = sizes}),
            (strings{"i:4096|a b", "i:1048576|c"}));
  EXPECT_EQ(rows_of("5\ta\n6\tb\n", table_kind::unsaid, {}), (strings{"i:5", "i:6"}));
  EXPECT_EQ(rows_of("-\ta\n6\tb\n", table_kind::unsaid,
                    {.columns = {"1"}, .missing = {.rule = missing_rule::skip, .names = {"-"}}}),
            (strings{"-", "i:6"}));
  EXPECT_EQ(rows_of("size\tname\n6\tb\n", table_kind::unsaid, {.columns = {"1"}}), strings{"i:6"}) << "a header";
  std::string const refused = "table:1:1: found '5' as the name of the column, expected a name that is no number "
                              "(--no-header if the first line is data, --header if it is a header)";
  EXPECT_EQ(rows_of("5\ta\n6\tb\n", table_kind::unsaid, {.columns = {"1"}, .keys = {"a"}}), strings{refused});
  EXPECT_EQ(rows_of("5,a\n6,b\n", table_kind::unsaid, {.columns = {"1"}}), strings{refused});
  EXPECT_EQ(rows_of("5\ta\n6\tb\n", table_kind::csv, {.delimiter = '\t', .columns = {"1"}}), strings{refused});
  EXPECT_EQ(rows_of("5\ta\n6\tb\n", table_kind::unsaid, {.first = first_row::names, .columns = {"1"}}), strings{"i:6"});
}

TEST(table_of_any_kind, rows_up_to_the_limit_and_none_beyond)
{
  scratch_folder const folder;
  for (table_kind const kind : {table_kind::blanks, table_kind::fixed_width, table_kind::unsaid}) {
    for (std::size_t const length : {7u, 8u, 9u, 10u}) {
      for (std::string const before : {"", "1      \n"}) {
        std::string const path = folder.write("table", before + "2" + std::string(length - 1, ' ') + "\n3\n");
        for (std::size_t usual = 1; usual < 12; ++usual) {
          strings const got = read_rows([&] {
            return read_table(input::file(path), kind, {.first = first_row::values, .widths = {8}},
                              {.usual = usual, .longest = 8});
          });
          std::string const line = before.empty() ? "1" : "2";
          strings expected = before.empty() ? strings{"i:2", "i:3"} : strings{"i:1", "i:2", "i:3"};
          if (length > 8) {
            expected.resize(expected.size() - 2);
            expected.push_back(path + ":" + line + ":1: found a row of more than 8 bytes, expected a shorter one");
          }
          EXPECT_EQ(got, expected) << length << " " << usual;
        }
      }
    }
  }
}

TEST(table_of_any_kind, cells_are_found_again)
{
  scratch_folder const folder;
  auto const places = [&](std::string const& text, table_kind kind, table_options const& options) {
    std::string const path = folder.write("table", text);
    auto const from = read_table(input::file(path), kind, options, {.usual = 9});
    strings found;
    for (batch next; from->next(next);)
      for (std::size_t row = 0; row < next.rows; ++row)
        for (std::size_t c = 0; c < next.columns.size(); ++c)
          found.push_back(to_string(from->locate(row, c)).substr(path.size()));
    return found;
  };
  EXPECT_EQ(places("x y\n1 2\n\n  3\n4 0.5\n", table_kind::blanks,
                   {.columns = {"2", "1"}, .missing = {.rule = missing_rule::skip}}),
            (strings{":2:3", ":2:1", ":4:4", ":4:3", ":5:3", ":5:1"}));
  EXPECT_EQ(
      places("12\n 3\n", table_kind::fixed_width,
             {.first = first_row::values, .columns = {"2", "1"}, .widths = {1, 1}, .missing = {missing_rule::skip}}),
      (strings{":1:2", ":1:1", ":2:2", ":2:2"}));
}

}  // namespace
}  // namespace tally::io
