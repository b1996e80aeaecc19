// A tournament is a reduction tree with maximum: its winner, its bracket, on the machine and on the host.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../support/sizes.hpp"
#include "tally/error.hpp"
#include "tally/model.hpp"
#include "tally/textbook/tournament.hpp"
#include "textbook/catalogue.hpp"

namespace tally::textbook {
namespace {

std::vector<int> strengths(int n)
{
  std::vector<int> values;
  for (int k = 0; k < n; ++k) values.push_back(k * 37 % 101);  // above 101 players some are equal
  return values;
}

bracket<int> on_the_machine(model::machine& on, std::vector<int> const& values)
{
  auto const out = on.allocate<model::traced<indexed<int, int>>>(1, "out");
  auto const rounds = tournament_of_players<>{}(on, on.input(entrants(values), "players"), out,
                                                static_cast<int>(values.size()), on.watch<indexed<int, int>>(argmax{}));
  EXPECT_EQ(on.values(out)[0], on.values(rounds.back())[0]);
  return fetched<int>(on, rounds);
}

TEST(tournament, winner_and_matches_for_any_number_of_players)
{
  for (int const n : test::every_size_to(300)) {
    std::vector<int> const values = strengths(n);
    model::machine on;
    bracket<int> const played = on_the_machine(on, values);
    ASSERT_EQ(played, tournament(values)) << n;
    ASSERT_TRUE(on.counts().clean());
    auto const best = std::max_element(values.begin(), values.end());  // the first of equal ones
    ASSERT_EQ(played.winner(), (indexed<int, int>{*best, static_cast<int>(best - values.begin())})) << n;

    std::size_t matches = 0, lost = 0, rounds = played.rounds.size() - 1;
    std::vector<bool> out(static_cast<std::size_t>(n));
    for (std::size_t r = 0; r < rounds; ++r)
      for (auto const& match : played.matches(r)) {
        ++matches;
        int const loser = match.winner == match.first ? match.second.index : match.first.index;
        ASSERT_LT(match.first.index, match.second.index);
        ASSERT_EQ(match.winner.value, std::max(match.first.value, match.second.value));
        ASSERT_FALSE(out[static_cast<std::size_t>(loser)]) << "who has lost plays no more";
        out[static_cast<std::size_t>(loser)] = true;
        ++lost;
      }
    ASSERT_EQ(matches, static_cast<std::size_t>(n - 1));
    ASSERT_EQ(lost, matches) << "all but the winner lose once";
    ASSERT_EQ(on.operations().work(), matches);
    ASSERT_EQ(on.counts().steps, rounds);
    ASSERT_EQ(on.operations().depth(), rounds);
  }
}

TEST(tournament, is_the_tree_with_maximum)
{
  for (int const n : {1, 2, 7, 100, 1000}) {
    model::machine on, tree;
    outcome const greatest = run(*find_kernel("tree-reduction"), tree, strengths(n), operation::maximum);
    EXPECT_EQ(on_the_machine(on, strengths(n)).winner().value, std::get<std::vector<int>>(greatest.result)[0]);
    EXPECT_EQ(on.operations().width(), tree.operations().width());
  }
}

TEST(tournament, who_met_whom)
{
  bracket<int> const played = tournament(std::vector<int>{3, 1, 7, 0, 4});
  using match = bracket<int>::match;
  EXPECT_EQ(played.matches(0), (std::vector<match>{{{3, 0}, {1, 1}, {3, 0}}, {{7, 2}, {0, 3}, {7, 2}}}));
  EXPECT_EQ(played.matches(1), (std::vector<match>{{{3, 0}, {7, 2}, {7, 2}}}));
  EXPECT_EQ(played.matches(2), (std::vector<match>{{{7, 2}, {4, 4}, {7, 2}}}));
  EXPECT_EQ(played.winner(), (indexed<int, int>{7, 2}));
}

TEST(tournament, drawn)
{
  EXPECT_EQ(drawn(tournament(std::vector<int>{3, 1, 7, 0})), "3 -+\n"
                                                             "   +- 3 -+\n"
                                                             "1 -+     |\n"
                                                             "         +- 7\n"
                                                             "7 -+     |\n"
                                                             "   +- 7 -+\n"
                                                             "0 -+\n");
  EXPECT_EQ(drawn(tournament(std::vector<int>{3, 10, 6})), " 3 -+\n"
                                                           "    +- 10 -+\n"
                                                           "10 -+      +- 10\n"
                                                           "           |\n"
                                                           " 6 --   6 -+\n");
  EXPECT_EQ(drawn(tournament(std::vector<int>{5})), "5\n");
  EXPECT_EQ(
      drawn(tournament(std::vector<int>{5, 7}), [](auto const& player) { return std::string(1, "ab"[player.index]); }),
      "a -+\n"
      "   +- b\n"
      "b -+\n");
}

TEST(tournament, of_the_catalogue_has_winner_and_bracket)
{
  kernel_entry const& kernel = *find_kernel("tournament");
  for (int const n : {1, 2, 5, 100, 1000}) {
    model::machine on;
    outcome const left = run(kernel, on, strengths(n));
    EXPECT_EQ(std::get<std::vector<int>>(left.result), std::vector<int>{tournament(strengths(n)).winner().value});
    EXPECT_EQ(left.drawing, drawn(tournament(strengths(n))));
    EXPECT_TRUE(on.counts().clean());
  }
  model::machine decimals;
  outcome const left = run(kernel, decimals, std::vector<float>{0.5F, -1.5F, 0.25F});
  EXPECT_EQ(std::get<std::vector<float>>(left.result), std::vector<float>{0.5F});
  EXPECT_NE(left.drawing.find("0.25 --"), std::string::npos) << left.drawing;
}

TEST(tournament, is_by_the_maximum_alone)
{
  kernel_entry const& kernel = *find_kernel("tournament");
  model::machine on;
  EXPECT_NO_THROW(run(kernel, on, strengths(4), operation::maximum));
  EXPECT_THROW(run(kernel, on, strengths(4), operation::sum), usage_error);
  EXPECT_THROW(run(kernel, on, std::vector<letters>{{0, 0}}), usage_error);
  EXPECT_THROW(run(kernel, on, std::vector<int>{}), usage_error);
}

}  // namespace
}  // namespace tally::textbook
