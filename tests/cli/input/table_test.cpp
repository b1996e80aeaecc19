#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tool.hpp"

/// CSV and TSV: columns by name and number, groups.
namespace tally::test {
namespace {

char const* const sales = "region,amount,note\n"
                          "north,10,\"a, b\"\n"
                          "south,1,\"line\nend\"\n"
                          "north,5,\n"
                          "\"the \"\"east\"\"\",7,x\n"
                          "south,-2,y\n";

class table : public in_folder {
protected:
  std::string run(words arguments)
  {
    outcome const result = run_tool(arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    return result.out;
  }
};

TEST_F(table, column_by_name_by_number_and_the_first)
{
  std::string const path = file("sales.csv", sales);
  EXPECT_EQ(run({"reduce", "--column", "amount", path}), "21\n");
  EXPECT_EQ(run({"reduce", "--column", "2", path}), "21\n");
  EXPECT_EQ(run({"reduce", file("one.csv", "n\n1\n2\n")}), "3\n");
}

TEST_F(table, the_first_line_of_standard_input_decides_what_table_it_is)
{
  EXPECT_EQ(run_tool(words{"reduce", "--column", "amount"}, sales).out, "21\n");
  EXPECT_EQ(run({"reduce", "--column", "amount", file("sales.log", sales)}), "21\n")
      << "so does that of an unknown ending";
  EXPECT_EQ(run_tool(words{"reduce", "--column", "b"}, "a\tb\n1\t2\n3\t4\n").out, "6\n");
  EXPECT_EQ(run_tool(words{"reduce", "--column", "2"}, "1  2\n 3 4, 5\n").err,
            "(standard input):2:4: found '4,', expected a number\n");
}

TEST_F(table, delimiters_and_tables_without_a_header)
{
  EXPECT_EQ(run_tool(words{"reduce", "--column", "b", "--delimiter", ";"}, "a;b\n1;2\n3;4\n").out, "6\n");
  EXPECT_EQ(run_tool(words{"reduce", "--column", "b", "--delimiter", "tab"}, "a\tb\n1\t2\n3\t4\n").out, "6\n");
  EXPECT_EQ(run({"reduce", "--column", "b", file("x.tsv", "a\tb\n1\t2\n3\t4\n")}), "6\n");
  EXPECT_EQ(run({"reduce", "--no-header", "--column", "2", file("x.csv", "1,2\n3,4\n")}), "6\n");
  EXPECT_EQ(run_tool(words{"reduce", "--input-format", "csv", "--no-header"}, "1,2\n3,4\n").out, "4\n");
  EXPECT_EQ(run_tool(words{"reduce", "--input-format", "tsv"}, "a\tb\n1\t2\n").out, "1\n");
}

TEST_F(table, a_first_line_of_numbers_is_not_eaten)
{
  std::string const message =
      " as the name of the column, expected a name that is no number (--no-header if the first line is data, --header "
      "if it is a header)\n";
  outcome const piped = run_tool(words{"reduce", "--column", "1"}, "1,4\n2,2\n3,3\n");
  EXPECT_EQ(piped.status, 1);
  EXPECT_EQ(piped.out, "");
  EXPECT_EQ(piped.err, "(standard input):1:1: found '1'" + message);
  EXPECT_EQ(run_tool(words{"reduce", "--column", "1"}, "1\n2\n3\n").out, "6\n");
  std::string const path = file("d.csv", "5\n6\n");
  outcome const named = run_tool(words{"reduce", path});
  EXPECT_EQ(named.status, 1);
  EXPECT_EQ(named.err, path + ":1:1: found '5'" + message);
  EXPECT_EQ(run_tool(words{"app", "sort", path}).err, path + ":1:1: found '5'" + message) << "applications too";
  EXPECT_EQ(run({"reduce", "--header", path}), "6\n");
  EXPECT_EQ(run({"reduce", "--no-header", path}), "11\n");
  EXPECT_EQ(run({"reduce", "--header", "--column", "2021", file("years.csv", "2020,2021\n1,2\n")}), "2\n");
}

TEST_F(table, other_formats_are_named)
{
  std::string const packed = std::string("\x04\x22\x4d\x18") + "junk";
  std::string const unknown = file("z.csv", packed);
  std::string const message =
      ": found data compressed by lz4, expected text (decompress it first: lz4cat FILE | tally ...)\n";
  EXPECT_EQ(run_tool(words{"reduce", unknown}).err, unknown + message);
  EXPECT_EQ(run_tool(words{"reduce", unknown}).status, 1);
  EXPECT_EQ(run_tool(words{"reduce"}, packed).err, "(standard input)" + message);
  EXPECT_EQ(run_tool(words{"reduce", "--column", "1"}, packed).err, "(standard input)" + message);
  EXPECT_EQ(run_tool(words{"reduce"}, npy("<f8", "(1,)", bytes_of<double>({1}))).err,
            "(standard input): found a .npy array, expected text (--input-format npy reads it)\n");
  std::string const array = file("z.npy", "PK\x03\x04 and more");
  EXPECT_EQ(run_tool(words{"reduce", "--no-decompress", array}).err,
            array + ": found a zip archive, as .npz and .xlsx files are, expected a .npy file, which begins with "
                    "'\\x93NUMPY' (take out what is to be read first: unzip -p FILE MEMBER | tally ...)\n");
  EXPECT_EQ(run_tool(words{"reduce", array}).err,
            array + ": found a damaged zip archive, expected one whose directory lies at its end\n");
}

TEST_F(table, groups_are_reduced_in_the_order_of_their_first_rows)
{
  std::string const path = file("sales.csv", sales);
  EXPECT_EQ(run({"reduce", "--column", "amount", "--by", "region", path}),
            "north\t15\nsouth\t-1\n\"the \"\"east\"\"\"\t7\n");
  EXPECT_EQ(run({"reduce", "--column", "amount", "--by", "1", "--op", "max,count", path}),
            "1\tmax\tcount\nnorth\t10\t2\nsouth\t1\t2\n\"the \"\"east\"\"\"\t7\t1\n");
  EXPECT_EQ(run({"reduce", "--column", "amount", "--by", "region", "--init", "100", path}),
            "north\t115\nsouth\t99\n\"the \"\"east\"\"\"\t107\n");
  EXPECT_EQ(run({"reduce", "--column", "amount", "--by", "region", file("none.csv", "region,amount\n")}), "");
}

TEST_F(table, rows_are_counted_whatever_their_cells_are)
{
  std::string const path = file("names.csv", "name,kind\na,x\n,\n5,y\nb,x\n");
  EXPECT_EQ(run({"count", path}), "4\n");
  EXPECT_EQ(run({"count", "--by", "kind", path}), "x\t2\n\t1\ny\t1\n");
  EXPECT_EQ(run({"count", "--by", "2", "--sort", "value", path}), "\t1\ny\t1\nx\t2\n");
  EXPECT_EQ(run({"cumcount", "--by", "kind", path}), "1\n1\n1\n2\n");
  EXPECT_EQ(run({"count", "--column", "name", "--missing", "skip", "--na-strings", "a,b", path}), "1\n") << "values";
  EXPECT_EQ(run({"count", "--type", "time", "--missing", "skip", "--by", "kind", path}), "x\t2\n\t1\ny\t1\n");
  EXPECT_EQ(run({"count", "--by", "name", file("years.csv", "2020,name\n1,x\n2,x\n")}), "x\t2\n");
  EXPECT_NE(run_tool({"count", "--by", "2", file("data.csv", "1,x\n2,x\n")}).status, 0) << "a header, or data?";
  EXPECT_EQ(run_tool({"count", "--by", "3"}, "total 8\n-rw 1 ann 5\n-rw 1 bob 7\n-rw 1 ann 9\n").out,
            "ann\t2\nbob\t1\n");
  EXPECT_EQ(run_tool({"count", "--no-header", "--by", "1", "--input-format", "csv"}, ",\n,\n,").out, "\t3\n");
  EXPECT_NE(run_tool({"sum,count", "--by", "kind", path}).status, 0) << "of numbers";
}

TEST_F(table, keys_that_would_break_a_line_are_quoted)
{
  EXPECT_EQ(run({"reduce", "--column", "amount", "--by", "note", file("sales.csv", sales)}),
            "a, b\t10\n\"line\nend\"\t1\n\t5\nx\t7\ny\t-2\n");
}

TEST_F(table, groups_as_json)
{
  EXPECT_EQ(
      run({"reduce", "--json", "--column", "amount", "--by", "region", "--op", "sum,min", file("sales.csv", sales)}),
      "{\"by\":\"region\",\"groups\":[{\"key\":\"north\",\"sum\":15,\"min\":5},{\"key\":\"south\",\"sum\":-1,\"min\":-"
      "2},"
      "{\"key\":\"the \\\"east\\\"\",\"sum\":7,\"min\":7}]}\n");
}

TEST_F(table, groups_are_scanned_in_the_order_of_the_rows)
{
  std::string const path = file("sales.csv", sales);
  EXPECT_EQ(run({"scan", "--column", "amount", "--by", "region", path}), "10\n1\n15\n7\n-1\n");
  EXPECT_EQ(run({"scan", "--column", "amount", "--by", "region", "--exclusive", path}), "0\n0\n10\n0\n1\n");
  EXPECT_EQ(run({"scan", "--column", "amount", "--by", "region", "--op", "argmin", path}), "0\n0\n1\n0\n1\n");
  EXPECT_EQ(run({"scan", "--column", "amount", "--by", "region", "--op", "all", path}), "1\n1\n1\n1\n1\n");
}

TEST_F(table, a_group_whose_integers_need_128_bits_stands_beside_one_whose_do_not)
{
  std::string const path = file("x.csv", "k,v\na,1\nb,9223372036854775807\na,2\nb,9223372036854775807\nc,5\n");
  EXPECT_EQ(run({"scan", "--column", "v", "--by", "k", path}), "1\n9223372036854775807\n3\n18446744073709551614\n5\n");
  EXPECT_EQ(run({"reduce", "--column", "v", "--by", "k", path}), "a\t3\nb\t18446744073709551614\nc\t5\n");
}

TEST_F(table, a_decimal_in_one_group_makes_doubles_of_all_from_there_on)
{
  std::string const path = file("x.csv", "k,v\na,9007199254740993\nb,0.5\na,0\n");
  EXPECT_EQ(run({"scan", "--column", "v", "--by", "k", path}), "9007199254740993\n0.5\n9007199254740992\n");
}

TEST_F(table, several_files_are_one_sequence_of_rows)
{
  std::string const one = file("one.csv", "k,v\na,1\nb,2\n");
  std::string const two = file("two.csv", "x,v,k\n0,10,b\n0,20,c\n");
  EXPECT_EQ(run({"reduce", "--column", "v", "--by", "k", one, two}), "a\t1\nb\t12\nc\t20\n");
  EXPECT_EQ(run({"scan", "--column", "v", "--by", "k", one, two}), "1\n2\n12\n20\n");
}

TEST_F(table, many_groups_over_many_batches_agree_with_a_plain_count)
{
  std::string rows = "key,value\n";
  std::map<int, long> sums;
  std::vector<int> order;
  std::string running;
  unsigned state = 7;
  for (int k = 0; k < 600000; ++k) {
    state = state * 1664525U + 1013904223U;
    int const key = static_cast<int>(state >> 8) % 1000;
    int const value = static_cast<int>(state >> 18) % 100 - 50;
    if (!sums.contains(key)) order.push_back(key);
    sums[key] += value;
    rows += std::to_string(key) + "," + std::to_string(value) + "\n";
    running += std::to_string(sums[key]) + "\n";
  }
  std::string expected;
  for (int const key : order) expected += std::to_string(key) + "\t" + std::to_string(sums[key]) + "\n";
  std::string const path = file("many.csv", rows);
  EXPECT_EQ(run({"reduce", "--column", "value", "--by", "key", path}), expected);
  EXPECT_TRUE(run({"scan", "--column", "value", "--by", "key", path}) == running);
}

// Values of small groups are held, those of large ones are not; a group may become large.
TEST_F(table, groups_of_every_size_have_the_results_of_their_values_alone)
{
  std::vector<std::string> values(72);
  std::string sorted = "key,value\n";
  std::vector<std::string> rows;
  for (std::size_t size = 1; size <= values.size(); ++size) {
    std::size_t const group = size - 1;
    for (std::size_t k = 0; k < size; ++k) {
      // Integers, and then decimals: the first of these is in a group that has both.
      std::string value =
          std::to_string((7 * k * k + 13 * size) % 101) + (size > 40 && k > 2 ? "." + std::to_string(k) : "");
      values[group] += value + "\n";
      rows.push_back("g" + std::to_string(size) + "," + value + "\n");
    }
  }
  for (std::string const& row : rows) sorted += row;
  std::string const in_runs = file("sorted.csv", sorted);
  for (words const& options : {words{"--op", "sum,mean,variance,argmax,count"},
                               {"--type", "f32"},
                               {"--op", "min", "--init", "3"},
                               {"--op", "product", "--type", "f64"},
                               {"--op", "logsumexp", "--type", "f64"}}) {
    words arguments = {"reduce", "--by", "key", "--column", "value"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.push_back(in_runs);
    std::string const all = run(arguments);
    for (std::size_t size = 1; size <= values.size(); size += is_brief ? 7 : 1) {
      words alone = {"reduce"};
      alone.insert(alone.end(), options.begin(), options.end());
      std::string text = run_tool(alone, values[size - 1]).out;
      std::string line = "g" + std::to_string(size);
      for (std::size_t begin = 0; begin < text.size();) {
        std::size_t const end = text.find('\n', begin), tab = text.find('\t', begin);
        std::size_t const value = tab < end ? tab + 1 : begin;
        line += "\t" + text.substr(value, end - value);
        begin = end + 1;
      }
      EXPECT_NE(("\n" + all).find("\n" + line + "\n"), std::string::npos) << line << " with " << options.back();
    }
  }

  // The same rows, those of all groups mixed: values of a group keep their order.
  std::string mixed = "key,value\n";
  for (std::size_t k = 0; k < values.size(); ++k) {
    for (std::size_t size = k + 1, first = size * (size - 1) / 2; size <= values.size(); first += size++)
      mixed += rows[first + k];
  }
  auto const lines = [&](std::string const& path) {
    std::string const out =
        run({"reduce", "--by", "key", "--column", "value", "--type", "f64", "--op", "sum,stddev", path});
    std::vector<std::string> all;
    for (std::size_t begin = 0; begin < out.size(); begin = out.find('\n', begin) + 1)
      all.push_back(out.substr(begin, out.find('\n', begin) - begin));
    std::sort(all.begin(), all.end());
    return all;
  };
  EXPECT_EQ(lines(file("mixed.csv", mixed)), lines(in_runs));
}

TEST_F(table, a_value_that_a_group_cannot_take_is_named_where_it_stands)
{
  std::string const decimal = file("d.csv", "k,v\na,1\nb,2\na,1.5\n");
  EXPECT_EQ(run_tool(words{"reduce", "--by", "k", "--column", "v", "--op", "xor", decimal}).err,
            decimal + ":4:3: found '1.5', expected an integer, since --op is xor\n");
  std::string const wide = file("w.csv", "k,v\na,170141183460469231731687303715884105727\nb,2\na,2\n");
  EXPECT_EQ(run_tool(words{"reduce", "--by", "k", "--column", "v", wide}).err.substr(0, wide.size() + 5),
            wide + ":4:3:");
  std::string const product = file("p.csv", "k,v\na,18446744073709551615\na,9223372036854775807\na,4\n");
  EXPECT_EQ(run_tool(words{"reduce", "--by", "k", "--column", "v", "--op", "product", product})
                .err.substr(0, product.size() + 5),
            product + ":4:3:");
}

}  // namespace
}  // namespace tally::test
