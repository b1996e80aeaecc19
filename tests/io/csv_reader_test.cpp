#include <gtest/gtest.h>

#include <random>

#include "io/column_reader.hpp"
#include "io/csv_reader.hpp"
#include "support.hpp"

namespace tally::io {
namespace {

using testing::column;
using testing::read_all;
using testing::scratch_folder;
using testing::word;

column read(std::string const& path, csv_options const& options, chunk_sizes sizes = {})
{
  return read_all([&] { return read_csv(input::file(path), options, sizes); });
}

/// The table is read the same in chunks of any size, by one thread and by three.
column read_in_every_way(std::string const& text, csv_options options = {})
{
  scratch_folder const folder;
  std::string const path = folder.write("csv", text);
  options.threads = 1;
  column whole = read(path, options);
  for (int const threads : {1, 3}) {
    options.threads = threads;
    for (std::size_t size = 1; size <= text.size() + 1; ++size)
      EXPECT_EQ(read(path, options, {.usual = size}), whole) << "chunks of " << size << ", " << threads << " threads";
  }
  if (!whole.error.empty()) whole.error.replace(0, path.size(), "csv");
  return whole;
}

csv_options of(std::string const& name)
{
  return {.column = name};
}

csv_options of(std::string const& name, std::string const& key)
{
  return {.column = name, .key = key};
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
  EXPECT_EQ(read_in_every_way(table, of("2")).values, integers({3, 6})) << "a name goes before a number";
  EXPECT_EQ(read_in_every_way(table, of("3")).values, integers({3, 6}));
}

TEST(csv_reader, tables_without_header_and_with_other_delimiters)
{
  EXPECT_EQ(read_in_every_way("1,2\n3,4", {.header = false, .column = "2"}).values, integers({2, 4}));
  EXPECT_EQ(read_in_every_way("x\ty\n1\t2\n", {.delimiter = '\t', .column = "y"}).values, integers({2}));
  EXPECT_EQ(read_in_every_way("x;y\n1;2,5\n", {.delimiter = ';', .column = "x"}).values, integers({1}));
  EXPECT_EQ(read_in_every_way("", {.header = false}), column());
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
  EXPECT_EQ(read_in_every_way("a,b\n", of("b")), column());
  EXPECT_EQ(read_in_every_way("a,b", of("b")), column());
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
  column const got = read_in_every_way(table, of("v", "k"));
  EXPECT_EQ(got.keys, (strings{"x", "y", "x", "x", "a\"b", "a\"b", "", "x "}));
  EXPECT_EQ(got.values[2], word(3.5));
  EXPECT_EQ(got.values[3], word(4.0));
  EXPECT_EQ(read_in_every_way("v\n1\n2\n", of("v", "v")).keys, (strings{"1", "2"}));
}

TEST(csv_reader, many_keys_in_one_batch)
{
  std::string table = "k,v\n";
  column expected;
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
  EXPECT_EQ(read_in_every_way("a,b\n1,2\n,4\n", of("a")).error, "csv:3:1: found an empty field, expected a number");
  EXPECT_EQ(read_in_every_way("a,b\n1, \n", of("b")).error, "csv:2:4: found an empty field, expected a number");
  EXPECT_EQ(read_in_every_way("a\n1\n\n2\n", of("a")).error, "csv:3:1: found an empty field, expected a number");
  EXPECT_EQ(read_in_every_way("a,b\n\"q\nr\",1\n2,y\n", of("b")).error, "csv:4:3: found 'y', expected a number");
  EXPECT_EQ(read_in_every_way(std::string("a,b\n1,2\n\0,3\n", 12), of("b")).error,
            "csv:3:1: found a NUL byte, expected text");
}

TEST(csv_reader, errors_in_rows)
{
  EXPECT_EQ(read_in_every_way("a,b\n1,2\n3\n", of("a")).error, "csv:3:1: found a row of 1 field, expected 2 fields");
  EXPECT_EQ(read_in_every_way("a,b\n1,2,\n", of("a")).error, "csv:2:1: found a row of 3 fields, expected 2 fields");
  EXPECT_EQ(read_in_every_way("a,b\n1,2\n\n3,4\n", of("a")).error, "csv:3:1: found an empty line, expected 2 fields");
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
  EXPECT_THROW(read_csv(input::file("/dev/null"), {.delimiter = '"'}), usage_error);
  scratch_folder const folder;
  std::string const path = folder.write("csv", "1,2\n");
  batch next;
  EXPECT_THROW(read_csv(input::file(path), {.header = false, .column = "price"})->next(next), usage_error);
}

TEST(csv_reader, a_row_without_end)
{
  scratch_folder const folder;
  std::string const path = folder.write("csv", "a,b\n1," + std::string(100, 'x') + "\n2,3\n");
  EXPECT_EQ(read(path, of("a"), {.usual = 8, .uncut = 32}).error.substr(path.size()),
            ":2:1: found a row of more than 64 bytes, expected a shorter one");
  std::string const open = folder.write("open", "a,b\n1,\"" + std::string(100, '\n') + "\n2,3\n");
  EXPECT_EQ(read(open, of("a"), {.usual = 8, .uncut = 32}).error.substr(open.size()),
            ":2:3: found a quote that is never closed, expected a closing quote");
  std::string const header = folder.write("header", std::string(100, 'x') + "\n2\n");
  EXPECT_EQ(read(header, of("1"), {.usual = 8, .uncut = 32}).error.substr(header.size()),
            ":1: found a row of more than 64 bytes, expected a shorter one");
}

TEST(csv_reader, values_are_found_again)
{
  scratch_folder const folder;
  std::string const path = folder.write("csv", "a,b\n\"x\ny\",10\n,  20\nz,\"0.5\"\n");
  std::vector<std::string> places;
  auto const from = read_csv(input::file(path), of("b"), {.usual = 12});
  batch next;
  while (from->next(next))
    for (std::size_t i = 0; i < size_of(next.values); ++i)
      places.push_back(to_string(from->locate(i)).substr(path.size()));
  EXPECT_EQ(places, (strings{":3:4", ":4:4", ":5:4"}));
}

}  // namespace
}  // namespace tally::io
