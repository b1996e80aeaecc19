// Kernels written for one thread: barriers that all threads reach, barriers that some miss, and shuffles.
#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tally/model/thread_program.hpp"
#include "tally/operators.hpp"
#include "tally/textbook/hillis_steele.hpp"
#include "tally/textbook/on_one_block.hpp"
#include "tally/textbook/sections.hpp"

namespace tally::model {
namespace {

using textbook::element_of;

std::vector<int> counted(int n)
{
  std::vector<int> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), 1);
  return all;
}

/// The inclusive scan of Hillis and Steele, written for one thread.
struct scan {
  static constexpr char const* name = "scan";
  template <class In, class Op>
  thread_program operator()(thread own, In in, In out, int n, Op op) const
  {
    using E = element_of<In>;
    int const t = own.index(), k = own.block_index() * own.block_size() + t;
    auto x = own.template shared<E>(own.block_size(), "x");
    if (k < n) x[t] = in[k];
    int const end = std::min(own.block_size(), n - own.block_index() * own.block_size());
    for (int s = 1; s < end; s *= 2) {
      co_await own.barrier();
      E left;
      if (s <= t && k < n) left = x[t - s];
      co_await own.barrier();
      if (s <= t && k < n) x[t] = op(left, x[t]);
    }
    if (k < n) out[k] = x[t];
  }
};

TEST(thread_program, computes_and_counts_as_a_block_does)
{
  for (int const n : {1, 2, 31, 32, 33, 100, 128, 1000}) {
    int const threads = (n + 31) / 32 * 32;
    std::vector<int> expected = counted(n);
    std::partial_sum(expected.begin(), expected.end(), expected.begin());
    machine by_threads, by_blocks;
    auto const in = by_threads.input(counted(n), "in");
    auto const out = by_threads.allocate<traced<int>>(expected.size(), "out");
    by_threads.launch_threads(1, threads, scan{}, in, out, n, by_threads.watch<int>(plus{}));
    EXPECT_EQ(by_threads.values(out), expected) << n;
    EXPECT_TRUE(by_threads.counts().clean()) << by_threads.counts().findings[0].text();

    auto const same_in = by_blocks.input(counted(n), "in");
    auto const same_out = by_blocks.allocate<traced<int>>(expected.size(), "out");
    textbook::on_one_block<textbook::scan_of_sections<textbook::hillis_steele>>{}(by_blocks, same_in, same_out, n,
                                                                                  by_blocks.watch<int>(plus{}));
    report const& a = by_threads.counts();
    report const& b = by_blocks.counts();
    EXPECT_EQ(by_threads.operations().work(), by_blocks.operations().work()) << n;
    EXPECT_EQ(by_threads.operations().depth(), by_blocks.operations().depth()) << n;
    EXPECT_EQ(a.steps, b.steps) << n;
    EXPECT_EQ(a.shared.wavefronts + a.shared_in_transfers.wavefronts,
              b.shared.wavefronts + b.shared_in_transfers.wavefronts)
        << n;
    EXPECT_EQ(a.global.reads, b.global.reads) << n;
    EXPECT_EQ(a.global.sectors_written, b.global.sectors_written) << n;
  }
}

TEST(thread_program, every_block_has_shared_memory_of_its_own)
{
  machine on;
  auto const in = on.input(counted(100), "in");
  auto const out = on.allocate<traced<int>>(100, "out");
  on.launch_threads(4, 32, scan{}, in, out, 100, on.watch<int>(plus{}));
  std::vector<int> expected = counted(100);
  for (std::size_t begin = 0; begin < 100; begin += 32)
    for (std::size_t k = begin + 1; k < std::min<std::size_t>(100, begin + 32); ++k) expected[k] += expected[k - 1];
  EXPECT_EQ(on.values(out), expected);
  EXPECT_TRUE(on.counts().clean());
  EXPECT_EQ(on.counts().barriers, 10u);
}

/// Threads from `active` on return first; those below `early` wait at a barrier of their own.
struct leaves {
  static constexpr char const* name = "leaves";
  static constexpr unsigned first_barrier = __LINE__ + 7;  // and the second is 2 below
  template <class Array>
  thread_program operator()(thread own, Array x, Array y, int active, int early) const
  {
    int const t = own.index();
    if (t >= active) co_return;
    if (t < early)
      co_await own.barrier();
    else
      co_await own.barrier();
    x[t] = t;
    co_await own.barrier();
    y[t] = t > 0 ? int(x[t - 1]) : 0;
  }
};

