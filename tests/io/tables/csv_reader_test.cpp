#include <gtest/gtest.h>

#include <random>

#include "io/tables/reader.hpp"
#include "io/text/column_reader.hpp"
#include "support.hpp"

namespace tally::io {
namespace {

using testing::everything;
using testing::pieces_of;
using testing::read_all;
using testing::scratch_folder;
using testing::slow_pipe;
using testing::word;

everything read(std::string const& path, table_options const& options, chunk_sizes sizes = {})
{
  return read_all([&] { return read_table(input::file(path), table_kind::csv, options, sizes); });
}

/// Expects the same values from chunks of any size, with one thread and with three.
everything read_in_every_way(std::string const& text, table_options options = {})
{
  scratch_folder const folder;
  std::string const path = folder.write("csv", text);
  options.threads = 1;
  everything whole = read(path, options);
  for (int const threads : {1, 3}) {
    options.threads = threads;
    for (std::size_t size = 1; size <= text.size() + 1; ++size)
      EXPECT_EQ(read(path, options, {.usual = size}), whole) << "chunks of " << size << ", " << threads << " threads";
  }
  if (!whole.error.empty()) whole.error.replace(0, path.size(), "csv");
  return whole;
}

table_options of(std::string const& name)
{
  return {.columns = {name}};
}

table_options of(std::string const& name, std::string const& key)
{
  return {.columns = {name}, .keys = {key}};
}

std::vector<std::string> integers(std::vector<int> const& values)
{
  std::vector<std::string> words;
  for (int const value : values) words.push_back(word(value));
  return words;
}

using strings = std::vector<std::string>;

TEST(csv_reader, columns_by_name_and_by_number)
{
  std::string const table = "a,b,2\n1,2,3\n4,5,6\n";
  EXPECT_EQ(read_in_every_way(table, of("a")).values, integers({1, 4}));
  EXPECT_EQ(read_in_every_way(table, of("b")).values, integers({2, 5}));
  EXPECT_EQ(read_in_every_way(table, of("1")).values, integers({1, 4}));
  EXPECT_EQ(read_in_every_way(table, {.first = first_row::names, .columns = {"2"}}).values, integers({3, 6}))
      << "a name goes before a number";
  EXPECT_EQ(read_in_every_way(table, {.first = first_row::names, .columns = {"3"}}).values, integers({3, 6}));
}

TEST(csv_reader, a_first_row_that_may_be_data_is_not_eaten)
{
  std::string const expected =
      " as the name of the column, expected a name that is no number (--no-header if the first line is data, --header "
      "if it is a header)";
  EXPECT_EQ(read_in_every_way("5\n6\n", of("1")).error, "csv:1:1: found '5'" + expected);
  EXPECT_EQ(read_in_every_way("5", of("1")).error, "csv:1:1: found '5'" + expected);
  EXPECT_EQ(read_in_every_way("a, -0.5 \r\n1,2\r\n", of("2")).error, "csv:1:3: found ' -0.5 '" + expected);
  EXPECT_EQ(read_in_every_way("\"a\nb\",\"1e3\"\n1,2\n", of("2")).error, "csv:2:4: found '1e3'" + expected);
  EXPECT_EQ(read_in_every_way("2020,2021\n1,2\n", of("2021")).error, "csv:1:6: found '2021'" + expected);
  EXPECT_EQ(read_in_every_way("nan\n1\n", of("1")).error, "csv:1:1: found 'nan'" + expected);
  for (char const* name : {"", " ", "1a", "-", "0x1", "1 2"})
    EXPECT_EQ(read_in_every_way(std::string(name) + ",b\n1,2\n", of("1")).values, integers({1})) << name;
  EXPECT_EQ(read_in_every_way("1,b\n1,2\n", of("b", "1")).values, integers({2})) << "another column may be called so";
  EXPECT_EQ(read_in_every_way("5\n6\n", {.first = first_row::names}).values, integers({6}));
  EXPECT_EQ(read_in_every_way("5\n6\n", {.first = first_row::values}).values, integers({5, 6}));
}

TEST(csv_reader, tables_without_header_and_with_other_delimiters)
{
  EXPECT_EQ(read_in_every_way("1,2\n3,4", {.first = first_row::values, .columns = {"2"}}).values, integers({2, 4}));
  EXPECT_EQ(read_in_every_way("x\ty\n1\t2\n", {.delimiter = '\t', .columns = {"y"}}).values, integers({2}));
  EXPECT_EQ(read_in_every_way("x;y\n1;2,5\n", {.delimiter = ';', .columns = {"x"}}).values, integers({1}));
  EXPECT_EQ(read_in_every_way("", {.first = first_row::values}), everything());
}

TEST(csv_reader, line_ends_blanks_and_marks)
{
  EXPECT_EQ(read_in_every_way("a,b\r\n1,2\r\n3,4\r\n", of("b")).values, integers({2, 4}));
  EXPECT_EQ(read_in_every_way("a,b\r\n1,2\r\n3,4", of("b")).values, integers({2, 4}));
  EXPECT_EQ(read_in_every_way("\xef\xbb\xbf"
                              "a,b\n 1 ,\t2\n",
                              of("a"))
                .values,
            integers({1}));
  EXPECT_EQ(read_in_every_way("a,b\n 1 ,\t2 \n", of("b")).values, integers({2}));
  EXPECT_EQ(read_in_every_way("a,b\n", of("b")), everything());
  EXPECT_EQ(read_in_every_way("a,b", of("b")), everything());
}

TEST(csv_reader, quotes)
{
  std::string const table = "\"a\",\"b,c\",\"d\"\"e\",\"f\ng\"\n\"1\",2,\"x,\"\"\n\"\"y\",\"4\"\n5,\" 6 \",,8\n";
  EXPECT_EQ(read_in_every_way(table, of("a")).values, integers({1, 5}));
  EXPECT_EQ(read_in_every_way(table, of("b,c")).values, integers({2, 6}));
  EXPECT_EQ(read_in_every_way(table, of("f\ng")).values, integers({4, 8}));
  EXPECT_EQ(read_in_every_way(table, of("a", "d\"e")).keys, (strings{"x,\"\n\"y", ""}));
}

TEST(csv_reader, keys)
{
  std::string const table = "k,v\nx,1\ny,2\nx,3.5\n\"x\",4\n\"a\"\"b\",5\n\"a\"\"b\",6\n,7\nx ,8\n";
  everything const got = read_in_every_way(table, of("v", "k"));
  EXPECT_EQ(got.keys, (strings{"x", "y", "x", "x", "a\"b", "a\"b", "", "x "}));
  EXPECT_EQ(got.values[2], word(3.5));
  EXPECT_EQ(got.values[3], word(4.0));
  EXPECT_EQ(read_in_every_way("v\n1\n2\n", of("v", "v")).keys, (strings{"1", "2"}));
}

/// The rows of a table, the same from chunks of any size.
strings rows_in_every_way(std::string const& text, table_options options)
{
  scratch_folder const folder;
  std::string const path = folder.write("csv", text);
  auto const rows = [&](chunk_sizes sizes) {
    return testing::read_rows([&] { return read_table(input::file(path), table_kind::csv, options, sizes); });
  };
  strings whole = rows({});
  for (std::size_t size = 1; size <= text.size() + 1; ++size)
    for (options.threads = 1; options.threads <= 2; ++options.threads)
      EXPECT_EQ(rows({.usual = size}), whole) << "chunks of " << size;
  if (!whole.empty() && whole.back().starts_with(path)) whole.back().replace(0, path.size(), "csv");
  return whole;
}

TEST(csv_reader, several_columns_turn_to_other_types_each_in_its_own_row)
{
  std::string const table =
      "k,a,b,l\r\nx,1,10,A\r\n\"y,\"\"z\",2.5,20,B\r\nx,3,18446744073709551616,A\r\nx,4,0.5,\"C\n\"\r\n";
  EXPECT_EQ(rows_in_every_way(table, {.columns = {"a", "b", "a"}, .keys = {"k", "l"}, .lines = true}),
            (strings{word(1) + "|i:10|" + word(1) + "|x" + std::string(1, '\0') + "A|x,1,10,A",
                     word(2.5) + "|i:20|" + word(2.5) + "|y,\"z" + std::string(1, '\0') + "B|\"y,\"\"z\",2.5,20,B",
                     word(3.0) + "|i:18446744073709551616|" + word(3.0) + "|x" + std::string(1, '\0') +
                         "A|x,3,18446744073709551616,A",
                     word(4.0) + "|" + word(0.5) + "|" + word(4.0) + "|x" + std::string(1, '\0') + "C\n" +
                         "|x,4,0.5,\"C\n\""}));
  EXPECT_EQ(rows_in_every_way("a,b\n1,2\n3,x\n", {.columns = {"a", "b"}}),
            (strings{"i:1|i:2", "csv:3:3: found 'x', expected a number in column 'b'"}));
  EXPECT_EQ(rows_in_every_way("a,b\n1,2\n0.5,0.5\n7,7\n", {.columns = {"a", "b"}, .floating = {false, true}}),
            (strings{"i:1|" + word(2.0), word(0.5) + "|" + word(0.5), word(7.0) + "|" + word(7.0)}));
}

TEST(csv_reader, the_head_of_a_table)
{
  scratch_folder const folder;
  auto const from = read_table(input::file(folder.write("csv", "k;\"a \"\"b\"\"\";c\r\nx;1;2\r\n")), table_kind::csv,
                               {.delimiter = ';', .columns = {"c", "2"}, .keys = {"k"}});
  EXPECT_EQ(from->head(), nullptr);
  batch next;
  ASSERT_TRUE(from->next(next));
  table_head const& head = *from->head();
  EXPECT_EQ(head.columns, (strings{"c", "a \"b\""}));
  EXPECT_EQ(head.keys, strings{"k"});
  EXPECT_EQ(head.line, "k;\"a \"\"b\"\"\";c");
  EXPECT_EQ(head.line_end, "\r\n");
  EXPECT_EQ(head.delimiter, ';');
  auto const bare = read_table(input::file(folder.write("csv", "1,2")), table_kind::csv,
                               {.first = first_row::values, .columns = {"2"}});
  ASSERT_TRUE(bare->next(next));
  EXPECT_EQ(bare->head()->columns, strings{"2"});
  EXPECT_EQ(bare->head()->line, std::nullopt);
  EXPECT_EQ(bare->head()->line_end, "\n");
}

TEST(csv_reader, many_keys_in_one_batch)
{
  std::string table = "k,v\n";
  everything expected;
  std::mt19937 random(9);
  for (int i = 0; i < 50000; ++i) {
    std::string const key = "key" + std::to_string(random() % 20000);
    table += key + "," + std::to_string(i) + "\n";
    expected.keys.push_back(key);
    expected.values.push_back(word(i));
  }
  scratch_folder const folder;
  EXPECT_TRUE(read(folder.write("csv", table), of("v", "k")) == expected);
}

TEST(csv_reader, errors_in_fields)
{
  EXPECT_EQ(read_in_every_way("a,b\n1,2\n3,x\n", of("b")).error, "csv:3:3: found 'x', expected a number");
  EXPECT_EQ(read_in_every_way("a,b\n1,2\n,4\n", of("a")).error,
            "csv:3:1: found an empty field, expected a number (or --missing skip, zero, nan or a number)");
  EXPECT_EQ(read_in_every_way("a,b\n1, \n", of("b")).error,
            "csv:2:4: found an empty field, expected a number (or --missing skip, zero, nan or a number)");
  EXPECT_EQ(read_in_every_way("a,b\n\"q\nr\",1\n2,y\n", of("b")).error, "csv:4:3: found 'y', expected a number");
  EXPECT_EQ(read_in_every_way(std::string("a,b\n1,2\n\0,3\n", 12), of("b")).error,
            "csv:3:1: found a NUL byte, expected text");
  EXPECT_EQ(read_in_every_way(std::string("a,b\0,\n1,2\n", 11), of("a")).error,
            "csv:1:4: found a NUL byte, expected text");
  EXPECT_EQ(read_in_every_way(std::string("a\0", 2), of("1")).error, "csv:1:2: found a NUL byte, expected text");
}

TEST(csv_reader, errors_in_rows)
{
  EXPECT_EQ(read_in_every_way("a,b\n1,2\n3\n", of("a")).error, "csv:3:1: found a row of 1 field, expected 2 fields");
  EXPECT_EQ(read_in_every_way("a,b\n1,2,\n", of("a")).error, "csv:2:1: found a row of 3 fields, expected 2 fields");
  EXPECT_EQ(read_in_every_way("a,b\n1,2\n \n3,4\n", of("a")).error,
            "csv:3:1: found a row of 1 field, expected 2 fields");
  EXPECT_EQ(read_in_every_way("a,b\n1,2\n# end\n", of("a")).error,
            "csv:3:1: found a row of 1 field, expected 2 fields (--comment '#' skips lines that begin with it)");
  EXPECT_EQ(read_in_every_way("a,b\n# x,y\n", of("b")).error,
            "csv:2:5: found 'y', expected a number (--comment '#' skips lines that begin with it)");
}

TEST(csv_reader, empty_lines_are_no_rows)
{
  for (char const* text :
       {"\na\n1\n2\n", "\n\n\r\na\n\n1\n\n\n2\n\n", "a\n1\n2\n\n", "\r\na\r\n\r\n1\r\n2", "\xef\xbb\xbf\na\n1\n2"})
    EXPECT_EQ(read_in_every_way(text, of("a")).values, integers({1, 2})) << text;
  EXPECT_EQ(read_in_every_way("\n1,2\n\n3,4\n", {.first = first_row::values, .columns = {"2"}}).values,
            integers({2, 4}));
  EXPECT_EQ(read_in_every_way("a,b\n1,\"x\n\ny\"\n\n2,z\n", of("a", "b")).keys, (strings{"x\n\ny", "z"}));
  EXPECT_EQ(read_in_every_way("a\n\"\"\n\n2\n", {.columns = {"a"}, .missing = {.rule = missing_rule::skip}}).values,
            integers({2}));
  EXPECT_EQ(read_in_every_way("\n\na,b\n\n3,x\n", of("b")).error, "csv:5:3: found 'x', expected a number");
  EXPECT_EQ(read_in_every_way("\n\n", of("a")).error, "csv:1: found nothing, expected a header");
  EXPECT_EQ(read_in_every_way("\n\n", {.first = first_row::values}), everything());
  EXPECT_EQ(
      read_in_every_way("\n\n", {.first = first_row::values, .missing = {.rule = missing_rule::fill, .value = "0"}}),
      everything());
}

TEST(csv_reader, comments_are_no_rows)
{
  auto const with = [](table_options options) {
    options.comment = "#";
    return options;
  };
  std::string const table = "# \"a\n\n#\na,b\n1,\"x\n# y\"\n#, \"quote\n2,#z\n\n#end";
  EXPECT_EQ(read_in_every_way(table, with(of("a", "b"))).values, integers({1, 2}));
  EXPECT_EQ(read_in_every_way(table, with(of("a", "b"))).keys, (strings{"x\n# y", "#z"}));
  EXPECT_EQ(
      read_in_every_way("//a\n1,2\n//\n/3,4\n", {.first = first_row::values, .columns = {"2"}, .comment = "//"}).values,
      integers({2, 4}));
  EXPECT_EQ(read_in_every_way("# only\n#", with(of("a"))).error, "csv:1: found nothing, expected a header");
}

TEST(csv_reader, lines_before_the_first_row_up_to_the_limit)
{
  for (bool const fits : {true, false}) {
    std::string const text = std::string(fits ? 6 : 7, '\n') + "a\n1\n";
    scratch_folder const folder;
    std::string const path = folder.write("csv", text);
    for (std::size_t const usual : {1, 3, 20}) {
      everything const found = read(path, of("a"), {.usual = usual, .longest = 7});
      EXPECT_EQ(found.error.empty(), fits) << usual << found.error;
    }
  }
  scratch_folder const folder;
  table_options options = of("a");
  options.comment = "#";
  for (std::size_t const usual : {1, 3, 20}) {
    chunk_sizes const sizes{.usual = usual, .longest = 7};
    EXPECT_EQ(read(folder.write("csv", "a\n1\n#123456\n2\n"), options, sizes).values, integers({1, 2})) << usual;
    everything const found = read(folder.write("csv", "a\n1\n#1234567\n2\n"), options, sizes);
    EXPECT_NE(found.error.find(":3:1: found a comment of more than 7 bytes, expected a shorter one"), found.error.npos)
        << found.error;
    EXPECT_EQ(found.values, integers({1}));
    EXPECT_NE(read(folder.write("csv", "#1234567\na\n1\n"), options, sizes)
                  .error.find("found more than 7 bytes without a row"),
              std::string::npos);
  }
}

TEST(csv_reader, errors_in_quotes)
{
  EXPECT_EQ(read_in_every_way("a,b\n1,\"x\n2,y\n", of("a")).error,
            "csv:2:3: found a quote that is never closed, expected a closing quote");
  EXPECT_EQ(read_in_every_way("a,b\n1,x\"y\n", of("a")).error,
            "csv:2:4: found a quote within an unquoted field, expected one before the field and one behind it");
  EXPECT_EQ(read_in_every_way("a,b\n1,\"x\"y\n", of("a")).error,
            "csv:2:6: found 'y' after a closing quote, expected ',' or the end of the line");
  EXPECT_EQ(read_in_every_way("a,\"b\n1,2\n", of("a")).error,
            "csv:1:3: found a quote that is never closed, expected a closing quote");
}

TEST(csv_reader, errors_about_columns)
{
  EXPECT_EQ(read_in_every_way("a,b\n1,2\n", of("c")).error,
            "csv:1: found 2 columns: 'a', 'b', expected one called 'c'");
  EXPECT_EQ(read_in_every_way("a,b\n1,2\n", of("a", "c")).error,
            "csv:1: found 2 columns: 'a', 'b', expected one called 'c'");
  EXPECT_EQ(read_in_every_way("a,b\n1,2\n", of("3")).error, "csv:1: found 2 columns, expected a column number 3");
  EXPECT_EQ(read_in_every_way("a,b\n1,2\n", of("0")).error,
            "csv:1: found 2 columns: 'a', 'b', expected one called '0'");
  EXPECT_EQ(read_in_every_way("a,a\n1,2\n", of("a")).error,
            "csv:1: found several columns called 'a', expected only one, or a column's number");
  EXPECT_EQ(read_in_every_way("", of("a")).error, "csv:1: found nothing, expected a header");
  EXPECT_THROW(read_table(input::file("/dev/null"), table_kind::csv, {.delimiter = '"'}), usage_error);
  scratch_folder const folder;
  std::string const path = folder.write("csv", "1,2\n");
  batch next;
  EXPECT_THROW(
      read_table(input::file(path), table_kind::csv, {.first = first_row::values, .columns = {"price"}})->next(next),
      usage_error);
}

/// A table read with rows of at most `longest` bytes, from a file in chunks of any size and through pipes in pieces.
everything read_in_pieces(std::string const& text, std::size_t longest, table_options const& options)
{
  scratch_folder const folder;
  std::string const path = folder.write("csv", text);
  everything first;
  for (std::size_t usual = 1; usual <= longest + 3; ++usual) {
    everything const got = read(path, options, {.usual = usual, .longest = longest});
    if (usual == 1) first = got;
    EXPECT_EQ(got, first) << "chunks of " << usual << ", rows of " << longest << "\n" << text;
  }
  for (std::size_t const piece : {longest - 1, longest, longest + 1, longest + 2}) {
    slow_pipe const pipe(pieces_of(text, piece));
    everything got =
        read_all([&] { return read_table(pipe.source(), table_kind::csv, options, {.usual = 4, .longest = longest}); });
    if (!got.error.empty()) got.error.replace(0, 4, path);
    EXPECT_EQ(got, first) << "pieces of " << piece << ", rows of " << longest << "\n" << text;
  }
  if (!first.error.empty()) first.error.replace(0, path.size(), "csv");
  return first;
}

TEST(csv_reader, rows_up_to_the_limit_and_none_beyond_whatever_the_pieces)
{
  constexpr std::size_t longest = 12;
  std::string const most = std::to_string(longest) + " bytes";
  for (std::size_t length = longest - 3; length <= longest + 4; ++length) {
    for (char const* line_end : {"\n", "\r\n", ""}) {
      bool const fits = length + (line_end == std::string("\r\n")) <= longest;
      std::string const behind = line_end == std::string() ? "" : "3,4" + std::string(line_end);
      // A long field without quotes, a closed one in quotes that holds line ends, a long row of blanks.
      for (std::string const& row : {"2," + std::string(length - 2, 'x'), "2,\"" + std::string(length - 4, '\n') + "\"",
                                     std::string(length - 3, ' ') + "2,x"}) {
        everything const got = read_in_pieces("a,b\n1,x\n" + row + line_end + behind, longest, of("a"));
        if (fits) {
          EXPECT_EQ(got.error, "") << row;
          EXPECT_EQ(got.values, integers(behind.empty() ? std::vector{1, 2} : std::vector{1, 2, 3}));
        } else {
          bool const open = row.find('"') != row.npos && length > longest + 1;
          EXPECT_EQ(got.values, integers({1}));
          EXPECT_EQ(got.error, open ? "csv:3:3: found a quote that is not closed in the first " + most +
                                          " of its row, expected a closing quote"
                                    : "csv:3:1: found a row of more than " + most + ", expected a shorter one")
              << row << line_end;
        }
      }
      // A quote that is never closed, up to the end of the input or up to the limit.
      everything const open = read_in_pieces("a,b\n1,x\n2,\"" + std::string(length - 3, '\n'), longest, of("a"));
      EXPECT_EQ(open.error, length <= longest ? "csv:3:3: found a quote that is never closed, expected a closing quote"
                                              : "csv:3:3: found a quote that is not closed in the first " + most +
                                                    " of its row, expected a closing quote");
      // An error before the limit is still reported.
      EXPECT_EQ(read_in_pieces("a,b\n2,5\"" + std::string(length, 'x') + line_end, longest, of("a")).error,
                "csv:2:4: found a quote within an unquoted field, expected one before the field and one behind it");
    }
  }
  EXPECT_EQ(read_in_pieces("a," + std::string(longest - 2, 'b') + "\n1,2\n", longest, of("a")).values, integers({1}));
  EXPECT_EQ(read_in_pieces("a," + std::string(longest - 1, 'b') + "\n1,2\n", longest, of("a")).error,
            "csv:1:1: found a row of more than " + most + ", expected a shorter one");
  EXPECT_EQ(read_in_pieces("a,\"" + std::string(longest, 'b') + "\"\n1,2\n", longest, of("a")).error,
            "csv:1:3: found a quote that is not closed in the first " + most + " of its row, expected a closing quote");
}

TEST(csv_reader, values_are_found_again)
{
  scratch_folder const folder;
  std::string const path = folder.write("csv", "a,b\n\"x\ny\",10\n,  20\nz,\"0.5\"\n");
  std::vector<std::string> places;
  auto const from = read_table(input::file(path), table_kind::csv, of("b"), {.usual = 12});
  batch next;
  while (from->next(next))
    for (std::size_t i = 0; i < next.rows; ++i) places.push_back(to_string(from->locate(i)).substr(path.size()));
  EXPECT_EQ(places, (strings{":3:4", ":4:4", ":5:4"}));
}

}  // namespace
}  // namespace tally::io
