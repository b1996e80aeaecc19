#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "application.hpp"
#include "tool.hpp"

/// The applications about numbers: `tally app pi`, `integral`, `cdf`, `recurrence` and `polynomial`.
namespace tally::test {
namespace {

std::string printed(words const& all, std::string_view input = {})
{
  outcome const result = app(all, input);
  EXPECT_EQ(result.status, 0) << result.err;
  return result.out;
}

TEST(app_pi, prints_the_courses_values)
{
  std::string const all = printed({"pi"});
  EXPECT_NE(all.find("trapezoids, one by one              3.1429331  +1.3e-03  3.141592650492  -3.1e-09\n"),
            std::string::npos)
      << all;
  EXPECT_NE(all.find("trapezoids, reduced                 3.1415927  "), std::string::npos) << all;
  EXPECT_NE(all.find("\nSimpson's rule "), std::string::npos) << all;
  expect_usage_error({"pi", "--n", "0"}, "--n: '0' is not a whole number from 1 on");
}

TEST(app_integral, of_samples)
{
  EXPECT_EQ(printed({"integral", "--step", "0.5"}, "0 0.25 1 2.25 4"), "2.6666666666666665\n");
  EXPECT_EQ(printed({"integral", "--rule", "trapezoidal"}, "1 2 4"), "4.5\n");
  EXPECT_EQ(printed({"integral", "--rule", "midpoint", "--column", "b"}, "a,b\n1,5\n1,6\n"), "11\n");
  EXPECT_EQ(printed({"integral"}, ""), "0\n");
  expect_error({"integral"}, "1 2\n3 x\n", 1, "(standard input):2:3: found 'x', expected a number");
  expect_usage_error({"integral", "--step", "inf"}, "--step: 'inf' is not a finite number");
  expect_usage_error({"integral", "--step", "wide"}, "--step: 'wide' is not a finite number");
}

using app_cdf = in_folder;

TEST_F(app_cdf, of_the_normal_distribution)
{
  EXPECT_EQ(printed({"cdf", "--summary"}),
            "points\t1024\nlast value\t0.999999427\nlargest error\t-2.2e-06\nat x near\t1.00\n");
  std::string const to = path("normal.csv"), picture = path("normal.svg");
  EXPECT_EQ(printed({"cdf", "--mean", "100", "--deviation", "15", "--points", "50", "-o", to, "--svg", picture}), "");
  std::string const table = read("normal.csv");
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 51);
  EXPECT_EQ(table.substr(0, 13), "x,pdf,cdf\n28,");
  EXPECT_EQ(read("normal.svg").substr(0, 5), "<svg ");
  EXPECT_EQ(printed({"cdf", "--normal"}, "1 2"), printed({"cdf", "--points", "1024"}));
  expect_usage_error({"cdf", "--deviation", "0"}, "--deviation: '0' is not above 0");
}

TEST_F(app_cdf, of_data)
{
  for (words const& all : {words{"cdf"}, words{"cdf", "-"}})
    EXPECT_EQ(printed(all, "3 1 2 2 10"), "value,count,cdf\n1,1,0.2\n2,3,0.6\n3,4,0.8\n10,5,1\n");
  std::string const data = file("data.csv", "n,t\n1,4\n2,-1\n3,7\n");
  EXPECT_EQ(printed({"cdf", "--column", "t", "--quantiles", "0,0.5,0.75,1", data}), "0\t-1\n0.5\t4\n0.75\t5.5\n1\t7\n");
  expect_error({"cdf", "-"}, "1\n2 nan", 1, "(standard input):2:3: found nan, expected numbers, which have an order");
  expect_error({"cdf", "-"}, "", 1, "(standard input): found no values, expected at least one");
  expect_error({"cdf", file("nan.csv", "n,t\n1,4\n2,nan\n"), "--column", "t"}, {}, 1,
               path("nan.csv") + ":3:3: found nan, expected numbers, which have an order");
  expect_usage_error({"cdf", "--quantiles", "1.5", data}, "--quantiles: 1.5 is no part from 0 to 1");
  expect_usage_error(
      {"cdf", "--mean", "1", data},
      "--normal, --mean, --deviation, --points and --summary are for the normal distribution, without data");
  expect_usage_error({"cdf", "--svg", "-"}, "--svg: standard output has the table; name a file for one of them");
}

using app_recurrence = in_folder;

TEST_F(app_recurrence, of_pairs_and_columns)
{
  EXPECT_EQ(printed({"recurrence", "--initial", "1000"}, "1.01 -180\n1.01 -180\n"), "830\n658.3\n");
  std::string const table = file("table.csv", "a,b\n0.5,1\n0.5,2\n2,3\n");
  EXPECT_EQ(printed({"recurrence", "--a", "a", "--b", "b", table}), "1\n2.5\n8\n");
  EXPECT_EQ(printed({"recurrence", "--backward", "--a", "a", "--b", "b", table}), "2.75\n3.5\n3\n");
  std::string const to = path("out.txt");
  EXPECT_EQ(printed({"recurrence", "--a", "a", "--b", "b", "-o", to, table}), "");
  EXPECT_EQ(read("out.txt"), "1\n2.5\n8\n");
  std::string growth;
  for (int k = 0; k < 3000; ++k) growth += "2 1\n";
  std::string const grown = printed({"recurrence"}, growth);
  EXPECT_EQ(grown.find("nan"), std::string::npos);
  EXPECT_TRUE(grown.ends_with("inf\ninf\n"));
  expect_error({"recurrence"}, "1 2 3", 1, "(standard input): found 3 values, expected pairs of a and b");
  expect_error({"recurrence", "--a", "a", "--b", "b", path("bad.csv")}, {}, 1,
               file("bad.csv", "a,b\n1,2\n1,y\n") + ":3:3: found 'y', expected a number");
  expect_usage_error({"recurrence", "--a", "a", table}, "--a and --b are given together");
  expect_usage_error({"recurrence", "--a", "a", "--b", "b"},
                     "--a and --b are read from a file; standard input can be read once only");
}

TEST_F(app_recurrence, of_a_filter)
{
  EXPECT_EQ(printed({"recurrence", "--coefficients", "1,-0.5"}, "1 0 0 0 0 0"), "1\n1\n0.5\n0\n-0.25\n-0.25\n");
  EXPECT_EQ(printed({"recurrence", "--coefficients", "2", "--initial", "3", "--backward"}, "0 1"), "14\n7\n");
  expect_usage_error({"recurrence", "--coefficients", "1,2", "--initial", "1"},
                     "--initial: there are 1 values, but 2 are needed");
  expect_usage_error({"recurrence", "--coefficients", "1,2,3,4,5,6,7,8,9"},
                     "--coefficients: 9 are too many; at most 8");
}

TEST_F(app_recurrence, of_a_sequence)
{
  EXPECT_EQ(printed({"recurrence", "--coefficients", "1,1", "--initial", "0,1", "--modulo", "10", "--count", "9"}),
            "0\n1\n1\n2\n3\n5\n8\n3\n1\n");
  expect_usage_error({"recurrence", "--modulo", "0", "--count", "3"},
                     "--modulo: '0' is not a whole number from 1 to 4294967296");
  expect_usage_error(
      {"recurrence", "--coefficients", "18446744073709551616", "--initial", "1", "--modulo", "2", "--count", "1"},
      "--coefficients: '18446744073709551616' is not a whole number from 0 to 2^64 - 1");
  expect_usage_error({"recurrence", "--modulo", "5"}, "--modulo and --count are given together");
}

TEST(app_polynomial, at_points)
{
  EXPECT_EQ(printed({"polynomial", "--coefficients=-6,11,-6,1", "--at", "0,1.5,4"}), "-6\n0.375\n6\n");
  EXPECT_EQ(printed({"polynomial", "--at", "10"}, "1 2 3"), "321\n");
  std::string const all = printed({"polynomial", "--compare", "--at", "2"}, "1 2 3");
  EXPECT_EQ(all, "x = 2\nHorner's rule, one by one\t17\t+0.0e+00\nHorner's rule as a reduction\t17\t+0.0e+00\n"
                 "powers by a scan, then a sum\t17\t+0.0e+00\n");
  expect_usage_error({"polynomial", "--coefficients", "1"}, "say --at which x the polynomial is to be evaluated");
  expect_usage_error({"polynomial", "--at", "1,", "--coefficients", "1"}, "--at: '' is not a finite number");
}

}  // namespace
}  // namespace tally::test
