#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "accumulators/accumulator.hpp"
#include "accumulators/pairs.hpp"
#include "tool.hpp"

/// Operations of two columns, and weights: as accumulators against slow formulas, and by the tool.
namespace tally::test {
namespace {

using cli::operation;
using io::element_type;

std::unique_ptr<cli::accumulator> of_pairs(operation op, std::size_t window = 0, bool weighted = false)
{
  return cli::make_accumulator(
      {.op = op, .type = element_type::float64, .init = {}, .threads = 1, .window = window, .weighted = weighted});
}

/// n pairs x, y that lie near a line, far from 0.
std::vector<double> some_pairs(std::size_t n)
{
  std::vector<double> pairs;
  std::uint64_t state = 3;
  auto const noise = [&] {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<double>(state >> 40) / 0x1p24 - 0.5;
  };
  for (std::size_t k = 0; k < n; ++k) {
    double const x = 1e6 + 10 * noise();
    pairs.push_back(x);
    pairs.push_back(-2e6 - 3 * x + 8 * noise());
  }
  return pairs;
}

/// In two passes, with long doubles.
struct slow_figures {
  double covariance;
  double correlation;
};
slow_figures slowly(std::span<double const> pairs)
{
  std::size_t const n = pairs.size() / 2;
  long double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
  for (std::size_t k = 0; k < n; ++k) {
    x += static_cast<long double>(pairs[2 * k]) / static_cast<long double>(n);
    y += static_cast<long double>(pairs[2 * k + 1]) / static_cast<long double>(n);
  }
  for (std::size_t k = 0; k < n; ++k) {
    long double const dx = pairs[2 * k] - x, dy = pairs[2 * k + 1] - y;
    xx += dx * dx;
    yy += dy * dy;
    xy += dx * dy;
  }
  return {static_cast<double>(xy / static_cast<long double>(n - 1)), static_cast<double>(xy / std::sqrt(xx * yy))};
}

TEST(pairs, are_those_of_slow_formulas_in_every_cut)
{
  std::vector<double> const values = some_pairs(20'000);
  slow_figures const slow = slowly(values);
  for (operation const op : {operation::covariance, operation::correlation}) {
    auto const whole = of_pairs(op);
    whole->reduce(std::span<double const>(values));
    double const found = std::get<double>(whole->value());
    double const expected = op == operation::covariance ? slow.covariance : slow.correlation;
    EXPECT_NEAR(found, expected, 1e-12 * std::abs(expected)) << name_of(op);
    cli::value_buffer scanned;
    for (std::size_t const piece : {2U, 62U, 64U, 8190U, 8192U, 8194U}) {
      auto const cut = of_pairs(op), scan = of_pairs(op);
      double last = 0;
      for (std::size_t first = 0; first < values.size(); first += piece) {
        auto const part = std::span<double const>(values).subspan(first, std::min(piece, values.size() - first));
        cut->reduce(part);
        scan->scan(part, cli::scan_kind::inclusive, scanned);
        auto const results = std::get<std::span<double const>>(scanned.view());
        ASSERT_EQ(results.size(), part.size());
        last = results.back();
        EXPECT_TRUE(part.size() == values.size() || results[0] == results[1] || std::isnan(results[0]));
      }
      EXPECT_EQ(std::get<double>(cut->value()), found) << name_of(op) << " in pieces of " << piece;
      EXPECT_EQ(last, found) << name_of(op) << ", scanned in pieces of " << piece;
    }
    whole->restart();
    EXPECT_TRUE(std::isnan(std::get<double>(whole->value())));
  }
}

TEST(pairs, in_windows)
{
  std::vector<double> const values = some_pairs(200);
  for (std::size_t const window : {1U, 2U, 3U, 50U, 200U, 201U}) {
    auto const state = of_pairs(operation::covariance, window);
    cli::value_buffer out;
    state->scan(std::span<double const>(values), cli::scan_kind::inclusive, out);
    auto const results = std::get<std::span<double const>>(out.view());
    for (std::size_t k = 0; k < 200; ++k) {
      std::size_t const first = k + 1 < window ? 0 : k + 1 - window;
      double const expected = slowly(std::span(values).subspan(2 * first, 2 * (k + 1 - first))).covariance;
      if (k == first)
        EXPECT_TRUE(std::isnan(results[2 * k]));
      else
        EXPECT_NEAR(results[2 * k], expected, 1e-9 * std::abs(expected)) << window << " at " << k;
    }
  }
}

TEST(pairs, a_correlation_is_exact_where_it_can_be)
{
  auto const correlation = [](std::vector<double> const& values) {
    auto const state = of_pairs(operation::correlation);
    state->reduce(std::span<double const>(values));
    return std::get<double>(state->value());
  };
  std::vector<double> same, opposite;
  for (double const value : {0.1, 0.7, 1.3, 1e-3, 5.5}) {
    same.insert(same.end(), {value, value});
    opposite.insert(opposite.end(), {value, -value});
  }
  EXPECT_EQ(correlation(same), 1);
  EXPECT_EQ(correlation(opposite), -1);
  for (double const scale : {1e-160, 1e-150, 1e150}) {  // squares near the ends of doubles
    EXPECT_NEAR(correlation({1 * scale, 1, 2 * scale, 2, 3 * scale, 3}), 1, 1e-15) << scale;
    EXPECT_NEAR(correlation({1 * scale, 1 * scale, 2 * scale, 3 * scale, 3 * scale, 2 * scale}), 0.5, 1e-15) << scale;
  }
  EXPECT_TRUE(std::isnan(correlation({1, 5, 2, 5, 3, 5})));
  EXPECT_TRUE(std::isnan(correlation({1, 2})));
  EXPECT_TRUE(std::isnan(correlation({1, 2, INFINITY, 3, 4, 4})));
  EXPECT_TRUE(std::isnan(correlation({1, 2, NAN, 3, 4, 4})));
}

class pair_tables : public in_folder {
protected:
  std::string run(words const& arguments)
  {
    outcome const result = run_tool(arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    return result.out;
  }
};

char const measured[] = "k,x,y,w\na,1,2,1\nb,2,1,3\na,3,4,2\nb,4,8,0\na,8,3,5\n";

TEST_F(pair_tables, covariance_and_correlation)
{
  std::string const path = file("m.csv", measured);
  EXPECT_EQ(run({"reduce", "--op", "covariance", "--column", "x,y", path}), "1.7999999999999998\n");
  EXPECT_EQ(run({"covariance", "--column", "y", "--column", "x", path}), "1.7999999999999998\n");
  EXPECT_EQ(run({"correlation,covariance", "--column", "x:y", path}),
            "correlation\t0.24657534246575338\ncovariance\t1.7999999999999998\n");
  EXPECT_EQ(run({"covariance", "--column", "x,y", "--by", "k", path}), "a\t1\nb\t7\n");
  EXPECT_EQ(run({"scan", "--op", "covariance", "--column", "x,y", path}), "nan\n-0.5\n1\n3.5\n1.7999999999999998\n");
  EXPECT_EQ(run({"scan", "--op", "covariance", "--column", "x,y", "--by", "k", path}), "nan\nnan\n2\n7\n1\n");
  EXPECT_EQ(run({"scan", "--op", "covariance", "--column", "x,y", "--by", "k", "--append", path}),
            "k,x,y,w,x_y_covariance\na,1,2,1,nan\nb,2,1,3,nan\na,3,4,2,2\nb,4,8,0,7\na,8,3,5,1\n");
  EXPECT_EQ(run({"scan", "--op", "covariance", "--column", "x,y", "--reverse", path}),
            "1.8\n0.6666666666666666\n-3.5\n-10\nnan\n");
  EXPECT_EQ(run({"scan", "--op", "covariance", "--column", "x,y", "--window", "2", path}), "nan\n-0.5\n1.5\n2\n-10\n");
  EXPECT_EQ(run({"scan", "--op", "covariance", "--column", "x,y", "--format", "csv", path}),
            "covariance\nnan\n-0.5\n1\n3.5\n1.7999999999999998\n");
  EXPECT_EQ(run({"covariance", "--column", "x,y", file("none.csv", "x,y\n")}), "nan\n");
  EXPECT_EQ(run({"covariance", "--column", "x,y", "--type", "int8", path}), "1.7999999999999998\n");
  EXPECT_EQ(run({"covariance", "--column", "x,y", "--type", "f32", "--by", "k", path}), "a\t1\nb\t7\n");
}

TEST_F(pair_tables, weights)
{
  std::string const path = file("m.csv", measured);
  EXPECT_EQ(run({"mean", "--column", "x", "--weights", "w", path}), "4.818181818181818\n");
  EXPECT_EQ(run({"sum", "--column", "x", "--weights", "w", path}), "53\n");
  EXPECT_EQ(run({"sum,mean", "--column", "x,y", "--weights", "w", path}),
            "column\tsum\tmean\nx\t53\t4.818181818181818\ny\t28\t2.5454545454545454\n");
  EXPECT_EQ(run({"sum", "--all", "--weights", "4", "--by", "k", path}), "k\tx_sum\ty_sum\na\t47\t25\nb\t6\t3\n");
  EXPECT_EQ(run({"mean", "--column", "x", "--weights", "w", "--by", "k", path}), "a\t5.875\nb\t2\n");
  EXPECT_EQ(run({"scan", "--column", "x", "--weights", "w", path}), "1\n7\n13\n13\n53\n");
  EXPECT_EQ(run({"scan", "--column", "x", "--weights", "w", "--reverse", "--op", "mean", "--by", "k", path}),
            "5.875\n2\n6.571428571428571\nnan\n8\n");
  EXPECT_EQ(run({"scan", "--column", "x", "--weights", "w", "--exclusive", "--init", "7", path}), "7\n8\n14\n20\n20\n");
  EXPECT_EQ(run({"scan", "--op", "mean", "--column", "x", "--weights", "w", "--window", "2", path}),
            "1\n1.75\n2.4\n3\n8\n");
  EXPECT_EQ(run({"scan", "--column", "x,y", "--weights", "w", "--append", path}),
            "k,x,y,w,x_sum,y_sum\na,1,2,1,1,2\nb,2,1,3,7,5\na,3,4,2,13,13\nb,4,8,0,13,13\na,8,3,5,53,28\n");
  EXPECT_EQ(run({"scan", "--column", "x", "--weights", "w", "-o", path + ".raw", path}), "");
  EXPECT_EQ(values_of<double>(read("m.csv.raw")), (std::vector<double>{1, 7, 13, 13, 53}));
  EXPECT_EQ(run_tool(words{"mean", "--column", "5", "--weights", "2"}, "-rw- 1 a b 10 x\n-rw- 3 a b 2 y\n").out, "4\n");
  EXPECT_EQ(run({"mean", "--column", "x", "--weights", "w", file("none.csv", "x,w\n")}), "nan\n");
  EXPECT_EQ(run({"sum", "--column", "x", "--weights", "w", "--on", "gpu", file("none.csv", "x,w\n")}), "0\n");
}

TEST_F(pair_tables, rows_where_one_is_missing_are_left_out)
{
  std::string const path = file("m.csv", "k,x,w\na,1,2\nb,,3\na,4,\nb,,\na,5,6\nb,7,1\nb,,9\n");
  words const skip = {"--column", "x", "--weights", "w", "--missing", "skip", path};
  auto const with = [&](words before) {
    before.insert(before.end(), skip.begin(), skip.end());
    return run(before);
  };
  EXPECT_EQ(with({"sum"}), "39\n");
  EXPECT_EQ(with({"mean", "--by", "k"}), "a\t4\nb\t7\n");
  EXPECT_EQ(with({"scan"}), "2\n32\n39\n");
  EXPECT_EQ(with({"scan", "--by", "k"}), "2\n32\n7\n");
  EXPECT_EQ(with({"scan", "--by", "k", "--reverse"}), "32\n30\n7\n");
  EXPECT_EQ(with({"scan", "--append", "--by", "k"}),
            "k,x,w,x_sum\na,1,2,2\nb,,3,\na,4,,\nb,,,\na,5,6,32\nb,7,1,7\nb,,9,\n");
  EXPECT_EQ(run_tool(words{"sum", "--column", "x", "--weights", "w", "--missing", "skip", "--count-missing", path}).err,
            "tally: column 'x': 3 of 7 cells are missing\ntally: column 'w': 2 of 7 cells are missing\n");
  EXPECT_EQ(run({"sum", "--column", "x", "--weights", "w", "--missing", "skip", file("n.csv", "x,w\n1,\n,2\n")}),
            "0\n");
  // Half of the rows of two values: as many values as rows.
  EXPECT_EQ(run({"scan", "--column", "x", "--weights", "w", "--by", "k", "--missing", "skip",
                 file("h.csv", "k,x,w\na,,1\nb,2,3\n")}),
            "6\n");
}

TEST_F(pair_tables, integers_are_exact)
{
  std::string const wide = file("w.csv", "x,w\n9223372036854775807,9223372036854775807\n1,-1\n");
  EXPECT_EQ(run({"sum", "--column", "x", "--weights", "w", wide}), "85070591730234615847396907784232501248\n");
  EXPECT_EQ(run({"sum", "--column", "x", "--weights", "w", file("d.csv", "x,w\n1,2\n3,0.5\n2,1\n")}), "5.5\n");
  std::string const reals = file("r.csv", "x,w\n9007199254740993,1\n1.5,1\n");
  EXPECT_EQ(run({"scan", "--column", "x", "--weights", "w", reals}), "9007199254740993\n9007199254740994\n");
  std::string rows = "k,x,w\n";
  for (int k = 0; k < 3; ++k) rows += "a,9223372036854775807,9223372036854775807\n";
  std::string const over = file("o.csv", rows);
  for (words const& command : {words{"sum"}, {"scan"}, {"sum", "--by", "k"}, {"scan", "--by", "k"}}) {
    words all = command;
    for (std::string const word : {"--column", "x", "--weights", "w"}) all.push_back(word);
    all.push_back(over);
    EXPECT_EQ(run_tool(all).err.substr(0, over.size() + 5), over + ":4:3:") << command.size();
  }
}

// The first pairs of a group are held, and small groups are reduced at the end.
TEST_F(pair_tables, groups_of_every_size_are_those_of_the_rows_alone)
{
  std::string rows = "k,x,w\n";
  std::vector<std::string> alone(70, "x,w\n");
  for (unsigned k = 0; k < 70; ++k) {
    for (unsigned size = k; size < 70; ++size) {
      std::string const pair = std::to_string(k * 37 % 101) + (k < 40 ? "," : ".25,") + std::to_string(size % 7) + "\n";
      rows += std::to_string(size) + "," + pair;
      alone[size] += pair;
    }
  }
  std::string const path = file("g.csv", rows);
  words const asked = {"--column", "x,w"};
  std::string const sums = run({"mean", "--column", "x", "--weights", "w", "--by", "k", "--sort", "key", path});
  std::string const figures = run({"covariance", "--column", "x,w", "--by", "k", "--sort", "key", path});
  EXPECT_EQ(run({"covariance", "--column", "x,w", "--by", "k", "--sort", "key", "--memory", "5K", path}), figures);
  EXPECT_EQ(run({"mean", "--column", "x", "--weights", "w", "--by", "k", "--sort", "key", "--memory", "5K", path}),
            sums);
  for (unsigned const size : {0U, 30U, 31U, 32U, 33U, 69U}) {
    std::string const one = file("one.csv", alone[size]), key = std::to_string(size) + "\t";
    EXPECT_NE(("\n" + figures).find("\n" + key + run({"covariance", "--column", "x,w", one})), std::string::npos);
    EXPECT_NE(("\n" + sums).find("\n" + key + run({"mean", "--column", "x", "--weights", "w", one})),
              std::string::npos);
  }
}

TEST_F(pair_tables, wrong_command_lines)
{
  std::string const path = file("m.csv", measured);
  auto const wrong = [&](words before) {
    before.push_back(path);
    outcome const done = run_tool(before);
    EXPECT_EQ(done.status, 2);
    return done.err.substr(0, done.err.find('\n'));
  };
  EXPECT_EQ(wrong({"correlation"}), "tally: --op correlation is of two columns of a table: --column X,Y");
  EXPECT_EQ(wrong({"correlation", "--column", "x"}),
            "tally: --op correlation is of two columns (--column X,Y), and 1 is chosen");
  EXPECT_EQ(wrong({"correlation", "--column", "x,y,w"}),
            "tally: --op correlation is of two columns (--column X,Y), and 3 are chosen");
  EXPECT_EQ(wrong({"reduce", "--op", "mean,correlation", "--column", "x,y"}),
            "tally: --op correlation is of two columns, and mean of one: a call for each of them");
  EXPECT_EQ(wrong({"max", "--column", "x", "--weights", "w"}),
            "tally: --weights is for the operations sum and mean, not for max");
  EXPECT_EQ(wrong({"mean", "--column", "x", "--weights", "w,y"}), "tally: --weights: found 'w,y', expected one column");
  EXPECT_EQ(wrong({"corr", "--column", "x,y"}), "tally: there is no command 'corr' (did you mean 'correlation'?)");
  EXPECT_EQ(wrong({"scan", "--op", "covariance", "--exclusive", "--column", "x,y"}),
            "tally: --exclusive: covariance has no result before the first value");
  EXPECT_EQ(run_tool(words{"mean", "--column", "x", "--weights", "q", path}).err,
            path + ":1: found 4 columns: 'k', 'x', 'y', 'w', expected one called 'q'\n");
}

}  // namespace
}  // namespace tally::test
