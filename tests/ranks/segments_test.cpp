#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../support/data.hpp"
#include "../support/divisions.hpp"
#include "../support/operators.hpp"
#include "../support/virtual_ranks.hpp"
#include "../support/watchdog.hpp"
#include "segmented.hpp"
#include "tally/operators/exact_plus.hpp"
#include "tally/ranks.hpp"

/// Segments that cross from rank to rank: each has the bits of one machine with that segment alone.
namespace tally::test {
namespace {

template <class T, class Op>
void check_divisions(segmented<T, Op> const& all, std::vector<std::vector<std::size_t>> const& divisions)
{
  watchdog const waits(std::chrono::seconds(300));
  on_virtual_ranks(static_cast<int>(divisions[0].size()) - 1, [&](virtual_rank const& on, int rank) {
    in_each_division(rank, divisions, [&](std::size_t begin, std::size_t end) { check_segments(on, all, begin, end); });
  });
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
  for_each_pattern_of_flags([](auto const& flags, auto const& divisions) {
    check_divisions(segmented<float, halve_and_add_in_double>(flags.size(), flags, order::tile<float>, {}), divisions);
  });
}

TEST(segments_on_ranks, long_segments_in_tiles_of_the_order)
{
  std::size_t const n = 3 * order::tile<double> + 100;
  for_each_few_flags(n, [&](auto const& flags, auto const& divisions) {
    check_divisions(segmented<double, plus>(n, flags, order::tile<double>, {}), divisions);
  });
}

TEST(segments_on_ranks, many_ranks)
{
  std::size_t const n = 2000;
  for (std::size_t const one_in : {1, 3, 100, 3000})
    check_divisions(segmented<float, halve_and_add_in_double>(n, random_flags(n, one_in, 1), order::tile<float>, {}),
                    random_divisions(n, 40, 2, 3));
}

TEST(segments_on_ranks, exact_sums)
{
  std::size_t const n = 9;
  auto const x = make_data<double>(hardest<double>, n);
  auto const flags = random_flags(n, 4, 1);
  std::vector<int> keys(n);
  for (std::size_t k = 0; k < n; ++k) keys[k] = (k > 0 ? keys[k - 1] : 0) + flags[k];
  std::vector<double> sums(n), inclusive(n), exclusive(n);
  exact_plus const op;
  sums.resize(tally::reduce_by_flag(cpu{1}, x.begin(), x.end(), flags.begin(), sums.begin(), op));
  tally::inclusive_scan_by_flag(cpu{1}, x.begin(), x.end(), flags.begin(), inclusive.begin(), op);
  tally::exclusive_scan_by_flag(cpu{1}, x.begin(), x.end(), flags.begin(), exclusive.begin(), x[0], op);
  on_virtual_ranks(3, [&](virtual_rank const& on, int rank) {
    in_each_division(rank, every_division(n), [&](std::size_t begin, std::size_t end) {
      auto const at = [](auto const& all, std::size_t k) { return all.begin() + static_cast<std::ptrdiff_t>(k); };
      std::vector<double> out(end - begin), own(n);
      std::vector<int> runs(n);
      tally::inclusive_scan_by_flag(on, at(x, begin), at(x, end), at(flags, begin), out.begin(), op);
      expect_part(out, inclusive, begin, "inclusive_scan_by_flag");
      tally::exclusive_scan_by_key(on, at(keys, begin), at(keys, end), at(x, begin), out.begin(), x[0], op);
      expect_part(out, exclusive, begin, "exclusive_scan_by_key");
      own.resize(tally::reduce_by_key(on, at(keys, begin), at(keys, end), at(x, begin), runs.begin(), own.begin(), op));
      std::size_t first = 0;
      for (std::size_t k = 0; k < begin; ++k) first += k == 0 || flags[k] != 0;
      expect_part(own, sums, first, "reduce_by_key");
    });
  });
}

/// They need no tiles.
TEST(segments_on_ranks, integers_in_memory)
{
  on_virtual_ranks(3, [](virtual_rank const& on, int rank) {
    std::vector<std::int32_t> const part(5, 1);
    std::vector<char> const flags{0, 0, 0, static_cast<char>(rank == 2), 0};
    std::vector<std::int32_t> sums(2), out(5);
    tally::inclusive_scan_by_flag(on, part.begin(), part.end(), flags.begin(), out.begin());
    if (out[2] != 5 * rank + 3 || (rank == 2 && out[4] != 2)) throw error("running sums");
    std::size_t const count = tally::reduce_by_flag(on, part.begin(), part.end(), flags.begin(), sums.begin());
    if (count != (rank == 1 ? 0 : 1) || (rank != 1 && sums[0] != (rank == 0 ? 13 : 2))) throw error("sums");
  });
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
