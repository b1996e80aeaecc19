#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "../support/bits.hpp"
#include "../support/data.hpp"
#include "../support/divisions.hpp"
#include "../support/generator.hpp"
#include "../support/operators.hpp"
#include "../support/virtual_ranks.hpp"
#include "../support/watchdog.hpp"
#include "mistakes.hpp"
#include "offsets.hpp"
#include "tally/algorithms/recurrence.hpp"
#include "tally/operators/exact_plus.hpp"
#include "tally/order.hpp"
#include "tally/ranks.hpp"

/// Segments between offsets that cross from rank to rank: each has the bits of one machine's call on all of them.
namespace tally::test {
namespace {

template <class T, class Op, from End>
void check_divisions(segments_of_one_machine<T, Op, End> const& all,
                     std::vector<std::vector<std::size_t>> const& divisions)
{
  watchdog const waits(std::chrono::seconds(300));
  on_virtual_ranks(static_cast<int>(divisions[0].size()) - 1,
                   [&](virtual_rank const& on, int rank) { check_parts(on, rank, all, divisions); });
}

/// The same from the front and from the back.
template <class T, class Op>
void check_both_ways(std::size_t n, std::vector<std::int64_t> const& offsets, Op op,
                     std::vector<std::vector<std::size_t>> const& divisions)
{
  check_divisions(segments_of_one_machine<T, Op, from::front>(n, offsets, op), divisions);
  check_divisions(segments_of_one_machine<T, Op, from::back>(n, offsets, op), divisions);
}

TEST(segments_between_on_ranks, every_division)
{
  std::size_t const n = 9;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    auto const offsets = random_offsets(seed == 0 ? 2 : 5, seed, n - seed % 2, seed);
    check_both_ways<float>(n, offsets, halve_and_add_in_double{}, every_division(n));
  }
  check_both_ways<std::int32_t>(n, {0, 0, 4, 9, 9}, plus{}, every_division(n));
  check_divisions(segments_of_one_machine<float, plus>(n, {0, 9}, {}), every_division(n));
}

TEST(segments_between_on_ranks, every_set_of_offsets)
{
  auto const divisions = every_division_with_idle_ranks(3);
  for_each_set_of_offsets([&](std::vector<std::int64_t> const& offsets) {
    check_both_ways<float>(3, offsets, halve_and_add_in_double{}, divisions);
  });
}

TEST(segments_between_on_ranks, long_segments)
{
  std::size_t const n = 3 * order::tile<double> + 100;
  for (std::uint64_t seed = 0; seed < 4; ++seed)
    check_both_ways<double>(n, random_offsets(seed + 1, 0, n, seed), plus{}, random_divisions(n, 6, 3, 10 * seed));
}

/// So long that totals take a round of their own.
TEST(segments_between_on_ranks, one_segment_of_many_tiles)
{
  std::size_t const tile = order::tile<double>, n = 40 * tile;
  std::vector<std::int64_t> const offsets{5, static_cast<std::int64_t>(n) - 3};
  check_both_ways<double>(n, offsets, plus{}, {{0, 10 * tile + 7, 30 * tile + 1, n}});
}

/// Each is rounded once, on whichever ranks its terms are.
TEST(segments_between_on_ranks, exact_sums)
{
  std::size_t const n = 9;
  for (std::uint64_t seed = 0; seed < 3; ++seed)
    check_both_ways<double>(n, random_offsets(seed == 0 ? 2 : 5, seed, n - seed % 2, seed), exact_plus{},
                            every_division(n));
  std::size_t const many = 20000;
  for (std::size_t const count : {1, 10, 600})
    check_both_ways<float>(many, random_offsets(count, 0, many, 1), exact_plus{}, random_divisions(many, 6, 2, 3));
  on_virtual_ranks(3, [](virtual_rank const& on, int rank) {
    std::vector<double> const part{rank == 0 ? 1e100 : rank == 1 ? 1.0 : -1e100};
    std::vector<int> const offsets = rank == 0 ? std::vector<int>{0, 3} : std::vector<int>{};
    std::vector<double> sum(rank == 0 ? 1 : 0), running(1);
    auto const segment = tally::segments(part, offsets);
    tally::reduce(on, segment, sum, exact_plus{});
    if (rank == 0 && sum[0] != 1.0) throw error("a sum");
    tally::inclusive_scan(on, tally::reversed(segment), running, exact_plus{});
    if (running[0] != (rank == 0 ? 1.0 : -1e100)) throw error("running sums from the back");
  });
}

TEST(segments_between_on_ranks, many_ranks)
{
  std::size_t const n = 1000;
  for (std::size_t const count : {1, 10, 600})
    check_both_ways<float>(n, random_offsets(count, 0, n, 1), halve_and_add_in_double{}, random_divisions(n, 30, 2, 3));
}

/// Recurrences, of which some overflow: out of place, in place, and with one number for all steps.
template <class T, from End = from::front>
void check_recurrences(std::size_t n, std::vector<std::int64_t> const& offsets, std::vector<std::size_t> const& bad,
                       std::vector<std::vector<std::size_t>> const& divisions)
{
  watchdog const waits(std::chrono::seconds(300));
  std::vector<T> a(n), b(n), starts(offsets.size());
  for (std::size_t k = 0; k < n; ++k) {
    double const factor = static_cast<double>(random_bits(1, k) % 2000) / 1000.0 - 1.0;
    if constexpr (std::is_integral_v<T>)
      a[k] = static_cast<T>(static_cast<std::int64_t>(factor));
    else
      a[k] = static_cast<T>(factor);
    b[k] = static_cast<T>(random_bits(2, k) % 1000);
  }
  for (std::size_t s = 0; s < starts.size(); ++s) starts[s] = static_cast<T>(s) + static_cast<T>(1);
  if constexpr (std::is_floating_point_v<T>)
    for (std::size_t const k : bad) b[k] = static_cast<T>(HUGE_VAL);
  std::size_t const count = offsets.size() - 1;
  std::vector<T> states(n, T(77)), lasts(count), halved(n, T(77));
  tally::linear_recurrence(cpu{1}, batch_of<End>(a, offsets), b, states, each(starts), last_to(lasts));
  tally::linear_recurrence(cpu{1}, T(2), batch_of<End>(b, offsets), halved);
  auto const same_states = [](std::vector<T> const& got, std::vector<T> const& all, std::size_t first,
                              char const* what) {
    for (std::size_t k = 0; k < got.size(); ++k)
      if (!(same(got[k], all[first + k]) || (got[k] != got[k] && all[first + k] != all[first + k])))
        throw error(std::string(what) + " at " + std::to_string(first + k));
  };
  on_virtual_ranks(static_cast<int>(divisions[0].size()) - 1, [&](virtual_rank const& on, int rank) {
    in_each_division(rank, offsets, divisions, [&](given own, std::size_t begin, std::size_t end) {
      auto const places = piece_of(offsets, own.first, own.behind + 1);
      auto const factors = piece_of(a, begin, end), first_states = piece_of(starts, own.first, own.behind);
      auto terms = piece_of(b, begin, end);
      std::vector<T> out(end - begin, T(77)), own_lasts(own.behind - own.first, T(77));
      auto const batch = batch_of<End>(factors, places);
      tally::linear_recurrence(on, batch, terms, out, each(first_states), last_to(own_lasts));
      same_states(out, states, begin, "out of place");
      same_states(own_lasts, lasts, own.first, "last states");
      out.assign(end - begin, T(77));
      tally::linear_recurrence(on, T(2), batch_of<End>(terms, places), out);
      same_states(out, halved, begin, "one number for all steps");
      out = terms;
      tally::linear_recurrence(on, batch, out, out, each(first_states));
      // Places outside of all segments keep what they have.
      auto expected = piece_of(states, begin, end);
      for (std::size_t k = 0; k < out.size(); ++k)
        if (static_cast<std::int64_t>(begin + k) < offsets[0] || offsets[count] <= static_cast<std::int64_t>(begin + k))
          expected[k] = terms[k];
      same_states(out, expected, 0, "in place");
    });
  });
}

TEST(segments_between_on_ranks, recurrences)
{
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    check_recurrences<double>(8, random_offsets(3, seed, 8, seed), {}, every_division(8));
    check_recurrences<double>(8, random_offsets(3, 0, 8, seed), {seed + 1, 5}, every_division(8));
    check_recurrences<double, from::back>(8, random_offsets(3, seed, 8, seed), {}, every_division(8));
    check_recurrences<double, from::back>(8, random_offsets(3, 0, 8, seed), {seed + 1, 5}, every_division(8));
    check_recurrences<double, from::back>(8, random_offsets(3, 0, 8, seed), {7}, every_division(8));
  }
  std::size_t const n = 2 * order::tile<affine<double>> + 100;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    auto const divisions = random_divisions(n, 6, 3, 10 * seed);
    auto const offsets = random_offsets(seed + 1, 0, n, seed + 7);
    check_recurrences<double>(n, offsets, {}, divisions);
    check_recurrences<double>(n, offsets, {n / 3, n - 5}, divisions);
    check_recurrences<double, from::back>(n, offsets, {}, divisions);
    check_recurrences<double, from::back>(n, offsets, {n / 3, n - 5}, divisions);
    check_recurrences<float>(n, offsets, {}, divisions);
    check_recurrences<std::uint32_t>(n, offsets, {}, divisions);
  }
}

