// Shuffles of kernels written for one thread.

#include <gtest/gtest.h>

#include "tally/model/thread_program.hpp"
#include "tally/operators.hpp"

namespace tally::model {
namespace {

using textbook::element_of;

/// x[t] is the value that a shuffle returns. `mask` names the lanes that should take part, `active` those that do.
struct shuffles {
  static constexpr char const* name = "shuffles";
  template <class Array>
  thread_program operator()(thread own, Array x, char direction, int distance, std::uint32_t mask, int active) const
  {
    int const t = own.index();
    element_of<Array> value = t;
    if (t % 32 < active) {
      if (direction == 'u') value = co_await own.shuffle_up(value, distance, mask);
      if (direction == 'd') value = co_await own.shuffle_down(value, distance, mask);
      if (direction == 'x') value = co_await own.shuffle_xor(value, distance, mask);
    }
    co_await own.barrier();
    x[t] = value;
  }
};

TEST(thread_program, lanes_exchange_values_within_their_warp)
{
  for (int const distance : {0, 1, 5, 16, 31, 32}) {
    for (char const direction : {'u', 'd', 'x'}) {
      machine on;
      auto const x = on.allocate<int>(64, "x");
      on.launch_threads(1, 64, shuffles{}, x, direction, distance, all_lanes, 32);
      EXPECT_TRUE(on.counts().clean());
      for (int t = 0; t < 64; ++t) {
        int const lane = t % 32;
        int const from = direction == 'u' ? lane - distance : direction == 'd' ? lane + distance : lane ^ distance;
        int const expected = 0 <= from && from < 32 ? t - lane + from : t;
        EXPECT_EQ(on.values(x)[static_cast<std::size_t>(t)], expected) << direction << distance << ' ' << t;
      }
    }
  }
}

TEST(thread_program, a_mask_that_names_who_is_there_is_no_finding)
{
  machine on;
  auto const x = on.allocate<int>(64, "x");
  on.launch_threads(1, 64, shuffles{}, x, 'u', 1, 0xfffu, 12);
  EXPECT_TRUE(on.counts().clean());
  EXPECT_EQ(on.values(x)[11], 10);
  EXPECT_EQ(on.values(x)[12], 12);
}

TEST(thread_program, a_mask_that_names_absent_lanes)
{
  machine on;
  auto const x = on.allocate<int>(64, "x");
  on.launch_threads(1, 64, shuffles{}, x, 'u', 1, all_lanes, 12);
  ASSERT_EQ(on.counts().findings.size(), 1u);
  finding const& found = on.counts().findings[0];
  EXPECT_EQ(found.what, fault::absent_lane);
  EXPECT_EQ(found.thread, 0);
  EXPECT_EQ(found.other, 12);
  EXPECT_EQ(found.times, 24u);
  EXPECT_EQ(on.values(x)[11], 10);
}

TEST(thread_program, a_mask_names_its_own_lane)
{
  machine on;
  auto const x = on.allocate<int>(32, "x");
  on.launch_threads(1, 32, shuffles{}, x, 'u', 1, 0xfffffffeu, 32);
  ASSERT_EQ(on.counts().findings.size(), 1u);
  EXPECT_EQ(on.counts().findings[0].what, fault::absent_lane);
  EXPECT_EQ(on.counts().findings[0].thread, 0);
  EXPECT_EQ(on.counts().findings[0].other, 0);
}

TEST(thread_program, lanes_beyond_the_block_are_absent)
{
  machine on;
  auto const x = on.allocate<int>(40, "x");
  on.launch_threads(1, 40, shuffles{}, x, 'u', 1, all_lanes, 32);
  ASSERT_EQ(on.counts().findings.size(), 1u);
  EXPECT_EQ(on.counts().findings[0].thread, 32);
  EXPECT_EQ(on.counts().findings[0].other, 40);
}

/// Uses the value of a lane that is not there.
struct uses_nothing {
  static constexpr char const* name = "uses_nothing";
  template <class Array, class Op>
  thread_program operator()(thread own, Array x, Op op) const
  {
    element_of<Array> const value = own.index();
    if (own.index() % 32 >= 16) co_return;
    element_of<Array> const next = co_await own.shuffle_down(value, 1, 0xffffu);
    x[own.index()] = op(value, next);
  }
};

TEST(thread_program, what_an_absent_lane_gives_is_unset)
{
  machine on;
  auto const x = on.allocate<traced<int>>(32, "x");
  on.launch_threads(1, 32, uses_nothing{}, x, on.watch<int>(plus{}));
  ASSERT_EQ(on.counts().findings.size(), 1u);
  EXPECT_EQ(on.counts().findings[0].what, fault::unset_read);
  EXPECT_EQ(on.counts().findings[0].thread, 15);
  EXPECT_EQ(on.values(x)[14], 29);
}

/// Two halves of a warp shuffle at different lines, each for itself, and then together.
struct halves {
  static constexpr char const* name = "halves";
  template <class Array>
  thread_program operator()(thread own, Array x) const
  {
    int value = own.index();
    if (own.index() < 16)
      value = co_await own.shuffle_xor(value, 1, 0xffffu);
    else
      value = co_await own.shuffle_xor(value, 2, 0xffff0000u);
    value = co_await own.shuffle_xor(value, 16);
    x[own.index()] = value;
  }
};

TEST(thread_program, parts_of_a_warp_shuffle_for_themselves)
{
  machine on;
  auto const x = on.allocate<int>(32, "x");
  on.launch_threads(1, 32, halves{}, x);
  EXPECT_TRUE(on.counts().clean());
  for (int t = 0; t < 32; ++t)
    EXPECT_EQ(on.values(x)[static_cast<std::size_t>(t)], t < 16 ? (t + 16) ^ 2 : (t - 16) ^ 1) << t;
}

}  // namespace
}  // namespace tally::model
