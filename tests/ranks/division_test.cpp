#include "tally/detail/ranks/division.hpp"

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace tally::ranks_backend {
namespace {

/// The facts about one element or tile, found by looking at each.
struct by_looking {
  std::vector<std::uint64_t> offsets;
  std::uint64_t tile;

  int rank_of(std::uint64_t element) const
  {
    int rank = 0;
    while (offsets[static_cast<std::size_t>(rank) + 1] <= element) ++rank;
    return rank;
  }
  int holder(std::uint64_t element) const { return rank_of(element / tile * tile); }
};

void check(std::vector<std::uint64_t> const& sizes, std::uint64_t tile, std::uint64_t span)
{
  std::vector<std::uint64_t> offsets(sizes.size() + 1);
  std::partial_sum(sizes.begin(), sizes.end(), offsets.begin() + 1);
  division const parts(offsets, tile, span);
  by_looking const look{offsets, tile};
  std::uint64_t const n = offsets.back();
  ASSERT_EQ(parts.size(), n);

  std::vector<std::uint64_t> tiles(sizes.size());
  std::vector<std::size_t> heads(sizes.size()), tails(sizes.size());
  for (std::uint64_t k = 0; k < n; ++k) {
    auto const rank = static_cast<std::size_t>(look.rank_of(k));
    tiles[rank] += k % tile == 0;
    heads[rank] += look.holder(k) != static_cast<int>(rank);
    std::uint64_t const last = std::min(n, (k / tile + 1) * tile) - 1;  // of k's tile
    tails[rank] += look.holder(k) == static_cast<int>(rank) && look.rank_of(last) != static_cast<int>(rank);
  }
  std::uint64_t next_tile = 0;
  for (int r = 0; r < parts.ranks(); ++r) {
    auto const rank = static_cast<std::size_t>(r);
    ASSERT_EQ(parts.tiles(r), tiles[rank]);
    if (tiles[rank] > 0) {
      ASSERT_EQ(parts.first_tile(r), next_tile);
    }
    ASSERT_EQ(parts.head(r), heads[rank]);
    if (heads[rank] > 0) {
      ASSERT_EQ(parts.holder_of_head(r), look.holder(offsets[rank]));
    }
    ASSERT_EQ(parts.tail(r), tails[rank]);
    std::vector<std::size_t> sent(sizes.size());
    std::size_t place = parts.tail(r);
    parts.for_each_contributor(r, [&](int from, std::size_t count, std::size_t at) {
      ASSERT_EQ(at, place);
      place += count;
      sent[static_cast<std::size_t>(from)] = count;
    });
    for (std::size_t from = 0; from < sizes.size(); ++from)
      ASSERT_EQ(sent[from], heads[from] > 0 && parts.holder_of_head(static_cast<int>(from)) == r ? heads[from] : 0);
    if (tails[rank] > 0) {
      ASSERT_EQ(place, parts.border_tile(r));
    }

    shared_totals const shared = parts.totals(r);
    ASSERT_EQ(shared.single + shared.spans * span + shared.part + shared.last, tiles[rank]);
    ASSERT_LE(shared.values(), shared.spans + (span - 1) + 1 + 2);
    ASSERT_LT(shared.part, span);
    if (shared.spans + shared.part > 0) {
      ASSERT_EQ((parts.first_tile(r) + shared.single) % span, 0u);
    }
    if (tiles[rank] > 0) {
      ASSERT_EQ(shared.last, tiles[rank] > 1 ? 2u : 1u);
    }
    next_tile += tiles[rank];
  }
}

TEST(division, every_division_of_small_sequences_among_three_ranks)
{
  for (std::uint64_t tile = 1; tile <= 4; ++tile)
    for (std::uint64_t span = 1; span <= 3; ++span)
      for (std::uint64_t n = 0; n <= 26; ++n)
        for (std::uint64_t a = 0; a <= n; ++a)
          for (std::uint64_t b = a; b <= n; ++b) check({a, b - a, n - b}, tile, span);
}

TEST(division, every_division_of_smaller_sequences_among_six_ranks)
{
  std::uint64_t const n = 9;
  std::vector<std::uint64_t> cut(5);
  auto const each = [&](auto const& self, std::size_t k, std::uint64_t least) -> void {
    if (k == cut.size()) {
      check({cut[0], cut[1] - cut[0], cut[2] - cut[1], cut[3] - cut[2], cut[4] - cut[3], n - cut[4]}, 3, 2);
      return;
    }
    for (cut[k] = least; cut[k] <= n; ++cut[k]) self(self, k + 1, cut[k]);
  };
  each(each, 0, 0);
}

TEST(division, elements_beyond_two_to_the_forty)
{
  std::uint64_t const tile = 8192, span = 32, part = (std::uint64_t{1} << 40) + 5;
  std::vector<std::uint64_t> const offsets{0, part, 2 * part, 3 * part};
  division const parts(offsets, tile, span);
  EXPECT_EQ(parts.tiles(0), (std::uint64_t{1} << 27) + 1);
  EXPECT_EQ(parts.tail(0), 5u);
  EXPECT_EQ(parts.head(1), tile - 5);
  EXPECT_EQ(parts.holder_of_head(1), 0);
  EXPECT_EQ(parts.totals(1).single, 31u);
  EXPECT_EQ(parts.totals(1).spans, (std::uint64_t{1} << 22) - 2);
  EXPECT_EQ(parts.totals(1).part, 31u);
  EXPECT_EQ(parts.totals(1).last, 2u);
  EXPECT_EQ(parts.tail(2), 0u);
}

}  // namespace
}  // namespace tally::ranks_backend
