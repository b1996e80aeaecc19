// Divergence, sectors of global memory, steps and barriers, by hand.
#include <cstdint>

#include <gtest/gtest.h>

#include "kernel_of.hpp"
#include "shared_step.hpp"
#include "tally/operators.hpp"

namespace tally::model {
namespace {

// Divergence.

template <class Body>
phase_counts diverging(Body const& body, int threads = 32)
{
  return shared_step<int>([&](block const&, view<int> x, int t) { body(x, t); }, threads);
}

TEST(warp_steps, where_all_lanes_do_the_same)
{
  phase_counts const one = diverging([](view<int> x, int t) { x[t] = t; }, 96);
  EXPECT_EQ(one.warps.steps, 3u);
  EXPECT_EQ(one.warps.divergent, 0u);
  EXPECT_EQ(one.warps.active_lanes, 96u);
  phase_counts const loop = diverging([](view<int> x, int t) {
    for (int k = 0; k < 5; ++k) x[t] = k;
  });
  EXPECT_EQ(loop.warps.divergent, 0u);
  EXPECT_EQ(loop.shared.requests, 5u);
}

TEST(warp_steps, where_some_lanes_do_nothing)
{
  phase_counts const some = diverging(
      [](view<int> x, int t) {
        if (t < 40) x[t] = t;
      },
      128);
  EXPECT_EQ(some.warps.steps, 2u) << "two warps retire";
  EXPECT_EQ(some.warps.divergent, 1u);
  EXPECT_EQ(some.warps.active_lanes, 40u);
  phase_counts const short_warp = diverging([](view<int> x, int t) { x[t] = t; }, 40);
  EXPECT_EQ(short_warp.warps.steps, 2u);
  EXPECT_EQ(short_warp.warps.divergent, 0u) << "lanes that are not there do not diverge";
}

TEST(warp_steps, of_if_and_else)
{
  phase_counts const both = diverging([](view<int> x, int t) {
    if (t % 2 == 0)
      x[t] = 1;
    else
      x[t] = 2;
  });
  EXPECT_EQ(both.warps.steps, 1u);
  EXPECT_EQ(both.warps.divergent, 1u);
  EXPECT_EQ(both.warps.active_lanes, 32u);
  EXPECT_EQ(both.shared.requests, 2u) << "one after the other";
  EXPECT_EQ(both.shared.wavefronts, 2u);
  phase_counts const by_warp = diverging(
      [](view<int> x, int t) {
        if (t < 32)
          x[t] = 1;
        else
          x[t] = 2;
      },
      64);
  EXPECT_EQ(by_warp.warps.divergent, 0u);
  EXPECT_EQ(by_warp.shared.requests, 2u);
}

TEST(warp_steps, of_loops_of_different_length)
{
  phase_counts const loops = diverging([](view<int> x, int t) {
    for (int k = 0; k < t % 4; ++k) x[t + 32 * k] = k;
  });
  EXPECT_EQ(loops.warps.divergent, 1u);
  EXPECT_EQ(loops.warps.active_lanes, 24u);
  EXPECT_EQ(loops.shared.requests, 3u) << "24 lanes, 16 lanes, 8 lanes";
  EXPECT_EQ(loops.shared.wavefronts, 3u);
  EXPECT_EQ(loops.shared.writes, 48u);
}

TEST(warp_steps, where_the_ways_meet_again)
{
  phase_counts const meets = diverging([](view<int> x, int t) {
    if (t < 5) x[t + 64] = 1;
    x[t] = 2;
  });
  EXPECT_EQ(meets.shared.requests, 2u) << "the last write is one of the whole warp";
  EXPECT_EQ(meets.warps.divergent, 1u);
}

// Global memory.

template <class E, class Body>
global_counts global_step(Body const& body)
{
  machine on;
  auto const x = on.allocate<E>(4096, "x");
  on.fill(x, E{});
  auto const kernel = [&](block const& b) { b.step([&](int t) { body(b, x, t); }); };
  on.launch(1, 32, kernel_of{kernel});
  EXPECT_TRUE(on.counts().clean());
  EXPECT_EQ(on.counts().warps.steps, 0u);
  EXPECT_EQ(on.counts().warps_in_transfers.steps, 1u);
  return on.counts().global;
}

template <class E>
std::size_t sectors(int stride, int first = 0)
{
  global_counts const read = global_step<E>([=](block const&, view<E> x, int t) { look(x[stride * t + first]); });
  EXPECT_EQ(read.reads, 32u);
  EXPECT_EQ(read.writes + read.sectors_written, 0u);
  return read.sectors_read;
}

TEST(sectors, of_a_warp)
{
  EXPECT_EQ(sectors<int>(1), 4u) << "aligned";
  EXPECT_EQ(sectors<int>(1, 8), 4u);
  EXPECT_EQ(sectors<int>(1, 1), 5u) << "shifted";
  EXPECT_EQ(sectors<int>(1, 7), 5u);
  EXPECT_EQ(sectors<int>(2), 8u);
  EXPECT_EQ(sectors<int>(3), 12u);
  EXPECT_EQ(sectors<int>(8), 32u);
  EXPECT_EQ(sectors<int>(100), 32u) << "never more than lanes, where an element is in one sector";
  EXPECT_EQ(sectors<int>(-1, 31), 4u) << "the order of lanes does not matter";
  EXPECT_EQ(sectors<int>(0), 1u);
  EXPECT_EQ(sectors<double>(1), 8u);
  EXPECT_EQ(sectors<double>(1, 1), 9u);
  EXPECT_EQ(sectors<std::int8_t>(1), 1u);
  EXPECT_EQ(sectors<sixteen_bytes>(2, 1), 32u);
  EXPECT_EQ(sectors<twelve_bytes>(8, 2), 64u) << "bytes 24 to 36: each in two";
}

TEST(sectors, of_writes_and_atomic_accesses)
{
  global_counts const written = global_step<int>([](block const&, view<int> x, int t) { x[2 * t] = t; });
  EXPECT_EQ(written.sectors_written, 8u);
  EXPECT_EQ(written.sectors_read, 0u);
  EXPECT_EQ(written.writes, 32u);
  EXPECT_EQ(written.reads, 0u);
  global_counts const changed = global_step<int>([](block const& b, view<int> x, int t) { b.atomic_add(x, t / 8, 1); });
  EXPECT_EQ(changed.sectors_read, 1u);
  EXPECT_EQ(changed.sectors_written, 1u);
  EXPECT_EQ(changed.reads, 32u);
  EXPECT_EQ(changed.writes, 32u);
}

TEST(transfers, are_counted_apart)
{
  machine on;
  auto const in = on.allocate<int>(64, "in");
  on.fill(in, 1);
  auto const kernel = [&](block const& b) {
    auto x = b.shared<int>(64, "x");
    b.step([&](int t) { x[t] = in[t]; });
    b.step([&](int t) { x[t] = x[t]; });
  };
  on.launch(1, 64, kernel_of{kernel});
  EXPECT_EQ(on.counts().shared_in_transfers.writes, 64u);
  EXPECT_EQ(on.counts().shared_in_transfers.reads, 0u);
  EXPECT_EQ(on.counts().shared.writes, 64u);
  EXPECT_EQ(on.counts().shared.reads, 64u);
  EXPECT_EQ(on.counts().warps.steps, 2u);
  EXPECT_EQ(on.counts().warps_in_transfers.steps, 2u);
  EXPECT_EQ(on.counts().global.sectors_read, 8u);
}

// Steps and barriers.

TEST(steps, are_what_the_busiest_thread_of_the_busiest_block_applies)
{
  machine on;
  auto const op = on.watch<int>(plus{});
  auto const kernel = [&](block const& b) {
    b.step([&](int t) {
      for (int k = 0; k < t; ++k) op(1, 2);
    });
    b.each([&](int t) {
      if (t == 0) op(3, 4);
    });
    if (b.index() == 1) b.step([&](int) { op(5, 6); });
  };
  on.launch(3, 4, kernel_of{kernel});
  EXPECT_EQ(on.counts().steps, 3u + 1 + 1);
  EXPECT_EQ(on.counts().barriers, 2u);
  EXPECT_EQ(on.operations().work(), 3u * (6 + 1) + 4);
  on.launch(1, 2, kernel_of{kernel});
  EXPECT_EQ(on.counts().steps, 5u + 1 + 1) << "launches come one after the other";
  EXPECT_EQ(on.counts().barriers, 3u);
  EXPECT_EQ(on.counts().launches, 2);
}

TEST(broadcast, is_one_read_of_every_thread)
{
  machine on;
  auto const kernel = [&](block const& b) {
    auto x = b.shared<int>(1, "x");
    b.step([&](int t) {
      if (t == 0) x[0] = 3;
    });
    int const times = b.broadcast(x, 0);
    for (int k = 0; k < times; ++k) b.step([](int) {});
  };
  on.launch(1, 64, kernel_of{kernel});
  EXPECT_EQ(on.counts().barriers, 4u);
  EXPECT_EQ(on.counts().shared.reads, 64u);
  EXPECT_EQ(on.counts().shared.wavefronts, 1u + 2u);
  EXPECT_TRUE(on.counts().clean());
}

TEST(broadcast, needs_a_barrier_before_it_and_before_the_next_write)
{
  machine before, after;
  auto const kernel = [](bool first) {
    return [first](block const& b) {
      auto x = b.shared<int>(1, "x");
      auto const write = [&](int t) {
        if (t == 0) x[0] = 3;
      };
      if (first)
        b.each(write);
      else
        b.step(write);
      b.broadcast(x, 0);
      b.step(write);
    };
  };
  auto const early = kernel(true), late = kernel(false);
  before.launch(1, 2, kernel_of{early});
  after.launch(1, 2, kernel_of{late});
  ASSERT_FALSE(before.counts().clean());
  EXPECT_FALSE(before.counts().findings.front().writes) << "the broadcast reads what may come later";
  ASSERT_EQ(after.counts().findings.size(), 1u);
  EXPECT_TRUE(after.counts().findings.front().writes) << "the next write may come before the broadcast";
}

// Turns of atomic changes.

template <class Where>
phase_counts adding(Where const& where, int threads = 32)
{
  return shared_step<int>(
      [&](block const& here, view<int> x, int t) {
        if (int const k = where(t); k >= 0) here.atomic_add(x, k, 1);
      },
      threads);
}

TEST(atomic_turns, are_those_of_the_word_that_most_lanes_change)
{
  phase_counts const apart = adding([](int t) { return t; });
  EXPECT_EQ(apart.atomics.changes, 32u);
  EXPECT_EQ(apart.atomics.requests, 1u);
  EXPECT_EQ(apart.atomics.turns, 1u);
  phase_counts const together = adding([](int) { return 3; }, 64);
  EXPECT_EQ(together.atomics.changes, 64u);
  EXPECT_EQ(together.atomics.requests, 2u);
  EXPECT_EQ(together.atomics.turns, 64u);
  phase_counts const uneven = adding([](int t) { return t < 5 ? 0 : t < 16 ? 1 : -1; });
  EXPECT_EQ(uneven.atomics.changes, 16u);
  EXPECT_EQ(uneven.atomics.turns, 11u);
  phase_counts const of_a_bank = adding([](int t) { return 32 * (t % 2); });
  EXPECT_EQ(of_a_bank.atomics.turns, 16u) << "two words";
  EXPECT_EQ(of_a_bank.shared.wavefronts, 32u) << "in one bank";
  EXPECT_EQ(diverging([](view<int> x, int t) { x[t] = t; }).atomics.requests, 0u) << "no write is an atomic change";
}

TEST(atomic_additions, of_traced_elements_are_operations)
{
  machine on;
  auto const x = on.input(std::vector<int>{10, 20}, "x");
  on.launch(2, 32, kernel_of{[&](block const& here) {
              here.each([&](int t) {
                if (t < 3) here.atomic_add(x, t % 2, 1);
              });
            }});
  EXPECT_EQ(on.values(x), (std::vector<int>{14, 22}));
  EXPECT_EQ(on.operations().work(), 6u);
  EXPECT_EQ(on.operations().depth(), 4u) << "those to x[0] go one after the other";
  EXPECT_EQ(on.counts().steps, 1u);
  EXPECT_EQ(on.counts().atomics.changes, 6u);
  EXPECT_EQ(on.counts().atomics.turns, 4u) << "two in each warp";
  EXPECT_TRUE(on.counts().clean());
}

}  // namespace
}  // namespace tally::model
