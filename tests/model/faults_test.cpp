// What the machine finds wrong: by kernel, step, threads, array, index and line. And what it must not find.
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernel_of.hpp"
#include "tally/operators.hpp"

namespace tally::model {
namespace {

using words = view<traced<int>>;

/// A block of `threads` on `x`, which has 8 elements, of which all are set. What it does follows a first step.
template <class Body>
void run_on_x(machine& on, int threads, Body const& body, int blocks = 1)
{
  words const x = on.input(std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}, "x");
  auto const kernel = [&](block const& b, words const& array) {
    b.step([](int) {});
    body(b, array);
  };
  on.launch(blocks, threads, kernel_of{kernel}, x);
}

// Races.

TEST(race, of_two_writes)
{
  machine on;
  run_on_x(on, 2, [](block const& b, words x) {
    b.step([&](int t) {
      x[3] = t;  // both write
    });
  });
  expect_only(on, {.what = fault::race,
                   .step = 1,
                   .thread = 1,
                   .other = 0,
                   .array = "x",
                   .index = 3,
                   .writes = true,
                   .other_writes = true,
                   .mark = "both write",
                   .other_mark = "both write",
                   .other_block = 0});
  EXPECT_EQ(on.counts().findings.front().kernel, "kernel");
}

TEST(race, of_a_read_and_a_later_write)
{
  machine on;
  run_on_x(on, 2, [](block const& b, words x) {
    b.step([&](int t) {
      if (t == 0)
        x[0] = x[5];  // is overtaken
      else
        x[5] = 7;  // overtakes
    });
  });
  expect_only(on, {.what = fault::race,
                   .step = 1,
                   .thread = 1,
                   .other = 0,
                   .array = "x",
                   .index = 5,
                   .writes = true,
                   .other_writes = false,
                   .mark = "overtakes",
                   .other_mark = "is overtaken",
                   .other_block = 0});
}

TEST(race, of_a_write_and_a_later_read)
{
  machine on;
  run_on_x(on, 2, [](block const& b, words x) {
    b.step([&](int t) {
      if (t == 0)
        x[5] = 7;  // comes first here
      else
        x[0] = x[5];  // may come first
    });
  });
  expect_only(on, {.what = fault::race,
                   .step = 1,
                   .thread = 1,
                   .other = 0,
                   .array = "x",
                   .index = 5,
                   .writes = false,
                   .other_writes = true,
                   .mark = "may come first",
                   .other_mark = "comes first here",
                   .other_block = 0});
}

TEST(race, of_one_reader_among_many_and_a_writer_that_reads_too)
{
  machine on;
  run_on_x(on, 4, [](block const& b, words x) {
    b.step([&](int t) {
      int const seen = x[2];        // all read
      if (t == 3) x[2] = seen + 1;  // the last one writes
    });
  });
  expect_only(on, {.what = fault::race,
                   .step = 1,
                   .thread = 3,
                   .other = 2,
                   .array = "x",
                   .index = 2,
                   .writes = true,
                   .mark = "the last one writes",
                   .other_mark = "all read",
                   .other_block = 0});
}

TEST(race, across_each_which_has_no_barrier)
{
  machine on;
  run_on_x(on, 2, [](block const& b, words x) {
    b.each([&](int t) { x[t] = t; });
    b.each([&](int t) {
      if (t == 1) x[0] = 5;
    });
  });
  ASSERT_EQ(on.counts().findings.size(), 1u);
  EXPECT_EQ(on.counts().findings.front().what, fault::race);
}

TEST(race, of_two_blocks)
{
  machine on;
  run_on_x(
      on, 2,
      [](block const& b, words x) {
        b.step([&](int t) {
          if (t == 1) x[6] = b.index();  // of every block
        });
      },
      3);
  expect_only(on, {.what = fault::race,
                   .step = 1,
                   .thread = 1,
                   .other = 1,
                   .array = "x",
                   .index = 6,
                   .writes = true,
                   .other_writes = true,
                   .mark = "of every block",
                   .other_mark = "of every block",
                   .block = 1,
                   .other_block = 0,
                   .times = 2});
}

TEST(race, of_two_blocks_though_each_has_its_barriers)
{
  machine on;
  run_on_x(
      on, 1,
      [](block const& b, words x) {
        if (b.index() == 0) b.step([&](int) { x[6] = 1; });
        b.step([](int) {});
        if (b.index() == 1) b.step([&](int) { x[0] = x[6]; });
      },
      2);
  ASSERT_EQ(on.counts().findings.size(), 1u);
  finding const& found = on.counts().findings.front();
  EXPECT_EQ(found.what, fault::race);
  EXPECT_EQ(found.step, 2);
  EXPECT_EQ(found.block, 1);
  EXPECT_EQ(found.other_block, 0);
}

TEST(race, is_none_where_a_barrier_or_a_launch_is_between)
{
  machine on;
  run_on_x(on, 4, [](block const& b, words x) {
    auto own = b.registers<traced<int>>();
    for (int round = 0; round < 3; ++round) {
      b.step([&](int t) { own[t] = x[(t + 1) % 4]; });
      b.step([&](int t) { x[t] = own[t]; });
    }
    b.step([&](int t) { x[t + 4] = x[t]; });
  });
  words const y = on.input(std::vector<int>{1, 2}, "y");
  auto const swap = [](block const& b, words const& all) { b.step([&](int) { all[b.index()] = 1 - b.index(); }); };
  on.launch(2, 1, kernel_of{swap}, y);
  auto const other_way = [](block const& b, words const& all) { b.step([&](int) { all[1 - b.index()] = b.index(); }); };
  on.launch(2, 1, kernel_of{other_way}, y);
  EXPECT_TRUE(on.counts().clean()) << on.counts().findings.front().text();
}

TEST(race, is_none_of_reads_alone_or_of_one_thread)
{
  machine on;
  run_on_x(
      on, 8,
      [](block const& b, words x) {
        auto y = b.shared<traced<int>>(b.size(), "y");
        b.step([&](int t) {
          y[t] = x[0];
          y[t] = x[7];
          y[t] = y[t];
        });
      },
      2);
  EXPECT_TRUE(on.counts().clean()) << on.counts().findings.front().text();
}

// Races of atomic accesses.

/// One step of two threads and a word that is 0.
template <class Body>
std::size_t races_of(Body const& body, int threads = 2)
{
  machine on;
  auto const kernel = [&](block const& b) {
    auto word = b.shared<int>(1, "word");
    b.step([&](int t) {
      if (t == 0) word[0] = 0;
    });
    b.step([&](int t) { body(b, word, t); });
  };
  on.launch(1, threads, kernel_of{kernel});
  for (finding const& each : on.counts().findings) EXPECT_EQ(each.what, fault::race) << each.text();
  return on.counts().findings.size();
}

TEST(race, is_none_of_atomic_accesses)
{
  EXPECT_EQ(races_of([](block const& b, view<int> word, int) { b.atomic_add(word, 0, 1); }, 64), 0u);
}

TEST(race, of_an_atomic_access_and_a_plain_one)
{
  EXPECT_EQ(races_of([](block const& b, view<int> word, int t) {
              if (t == 0)
                b.atomic_add(word, 0, 1);
              else
                word[0] = 5;
            }),
            1u);
  EXPECT_EQ(races_of([](block const& b, view<int> word, int t) {
              if (t == 0)
                word[0] = 5;
              else
                b.atomic_add(word, 0, 1);
            }),
            1u);
  EXPECT_EQ(races_of([](block const& b, view<int> word, int t) {
              if (t == 0)
                EXPECT_EQ(word[0], 0);
              else
                b.atomic_add(word, 0, 1);
            }),
            1u);
  EXPECT_EQ(races_of([](block const& b, view<int> word, int t) {
              b.atomic_add(word, 0, 1);
              if (t == 0) return;
              EXPECT_EQ(word[0], 2) << "though the other addition may still come";
            }),
            1u);
}

// Reads of what nobody wrote.

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
      EXPECT_EQ(z[1], 0.F);  // nobody set it
    });
  });
  expect_only(on, {.what = fault::unset_read, .step = 1, .array = "z", .index = 1, .mark = "nobody set it"});
}

