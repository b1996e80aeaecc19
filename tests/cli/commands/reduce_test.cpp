#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <tally/reduce.hpp>

#include "io/numbers/number.hpp"
#include "tool.hpp"

namespace tally::test {
namespace {

std::string reduced(std::string const& op, std::string_view input, words more = {})
{
  words all = {"reduce", "--op", op};
  all.insert(all.end(), more.begin(), more.end());
  outcome const result = run_tool(all, input);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "");
  return result.out;
}

TEST(reduce, sums_unless_told_otherwise)
{
  outcome const result = run_tool(words{"reduce"}, "3 5 2\n7\t28\n\n4 3 0 8 1");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.out, "61\n");
}

struct operation_case {
  char const* op;
  char const* integers;  // of 6 -4 6 0 3
  char const* decimals;  // of 6.5 -4 6.5 0 3; null: an error
};

class reduce_operation : public ::testing::TestWithParam<operation_case> {};

TEST_P(reduce_operation, of_integers_is_exact)
{
  EXPECT_EQ(reduced(GetParam().op, "6 -4 6 0 3"), std::string(GetParam().integers) + "\n");
}

TEST_P(reduce_operation, of_decimals_unless_it_needs_integers)
{
  std::string_view const input = "6.5 -4 6.5 0 3";
  if (GetParam().decimals == nullptr)
    EXPECT_EQ(run_tool(words{"reduce", "--op", GetParam().op}, input).status, 1);
  else
    EXPECT_EQ(reduced(GetParam().op, input), std::string(GetParam().decimals) + "\n");
}

INSTANTIATE_TEST_SUITE_P(all, reduce_operation,
                         ::testing::Values(operation_case{"sum", "11", "12"}, operation_case{"product", "0", "-0.0"},
                                           operation_case{"min", "-4", "-4"}, operation_case{"max", "6", "6.5"},
                                           operation_case{"and", "0", nullptr}, operation_case{"or", "-1", nullptr},
                                           operation_case{"xor", "-1", nullptr}, operation_case{"all", "0", "0"},
                                           operation_case{"any", "1", "1"}, operation_case{"argmin", "1", "1"},
                                           operation_case{"argmax", "0", "0"}, operation_case{"mean", "2.2", "2.4"},
                                           operation_case{"variance", "18.2", "20.175"},
                                           operation_case{"stddev", "4.266145801540309", "4.491658936295141"},
                                           operation_case{"count", "5", "5"}),
                         [](auto const& each) { return std::string(each.param.op); });

TEST(reduce, log_sum_exp_does_not_overflow)
{
  EXPECT_EQ(reduced("logsumexp", "1000 1000"), io::to_text(1000 + std::log(2.0)) + "\n");
}

TEST(reduce, integers_are_exact_in_128_bits)
{
  EXPECT_EQ(reduced("sum", "9223372036854775807 9223372036854775807 1"), "18446744073709551615\n");
  EXPECT_EQ(reduced("sum", "170141183460469231731687303715884105726 1"), "170141183460469231731687303715884105727\n");
  EXPECT_EQ(reduced("sum", "-170141183460469231731687303715884105727 -1"),
            "-170141183460469231731687303715884105728\n");
  EXPECT_EQ(reduced("product", "9007199254740993 9007199254740993"), "81129638414606699710187514626049\n");
  EXPECT_EQ(reduced("max", "9007199254740993 9007199254740992"), "9007199254740993\n");
  EXPECT_EQ(reduced("argmax", "9007199254740992 9007199254740993"), "1\n");
  EXPECT_EQ(reduced("mean", "9007199254740993 9007199254740995"), "9007199254740994\n");
}

TEST(reduce, one_value_that_is_no_integer_makes_all_doubles)
{
  EXPECT_EQ(reduced("sum", "9007199254740993 0 0.5"), "9007199254740992\n") << "2^53 + 1 is no double";
  EXPECT_EQ(reduced("sum", "0.5 9007199254740993"), "9007199254740992\n");
  EXPECT_EQ(reduced("max", "9007199254740993 0.5"), "9007199254740992\n");
  EXPECT_EQ(reduced("sum", "1 2 3.0"), "6\n");
  EXPECT_EQ(reduced("sum", "0.1 0.2"), "0.30000000000000004\n") << "with the digits that read back the same";
}

TEST(reduce, not_a_number_and_infinity_count)
{
  EXPECT_EQ(reduced("sum", "1 nan 2"), "nan\n");
  EXPECT_EQ(reduced("max", "1 nan 2"), "nan\n");
  EXPECT_EQ(reduced("argmax", "1 nan 2 nan"), "1\n");
  EXPECT_EQ(reduced("sum", "1 -inf 2"), "-inf\n");
  EXPECT_EQ(reduced("all", "1 nan"), "1\n");
}

TEST(reduce, of_nothing_is_the_identity_where_there_is_one)
{
  for (auto const& [op, expected] : std::vector<std::pair<char const*, char const*>>{{"sum", "0"},
                                                                                     {"product", "1"},
                                                                                     {"min", "inf"},
                                                                                     {"max", "-inf"},
                                                                                     {"and", "-1"},
                                                                                     {"or", "0"},
                                                                                     {"xor", "0"},
                                                                                     {"all", "1"},
                                                                                     {"any", "0"},
                                                                                     {"count", "0"},
                                                                                     {"logsumexp", "-inf"},
                                                                                     {"mean", "nan"},
                                                                                     {"variance", "nan"},
                                                                                     {"stddev", "nan"}})
    EXPECT_EQ(reduced(op, ""), std::string(expected) + "\n") << op;
  outcome const result = run_tool(words{"reduce", "--op", "argmin"}, "");
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.err, "tally: no values, so none is the least or the greatest\n");
}

