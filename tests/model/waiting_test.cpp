// The order of blocks that wait for each other, and runs in which none can continue.
#include <cstdint>
#include <numeric>
#include <set>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "kernel_of.hpp"
#include "tally/operators.hpp"
#include "waiting.hpp"

namespace tally::model {
namespace {

// The order of blocks.

/// Every block draws a ticket, and leaves its number.
std::vector<int> order_of_tickets(schedule by, int blocks)
{
  machine on(by);
  auto const drawn = on.allocate<int>(1, "drawn");
  on.fill(drawn, 0);
  return run_together(on, blocks, 1, [&](block const& b, view<int> data, view<int>) {
    b.step([&](int) { data[b.atomic_add(drawn, 0, 1)] = b.index(); });
  });
}

TEST(schedules, are_what_they_say)
{
  std::vector<int> up(12);
  std::iota(up.begin(), up.end(), 0);
  std::vector<int> const down(up.rbegin(), up.rend());
  for (int const resident : {1, 4, 12, 100}) {
    EXPECT_EQ(order_of_tickets({order::ascending, 0, resident}, 12), up);
    EXPECT_EQ(order_of_tickets({order::descending, 0, resident}, 12), down);
  }
  std::set<std::vector<int>> orders;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<int> const one = order_of_tickets({order::shuffled, seed, 3}, 12);
    EXPECT_EQ(one, order_of_tickets({order::shuffled, seed, 3}, 12)) << "a run can be repeated";
    EXPECT_TRUE(std::is_permutation(one.begin(), one.end(), up.begin()));
    orders.insert(one);
  }
  EXPECT_EQ(orders.size(), 20u);
  for (std::uint64_t seed = 0; seed < 5; ++seed)
    EXPECT_EQ(order_of_tickets({order::one_starves, seed, 12}, 12).back(), 0) << "block 0 comes last";
}

TEST(schedules, of_blocks_that_do_not_wait)
{
  auto const order_of_blocks = [](schedule by) {
    machine on(by);
    std::vector<int> seen;
    auto const body = [&](block const& b) { seen.push_back(b.index()); };
    on.launch(4, 1, kernel_of{body});
    return seen;
  };
  EXPECT_EQ(order_of_blocks({}), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(order_of_blocks({order::descending}), (std::vector<int>{3, 2, 1, 0}));
  EXPECT_NE(order_of_blocks({order::shuffled, 1}), order_of_blocks({order::shuffled, 2}));
}

/// Each block waits for the one before it. Every third block releases its flag and ends at once.
TEST(schedules, with_blocks_that_end_early)
{
  for (order const by : {order::ascending, order::descending, order::shuffled, order::one_starves})
    for (int const resident : {10, 20}) {
      machine on({by, 3, resident});
      std::vector<int> const data = run_together(on, 10, 2, [](block const& b, view<int> all, view<int> flags) {
        int const own = b.index();
        if (own % 3 == 0) {
          b.step([&](int t) {
            if (t == 0) b.store_release(flags, own, 1);
          });
          return;
        }
        b.step([&](int t) {
          if (t == 0) await(b, flags, own - 1);
        });
        b.step([&](int t) {
          if (t == 0) all[own] = all[own - 1] + 1;
        });
        b.step([&](int t) {
          if (t == 0) b.store_release(flags, own, 1);
        });
      });
      EXPECT_EQ(data, (std::vector<int>{0, 1, 2, 0, 1, 2, 0, 1, 2, 0}));
      EXPECT_TRUE(on.counts().clean()) << on.counts().findings.front().text();
    }
}

TEST(schedules, count_the_block_that_has_most)
{
  machine on({order::shuffled, 1, 2});
  auto const op = on.watch<int>(plus{});
  auto const body = [&](block const& b) {
    for (int k = 0; k <= b.index(); ++k) b.step([&](int t) { op(t, op(1, 2)); });
  };
  on.launch(5, 3, waiting_kernel_of{body});
  EXPECT_EQ(on.counts().barriers, 5u);
  EXPECT_EQ(on.counts().steps, 10u);
  EXPECT_EQ(on.operations().work(), 15u * 3 * 2);
}

// Runs in which no block can continue.

TEST(no_progress, where_nobody_stores_what_a_block_waits_for)
{
  machine on;
  run_together(on, 3, 2, [](block const& b, view<int> data, view<int> flags) {
    b.step([](int) {});
    b.step([&](int t) {
      if (t == 0) data[b.index()] = 1;
      if (t != 1 || b.index() == 2) return;
      while (b.load_acquire(flags, 2) == 0) b.pause();  // for ever
      data[b.index()] = 2;
    });
  });
  expect_only(on, {.what = fault::no_progress, .step = 1, .thread = 1, .mark = "for ever", .times = 2});
  EXPECT_EQ(on.counts().findings.front().kernel, "waiting_kernel");
}

TEST(no_progress, where_a_block_looks_without_a_pause)
{
  machine on;
  std::vector<int> const data = run_together(on, 4, 1, [](block const& b, view<int> all, view<int> flags) {
    b.step([&](int) {
      if (b.index() != 1)
        while (b.load_acquire(flags, 1) == 0) {}  // again and again
      all[b.index()] = 1;
    });
  });
  expect_only(on, {.what = fault::no_progress, .mark = "again and again", .times = 3});
  EXPECT_EQ(data, (std::vector<int>{0, 1, 0, 0})) << "who does not wait goes on";
}

TEST(progress, without_a_pause_where_somebody_stores)
{
  for (order const by : {order::ascending, order::descending, order::shuffled, order::one_starves}) {
    machine on({by, 1, 5});
    std::vector<int> const data = run_together(on, 5, 1, [](block const& b, view<int> all, view<int> flags) {
      b.step([&](int) {
        int const next = (b.index() + 2) % 5;
        if (b.index() != 3)
          while (b.load_acquire(flags, next) == 0) {}
        all[b.index()] = b.index() == 3 ? 1 : all[next] + 1;
        b.store_release(flags, b.index(), 1);
      });
    });
    EXPECT_EQ(data, (std::vector<int>{5, 2, 4, 1, 3})) << "3, then 1, 4, 2, 0";
    EXPECT_TRUE(on.counts().clean());
  }
}

TEST(no_progress, is_said_of_those_that_wait_and_ends_the_launch)
{
  machine on({order::descending, 0, 2});
  std::vector<int> begun;
  run_together(on, 10, 1, [&](block const& b, view<int>, view<int> flags) {
    begun.push_back(b.index());
    b.step([&](int) { await(b, flags, 0); });
  });
  EXPECT_EQ(begun, (std::vector<int>{9, 8})) << "there is no place for others";
  ASSERT_EQ(on.counts().findings.size(), 1u);
  EXPECT_EQ(on.counts().findings.front().times, 2u);

  // The machine is usable afterwards.
  std::vector<int> const data = run_together(
      on, 3, 1, [](block const& b, view<int> all, view<int>) { b.step([&](int) { all[b.index()] = b.index(); }); });
  EXPECT_EQ(data, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(on.counts().findings.size(), 1u);
}

TEST(thrown, by_one_of_many_blocks_comes_out_of_the_launch)
{
  using schedules = std::vector<schedule>;
  for (schedule const& by : schedules{{order::ascending, 0, 1},
                                      {order::ascending, 0, 3},
                                      {order::descending, 0, 9},
                                      {order::shuffled, 7, 9},
                                      {order::shuffled, 8, 100}}) {
    machine on(by);
    std::vector<int> begun;
    auto const throws = [&begun](block const& b, view<int> all, view<int> flags) {
      begun.push_back(b.index());
      b.step([&](int) {
        if (b.index() == 4) throw std::runtime_error("no");
        if (b.index() > 5) await(b, flags, 4);
        all[b.index()] = 1;
      });
    };
    EXPECT_THROW(run_together(on, 9, 1, throws), std::runtime_error);
    EXPECT_TRUE(on.counts().clean()) << "those that waited have given up";
    if (by.by == order::ascending) {
      EXPECT_EQ(begun, (std::vector<int>{0, 1, 2, 3, 4})) << "and others have not begun";
    }
    std::vector<int> const data = run_together(
        on, 2, 1, [](block const& b, view<int> all, view<int>) { b.step([&](int) { all[b.index()] = 5; }); });
    EXPECT_EQ(data, (std::vector<int>{5, 5})) << "the machine can go on";
    EXPECT_THROW(run_together(on, 9, 1, throws), std::runtime_error);
    auto const sum = on.allocate<int>(1, "sum");
    on.fill(sum, 0);
    auto const adds = [&](block const& b) { b.step([&](int) { b.atomic_add(sum, 0, 1); }); };
    on.launch(4, 1, kernel_of{adds});
    EXPECT_EQ(on.values(sum).front(), 4) << "with blocks that do not wait, too";
  }
}

}  // namespace
}  // namespace tally::model
