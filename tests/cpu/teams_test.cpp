// Work by teams on a CPU, whose teams are one thread each.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "../support/count_zeros.hpp"
#include "tally/tally.hpp"
#include "tally/teams.hpp"

namespace {

using tally::test::count_zeros;

std::vector<std::size_t> const sizes = {0, 1, 2, 31, 32, 33, 4095, 4096, 4097, 70'000, 400'003};

TEST(lone_team, is_one_thread_in_one_row)
{
  constexpr tally::cpu_backend::lone_team team;
  static_assert(team.size() == 1 && team.rows() == 1 && team.lanes() == 1);
  static_assert(team.rank() == 0 && team.row() == 0 && team.lane() == 0);
  EXPECT_EQ(team.from_lane(2.5, 0), 2.5);
  EXPECT_EQ(team.vote(true), 1u);
  EXPECT_EQ(team.vote(false), 0u);
  std::uint32_t small = 0xffffffffu;
  team.add(small, 3u);
  EXPECT_EQ(small, 2u);
  std::int64_t large = -5;
  team.add(large, std::int64_t{7});
  EXPECT_EQ(large, 2);
  team.join(small, 0x80000001u);
  EXPECT_EQ(small, 0x80000003u);
}

/// Counts the calls for each index, and the calls with an invalid block.
struct note_block {
  struct memory {
    int nothing;
  };
  static constexpr int team_size = 32;

  std::atomic<int>* times;
  std::atomic<int>* wrong;
  std::size_t n;
  std::size_t block;

  template <class Team>
  void operator()(Team, memory&, std::size_t begin, std::size_t end) const
  {
    if (begin % block != 0 || end <= begin || end - begin > block || (end != n && end - begin != block)) ++*wrong;
    for (std::size_t k = begin; k < end; ++k) times[k].fetch_add(1);
  }
};

TEST(for_each_block_by_team, covers_all_without_overlap)
{
  for (std::size_t const n : sizes)
    for (std::size_t const block : {std::size_t{1}, std::size_t{7}, std::size_t{4096}, std::size_t{1'000'000}})
      for (int const threads : {0, 1, 3}) {
        if (n / block > 100'000) continue;
        std::vector<std::atomic<int>> times(n);
        std::atomic<int> wrong{0};
        tally::for_each_block_by_team(tally::cpu{threads}, n, block, note_block{times.data(), &wrong, n, block});
        EXPECT_EQ(wrong, 0) << n << " by " << block << " on " << threads;
        EXPECT_TRUE(std::all_of(times.begin(), times.end(), [](auto const& each) { return each == 1; }))
            << n << " by " << block << " on " << threads;
      }
}

/// Fills its memory, lets other threads run, and checks that the memory is unchanged.
struct keep_own {
  struct memory {
    std::size_t marks[6000];  // almost all of the 48 KiB
  };
  static constexpr int team_size = 1024;

  std::atomic<int>* changed;

  template <class Team>
  void operator()(Team, memory& own, std::size_t begin, std::size_t) const
  {
    for (std::size_t& mark : own.marks) mark = begin;
    std::this_thread::yield();
    if (!std::all_of(own.marks, own.marks + 6000, [begin](std::size_t mark) { return mark == begin; })) ++*changed;
  }
};

TEST(for_each_block_by_team, gives_each_team_memory_of_its_own)
{
  std::atomic<int> changed{0};
  tally::for_each_block_by_team(tally::cpu{4}, 10'000'000, 10'000, keep_own{&changed});
  EXPECT_EQ(changed, 0);
}

TEST(for_each_block_by_team, counts_zeros)
{
  for (std::size_t const n : sizes) {
    std::vector<float> values(n);
    std::vector<std::uint32_t> expected((n + 4095) / 4096);
    for (std::size_t k = 0; k < n; ++k) {
      values[k] = static_cast<float>(k * k % 7);
      if (k * k % 7 == 0) ++expected[k / 4096];
    }
    std::vector<std::uint32_t> counts(expected.size(), 12345), alone = counts;
    tally::for_each_block_by_team(tally::cpu{3}, n, 4096, count_zeros{values.data(), counts.data()});
    EXPECT_EQ(counts, expected) << n;
    tally::for_each_block_by_team(n, 4096, count_zeros{values.data(), alone.data()});
    EXPECT_EQ(alone, expected) << n << " without an execution";
  }
}

/// A call without an execution stays on the calling thread.
struct note_thread {
  struct memory {
    int nothing;
  };
  static constexpr int team_size = 32;

  std::thread::id caller;
  std::atomic<int>* others;

  template <class Team>
  void operator()(Team, memory&, std::size_t, std::size_t) const
  {
    if (std::this_thread::get_id() != caller) ++*others;
  }
};
TEST(for_each_block_by_team, stays_on_the_calling_thread_unless_told_otherwise)
{
  std::atomic<int> others{0};
  tally::for_each_block_by_team(10'000'000, 1000, note_thread{std::this_thread::get_id(), &others});
  EXPECT_EQ(others, 0);
}

struct fail_at {
  struct memory {
    int nothing;
  };
  static constexpr int team_size = 64;

  std::size_t at;

  template <class Team>
  void operator()(Team, memory&, std::size_t begin, std::size_t end) const
  {
    if (begin <= at && at < end) throw std::runtime_error("at " + std::to_string(at));
  }
};

TEST(for_each_block_by_team, gives_on_what_the_work_throws)
{
  for (int const threads : {1, 4}) {
    std::string said = "nothing thrown";
    try {
      tally::for_each_block_by_team(tally::cpu{threads}, 1'000'003, 1000, fail_at{777'777});
    } catch (std::runtime_error const& e) {
      said = e.what();
    }
    EXPECT_EQ(said, "at 777777") << threads;
  }
  EXPECT_THROW(tally::for_each_block_by_team(tally::cpu{-1}, 5, 2, fail_at{9}), tally::usage_error);
}

}  // namespace