/// A user-defined operator without an identity, values of the caller's from each, and offsets of another type.
TEST(segments_between_on_ranks, the_smaller_forms)
{
  on_virtual_ranks(2, [&](virtual_rank const& on, int rank) {
    std::vector<float> const part(3, 1.0f);
    std::vector<std::uint32_t> const offsets =
        rank == 0 ? std::vector<std::uint32_t>{1, 5} : std::vector<std::uint32_t>{5, 5, 6};
    std::vector<float> sums(rank == 0 ? 1 : 2, 77.0f);
    tally::reduce(on, tally::segments(part, offsets), sums);
    if (rank == 0 ? sums[0] != 4.0f : sums[0] != 0.0f || sums[1] != 1.0f) throw error("sums");
    tally::reduce(on, tally::segments(part, offsets), sums, maximum{});
    if (sums[0] != (rank == 0 ? 1.0f : -HUGE_VALF)) throw error("maxima");
    std::vector<double> lasts(sums.size(), 77.0), out(3, 77.0);
    tally::inclusive_scan<double>(on, tally::segments(part, offsets), out, plus{}, last_to(lasts));
    if (out != (rank == 0 ? std::vector<double>{77, 1, 2} : std::vector<double>{3, 4, 1})) throw error("running sums");
    if (lasts[0] != (rank == 0 ? 4.0 : 0.0)) throw error("last values");
    std::uint32_t const count = rank == 0 ? 1 : 0;  // in memory
    tally::reduce(on, tally::segments(part, offsets, count_at(&count, 2)), sums);
    if (rank == 0 && sums[0] != 4.0f) throw error("a number in memory");
  });
}