TEST(unset_read, of_an_atomic_addition)
{
  machine on;
  run_on_x(on, 1, [&](block const& b, words) {
    auto count = b.shared<int>(2, "count");
    b.step([&](int) {
      b.atomic_add(count, 1, 5);  // to what?
    });
  });
  expect_only(on, {.what = fault::unset_read, .step = 1, .array = "count", .index = 1, .mark = "to what?"});
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

// What no kernel against a block may do, wherever it stands.

template <class Body>
std::string refusal(Body const& body)
{
  machine on;
  try {
    run_on_x(on, 2, body);
  } catch (std::logic_error const& refused) {
    // And it can go on.
    run_on_x(on, 2, [](block const& b, words x) { b.step([&](int t) { x[t] = t; }); });
    EXPECT_TRUE(on.counts().clean());
    EXPECT_EQ(on.counts().barriers, 2u) << "of the second launch";
    return refused.what();
  }
  return {};
}

TEST(refusal, of_a_step_within_a_step)
{
  EXPECT_EQ(refusal([](block const& b, words) { b.step([&](int) { b.step([](int) {}); }); }),
            "kernel: a step stands within a step");
  EXPECT_EQ(refusal([](block const& b, words) { b.step([&](int) { b.shared<int>(1, "y"); }); }),
            "kernel: block.shared stands within a step");
}

TEST(refusal, of_memory_and_operators_outside_of_steps)
{
  std::string const end = " stands outside of the steps, where only what is alike for all threads does";
  EXPECT_EQ(refusal([](block const&, words x) { x[0] = 1; }), "kernel: an access to memory" + end);
  EXPECT_EQ(refusal([](block const&, words x) { EXPECT_EQ(x[0], 0); }), "kernel: an access to memory" + end);
  EXPECT_EQ(refusal([](block const& b, words x) { b.load_acquire(x, 0); }), "kernel: an atomic access" + end);
  EXPECT_EQ(refusal([](block const& b, words) { b.pause(); }), "kernel: block.pause" + end);
  machine on;
  auto const op = on.watch<int>(plus{});
  auto const adds = [&](block const&) { op(1, 2); };
  EXPECT_THROW(on.launch(1, 1, kernel_of{adds}), std::logic_error);
}

TEST(refusal, of_waiting_where_blocks_do_not_run_together)
{
  EXPECT_EQ(refusal([](block const& b, words) { b.step([&](int) { b.pause(); }); }),
            "a kernel whose blocks wait for each other says so: static constexpr bool waits = true");
}

TEST(refusal, of_elements_on_the_host)
{
  machine on;
  words const x = on.input(std::vector<int>{1}, "x");
  EXPECT_THROW(x[0] = 2, std::logic_error);
  EXPECT_THROW(static_cast<void>(static_cast<int>(x[0])), std::logic_error);
}

TEST(refusal, of_launches_without_threads)
{
  machine on;
  auto const nothing = [](block const&) {};
  EXPECT_THROW(on.launch(0, 32, kernel_of{nothing}), std::invalid_argument);
  EXPECT_THROW(on.launch(1, 0, kernel_of{nothing}), std::invalid_argument);
  EXPECT_THROW(on.launch(1, 1025, kernel_of{nothing}), std::invalid_argument);
  EXPECT_THROW(on.launch(-1, -1, kernel_of{nothing}), std::invalid_argument);
  on.launch(1, 1024, kernel_of{nothing});
  EXPECT_EQ(on.counts().launches, 1);
}

TEST(thrown, by_a_kernel_comes_out_of_the_launch)
{
  machine on;
  words const x = on.input(std::vector<int>{1, 2, 3}, "x");
  auto const throws = [](block const& b, words const& all) {
    auto y = b.shared<int>(5, "y");
    b.step([&](int t) {
      y[t] = t;
      if (b.index() == 1 && t == 2) throw std::runtime_error("no");
      if (t == 0) all[b.index()] = 10;
    });
  };
  EXPECT_THROW(on.launch(3, 3, kernel_of{throws}, x), std::runtime_error);
  EXPECT_EQ(on.values(x), (std::vector<int>{10, 10, 3})) << "the third block has not begun";
  EXPECT_EQ(on.counts().launches, 1);
  auto const doubles = [](block const& b, words const& all) {
    auto y = b.shared<int>(5, "y");
    b.step([&](int t) { y[t] = 2 * all[t]; });
    b.step([&](int t) { all[t] = y[t]; });
  };
  on.launch(1, 3, kernel_of{doubles}, x);
  EXPECT_EQ(on.values(x), (std::vector<int>{20, 20, 6}));
  EXPECT_TRUE(on.counts().clean());
  EXPECT_EQ(on.counts().barriers, 2u);
}

// Several of one kind, and their text.

TEST(finding, is_one_for_each_fault_and_place)
{
  machine on;
  run_on_x(on, 8, [](block const& b, words x) {
    for (int round = 0; round < 3; ++round)
      b.step([&](int t) {
        if (t < 2) x[0] = t;
        if (t >= 4) x[1] = t;
      });
  });
  ASSERT_EQ(on.counts().findings.size(), 2u);
  EXPECT_EQ(on.counts().findings[0].times, 3u);
  EXPECT_EQ(on.counts().findings[1].times, 9u);
}

TEST(finding, says_in_words_what_is_wrong)
{
  finding f;
  f.what = fault::race;
  f.kernel = "scan";
  f.block = 2;
  f.step = 3;
  f.thread = 1;
  f.other = 0;
  f.other_block = 2;
  f.array = "x";
  f.index = 7;
  f.writes = true;
  f.where = {"/a/b/scan.hpp", 12, 3};
  f.other_where = {"scan.hpp", 11, 3};
  EXPECT_EQ(f.text(),
            "scan.hpp:12: race in scan, block 2, step 3: thread 1 writes x[7], which thread 0 reads (scan.hpp:11), and "
            "nothing orders the two");
  f.other_block = 5;
  f.times = 4;
  EXPECT_EQ(f.text(),
            "scan.hpp:12: race in scan, block 2, step 3: thread 1 writes x[7], which thread 0 of block 5 reads "
            "(scan.hpp:11), and nothing orders the two (and 3 more like it)");
  f.times = 1;
  f.writes = false;
  f.other_writes = true;
  f.other_block = 2;
  EXPECT_EQ(f.text(),
            "scan.hpp:12: race in scan, block 2, step 3: thread 1 reads x[7], which thread 0 writes (scan.hpp:11), and "
            "nothing orders the two");
  f.writes = true;
  f.what = fault::unset_read;
  EXPECT_EQ(f.text(),
            "scan.hpp:12: read of what nobody wrote in scan, block 2, step 3: thread 1 reads x[7], which nobody has "
            "written");
  f.array = "";
  EXPECT_EQ(f.text(),
            "scan.hpp:12: read of what nobody wrote in scan, block 2, step 3: thread 1 reads a register, which nobody "
            "has written");
  f.what = fault::foreign_register;
  EXPECT_EQ(
      f.text(),
      "scan.hpp:12: register of another thread in scan, block 2, step 3: thread 1 names the register of thread 0, "
      "and on a GPU would get its own");
  f.what = fault::out_of_range;
  f.array = "x";
  f.size = 7;
  EXPECT_EQ(f.text(), "scan.hpp:12: out of range in scan, block 2, step 3: thread 1 writes x[7], but x has 7 elements");
  f.what = fault::no_progress;
  EXPECT_EQ(f.text(),
            "scan.hpp:12: no progress in scan, block 2, step 3: thread 1 waits, and every block that runs waits too");
}

}  // namespace
}  // namespace tally::model
