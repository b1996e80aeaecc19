#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "run_application.hpp"
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
               file("bad.csv", "a,b\n1,2\n1,y\n") + ":3:3: found 'y', expected a number in column 'b'");
  expect_usage_error({"recurrence", "--a", "a", table}, "--a and --b are given together");
  EXPECT_EQ(printed({"recurrence", "--a", "a", "--b", "b", "--reverse", "--last"}, "b,a\n1,0.5\n2,0.5\n3,2\n"),
            "2.75\n");
  EXPECT_EQ(printed({"recurrence", "--last", "--initial", "4"}, ""), "4\n");
  EXPECT_EQ(printed({"recurrence", "--a", "a", "--b", "b", "--missing", "skip"}, "a,b\n0.5,1\n,7\n0.5,\n0.5,2\n"),
            "1\n2.5\n");
  EXPECT_EQ(printed({"recurrence", "--a", "a", "--b", "a", table}), "0.5\n0.75\n3.5\n");
  expect_usage_error({"recurrence", "--by", "a", table},
                     "--by is for the columns of a table: --a and --b, or --coefficients and --column");
}

TEST_F(app_recurrence, of_groups)
{
  // The keys are not sorted, and every group has the results of the recurrence of it alone.
  std::string const table =
      file("loans.csv", "loan,a,b,first\nx,0.5,1,8\ny,2,1,3\nx,0.5,2,0\ny,2,1,0\ny,2,-20,1\nz,1,1,-1\n");
  words const columns = {"recurrence", "--by", "loan", "--a", "a", "--b", "b", table};
  auto const with = [&](words more) {
    more.insert(more.begin(), columns.begin(), columns.end());
    return printed(more);
  };
  EXPECT_EQ(with({}), "1\n1\n2.5\n3\n-14\n1\n");
  EXPECT_EQ(with({"--initial", "8"}), "5\n17\n4.5\n35\n50\n9\n");
  EXPECT_EQ(with({"--initial-from", "first"}), "5\n7\n4.5\n15\n10\n0\n");
  EXPECT_EQ(with({"--initial-from", "first", "--last"}), "x\t4.5\ny\t10\nz\t0\n");
  EXPECT_EQ(with({"--initial-from", "first", "--reverse"}), "2\n-69\n2\n-35\n-18\n0\n");
  EXPECT_EQ(with({"--reverse", "--last"}), "x\t2\ny\t-77\nz\t1\n");
  EXPECT_EQ(printed({"recurrence", "--by", "loan", "--coefficients", "1,0.5", "--column", "b", table}),
            "1\n1\n3\n2\n-17.5\n1\n");
  EXPECT_EQ(printed({"recurrence", "--by", "loan", "--coefficients", "1,0.5", "--column", "b", "--last", table}),
            "x\t3\t1\ny\t-17.5\t2\nz\t1\t0\n");
  std::string const sorted = file("sorted.csv", "k,a,b\nx,0.5,1\nx,0.5,2\ny,2,1\n");
  EXPECT_EQ(printed({"recurrence", "--by", "k", "--a", "a", "--b", "b", sorted}), "1\n2.5\n1\n");
  EXPECT_EQ(printed({"recurrence", "--by", "k", "--a", "a", "--b", "b"}, "k,a,b\n"), "");
  expect_usage_error(
      {"recurrence", "--by", "loan", "--coefficients", "1,1", "--column", "b", "--initial-from", "first", table},
      "--initial-from: a column has one value for each sequence, but 2 are needed");
  expect_usage_error({"recurrence", "--a", "a", "--b", "2-4", table},
                     "--a, --b, --column and --initial-from name 3 columns; each names one");
  expect_usage_error({"recurrence", "--a", "a", "--b", "b", "--initial", "1", "--initial-from", "first", table},
                     "--initial and --initial-from exclude each other");
}

