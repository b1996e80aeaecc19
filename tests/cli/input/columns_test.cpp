#include <string>

#include <gtest/gtest.h>

#include "tool.hpp"

/// Several columns, missing cells, tables with blanks and of fixed width.
namespace tally::test {
namespace {

class columns : public in_folder {
protected:
  std::string run(words arguments)
  {
    outcome const result = run_tool(arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    return result.out;
  }
};

TEST_F(columns, a_file_may_have_no_value_of_a_column)
{
  std::string const with = file("with.csv", "v,w\n7,1\n"), without = file("without.csv", "v,w\n,1\n");
  EXPECT_EQ(run({"reduce", "--column", "v", "--missing", "skip", with, without}), "7\n");
  EXPECT_EQ(run({"scan", "--column", "v", "--missing", "skip", without, with}), "7\n");
}

TEST_F(columns, several_columns)
{
  std::string const path = file("x.csv", "k,a,b,c\nx,1,0.5,9\ny,2,9223372036854775807,8\nx,3,9223372036854775807,7\n");
  EXPECT_EQ(run({"reduce", "--column", "a:b", path}), "a\t6\nb\t1.8446744073709552e+19\n");
  EXPECT_EQ(run({"reduce", "--column", "2,c", "--op", "max,count", path}), "column\tmax\tcount\na\t3\t3\nc\t9\t3\n");
  EXPECT_EQ(run({"reduce", "--column", "c", "--column", "a", "--json", "--op", "sum,min", path}),
            "{\"columns\":[{\"column\":\"c\",\"sum\":24,\"min\":7},{\"column\":\"a\",\"sum\":6,\"min\":1}]}\n");
  EXPECT_EQ(run({"reduce", "--column", "a,c", "--format", "csv", path}), "column,sum\na,6\nc,24\n");
  EXPECT_EQ(run({"reduce", "--all", "--by", "k", path}),
            "k\ta_sum\tb_sum\tc_sum\nx\t4\t9.223372036854776e+18\t16\ny\t2\t9.223372036854776e+18\t8\n");
  EXPECT_EQ(run({"reduce", "--column", "a", "--by", "k,c", path}), "x\t9\t1\ny\t8\t2\nx\t7\t3\n");
  EXPECT_EQ(run({"reduce", "--column", "a,b", "--on", "gpu", file("none.csv", "a,b\n")}), "a\t0\nb\t0\n");
  EXPECT_EQ(run({"scan", "--column", "a,c", path}), "a_sum\tc_sum\n1\t9\n3\t17\n6\t24\n");
  EXPECT_EQ(run_tool(words{"app", "sort", "--column", "a*,b", path}).err,
            path + ":1: found 2 columns that are chosen, expected a single one\n");
  EXPECT_EQ(run_tool(words{"reduce", "--column", "b,k", path}).err,
            path + ":2:1: found 'x', expected a number in column 'k'\n");
  std::string const other = file("y.csv", "b2,b1,a\n1,2,3\n");
  EXPECT_EQ(run({"reduce", "--column", "a,b*", path, file("z.csv", "b,a\n1,2\n")}),
            "a\t8\nb\t1.8446744073709552e+19\n");
  EXPECT_EQ(run_tool(words{"reduce", "--column", "a,b*", path, other}).err,
            other + ":1: found 3 columns that are chosen, expected 2 as in the files before\n");
  EXPECT_EQ(run_tool(words{"reduce", "--column", "a,c", "-o", "x.npy", path}).err.substr(0, 60),
            "tally: several columns have named results: as text, a table ");
}

TEST_F(columns, without_a_column_the_message_names_those_there_are)
{
  std::string const path = file("sales.csv", "region,amount,note\nnorth,10,x\n");
  EXPECT_EQ(run_tool(words{"reduce", path}).err,
            path + ":2:1: found 'north', expected a number in the first column, 'region' (--column chooses among "
                   "'region', 'amount', 'note')\n");
  std::string const comma = file("comma.csv", "item,\"amount, EUR\"\ntea,1\n");
  EXPECT_EQ(run_tool(words{"reduce", "--column", "amount, EUR", comma}).err,
            comma + ":1: found 2 columns: 'item', 'amount, EUR', expected one called 'amount' (a name with a comma "
                    "stands in quotes: \"amount, EUR\")\n");
}

TEST_F(columns, missing_cells)
{
  std::string const path = file("m.csv", "k,a,b\nx,1,\ny,,2\nx,3,4\nz,,\ny,5,NA\n");
  words const skip = {"--missing", "skip", "--na-strings", "NA,-"};
  auto const with = [&](words before, words const& behind) {
    before.insert(before.end(), behind.begin(), behind.end());
    before.push_back(path);
    return run(before);
  };
  EXPECT_EQ(with({"reduce", "--column", "a,b", "--op", "sum,count"}, skip), "column\tsum\tcount\na\t9\t3\nb\t6\t2\n");
  EXPECT_EQ(with({"scan", "--column", "a"}, skip), "1\n4\n9\n");
  EXPECT_EQ(with({"scan", "--column", "a", "--reverse"}, skip), "9\n8\n5\n");
  EXPECT_EQ(with({"scan", "--column", "a", "--by", "k"}, skip), "1\n4\n5\n");
  EXPECT_EQ(with({"scan", "--column", "a", "--by", "k", "--reverse"}, skip), "4\n3\n5\n");
  EXPECT_EQ(with({"app", "group", "--column", "a", "--by", "k", "--collect"}, skip), "x\t4\ny\t5\n");
  EXPECT_EQ(with({"app", "sort", "--column", "a", "--descending"}, skip), "5\n3\n1\n");
  EXPECT_EQ(with({"reduce", "--column", "a", "--missing", "zero", "--op", "count"}, {}), "5\n");
  EXPECT_EQ(with({"reduce", "--column", "a", "--missing", "nan"}, {}), "nan\n");
  EXPECT_EQ(with({"scan", "--column", "a", "--missing", "-10"}, {}), "1\n-9\n-6\n-16\n-11\n");
  EXPECT_EQ(run_tool(words{"reduce", "--missing", "skip", "--na-strings", "-", "--count-missing"}, "1 - 3\n-").err,
            "tally: 2 of 4 values are missing\n");
  EXPECT_EQ(run_tool(words{"reduce", "--column", "a,b", "--missing", "skip", "--count-missing", "--na-strings", "NA",
                           path, path})
                .err,
            "tally: column 'a': 4 of 10 cells are missing\ntally: column 'b': 6 of 10 cells are missing\n");
  // A value that an operation cannot take is found where it stands.
  std::string const wide = file("w.csv", "k,v\na,\na,170141183460469231731687303715884105727\na,\nb,\na,2\n");
  for (words const& command : {words{"reduce"}, {"scan"}, {"reduce", "--by", "k"}, {"scan", "--by", "k"}}) {
    words all = command;
    for (char const* const word : {"--column", "v", "--missing", "skip"}) all.emplace_back(word);
    all.push_back(wide);
    EXPECT_EQ(run_tool(all).err.substr(0, wide.size() + 5), wide + ":6:3:") << command.size();
  }
}

TEST_F(columns, groups_without_any_value_have_the_results_of_none)
{
  std::string const path = file("m.csv", "k,a,b\nx,,1\ny,2,\nx,,3\n");
  EXPECT_EQ(run({"reduce", "--by", "k", "--column", "a,b", "--missing", "skip", "--op", "sum,count", path}),
            "k\ta_sum\ta_count\tb_sum\tb_count\nx\t0\t0\t4\t2\ny\t2\t1\t0\t0\n");
}

TEST_F(columns, blanks_and_widths)
{
  std::string const listing = "total 12\n-rw- 1 root  123 a\n-rw- 2 user 1000 b c\n-rw- 1 root    7\n";
  EXPECT_EQ(run_tool(words{"reduce", "--column", "4", "--by", "3"}, listing).out, "root\t130\nuser\t1000\n");
  EXPECT_EQ(run({"scan", "--input-format", "blanks", "--column", "4", file("x.csv", listing)}), "123\n1123\n1130\n");
  EXPECT_EQ(run_tool(words{"reduce", "--column", "used"}, "disk used\n/ 1\n/home 2\n").out, "3\n");
  EXPECT_EQ(run_tool(words{"reduce", "--widths", "2,3", "--no-header", "--column", "2,1"}, "12345\n 1  6\n").out,
            "2\t351\n1\t13\n");
}

}  // namespace
}  // namespace tally::test
