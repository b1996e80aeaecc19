#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "compare/comparison.hpp"
#include "explain/explained.hpp"

/// `tally compare --over n`.
namespace tally::test {
namespace {

using nlohmann::json;

outcome over_n(words arguments)
{
  arguments.insert(arguments.begin(), {"compare", "--over", "n"});
  return run_tool(arguments);
}

TEST(compare_over_n, has_the_figures_of_the_table_at_each_size)
{
  json const all = json::parse(over_n({"--json", "--n", "64", "--column", "work"}).out);
  EXPECT_EQ(all["figure"], "work");
  EXPECT_EQ(all["n"], (json{2, 4, 8, 16, 32, 64}));
  for (std::size_t k = 0; k < all["n"].size(); ++k) {
    json const one = json::parse(run_tool({"compare", "--json", "--n", all["n"][k].dump()}).out);
    ASSERT_EQ(one["kernels"].size(), all["kernels"].size());
    for (std::size_t row = 0; row < all["kernels"].size(); ++row) {
      EXPECT_EQ(all["kernels"][row]["kernel"], one["kernels"][row]["kernel"]);
      EXPECT_EQ(all["kernels"][row]["values"][k], one["kernels"][row]["work"]) << one["kernels"][row]["kernel"];
    }
  }
}

TEST(compare_over_n, the_time_is_that_of_the_processors_asked_for)
{
  json const one = json::parse(over_n({"--json", "--n", "1024", "--processors", "1", "hillis-steele"}).out);
  EXPECT_EQ(one["figure"], "T_1");
  EXPECT_EQ(one["kernels"][0]["values"], (json{1, 5, 17, 49, 129, 321, 769, 1793, 4097, 9217})) << "n log n - (n - 1)";
  json const all = json::parse(over_n({"--json", "--n", "8", "--processors", "1000", "hillis-steele"}).out);
  EXPECT_EQ(all["kernels"][0]["values"], (json{1, 2, 3})) << "the depth";
  json const warp = json::parse(over_n({"--json", "--n", "1024", "hillis-steele"}).out);
  EXPECT_EQ(warp["figure"], "T_32");
  EXPECT_EQ(warp["kernels"][0]["values"].back(), 289);
}

/// On few elements a warp's processors are idle, and the depth decides; on many they are busy, and the work does.
TEST(compare_over_n, says_from_which_size_on_a_scan_has_the_least)
{
  json const all = json::parse(over_n({"--json", "hillis-steele", "brent-kung"}).out);
  json const &wide = all["kernels"][0]["values"], &lean = all["kernels"][1]["values"], &sizes = all["n"];
  ASSERT_EQ(all["least_of_scans"].size(), 2u);
  EXPECT_EQ(all["least_of_scans"][0]["kernel"], "hillis-steele");
  EXPECT_EQ(all["least_of_scans"][1]["kernel"], "brent-kung");
  int const from = all["least_of_scans"][1]["from"];
  for (std::size_t k = 0; k < sizes.size(); ++k) EXPECT_EQ(lean[k] < wide[k], sizes[k] >= from) << sizes[k];
  std::string const text = over_n({"hillis-steele", "brent-kung"}).out;
  EXPECT_TRUE(has(text, "The scan with the least: hillis-steele from n = 2 to " + std::to_string(from / 2) +
                            "; brent-kung from n = " + std::to_string(from) + " to 1024.\n"))
      << text;
}

TEST(compare_over_n, a_kernel_has_no_figure_where_it_does_not_take_the_elements)
{
  std::string const text = over_n({"--n", "4096", "--column", "depth", "hillis-steele", "scan-scan-add"}).out;
  EXPECT_TRUE(has(text, "\nhillis-steele ")) << text;
  EXPECT_TRUE(has(text, "   -     -\n")) << text;
  json const all = json::parse(over_n({"--json", "--n", "2048", "hillis-steele"}).out);
  EXPECT_EQ(all["kernels"][0]["values"].back(), nullptr);
  EXPECT_EQ(all["least_of_scans"], json::array()) << "one kernel has no rival";
}

TEST(compare_over_n, reductions_and_scans_are_not_compared_with_each_other)
{
  json const all =
      json::parse(over_n({"--json", "--n", "32", "tree-reduction", "sequential-reduction", "brent-kung"}).out);
  EXPECT_EQ(all["least_of_scans"], json::array());
  EXPECT_EQ(all["least_of_reductions"].front()["kernel"], "sequential-reduction") << "equal at two elements: the first";
  EXPECT_EQ(all["least_of_reductions"].back()["kernel"], "tree-reduction");
}

TEST(compare_over_n, plots)
{
  std::string const some = over_n({"--n", "64", "--svg", "-", "hillis-steele", "brent-kung"}).out;
  EXPECT_TRUE(has(some, "<svg ")) << some;
  EXPECT_TRUE(has(some, ">hillis-steele<"));
  EXPECT_TRUE(has(some, ">T_32 over the number of elements<"));
  EXPECT_TRUE(has(some, ">n = "));
  std::string const all = over_n({"--n", "16", "--svg", "-"}).out;
  EXPECT_TRUE(has(all, ">warp-shuffle-scan<"));
  EXPECT_FALSE(has(all, ">tree-reduction<"));
}

TEST(compare_over_n, what_does_not_fit_together_is_said)
{
  struct {
    words arguments;
    char const* message;
  } const all[] = {
      {{"compare", "--over", "p"}, "--over: there is no 'p'"},
      {{"compare", "--over", "n", "--n", "1"}, "--over n begins with two elements"},
      {{"compare", "--over", "n", "--gpu"}, "--gpu runs the kernels on one number of elements"},
      {{"compare", "--over", "n", "--sort", "work"}, "--sort sorts the table of one number of elements"},
      {{"compare", "--over", "n", "--column", "result"}, "--column: result is a word; name a figure"},
      {{"compare", "--over", "n", "--column", "work", "--processors", "2"}, "the figure is one of them"},
      {{"compare", "--over", "n", "--processors", "0"}, "--processors: '0' is not a whole number from 1 on"},
      {{"compare", "--over", "n", "--svg", "-", "--json"}, "standard output takes one of them"},
      {{"compare", "--column", "work"}, "--column belongs to --over n"},
      {{"compare", "--processors", "2"}, "--processors belongs to --over n"},
      {{"compare", "--svg", "x.svg"}, "--svg belongs to --over n"},
  };
  for (auto const& each : all) {
    outcome const result = run_tool(each.arguments);
    EXPECT_EQ(result.status, 2) << each.message;
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(has(result.err, each.message)) << result.err;
  }
}

}  // namespace
}  // namespace tally::test
