#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../support/bits.hpp"
#include "../support/data.hpp"
#include "../support/operators.hpp"
#include "../support/virtual_ranks.hpp"
#include "../support/watchdog.hpp"
#include "parts.hpp"
#include "tally/ranks.hpp"

/// Segments that cross from rank to rank: each has the bits of one machine with that segment alone.
namespace tally::test {
namespace {

/// Values, the flags of their segments, keys with the same runs, and the results by the order.
template <class T, class Op>
struct segmented {
  std::vector<T> x;
  std::vector<char> flags;
  std::vector<std::int16_t> keys;
  Op op;
  T init;
  std::size_t tile;
  std::vector<T> inclusive, exclusive, sums;
  std::vector<std::size_t> begins;

  segmented(std::size_t n, std::vector<char> heads, std::size_t tile_elements, Op operation)
      : x(make_data<T>(hardest<T>, n)),
        flags(std::move(heads)),
        op(operation),
        init(make_data<T>(data::distinct, 1, 99)[0]),
        tile(tile_elements)
  {
    auto const shape = shape_of<T>(tile);
    for (std::size_t begin = 0, end = 0; begin < n; begin = end) {
      for (end = begin + 1; end < n && flags[end] == 0;) ++end;
      std::vector<T> const own(x.begin() + static_cast<std::ptrdiff_t>(begin),
                               x.begin() + static_cast<std::ptrdiff_t>(end));
      auto const plain = reference::scan(own, op, std::optional<T>(), shape);
      auto const started = reference::scan(own, op, std::optional<T>(init), shape);
      inclusive.insert(inclusive.end(), plain.inclusive.begin(), plain.inclusive.end());
      exclusive.insert(exclusive.end(), started.exclusive.begin(), started.exclusive.end());
      sums.push_back(*plain.reduced);
      begins.push_back(begin);
      keys.insert(keys.end(), end - begin, static_cast<std::int16_t>(begins.size() % 3));
    }
  }
};

/// Every call by flag and by key on one rank's part.
template <class T, class Op>
void check_rank(virtual_rank const& on, segmented<T, Op> const& all, std::size_t begin, std::size_t end)
{
  auto const at = [&](auto const& values) { return values.begin() + static_cast<std::ptrdiff_t>(begin); };
  std::size_t const n = end - begin;
  auto const values = in_tiles_of(all.tile, all.x) + static_cast<std::ptrdiff_t>(begin);
  auto const values_end = values + static_cast<std::ptrdiff_t>(n);
  auto const keys_end = at(all.keys) + static_cast<std::ptrdiff_t>(n);
  std::vector<T> out(n, T{});
  tally::inclusive_scan_by_flag(on, values, values_end, at(all.flags), out.begin(), all.op);
  expect_part(out, all.inclusive, begin, "inclusive_scan_by_flag");
  tally::exclusive_scan_by_flag(on, values, values_end, at(all.flags), out.begin(), all.init, all.op);
  expect_part(out, all.exclusive, begin, "exclusive_scan_by_flag");
  tally::inclusive_scan_by_key(on, at(all.keys), keys_end, values, out.begin(), all.op);
  expect_part(out, all.inclusive, begin, "inclusive_scan_by_key");
  tally::exclusive_scan_by_key(on, at(all.keys), keys_end, values, out.begin(), all.init, all.op);
  expect_part(out, all.exclusive, begin, "exclusive_scan_by_key");

  auto const first =
      static_cast<std::size_t>(std::lower_bound(all.begins.begin(), all.begins.end(), begin) - all.begins.begin());
  auto const behind =
      static_cast<std::size_t>(std::lower_bound(all.begins.begin(), all.begins.end(), end) - all.begins.begin());
  std::vector<T> sums(n + 1, T{});
  std::vector<std::int16_t> keys(n + 1, -1);
  std::size_t count = tally::reduce_by_flag(on, values, values_end, at(all.flags), sums.begin(), all.op);
  if (count != behind - first) throw error("reduce_by_flag: " + std::to_string(count) + " segments");
  sums.resize(count);
  expect_part(sums, all.sums, first, "reduce_by_flag");
  sums.assign(n + 1, T{});
  count = tally::reduce_by_key(on, at(all.keys), keys_end, values, keys.begin(), sums.begin(), all.op);
  if (count != behind - first) throw error("reduce_by_key: " + std::to_string(count) + " runs");
  sums.resize(count);
  expect_part(sums, all.sums, first, "reduce_by_key");
  for (std::size_t s = 0; s < count; ++s)
    if (keys[s] != all.keys[all.begins[first + s]]) throw error("a key");
}

template <class T, class Op>
void check_divisions(segmented<T, Op> const& all, std::vector<std::vector<std::size_t>> const& divisions)
{
  watchdog const waits(std::chrono::seconds(300));
  on_virtual_ranks(static_cast<int>(divisions[0].size()) - 1, [&](virtual_rank const& on, int rank) {
    in_each_division(rank, divisions, [&](std::size_t begin, std::size_t end) { check_rank(on, all, begin, end); });
  });
}

/// Flags of which one in `one_in` is set.
std::vector<char> random_flags(std::size_t n, std::size_t one_in, std::uint64_t seed)
{
  std::vector<char> flags(n);
  for (std::size_t k = 0; k < n; ++k) flags[k] = random_bits(seed, k) % one_in == 0;
  return flags;
}

TEST(segments_on_ranks, every_division)
{
  std::size_t const n = 11;
  auto const divisions = every_division(n);
  for (std::uint64_t seed = 0; seed < 2; ++seed) {
    auto const flags = random_flags(n, seed == 0 ? 4 : 8, seed);
    check_divisions(segmented<float, halve_and_add_in_double>(n, flags, order::tile<float>, {}), divisions);
    check_divisions(segmented<std::int32_t, plus>(n, flags, order::tile<std::int32_t>, {}), divisions);
  }
}

TEST(segments_on_ranks, every_pattern_of_flags)
{
  std::size_t const n = 4;
  for (unsigned pattern = 0; pattern < 16; ++pattern) {
    std::vector<char> flags(n);
    for (std::size_t k = 0; k < n; ++k) flags[k] = static_cast<char>(pattern >> k & 1);
    std::vector<std::vector<std::size_t>> divisions;
    for_each_division(n, [&](auto const& offsets) {
      divisions.push_back({0, offsets[1], offsets[1], offsets[2], n, n});  // five ranks, of which some have nothing
    });
    check_divisions(segmented<float, halve_and_add_in_double>(n, flags, order::tile<float>, {}), divisions);
  }
}

TEST(segments_on_ranks, long_segments_in_tiles_of_the_order)
{
  std::size_t const n = 3 * order::tile<double> + 100;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    std::vector<char> flags(n);
    for (std::size_t s = 0; s < seed; ++s) flags[random_bits(seed, s) % n] = 1;
    std::vector<std::vector<std::size_t>> divisions;
    for (std::uint64_t k = 0; k < 3; ++k) divisions.push_back(random_division(n, 6, 10 * seed + k));
    check_divisions(segmented<double, plus>(n, flags, order::tile<double>, {}), divisions);
  }
}

TEST(segments_on_ranks, many_ranks)
{
  std::size_t const n = 2000;
  for (std::size_t const one_in : {1, 3, 100, 3000})
    check_divisions(segmented<float, halve_and_add_in_double>(n, random_flags(n, one_in, 1), order::tile<float>, {}),
                    {random_division(n, 40, 3), random_division(n, 40, 4)});
}

TEST(segments_on_ranks, failures_and_calls_that_differ)
{
  watchdog const waits(std::chrono::seconds(60));
  std::vector<float> const x(6, 1.0f);
  std::vector<char> const flags{0, 0, 1, 0, 1, 0};  // each rank has a segment of its own
  std::vector<int> const keys(6, 1);
  for (int failing = 0; failing < 3; ++failing)
    on_virtual_ranks(3, [&](virtual_rank const& on, int rank) {
      std::vector<float> out(6);
      std::string text;
      try {
        tally::inclusive_scan_by_flag(on, x.begin(), x.end(), flags.begin(), out.begin(), [&](float a, float b) {
          if (rank == failing) throw error("no sum");
          return a + b;
        });
      } catch (rank_error const& e) {
        text = e.what();
      }
      if (text != "tally: rank " + std::to_string(failing) + " of 3 failed: no sum") throw error(text);
      try {
        if (rank == failing)
          tally::inclusive_scan_by_key(on, keys.begin(), keys.end(), x.begin(), out.begin());
        else
          tally::inclusive_scan_by_flag(on, x.begin(), x.end(), flags.begin(), out.begin());
      } catch (rank_error const& e) {
        text = e.what();
      }
      if (text.find("inclusive_scan_by_key of float") == text.npos) throw error(text);
      if (tally::reduce(on, std::vector<int>(2, 1)) != 6) throw error("the call after it");
    });
}

TEST(segments_on_ranks, what_crosses)
{
  auto const run = [&](std::vector<char> const& flags) {
    return on_virtual_ranks(2, [&](virtual_rank const& on, int rank) {
      std::vector<float> part(10, 1.0f);
      tally::inclusive_scan_by_flag(on, part.begin(), part.end(), flags.begin() + rank * 10, part.begin());
    });
  };
  std::vector<char> flags(20);
  // A segment of all: its sizes, its totals and the last round, and a head there and back.
  EXPECT_EQ(run(flags), (traffic{2, 2 * 10 * 4, 3, 3 * 2 * 128}));
  flags[15] = flags[7] = 1;
  EXPECT_EQ(run(flags), (traffic{2, 2 * 5 * 4, 3, 3 * 2 * 128}));
  flags[10] = 1;  // none crosses
  EXPECT_EQ(run(flags), (traffic{0, 0, 2, 2 * 2 * 128}));
}

}  // namespace
}  // namespace tally::test
