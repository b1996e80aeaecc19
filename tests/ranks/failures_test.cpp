#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <new>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../support/operators.hpp"
#include "../support/virtual_ranks.hpp"
#include "../support/watchdog.hpp"
#include "parts.hpp"
#include "tally/algorithms/bins.hpp"
#include "tally/array_view.hpp"
#include "tally/operators.hpp"
#include "tally/ranks.hpp"

namespace {

/// Allocations of this thread until one fails; none fails if negative.
thread_local long allocations_left = -1;

void* allocate_or_fail(std::size_t bytes, std::size_t alignment)
{
  if (allocations_left >= 0 && !tally::test::in_transport && allocations_left-- == 0) throw std::bad_alloc();
  if (void* const memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment))
    return memory;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t bytes)
{
  return allocate_or_fail(bytes, alignof(std::max_align_t));
}
void* operator new(std::size_t bytes, std::align_val_t alignment)
{
  return allocate_or_fail(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept
{
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept
{
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept
{
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept
{
  std::free(memory);
}

namespace tally::test {
namespace {

/// The end of a rank's call: its value, or its exception.
struct ending {
  bool failed = false;
  int rank = -1;
  std::string text, nested;
};

template <class Call>
ending end_of(Call const& call)
{
  ending result;
  try {
    call();
  } catch (rank_error const& e) {
    allocations_left = -1;
    result = {true, e.rank(), e.what(), ""};
    try {
      std::rethrow_if_nested(e);
    } catch (std::exception const& inner) {
      result.nested = inner.what();
    } catch (int number) {
      result.nested = std::to_string(number);
    }
  }
  allocations_left = -1;
  return result;
}

/// A plus that throws after `limit` calls on one thread; negative: never.
struct limited_plus {
  inline static thread_local long left = -1;

  template <class T>
  T operator()(T const& a, T const& b) const
  {
    if (left >= 0 && left-- == 0) throw operator_failed();
    return a + b;
  }
};

/// Runs `call` with a rank that fails at its place `place`, for every place until the call succeeds. Returns the number
/// of failures.
template <class Prepare, class Call>
int fail_everywhere(int failing, std::string const& why, Prepare const& prepare, Call const& call)
{
  watchdog const waits(std::chrono::seconds(120));
  constexpr int ranks = 3;
  for (int place = 0;; ++place) {
    std::vector<ending> endings(ranks);
    on_virtual_ranks(ranks, [&](virtual_rank const& on, int rank) {
      endings[static_cast<std::size_t>(rank)] = end_of([&] {
        if (rank == failing) prepare(place);
        call(on, rank);
      });
      limited_plus::left = -1;
      // The ranks are still in step.
      std::vector<int> const part(2, rank);
      if (tally::reduce(on, part) != 6) throw error("the call after it");
    });
    if (!endings[0].failed) {
      for (ending const& each : endings) EXPECT_FALSE(each.failed) << "place " << place;
      return place;
    }
    for (int rank = 0; rank < ranks; ++rank) {
      ending const& each = endings[static_cast<std::size_t>(rank)];
      EXPECT_TRUE(each.failed) << "rank " << rank << " did not fail, place " << place;
      EXPECT_EQ(each.rank, failing);
      EXPECT_EQ(each.text, "tally: rank " + std::to_string(failing) + " of 3 failed: " + why);
      EXPECT_EQ(each.nested, rank == failing ? why : "");
    }
    if (testing::Test::HasFailure()) return place;
  }
}

std::vector<float> const x(20, 1.0f);
/// Parts whose tiles cross both borders: rank 1 has a head and a tail.
std::size_t const offsets[] = {0, 7, 14, 20};

auto part_of(int rank)
{
  auto const first = in_tiles_of(3, x);
  return std::pair(first + static_cast<std::ptrdiff_t>(offsets[rank]),
                   first + static_cast<std::ptrdiff_t>(offsets[rank + 1]));
}

TEST(ranks_fail, the_operator_at_every_call)
{
  for (int const failing : {0, 1, 2}) {
    auto const after = [](int place) { limited_plus::left = place; };
    int const scans = fail_everywhere(failing, "the operator failed", after, [](virtual_rank const& on, int rank) {
      std::vector<float> out(20);
      auto const [first, last] = part_of(rank);
      tally::exclusive_scan(on, first, last, out.begin(), 1.0f, limited_plus{});
    });
    EXPECT_GT(scans, 10);
    int const reductions = fail_everywhere(failing, "the operator failed", after, [](virtual_rank const& on, int rank) {
      auto const [first, last] = part_of(rank);
      (void)tally::reduce(on, first, last, 1.0f, limited_plus{});
    });
    EXPECT_GT(reductions, 5);
    EXPECT_LT(reductions, scans);
  }
}

TEST(ranks_fail, the_transformation_at_every_call)
{
  for (int const failing : {0, 1, 2}) {
    int const places = fail_everywhere(
        failing, "the operator failed", [](int place) { limited_plus::left = place; },
        [](virtual_rank const& on, int rank) {
          auto const [first, last] = part_of(rank);
          std::vector<float> out(20);
          tally::transform_inclusive_scan(on, first, last, out.begin(), plus{},
                                          [](float value) { return limited_plus{}(value, value); });
        });
    EXPECT_GE(places, 6);
  }
}

/// A stream of three numbers, whose memory is none of the library's.
struct text_of_three {
  inside_transport const now;
  std::istringstream stream{"1 2 3"};
  text_of_three() { in_transport = false; }
};

TEST(ranks_fail, every_allocation)
{
  auto const after = [](int place) { allocations_left = place; };
  for (int const failing : {0, 1, 2}) {
    int const places = fail_everywhere(failing, "std::bad_alloc", after, [](virtual_rank const& on, int rank) {
      auto const [first, last] = part_of(rank);
      float out[20];
      tally::inclusive_scan(on, first, last, out, halve_and_add{});
    });
    EXPECT_GE(places, 2) << "the two tiles";
    // Calls with many totals, which need memory of their own; with elements that are kept; and with an exact sum.
    std::vector<float> const many(400, 1.0f);
    int const kept = fail_everywhere(failing, "std::bad_alloc", after, [&](virtual_rank const& on, int) {
      auto const first = in_tiles_of(1, many);
      (void)tally::reduce(on, first, first + 400, 1.0f, halve_and_add{});
    });
    EXPECT_GE(kept, 4) << "the two tiles and the totals, own and all";
    int const sums = fail_everywhere(failing, "std::bad_alloc", after,
                                     [&](virtual_rank const& on, int) { (void)tally::reduce(on, many, exact_plus{}); });
    EXPECT_GE(sums, 2);
    int const once = fail_everywhere(failing, "std::bad_alloc", after, [&](virtual_rank const& on, int) {
      text_of_three text;
      (void)tally::reduce(on, std::istream_iterator<int>(text.stream), std::istream_iterator<int>(), 0);
    });
    EXPECT_GE(once, 2);
  }
}

/// Calls of ranks.hpp. Their parts share a tile, which crosses both borders.
TEST(ranks_fail, every_allocation_of_sequences_recurrences_and_segments)
{
  auto const after = [](int place) { allocations_left = place; };
  std::vector<int> const keys(14, 5);
  std::vector<char> const flags(14, 0);
  for (int const failing : {0, 1, 2}) {
    auto const fail = [&](auto const& call) { return fail_everywhere(failing, "std::bad_alloc", after, call); };
    int const batches = fail([&](virtual_rank const& on, int) {
      float out[14], lasts[2];
      tally::inclusive_scan(on, along(1, array_view<float const>(x.data(), {2, 7})),
                            along(1, array_view<float>(out, {2, 7})), halve_and_add{}, last_to(lasts));
    });
    EXPECT_GE(batches, 2) << "heads or tiles, and carries";
    int const reductions = fail([&](virtual_rank const& on, int) {
      float sums[20];
      tally::reduce(on, along(0, array_view<float const>(x.data(), {1, 20})), sums, 0.0f, halve_and_add{});
    });
    EXPECT_GE(reductions, 2) << "the totals, own and all";
    for (double const term : {1.0, 1e308}) {
      int const recurrences = fail([&](virtual_rank const& on, int) {
        double a[7], b[7];
        std::fill(a, a + 7, 1.0);
        std::fill(b, b + 7, term);
        tally::linear_recurrence(on, a, a + 7, b, b, 0.0);
      });
      EXPECT_GE(recurrences, term == 1.0 ? 4 : 7) << "states, heads, carries, and then the ends of parts";
    }
    int const by_flag = fail([&](virtual_rank const& on, int) {
      float out[14];
      tally::inclusive_scan_by_flag(on, x.begin(), x.begin() + 14, flags.begin(), out);
    });
    EXPECT_GE(by_flag, 5) << "the pieces of parts, and two tiles for each of two calls";
    int const by_key = fail([&](virtual_rank const& on, int) {
      float out[14];
      int runs[14];
      tally::reduce_by_key(on, keys.begin(), keys.end(), x.begin(), runs, out, halve_and_add{});
    });
    EXPECT_GE(by_key, 7) << "keys too";
    int const between = fail([&](virtual_rank const& on, int rank) {
      float sums[1];
      int const ends[] = {0, 20};  // a segment of all ranks, which rank 0 gives
      auto const segments =
          tally::segments(std::span(x).first(7), std::span(ends).first(rank == 0 ? std::size_t{2} : std::size_t{0}));
      tally::reduce(on, tally::reversed(segments), sums, 0.0f, exact_plus{});
      tally::reduce(on, tally::reversed(segments), sums, 0.0f, halve_and_add{});
    });
    EXPECT_GE(between, 6) << "parts and pieces, sums, own and all, and then two tiles for each of two calls";
    int const histograms = fail([&](virtual_rank const& on, int) {
      int counts[7];
      tally::histogram(on, x, even_bins(0.0, 1.0, 4), counts);
    });
    EXPECT_GE(histograms, 1);
  }
}

TEST(ranks_fail, the_operator_at_every_call_on_segments)
{
  std::vector<char> const flags{0, 1, 0, 1,
                                0, 0, 0};  // each rank has a segment of its own, and one crosses each border
  for (int const failing : {0, 1, 2}) {
    auto const after = [](int place) { limited_plus::left = place; };
    int const scans = fail_everywhere(failing, "the operator failed", after, [&](virtual_rank const& on, int) {
      float out[7];
      tally::inclusive_scan_by_flag(on, x.begin(), x.begin() + 7, flags.begin(), out, limited_plus{});
    });
    EXPECT_GE(scans, 1);
    int const reductions = fail_everywhere(failing, "the operator failed", after, [&](virtual_rank const& on, int) {
      float out[7];
      tally::reduce_by_flag(on, x.begin(), x.begin() + 7, flags.begin(), out, limited_plus{});
    });
    EXPECT_GE(reductions, 1);
  }
}

TEST(ranks_fail, the_lowest_of_several_ranks_is_named)
{
  on_virtual_ranks(4, [&](virtual_rank const& on, int rank) {
    ending const end = end_of([&] {
      std::vector<int> const part(3, 1);
      (void)tally::transform_reduce(on, part, 0, plus{}, [&](int value) {
        if (rank == 3) throw 5;
        if (rank == 2) throw operator_failed();
        return value;
      });
    });
    if (end.rank != 2 || end.text != "tally: rank 2 of 4 failed: the operator failed") throw error(end.text);
    if (rank == 2 && end.nested != "the operator failed") throw error(end.nested);
  });
}

TEST(ranks_fail, what_is_thrown_may_be_no_exception)
{
  on_virtual_ranks(2, [&](virtual_rank const& on, int rank) {
    ending const end = end_of([&] {
      std::vector<int> const part(3, 1);
      (void)tally::transform_reduce(on, part, 0, plus{}, [&](int value) {
        if (rank == 1) throw 5;
        return value;
      });
    });
    if (end.text != "tally: rank 1 of 2 failed: an exception that is no std::exception") throw error(end.text);
    if (end.nested != (rank == 1 ? "5" : "")) throw error(end.nested);
  });
}

/// Runs calls of which rank 1 makes another one.
template <class Usual, class Other>
void expect_different(Usual const& usual, Other const& other, std::string const& of_usual, std::string const& of_other)
{
  watchdog const waits;
  std::vector<ending> endings(3);
  on_virtual_ranks(3, [&](virtual_rank const& on, int rank) {
    endings[static_cast<std::size_t>(rank)] = end_of([&] {
      if (rank == 1)
        other(on);
      else
        usual(on);
    });
  });
  for (ending const& each : endings) {
    EXPECT_EQ(each.rank, 1);
    EXPECT_NE(each.text.find("Rank 0: " + of_usual), std::string::npos) << each.text;
    EXPECT_NE(each.text.find("rank 1: " + of_other), std::string::npos) << each.text;
    EXPECT_NE(each.text.find("All ranks must make the same call"), std::string::npos) << each.text;
  }
}

TEST(ranks_fail, calls_that_differ)
{
  std::vector<float> const floats(3, 1.0f);
  std::vector<double> const doubles(3, 1.0);
  std::vector<int> const ints(3, 1);
  auto const reduction = [&](virtual_rank const& on) { (void)tally::reduce(on, floats); };
  std::string const name = "reduce of float (4 bytes), operator tally::plus, tiles of 8192";
  expect_different(
      reduction,
      [&](virtual_rank const& on) {
        std::vector<float> out(3);
        tally::inclusive_scan(on, floats, out);
      },
      name, "inclusive_scan of float (4 bytes), operator tally::plus, tiles of 8192");
  expect_different(
      reduction, [&](virtual_rank const& on) { (void)tally::reduce(on, doubles); }, name,
      "reduce of double (8 bytes), operator tally::plus, tiles of 4096");
  expect_different(
      reduction, [&](virtual_rank const& on) { (void)tally::reduce(on, ints); }, name,
      "reduce of int (4 bytes), operator tally::plus");
  expect_different(
      reduction, [&](virtual_rank const& on) { (void)tally::reduce(on, floats, maximum{}); }, name,
      "reduce of float (4 bytes), operator tally::maximum");
  expect_different(
      reduction, [&](virtual_rank const& on) { (void)tally::reduce(on, floats, 0.0f); }, name,
      "reduce of float (4 bytes), operator tally::plus, with an initial value, tiles of 8192");
}

}  // namespace
}  // namespace tally::test
