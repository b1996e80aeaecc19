// Which way is found to be the quickest one, by a clock of the test's own.
#include "src/cpu/quickest_way.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace {

using tally::cpu_backend::quickest_way;

struct clock_of_test {
  using duration = std::chrono::duration<std::int64_t>;
  using rep = duration::rep;
  using time_point = std::chrono::time_point<clock_of_test>;
  static inline rep time = 1000;
  static time_point now() { return time_point(duration(time)); }
};

/// The ways of `count` parts, of which part k by way w takes ticks(k, w).
template <std::size_t Ways, class Ticks>
std::vector<std::size_t> ways_of(std::size_t parts_in_stretch, std::size_t count, Ticks const& ticks)
{
  quickest_way<Ways, clock_of_test> way_of(parts_in_stretch);
  std::vector<std::size_t> ways;
  for (std::size_t k = 0; k < count; ++k) {
    way_of([&](std::size_t way) {
      ways.push_back(way);
      clock_of_test::time += ticks(k, way);
    });
  }
  return ways;
}

TEST(QuickestWay, GoesOnByTheOneThatTookTheLeastTime)
{
  for (std::size_t quickest = 0; quickest < 3; ++quickest) {
    for (std::size_t const stretch : {1u, 2u, 4u, 5u}) {
      std::size_t const trials = 4 * 3 * stretch;
      std::vector<std::size_t> const ways =
          ways_of<3>(stretch, trials + 20, [&](std::size_t, std::size_t way) { return way == quickest ? 9 : 10; });
      ASSERT_EQ(ways.size(), trials + 20);
      for (std::size_t k = 0; k < trials; ++k) EXPECT_EQ(ways[k], k / stretch % 3) << k << " of " << stretch;
      for (std::size_t k = trials; k < ways.size(); ++k) EXPECT_EQ(ways[k], quickest) << k << " of " << stretch;
    }
  }
}

TEST(QuickestWay, LooksAtTheSecondHalfOfAStretch)
{
  auto const ticks = [](std::size_t k, std::size_t way) {
    return k % 4 < 2 ? (way == 0 ? 5 : 50) : 10 - static_cast<int>(way);
  };
  EXPECT_EQ(ways_of<2>(4, 4 * 2 * 4 + 1, ticks).back(), 1u);
}

TEST(QuickestWay, CountsAnInterruptedPartNoMoreThanThree)
{
  // Sixteen parts of each way count: 160 ticks and 192. One of the quicker way, or of the other, is interrupted.
  auto const ticks = [](std::size_t k, std::size_t way) { return k == 37 ? 1000000 : way == 1 ? 10 : 12; };
  ASSERT_EQ(37 / 8 % 2, 0);
  ASSERT_EQ(ways_of<2>(8, 200, ticks).back(), 1u);
  auto const other = [](std::size_t k, std::size_t way) { return k == 45 ? 1000000 : way == 1 ? 10 : 12; };
  ASSERT_EQ(45 / 8 % 2, 1);
  EXPECT_EQ(ways_of<2>(8, 200, other).back(), 1u);
  // The first part that counts: those before it show what a part takes.
  auto const first = [](std::size_t k, std::size_t way) { return k == 4 ? 1000000 : way == 0 ? 10 : 12; };
  EXPECT_EQ(ways_of<2>(8, 200, first).back(), 0u);
}

TEST(QuickestWay, IsSharedByThreads)
{
  quickest_way<3> way_of(4);
  std::array<std::vector<std::size_t>, 4> ways;
  std::vector<std::thread> threads;
  for (std::vector<std::size_t>& own : ways)
    threads.emplace_back([&] {
      for (std::size_t k = 0; k < 100; ++k) way_of([&](std::size_t way) { own.push_back(way); });
    });
  for (std::thread& thread : threads) thread.join();
  std::array<std::size_t, 3> calls{};
  for (std::vector<std::size_t> const& own : ways) {
    EXPECT_EQ(own.size(), 100u);
    for (std::size_t const way : own) ++calls.at(way);
  }
  for (std::size_t const count : calls) EXPECT_GE(count, 16u);  // four stretches each
}

}  // namespace
