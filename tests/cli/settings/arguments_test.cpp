#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tool.hpp"

/// Wrong command lines: exit status 2, a message with the error and a suggestion, and no standard output.
namespace tally::test {
namespace {

struct wrong_usage {
  words arguments;
  std::string message;
};

std::ostream& operator<<(std::ostream& to, wrong_usage const& each)
{
  for (std::string const& word : each.arguments) to << word << ' ';
  return to;
}

class usage_error : public ::testing::TestWithParam<wrong_usage> {};

TEST_P(usage_error, exits_with_2_and_says_what_is_wrong)
{
  outcome const result = run_tool(GetParam().arguments, "1 2 3\n");
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err.substr(0, result.err.find('\n')), "tally: " + GetParam().message);
  EXPECT_NE(result.err.find("--help'"), std::string::npos) << "points to the help";
}

INSTANTIATE_TEST_SUITE_P(
    commands, usage_error,
    ::testing::Values(wrong_usage{{"redcue"}, "there is no command 'redcue' (did you mean 'reduce'?)"},
                      wrong_usage{{"frobnicate"}, "there is no command 'frobnicate'"},
                      wrong_usage{{"maximum", "x.txt"}, "there is no command 'maximum' (did you mean 'max'?)"},
                      wrong_usage{{"--frobnicate"}, "unknown option --frobnicate"},
                      wrong_usage{{"help", "redcue"}, "there is no command 'redcue' (did you mean 'reduce'?)"},
                      wrong_usage{{"help", "reduce", "scan"}, "one command at a time"},
                      wrong_usage{{"completion"}, "name one shell: bash, zsh or fish"},
                      wrong_usage{{"completion", "bahs"}, "completion: there is no 'bahs' (did you mean 'bash'?)"},
                      wrong_usage{{"completion", "powershell"},
                                  "completion: there is no 'powershell'; choose one of bash, zsh, fish"}));

INSTANTIATE_TEST_SUITE_P(
    options, usage_error,
    ::testing::Values(
        wrong_usage{{"scan", "--exclusiv"}, "unknown option --exclusiv (did you mean '--exclusive'?)"},
        wrong_usage{{"reduce", "--opp", "max"}, "unknown option --opp (did you mean '--op'?)"},
        wrong_usage{{"reduce", "--opp=max"}, "unknown option --opp=max (did you mean '--op'?)"},
        wrong_usage{{"reduce", "--frobnicate"}, "unknown option --frobnicate"},
        wrong_usage{{"reduce", "--exclusive"}, "unknown option --exclusive"},
        wrong_usage{{"reduce", "-x"}, "unknown option -x"},
        wrong_usage{{"bench", "--jsno"}, "unknown option --jsno (did you mean '--json'?)"},
        wrong_usage{{"bench", "file.txt"}, "nothing is expected after the options, but there is 'file.txt'"},
        wrong_usage{{"reduce", "--op"}, "--op needs a value"}, wrong_usage{{"reduce", "-o"}, "-o needs a value"},
        wrong_usage{{"reduce", "--op", "smu"}, "--op: there is no 'smu' (did you mean 'sum'?)"},
        wrong_usage{{"reduce", "--op", "sum,mxa"}, "--op: there is no 'mxa' (did you mean 'max'?)"},
        wrong_usage{{"reduce", "--op", "average"}, "--op: there is no 'average' (did you mean 'mean'?)"},
        wrong_usage{{"reduce", "--op", "frobnicate"},
                    "--op: there is no 'frobnicate'; choose one of sum, product, min, max, and, or, xor, median, "
                    "quantile:0.9, p95, mad, iqr, mode, distinct, all, any, argmin, argmax, first, last, range, mean, "
                    "geomean, harmean, variance, stddev, skewness, kurtosis, logsumexp, diff, rank, percent, fraction, "
                    "covariance, correlation, count"},
        wrong_usage{{"scan", "--init", "1", "--init", "2"}, "--init is given twice"},
        wrong_usage{{"reduce", "--op", "sum,max,sum"}, "--op: sum is named twice"},
        wrong_usage{{"scan", "--op", "sum,sum"}, "--op: sum is named twice"},
        wrong_usage{{"scan", "--op", "sum,mxa"}, "--op: there is no 'mxa' (did you mean 'max'?)"},
        wrong_usage{{"reduce", "--op", "diff"}, "--op diff has a result for every value: tally scan --op diff"},
        wrong_usage{{"scan", "--op", "diff", "--window", "2"}, "--window is of no use to --op diff"},
        wrong_usage{{"scan", "--op", "rank", "--window", "2"}, "--window is of no use to --op rank"},
        wrong_usage{{"scan", "--op", "percent", "--axis", "0", "x.npy"},
                    "--axis: --op percent is for one sequence, or one for each group"},
        wrong_usage{{"scan", "--op", "rank", "--exclusive"}, "--exclusive: rank has no result before the first value"},
        wrong_usage{{"scan", "--window", "2", "--exclusive"}, "--window and --exclusive exclude each other"},
        wrong_usage{{"scan", "--window", "0"}, "--window: '0' is not a whole number from 1 on"},
        wrong_usage{{"scan", "--window", "2", "--init", "1"},
                    "--init is of no use to --window: the value before all others would leave it"},
        wrong_usage{{"reduce", "--op", "quantile"},
                    "--op: found 'quantile', expected quantile:N with N from 0 to 1, of at most 9 decimals, such as "
                    "quantile:0.9"},
        wrong_usage{{"reduce", "--op", "quantile:1.01"},
                    "--op: found 'quantile:1.01', expected quantile:N with N from 0 to 1, of at most 9 decimals, such "
                    "as quantile:0.9"},
        wrong_usage{{"reduce", "--op", "p100.5"},
                    "--op: found 'p100.5', expected pN with N from 0 to 100, of at most 9 decimals, such as p95"},
        wrong_usage{{"reduce", "--op", "p95,p95.0"}, "--op: p95 is named twice"},
        wrong_usage{{"reduce", "--op", "prodct"}, "--op: there is no 'prodct' (did you mean 'product'?)"},
        wrong_usage{{"reduce", "--memory", "12Q"},
                    "--memory: '12Q' is not a number of bytes such as 500M (K, M, G, T)"},
        wrong_usage{{"reduce", "--memory", "0"}, "--memory: '0' is not a number of bytes such as 500M (K, M, G, T)"},
        wrong_usage{{"reduce", "-op", "sum"}, "unknown option -op (did you mean '--op'?)"},
        wrong_usage{{"reduce", "-op=sum"}, "unknown option -op=sum (did you mean '--op'?)"},
        wrong_usage{{"reduce", "-output", "x"}, "unknown option -output (did you mean '--output'?)"},
        wrong_usage{{"reduce", "--op=", "--init", "1"}, "--op needs a value"},
        wrong_usage{{"app", "polynomial", "--coefficients=", "--at", "2"}, "--coefficients needs a value"},
        wrong_usage{{"app", "polynomial", "--coefficients", "", "--at", "2"},
                    "--coefficients: '' is not a finite number"},
        wrong_usage{{"reduce", "--type", "flaot64"}, "--type: there is no 'flaot64' (did you mean 'float64'?)"},
        wrong_usage{{"reduce", "--type", "int128"}, "--type: there is no 'int128' (did you mean 'int8'?)"},
        wrong_usage{{"reduce", "--input-format", "cvs"}, "--input-format: there is no 'cvs' (did you mean 'csv'?)"},
        wrong_usage{{"scan", "--format", "nyp"}, "--format: there is no 'nyp' (did you mean 'npy'?)"},
        wrong_usage{{"reduce", "--byte-order", "bgi"}, "--byte-order: there is no 'bgi' (did you mean 'big'?)"},
        wrong_usage{{"reduce", "--on", "tpu"}, "--on: there is no 'tpu' (did you mean 'cpu'?)"},
        wrong_usage{{"scan", "--on", "cuda"}, "--on: there is no 'cuda'; choose one of cpu, gpu"},
        wrong_usage{{"scan", "--on", "gpu", "--on", "cpu"}, "--on is given twice"},
        wrong_usage{{"bench", "--on", "gpu"}, "unknown option --on"},
        wrong_usage{{"reduce", "--threads", "0"}, "--threads: '0' is not a whole number from 1 on"},
        wrong_usage{{"reduce", "--threads", "two"}, "--threads: 'two' is not a whole number from 1 on"},
        wrong_usage{{"bench", "--threads", "-1"}, "--threads: '-1' is not a whole number from 1 on"},
        wrong_usage{{"bench", "--threads", "-1000000000000"},
                    "--threads: '-1000000000000' is not a whole number from 1 on"},
        wrong_usage{{"bench", "--threads", "1000000000000"},
                    "--threads: 1000000000000 is too large; at most 2147483647"},
        wrong_usage{{"compare", "--n", "1000000000000"}, "--n: 1000000000000 is too large; at most 1048576"},
        wrong_usage{{"reduce", "--init", "abc"}, "--init: found 'abc', expected a number"},
        wrong_usage{{"reduce", "--init", "170141183460469231731687303715884105728"},
                    "--init: found '170141183460469231731687303715884105728', expected an integer of at most 128 bits "
                    "(a double is written with a point or an exponent)"},
        wrong_usage{{"reduce", "--init", "1e999"},
                    "--init: found '1e999', expected a number of magnitude below 1.8e308"},
        wrong_usage{{"reduce", "--delimiter", "::", "x.csv"}, "--delimiter: '::' is not a single character (or tab)"},
        wrong_usage{{"reduce", "--axis", "x", "x.npy"},
                    "--axis: 'x' is not an axis: 0, 1, ... from the first on, or -1, -2, ... from the last"}));

INSTANTIATE_TEST_SUITE_P(
    combinations, usage_error,
    ::testing::Values(
        wrong_usage{{"reduce", "-", "-"}, "standard input (-) can be read once only"},
        wrong_usage{{"reduce", "x.raw"}, "raw input needs --type: the bytes do not say what they are"},
        wrong_usage{{"reduce", "--byte-order", "big", "x.txt"}, "--byte-order is for raw input"},
        wrong_usage{{"reduce", "--column", "a", "x.npy"}, "--column is for tables (--input-format csv, tsv or blanks)"},
        wrong_usage{{"reduce", "--by", "a", "x.npy"}, "--by is for tables (--input-format csv, tsv or blanks)"},
        wrong_usage{{"reduce", "--delimiter", ";"}, "--delimiter is for tables (--input-format csv, tsv or blanks)"},
        wrong_usage{{"reduce", "--no-header"}, "--no-header is for tables (--input-format csv, tsv or blanks)"},
        wrong_usage{{"reduce", "--header"}, "--header is for tables (--input-format csv, tsv or blanks)"},
        wrong_usage{{"reduce", "--header", "--no-header", "--column", "1"},
                    "--header and --no-header exclude each other"},
        wrong_usage{{"reduce", "--all", "x.npy"}, "--all is for tables (--input-format csv, tsv or blanks)"},
        wrong_usage{{"reduce", "--all", "--column", "1"}, "--all and --column exclude each other"},
        wrong_usage{{"reduce", "--column", "a,,b"},
                    "--column: 'a,,b' has an empty name (a column without one is \"\")"},
        wrong_usage{{"reduce", "--widths", "3", "--input-format", "csv"},
                    "--widths and another --input-format exclude each other"},
        wrong_usage{{"reduce", "--input-format", "fixed"}, "--input-format fixed needs --widths"},
        wrong_usage{{"reduce", "--widths", "3,0"}, "--widths: '0' is not a whole number from 1 on"},
        wrong_usage{{"reduce", "--widths", "3", "--delimiter", ";"}, "--delimiter and --widths exclude each other"},
        wrong_usage{{"reduce", "--missing", "no"}, "--missing: 'no' is none of error, skip, zero, nan, and no number"},
        wrong_usage{{"reduce", "--missing", "0.5", "--type", "int8"}, "--missing 0.5: --type int8 needs an integer"},
        wrong_usage{{"reduce", "--missing", "skip", "x.npy"}, "--missing is for tables and text"},
        wrong_usage{{"reduce", "--na-strings", "NA", "x.npy"}, "--na-strings is for tables and text"},
        wrong_usage{{"reduce", "--count-missing", "x.npy"}, "--count-missing is for tables and text"},
        wrong_usage{{"reduce", "--axis", "0"}, "--axis is for a single .npy file"},
        wrong_usage{{"reduce", "--axis", "0", "a.npy", "b.npy"}, "--axis is for a single .npy file"},
        wrong_usage{{"reduce", "--json", "--format", "npy"}, "--json and another --format exclude each other"},
        wrong_usage{{"reduce", "--init", "1", "--op", "mean"}, "--init is of no use to --op mean"},
        wrong_usage{{"scan", "--init", "1", "--op", "count"}, "--init is of no use to --op count"},
        wrong_usage{{"reduce", "--init", "1.5", "--op", "and"}, "--init: 1.5 is no integer, which --op and needs"},
        wrong_usage{{"reduce", "--init", "300", "--op", "max", "--type", "uint8"},
                    "--init: 300 is no uint8, the type of the result"},
        wrong_usage{{"reduce", "--op", "xor", "--type", "float32"}, "--op xor needs integers; the values are float32"},
        wrong_usage{{"scan", "--exclusive", "--op", "mean"}, "--exclusive: mean has no result before the first value"},
        wrong_usage{{"scan", "--exclusive", "--op", "argmax"},
                    "--exclusive: argmax has no result before the first value"},
        wrong_usage{{"scan", "--exclusive", "--op", "min"},
                    "--exclusive --op min needs --init, or --type: nothing is known before the first value"},
        wrong_usage{{"brent", "--svg", "-", "--json"}, "--svg - and --json: standard output takes one of them"},
        wrong_usage{{"reduce", "--op", "sum,max", "-o", "x.npy"},
                    "several operations have named results: as text or --json, without --axis"},
        wrong_usage{{"reduce", "--op", "sum,max", "--axis", "0", "x.npy"},
                    "several operations have named results: as text or --json, without --axis"},
        wrong_usage{{"reduce", "--sort", "key", "x.csv"}, "--sort orders groups: it needs --by"},
        wrong_usage{{"reduce", "--memory", "1.5G", "x.csv"},
                    "--memory: '1.5G' is not a number of bytes such as 500M (K, M, G, T)"},
        wrong_usage{{"reduce", "--by", "a", "-o", "x.npy"}, "--by has a key beside every result: as text or --json"}));

TEST(arguments, without_a_command_the_help_goes_to_standard_error)
{
  outcome const result = run_tool(words{});
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_NE(result.err.find("Usage: tally COMMAND"), std::string::npos);
}

TEST(arguments, values_may_follow_an_equals_sign_and_begin_with_a_minus)
{
  EXPECT_EQ(run_tool(words{"reduce", "--init=-5", "--op=sum"}, "1 2").out, "-2\n");
  EXPECT_EQ(run_tool(words{"reduce", "--init", "-5"}, "1 2").out, "-2\n");
}

TEST(arguments, a_value_may_look_like_an_option)
{
  EXPECT_EQ(run_tool(words{"reduce", "--column", "-op"}, "-op\n1\n2\n").out, "3\n");
  EXPECT_EQ(run_tool(words{"reduce", "--column", "--op="}, "--op=\n1\n2\n").out, "3\n");
}

TEST(arguments, lists_have_commas_or_blanks_between_their_elements)
{
  for (char const* list : {"1,2", "1 2", " 1 ,\t2 ", "1\n2"}) {
    EXPECT_EQ(run_tool(words{"app", "polynomial", "--coefficients", list, "--at", list}).out, "3\n5\n") << list;
    EXPECT_EQ(run_tool(words{"app", "recurrence", "--coefficients", list, "--initial", list}, "1").out, "6\n") << list;
    EXPECT_EQ(
        run_tool(words{"app", "recurrence", "--coefficients", list, "--initial", list, "--modulo", "9", "--count", "3"})
            .out,
        "1\n2\n4\n")
        << list;
    EXPECT_EQ(run_tool(words{"app", "histogram", "--json", "--edges", list}, "1.5").out,
              run_tool(words{"app", "histogram", "--json", "--bins", "1", "--range", list}, "1.5").out)
        << list;
    EXPECT_NE(run_tool(words{"explain", "sequential-scan", "--input", list}).out.find(" of 2 integers by sum"),
              std::string::npos)
        << list;
  }
  EXPECT_EQ(run_tool(words{"app", "cdf", "--quantiles", "0 1"}, "3 4 5").out, "0\t3\n1\t5\n");
  EXPECT_EQ(run_tool(words{"reduce", "--op", "sum max"}, "3 4 5").out, "sum\t12\nmax\t5\n");
}

TEST(arguments, after_two_hyphens_everything_is_a_file)
{
  outcome const result = run_tool(words{"reduce", "--", "--help"});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.err, "tally: --help: cannot read: No such file or directory\n");
}

TEST(arguments, a_hyphen_is_standard_input)
{
  EXPECT_EQ(run_tool(words{"reduce", "-"}, "1 2 3").out, "6\n");
}

TEST(arguments, operations_may_be_listed_or_repeated)
{
  EXPECT_EQ(run_tool(words{"reduce", "--op", "sum,max", "--op", "count"}, "1 2 4").out, "sum\t7\nmax\t4\ncount\t3\n");
}

}  // namespace
}  // namespace tally::test
