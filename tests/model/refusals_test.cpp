// Launches that the machine refuses, exceptions that it passes on, and the text of findings.
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernel_of.hpp"
#include "run_on_x.hpp"
#include "tally/operators.hpp"

namespace tally::model {
namespace {

// Actions that no kernel against a block may take anywhere.

template <class Body>
std::string refusal(Body const& body)
{
  machine on;
  try {
    run_on_x(on, 2, body);
  } catch (std::logic_error const& refused) {
    // The machine is usable afterwards.
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