TEST(segments_between_on_ranks, mistakes)
{
  std::vector<float> const part(4, 1.0f);
  auto const texts = [&](std::vector<std::vector<int>> const& offsets) {
    return texts_of([&](virtual_rank const& on, int rank) {
      std::vector<float> out(4);
      tally::inclusive_scan(on, tally::segments(part, offsets[static_cast<std::size_t>(rank)]), out);
    })[0];
  };
  EXPECT_EQ(texts({{0, 6}, {6, 7, 12}, {}}), "");
  EXPECT_EQ(texts({{0, 6}, {6, 12}, {12, 12}}), "");
  EXPECT_EQ(texts({{0, 6}, {3, 12}, {}}),
            "tally: rank 1 of 3 failed: segments begin at 3 to 3, and this rank's part is from "
            "4 to 8: each rank gives the segments that begin in its part, by their places in the whole");
  EXPECT_EQ(texts({{0, 6}, {5, 12}, {}}),
            "tally: rank 1 of 3 failed: the first offset is 5, and a segment of a rank before "
            "ends at 6");
  EXPECT_EQ(texts({{0, 6}, {6, 8}, {9, 13}}),
            "tally: rank 2 of 3 failed: the last offset is 13, and the ranks have 12 values");
  EXPECT_EQ(texts({{2, 1}, {6, 8}, {9, 12}}),
            "tally: rank 0 of 3 failed: offsets do not decrease: the first one is 2, the last "
            "two are 2 and 1");
  EXPECT_EQ(texts({{1, 3, 2, 4}, {6, 8}, {9, 12}}),
            "tally: rank 0 of 3 failed: tally: offsets do not decrease: segment 1 is from 3 to 2");
  EXPECT_EQ(texts({{-1, 3}, {}, {}}).find("tally: rank 0 of 3 failed: segments begin at -1"), 0u);
  EXPECT_EQ(texts_of([&](virtual_rank const& on, int rank) {
              std::vector<float> out(rank == 1 ? 3 : 4);
              std::vector<int> const offsets{4 * rank, 4 * rank + 4};
              tally::exclusive_scan(on, tally::segments(part, offsets), out, 0.0f);
            })[2],
            "tally: rank 1 of 3 failed: tally::exclusive_scan: the output has 3 elements, and needs 4");
  EXPECT_EQ(texts_of([&](virtual_rank const& on, int) {
              std::vector<float> out(4);
              std::vector<int> const offsets;
              tally::inclusive_scan(on, tally::segments(part.begin(), offsets), out);
            })[0],
            "tally: rank 0 of 3 failed: tally::inclusive_scan: on ranks the values of segments are a range, whose size "
            "is that of the rank's part");
  // Ranks that go different ways make different calls.
  std::string const both = texts_of([&](virtual_rank const& on, int rank) {
    std::vector<float> out(4);
    std::vector<int> const offsets{4 * rank, 4 * rank + 4};
    if (rank == 1)
      tally::inclusive_scan(on, tally::reversed(tally::segments(part, offsets)), out);
    else
      tally::inclusive_scan(on, tally::segments(part, offsets), out);
  })[0];
  EXPECT_NE(both.find("the ranks make different calls"), std::string::npos) << both;
  EXPECT_NE(both.find("inclusive_scan of segments between offsets from the back of float"), std::string::npos) << both;
}

