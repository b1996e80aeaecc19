// The order by release and acquire: block 0 releases, block 1 acquires.
#include <vector>

#include <gtest/gtest.h>

#include "kernel_of.hpp"
#include "waiting.hpp"

namespace tally::model {
namespace {

template <class Give, class Take>
std::vector<finding> handed_over(Give const& give, Take const& take, int threads = 2)
{
  machine on;
  run_together(on, 2, threads, [&](block const& b, view<int> data, view<int> flags) {
    if (b.index() == 0)
      give(b, data, flags);
    else
      take(b, data, flags);
  });
  return on.counts().findings;
}

void store_and_release(block const& b, view<int> data, view<int> flags)
{
  b.step([&](int t) {
    if (t != 0) return;
    data[0] = 7;
    b.store_release(flags, 0, 1);
  });
}

void acquire_and_load(block const& b, view<int> data, view<int> flags)
{
  b.step([&](int t) {
    if (t != 0) return;
    await(b, flags, 0);
    EXPECT_EQ(data[0], 7);
  });
}

TEST(release, orders_what_its_thread_has_written)
{
  EXPECT_TRUE(handed_over(store_and_release, acquire_and_load).empty());
}

TEST(release, leaves_a_thread_s_own_accesses_in_order)
{
  EXPECT_TRUE(handed_over(
                  [](block const& b, view<int> data, view<int> flags) {
                    b.step([&](int t) {
                      if (t != 0) return;
                      data[1] = 1;
                      b.store_release(flags, 0, 1);
                      data[1] = data[1] + 1;
                    });
                  },
                  [](block const&, view<int>, view<int>) {})
                  .empty());
}

TEST(release, orders_what_its_thread_has_read)
{
  EXPECT_TRUE(handed_over(
                  [](block const& b, view<int> data, view<int> flags) {
                    b.step([&](int t) {
                      if (t != 0) return;
                      EXPECT_EQ(data[0], 0);
                      b.store_release(flags, 0, 1);
                    });
                  },
                  [](block const& b, view<int> data, view<int> flags) {
                    b.step([&](int t) {
                      if (t != 0) return;
                      await(b, flags, 0);
                      data[0] = 8;
                    });
                  })
                  .empty());
}

TEST(release, does_not_order_what_comes_after_it)
{
  std::vector<finding> const found = handed_over(
      [](block const& b, view<int> data, view<int> flags) {
        b.step([&](int t) {
          if (t != 0) return;
          b.store_release(flags, 0, 1);
          data[0] = 7;  // too late
        });
      },
      [](block const& b, view<int> data, view<int> flags) {
        b.step([&](int t) {
          if (t != 0) return;
          await(b, flags, 0);
          static_cast<void>(static_cast<int>(data[0]));  // before or after?
        });
      });
  ASSERT_EQ(found.size(), 1u);
  bool const reader = found.front().block == 1;
  expect_finding(found.front(), {.what = fault::race,
                                 .other = 0,
                                 .array = "data",
                                 .writes = !reader,
                                 .other_writes = reader,
                                 .mark = reader ? "before or after?" : "too late",
                                 .other_mark = reader ? "too late" : "before or after?",
                                 .block = reader ? 1 : 0,
                                 .other_block = reader ? 0 : 1});
}

TEST(release, needs_an_acquire)
{
  std::vector<finding> const found =
      handed_over(store_and_release, [](block const& b, view<int> data, view<int> flags) {
        b.step([&](int t) {
          if (t != 0) return;
          while (flags[0] == 0) b.pause();  // a plain read in the loop
          EXPECT_EQ(data[0], 7);            // a plain read
        });
      });
  ASSERT_EQ(found.size(), 2u) << "the flag itself, and the data";
  EXPECT_EQ(found[0].array, "flags");
  EXPECT_EQ(found[1].array, "data");
  for (finding const& each : found) EXPECT_EQ(each.what, fault::race);
}

TEST(release, covers_other_threads_only_where_a_barrier_is_between)
{
  auto const give = [](bool barrier) {
    return [barrier](block const& b, view<int> data, view<int> flags) {
      auto const write = [&](int t) {
        if (t == 0) data[0] = 7;
      };
      if (barrier)
        b.step(write);
      else
        b.each(write);
      b.step([&](int t) {
        if (t == 1) b.store_release(flags, 0, 1);
      });
    };
  };
  EXPECT_TRUE(handed_over(give(true), acquire_and_load).empty());
  std::vector<finding> const found = handed_over(give(false), acquire_and_load);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.front().what, fault::race);
  EXPECT_EQ(found.front().array, "data");
}

TEST(acquire, covers_other_threads_only_where_a_barrier_is_between)
{
  auto const take = [](bool barrier) {
    return [barrier](block const& b, view<int> data, view<int> flags) {
      auto const look = [&](int t) {
        if (t == 0) await(b, flags, 0);
      };
      if (barrier)
        b.step(look);
      else
        b.each(look);
      b.step([&](int t) {
        if (t != 1) return;
        EXPECT_EQ(data[0], 7);
      });
    };
  };
  EXPECT_TRUE(handed_over(store_and_release, take(true)).empty());
  std::vector<finding> const found = handed_over(store_and_release, take(false));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.front().what, fault::race);
  EXPECT_EQ(found.front().thread, 1);
}

/// A release passes on all that its block has seen, even if the block has not accessed it.
TEST(release, is_handed_on)
{
  for (bool const barrier : {false, true}) {
    machine on({order::shuffled, 4, 3});
    std::vector<int> const data = run_together(on, 3, 2, [&](block const& b, view<int> all, view<int> flags) {
      int const own = b.index();
      auto const look = [&](int t) {
        if (t == 0 && own > 0) await(b, flags, own - 1);
        if (t == 0 && own == 0) all[0] = 7;
      };
      if (barrier)
        b.step(look);
      else
        b.each(look);
      b.step([&](int t) {
        if (t != 0) return;
        if (own == 2) all[2] = all[0];
        b.store_release(flags, own, 1);
      });
    });
    EXPECT_EQ(data[2], 7);
    EXPECT_TRUE(on.counts().clean()) << on.counts().findings.front().text();
  }
}

TEST(release, is_forgotten_when_the_launch_ends)
{
  machine on;
  auto const flags = on.allocate<int>(2, "flags"), data = on.allocate<int>(1, "data");
  on.fill(flags, 0);
  on.fill(data, 0);
  auto const first = [&](block const& b) { b.step([&](int) { b.store_release(flags, 0, 1); }); };
  on.launch(1, 1, waiting_kernel_of{first});
  auto const second = [&](block const& b) {
    b.step([&](int) {
      if (b.index() == 0) {
        data[0] = 7;
        b.store_release(flags, 1, 1);
      } else {
        await(b, flags, 0);  // which has been there since the first launch
        static_cast<void>(static_cast<int>(data[0]));
      }
    });
  };
  on.launch(2, 1, waiting_kernel_of{second});
  ASSERT_EQ(on.counts().findings.size(), 1u);
  EXPECT_EQ(on.counts().findings.front().what, fault::race);
}

TEST(atomic_addition, orders_nothing)
{
  std::vector<finding> const found = handed_over(
      [](block const& b, view<int> data, view<int> flags) {
        b.step([&](int t) {
          if (t != 0) return;
          data[0] = 7;
          b.atomic_add(flags, 0, 1);
        });
      },
      acquire_and_load);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.front().array, "data");
}

}  // namespace
}  // namespace tally::model
