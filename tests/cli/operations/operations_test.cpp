#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "accumulators/accumulator.hpp"
#include "io/numbers/number.hpp"
#include "operations/operation.hpp"
#include "sorting/ordered_values.hpp"
#include "sorting/value_store.hpp"
#include "tool.hpp"

/// The operations that are more than an operator: quantiles and their like, other means, shape; as accumulators,
/// against slow formulas, and by the tool.
namespace tally::test::operations {
namespace {

using cli::int128;
using cli::result;
using io::element_type;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

std::string text(result const& value)
{
  return cli::to_text(value);
}

/// The values of an operation, given in pieces of `piece`, with at most `memory` bytes of sorted values held.
template <class T>
result reduced(std::string const& op, std::vector<T> const& values, std::size_t piece = 1000,
               std::size_t memory = 1 << 20, std::optional<element_type> type = {})
{
  auto const store = std::make_shared<cli::value_store>(memory, cpu{.threads = 2});
  auto const state = cli::make_accumulator({.op = cli::operation_named(op),
                                            .type = type,
                                            .init = {},
                                            .threads = 1,
                                            .in_order = std::make_shared<cli::sorted_values>(store)});
  for (std::size_t first = 0; first < values.size(); first += piece)
    state->reduce(std::span<T const>(values).subspan(first, std::min(piece, values.size() - first)));
  return state->value();
}

/// Numbers from -range to range, many of them several times.
std::vector<std::int64_t> some_integers(std::size_t n, std::int64_t range)
{
  std::vector<std::int64_t> out(n);
  std::uint64_t state = 7 + n;
  for (std::int64_t& value : out) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    value = static_cast<std::int64_t>((state >> 20) % static_cast<std::uint64_t>(2 * range + 1)) - range;
  }
  return out;
}

/// The exact fraction numerator/denominator as the tool prints it.
std::string printed(int128 numerator, int128 denominator)
{
  if (numerator % denominator == 0) return text(numerator / denominator);
  return text(static_cast<double>(static_cast<long double>(numerator) / static_cast<long double>(denominator)));
}

/// The quantile at share/denominator of integers, exact.
std::string quantile_of(std::vector<std::int64_t> values, int128 share, int128 denominator)
{
  std::ranges::sort(values);
  int128 const position = static_cast<int128>(values.size() - 1) * share;
  auto const place = static_cast<std::size_t>(position / denominator);
  int128 const rest = position % denominator;
  if (rest == 0) return text(int128{values[place]});
  return printed(values[place] * denominator + (int128{values[place + 1]} - values[place]) * rest, denominator);
}

constexpr std::size_t memories[] = {1, 40, 1000, 1 << 20};

TEST(quantiles, of_integers_are_exact_whatever_is_held)
{
  for (std::size_t const n : {1U, 2U, 3U, 4U, 10U, 11U, 100U, 1999U}) {
    std::vector<std::int64_t> const values = some_integers(n, n % 3 == 0 ? 4000000000000000000 : 50);
    for (std::size_t const memory : memories) {
      if (memory == 1 && n > 100) continue;  // each piece would be a run of its own
      EXPECT_EQ(text(reduced("median", values, 13, memory)), quantile_of(values, 1, 2)) << n << ' ' << memory;
      EXPECT_EQ(text(reduced("quantile:0.9", values, 13, memory)), quantile_of(values, 9, 10)) << n << ' ' << memory;
      EXPECT_EQ(text(reduced("p99.9", values, 13, memory)), quantile_of(values, 999, 1000)) << n << ' ' << memory;
      EXPECT_EQ(text(reduced("p0", values, 13, memory)), text(int128{*std::ranges::min_element(values)}));
      EXPECT_EQ(text(reduced("quantile:1", values, 13, memory)), text(int128{*std::ranges::max_element(values)}));
    }
  }
}

TEST(quantiles, of_doubles_lie_between_two_values)
{
  std::vector<double> values;
  for (std::int64_t const value : some_integers(1001, 1000000)) values.push_back(static_cast<double>(value) / 7);
  std::vector<double> sorted = values;
  std::ranges::sort(sorted);
  for (std::size_t const memory : memories) {
    if (memory == 1) continue;
    EXPECT_EQ(reduced("median", values, 17, memory), result(sorted[500]));
    EXPECT_EQ(reduced("p10", values, 17, memory), result(sorted[100]));
    double const expected = static_cast<double>(sorted[997] + 0.5L * (sorted[998] - sorted[997]));
    EXPECT_NEAR(std::get<double>(reduced("p99.75", values, 17, memory)), expected, 1e-9);
  }
}

TEST(quantiles, of_special_values)
{
  EXPECT_EQ(text(reduced<double>("median", {})), "nan");
  EXPECT_EQ(text(reduced<double>("median", {1, not_a_number, 2})), "nan");
  EXPECT_EQ(text(reduced<double>("p0", {1, not_a_number, 2})), "nan") << "as in NumPy";
  EXPECT_EQ(text(reduced<double>("median", {-infinity, 1, 2, infinity})), "1.5");
  EXPECT_EQ(text(reduced<double>("median", {1, infinity})), "inf");
  EXPECT_EQ(text(reduced<double>("median", {infinity, infinity})), "inf");
  EXPECT_EQ(text(reduced<double>("median", {-infinity, infinity})), "nan");
  EXPECT_EQ(text(reduced<double>("median", {1.6e308, -1.6e308})), "0") << "the distance overflows, not the median";
  EXPECT_EQ(text(reduced<double>("median", {1.6e308, 1.7e308})), "1.6499999999999999e+308") << "the nearest double";
  EXPECT_EQ(text(reduced<std::int64_t>(
                "median", {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()})),
            "-0.5");
  int128 const wide = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(text(reduced<int128>("median", {wide * wide, wide * wide + 2, 0, 7, -1, wide * wide + 3, wide * wide + 4})),
            text(wide * wide));
  EXPECT_EQ(text(reduced<std::uint64_t>("median", {std::uint64_t{18446744073709551615U}}, 1, 8, element_type::uint64)),
            "18446744073709551615");
  EXPECT_EQ(reduced<float>("median", {0.1F, 0.7F, 0.2F}, 1, 8, element_type::float32), result(0.2F));
}

TEST(quantiles, are_doubles_from_the_first_value_on_that_is_no_integer)
{
  auto const store = std::make_shared<cli::value_store>(24, cpu{});
  auto const shared = std::make_shared<cli::sorted_values>(store);
  auto const state = [&](char const* op) {
    return cli::make_accumulator(
        {.op = cli::operation_named(op), .type = {}, .init = {}, .threads = 1, .in_order = shared});
  };
  auto const median = state("median"), most = state("quantile:1"), different = state("distinct");
  std::int64_t const integers[] = {9007199254740993, 5, 9007199254740992, 4, 1};
  double const others[] = {-0.5, 0.25, 0.25};
  for (auto const& one : {&median, &most, &different}) {
    (*one)->reduce(std::span<std::int64_t const>(integers));
    EXPECT_EQ(shared->size(), 5U) << "the first operation appends, and the others see its values";
  }
  EXPECT_EQ(text(median->value()), "5");
  EXPECT_EQ(text(most->value()), "9007199254740993");
  EXPECT_EQ(text(different->value()), "5");
  median->reduce(std::span<double const>(others));
  EXPECT_EQ(text(median->value()), "2.5");
  EXPECT_EQ(text(most->value()), "9007199254740992");
  EXPECT_EQ(text(different->value()), "6");
  median->restart();
  median->reduce(std::span<std::int64_t const>(integers).first(2));
  EXPECT_EQ(text(most->value()), "9007199254740993");
}

TEST(quantiles, of_sequences_that_share_memory_do_not_mix)
{
  auto const store = std::make_shared<cli::value_store>(256, cpu{});
  std::vector<std::unique_ptr<cli::accumulator>> all;
  std::vector<std::vector<std::int64_t>> given(5);
  for (std::size_t k = 0; k < given.size(); ++k)
    all.push_back(cli::make_accumulator({.op = cli::operation::median,
                                         .type = {},
                                         .init = {},
                                         .threads = 1,
                                         .in_order = std::make_shared<cli::sorted_values>(store)}));
  std::size_t to = 0;
  for (std::int64_t const value : some_integers(3000, 1000000000000)) {
    to = (to * 7 + 3 + static_cast<std::size_t>(value & 1)) % given.size();
    given[to].push_back(value);
    all[to]->reduce(std::span<std::int64_t const>(&value, 1));
  }
  all.erase(all.begin() + 1);
  given.erase(given.begin() + 1);
  for (std::size_t k = 0; k < given.size(); ++k) EXPECT_EQ(text(all[k]->value()), quantile_of(given[k], 1, 2));
}

TEST(deviation, is_that_of_sorted_distances)
{
  for (std::size_t const n : {1U, 2U, 3U, 50U, 1001U}) {
    std::vector<std::int64_t> const values = some_integers(n, 40);
    std::vector<std::int64_t> sorted = values;
    std::ranges::sort(sorted);
    std::int64_t const twice_median = sorted[(n - 1) / 2] + sorted[n / 2];
    std::vector<std::int64_t> twice;
    for (std::int64_t const value : values) twice.push_back(std::abs(2 * value - twice_median));
    std::ranges::sort(twice);
    std::string const expected = printed(twice[(n - 1) / 2] + twice[n / 2], 4);
    std::vector<double> const doubles(values.begin(), values.end());
    for (std::size_t const memory : {std::size_t{500}, std::size_t{1} << 20}) {
      EXPECT_EQ(text(reduced("mad", values, 11, memory)), expected) << n;
      EXPECT_EQ(text(reduced("mad", doubles, 11, memory)), expected) << n;
    }
  }
  EXPECT_EQ(text(reduced<double>("mad", {})), "nan");
  EXPECT_EQ(text(reduced<double>("mad", {1, 2, infinity})), "1");
  EXPECT_EQ(text(reduced<double>("mad", {1, infinity, infinity})), "nan");
  EXPECT_EQ(text(reduced<double>("mad", {1, not_a_number})), "nan");
  int128 const wide = int128{1} << 126;
  EXPECT_EQ(text(reduced<int128>("mad", {-wide, wide, 0})), "8.507059173023462e+37");
}

TEST(interquartile_range, is_that_of_the_quantiles)
{
  for (std::size_t const n : {1U, 2U, 3U, 4U, 50U, 1001U}) {
    std::vector<std::int64_t> const values = some_integers(n, 40);
    std::vector<std::int64_t> sorted = values;
    std::ranges::sort(sorted);
    auto const four_times = [&](std::size_t quarters) {
      std::size_t const at = (n - 1) * quarters / 4, rest = (n - 1) * quarters % 4;
      std::int64_t const next = rest == 0 ? sorted[at] : sorted[at + 1];
      return 4 * sorted[at] + static_cast<std::int64_t>(rest) * (next - sorted[at]);
    };
    std::string const expected = printed(four_times(3) - four_times(1), 4);
    std::vector<double> const doubles(values.begin(), values.end());
    for (std::size_t const memory : {std::size_t{500}, std::size_t{1} << 20}) {
      EXPECT_EQ(text(reduced("iqr", values, 11, memory)), expected) << n;
      EXPECT_EQ(text(reduced("iqr", doubles, 11, memory)), expected) << n;
    }
  }
  EXPECT_EQ(text(reduced<double>("iqr", {})), "nan");
  EXPECT_EQ(text(reduced<double>("iqr", {1, not_a_number})), "nan");
  int128 const wide = int128{3} << 125;
  EXPECT_EQ(text(reduced<int128>("iqr", {-wide, -wide, wide, wide})), "2.5521177519070385e+38") << "more than 128 bits";
}

TEST(mode, is_the_least_of_the_most_frequent)
{
  for (std::int64_t const range : {3, 100, 1000000}) {
    std::vector<std::int64_t> const values = some_integers(2000, range);
    std::map<std::int64_t, int> counts;
    for (std::int64_t const value : values) ++counts[value];
    auto const most = std::ranges::max_element(counts, {}, [](auto const& each) { return each.second; });
    for (std::size_t const memory : {std::size_t{1000}, std::size_t{1} << 20}) {
      EXPECT_EQ(text(reduced("mode", values, 100, memory)), text(int128{most->first}));
      EXPECT_EQ(text(reduced("distinct", values, 100, memory)), text(int128(counts.size())));
    }
  }
  EXPECT_EQ(text(reduced<double>("mode", {})), "nan");
  EXPECT_EQ(text(reduced<double>("mode", {3, -0.0, 0.0, 3, -0.0})), "0");
  EXPECT_EQ(text(reduced<double>("distinct", {3, -0.0, 0.0, not_a_number, -not_a_number, infinity})), "4");
  EXPECT_EQ(text(reduced<std::int64_t>("distinct", {})), "0");
}

TEST(means, are_those_of_long_formulas)
{
  std::vector<double> values;
  for (std::int64_t const value : some_integers(5000, 100000))
    values.push_back(std::ldexp(1 + static_cast<double>(value) * 5e-6, static_cast<int>(value % 90)));
  long double logarithms = 0, reciprocals = 0;
  for (double const value : values) {
    logarithms += std::log(static_cast<long double>(std::fabs(value)));
    reciprocals += 1 / static_cast<long double>(value);
  }
  double const harmonic = std::get<double>(reduced("harmean", values));
  EXPECT_NEAR(harmonic / static_cast<double>(5000 / reciprocals), 1, 1e-12);
  for (double& value : values) value = std::fabs(value) + 1e-9;
  logarithms = 0;
  for (double const value : values) logarithms += std::log(static_cast<long double>(value));
  double const geometric = std::get<double>(reduced("geomean", values));
  EXPECT_NEAR(geometric / static_cast<double>(std::exp(logarithms / 5000)), 1, 1e-15);
  for (std::size_t const piece : {1U, 7U, 4999U}) {
    EXPECT_EQ(reduced("geomean", values, piece), result(geometric)) << "the same bits for every cut";
    EXPECT_EQ(reduced("skewness", values, piece), reduced("skewness", values));
  }
}

TEST(means, geometric_ones_that_are_doubles_are_exact)
{
  for (std::int64_t root = 1; root < 60; ++root)
    for (std::int64_t n = 1; n < 9; ++n) {
      std::vector<std::int64_t> values(static_cast<std::size_t>(n), root);
      EXPECT_EQ(text(reduced("geomean", values)), text(static_cast<double>(root)));
      values.push_back(root * root);
      values.push_back(1);
      EXPECT_EQ(text(reduced("geomean", values)), text(static_cast<double>(root)));
    }
  EXPECT_EQ(text(reduced<double>("geomean", {1e300, 1e300, 1e-300})), "1e+100");
  EXPECT_EQ(text(reduced<double>("geomean", {5e-324, 5e-324})), "5e-324");
  EXPECT_EQ(text(reduced<double>("geomean", {})), "nan");
  EXPECT_EQ(text(reduced<double>("geomean", {3, 0})), "0");
  EXPECT_EQ(text(reduced<double>("geomean", {3, -1, -1})), "nan");
  EXPECT_EQ(text(reduced<double>("geomean", {3, infinity})), "inf");
  EXPECT_EQ(text(reduced<double>("harmean", {40, 60})), "48");
  EXPECT_EQ(text(reduced<double>("harmean", {3, 0})), "0");
  EXPECT_EQ(text(reduced<double>("harmean", {})), "nan");
}

TEST(shape, does_not_cancel)
{
  for (double const offset : {0.0, 1e9, -1e12}) {
    std::vector<double> values;
    for (std::int64_t const value : some_integers(3000, 1000))
      values.push_back(offset + static_cast<double>(value * value));
    long double const n = 3000;
    long double mean = 0, squares = 0, cubes = 0, fourths = 0;
    for (double const value : values) mean += value / n;
    for (double const value : values) {
      long double const d = value - mean;
      squares += d * d / n;
      cubes += d * d * d / n;
      fourths += d * d * d * d / n;
    }
    auto const skewness = static_cast<double>(std::sqrt(n * (n - 1)) / (n - 2) * cubes / std::pow(squares, 1.5L));
    auto const kurtosis =
        static_cast<double>((n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * (fourths / (squares * squares) - 3) + 6));
    EXPECT_NEAR(std::get<double>(reduced("skewness", values)), skewness, 1e-7 * (offset != 0) + 1e-12);
    EXPECT_NEAR(std::get<double>(reduced("kurtosis", values)), kurtosis, 1e-7 * (offset != 0) + 1e-12);
  }
  EXPECT_EQ(text(reduced<double>("skewness", {1, 2, 4})).substr(0, 6), "0.9352") << "as pandas";
  EXPECT_EQ(text(reduced<double>("kurtosis", {1, 2, 4, 8})).substr(0, 6), "0.7576") << "as pandas";
  EXPECT_EQ(text(reduced<double>("skewness", {1, 2})), "nan");
  EXPECT_EQ(text(reduced<double>("kurtosis", {1, 2, 4})), "nan");
  EXPECT_EQ(text(reduced<double>("skewness", {3, 3, 3})), "nan");
}

TEST(ends, are_values)
{
  EXPECT_EQ(text(reduced<std::int64_t>("first", {3, 1, 2}, 1)), "3");
  EXPECT_EQ(text(reduced<std::int64_t>("last", {3, 1, 2}, 2)), "2");
  EXPECT_EQ(text(reduced<double>("first", {0.5, 1})), "0.5");
  EXPECT_EQ(text(reduced<std::int64_t>("last", {})), "nan");
  EXPECT_EQ(text(reduced<std::int64_t>("range", {3, -1, 2}, 1)), "4");
  EXPECT_EQ(text(reduced<std::int64_t>(
                "range", {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()})),
            "18446744073709551615");
  EXPECT_EQ(text(reduced<double>("range", {0.5, 2, -0.25}, 1)), "2.25");
  EXPECT_EQ(text(reduced<double>("range", {1, not_a_number})), "nan");
  EXPECT_EQ(text(reduced<double>("range", {})), "nan");
  EXPECT_EQ(reduced<float>("last", {0.1F}, 1, 8, element_type::float32), result(0.1F));
}

/// The results of a scan as text, given in pieces of `piece`.
template <class T>
std::vector<std::string> scanned(std::string const& op, std::size_t window, std::vector<T> const& values,
                                 std::size_t piece, std::optional<element_type> type = {})
{
  auto const state = cli::make_accumulator(
      {.op = cli::operation_named(op), .type = type, .init = {}, .threads = 1, .window = window, .in_order = {}});
  std::vector<std::string> lines;
  cli::value_buffer out;
  for (std::size_t first = 0; first < values.size(); first += piece) {
    state->scan(std::span<T const>(values).subspan(first, std::min(piece, values.size() - first)),
                cli::scan_kind::inclusive, out);
    std::visit(
        [&](auto results) {
          for (auto const each : results) lines.push_back(io::to_text(each));
        },
        out.view());
  }
  return lines;
}

constexpr char const* of_windows[] = {"sum",      "product", "min",       "max",          "and",     "or",   "xor",
                                      "all",      "any",     "first",     "last",         "range",   "mean", "harmean",
                                      "geomean",  "count",   "median",    "quantile:0.3", "mad",     "mode", "distinct",
                                      "variance", "stddev",  "logsumexp", "skewness",     "kurtosis"};

TEST(windows, are_reductions_of_the_last_values)
{
  std::vector<std::int64_t> const values = some_integers(60, 9);
  for (std::size_t const width : {1U, 2U, 3U, 7U, 8U, 59U, 60U, 61U, 1000U}) {
    for (char const* const op : of_windows) {
      std::vector<std::string> const lines = scanned(op, width, values, 60);
      ASSERT_EQ(lines.size(), values.size());
      for (std::size_t k = 0; k < values.size(); ++k) {
        std::size_t const n = std::min(k + 1, width);
        std::vector<std::int64_t> const last(values.begin() + static_cast<std::ptrdiff_t>(k + 1 - n),
                                             values.begin() + static_cast<std::ptrdiff_t>(k + 1));
        std::string const expected = text(reduced(op, last));
        if (lines[k] == expected) continue;
        EXPECT_NEAR(std::stod(lines[k]), std::stod(expected), 1e-12 * std::max(1.0, std::fabs(std::stod(expected))))
            << op << ' ' << width << ' ' << k;
      }
      for (std::size_t const piece : {1U, 4U, 7U})
        EXPECT_EQ(scanned(op, width, values, piece), lines) << op << ' ' << width << ": the same bits for every cut";
    }
  }
}

TEST(windows, of_doubles_forget_what_has_left_them)
{
  EXPECT_EQ(scanned<double>("sum", 2, {1e300, 1, 0.5, infinity, 3, 4}, 6),
            (std::vector<std::string>{"1e+300", "1e+300", "1.5", "inf", "inf", "7"}));
  EXPECT_EQ(scanned<double>("mean", 3, {not_a_number, 1, 2, 3, 4.5}, 2),
            (std::vector<std::string>{"nan", "nan", "nan", "2", "3.1666666666666665"}));
  EXPECT_EQ(scanned<double>("median", 3, {not_a_number, 1, 2, 3, 5}, 2),
            (std::vector<std::string>{"nan", "nan", "nan", "2", "3"}));
  EXPECT_EQ(scanned<double>("argmin", 2, {3, 1, 2, 5, 4}, 1), (std::vector<std::string>{"0", "1", "1", "2", "4"}));
  EXPECT_EQ(scanned<float>("max", 2, {0.1F, 0.7F, 0.2F, 0.3F}, 1, element_type::float32),
            (std::vector<std::string>{"0.1", "0.7", "0.7", "0.3"}));
  std::int64_t const most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(scanned<std::int64_t>("sum", 2, {most, most, -1}, 3),
            (std::vector<std::string>{"9223372036854775807", "18446744073709551614", "9223372036854775806"}));
  int128 const wide = std::numeric_limits<int128>::max();
  EXPECT_THROW(scanned<int128>("sum", 2, {wide, 1}, 1), cli::value_problem);
}

// Enough values for several blocks of the values in order.
TEST(windows, of_medians_may_be_long)
{
  std::vector<std::int64_t> const values = some_integers(4000, 1000000);
  std::vector<std::string> const lines = scanned("median", 1500, values, 1000);
  std::vector<std::string> const running = scanned("p90", 0, values, 1000);
  for (std::size_t k = 0; k < values.size(); k += 97) {
    auto const end = values.begin() + static_cast<std::ptrdiff_t>(k + 1);
    std::vector<std::int64_t> const last(end - static_cast<std::ptrdiff_t>(std::min<std::size_t>(k + 1, 1500)), end);
    EXPECT_EQ(lines[k], quantile_of(last, 1, 2));
    EXPECT_EQ(running[k], quantile_of({values.begin(), end}, 9, 10));
  }
}

TEST(differences, are_the_inverse_of_sums)
{
  EXPECT_EQ(scanned<std::int64_t>("diff", 0, {3, 8, 10, 17}, 3), (std::vector<std::string>{"3", "5", "2", "7"}));
  EXPECT_EQ(scanned<double>("diff", 0, {0.5, 2, infinity}, 1), (std::vector<std::string>{"0.5", "1.5", "inf"}));
  std::int64_t const most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(scanned<std::int64_t>("diff", 0, {most, -most, most}, 2),
            (std::vector<std::string>{"9223372036854775807", "-18446744073709551614", "18446744073709551614"}));
  EXPECT_EQ(scanned<std::uint8_t>("diff", 0, {200, 100}, 1, element_type::uint8),
            (std::vector<std::string>{"200", "-100"}));
  int128 const wide = std::numeric_limits<int128>::max();
  EXPECT_THROW(scanned<int128>("diff", 0, {wide, -wide}, 2), cli::value_problem);
}

std::string run(words const& arguments, std::string const& input)
{
  outcome const ran = run_tool(arguments, input);
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  return ran.out;
}

TEST(ordered_values, are_those_of_a_sorted_list)
{
  // Blocks of up to 3 values on shelves of up to 3 blocks: every path is taken often.
  cli::ordered_values<double, 4, 4> values;
  std::vector<double> expected, recent;
  std::vector<std::int64_t> const drawn = some_integers(2000, 60);
  for (std::size_t const window : {1U, 7U, 500U}) {
    values.clear();
    expected.clear();
    recent.clear();
    for (std::int64_t const value : drawn) {
      auto const next = static_cast<double>(value) / 2;
      if (recent.size() >= window) {
        double const first = recent[recent.size() - window];
        values.take(first);
        expected.erase(std::ranges::find(expected, first));
      }
      recent.push_back(next);
      values.add(next);
      expected.insert(std::ranges::lower_bound(expected, next), next);
      ASSERT_EQ(values.size(), expected.size());
      for (std::size_t place = value & 3; place < expected.size(); place += 4)
        ASSERT_EQ(values[place], expected[place]) << place;
    }
  }
}

TEST(operations, of_order_by_the_tool)
{
  std::string input, table = "k,v\n";
  for (std::int64_t const value : some_integers(5000, 1000)) {
    input += std::to_string(value) + "\n";
    table += std::to_string(value & 3) + "," + std::to_string(value) + "\n";
  }
  words const all = {"reduce", "--op", "median,p95,sum,quantile:0.25,mode,distinct,mad,first,last,range"};
  std::string const expected = run(all, input);
  EXPECT_EQ(expected.substr(0, 7), "median\t");
  words spilled = all;
  spilled.insert(spilled.end(), {"--memory", "10K"});
  EXPECT_EQ(run(spilled, input), expected);
  words const grouped = {"reduce", "--op", "median,p95,mode,mad,first", "--by", "k", "--column", "v"};
  spilled = grouped;
  spilled.insert(spilled.end(), {"--memory", "5K", "--threads", "1"});
  EXPECT_EQ(run(spilled, table), run(grouped, table));
  EXPECT_EQ(run({"scan", "--op", "range"}, "3 1 4 1 5"), "0\n2\n3\n3\n4\n");
  EXPECT_EQ(run({"scan", "--op", "first"}, "3 1 4.5"), "3\n3\n3\n");
  EXPECT_EQ(run({"scan", "--op", "geomean"}, "2 8 4"), "2\n4\n4\n");
  EXPECT_EQ(run({"scan", "--op", "harmean"}, "40 60"), "40\n48\n");
  EXPECT_EQ(run({"scan", "--op", "median"}, "5 1 4 4.5"), "5\n3\n4\n4.25\n");
  EXPECT_EQ(run({"scan", "--op", "diff", "--init", "1"}, "3 8 10.5"), "2\n5\n2.5\n");
  EXPECT_EQ(run({"scan", "--op", "diff", "--reverse"}, "3 8 10"), "-5\n-2\n10\n");
  EXPECT_EQ(run({"scan", "--window", "2", "--op", "mean", "--by", "k", "--column", "v"}, "k,v\na,1\nb,5\na,3\na,8\n"),
            "1\n5\n2\n5.5\n");
  EXPECT_EQ(run({"scan", "--window", "2", "--reverse"}, "1 2 3"), "3\n5\n3\n");
}

TEST(operations, beside_all_values_by_the_tool)
{
  EXPECT_EQ(run({"scan", "--op", "percent"}, "1 1 2"), "25\n25\n50\n");
  EXPECT_EQ(run({"scan", "--op", "fraction"}, "9007199254740993 -9007199254740992 0.5 1.5"),
            "4503599627370496\n-4503599627370496\n0.25\n0.75\n")
      << "as the sum of doubles";
  EXPECT_EQ(run({"scan", "--op", "fraction"}, "9007199254740993 -9007199254740992 1"),
            "4503599627370496\n-4503599627370496\n0.5\n")
      << "the sum of integers is exact";
  EXPECT_EQ(run({"scan", "--op", "percent"}, ""), "");
  EXPECT_EQ(run({"scan", "--op", "percent"}, "0 0"), "nan\nnan\n");
  EXPECT_EQ(run({"scan", "--op", "rank"}, "3 1 3 2"), "3\n1\n3\n2\n");
  EXPECT_EQ(run({"scan", "--op", "rank"}, "nan 0 -0.0 inf nan -1"), "5\n2\n2\n4\n5\n1\n");
  std::string const table = "k,v\na,1\nb,5\na,3\nb,15\n";
  words const by_key = {"scan", "--by", "k", "--column", "v", "--op"};
  auto const of_groups = [&](words more) {
    more.insert(more.begin(), by_key.begin(), by_key.end());
    return run(more, table);
  };
  EXPECT_EQ(of_groups({"percent"}), "25\n25\n75\n75\n");
  EXPECT_EQ(of_groups({"rank", "--reverse"}), "1\n1\n2\n2\n");
  EXPECT_EQ(of_groups({"rank,fraction", "--append", "--memory", "8"}),
            "k,v,v_rank,v_fraction\na,1,1,0.25\nb,5,1,0.25\na,3,2,0.75\nb,15,2,0.75\n");
}

TEST(operations, ranks_are_places_in_order)
{
  std::vector<std::int64_t> const values = some_integers(3000, 500);
  std::vector<std::int64_t> sorted = values;
  std::ranges::sort(sorted);
  std::string input, expected;
  for (std::int64_t const value : values) {
    input += std::to_string(value) + "\n";
    expected += std::to_string(std::ranges::lower_bound(sorted, value) - sorted.begin() + 1) + "\n";
  }
  EXPECT_EQ(run({"scan", "--op", "rank"}, input), expected);
  EXPECT_EQ(run({"scan", "--op", "rank", "--memory", "4K"}, input), expected);
  EXPECT_EQ(run({"scan", "--op", "rank", "--reverse", "--type", "f32"}, input), expected);
}

}  // namespace
}  // namespace tally::test::operations
