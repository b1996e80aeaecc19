#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../ranks/offsets.hpp"
#include "../support/data.hpp"
#include "../support/divisions.hpp"
#include "../support/operators.hpp"
#include "../support/watchdog.hpp"
#include "host_machine.hpp"
#include "tally/detail/nccl/segments_between.hpp"
#include "tally/ranks.hpp"

/// Segments between offsets that cross from GPU to GPU, in this machine's memory.
namespace tally::test {
namespace {

/// Segments of n values, with an initial value each, and the results by the order.
template <class T, class Op, from End>
struct segments_by_order {
  using element = T;
  static constexpr from end = End;

  std::vector<T> x, inits;
  std::vector<std::int64_t> offsets;
  std::size_t tile;
  Op op;
  std::vector<T> sums, sums_from_each, inclusive, exclusive, lasts;

  segments_by_order(std::size_t n, std::vector<std::int64_t> places, std::size_t tile_elements, Op operation)
      : x(make_data<T>(hardest<T>, n)),
        inits(make_data<T>(data::distinct, places.size(), 5)),
        offsets(std::move(places)),
        tile(tile_elements),
        op(operation),
        inclusive(n, T(77)),
        exclusive(n, T(77))
  {
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      auto own = piece_of(x, place(s), place(s + 1));
      if (End == from::back) std::reverse(own.begin(), own.end());
      auto const scanned = [&](std::optional<T> const& init) { return reference::scan(own, op, init, tiles_of(tile)); };
      sums.push_back(*scanned(inits[0]).reduced);
      sums_from_each.push_back(*scanned(inits[s]).reduced);
      lasts.push_back(sums_from_each.back());
      if (own.empty()) continue;
      put(scanned(std::nullopt).inclusive, s, inclusive);
      put(scanned(inits[s]).exclusive, s, exclusive);
    }
  }

private:
  std::size_t place(std::size_t s) const { return static_cast<std::size_t>(offsets[s]); }
  void put(std::vector<T> results, std::size_t s, std::vector<T>& all) const
  {
    if (End == from::back) std::reverse(results.begin(), results.end());
    std::copy(results.begin(), results.end(), all.begin() + offsets[s]);
  }
};

template <class All>
void check_divisions(All const& all, std::vector<std::vector<std::size_t>> const& divisions)
{
  watchdog const waits(std::chrono::seconds(300));
  host_machine machine;
  machine.tile = all.tile;
  on_host_ranks(static_cast<int>(divisions[0].size()) - 1, machine, {},
                [&](host_ranks const& on, int rank) { check_parts(on, rank, all, divisions); });
}

/// The same from the front and from the back.
template <class T, class Op>
void check_both_ways(std::size_t n, std::vector<std::int64_t> const& offsets, std::size_t tile, Op op,
                     std::vector<std::vector<std::size_t>> const& divisions)
{
  check_divisions(segments_by_order<T, Op, from::front>(n, offsets, tile, op), divisions);
  check_divisions(segments_by_order<T, Op, from::back>(n, offsets, tile, op), divisions);
}

TEST(segments_between_on_gpus, every_division)
{
  std::size_t const n = 9;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    auto const offsets = random_offsets(seed == 0 ? 2 : 5, seed, n - seed % 2, seed);
    check_both_ways<float>(n, offsets, 3, halve_and_add_in_double{}, every_division(n));
  }
  check_both_ways<std::int32_t>(n, {0, 0, 4, 9, 9}, 3, plus{}, every_division(n));
}

TEST(segments_between_on_gpus, every_set_of_offsets)
{
  auto const divisions = every_division_with_idle_ranks(3);
  std::size_t number = 0;
  for_each_set_of_offsets([&](std::vector<std::int64_t> const& offsets) {
    check_both_ways<float>(3, offsets, 1 + number++ % 2, halve_and_add_in_double{}, divisions);
  });
}

TEST(segments_between_on_gpus, long_segments_across_spans)
{
  std::size_t const n = 300;
  for (std::uint64_t seed = 0; seed < 4; ++seed)
    check_both_ways<double>(n, random_offsets(seed + 1, 0, n, seed), 2, halve_and_add{},
                            random_divisions(n, 6, 3, 10 * seed));
}

TEST(segments_between_on_gpus, many_ranks)
{
  std::size_t const n = 600;
  for (std::size_t const count : {1, 10, 400})
    check_both_ways<float>(n, random_offsets(count, 0, n, 1), 3, halve_and_add_in_double{},
                           random_divisions(n, 30, 2, 3));
}