TEST_F(app_recurrence, along_an_axis)
{
  auto const array = [&](std::string const& name, std::string const& shape, std::vector<double> const& values,
                         bool fortran = false) { return file(name, npy("<f8", shape, bytes_of(values), fortran)); };
  std::string const b = array("b.npy", "(2, 3)", {1, 2, 3, 4, 5, 6});
  std::string const turned = array("turned.npy", "(2, 3)", {1, 4, 2, 5, 3, 6}, true);
  std::string const of_rows = array("rows.npy", "(2, 1)", {0.5, 2}),
                    of_columns = array("columns.npy", "(3,)", {0, 1, 2});
  for (std::string const& file : {b, turned}) {
    EXPECT_EQ(printed({"recurrence", "--axis", "1", of_rows, file}), "1\t2.5\t4.25\n4\t13\t32\n");
    EXPECT_EQ(printed({"recurrence", "--axis", "-1", "--reverse", of_rows, file}), "2.75\t3.5\t3\n38\t17\t6\n");
    EXPECT_EQ(printed({"recurrence", "--axis", "0", of_columns, file}), "1\t2\t3\n4\t7\t12\n");
    EXPECT_EQ(printed({"recurrence", "--axis", "0", "--last", "--initial", "1", of_columns, file}), "4\n8\n16\n");
    std::string const states = array("states.npy", "(2,)", {2, -1});
    EXPECT_EQ(printed({"recurrence", "--axis", "1", "--initial-from", states, of_rows, file}), "2\t3\t4.5\n2\t9\t24\n");
    EXPECT_EQ(printed({"recurrence", "--axis", "1", "--coefficients", "1,0.5", file}), "1\t3\t6.5\n4\t9\t17\n");
    for (std::string const& two :
         {array("two.npy", "(2, 2)", {1, 2, 0, 4}), array("owt.npy", "(2, 2)", {1, 0, 2, 4}, true)})
      EXPECT_EQ(
          printed({"recurrence", "--axis", "1", "--coefficients", "1,0.5", "--initial-from", two, "--last", file}),
          "10\t5.5\n20\t11\n");
  }
  // The result is an array in the order of b, and goes on from the last states.
  std::string const out = path("out.npy");
  printed({"recurrence", "--axis", "1", "-o", out, of_rows, turned});
  std::string const written = read("out.npy");
  EXPECT_NE(written.find("'fortran_order': True, 'shape': (2, 3)"), std::string::npos);
  EXPECT_TRUE(written.ends_with(bytes_of(std::vector<double>{1, 4, 2.5, 13, 4.25, 32})));
  printed({"recurrence", "--axis", "1", "--last", "-o", out, of_rows, b});
  EXPECT_EQ(printed({"recurrence", "--axis", "1", "--initial-from", out, of_rows, array("more.npy", "(2, 1)", {1, 1})}),
            "3.125\n65\n");
  std::string const integers = file("integers.npy", npy("<i4", "(3,)", bytes_of(std::vector<std::int32_t>{1, 2, 3})));
  EXPECT_EQ(printed({"recurrence", "--axis", "0", "--last", integers, integers}), "15\n");

  expect_error({"recurrence", "--axis", "1", of_columns, of_rows}, {}, 1,
               of_columns +
                   ": found an array of shape (3,), expected the shape of b, or one that repeats to an array of "
                   "shape (2,1,) as in NumPy");
  expect_error({"recurrence", "--axis", "0", "--initial-from", of_rows, of_columns, b}, {}, 1,
               of_rows + ": found an array of shape (2,1,), expected the states before: an array of shape (3,)");
  expect_error({"recurrence", "--axis", "2", of_rows, b}, {}, 1,
               b + ": found an array of 2 axes, expected one that has an axis 2");
  expect_usage_error({"recurrence", "--axis", "0", b}, "--axis: two files are needed, a.npy and b.npy");
  expect_usage_error({"recurrence", "--axis", "0", b, "x.txt"}, "--axis: x.txt is no .npy file");
  expect_usage_error({"recurrence", "--axis", "0,1", of_rows, b}, "--axis: a recurrence goes along one axis");
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
