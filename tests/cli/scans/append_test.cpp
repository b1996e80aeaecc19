// Scans with several results in a row: behind the rows of their table, by several operations, behind keys.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "table/input_row.hpp"
#include "tool.hpp"

namespace tally::test {
namespace {

/// The output of `tally scan` for a table on standard input.
std::string of_table(words const& more, std::string const& table)
{
  words all = {"scan"};
  all.insert(all.end(), more.begin(), more.end());
  outcome const done = run_tool(all, table);
  EXPECT_EQ(done.status, 0) << done.err;
  return done.out;
}

class append : public in_folder {};

char const* const quoted = "k,\"the, n\",note\r\na,1,\"say \"\"hi\"\"\"\r\nb,\" 2\",\"two\nlines\"\r\na, 3,\r\n";

TEST_F(append, rows_keep_their_bytes)
{
  EXPECT_EQ(of_table({"--column", "\"the, n\"", "--append"}, quoted),
            "k,\"the, n\",note,\"the, n_sum\"\r\na,1,\"say \"\"hi\"\"\",1\r\nb,\" 2\",\"two\nlines\",3\r\na, 3,,6\r\n");
  EXPECT_EQ(of_table({"--column", "2", "--by", "k", "--append=total"}, quoted),
            "k,\"the, n\",note,total\r\na,1,\"say \"\"hi\"\"\",1\r\nb,\" 2\",\"two\nlines\",2\r\na, 3,,4\r\n");
  EXPECT_EQ(of_table({"--column", "n", "--append", "--format", "csv"}, "n\n1\n2"), "n,n_sum\n1,1\n2,3\n")
      << "the last line has an end";
  EXPECT_EQ(of_table({"--column", "n", "--append"}, "k,n\n"), "k,n,n_sum\n") << "no rows";
  EXPECT_EQ(of_table({"--column", "2", "--no-header", "--append"}, "a,1\nb,2\n"), "a,1,1\nb,2,3\n");
  EXPECT_EQ(of_table({"--column", "2", "--delimiter", ";", "--append=x;y"}, "a;n\nb;2\n"), "a;n;\"x;y\"\nb;2;2\n");
}

TEST_F(append, a_byte_order_mark_stays_in_front)
{
  std::string const mark = "\xef\xbb\xbf";
  EXPECT_EQ(of_table({"--column", "n", "--append"}, mark + "k,n\na,1\n"), mark + "k,n,n_sum\na,1,1\n");
  EXPECT_EQ(of_table({"--column", "2", "--no-header", "--append"}, mark + "a,1\nb,2\n"), mark + "a,1,1\nb,2,3\n");
  EXPECT_EQ(of_table({"--column", "n", "--append", "--format", "tsv"}, mark + "k,n\na,1\n"), "k\tn\tn_sum\na\t1\t1\n");
}

TEST_F(append, of_several_operations_and_from_the_end)
{
  EXPECT_EQ(of_table({"--column", "n", "--op", "sum,max", "--append"}, "k,n\na,5\nb,-2\n"),
            "k,n,n_sum,n_max\na,5,5,5\nb,-2,3,5\n");
  EXPECT_EQ(of_table({"--column", "n", "--op", "sum,max", "--append=left,most", "--reverse"}, "k,n\na,5\nb,-2\na,7\n"),
            "k,n,left,most\na,5,10,7\nb,-2,5,7\na,7,7,7\n");
  EXPECT_EQ(of_table({"--column", "n", "--by", "k", "--append", "--reverse", "--exclusive"}, "k,n\na,5\nb,-2\na,7\n"),
            "k,n,n_sum\na,5,7\nb,-2,0\na,7,0\n");
  EXPECT_EQ(run_tool(words{"scan", "--column", "n", "--append=a,b"}, "n\n1\n").err,
            "tally: --append: 2 names for 1 column of results\nSee 'tally scan --help'.\n");
  EXPECT_EQ(run_tool(words{"scan", "--append"}, "1\n").err,
            "tally: --append is for tables with commas, tabs or blanks between the cells, whose rows it writes "
            "(--column names a column)\n"
            "See 'tally scan --help'.\n");
}

TEST_F(append, in_other_formats_fields_are_taken_out)
{
  words const total = {"--column", "2", "--append=total", "--format"};
  auto const in = [&](std::string const& format) {
    words all = total;
    all.push_back(format);
    return of_table(all, quoted);
  };
  EXPECT_EQ(in("jsonl"), "{\"k\":\"a\",\"the, n\":1,\"note\":\"say \\\"hi\\\"\",\"total\":1}\n"
                         "{\"k\":\"b\",\"the, n\":\" 2\",\"note\":\"two\\nlines\",\"total\":3}\n"
                         "{\"k\":\"a\",\"the, n\":\" 3\",\"note\":\"\",\"total\":6}\n");
  EXPECT_EQ(in("tsv"), "k\tthe, n\tnote\ttotal\na\t1\t\"say \"\"hi\"\"\"\t1\nb\t 2\t\"two\nlines\"\t3\na\t 3\t\t6\n");
  EXPECT_EQ(in("json"), "{\"columns\":[\"k\",\"the, n\",\"note\",\"total\"],\"rows\":[[\"a\",1,\"say \\\"hi\\\"\",1],"
                        "[\"b\",\" 2\",\"two\\nlines\",3],[\"a\",\" 3\",\"\",6]]}\n");
  EXPECT_EQ(in("table"), "k  the, n  note        total\na       1  say \"hi\"        1\nb       2  two\\nlines      3\n"
                         "a       3                  6\n");
  EXPECT_EQ(of_table({"--column", "2", "--append", "--output-delimiter", ";"}, "k,\"n;m\"\na,1\n"),
            "k;\"n;m\";\"n;m_sum\"\na;1;1\n");
  EXPECT_EQ(of_table({"--column", "2", "--append", "--output-delimiter", ";", "--no-header"}, "a,1\nb,2\n"),
            "a;1;1\nb;2;3\n");
  EXPECT_EQ(of_table({"--column", "2", "--append", "--format", "jsonl", "--no-header"}, "a,1\n"),
            "{\"1\":\"a\",\"2\":1,\"2_sum\":1}\n");
}

TEST_F(append, to_files_of_one_table)
{
  std::string const one = file("1.csv", "k,n\na,1\n"), two = file("2.csv", "k,n\nb,2\n"),
                    other = file("3.csv", "n,k\n7,c\n");
  EXPECT_EQ(run_tool(words{"scan", "--column", "n", "--append", one, two}).out, "k,n,n_sum\na,1,1\nb,2,3\n");
  outcome const mixed = run_tool(words{"scan", "--column", "n", "--append", "-o", path("out.csv"), one, other});
  EXPECT_EQ(mixed.status, 1);
  EXPECT_EQ(mixed.err, other + ":2:1: found a row of a table with the header 'n,k', expected rows of one table, whose "
                               "header is 'k,n': --append adds to it\n");
  EXPECT_EQ(listing(), "1.csv 2.csv 3.csv");
}

TEST_F(append, several_operations_are_columns)
{
  EXPECT_EQ(of_table({"--op", "sum,max"}, "5 -2.5"), "sum\tmax\n5\t5\n2.5\t5\n");
  EXPECT_EQ(of_table({"--op", "sum,max", "--reverse"}, "5 -2"), "sum\tmax\n3\t5\n-2\t-2\n");
  EXPECT_EQ(of_table({"--op", "sum", "--op", "count", "--json"}, "5 -2"),
            "{\"columns\":[\"sum\",\"count\"],\"rows\":[[5,1],[3,2]]}\n");
  EXPECT_EQ(of_table({"--op", "sum,max"}, ""), "sum\tmax\n");
  EXPECT_EQ(run_tool(words{"scan", "--reverse", "--op", "sum,max", file("a.npy", npy("|u1", "(2,)", "\1\2"))}).out,
            "sum\tmax\n3\t2\n2\t2\n");
}

TEST_F(append, keys_are_in_front_in_a_table)
{
  std::string const table = "k,n\na,1\nb,2\na,3\n";
  EXPECT_EQ(of_table({"--column", "n", "--by", "k"}, table), "1\n2\n4\n");
  EXPECT_EQ(of_table({"--column", "n", "--by", "k", "--format", "csv"}, table), "k,sum\na,1\nb,2\na,4\n");
  EXPECT_EQ(of_table({"--column", "n", "--by", "k", "--format", "jsonl", "--op", "sum,count"}, table),
            "{\"k\":\"a\",\"sum\":1,\"count\":1}\n{\"k\":\"b\",\"sum\":2,\"count\":1}\n"
            "{\"k\":\"a\",\"sum\":4,\"count\":2}\n");
}

// Rows are formatted 4096 at a time, by several threads; batches end where they like.
TEST_F(append, many_rows_are_all_there_whatever_the_number_of_threads)
{
  std::string table = "k,n\r\n", expected = "k,n,n_sum,n_count\r\n";
  long sum = 0;
  for (int k = 1; k <= 100000; ++k) {
    std::string const row =
        "\"" + std::string(static_cast<std::size_t>(k % 7), 'x') + "\"," + std::to_string(k % 10007);
    sum += k % 10007;
    table += row + "\r\n";
    expected += row + "," + std::to_string(sum) + "," + std::to_string(k) + "\r\n";
  }
  for (char const* threads : {"1", "3"})
    EXPECT_TRUE(of_table({"--column", "n", "--op", "sum,count", "--append", "--threads", threads}, table) == expected);
  EXPECT_TRUE(of_table({"--column", "n", "--op", "sum,count", "--append", "--exclusive", "--reverse"}, table).size() >
              table.size());
}

TEST(input_row, has_the_fields_of_its_text)
{
  cli::input_row row;
  using fields = std::vector<std::string_view>;
  EXPECT_EQ(row.split("", ','), fields({""}));
  EXPECT_EQ(row.split("a,,b", ','), fields({"a", "", "b"}));
  EXPECT_EQ(row.split("\"a,b\",\"\",\"x\"\"y\"\"\",", ','), fields({"a,b", "", "x\"y\"", ""}));
  EXPECT_EQ(row.split("\"\"\"\"", ','), fields({"\""}));
  EXPECT_EQ(row.split("a b\tc", '\t'), fields({"a b", "c"}));
  EXPECT_EQ(row.split("  a \t b ", ' '), fields({"a", "b"}));
}

}  // namespace
}  // namespace tally::test
