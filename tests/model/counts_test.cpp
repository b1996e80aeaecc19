// What the machine counts, against counts by hand.
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "kernel_of.hpp"
#include "tally/operators.hpp"

namespace tally::model {
namespace {

/// What one step counts that comes after another, which sets all of x: `body(block, x, t)` on 2048 elements of shared memory.
template <class E, class Body>
phase_counts shared_step(Body const& body, int threads = 32)
{
  machine on;
  auto const kernel = [&](block const& b, bool whole) {
    auto x = b.shared<E>(2048, "x");
    b.step([&](int t) {
      for (int k = t; k < 2048; k += b.size()) x[k] = E(plain_t<E>{});
    });
    if (!whole) return;
    b.step([&](int t) { body(b, x, t); });
  };
  on.launch(1, threads, kernel_of{kernel}, false);
  report const before = on.counts();
  on.launch(1, threads, kernel_of{kernel}, true);
  EXPECT_TRUE(on.counts().clean()) << on.counts().findings.front().text();
  report const& after = on.counts();
  EXPECT_EQ(after.shared_in_transfers.requests, 0u);
  // Both launches have the first step in common.
  phase_counts step;
  step.shared.reads = after.shared.reads - 2 * before.shared.reads;
  step.shared.writes = after.shared.writes - 2 * before.shared.writes;
  step.shared.requests = after.shared.requests - 2 * before.shared.requests;
  step.shared.wavefronts = after.shared.wavefronts - 2 * before.shared.wavefronts;
  step.shared.ideal = after.shared.ideal - 2 * before.shared.ideal;
  step.shared.worst_degree = after.shared.worst_degree;
  step.warps.steps = after.warps.steps - 2 * before.warps.steps;
  step.warps.divergent = after.warps.divergent - 2 * before.warps.divergent;
  step.warps.active_lanes = after.warps.active_lanes - 2 * before.warps.active_lanes;
  return step;
}

template <class E>
void look(reference<E> const& at)
{
  static_cast<void>(static_cast<plain_t<E>>(at));
}

/// Every lane reads x[stride * t + first].
template <class E>
shared_counts strided(int stride, int first = 0)
{
  return shared_step<E>([=](block const&, view<E> x, int t) { look(x[stride * t + first]); }).shared;
}

struct eight_bytes {
  float a = 0, b = 0;
};
struct sixteen_bytes {
  double a = 0, b = 0;
};

TEST(wavefronts, of_four_bytes)
{
  for (int const odd : {1, 3, 7, 33, 63}) {
    EXPECT_EQ(strided<int>(odd).wavefronts, 1u) << odd;
    EXPECT_EQ(strided<int>(odd, 5).worst_degree, 1) << odd;
  }
  for (int const power : {2, 4, 8, 16, 32}) {
    EXPECT_EQ(strided<int>(power).wavefronts, static_cast<std::size_t>(power));
    EXPECT_EQ(strided<int>(power).worst_degree, power);
    EXPECT_EQ(strided<int>(power).ideal, 1u);
    EXPECT_EQ(strided<float>(power, 17).wavefronts, static_cast<std::size_t>(power));
  }
  EXPECT_EQ(strided<int>(6).wavefronts, 2u) << "banks 0, 6 .. 30, 4 .. : 16 of them";
  EXPECT_EQ(strided<int>(12).wavefronts, 4u);
  EXPECT_EQ(strided<int>(48).wavefronts, 16u);
  EXPECT_EQ(strided<traced<int>>(32).wavefronts, 32u) << "what is traced is as large as on a GPU";
  EXPECT_EQ(strided<int>(1).reads, 32u);
  EXPECT_EQ(strided<int>(1).writes, 0u);
  EXPECT_EQ(strided<int>(1).requests, 1u);
}

TEST(wavefronts, of_a_broadcast)
{
  EXPECT_EQ(strided<int>(0, 77).wavefronts, 1u);
  shared_counts const halves =
      shared_step<int>([](block const&, view<int> x, int t) { look(x[t < 16 ? 0 : 32]); }).shared;
  EXPECT_EQ(halves.wavefronts, 2u) << "two words in one bank";
  shared_counts const pairs = shared_step<int>([](block const&, view<int> x, int t) { look(x[t / 2]); }).shared;
  EXPECT_EQ(pairs.wavefronts, 1u);
}

TEST(wavefronts, of_eight_bytes)
{
  EXPECT_EQ(strided<eight_bytes>(1).wavefronts, 2u) << "half a warp at a time";
  EXPECT_EQ(strided<double>(1).ideal, 2u);
  EXPECT_EQ(strided<double>(1).worst_degree, 1);
  EXPECT_EQ(strided<double>(2).wavefronts, 4u);
  EXPECT_EQ(strided<double>(2).ideal, 2u);
  EXPECT_EQ(strided<double>(2).worst_degree, 2);
  EXPECT_EQ(strided<double>(16).wavefronts, 32u);
  EXPECT_EQ(strided<double>(17).wavefronts, 2u);
  EXPECT_EQ(strided<double>(0).wavefronts, 2u);
  shared_counts const halves =
      shared_step<double>([](block const&, view<double> x, int t) { look(x[t < 16 ? 2 * t : 64 + t]); }).shared;
  EXPECT_EQ(halves.wavefronts, 2u + 1u);
  EXPECT_EQ(halves.worst_degree, 2);
}

TEST(wavefronts, of_sixteen_bytes)
{
  EXPECT_EQ(strided<sixteen_bytes>(1).wavefronts, 4u) << "a quarter of a warp at a time";
  EXPECT_EQ(strided<sixteen_bytes>(1).ideal, 4u);
  EXPECT_EQ(strided<sixteen_bytes>(2).wavefronts, 8u);
  EXPECT_EQ(strided<sixteen_bytes>(8).wavefronts, 32u);
  EXPECT_EQ(strided<sixteen_bytes>(8).worst_degree, 8);
  EXPECT_EQ(strided<sixteen_bytes>(9).wavefronts, 4u);
}

struct twelve_bytes {
  float a = 0, b = 0, c = 0;
};

TEST(wavefronts, of_elements_that_share_banks_in_part)
{
  EXPECT_EQ(strided<twelve_bytes>(1).wavefronts, 4u);
  EXPECT_EQ(strided<twelve_bytes>(11).wavefronts, 12u) << "33 words on, a bank on: three lanes meet in each";
  EXPECT_EQ(strided<twelve_bytes>(11).ideal, 4u);
}

TEST(wavefronts, of_several_requests)
{
  shared_counts const both = shared_step<int>([](block const&, view<int> x, int t) {
                               look(x[4 * t]);
                               look(x[t]);
                             }).shared;
  EXPECT_EQ(both.wavefronts, 4u + 1u);
  EXPECT_EQ(both.worst_degree, 4) << "of all";
}

TEST(wavefronts, of_one_byte)
{
  EXPECT_EQ(strided<std::int8_t>(1).wavefronts, 1u) << "four of them in a word";
  EXPECT_EQ(strided<std::int8_t>(4).wavefronts, 1u);
  EXPECT_EQ(strided<std::int8_t>(8).wavefronts, 2u);
  EXPECT_EQ(strided<bool>(1).wavefronts, 1u);
  shared_counts const written =
      shared_step<std::int8_t>([](block const&, view<std::int8_t> x, int t) { x[t] = 1; }).shared;
  EXPECT_EQ(written.wavefronts, 1u) << "bytes of one word are written together";
  EXPECT_EQ(written.writes, 32u);
}

TEST(wavefronts, of_some_lanes)
{
  shared_counts const some = shared_step<int>([](block const&, view<int> x, int t) {
                               if (t % 4 == 0) look(x[32 * t]);
                             }).shared;
  EXPECT_EQ(some.reads, 8u);
  EXPECT_EQ(some.wavefronts, 8u);
  EXPECT_EQ(some.ideal, 1u);
  shared_counts const none = shared_step<int>([](block const&, view<int>, int) {}).shared;
  EXPECT_EQ(none.requests, 0u);
  EXPECT_EQ(none.wavefronts, 0u);
}

TEST(wavefronts, of_atomic_additions)
{
  shared_counts const same = shared_step<int>([](block const& b, view<int> x, int) { b.atomic_add(x, 3, 1); }).shared;
  EXPECT_EQ(same.wavefronts, 32u) << "one after the other";
  EXPECT_EQ(same.worst_degree, 32);
  EXPECT_EQ(same.requests, 1u);
  EXPECT_EQ(same.reads, 32u);
  EXPECT_EQ(same.writes, 32u);
  shared_counts const apart =
      shared_step<int>([](block const& b, view<int> x, int t) { b.atomic_add(x, t, 1); }).shared;
  EXPECT_EQ(apart.wavefronts, 1u);
  shared_counts const eight =
      shared_step<int>([](block const& b, view<int> x, int t) { b.atomic_add(x, t % 8, 1); }).shared;
  EXPECT_EQ(eight.wavefronts, 4u);
}

TEST(wavefronts, of_two_arrays_at_one_place)
{
  machine on;
  auto const kernel = [](block const& b) {
    auto x = b.shared<int>(8, "x"), y = b.shared<int>(64, "y");
    b.step([&](int t) { (t < 8 ? x : y)[t] = t; });
  };
  on.launch(1, 32, kernel_of{kernel});
  EXPECT_EQ(on.counts().shared.requests, 2u);
  EXPECT_EQ(on.counts().shared.wavefronts, 2u);
  EXPECT_EQ(on.counts().shared.writes, 32u);
  EXPECT_EQ(on.counts().warps.divergent, 0u) << "the choice of an array is no branch";
}

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

}  // namespace
}  // namespace tally::model
