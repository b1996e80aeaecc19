// Races that the machine finds, by threads, blocks, index and line; and accesses that are no race.
#include <source_location>
#include <vector>

#include <gtest/gtest.h>

#include "kernel_of.hpp"
#include "run_on_x.hpp"

namespace tally::model {
namespace {

/// Runs `body` as `run_on_x` does, on a machine of its own, which must find one thing: this race on x, in the first
/// step of `body`, with a thread of block 0.
template <class Body>
void expect_race(int threads, expected_finding expected, Body const& body, int blocks = 1,
                 std::source_location const& in = std::source_location::current())
{
  machine on;
  run_on_x(on, threads, body, blocks);
  expected.what = fault::race;
  expected.step = 1;
  expected.array = "x";
  expected.other_block = 0;
  expect_only(on, expected, in);
  for (finding const& each : on.counts().findings) EXPECT_EQ(each.kernel, "kernel");
}

TEST(race, of_two_writes)
{
  expect_race(2,
              {.thread = 1,
               .other = 0,
               .index = 3,
               .writes = true,
               .other_writes = true,
               .mark = "both write",
               .other_mark = "both write"},
              [](block const& b, words x) {
                b.step([&](int t) {
                  x[3] = t;  // both write
                });
              });
}

TEST(race, of_a_read_and_a_later_write)
{
  expect_race(2,
              {.thread = 1,
               .other = 0,
               .index = 5,
               .writes = true,
               .other_writes = false,
               .mark = "overtakes",
               .other_mark = "is overtaken"},
              [](block const& b, words x) {
                b.step([&](int t) {
                  if (t == 0)
                    x[0] = x[5];  // is overtaken
                  else
                    x[5] = 7;  // overtakes
                });
              });
}

TEST(race, of_a_write_and_a_later_read)
{
  expect_race(2,
              {.thread = 1,
               .other = 0,
               .index = 5,
               .writes = false,
               .other_writes = true,
               .mark = "may come first",
               .other_mark = "comes first here"},
              [](block const& b, words x) {
                b.step([&](int t) {
                  if (t == 0)
                    x[5] = 7;  // comes first here
                  else
                    x[0] = x[5];  // may come first
                });
              });
}

TEST(race, of_one_reader_among_many_and_a_writer_that_reads_too)
{
  expect_race(
      4, {.thread = 3, .other = 2, .index = 2, .writes = true, .mark = "the last one writes", .other_mark = "all read"},
      [](block const& b, words x) {
        b.step([&](int t) {
          int const seen = x[2];        // all read
          if (t == 3) x[2] = seen + 1;  // the last one writes
        });
      });
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
  expect_race(
      2,
      {.thread = 1,
       .other = 1,
       .index = 6,
       .writes = true,
       .other_writes = true,
       .mark = "of every block",
       .other_mark = "of every block",
       .block = 1,
       .times = 2},
      [](block const& b, words x) {
        b.step([&](int t) {
          if (t == 1) x[6] = b.index();  // of every block
        });
      },
      3);
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

}  // namespace
}  // namespace tally::model