TEST(thread_program, a_barrier_that_all_reach_is_no_finding)
{
  machine on;
  auto const x = on.allocate<int>(40, "x");
  auto const y = on.allocate<int>(40, "y");
  on.launch_threads(1, 40, leaves{}, x, y, 40, 0);
  EXPECT_TRUE(on.counts().clean());
  EXPECT_EQ(on.counts().barriers, 2u);
}

TEST(thread_program, a_barrier_that_a_thread_misses_by_ending)
{
  machine on;
  auto const x = on.allocate<int>(40, "x");
  auto const y = on.allocate<int>(40, "y");
  on.launch_threads(3, 40, leaves{}, x, y, 35, 0);
  auto const& all = on.counts().findings;
  auto const found =
      std::find_if(all.begin(), all.end(), [](finding const& f) { return f.what == fault::divergent_barrier; });
  ASSERT_NE(found, all.end());
  EXPECT_EQ(std::count_if(all.begin(), all.end(), [](finding const& f) { return f.what == fault::divergent_barrier; }),
            1);
  EXPECT_EQ(found->thread, 0);
  EXPECT_EQ(found->other, 35);
  EXPECT_EQ(found->where.line, leaves::first_barrier + 2);
  EXPECT_EQ(found->other_where.line, 0u);
  EXPECT_EQ(found->times, 3u) << "once in each block";
  EXPECT_NE(found->text().find("thread 0 waits here, while thread 35 has ended"), std::string::npos) << found->text();
  EXPECT_EQ(on.values(y)[34], 33) << "the run goes on";
}

TEST(thread_program, a_barrier_that_a_thread_misses_by_waiting_at_another)
{
  machine on;
  auto const x = on.allocate<int>(8, "x");
  auto const y = on.allocate<int>(8, "y");
  on.launch_threads(1, 8, leaves{}, x, y, 8, 5);
  finding const& found = on.counts().findings.at(0);
  EXPECT_EQ(found.what, fault::divergent_barrier);
  EXPECT_EQ(found.thread, 0);
  EXPECT_EQ(found.other, 5);
  EXPECT_EQ(found.where.line, leaves::first_barrier);
  EXPECT_EQ(found.other_where.line, leaves::first_barrier + 2);
  EXPECT_EQ(on.values(y)[7], 6) << "the run goes on";
}

struct never_ends {
  static constexpr char const* name = "never_ends";
  thread_program operator()(thread own, int stays) const
  {
    while (own.index() < stays) co_await own.barrier();
  }
};

TEST(thread_program, what_has_no_end_is_stopped)
{
  machine on;
  on.launch_threads(2, 2, never_ends{}, 2);
  ASSERT_EQ(on.counts().findings.size(), 1u);
  EXPECT_EQ(on.counts().findings[0].what, fault::endless);
  EXPECT_EQ(on.counts().findings[0].times, 2u);
  EXPECT_GE(on.counts().findings[0].step, most_barriers);
}

/// Reads what other blocks write.
struct shifts_in_place {
  static constexpr char const* name = "shifts_in_place";
  template <class Array>
  thread_program operator()(thread own, Array x, int n) const
  {
    int const k = own.block_index() * own.block_size() + own.index();
    element_of<Array> const value = x[k];
    co_await own.barrier();
    if (k + 1 < n) x[k + 1] = value;
  }
};

TEST(thread_program, a_barrier_does_not_order_blocks)
{
  machine on;
  auto const x = on.input(counted(64), "x");
  on.launch_threads(2, 32, shifts_in_place{}, x, 64);
  ASSERT_EQ(on.counts().findings.size(), 1u);
  finding const& found = on.counts().findings[0];
  EXPECT_EQ(found.what, fault::race);
  EXPECT_EQ(found.block, 1);
  EXPECT_EQ(found.other_block, 0);
  EXPECT_EQ(found.thread, 0);
  EXPECT_EQ(found.other, 31);
  EXPECT_EQ(found.index, 32);
}

struct throws {
  static constexpr char const* name = "throws";
  thread_program operator()(thread own) const
  {
    co_await own.barrier();
    if (own.index() == 3) throw std::runtime_error("three");
  }
};

TEST(thread_program, what_a_kernel_throws_is_thrown)
{
  machine on;
  EXPECT_THROW(on.launch_threads(1, 8, throws{}), std::runtime_error);
  EXPECT_THROW(on.launch_threads(1, 1025, throws{}), std::invalid_argument);
}

}  // namespace
}  // namespace tally::model
