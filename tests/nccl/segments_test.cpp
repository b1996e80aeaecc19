#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../ranks/segmented.hpp"
#include "../support/divisions.hpp"
#include "../support/operators.hpp"
#include "../support/watchdog.hpp"
#include "host_machine.hpp"
#include "tally/detail/nccl/segments.hpp"
#include "tally/ranks.hpp"

/// Segments that cross from GPU to GPU, in this machine's memory.
namespace tally::test {
namespace {

template <class T, class Op>
void check_divisions(segmented<T, Op> const& all, std::vector<std::vector<std::size_t>> const& divisions)
{
  watchdog const waits(std::chrono::seconds(300));
  host_machine machine;
  machine.tile = all.tile;
  on_host_ranks(static_cast<int>(divisions[0].size()) - 1, machine, {}, [&](host_ranks const& on, int rank) {
    in_each_division(rank, divisions, [&](std::size_t begin, std::size_t end) { check_segments(on, all, begin, end); });
  });
}

TEST(segments_on_gpus, every_division)
{
  std::size_t const n = 11;
  auto const divisions = every_division(n);
  for (std::uint64_t seed = 0; seed < 2; ++seed) {
    auto const flags = random_flags(n, seed == 0 ? 4 : 8, seed);
    check_divisions(segmented<float, halve_and_add_in_double>(n, flags, 3, {}), divisions);
    check_divisions(segmented<std::int32_t, plus>(n, flags, 3, {}), divisions);
  }
}

TEST(segments_on_gpus, every_pattern_of_flags)
{
  for_each_pattern_of_flags([](auto const& flags, auto const& divisions) {
    check_divisions(segmented<float, halve_and_add_in_double>(flags.size(), flags, 1, {}), divisions);
  });
}

TEST(segments_on_gpus, long_segments_across_spans)
{
  std::size_t const n = 300;
  for_each_few_flags(n, [&](auto const& flags, auto const& divisions) {
    check_divisions(segmented<double, halve_and_add>(n, flags, 2, {}), divisions);
  });
}

TEST(segments_on_gpus, many_ranks)
{
  std::size_t const n = 600;
  for (std::size_t const one_in : {1, 3, 100, 3000})
    check_divisions(segmented<float, halve_and_add_in_double>(n, random_flags(n, one_in, 1), 3, {}),
                    random_divisions(n, 40, 2, 3));
}

TEST(segments_on_gpus, calls_that_differ)
{
  watchdog const waits(std::chrono::seconds(60));
  std::vector<float> const x(6, 1.0f);
  std::vector<char> const flags{0, 0, 1, 0, 1, 0};  // each rank has a segment of its own
  std::vector<int> const keys(6, 1);
  on_host_ranks(3, {}, {}, [&](host_ranks const& on, int rank) {
    std::vector<float> out(6);
    std::string text;
    try {
      if (rank == 1)
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

TEST(segments_on_gpus, what_crosses)
{
  std::vector<std::size_t> sizes;
  auto const run = [&](std::vector<char> const& flags) {
    return on_host_ranks(2, {}, sizes, [&](host_ranks const& on, int rank) {
      std::vector<float> part(10, 1.0f);
      tally::inclusive_scan_by_flag(on, part.begin(), part.end(), flags.begin() + rank * 10, part.begin());
      if (flags[10] == 0 && part[9] != (rank == 0 ? 10.0f : 20.0f)) throw error("the last result of the part");
    });
  };
  std::vector<char> flags(20);
  std::size_t const round = 2 * 128, block = 2 * 256;
  // A segment of all: sizes, pieces, memory for the first time, a block of totals and the last round; and a head of two
  // elements there and back.
  EXPECT_EQ(run(flags), (traffic{2, 2 * 2 * 4, 5, 4 * round + block}));
  // With sizes that are known, pieces and the last round are left.
  sizes = {10, 10};
  EXPECT_EQ(run(flags), (traffic{2, 2 * 2 * 4, 3, 2 * round + block}));
  sizes.clear();
  flags[10] = 1;  // none crosses
  EXPECT_EQ(run(flags), (traffic{0, 0, 3, 3 * round}));
}

}  // namespace
}  // namespace tally::test