/// An operator that fails at each of its calls, also when totals are folded.
TEST(segments_between_on_ranks, failures)
{
  std::vector<float> const x(6, 1.0f);
  for (int failing = 0; failing < 3; ++failing)
    for (int at = 0;; ++at) {
      bool failed = false;
      auto const texts = texts_of([&](virtual_rank const& on, int rank) {
        int calls = 0;
        auto const add = [&, rank](float a, float b) {
          if (rank == failing && calls++ == at) {
            failed = true;
            throw error("no sum");
          }
          return a + b;
        };
        // One segment of all ranks but the last elements, which are another one.
        std::vector<int> const offsets = rank == 0   ? std::vector<int>{0, 15}
                                         : rank == 2 ? std::vector<int>{15, 18}
                                                     : std::vector<int>{};
        std::vector<float> sums(1), out(6);
        tally::reduce(on, tally::segments(x, offsets), sums, 0.0f, add);
        tally::inclusive_scan(on, tally::segments(x, offsets), out, add, 0.0f, last_to(sums));
      });
      for (std::string const& text : texts)
        EXPECT_EQ(text, failed ? "tally: rank " + std::to_string(failing) + " of 3 failed: no sum" : "");
      if (!failed) break;
    }
}

TEST(segments_between_on_ranks, what_crosses)
{
  // Ten values on each of two ranks.
  auto const run = [&](std::vector<int> const& on_first, std::vector<int> const& on_second) {
    return on_virtual_ranks(2, [&](virtual_rank const& on, int rank) {
      std::vector<float> part(10, 1.0f);
      tally::inclusive_scan(on, tally::segments(part, rank == 0 ? on_first : on_second), part);
    });
  };
  // A round, one of totals and the last one; a head there and back.
  EXPECT_EQ(run({0, 20}, {}), (traffic{2, 2 * 10 * 4, 3, 3 * 2 * 128}));
  EXPECT_EQ(run({0, 7, 15}, {15, 20}), (traffic{2, 2 * 5 * 4, 3, 3 * 2 * 128}));
  EXPECT_EQ(run({0, 10}, {10, 20}), (traffic{0, 0, 2, 2 * 2 * 128}));  // none crosses
  // From the back the rank with the end of the segment holds its first tile: of [0, 13) three elements.
  traffic const backward = on_virtual_ranks(2, [&](virtual_rank const& on, int rank) {
    std::vector<float> part(10, 1.0f);
    std::vector<int> const offsets = rank == 0 ? std::vector<int>{0, 13} : std::vector<int>{};
    tally::inclusive_scan(on, tally::reversed(tally::segments(part, offsets)), part);
    if (part != (rank == 0 ? std::vector<float>{13, 12, 11, 10, 9, 8, 7, 6, 5, 4}
                           : std::vector<float>{3, 2, 1, 1, 1, 1, 1, 1, 1, 1}))
      throw error("running sums");
  });
  EXPECT_EQ(backward, (traffic{2, 2 * 10 * 4, 3, 3 * 2 * 128}));
  // Three ranks, two segments that cross borders: two rounds of totals.
  traffic const two = on_virtual_ranks(3, [&](virtual_rank const& on, int rank) {
    std::vector<float> const part(10, 1.0f);
    std::vector<std::vector<int>> const offsets{{0, 14}, {14, 30}, {}};
    std::vector<float> sums(1);
    tally::reduce(on, tally::segments(part, offsets[static_cast<std::size_t>(rank)]), sums);
  });
  EXPECT_EQ(two, (traffic{2, (4 + 10) * 4, 4, 4 * 3 * 128}));
  // Operators that are exactly associative share a total of each piece, and need no heads.
  auto const of = [&]<class T, class Op>(T value, Op op, bool from_back) {
    return on_virtual_ranks(2, [&](virtual_rank const& on, int rank) {
      std::vector<T> part(10, value), sums(1);
      std::vector<int> const offsets = rank == 0 ? std::vector<int>{0, 17} : std::vector<int>{};
      auto const segment = tally::segments(part, offsets);
      if (from_back)
        tally::reduce(on, tally::reversed(segment), sums, value, op);
      else
        tally::reduce(on, segment, sums, value, op);
      if (rank == 0 && sums[0] != 18 * value) throw error("a sum");
    });
  };
  EXPECT_EQ(of(3, plus{}, false), (traffic{0, 0, 3, 3 * 2 * 128}));
  // Exact sums do not fit into the round. From the back the initial value travels beside them.
  std::size_t const exact = sizeof(order::carry<float, exact_plus>);
  EXPECT_EQ(of(1.0f, exact_plus{}, false), (traffic{0, 0, 4, 3 * 2 * 128 + 2 * exact}));
  EXPECT_EQ(of(1.0f, exact_plus{}, true), (traffic{0, 0, 4, 3 * 2 * 128 + 2 * 2 * exact}));
  // Recurrences of doubles: maps of 16 bytes, and a round in which ranks tell whether their states are finite.
  auto const recur = [&](double term) {
    return on_virtual_ranks(2, [&](virtual_rank const& on, int rank) {
      std::vector<double> a(10, 1.0), b(10, term), out(10);
      std::vector<int> const offsets = rank == 0 ? std::vector<int>{0, 20} : std::vector<int>{};
      tally::linear_recurrence(on, tally::segments(a, offsets), b, out);
    });
  };
  EXPECT_EQ(recur(1.0), (traffic{2, 2 * 10 * 16, 4, 4 * 2 * 128}));
  // If not: a round, the ends of both parts, and the states after each rank.
  EXPECT_EQ(recur(1e308), (traffic{2, 2 * 10 * 16, 8, 5 * 2 * 128 + 2 * 24 + 2 * 8}));
}

}  // namespace
}  // namespace tally::test
