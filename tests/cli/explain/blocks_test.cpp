#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "explained.hpp"
#include "textbook/catalogue.hpp"

/// `tally explain` of kernels of several blocks, and of kernels other than sums of an array.
namespace tally::test {
namespace {

TEST(explain, kernels_of_several_blocks_show_several)
{
  std::string const text = explained({"two-launch-reduction", "--n", "16"}).out;
  EXPECT_TRUE(has(text, "\nA block has 2 threads here, for several to be seen; with --full-blocks it has 512"));
  EXPECT_TRUE(has(text, "\nlaunch 1: in_order_reduction, 4 blocks of 2 threads\n")) << text;
  EXPECT_TRUE(has(text, "block 3: x[0] <- x[0] + x[2]\n"));
  EXPECT_TRUE(has(text, "\nx of 3     *5   1  *9   3\n"));
  EXPECT_TRUE(has(text, "\ncopy       x -> totals; 4 of 8 threads\ntotals    *11 *14 *11 *14\n")) << text;
  EXPECT_TRUE(has(text, "\nlaunch 2: in_order_reduction, 1 block of 32 threads\n"));
  EXPECT_TRUE(has(text, "\nbarriers             6   log2 n + 1 for each launch\n"));
  std::string const added = explained({"scan-scan-add", "--n", "16"}).out;
  EXPECT_TRUE(has(added, "\nlaunch 3: add_to_sections, 3 blocks of 2 threads\n")) << added;
  EXPECT_TRUE(has(added, "block 0: out[4] <- sums[0] + out[4]"));
}

TEST(explain, full_blocks_are_those_of_compare)
{
  std::string const text = explained({"two-launch-reduction", "--n", "16", "--full-blocks"}).out;
  EXPECT_FALSE(has(text, "A block has"));
  EXPECT_FALSE(has(text, "launch 1"));
  EXPECT_TRUE(has(text, "\nbarriers             5   log2 n + 1 for each launch\n"));
  EXPECT_FALSE(has(explained({"two-launch-reduction", "--n", "65"}).out, "A block has")) << "more than can be shown so";
  EXPECT_FALSE(has(explained({"brent-kung"}).out, "A block has")) << "a kernel of one block";
}

TEST(explain, counts_are_those_of_the_formulas_in_small_blocks_too)
{
  for (textbook::kernel_entry const& kernel : textbook::catalogue())
    for (int const n : is_brief ? std::vector{1, 33} : std::vector{1, 8, 16, 33, 64})
      EXPECT_FALSE(has(explained({std::string(kernel.name), "--n", std::to_string(n)}).out, ", which is "))
          << kernel.name << ' ' << n;
}

TEST(explain, a_tournament_has_its_bracket)
{
  std::string const text = explained({"tournament", "--n", "4"}).out;
  EXPECT_TRUE(has(text, ": reduction of 4 integers by max\n"));
  EXPECT_TRUE(has(text, "\nout       *7@2\n")) << text;
  EXPECT_TRUE(has(text, "\nbracket\n3 -+\n   +- 3 -+\n1 -+     |\n         +- 7\n7 -+     |\n   +- 7 -+\n0 -+\n"));
  EXPECT_FALSE(has(explained({"tree-reduction", "--op", "max"}).out, "bracket"));
  EXPECT_TRUE(has(explained({"tournament", "--n", "1000"}).out, "\nToo many players to be drawn.\n"));
}

TEST(explain, a_histogram_says_what_is_counted)
{
  std::string const text = explained({"private-histogram"}).out;
  EXPECT_TRUE(has(text, ": histogram of 8 integers by sum\n"));
  EXPECT_TRUE(has(text, "block 0: x[6] <- x[6] + 1")) << "element 0 is a 3, thread 0's bin 3 is x[6]";
  EXPECT_TRUE(has(text, "\nout       *1 *2 *0 *2 *1 *0 *1 *1\n")) << text;
}

}  // namespace
}  // namespace tally::test
