// tally app compact, group, allocate and cut.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "run_application.hpp"
#include "tool.hpp"

namespace tally::test {
namespace {

TEST(app_compact, keeps_numbers_by_a_condition)
{
  EXPECT_EQ(app({"compact", "--where", "x > 3"}, "1 5 3 4 -7 9").out, "5\n4\n9\n");
  EXPECT_EQ(app({"compact", "--where", "x>=3 and x != 5"}, "1 5 3 4 -7 9").out, "3\n4\n9\n");
  EXPECT_EQ(app({"compact", "--where", "< 0"}, "1 5 3 4 -7 9").out, "-7\n");
  EXPECT_EQ(app({"compact", "--where", "x <= 3 and x == 3"}, "1 5 3 4 -7 9").out, "3\n");
  EXPECT_EQ(app({"compact", "--where", "x > 2.5"}, "1 2 3").out, "3\n");
  EXPECT_EQ(app({"compact", "--where", "x == 9007199254740993"}, "9007199254740992 9007199254740993").out,
            "9007199254740993\n");
  EXPECT_EQ(app({"compact", "--where", "x > 1"}, "0.5 nan 2.5").out, "2.5\n");
  EXPECT_EQ(app({"compact", "--where", "x > 1"}, "").out, "");
  expect_error({"compact", "--where", "x ~ 3"}, "1", 2,
               "tally: --where 'x ~ 3': '~ 3' begins with none of < <= > >= == !=; expected comparisons such as 'x > 3 "
               "and x <= 10'");
  expect_error({"compact", "--where", "x > a"}, "1", 2,
               "tally: --where 'x > a': 'a' is no number; expected comparisons such as 'x > 3 and x <= 10'");
  expect_error({"compact"}, "1", 2, "tally: nothing says what to keep: --where, --unique, --run-lengths or --decode");
  expect_error({"compact", "--decode", "--unique"}, "1", 2,
               "tally: --decode goes with none of --where, --unique and --run-lengths");
}

TEST(app_compact, finds_runs_and_decodes_them)
{
  EXPECT_EQ(app({"compact", "--unique"}, "1 1 2 2 2 1").out, "1\n2\n1\n");
  EXPECT_EQ(app({"compact", "--unique", "--where", "x > 0"}, "1 -1 1 2").out, "1\n2\n");
  EXPECT_EQ(app({"compact", "--run-lengths"}, "1 1 2.5 2.5 2.5 1").out, "1\t2\n2.5\t3\n1\t1\n");
  EXPECT_EQ(app({"compact", "--decode"}, "1 2 2.5 3 7 0 1 1").out, "1\n1\n2.5\n2.5\n2.5\n1\n");
  EXPECT_EQ(app({"compact", "--decode"}, "").out, "");
}

class app_files : public in_folder {};

TEST_F(app_files, lengths_that_are_none_are_found)
{
  std::string const odd = file("odd.txt", "1 2\n3\n");
  expect_error({"compact", "--decode", odd}, "", 1,
               odd + ":2:1: found 3, expected a length behind it: the input is pairs");
  std::string const negative = file("negative.txt", "1 -2\n");
  expect_error({"compact", "--decode", negative}, "", 1,
               negative + ":1:3: found -2, expected a length: an integer from 0 to 4294967296");
  expect_error({"compact", "--decode"}, "1 2\n3\n", 1,
               "(standard input):2:1: found 3, expected a length behind it: the input is pairs");
  std::string const broken = file("broken.txt", "1 2.5\n");
  expect_error({"compact", "--decode", broken}, "", 1,
               broken + ":1:3: found 2.5, expected a length: an integer from 0 to 4294967296");
}

char const keyed_table[] = "k,v\na,1\na,2\nb,10\na,3\nb,20\n";

TEST(app_group, reduces_runs)
{
  EXPECT_EQ(app({"group", "--by", "k", "--column", "v"}, keyed_table).out, "a\t3\nb\t10\na\t3\nb\t20\n");
  EXPECT_EQ(app({"group", "--by", "k", "--column", "v", "--op", "count"}, keyed_table).out, "a\t2\nb\t1\na\t1\nb\t1\n");
  EXPECT_EQ(app({"group", "--by", "k", "--column", "v", "--op", "mean"}, keyed_table).out,
            "a\t1.5\nb\t10\na\t3\nb\t20\n");
  EXPECT_EQ(app({"group", "--by", "k", "--column", "v", "--op", "min"}, keyed_table).out, "a\t1\nb\t10\na\t3\nb\t20\n");
  EXPECT_EQ(app({"group", "--by", "k", "--column", "v", "--op", "max", "--collect"}, keyed_table).out, "a\t3\nb\t20\n");
  EXPECT_EQ(app({"group", "--by", "k", "--column", "v"}, "k,v\na,9223372036854775807\na,1\n").out,
            "a\t9223372036854775808\n");
  EXPECT_EQ(app({"group", "--by", "k", "--column", "v"}, "k,v\na,1\na,0.5\nb,2\n").out, "a\t1.5\nb\t2\n");
  EXPECT_EQ(app({"group", "--by", "k", "--column", "v"}, "k,v\n").out, "");
}

TEST(app_group, scans_runs)
{
  EXPECT_EQ(app({"group", "--by", "k", "--column", "v", "--running"}, keyed_table).out,
            "a\t1\na\t3\nb\t10\na\t3\nb\t20\n");
  EXPECT_EQ(app({"group", "--by", "k", "--column", "v", "--running", "--collect"}, keyed_table).out,
            "a\t1\na\t3\nb\t10\na\t6\nb\t30\n");
  expect_error({"group", "--column", "v"}, keyed_table, 2, "tally: --by is missing: the column of the keys");
}

TEST(app_allocate, places_pieces)
{
  EXPECT_EQ(app({"allocate"}, "100 0 64 65").out, "0\n100\n100\n164\n229\n");
  EXPECT_EQ(app({"allocate", "--align", "64"}, "100 0 64 65").out, "0\n128\n128\n192\n257\n");
  EXPECT_EQ(app({"allocate"}, "").out, "0\n");
  EXPECT_EQ(app({"allocate", "--capacity", "10"}, "10 0").out, "0\n10\n10\n");
  expect_error({"allocate", "--align", "0"}, "1", 2,
               "tally: --align takes a whole number from 1 to 9223372036854775807, not '0'");
}

TEST_F(app_files, pieces_that_do_not_fit_are_found)
{
  std::string const sizes = file("sizes.txt", "10 20\n30 9223372036854775807\n");
  expect_error({"allocate", "--capacity", "59", sizes}, "", 1,
               sizes + ":2:1: found piece 3 of 30, expected at most 29, which is left of 59");
  expect_error({"allocate", "--align", "16", "--capacity", "59", sizes}, "", 1,
               sizes + ":2:1: found piece 3 of 30, expected at most 11, which is left of 59");
  expect_error({"allocate", sizes}, "", 1,
               sizes + ":2:4: found piece 4 of 9223372036854775807, expected at most 9223372036854775747, "
                       "which is left of 9223372036854775807");
  std::string const negative = file("negative.txt", "10\n-20\n");
  expect_error({"allocate", negative}, "", 1,
               negative + ":2:1: found piece 2 of -20, expected a size that is not negative");
}

TEST(app_allocate, standard_input_has_lines_and_columns)
{
  std::string const in = "(standard input)";
  expect_error({"allocate", "--capacity", "59"}, "10 20\n30\n", 1,
               in + ":2:1: found piece 3 of 30, expected at most 29, which is left of 59");
  expect_error({"allocate"}, "10\n 5 -20\n", 1,
               in + ":2:4: found piece 3 of -20, expected a size that is not negative");
  expect_error({"cut", "--length", "5"}, "3\n\n 4", 1,
               in + ":3:2: found piece 2 of 4, expected at most 2, which is left of 5");
  expect_error({"allocate"}, "1\n2.5", 1, in + ":2:1: found '2.5', expected an integer");
  expect_error({"allocate"}, "1 9223372036854775808", 1,
               in + ":1:3: found '9223372036854775808', expected a value that fits int64");
  EXPECT_EQ(app({"allocate"}, "1.0 2").out, "0\n1\n3\n");
}

TEST(app_allocate, batches_are_placed_behind_one_another)
{
  // About 600 KB make several batches, with gaps between them if pieces are aligned.
  std::string sizes, places;
  std::int64_t at = 0, end = 0;
  for (int k = 0; k < 150000; ++k) {
    int const size = 1 + k * 7919 % 997;
    sizes += std::to_string(size) + "\n";
    at = (end + 63) / 64 * 64;
    places += std::to_string(at) + "\n";
    end = at + size;
  }
  EXPECT_TRUE(app({"allocate", "--align", "64"}, sizes).out == places + std::to_string(end) + "\n");
  expect_error({"allocate", "--align", "64", "--capacity", std::to_string(end)}, sizes + "0\n", 1,
               "(standard input):150001:1: found piece 150001 of 0, expected at most 0, which is left of " +
                   std::to_string(end));
  expect_error({"allocate", "--align", "64", "--capacity", std::to_string(end - 1)}, sizes, 1,
               "(standard input):150000:1: found piece 150000 of " + std::to_string(end - at) + ", expected at most " +
                   std::to_string(end - at - 1) + ", which is left of " + std::to_string(end - 1));
}

TEST_F(app_files, the_sausage_is_cut)
{
  std::string const ten = file("ten.txt", "3 5 2 7 28 4 3 0 8 1\n");
  EXPECT_EQ(app({"cut", "--length", "100", ten}).out, "cut at 3 8 10 17 45 49 52 52 60 61\n39 of 100 left\n");
  EXPECT_EQ(app({"cut", "--length", "61", ten}).out, "cut at 3 8 10 17 45 49 52 52 60 61\n0 of 61 left\n");
  EXPECT_EQ(app({"cut", "--length", "7"}, "").out, "no cut\n7 of 7 left\n");
  expect_error({"cut", "--length", "40", ten}, "", 1,
               ten + ":1:9: found piece 5 of 28, expected at most 23, which is left of 40");
  expect_error({"cut", ten}, "", 2, "tally: --length is missing: how long is the sausage?");
}

}  // namespace
}  // namespace tally::test
