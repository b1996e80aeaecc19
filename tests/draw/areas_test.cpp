// The areas of the blocks of a launch in a drawing, and their texts.
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "draw/circuit.hpp"
#include "draw/diagram.hpp"
#include "runs.hpp"

namespace tally::test {
namespace {

using draw::circuit;
using area = std::tuple<int, int, int, int>;  // launch, block, first and last column

circuit in_small_blocks(char const* name, textbook::values const& in)
{
  return draw::circuit_of(record(*textbook::find_kernel(name, textbook::blocks::small), in).run);
}

std::vector<area> areas_of(circuit const& all)
{
  std::vector<area> areas;
  for (circuit::area const& each : all.blocks)
    areas.emplace_back(each.launch, each.block, each.first_column, each.last_column);
  return areas;
}

TEST(areas, of_two_launches)
{
  circuit const all = in_small_blocks("two-launch-reduction", one_to(16));
  EXPECT_EQ(areas_of(all),
            (std::vector<area>{{0, 0, 0, 3}, {0, 1, 4, 7}, {0, 2, 8, 11}, {0, 3, 12, 15}, {1, 0, 0, 12}}))
      << "the second launch reads the four totals";
  for (circuit::area const& each : all.blocks)
    for (circuit::node const& node : all.nodes)
      if (node.block == each.block && node.row >= each.first_row && node.row <= each.last_row) {
        EXPECT_GE(node.column, each.first_column);
        EXPECT_LE(node.column, each.last_column);
        EXPECT_EQ(all.rows[static_cast<std::size_t>(node.row)].launch, each.launch);
      }
}

TEST(areas, of_sections_their_sums_and_what_is_added)
{
  EXPECT_EQ(areas_of(in_small_blocks("scan-scan-add", one_to(16))), (std::vector<area>{{0, 0, 0, 3},
                                                                                       {0, 1, 4, 7},
                                                                                       {0, 2, 8, 11},
                                                                                       {0, 3, 12, 15},  // scan
                                                                                       {1, 0, 3, 15},   // the sums
                                                                                       {2, 0, 4, 7},
                                                                                       {2, 1, 8, 11},
                                                                                       {2, 2, 12, 15}}))
      << "block 0 adds to the second section";
}

TEST(areas, of_blocks_that_look_back_do_not_overlap)
{
  EXPECT_EQ(areas_of(in_small_blocks("single-pass-look-back", one_to(10))),
            (std::vector<area>{{1, 0, 0, 3}, {1, 1, 4, 7}, {1, 2, 8, 9}}));
}

TEST(areas, of_private_counts_side_by_side)
{
  circuit const all = in_small_blocks("private-histogram", std::vector<int>{3, 1, 3, 0});
  EXPECT_EQ(areas_of(all), (std::vector<area>{{0, 0, 0, 15}, {0, 1, 16, 31}, {1, 0, 0, 30}}));
  std::vector<std::string> const expected = {"1", "", "1", "", "0", "", "2", "", "0", "", "0", "", "0", "", "0"};
  EXPECT_EQ(all.result, expected) << "each bin below its first copy";
  std::size_t indices = 0;
  for (circuit::arrow const& each : all.arrows) indices += each.as == circuit::role::index;
  EXPECT_EQ(indices, 4U) << "each element is the index of its count";
  // Element 3, a 0, is counted by thread 1 of block 1 in its bin 0.
  for (circuit::arrow const& each : all.arrows)
    if (each.as == circuit::role::index && all.nodes[static_cast<std::size_t>(each.from)].column == 3) {
      EXPECT_EQ(all.nodes[static_cast<std::size_t>(each.to)].column, 16 + 1);
    }
}

TEST(areas, of_one_block_are_not_drawn)
{
  EXPECT_TRUE(areas_of(draw::circuit_of(record("brent-kung", one_to(16)).run)).empty());
  EXPECT_TRUE(areas_of(draw::circuit_of(record("two-launch-reduction", one_to(16)).run)).empty());
  EXPECT_TRUE(areas_of(in_small_blocks("two-launch-reduction", one_to(4))).empty());
}

std::size_t times(std::string const& text, std::string const& part)
{
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(areas, are_drawn_with_the_blocks_names)
{
  std::string const drawing = draw::svg(in_small_blocks("scan-scan-add", one_to(16)), {"A title"});
  EXPECT_EQ(times(drawing, "<rect class=\"block\""), 8U);
  EXPECT_EQ(times(drawing, ">the work of a block<"), 1U);
  EXPECT_EQ(times(drawing, ">block 0<"), 3U);
  EXPECT_EQ(times(drawing, ">block 3<"), 1U);
  EXPECT_EQ(times(drawing, ">launch 3: add_to_sections<"), 1U);
  std::string const one = draw::svg(draw::circuit_of(record("brent-kung", one_to(16)).run), {"A title"});
  EXPECT_EQ(times(one, "<rect class=\"block\""), 0U);
  EXPECT_EQ(times(one, ">the work of a block<"), 0U);
  for (char const* meaning : {">combined<", ">bold: goes to out<", ">in out at the end<"})
    EXPECT_EQ(times(one, meaning), 1U) << meaning;
}

}  // namespace
}  // namespace tally::test
