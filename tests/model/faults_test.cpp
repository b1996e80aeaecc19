// Findings about unset reads, indices, registers and lanes; and correct code without any finding.
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "kernel_of.hpp"
#include "run_on_x.hpp"
#include "tally/operators.hpp"

namespace tally::model {
namespace {

// Unset reads.

TEST(unset_read, of_shared_memory)
{
  machine on;
  run_on_x(on, 4, [](block const& b, words x) {
    auto y = b.shared<traced<int>>(4, "y");
    b.step([&](int t) {
      if (t != 2) y[t] = t;
    });
    b.step([&](int t) {
      x[t] = y[t];  // one of them is missing
    });
    b.step([&](int t) {
      x[4 + t % 4] = x[t];  // that has been found already
    });
  });
  expect_only(
      on,
      {.what = fault::unset_read, .step = 2, .thread = 2, .array = "y", .index = 2, .mark = "one of them is missing"});
}

TEST(unset_read, of_global_memory_and_of_elements_that_are_not_traced)
{
  machine on;
  auto const y = on.allocate<int>(3, "y");
  on.fill(y, 8);
  auto const z = on.allocate<float>(3, "z");
  run_on_x(on, 1, [&](block const& b, words) {
    b.step([&](int) {
      EXPECT_EQ(y[1], 8);
      EXPECT_EQ(z[1], 0.F);  // unset
    });
  });
  expect_only(on, {.what = fault::unset_read, .step = 1, .array = "z", .index = 1, .mark = "unset"});
}

TEST(unset_read, of_an_atomic_addition)
{
  machine on;
  run_on_x(on, 1, [&](block const& b, words) {
    auto count = b.shared<int>(2, "count");
    b.step([&](int) {
      b.atomic_add(count, 1, 5);  // to an unset element
    });
  });
  expect_only(on, {.what = fault::unset_read, .step = 1, .array = "count", .index = 1, .mark = "to an unset element"});
}

TEST(unset_read, of_registers)
{
  machine on;
  auto const op = on.watch<int>(plus{});
  run_on_x(on, 3, [&](block const& b, words x) {
    auto own = b.registers<traced<int>>();
    b.step([&](int t) {
      if (t != 1) own[t] = x[t];
    });
    b.step([&](int t) {
      x[t] = op(own[t], x[t]);  // thread 1 has nothing
    });
  });
  expect_only(on, {.what = fault::unset_read, .step = 2, .thread = 1, .mark = "thread 1 has nothing"});

  machine stored;
  run_on_x(stored, 1, [&](block const& b, words x) {
    auto own = b.registers<traced<int>>();
    b.step([&](int t) {
      x[t] = own[t];  // nothing at all
    });
  });
  expect_only(stored, {.what = fault::unset_read, .step = 1, .mark = "nothing at all"});
}

TEST(unset_read, of_registers_that_were_shuffled)
{
  machine on;
  run_on_x(on, 4, [](block const& b, words x) {
    auto own = b.registers<traced<int>>();
    b.step([&](int t) {
      if (t != 1) own[t] = x[t];
    });
    auto const left = b.shuffle_up(own, 1);
    b.step([&](int t) {
      x[t] = left[t];  // thread 2 gets nothing
    });
  });
  expect_only(on, {.what = fault::unset_read, .step = 2, .thread = 2, .mark = "thread 2 gets nothing"});
}

// Indices.

TEST(out_of_range, on_both_sides_by_reads_and_writes)
{
  machine on;
  run_on_x(on, 2, [](block const& b, words x) {
    b.step([&](int t) {
      if (t != 1) return;
      EXPECT_EQ(x[-1], 0);  // read below
      EXPECT_EQ(x[8], 0);   // read above
      x[-2] = 5;            // written below
      x[1000] = 5;          // written above
      (x + 6)[2] = 5;       // above, from an offset
      EXPECT_EQ((x + 6)[-6], 0);
    });
  });
  std::vector<finding> const& all = on.counts().findings;
  ASSERT_EQ(all.size(), 5u);
  auto const expected = [](int index, bool writes, char const* mark) {
    return expected_finding{.what = fault::out_of_range,
                            .step = 1,
                            .thread = 1,
                            .array = "x",
                            .index = index,
                            .writes = writes,
                            .mark = mark,
                            .size = 8};
  };
  expect_finding(all[0], expected(-1, false, "read below"));
  expect_finding(all[1], expected(8, false, "read above"));
  expect_finding(all[2], expected(-2, true, "written below"));
  expect_finding(all[3], expected(1000, true, "written above"));
  expect_finding(all[4], expected(8, true, "above, from an offset"));
}

TEST(out_of_range, of_atomic_accesses)
{
  machine on;
  auto const flags = on.allocate<int>(2, "flags");
  on.fill(flags, 0);
  run_on_x(on, 1, [&](block const& b, words) {
    b.step([&](int) {
      EXPECT_EQ(b.atomic_add(flags, 2, 1), 0);
      EXPECT_EQ(b.load_acquire(flags, -1), 0);
      b.store_release(flags, 3, 1);
    });
  });
  ASSERT_EQ(on.counts().findings.size(), 3u);
  for (finding const& each : on.counts().findings) EXPECT_EQ(each.what, fault::out_of_range) << each.text();
  EXPECT_EQ(on.values(flags), (std::vector<int>{0, 0}));
}

// Registers and lanes.

TEST(absent_lane, beyond_the_end_of_the_block)
{
  machine on;
  run_on_x(on, 40, [](block const& b, words x) {
    auto own = b.registers<int>();
    b.step([&](int t) { own[t] = t; });
    auto const right = b.shuffle_down(own, 2);  // 38 and 39 ask for 40 and 41
    b.step([&](int t) {
      if (t >= 32) x[t - 32] = right[t];
    });
    EXPECT_EQ(b.size(), 40);
  });
  expect_only(on, {.what = fault::absent_lane,
                   .step = 2,
                   .thread = 38,
                   .other = 40,
                   .mark = "38 and 39 ask for 40 and 41",
                   .times = 2});
}

TEST(absent_lane, is_none_beyond_the_end_of_the_warp)
{
  machine on;
  run_on_x(on, 64, [](block const& b, words) {
    auto own = b.registers<int>();
    b.step([&](int t) { own[t] = t; });
    auto const up = b.shuffle_up(own, 3), down = b.shuffle_down(own, 3), across = b.shuffle_xor(own, 48);
    b.step([&](int t) {
      EXPECT_EQ(up[t], t % 32 < 3 ? t : t - 3);
      EXPECT_EQ(down[t], t % 32 > 28 ? t : t + 3);
      EXPECT_EQ(across[t], t) << "there is no lane 48 away";
    });
  });
  EXPECT_TRUE(on.counts().clean()) << on.counts().findings.front().text();
}

TEST(foreign_register, is_found_and_is_one_s_own)
{
  machine on;
  run_on_x(on, 3, [](block const& b, words x) {
    auto own = b.registers<int>();
    b.step([&](int t) { own[t] = 10 + t; });
    b.step([&](int t) {
      x[t] = own[(t + 1) % 3];  // not a shuffle
    });
    b.step([&](int t) { EXPECT_EQ(x[t], 10 + t); });
  });
  expect_only(
      on, {.what = fault::foreign_register, .step = 2, .thread = 0, .other = 1, .mark = "not a shuffle", .times = 3});
}

// Numbers.

TEST(not_a_number, is_found_where_a_thread_makes_one)
{
  machine on;
  auto const x = on.input(std::vector<float>{1, -1, std::numeric_limits<float>::quiet_NaN()}, "x");
  auto const y = on.allocate<traced<float>>(4, "y");
  auto const op = on.watch<float>(plus{});
  on.launch(1, 1, kernel_of{[&](block const& b) {
              b.step([&](int) {
                float const negative = x[1];
                y[0] = std::sqrt(negative);  // the root
                y[1] = x[2];
                y[2] = op(x[0], x[2]);
                y[3] = 2 * negative;
              });
            }});
  expect_only(on, {.what = fault::not_a_number, .array = "y", .mark = "the root"});
}

}  // namespace
}  // namespace tally::model
