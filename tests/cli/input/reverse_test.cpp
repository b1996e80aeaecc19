#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <tally/scan.hpp>

#include "tool.hpp"

/// `tally scan --reverse` without an axis: text, tables, arrays, pipes.
namespace tally::test {
namespace {

class reverse : public in_folder {
protected:
  std::string run(words const& arguments, std::string const& input = {})
  {
    outcome const result = run_tool(arguments, input);
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.err, "");
    return result.out;
  }
};

/// The lines of a text, the last one first.
std::string lines_backwards(std::string const& text)
{
  std::string out;
  for (std::size_t end = text.size(); end > 0;) {
    std::size_t const begin = end < 2 ? std::string::npos : text.rfind('\n', end - 2);
    std::size_t const first = begin == std::string::npos ? 0 : begin + 1;
    out += text.substr(first, end - first);
    end = first;
  }
  return out;
}

TEST_F(reverse, each_result_is_that_of_the_values_from_the_last_one_to_it)
{
  EXPECT_EQ(run({"scan", "--reverse"}, "1 2 3 4\n"), "10\n9\n7\n4\n");
  EXPECT_EQ(run({"scan", "--reverse", "--exclusive"}, "1 2 3 4\n"), "9\n7\n4\n0\n");
  EXPECT_EQ(run({"scan", "--reverse", "--exclusive", "--init", "100"}, "1 2 3 4\n"), "109\n107\n104\n100\n");
  EXPECT_EQ(run({"scan", "--reverse", "--op", "max"}, "1 5 3 4\n"), "5\n5\n4\n4\n");
  EXPECT_EQ(run({"scan", "--reverse", "--op", "argmax"}, "1 5 3 4\n"), "2\n2\n0\n0\n");
  EXPECT_EQ(run({"scan", "--reverse", "--json"}, "1 2 3\n"), "{\"op\":\"sum\",\"values\":[6,5,3]}\n");
  EXPECT_EQ(run({"scan", "--reverse"}, ""), "");
}

TEST_F(reverse, integers_are_exact_unless_a_value_is_none)
{
  EXPECT_EQ(run({"scan", "--reverse"}, "1 9007199254740993 0\n"), "9007199254740994\n9007199254740993\n0\n");
  EXPECT_EQ(run({"scan", "--reverse"}, "0.5 0 9007199254740993\n"),
            "9007199254740992\n9007199254740992\n9007199254740992\n");
  EXPECT_EQ(run({"scan", "--reverse"}, "9007199254740993 0 0.5\n"), "9007199254740992\n0.5\n0.5\n");
}

// More values than a batch of the reader and than a slice: the bits are those of the values turned round by hand.
TEST_F(reverse, long_input_has_the_bits_of_the_same_values_turned_round)
{
  std::string text, table = "key,value\n";
  std::uint32_t state = 1;
  for (int k = 0; k < 700001; ++k) {
    state = state * 1664525U + 1013904223U;
    std::string const number = std::to_string(static_cast<int>(state >> 8) - (1 << 23)) + "." + std::to_string(k % 977);
    text += number + "\n";
    if (k < 300001) table += "k" + std::to_string(state >> 29) + "," + number + "\n";
  }
  std::string const turned = lines_backwards(text);
  EXPECT_TRUE(run({"scan", "--reverse"}, text) == lines_backwards(run({"scan"}, turned)));
  EXPECT_TRUE(run({"scan", "--reverse", "--type", "f32"}, text) ==
              lines_backwards(run({"scan", "--type", "f32"}, turned)));
  std::string const rows = table.substr(table.find('\n') + 1);
  EXPECT_TRUE(
      run({"scan", "--reverse", "--by", "key", "--column", "value", "-"}, table) ==
      lines_backwards(run({"scan", "--by", "key", "--column", "value", "-"}, "key,value\n" + lines_backwards(rows))));
}

TEST_F(reverse, groups_begin_with_their_last_rows)
{
  std::string const table = file("t.csv", "k,v\na,1\nb,10\na,2\nb,20\na,3\n");
  EXPECT_EQ(run({"scan", "--reverse", "--by", "k", "--column", "v", table}), "6\n30\n5\n20\n3\n");
  EXPECT_EQ(run({"scan", "--reverse", "--exclusive", "--by", "k", "--column", "v", table}), "5\n20\n3\n0\n0\n");
}

TEST_F(reverse, arrays_are_read_from_their_end)
{
  std::vector<float> values(is_brief ? 500'001 : 5'000'001);
  std::uint32_t state = 3;
  for (float& value : values) value = static_cast<float>((state = state * 1664525U + 1013904223U) >> 9) * 0x1p-20F - 3;
  std::string const in = file("x.npy", npy("<f4", "(" + std::to_string(values.size()) + ",)", bytes_of(values)));
  std::vector<float> expected(values.size());
  std::ranges::reverse(values);
  tally::inclusive_scan(values, expected);
  std::ranges::reverse(expected);
  run({"scan", "--reverse", "-o", path("out.npy"), in});
  EXPECT_TRUE(parse_npy(read("out.npy")).bytes == bytes_of(expected));
  run({"scan", "--reverse", "-o", path("out.raw"), in});
  EXPECT_TRUE(read("out.raw") == bytes_of(expected)) << "which waits in a temporary file";
  run({"scan", "--reverse", "--format", "raw", "--input-format", "npy", "-o", path("piped.raw")}, read("x.npy"));
  EXPECT_TRUE(read("piped.raw") == bytes_of(expected)) << "from a pipe";
  run({"scan", "--reverse", "--type", "f32", "-o", path("out.raw"), file("x.raw", parse_npy(read("x.npy")).bytes)});
  EXPECT_TRUE(read("out.raw") == bytes_of(expected)) << "bare values";
}

TEST_F(reverse, of_several_axes_and_files)
{
  std::string const rows = npy("<i4", "(2, 2)", bytes_of<std::int32_t>({1, 2, 3, 4}));
  EXPECT_EQ(run({"scan", "--reverse", "--format", "json",
                 file("c.npy", npy("<i4", "(4,)", bytes_of<std::int32_t>({1, 2, 3, 4})))}),
            "{\"op\":\"sum\",\"values\":[10,9,7,4]}\n");
  EXPECT_EQ(run({"scan", "--reverse", file("r.npy", rows)}), "10\n9\n7\n4\n");
  EXPECT_EQ(run({"scan", "--reverse", file("f.npy", npy("<i4", "(2, 2)", bytes_of<std::int32_t>({1, 3, 2, 4}), true))}),
            "10\n9\n7\n4\n");
  run({"scan", "--reverse", "-o", path("out.npy"), path("r.npy")});
  EXPECT_NE(read("out.npy").find("(4,)"), std::string::npos) << "one sequence, as without --reverse";
  EXPECT_EQ(run({"scan", "--reverse", path("r.npy"), file("x.txt", "5 6\n")}), "21\n20\n18\n15\n11\n6\n");
}

TEST_F(reverse, errors_name_the_place)
{
  file("x.txt", "1 2\n170141183460469231731687303715884105727 4\n5\n");
  outcome const result = run_tool(words{"scan", "--reverse", path("x.txt")});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.err.substr(0, result.err.find(", expected")),
            path("x.txt") + ":2:1: found a sum of integers that needs more than 128 bits");
  outcome const wrong = run_tool(words{"scan", "--reverse"}, "1 x\n");
  EXPECT_EQ(wrong.err, "(standard input):1:3: found 'x', expected a number\n");
  EXPECT_EQ(wrong.out, "");
  EXPECT_EQ(run_tool(words{"reduce", "--reverse"}, "1\n").status, 2);
  outcome const gpu = run_tool(words{"scan", "--reverse", "--on", "gpu"}, "1 2\n");
  EXPECT_EQ(gpu.out, "3\n2\n");
  EXPECT_EQ(gpu.err, "tally: the CPU does it: --reverse is of use to a GPU along an axis, or of a single .npy file\n");
}

}  // namespace
}  // namespace tally::test