TEST(reduce, of_nothing_of_a_type_is_the_identity_of_the_type)
{
  EXPECT_EQ(reduced("min", "", {"--type", "int8"}), "127\n");
  EXPECT_EQ(reduced("max", "", {"--type", "int8"}), "-128\n");
  EXPECT_EQ(reduced("max", "", {"--type", "uint16"}), "0\n");
  EXPECT_EQ(reduced("and", "", {"--type", "uint16"}), "65535\n");
  EXPECT_EQ(reduced("min", "", {"--type", "float32"}), "inf\n");
  EXPECT_EQ(reduced("sum", "", {"--type", "float64"}), "0\n");
}

TEST(reduce, begins_with_an_initial_value)
{
  EXPECT_EQ(reduced("sum", "1 2", {"--init", "10"}), "13\n");
  EXPECT_EQ(reduced("sum", "1 2", {"--init", "0.5"}), "3.5\n");
  EXPECT_EQ(reduced("sum", "", {"--init", "10"}), "10\n");
  EXPECT_EQ(reduced("min", "5 7", {"--init", "3"}), "3\n");
  EXPECT_EQ(reduced("max", "", {"--init", "3"}), "3\n");
  EXPECT_EQ(reduced("product", "2 3", {"--init", "-1"}), "-6\n");
  EXPECT_EQ(reduced("any", "0 0", {"--init", "1"}), "1\n");
  EXPECT_EQ(reduced("and", "7 14", {"--init", "12"}), "4\n");
  EXPECT_EQ(reduced("sum", "1 2", {"--init", "170141183460469231731687303715884105700"}),
            "170141183460469231731687303715884105703\n");
}

TEST(reduce, several_operations_are_named)
{
  EXPECT_EQ(reduced("min,max,mean", "1 2 6"), "min\t1\nmax\t6\nmean\t3\n");
}

TEST(reduce, json_has_every_result_in_full)
{
  EXPECT_EQ(run_tool(words{"reduce", "--json"}, "1 2 3").out, "{\"sum\":6}\n");
  EXPECT_EQ(
      run_tool(words{"reduce", "--format", "json", "--op", "sum,min,mean"}, "170141183460469231731687303715884105727")
          .out,
      "{\"sum\":170141183460469231731687303715884105727,\"min\":170141183460469231731687303715884105727,"
      "\"mean\":1.7014118346046923e+38}\n");
  EXPECT_EQ(run_tool(words{"reduce", "--json", "--op", "sum,max"}, "nan -inf").out,
            "{\"sum\":\"nan\",\"max\":\"nan\"}\n");
}

TEST(reduce, of_text_with_a_type_is_like_an_array_of_that_type)
{
  EXPECT_EQ(reduced("sum", "16777216 1", {"--type", "float32"}), "16777216\n");
  EXPECT_EQ(reduced("sum", "9007199254740993", {"--type", "float64"}), "9007199254740992\n");
  EXPECT_EQ(reduced("sum", "100 100", {"--type", "i8"}), "200\n")
      << "the sum is exact, whatever the type of the values";
}

/// Enough values to cross tiles and spans, of mixed magnitudes so that every other order of addition shows.
std::vector<double> awkward(std::size_t n)
{
  std::vector<double> values;
  std::uint64_t state = 12345;
  for (std::size_t k = 0; k < n; ++k) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    double const mantissa = static_cast<double>(static_cast<std::int64_t>(state) >> 11) * 0x1p-52;
    values.push_back(std::ldexp(mantissa, static_cast<int>(state >> 7 & 31) - 16));
  }
  return values;
}

TEST(reduce, of_decimals_has_the_bits_of_the_library)
{
  for (std::size_t const n : {1U, 5U, 4095U, 4097U, 140001U}) {
    std::vector<double> const values = awkward(n);
    std::string text;
    for (double const value : values) text += io::to_text(value) + "\n";
    EXPECT_EQ(reduced("sum", text), io::to_text(tally::reduce(values)) + "\n") << n;
    EXPECT_EQ(reduced("sum", text, {"--threads", "1"}), io::to_text(tally::reduce(values)) + "\n") << n;
    std::vector<double> more = {3, 4};
    more.insert(more.end(), values.begin(), values.end());
    EXPECT_EQ(reduced("sum", "3 4 " + text), io::to_text(tally::reduce(more)) + "\n")
        << "the double sum begins with integers";
  }
}

TEST(reduce, mean_of_floats_is_summed_in_doubles)
{
  std::vector<float> const values(100000, 0.1F);
  double const exact = static_cast<double>(0.1F);
  surroundings around;
  around.feed = [&](int descriptor) { feed_all(descriptor, bytes_of(values)); };
  outcome const result = run_tool(words{"reduce", "--op", "mean", "--input-format", "raw", "--type", "f32"}, around);
  EXPECT_NEAR(std::stod(result.out), exact, 1e-15);
}

}  // namespace
}  // namespace tally::test
