#include <string>

#include <gtest/gtest.h>

#include "tool.hpp"

/// How numbers are written in the input and in the output: decimals, suffixes, separators, precision.
namespace tally::test {
namespace {

std::string printed(words const& all, std::string_view input)
{
  outcome const result = run_tool(all, input);
  EXPECT_EQ(result.status, 0) << result.err;
  return result.out;
}

std::string refused(words const& all, std::string_view input = {}, int status = 2)
{
  outcome const result = run_tool(all, input);
  EXPECT_EQ(result.status, status) << result.out;
  return result.err.substr(0, result.err.find('\n'));
}

words decimal(words all)
{
  all.insert(all.end(), {"--type", "decimal"});
  return all;
}

TEST(written_numbers, decimals_are_exact)
{
  EXPECT_EQ(printed(decimal({"reduce"}), "0.1 0.2"), "0.3\n");
  EXPECT_EQ(printed(decimal({"reduce", "--op", "sum,min,max,product,mean,count,argmax,all"}), "10.50 4.25 -1 0.125"),
            "sum\t13.875\nmin\t-1.000\nmax\t10.500\nproduct\t-5.578125\nmean\t3.46875\ncount\t4\nargmax\t0\nall\t1\n");
  EXPECT_EQ(printed(decimal({"reduce", "--op", "mean"}), "1 0 0"), "0.333333333333333333\n");
  EXPECT_EQ(printed(decimal({"reduce", "--op", "mean"}), "-1 0 0"), "-0.333333333333333333\n");
  EXPECT_EQ(printed(decimal({"reduce", "--op", "mean"}), "1e-18 0"), "0.000000000000000000\n");
  EXPECT_EQ(printed(decimal({"reduce", "--op", "mean"}), "3e-18 0"), "0.000000000000000002\n");
  EXPECT_EQ(printed(decimal({"reduce", "--op", "mean"}), "-3e-18 0"), "-0.000000000000000002\n");
  EXPECT_EQ(printed(decimal({"reduce", "--op", "product"}), "1.1 1.1 0.5 0.2"), "0.121\n");
  EXPECT_EQ(printed(decimal({"reduce", "--op", "variance,stddev"}), "0.25 0.5 0.75"),
            "variance\t0.0625\nstddev\t0.25\n");
  EXPECT_EQ(printed(decimal({"reduce"}), ""), "0\n");
  EXPECT_EQ(printed(decimal({"reduce", "--op", "max"}), ""), "-inf\n");
  EXPECT_EQ(printed(decimal({"reduce", "--op", "mean"}), ""), "nan\n");
  EXPECT_EQ(printed(decimal({"reduce", "--init", "0.10"}), "0.2"), "0.3\n");
  EXPECT_EQ(printed(decimal({"reduce", "--json", "--op", "sum,max"}), "0.10 0.2"), "{\"sum\":0.30,\"max\":0.20}\n");
}

TEST(written_numbers, decimals_of_scans_and_groups)
{
  EXPECT_EQ(printed(decimal({"scan"}), "1 2.5 0.25 3"), "1\n3.5\n3.75\n6.75\n");
  EXPECT_EQ(printed(decimal({"scan", "--op", "mean"}), "1 2 2"), "1\n1.5\n1.666666666666666667\n");
  EXPECT_EQ(printed(decimal({"scan", "--op", "product"}), "0.5 0.5 4"), "0.5\n0.25\n1.0\n");
  EXPECT_EQ(printed(decimal({"scan", "--exclusive"}), "0.1 0.2"), "0.0\n0.1\n");
  EXPECT_EQ(printed(decimal({"scan", "--reverse"}), "1 2.5 0.25"), "3.75\n2.75\n0.25\n");
  EXPECT_EQ(printed(decimal({"scan", "--op", "count"}), "0.5 0.5"), "1\n2\n");
  EXPECT_EQ(printed(decimal({"scan", "--json"}), "0.1 0.2"), "{\"op\":\"sum\",\"values\":[0.1,0.3]}\n");
  EXPECT_EQ(printed(decimal({"scan", "--format", "csv"}), "0.1 0.2"), "sum\n0.1\n0.3\n");
  std::string const table = "k,v\na,0.1\nb,2\na,0.25\n";
  EXPECT_EQ(printed(decimal({"reduce", "--by", "k", "--column", "v", "--op", "sum,count"}), table),
            "k\tsum\tcount\na\t0.35\t2\nb\t2.00\t1\n");
  EXPECT_EQ(printed(decimal({"scan", "--by", "k", "--column", "v"}), table), "0.1\n2.0\n0.35\n");
}

TEST(written_numbers, columns_have_forms_of_their_own)
{
  std::string const table = "k,price,tax\na,1.50,0.105\nb,,0.2\na,2,NA\n";
  words const skips = {"--column", "price,tax", "--missing", "skip", "--na-strings", "NA"};
  auto const with = [&](words all) {
    all.insert(all.end(), skips.begin(), skips.end());
    return decimal(all);
  };
  EXPECT_EQ(printed(with({"reduce", "--op", "sum,count"}), table),
            "column\tsum\tcount\nprice\t3.50\t2\ntax\t0.305\t2\n");
  EXPECT_EQ(printed(with({"reduce", "--by", "k"}), table), "k\tprice_sum\ttax_sum\na\t3.50\t0.105\nb\t0.00\t0.200\n");
  EXPECT_EQ(printed(with({"reduce", "--by", "k", "--op", "mean", "--sort", "value"}), table),
            "k\tprice_mean\ttax_mean\na\t1.75\t0.105\nb\tnan\t0.200\n");
  EXPECT_EQ(printed(with({"reduce", "--json", "--precision", "1"}), table),
            "{\"columns\":[{\"column\":\"price\",\"sum\":3.5},{\"column\":\"tax\",\"sum\":0.3}]}\n");
  EXPECT_EQ(printed(with({"scan", "--format", "csv"}), table), "price_sum,tax_sum\n1.50,0.105\n,0.305\n3.50,\n");
  EXPECT_EQ(printed(decimal({"reduce", "--column", "price", "--missing", "0.25"}), table), "3.75\n");
  EXPECT_EQ(printed(decimal({"reduce", "--by", "k", "--column", "v", "--op", "count,mean,sum,max,min"}),
                    "k,v\na,-1\nb,0.2\na,1.1\na,0\n"),
            "k\tcount\tmean\tsum\tmax\tmin\na\t3\t0.033333333333333333\t0.1\t1.1\t-1.0\nb\t1\t0.2\t0.2\t0.2\t0.2\n");
  EXPECT_EQ(printed({"reduce", "--type", "time", "--by", "k", "--column", "v", "--op", "mean"},
                    "k,v\na,1969-12-30\na,1969-12-31\n"),
            "a\t1969-12-30T12:00\n");
  EXPECT_EQ(refused(decimal({"reduce", "--by", "k", "--column", "v"}), "k,v\na,1e20\na,1e20\n", 1),
            "(standard input):3:3: found a sum of decimals beyond 1.7e20, expected one that fits");
  EXPECT_EQ(printed({"reduce", "--type", "duration", "--column", "t", "--missing", "zero"}, "k,t\na,1:30\nb,\n"),
            "1:30\n");
  EXPECT_EQ(refused(decimal({"reduce", "--column", "price"}), table, 1),
            "(standard input):3:3: found an empty field, expected a decimal of at most 18 places, below 1.7e20 (or "
            "--missing skip, or such a value)");
  EXPECT_EQ(refused(decimal({"reduce", "--missing", "nan"})),
            "tally: --missing: 'nan' is neither error nor skip, nor a decimal of at most 18 places, below 1.7e20");
}

class written_numbers_of_files : public in_folder {};

TEST_F(written_numbers_of_files, keep_their_form_where_a_file_has_none)
{
  std::string const first = file("a.csv", "v\n0.25\n"), second = file("b.csv", "v,w\n,1\n");
  EXPECT_EQ(printed(decimal({"reduce", "--column", "v", "--missing", "skip", first, second}), {}), "0.25\n");
}

TEST(written_numbers, scans_that_hold_their_rows)
{
  EXPECT_EQ(printed(decimal({"scan", "--op", "fraction,sum"}), "0.5 1.50"), "fraction\tsum\n0.25\t0.50\n0.75\t2.00\n");
  EXPECT_EQ(printed(decimal({"scan", "--op", "rank,percent", "--precision", "1"}), "0.3 0.1"),
            "rank\tpercent\n2\t75.0\n1\t25.0\n");
  EXPECT_EQ(refused({"scan", "--type", "time", "--op", "percent"}),
            "tally: --op percent: a percent of dates and times has no meaning (min, max and mean have)");
}

TEST(written_numbers, units_of_the_other_operations)
{
  EXPECT_EQ(
      printed(decimal({"reduce", "--op", "median,p25,mad,iqr,mode,first,last,range,distinct"}), "10.50 10.75 0.1 0.1"),
      "median\t5.30\np25\t0.10\nmad\t5.20\niqr\t10.4625\nmode\t0.10\nfirst\t10.50\nlast\t0.10\nrange\t10."
      "65\ndistinct\t3\n");
  EXPECT_EQ(printed(decimal({"scan", "--op", "median"}), "12.34 0.1"), "12.34\n6.22\n");
  // Beyond the 53 bits of doubles; ties to even.
  EXPECT_EQ(printed(decimal({"reduce", "--op", "median,p50,mad"}), "0.1 0.123456789123456789"),
            "median\t0.111728394561728394\np50\t0.111728394561728394\nmad\t0.011728394561728394\n");
  EXPECT_EQ(printed(decimal({"scan", "--op", "median"}), "-0.1 -0.123456789123456787"),
            "-0.1\n-0.111728394561728394\n");
  EXPECT_EQ(printed(decimal({"scan", "--op", "mad"}), "0.1 0.123456789123456789 7"),
            "0.0\n0.011728394561728394\n0.023456789123456789\n");
  EXPECT_EQ(printed(decimal({"scan", "--op", "mad", "--to", "si"}), "17e19 0 0 -17e19"), "0\n85E\n0\n85E\n");
  EXPECT_EQ(printed(decimal({"scan", "--op", "diff"}), "1.5 1.75 1"), "1.5\n0.25\n-0.75\n");
  EXPECT_EQ(printed({"scan", "--type", "time", "--op", "diff"}, "2026-11-20 2026-11-23"), "0d\n3d\n");
  EXPECT_EQ(printed({"scan", "--type", "time", "--op", "diff", "--init", "2026-11-19"}, "2026-11-20 2026-11-23"),
            "1d\n3d\n");
  EXPECT_EQ(printed({"scan", "--type", "time", "--op", "diff", "--by", "k", "--column", "t"},
                    "k,t\na,2026-11-20\nb,2026-11-21\na,2026-11-23\n"),
            "0d\n0d\n3d\n");
  EXPECT_EQ(printed({"scan", "--type", "date", "--op", "median"}, "2026-11-20 2026-11-23"),
            "2026-11-20\n2026-11-21T12:00\n");
  EXPECT_EQ(printed(decimal({"scan", "--window", "2", "--op", "range"}), "0.1 20 19"), "0.0\n19.9\n1.0\n");
  EXPECT_EQ(printed({"scan", "--window", "2", "--op", "range"}, "1 10000000000000000000"), "0\n9999999999999999999\n");
  EXPECT_EQ(printed(decimal({"scan", "--window", "2"}), "0.1 0.2 0.3"), "0.1\n0.3\n0.5\n");
  EXPECT_EQ(printed(decimal({"scan", "--window", "2", "--op", "mean"}), "0.1 0.2 0.4"), "0.1\n0.15\n0.3\n");
  EXPECT_EQ(printed({"reduce", "--type", "time", "--op", "range,median,mad,iqr,first,last,mode,argmax,all,distinct"},
                    "2026-11-20 2026-11-23"),
            "range\t3d\nmedian\t2026-11-21T12:00\nmad\t1d12h\niqr\t1d12h\nfirst\t2026-11-20\nlast\t2026-11-"
            "23\nmode\t2026-11-20\n"
            "argmax\t1\nall\t1\ndistinct\t2\n");
  EXPECT_EQ(printed({"reduce", "--type", "time", "--op", "range"}, "2026-11-20T00:00 2026-11-23T01:30"), "73:30\n");
}

TEST(written_numbers, decimals_that_do_not_fit)
{
  EXPECT_EQ(refused(decimal({"reduce"}), "1 x", 1),
            "(standard input):1:3: found 'x', expected a decimal of at most 18 places, below 1.7e20");
  EXPECT_EQ(refused(decimal({"reduce"}), "170141183460469231731 1", 1),
            "(standard input):1:23: found a sum of decimals beyond 1.7e20, expected one that fits");
  EXPECT_EQ(refused(decimal({"scan", "--op", "product"}), "1e-10 1e-10", 1),
            "(standard input):1:7: found a product of decimals beyond 1.7e20 or with more than 18 decimals, expected "
            "one that fits (without --type decimal, products are rounded)");
  EXPECT_EQ(refused(decimal({"reduce", "--op", "xor"})),
            "tally: --op xor needs integers: not with --type decimal, time or duration");
  EXPECT_EQ(refused(decimal({"scan", "--format", "npy"})),
            "tally: --type decimal, time and duration have results in text: .npy and raw files hold none");
  EXPECT_EQ(refused(decimal({"reduce", "x.npy"})), "tally: --from, --thousands, --decimal-point, --unit and --type "
                                                   "decimal, time and duration are for text and tables");
  EXPECT_EQ(refused(decimal({"app", "sort"})), "tally: --type decimal, time and duration are for reduce and scan");
  EXPECT_EQ(refused(decimal({"reduce", "--init", "x"})),
            "tally: --init: found 'x', expected a decimal of at most 18 places, below 1.7e20");
}

TEST(written_numbers, times_and_durations)
{
  EXPECT_EQ(printed({"reduce", "--type", "duration", "--op", "sum,max,mean,count,stddev"}, "1:30 0:45 0:15:30"),
            "sum\t2:30:30\nmax\t1:30:00\nmean\t0:50:10\ncount\t3\nstddev\t" +
                printed({"reduce", "--op", "stddev"}, "5400 2700 930"));
  EXPECT_EQ(printed({"scan", "--type", "duration"}, "1h 30m 250ms"), "1h\n1h30m\n1h30m0.25s\n");
  EXPECT_EQ(printed({"reduce", "--type", "time", "--op", "min,max,mean"}, "2026-11-20 2026-11-23"),
            "min\t2026-11-20\nmax\t2026-11-23\nmean\t2026-11-21T12:00\n");
  EXPECT_EQ(printed({"reduce", "--type", "time", "--op", "max", "--json"}, "2026-11-23T10:30:00Z"),
            "{\"max\":\"2026-11-23T10:30:00Z\"}\n");
  EXPECT_EQ(printed({"reduce", "--type", "time", "--op", "max", "--by", "k", "--column", "t", "--format", "jsonl"},
                    "k,t\na,2026-11-23\n"),
            "{\"k\":\"a\",\"max\":\"2026-11-23\"}\n");
  EXPECT_EQ(printed({"reduce", "--type", "duration", "--init", "1h", "--precision", "1"}, "1s"), "1h1.0s\n");
  EXPECT_EQ(printed({"reduce", "--type", "time", "--op", "max", "--by", "1", "--column", "2", "--no-header"},
                    "a,2026-11-23 10:30\nb,2026-11-23\na,2026-11-24\n"),
            "a\t2026-11-24 00:00\nb\t2026-11-23 00:00\n");
  EXPECT_EQ(refused({"reduce", "--type", "time"}, "2026-11-23"),
            "tally: --op sum: a sum of dates and times has no meaning (min, max and mean have)");
  EXPECT_EQ(refused({"reduce", "--type", "duration", "--op", "product"}, "1s"),
            "tally: --op product: a product of durations has no meaning");
  EXPECT_EQ(refused({"reduce", "--type", "duration"}, "1s 5", 1),
            "(standard input):1:4: found '5', expected a duration such as 1:30:00, PT1H30M or 1h30m");
  EXPECT_EQ(refused({"reduce", "--type", "time", "--from", "si"}),
            "tally: --from, --thousands, --decimal-point and --unit are for numbers, not for --type time or duration");
}

TEST(written_numbers, notations_of_the_input)
{
  EXPECT_EQ(printed({"reduce", "--from", "iec", "--to", "iec"}, "1.5K 4.0K 12 1.1M"), "1.11M\n");
  EXPECT_EQ(printed({"reduce", "--from", "si"}, "1.5K 2"), "1502\n");
  EXPECT_EQ(printed({"reduce", "--from", "auto"}, "1Ki 1K"), "2024\n");
  EXPECT_EQ(printed({"reduce", "--from", "hex", "--to", "hex"}, "0xff 1"), "0x100\n");
  EXPECT_EQ(printed({"reduce", "--from", "si", "--init", "1K"}, "1"), "1001\n");
  EXPECT_EQ(printed({"reduce", "--thousands", ",", "--column", "v", "--delimiter", ";"}, "v\n1,234\n2,000,000.5\n"),
            "2001234.5\n");
  EXPECT_EQ(printed({"reduce", "--thousands", "space", "--column", "1"}, "v\n1 234\n"), "1234\n");
  EXPECT_EQ(printed({"reduce", "--thousands", "space", "--column", "v"}, "k,v\na,1 234\n"), "1234\n");
  EXPECT_EQ(printed({"scan", "--decimal-point", ",", "--thousands", "."}, "1.234,5 0,25"), "1234,5\n1234,75\n");
  EXPECT_EQ(printed({"reduce", "--decimal-point", ",", "--type", "int64"}, "12,00 1"), "13\n");
  // The first line of a table with tabs is no header if it has such a number.
  EXPECT_EQ(refused({"reduce", "--column", "1"}, "4.0K\tdocs\n", 1),
            "(standard input):1:1: found '4.0K', expected a number (--from si or --from iec reads it)");
  EXPECT_EQ(printed({"reduce", "--column", "1"}, "1K-blocks\tname\n4\tdocs\n"), "4\n");
  EXPECT_EQ(refused({"reduce", "--column", "v"}, "v\n2026-11-23\n", 1),
            "(standard input):2:1: found '2026-11-23', expected a number (--type time reads it)");
  EXPECT_EQ(printed({"app", "sort", "--from", "iec"}, "1M 1K 3"), "3\n1024\n1048576\n");
  EXPECT_EQ(refused({"reduce", "--thousands", ","}, "1,23", 1),
            "(standard input):1:1: found '1,23', expected a number with ',' between groups of three digits");
  EXPECT_EQ(refused({"reduce", "--thousands", "."}), "tally: --thousands and --decimal-point are both '.'");
  EXPECT_EQ(refused({"reduce", "--thousands", "ab"}),
            "tally: --thousands: 'ab' is not a single character that may stand between digits (or space)");
  EXPECT_EQ(refused({"reduce", "--thousands", "space"}),
            "tally: --thousands space is for CSV and TSV input: elsewhere a number ends at a blank");
  EXPECT_EQ(refused({"reduce", "--from", "hex", "--thousands", ","}),
            "tally: --from hex reads integers without points and separators");
  EXPECT_EQ(refused({"reduce", "--decimal-point", ";"}), "tally: --decimal-point: ';' is neither , nor .");
  EXPECT_EQ(refused({"reduce", "--from", "iex"}).substr(0, 41), "tally: --from: there is no 'iex' (did you");
}

TEST(written_numbers, units_stand_beside_numbers)
{
  std::string const table = "item,price\ntea,\"$1,234.50\"\ncup,-$5\npot,($2.00)\n";
  EXPECT_EQ(printed(decimal({"reduce", "--column", "price", "--unit", "$,()", "--thousands", ","}), table),
            "1227.50\n");
  EXPECT_EQ(printed({"app", "sort", "--unit", "%", "--unit", "ms"}, "7% 3ms"), "3\n7\n");
  EXPECT_EQ(printed({"scan", "--init", "$1", "--unit", "$"}, "$2"), "3\n");
  EXPECT_EQ(refused({"reduce", "--unit", "$"}, "5", 0), "");
  EXPECT_EQ(refused({"reduce", "--unit", "$"}, "5%", 1),
            "(standard input):1:1: found '5%', expected a number, perhaps with '$' beside it");
  for (char const* units : {"", "$,", "5", "-", ".x"})
    EXPECT_EQ(refused({"reduce", "--unit", units}),
              "tally: --unit: '" + std::string(units) +
                  "' is not a list of texts that may stand beside a number, such as '$,%'");
  EXPECT_EQ(refused({"reduce", "--unit", "s", "--type", "duration"}),
            "tally: --from, --thousands, --decimal-point and --unit are for numbers, not for --type time or duration");
}

TEST(written_numbers, styles_of_the_output)
{
  EXPECT_EQ(printed({"reduce", "--precision", "2", "--op", "sum,mean,count,argmin"}, "1 2 4"),
            "sum\t7.00\nmean\t2.33\ncount\t3\nargmin\t0\n");
  EXPECT_EQ(printed({"scan", "--precision", "1"}, "0.25 0.5 1"), "0.2\n0.8\n1.8\n");
  EXPECT_EQ(printed({"reduce", "--grouping", ",", "--precision", "1"}, "1234567"), "1,234,567.0\n");
  EXPECT_EQ(printed({"reduce", "--grouping", ",", "--format", "csv"}, "1234567"), "sum\n\"1,234,567\"\n");
  EXPECT_EQ(printed({"reduce", "--grouping", ",", "--json"}, "1234567"), "{\"sum\":\"1,234,567\"}\n");
  EXPECT_EQ(printed({"reduce", "--precision", "1", "--json"}, "1 nan"), "{\"sum\":\"nan\"}\n");
  EXPECT_EQ(printed({"scan", "--to", "si", "--json"}, "1000 1"), "{\"op\":\"sum\",\"values\":[\"1K\",\"1K\"]}\n");
  EXPECT_EQ(printed({"reduce", "--to", "si", "--format", "jsonl"}, "1500"), "{\"sum\":\"1.5K\"}\n");
  EXPECT_EQ(printed({"scan", "--precision", "2", "--format", "markdown"}, "1 2"),
            "| sum |\n| ---: |\n| 1.00 |\n| 3.00 |\n");
  EXPECT_EQ(printed({"reduce", "--precision", "2", "--format", "table"}, "1 2"), " sum\n3.00\n");
  EXPECT_EQ(printed(decimal({"reduce", "--precision", "1"}), "0.25 0.1"), "0.4\n");
  EXPECT_EQ(printed({"scan", "--decimal-point", ",", "--format", "csv"}, "0,5"), "sum\n\"0,5\"\n");
  EXPECT_EQ(refused({"reduce", "--precision", "31"}), "tally: --precision: 31 is too large; at most 30");
  EXPECT_EQ(refused({"scan", "--precision", "1", "--format", "npy"}),
            "tally: --precision, --to, --grouping and --decimal-point are for results in text");
  EXPECT_EQ(refused({"reduce", "--grouping", "."}), "tally: --grouping and the decimal point are both '.'");
  EXPECT_EQ(refused({"reduce", "--grouping", ",", "--to", "hex"}),
            "tally: --to hex has no groups of thousands: not with --grouping");
}

}  // namespace
}  // namespace tally::test
