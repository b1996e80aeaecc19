#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "tool.hpp"

/// Wrong input and unusable files: exit status 1, a message with the place, and no half-written output.
namespace tally::test {
namespace {

class errors : public in_folder {
protected:
  /// Runs the tool in the folder, so that messages have the names of files without a path.
  outcome run(words const& arguments, std::string_view input = {})
  {
    surroundings around;
    around.directory = folder_;
    around.feed = [&](int descriptor) { feed_all(descriptor, input); };
    return run_tool(arguments, around);
  }

  void expect_error(words const& arguments, std::string const& message, std::string_view input = {})
  {
    outcome const result = run(arguments, input);
    EXPECT_EQ(result.status, 1) << arguments.front();
    EXPECT_EQ(result.err, message + "\n");
    EXPECT_EQ(result.out, "");
  }
};

TEST_F(errors, text_that_is_no_number_is_named_by_line_and_column)
{
  file("x.txt", "1 2\n3 abc 4\n");
  expect_error({"reduce", "x.txt"}, "x.txt:2:3: found 'abc', expected a number (--column chooses a column of a table)");
  expect_error({"scan", "x.txt"}, "x.txt:2:3: found 'abc', expected a number (--column chooses a column of a table)");
  expect_error({"reduce"}, "(standard input):1:3: found '0x10', expected a number (--from hex reads it)", "1 0x10");
}

TEST_F(errors, a_value_that_does_not_suit_the_type)
{
  file("x.txt", "1\n300\n");
  expect_error({"reduce", "--type", "u8", "x.txt"}, "x.txt:2:1: found '300', expected a value that fits uint8");
  expect_error({"reduce", "--type", "i32"}, "(standard input):1:3: found '2.5', expected an integer", "1 2.5");
  file("x.npy", npy("<f8", "(2,)", bytes_of<double>({1, 2.5})));
  expect_error({"reduce", "--type", "i32", "x.npy"}, "x.npy: value 2: found '2.5', expected an integer");
  expect_error(
      {"reduce", "--type", "f32"},
      "(standard input):1:3: found '1e+39', expected a number of magnitude below 3.5e38, to be read as float32",
      "1 1e39");
  EXPECT_EQ(run({"reduce", "--type", "f32"}, "1 inf").out, "inf\n");
}

TEST_F(errors, bit_operations_need_integers)
{
  expect_error({"reduce", "--op", "xor"}, "(standard input):2:1: found '2.5', expected an integer, since --op is xor",
               "1\n2.5\n");
  file("x.csv", "k,v\na,1\nb,0.5\n");
  expect_error({"scan", "--op", "and", "--column", "v", "--by", "k", "x.csv"},
               "x.csv:3:3: found '0.5', expected an integer, since --op is and");
}

TEST_F(errors, sums_and_products_beyond_128_bits_are_named_by_the_value_that_makes_them_so)
{
  std::string const largest = "170141183460469231731687303715884105727";
  std::string const message = ": found a sum of integers that needs more than 128 bits, expected one that fits "
                              "(--type float64 rounds numbers of text instead)";
  expect_error({"reduce"}, "(standard input):3:1" + message, largest + "\n0\n5\n-7\n");
  expect_error({"scan", "-o", "out.txt"}, "(standard input):3:1" + message, largest + "\n0\n5\n-7\n");
  EXPECT_EQ(listing(), "") << "nothing is left behind";
  expect_error(
      {"reduce", "--op", "product"},
      "(standard input):1:5: found a product of integers that needs more than 128 bits, expected one that fits "
      "(--type float64 rounds numbers of text instead)",
      "2 3 -" + largest + " 2");
  std::string many;
  for (int k = 0; k < 300000; ++k) many += "0\n";
  expect_error({"reduce"}, "(standard input):300002:1" + message, many + largest + "\n1\n");
  EXPECT_EQ(run({"reduce", "--type", "float64"}, largest + " " + largest).out, "3.402823669209385e+38\n");
}

TEST_F(errors, results_that_do_not_fit_the_type_of_the_output)
{
  file("x.npy", npy("<i8", "(3,)", bytes_of<std::int64_t>({INT64_MAX, 0, 1})));
  outcome const scanned = run({"scan", "-o", "out.npy", "x.npy"});
  EXPECT_EQ(scanned.status, 1);
  EXPECT_NE(scanned.err.find("x.npy: "), std::string::npos) << scanned.err;
  EXPECT_NE(scanned.err.find("found '9223372036854775808', expected a value that fits int64"), std::string::npos)
      << scanned.err;
  expect_error({"reduce", "-o", "out.npy", "x.npy"},
               "tally: the sum is '9223372036854775808', expected a value that fits int64");
  EXPECT_EQ(listing(), "x.npy");
  EXPECT_EQ(run({"scan", "x.npy"}).out, "9223372036854775807\n9223372036854775807\n9223372036854775808\n")
      << "text has no such limit";
  expect_error({"scan", "-o", "out.npy"},
               "(standard input):2:1: found '9007199254740993', expected an integer that float64 holds exactly (--type "
               "int64 keeps it)",
               "9007199254740992\n1\n");
  expect_error({"scan", "-o", "out.npy"},
               "(standard input):1:1: found '18446744073709551615', expected an integer that float64 holds exactly "
               "(--type uint64 keeps it)",
               "18446744073709551615\n");
  expect_error({"scan", "-o", "out.npy"},
               "(standard input):1:1: found '36893488147419103233', expected an integer that float64 holds exactly "
               "(output as text keeps it)",
               "36893488147419103233\n");
}

TEST_F(errors, an_axis_names_line_and_position)
{
  file("x.npy", npy("<i8", "(2, 2)", bytes_of<std::int64_t>({1, 2, INT64_MAX, 1})));
  expect_error(
      {"scan", "--axis", "1", "-o", "out.npy", "x.npy"},
      "x.npy: found '9223372036854775808' at position 1 in line 1 of the axis, expected a value that fits int64");
  expect_error({"reduce", "--axis", "1", "-o", "out.npy", "x.npy"},
               "x.npy: found '9223372036854775808' in line 1 of the axis, expected a value that fits int64");
  expect_error({"reduce", "--axis", "2", "x.npy"}, "x.npy: found an array of 2 axes, expected one that has an axis 2");
}

TEST_F(errors, tables)
{
  file("x.csv", "region,amount\nnorth,1\nsouth\n");
  expect_error({"reduce", "--column", "price", "x.csv"},
               "x.csv:1: found 2 columns: 'region', 'amount', expected one called 'price'");
  expect_error({"reduce", "--column", "3", "x.csv"}, "x.csv:1: found 2 columns, expected a column number 3");
  outcome const ragged = run({"reduce", "--column", "amount", "x.csv"});
  EXPECT_EQ(ragged.status, 1);
  EXPECT_EQ(ragged.err.substr(0, 8), "x.csv:3:") << ragged.err;
  file("y.csv", "a\n1\n\"2\n");
  outcome const open = run({"reduce", "y.csv"});
  EXPECT_EQ(open.status, 1);
  EXPECT_EQ(open.err.substr(0, 6), "y.csv:") << open.err;
}

TEST_F(errors, arrays_that_lie)
{
  file("short.npy", npy("<f8", "(3,)", bytes_of<double>({1, 2})));
  file("long.npy", npy("<f8", "(1,)", bytes_of<double>({1, 2})));
  file("odd.raw", "abc");
  file("no.npy", "hello");
  file("text.npy", npy("<U3", "(1,)", "123456789012"));
  for (char const* name : {"short.npy", "long.npy", "no.npy", "text.npy"}) {
    outcome const result = run({"reduce", name});
    EXPECT_EQ(result.status, 1) << name;
    EXPECT_EQ(result.err.substr(0, std::string(name).size() + 8), std::string(name) + ": found ") << result.err;
    EXPECT_EQ(result.out, "");
  }
  outcome const odd = run({"reduce", "--type", "i16", "odd.raw"});
  EXPECT_EQ(odd.status, 1);
  EXPECT_EQ(odd.err.substr(0, 15), "odd.raw: found ") << odd.err;
}

TEST_F(errors, arrays_of_different_types_do_not_make_one_sequence)
{
  file("a.npy", npy("<f8", "(1,)", bytes_of<double>({1})));
  file("b.npy", npy("<i4", "(1,)", bytes_of<std::int32_t>({1})));
  expect_error({"reduce", "a.npy", "b.npy"},
               "b.npy: found int32 values, expected float64 as in the files before (--type converts)");
}

TEST_F(errors, files_that_cannot_be_used)
{
  expect_error({"reduce", "none.txt"}, "tally: none.txt: cannot read: No such file or directory");
  expect_error({"reduce", "--axis", "0", "none.npy"}, "tally: none.npy: cannot read: No such file or directory");
  mkdir(path("folder").c_str(), 0755);
  expect_error({"reduce", "folder"}, "folder: found a folder without files, expected files");
  outcome const nowhere = run({"scan", "-o", "nowhere/out.txt"}, "1");
  EXPECT_EQ(nowhere.status, 1);
  EXPECT_NE(nowhere.err.find("nowhere/out.txt"), std::string::npos) << nowhere.err;
  if (geteuid() == 0) return;  // may read everything
  chmod(file("secret.txt", "1").c_str(), 0);
  expect_error({"reduce", "secret.txt"}, "tally: secret.txt: cannot read: Permission denied");
}

TEST_F(errors, a_full_disk_is_said_to_be_full)
{
  outcome const result = run({"scan", "-o", "/dev/full"}, "1 2 3");
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.err, "tally: /dev/full: cannot write: No space left on device\n");
  EXPECT_EQ(run_shell("echo 1 | tally reduce >/dev/full").err,
            "tally: (standard output): cannot write: No space left on device\n");
}

TEST_F(errors, after_an_error_the_old_output_is_still_there)
{
  file("out.txt", "precious\n");
  outcome const result = run({"scan", "-o", "out.txt"}, "1 2 x");
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(read("out.txt"), "precious\n");
  EXPECT_EQ(listing(), "out.txt");
  EXPECT_EQ(run({"scan", "-o", "out.txt"}, "1 2").status, 0);
  EXPECT_EQ(read("out.txt"), "1\n3\n");
}

TEST_F(errors, input_and_output_may_be_the_same_file)
{
  file("x.txt", "1 2 3\n");
  EXPECT_EQ(run({"scan", "-o", "x.txt", "x.txt"}).status, 0);
  EXPECT_EQ(read("x.txt"), "1\n3\n6\n");
}

}  // namespace
}  // namespace tally::test
