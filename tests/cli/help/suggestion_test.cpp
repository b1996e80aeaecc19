#include "help/suggestion.hpp"

#include <gtest/gtest.h>

namespace tally::cli {
namespace {

TEST(suggestion, counts_insertions_deletions_substitutions_and_swaps)
{
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("scan", "scan"), 0U);
  EXPECT_EQ(edit_distance("", "sum"), 3U);
  EXPECT_EQ(edit_distance("sum", ""), 3U);
  EXPECT_EQ(edit_distance("scan", "san"), 1U);
  EXPECT_EQ(edit_distance("scan", "scant"), 1U);
  EXPECT_EQ(edit_distance("scan", "span"), 1U);
  EXPECT_EQ(edit_distance("reduce", "redcue"), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("ca", "abc"), 3U);  // a swapped pair is not edited again
}

TEST(suggestion, names_the_nearest_and_of_equals_the_first)
{
  EXPECT_EQ(nearest("redcue", {"reduce", "scan"}), "reduce");
  EXPECT_EQ(nearest("mix", {"min", "max"}), "min");
  EXPECT_EQ(nearest("SI", {"hex", "si"}), "si");
  EXPECT_EQ(nearest("--exclusiv", {"--op", "--exclusive"}), "--exclusive");
}

TEST(suggestion, knows_what_was_cut_short)
{
  EXPECT_EQ(nearest("--out", {"--op", "--output"}), "--output");
  EXPECT_EQ(nearest("compl", {"scan", "completion"}), "completion");
}

TEST(suggestion, keeps_quiet_about_what_is_far)
{
  EXPECT_EQ(nearest("frobnicate", {"reduce", "scan"}), "");
  EXPECT_EQ(nearest("x", {"min", "max"}), "");
  EXPECT_EQ(suggest("frobnicate", {"reduce"}), "");
  EXPECT_EQ(suggest("scna", {"scan"}), " (did you mean 'scan'?)");
}

}  // namespace
}  // namespace tally::cli
