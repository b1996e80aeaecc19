// Results as tables: csv, tsv, jsonl, markdown, table, and their delimiters.
#include <string>

#include <gtest/gtest.h>

#include "table/table_writer.hpp"
#include "tool.hpp"

namespace tally::test {
namespace {

class output_format : public in_folder {
protected:
  std::string reduced(std::string const& format, words const& more) const
  {
    words all = {"reduce", "--column", "n", "--format", format};
    all.insert(all.end(), more.begin(), more.end());
    outcome const done = run_tool(all, "k|1,n\n\"a,b\",1\n\"a \"\"c\n\",2.5\n\"a,b\",3\nx\t|y,nan\n");
    EXPECT_EQ(done.status, 0) << done.err;
    return done.out;
  }
};

TEST_F(output_format, groups_in_every_format)
{
  words const by = {"--by", "k|1", "--op", "sum,count"};
  EXPECT_EQ(reduced("text", by), "k|1\tsum\tcount\na,b\t4\t2\n\"a \"\"c\n\"\t2.5\t1\n\"x\t|y\"\tnan\t1\n");
  EXPECT_EQ(reduced("csv", by), "k|1,sum,count\n\"a,b\",4,2\n\"a \"\"c\n\",2.5,1\nx\t|y,nan,1\n");
  EXPECT_EQ(reduced("tsv", by), "k|1\tsum\tcount\na,b\t4\t2\n\"a \"\"c\n\"\t2.5\t1\n\"x\t|y\"\tnan\t1\n");
  EXPECT_EQ(reduced("jsonl", by), "{\"k|1\":\"a,b\",\"sum\":4,\"count\":2}\n"
                                  "{\"k|1\":\"a \\\"c\\n\",\"sum\":2.5,\"count\":1}\n"
                                  "{\"k|1\":\"x\\t|y\",\"sum\":\"nan\",\"count\":1}\n");
  EXPECT_EQ(reduced("markdown", by), "| k\\|1 | sum | count |\n| --- | ---: | ---: |\n| a,b | 4 | 2 |\n"
                                     "| a \"c<br> | 2.5 | 1 |\n| x\t\\|y | nan | 1 |\n");
  EXPECT_EQ(reduced("table", by),
            "k|1     sum  count\na,b       4      2\na \"c\\n  2.5      1\nx\\t|y   nan      1\n");
}

TEST_F(output_format, one_sequence_is_one_row)
{
  words const two = {"--op", "count,max"};
  EXPECT_EQ(reduced("text", two), "count\t4\nmax\tnan\n");
  EXPECT_EQ(reduced("csv", two), "count,max\n4,nan\n");
  EXPECT_EQ(reduced("jsonl", two), "{\"count\":4,\"max\":\"nan\"}\n");
  EXPECT_EQ(reduced("table", two), "count  max\n    4  nan\n");
  EXPECT_EQ(reduced("csv", {"--op", "count"}), "count\n4\n") << "a table has a header";
  EXPECT_EQ(reduced("text", {"--op", "count"}), "4\n");
}

TEST_F(output_format, a_delimiter_that_occurs_in_a_field_or_a_number_is_quoted)
{
  words by = {"--by", "k|1", "--output-delimiter", "|"};
  EXPECT_EQ(reduced("csv", by), "\"k|1\"|sum\na,b|4\n\"a \"\"c\n\"|2.5\n\"x\t|y\"|nan\n");
  by.back() = ".";
  EXPECT_EQ(reduced("text", by), "a,b.4\n\"a \"\"c\n\".\"2.5\"\nx\t|y.nan\n");
  by.back() = "tab";
  EXPECT_EQ(reduced("text", {"--op", "count,max", "--output-delimiter", ","}), "count,4\nmax,nan\n");
  EXPECT_EQ(run_tool(words{"reduce", "--output-delimiter", ",", "--json"}, "1").err,
            "tally: --output-delimiter is for text and csv output: other formats have their own\n"
            "See 'tally reduce --help'.\n");
  EXPECT_EQ(run_tool(words{"reduce", "--output-delimiter", ",,"}, "1").err,
            "tally: --output-delimiter: ',,' is not a single character (or tab)\nSee 'tally reduce --help'.\n");
}

TEST_F(output_format, a_scan_is_a_column_under_its_name)
{
  EXPECT_EQ(run_tool(words{"scan", "--format", "csv"}, "1 2.5").out, "sum\n1\n3.5\n");
  EXPECT_EQ(run_tool(words{"scan", "--format", "jsonl", "--op", "max"}, "1 inf").out,
            "{\"max\":1}\n{\"max\":\"inf\"}\n");
  EXPECT_EQ(run_tool(words{"scan", "--format", "table", "--reverse"}, "1 20").out, "sum\n 21\n 20\n");
  EXPECT_EQ(run_tool(words{"scan", "--format", "csv"}, "").out, "sum\n");
}

TEST_F(output_format, follows_from_the_ending_of_the_file)
{
  struct example {
    std::string name, content;
  };
  for (auto const& [name, content] :
       {example{"a.csv", "sum\n3\n"}, example{"a.tsv", "sum\n3\n"}, example{"a.jsonl", "{\"sum\":3}\n"},
        example{"a.ndjson", "{\"sum\":3}\n"}, example{"a.md", "| sum |\n| ---: |\n| 3 |\n"}, example{"a.txt", "3\n"}}) {
    EXPECT_EQ(run_tool(words{"reduce", "-o", path(name)}, "1 2").status, 0);
    EXPECT_EQ(read(name), content) << name;
  }
}

TEST_F(output_format, arrays_of_several_axes_are_rows_without_names)
{
  std::string const array = file("a.npy", npy("|u1", "(2, 2)", std::string("\1\2\3\4", 4)));
  EXPECT_EQ(run_tool(words{"scan", "--axis", "1", "--format", "csv", array}).out, "1,3\n3,7\n");
  EXPECT_EQ(run_tool(words{"scan", "--axis", "1", "--output-delimiter", " ", array}).out, "1 3\n3 7\n");
  EXPECT_EQ(run_tool(words{"reduce", "--axis", "1", "--format", "jsonl", array}).out, "{\"sum\":3}\n{\"sum\":7}\n");
  EXPECT_EQ(run_tool(words{"scan", "--axis", "1", "--format", "table", array}).err,
            "tally: the result is an array with 2 axes: write it with -o FILE.npy or --format npy, or as text, csv or "
            "tsv\nSee 'tally scan --help'.\n");
}

// Characters may need two columns of a terminal, or bytes that make none.
TEST(aligned_table, columns_are_even_on_a_terminal)
{
  std::vector<cli::table_column> const columns = {{"naïve", false}, {"年", false}, {"n"}};
  auto const format = cli::make_aligned(columns);
  std::string text = format->head();
  format->row(text, std::vector<cli::cell>{"é", "12", cli::result(cli::int128{5})});
  format->row(text, std::vector<cli::cell>{"日本", "-7.5e3", cli::result(100.5)});
  format->row(text, std::vector<cli::cell>{"", std::monostate{}, std::monostate{}});
  EXPECT_EQ(format->arranged(text), "naïve      年      n\n"
                                    "é          12      5\n"
                                    "日本   -7.5e3  100.5\n"
                                    "\n");
  std::string none = format->head();
  EXPECT_EQ(format->arranged(none), "naïve  年  n\n");
}

TEST(json_number, is_what_json_reads_as_one)
{
  for (char const* yes : {"0", "-0", "12", "1.50", "1e5", "-2.5E-10", "0.1"})
    EXPECT_TRUE(cli::is_json_number(yes)) << yes;
  for (char const* no : {"", "-", "01", "1.", ".5", "+1", "1e", "1e+", "nan", "0x1", "1 ", " 1", "--1", "1.2.3"})
    EXPECT_FALSE(cli::is_json_number(no)) << no;
}

}  // namespace
}  // namespace tally::test
