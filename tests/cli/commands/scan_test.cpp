#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <tally/scan.hpp>

#include "io/numbers/number.hpp"
#include "tool.hpp"

namespace tally::test {
namespace {

/// The lines of a scan, joined by blanks.
std::string scanned(words more, std::string_view input)
{
  more.insert(more.begin(), "scan");
  outcome const result = run_tool(more, input);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "");
  std::string out = result.out;
  for (char& c : out) c = c == '\n' ? ' ' : c;
  if (!out.empty()) {
    EXPECT_EQ(out.back(), ' ');
    out.pop_back();
  }
  return out;
}

TEST(scan, cuts_the_sausage)
{
  EXPECT_EQ(scanned({}, "3 5 2 7 28 4 3 0 8 1"), "3 8 10 17 45 49 52 52 60 61");
  EXPECT_EQ(scanned({"--exclusive"}, "3 1 7 0 4 1 6 3"), "0 3 4 11 11 15 16 22");
}

struct scanned_operation {
  char const* op;
  char const* expected;  // of 6 -4 6 0 3
};

class scan_operation : public ::testing::TestWithParam<scanned_operation> {};

TEST_P(scan_operation, gives_the_result_of_every_beginning)
{
  EXPECT_EQ(scanned({"--op", GetParam().op}, "6 -4 6 0 3"), GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(
    all, scan_operation,
    ::testing::Values(scanned_operation{"sum", "6 2 8 8 11"}, scanned_operation{"product", "6 -24 -144 0 0"},
                      scanned_operation{"min", "6 -4 -4 -4 -4"}, scanned_operation{"max", "6 6 6 6 6"},
                      scanned_operation{"and", "6 4 4 0 0"}, scanned_operation{"or", "6 -2 -2 -2 -1"},
                      scanned_operation{"xor", "6 -6 -4 -4 -1"}, scanned_operation{"all", "1 1 1 0 0"},
                      scanned_operation{"any", "1 1 1 1 1"}, scanned_operation{"argmin", "0 1 1 1 1"},
                      scanned_operation{"argmax", "0 0 0 0 0"},
                      scanned_operation{"mean", "6 1 2.6666666666666665 2 2.2"},
                      scanned_operation{"count", "1 2 3 4 5"}),
    [](auto const& each) { return std::string(each.param.op); });

TEST(scan, variance_begins_at_the_second_value)
{
  EXPECT_EQ(scanned({"--op", "variance"}, "1 3 5"), "nan 2 4");
  EXPECT_EQ(scanned({"--op", "stddev"}, "1 3 5"), "nan 1.4142135623730951 2");
  EXPECT_EQ(scanned({"--op", "logsumexp", "--exclusive"}, "0 1"), "-inf 0");
}

TEST(scan, exclusive_begins_with_the_identity_or_the_initial_value)
{
  EXPECT_EQ(scanned({"--exclusive", "--op", "product"}, "2 3 4"), "1 2 6");
  EXPECT_EQ(scanned({"--exclusive", "--init", "10"}, "2 3 4"), "10 12 15");
  EXPECT_EQ(scanned({"--exclusive", "--init", "10", "--op", "min"}, "12 3 4"), "10 10 3");
  EXPECT_EQ(scanned({"--exclusive", "--op", "max", "--type", "int8"}, "12 3 14"), "-128 12 12");
  EXPECT_EQ(scanned({"--exclusive", "--op", "max", "--type", "f64"}, "12 3 14"), "-inf 12 12");
  EXPECT_EQ(scanned({"--exclusive", "--op", "and"}, "7 14"), "-1 7");
  EXPECT_EQ(scanned({"--exclusive", "--op", "and", "--type", "u8"}, "7 14"), "255 7");
  EXPECT_EQ(scanned({"--exclusive", "--op", "all"}, "0 1"), "1 0");
  EXPECT_EQ(scanned({"--exclusive", "--op", "count"}, "5 5 5"), "0 1 2");
  EXPECT_EQ(scanned({"--exclusive"}, "0.5 0.25"), "0 0.5");
  EXPECT_EQ(scanned({"--init", "10"}, "2 3 4"), "12 15 19");
  EXPECT_EQ(scanned({"--init", "0.5"}, "2 3"), "2.5 5.5");
}

TEST(scan, of_nothing_is_nothing)
{
  EXPECT_EQ(scanned({}, ""), "");
  EXPECT_EQ(scanned({"--exclusive"}, " \n"), "");
  EXPECT_EQ(scanned({"--json"}, ""), "{\"op\":\"sum\",\"values\":[]}");
}

TEST(scan, prints_integers_exactly_until_a_value_is_none)
{
  EXPECT_EQ(scanned({}, "9007199254740993 0 0.0 1"),
            "9007199254740993 9007199254740993 9007199254740992 9007199254740992");
  EXPECT_EQ(scanned({}, "9223372036854775807 1 -1"), "9223372036854775807 9223372036854775808 9223372036854775807");
  EXPECT_EQ(scanned({"--op", "max"}, "1 9007199254740993 0.5"), "1 9007199254740993 9007199254740992");
}

TEST(scan, of_decimals_has_the_bits_of_the_library)
{
  std::vector<double> values;
  std::uint64_t state = 99;
  for (int k = 0; k < 20000; ++k) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    values.push_back(static_cast<double>(state >> 11) * (k % 3 == 0 ? 0x1p-30 : 0x1p-53));
  }
  std::string text;
  for (double const value : values) text += io::to_text(value) + " ";
  std::vector<double> expected(values.size());
  tally::inclusive_scan(values, expected);
  std::string lines;
  for (double const value : expected) lines += io::to_text(value) + "\n";
  EXPECT_EQ(run_tool(words{"scan"}, text).out, lines);
  EXPECT_EQ(run_tool(words{"scan", "--threads", "1"}, text).out, lines);
  tally::exclusive_scan(values, expected, 0.0);
  lines.clear();
  for (double const value : expected) lines += io::to_text(value) + "\n";
  EXPECT_EQ(run_tool(words{"scan", "--exclusive"}, text).out, lines);
}

TEST(scan, its_last_line_is_the_reduction)
{
  std::string text;
  for (int k = 1; k < 9000; ++k) text += io::to_text(1.0 / k) + "\n";
  for (char const* op :
       {"sum", "product", "min", "max", "mean", "variance", "stddev", "logsumexp", "argmin", "count"}) {
    std::string const lines = run_tool(words{"scan", "--op", op}, text).out;
    std::size_t const last = lines.rfind('\n', lines.size() - 2);
    EXPECT_EQ(lines.substr(last + 1), run_tool(words{"reduce", "--op", op}, text).out) << op;
  }
}

TEST(scan, json_is_one_array)
{
  EXPECT_EQ(scanned({"--json", "--op", "max"}, "3 1 4"), "{\"op\":\"max\",\"values\":[3,3,4]}");
  EXPECT_EQ(scanned({"--json"}, "inf -1 0.5 nan"), "{\"op\":\"sum\",\"values\":[\"inf\",\"inf\",\"inf\",\"nan\"]}");
}

}  // namespace
}  // namespace tally::test
