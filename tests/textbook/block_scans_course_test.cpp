// The scans of one block against the course: its figures, its tables of indices, its examples step by step.
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "scan_oracle.hpp"
#include "textbook/catalogue.hpp"
#include "watching.hpp"

namespace tally::textbook {
namespace {

using rows = std::vector<index_table::row>;

std::vector<int> one_to(int n)
{
  std::vector<int> result(static_cast<std::size_t>(n));
  std::iota(result.begin(), result.end(), 1);
  return result;
}

template <class Observer>
Observer watched_run(char const* kernel, std::vector<int> const& in)
{
  Observer seen;
  model::machine on;
  on.watch_with(&seen);
  run(*find_kernel(kernel), on, in);
  return seen;
}

TEST(course, scans_both_ways)
{
  for (kernel_entry const& kernel : block_scans()) {
    model::machine on;
    outcome const result = run(kernel, on, std::vector<int>{3, 1, 7, 0, 4, 1, 6, 3});
    bool const inclusive = kernel.result == result_kind::inclusive_scan;
    EXPECT_EQ(std::get<std::vector<int>>(result.result), inclusive ? (std::vector<int>{3, 4, 11, 11, 15, 16, 22, 25})
                                                                   : (std::vector<int>{0, 3, 4, 11, 11, 15, 16, 22}))
        << kernel.name;
  }
}

TEST(course, hillis_steele_in_three_stages)
{
  std::vector<std::string> const expected = {"1 2 3 4 5 6 7 8",  // loaded
                                             "1 3 5 7 9 11 13 15", "1 3 6 10 14 18 22 26", "1 3 6 10 15 21 28 36"};
  EXPECT_EQ(watched_run<stages>("hillis-steele", one_to(8)).seen, expected);
}

TEST(course, two_buffers_have_the_same_stages_by_turns)
{
  std::vector<std::string> const every_other = {"1 2 3 4 5 6 7 8", "1 3 6 10 14 18 22 26", "1 3 6 10 15 21 28 36"};
  EXPECT_EQ(watched_run<stages>("hillis-steele-two-buffers", one_to(8)).seen, every_other);
  EXPECT_EQ(watched_run<stages>("kogge-stone", one_to(8)).seen, every_other);
}

TEST(course, blelloch_up_and_down)
{
  std::vector<std::string> const expected = {
      "1 2 3 4 5 6 7 8",                                                  // loaded
      "1 3 3 7 5 11 7 15", "1 3 3 10 5 11 7 26", "1 3 3 10 5 11 7 36",    // 3 7 11 15, 10 26, 36
      "1 3 3 0 5 11 7 10", "1 0 3 3 5 10 7 21",  "0 1 3 6 10 15 21 28"};  // the identity and 10; ..
  EXPECT_EQ(watched_run<stages>("blelloch", one_to(8)).seen, expected);
}

TEST(course, shifted_loads)
{
  EXPECT_EQ(watched_run<stages>("hillis-steele-exclusive", one_to(8)).seen.front(), "0 1 2 3 4 5 6 7");
  EXPECT_EQ(watched_run<stages>("brent-kung-exclusive", one_to(8)).seen.front(), "0 1 2 3 4 5 6 7");
  std::string expected = "0";  // one only, though 32 threads load two elements each
  for (int k = 1; k < 64; ++k) expected += " " + std::to_string(k);
  EXPECT_EQ(watched_run<stages>("brent-kung-exclusive", one_to(64)).seen.front(), expected);
}

TEST(course, brent_kung_of_sixteen_elements)
{
  std::vector<rows> const expected = {
      // Up: thread, the element 2s(t+1) - 1, and the one s before it.
      {{0, 1, 0}, {1, 3, 2}, {2, 5, 4}, {3, 7, 6}, {4, 9, 8}, {5, 11, 10}, {6, 13, 12}, {7, 15, 14}},
      {{0, 3, 1}, {1, 7, 5}, {2, 11, 9}, {3, 15, 13}},
      {{0, 7, 3}, {1, 15, 11}},
      {{0, 15, 7}},
      // Down: the element s after 2s(t+1) - 1, and that one.
      {{0, 11, 7}},
      {{0, 5, 3}, {1, 9, 7}, {2, 13, 11}},
      {{0, 2, 1}, {1, 4, 3}, {2, 6, 5}, {3, 8, 7}, {4, 10, 9}, {5, 12, 11}, {6, 14, 13}},
  };
  EXPECT_EQ(watched_run<index_table>("brent-kung", one_to(16)).steps, expected);
}

TEST(course, sklansky_of_eight_elements)
{
  std::vector<rows> const expected = {
      {{0, 1, 0}, {1, 3, 2}, {2, 5, 4}, {3, 7, 6}},
      {{0, 2, 1}, {1, 3, 1}, {2, 6, 5}, {3, 7, 5}},
      {{0, 4, 3}, {1, 5, 3}, {2, 6, 3}, {3, 7, 3}},
  };
  EXPECT_EQ(watched_run<index_table>("sklansky", one_to(8)).steps, expected);
}

struct cost {
  char const* name;
  std::size_t work, steps, depth;
};

TEST(course, work_and_steps_of_1024_elements)
{
  for (cost const& each : {cost{"sequential-scan", 1023, 1023, 1023},
                           {"one-thread-per-output", 1024 * 1023 / 2, 1023, 1023},
                           {"hillis-steele", 9217, 10, 10},
                           {"hillis-steele-two-buffers", 9217, 10, 10},
                           {"hillis-steele-exclusive", 9217, 10, 10},
                           {"kogge-stone", 9217, 10, 10},
                           {"sklansky", 5120, 10, 10},
                           {"brent-kung", 1023 + (1022 - 9), 19, 18},
                           {"brent-kung-exclusive", 2036, 19, 18},
                           {"blelloch", 2046, 20, 19},
                           {"warp-shuffle-scan", 32 * 129 + 124 + 992, 11, 11}}) {
    SCOPED_TRACE(each.name);
    model::machine on;
    run(*find_kernel(each.name), on, one_to(1024));
    EXPECT_EQ(on.operations().work(), each.work);
    EXPECT_EQ(on.counts().steps, each.steps);
    EXPECT_EQ(on.operations().depth(), each.depth);
  }
}

TEST(course, brent_kung_does_at_most_twice_the_sequential_work)
{
  for (int n = 1; n <= 2048; ++n)
    ASSERT_LE(find_kernel("brent-kung")->work.value(n), 2 * find_kernel("sequential-scan")->work.value(n));
}

struct accesses {
  char const* name;
  int n;
  std::size_t wavefronts, ideal;
  int worst_degree;
  std::size_t warp_steps, divergent;
};

TEST(course, accesses_of_shared_memory)
{
  for (accesses const& each : {
           // Blelloch's figures are those of an independent count, which has no access and no warp-step to clear the
           // last element: neither has the kernel, where the root has the identity instead of the total that it reads.
           // Hillis and Steele's count is of reading and writing in one, 289 warp-steps, 5 divergent; with two barriers
           // each stride is two.
           accesses{"hillis-steele", 1024, 867, 867, 1, 2 * 289, 2 * 5},
           {"blelloch", 1024, 1337, 252, 32, 72, 10},
           {"blelloch-padded", 1024, 252, 252, 1, 72, 10},
           {"blelloch-padded", 2048, 511, 476, 2, 136, 10},
           {"blelloch-padded-twice", 1024, 252, 252, 1, 72, 10},
           {"blelloch-padded-twice", 2048, 476, 476, 1, 136, 10},
           // Not of the course. Two buffers: each stride reads x[t] of 32 warps and x[t-s] of as many as have one, and
           // writes 32.
           {"hillis-steele-two-buffers", 1024, 320 + 289 + 320, 929, 1, 320, 5},
           {"kogge-stone", 1024, 32 + 289 + 320, 641, 1, 32 + 320, 5},
           // In each of 16 warps: read x[k] and write it, in two passes for the 5 strides where k skips; read x[half -
           // 1], where 32, 16, 8, 4, 2 words in a warp are in 16, 8, 4, 2, 1 banks, and a broadcast from then on.
           {"sklansky", 1024, 16 * (5 * (2 + 2 + 2) + 5 * (1 + 1 + 1)), 16 * 10 * 3, 2, 160, 0},
       }) {
    SCOPED_TRACE(testing::Message() << each.name << " of " << each.n);
    model::machine on;
    run(*find_kernel(each.name), on, one_to(each.n));
    model::report const& found = on.counts();
    EXPECT_EQ(found.shared.wavefronts, each.wavefronts);
    EXPECT_EQ(found.shared.ideal, each.ideal);
    EXPECT_EQ(found.shared.worst_degree, each.worst_degree);
    EXPECT_EQ(found.warps.steps, each.warp_steps);
    EXPECT_EQ(found.warps.divergent, each.divergent);
  }
}

TEST(course, unpadded_blelloch_takes_more_of_shared_memory_than_hillis_steele_with_a_quarter_of_the_work)
{
  model::machine blelloch, hillis_steele;
  run(*find_kernel("blelloch"), blelloch, one_to(1024));
  run(*find_kernel("hillis-steele"), hillis_steele, one_to(1024));
  EXPECT_LT(4 * blelloch.operations().work(), hillis_steele.operations().work());
  EXPECT_GT(blelloch.counts().shared.wavefronts, hillis_steele.counts().shared.wavefronts);
}

TEST(course, a_shuffle_scan_needs_shared_memory_for_32_totals_only)
{
  model::machine on;
  run(*find_kernel("warp-shuffle-scan"), on, one_to(1024));
  // Elements: read and written once. Totals: written, read and written by one warp, read by those that take one in.
  EXPECT_EQ(on.counts().shared.wavefronts, 32u + 32u + 31u + 1u + 1u + 31u);
}

}  // namespace
}  // namespace tally::textbook