/// The text of the exception of rank 0 of three, whose parts have four elements. The ranks are in step after it.
std::string text_of(std::vector<std::vector<int>> const& offsets)
{
  watchdog const waits(std::chrono::seconds(60));
  std::string text;
  std::vector<float> const part(4, 1.0f);
  on_host_ranks(3, {}, {}, [&](host_ranks const& on, int rank) {
    try {
      std::vector<float> out(4);
      tally::inclusive_scan(on, tally::segments(part, offsets[static_cast<std::size_t>(rank)]), out);
    } catch (rank_error const& e) {
      if (rank == 0) text = e.what();
    }
    if (tally::reduce(on, std::vector<int>(2, 1)) != 6) throw error("the call after it");
  });
  return text;
}

TEST(segments_between_on_gpus, mistakes)
{
  EXPECT_EQ(text_of({{0, 6}, {6, 7, 12}, {}}), "");
  EXPECT_EQ(text_of({{0, 6}, {3, 12}, {}}),
            "tally: rank 1 of 3 failed: segments begin at 3 to 3, and this rank's part is from "
            "4 to 8: each rank gives the segments that begin in its part, by their places in the whole");
  EXPECT_EQ(text_of({{0, 6}, {6, 8}, {9, 13}}),
            "tally: rank 2 of 3 failed: the last offset is 13, and the ranks have 12 values");
  EXPECT_EQ(text_of({{0, 6}, {5, 12}, {}}),
            "tally: rank 1 of 3 failed: the first offset is 5, and a segment of a rank before ends at 6");
}

/// Last values of empty segments, offsets of another type, results of a wider one.
TEST(segments_between_on_gpus, the_smaller_forms)
{
  on_host_ranks(2, {}, {}, [&](host_ranks const& on, int rank) {
    std::vector<float> const part(3, 1.0f);
    std::vector<std::uint32_t> const offsets =
        rank == 0 ? std::vector<std::uint32_t>{1, 5} : std::vector<std::uint32_t>{5, 5, 6};
    std::vector<float> sums(rank == 0 ? 1 : 2, 77.0f);
    tally::reduce(on, tally::segments(part, offsets), sums);
    if (rank == 0 ? sums[0] != 4.0f : sums[0] != 0.0f || sums[1] != 1.0f) throw error("sums");
    std::vector<double> lasts(sums.size(), 77.0), out(3, 77.0);
    tally::inclusive_scan<double>(on, tally::segments(part, offsets), out, plus{}, last_to(lasts));
    if (out != (rank == 0 ? std::vector<double>{77, 1, 2} : std::vector<double>{3, 4, 1})) throw error("running sums");
    if (lasts != (rank == 0 ? std::vector<double>{4.0} : std::vector<double>{0.0, 1.0})) throw error("last values");
  });
}

TEST(segments_between_on_gpus, what_crosses)
{
  // Ten values on each of two ranks.
  auto const run = [&](std::vector<int> const& on_first, std::vector<int> const& on_second) {
    return on_host_ranks(2, {}, {}, [&](host_ranks const& on, int rank) {
      std::vector<float> part(10, 1.0f);
      tally::inclusive_scan(on, tally::segments(part, rank == 0 ? on_first : on_second), part);
    });
  };
  std::size_t const round = 2 * 128, block = 2 * 256;
  // Sizes and offsets, memory for the first time, a block of totals and the last round; a head there and back.
  EXPECT_EQ(run({0, 20}, {}), (traffic{2, 2 * 2 * 4, 4, 3 * round + block}));
  EXPECT_EQ(run({0, 10}, {10, 20}), (traffic{0, 0, 2, 2 * round}));  // none crosses
  // From the back an initial value goes to the rank with the end of the segment, which holds its first tiles.
  auto const run_back = [&](auto... init) {
    return on_host_ranks(2, {}, {}, [&](host_ranks const& on, int rank) {
      std::vector<float> const part(10, 1.0f);
      std::vector<float> sums(rank == 0 ? 1 : 0);
      std::vector<int> const offsets = rank == 0 ? std::vector<int>{0, 13} : std::vector<int>{};
      tally::reduce(on, tally::reversed(tally::segments(part, offsets)), sums, init...);
      if (rank == 0 && sums[0] != (13.0f + ... + init)) throw error("a sum from the back");
    });
  };
  EXPECT_EQ(run_back(), (traffic{0, 0, 4, 3 * round + block}));  // whose tiles end where parts do
  EXPECT_EQ(run_back(2.0f), (traffic{1, 4, 4, 3 * round + block}));
}

}  // namespace
}  // namespace tally::test
