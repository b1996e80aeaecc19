// Inputs and outputs that are functions, maps and temporary arrays.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "tally/algorithms/by_offset.hpp"
#include "tally/tally.hpp"

namespace {

struct ignore {
  void operator()(std::size_t, int) const {}
};
struct squares {
  std::uint64_t operator()(std::size_t k) const { return k * k; }
};
static_assert(std::random_access_iterator<decltype(tally::elements_from(squares{}))>);
static_assert(std::random_access_iterator<decltype(tally::results_to(ignore{}))>);

/// Sizes around tiles of every type, and around the size from which several threads share the work.
std::vector<std::size_t> const sizes = {0, 1, 2, 31, 4095, 4096, 4097, 8191, 8193, 70'000, 400'003};

TEST(elements_from, is_an_input_of_every_call)
{
  for (std::size_t const n : sizes) {
    std::uint64_t expected = 0;
    for (std::size_t k = 0; k < n; ++k) expected += k * k;
    auto const in = tally::elements_from(squares{});
    EXPECT_EQ(tally::reduce(in, in + static_cast<std::ptrdiff_t>(n), std::uint64_t{0}), expected) << n;
    EXPECT_EQ(tally::reduce(tally::cpu{3}, in, in + static_cast<std::ptrdiff_t>(n), std::uint64_t{0}), expected) << n;
  }
}

TEST(counting_from, counts)
{
  auto const at = tally::counting_from(5);
  EXPECT_EQ(*at, 5u);
  EXPECT_EQ(at[3], 8u);
  EXPECT_EQ(*(at + 2), 7u);
  EXPECT_EQ((at + 2) - at, 2);
}

/// Expects every result once, at its place, for exact operators (whose tiles are made small) and ordered ones.
template <class T>
void expect_results_reach_their_function()
{
  for (std::size_t const n : sizes) {
    for (int const threads : {1, 4}) {
      std::vector<T> in(n), expected(n), taken(n, T(-1));
      for (std::size_t k = 0; k < n; ++k) in[k] = static_cast<T>(k % 7 + 1);
      std::vector<std::atomic<int>> times(n);
      auto* const to = taken.data();
      auto* const counts = times.data();
      auto const use = [=](std::size_t k, T result) {
        to[k] = result;
        counts[k].fetch_add(1);
      };
      tally::exclusive_scan(in, expected, T(3));
      tally::exclusive_scan(tally::cpu{threads}, in.begin(), in.end(), tally::results_to(use), T(3));
      EXPECT_EQ(taken, expected) << n << " on " << threads;
      EXPECT_TRUE(std::all_of(times.begin(), times.end(), [](auto const& each) { return each == 1; })) << n;
    }
  }
}

TEST(results_to, takes_each_result_once)
{
  expect_results_reach_their_function<std::uint64_t>();
  expect_results_reach_their_function<std::int16_t>();
  expect_results_reach_their_function<float>();
}

/// The tiles depend on the size of the blocks and not on the number of threads. An operator that is only nearly
/// associative shows this.
TEST(elements_from, that_stand_for_blocks_have_the_same_bits_on_every_number_of_threads)
{
  auto const element = [](std::size_t k) { return 1.0 / static_cast<double>(k + 1); };
  for (std::size_t const bytes : {std::size_t{1}, std::size_t{4096}, std::size_t{1} << 17, std::size_t{1} << 20}) {
    auto const in = tally::elements_from(element, bytes);
    for (std::size_t const n : {1u, 31u, 32u, 33u, 1000u, 4099u}) {
      auto const end = in + static_cast<std::ptrdiff_t>(n);
      std::vector<double> one(n, -1), several(n, -2);
      tally::inclusive_scan(tally::cpu{1}, in, end, one.begin());
      for (int const threads : {2, 3, 8}) {
        tally::inclusive_scan(tally::cpu{threads}, in, end, several.begin());
        EXPECT_EQ(one, several) << n << " elements of " << bytes << " bytes on " << threads;
        EXPECT_EQ(tally::reduce(tally::cpu{threads}, in, end, 0.5), tally::reduce(tally::cpu{1}, in, end, 0.5)) << n;
      }
      EXPECT_EQ(tally::reduce(tally::cpu{1}, in, end), one.back()) << n << " elements of " << bytes << " bytes";
    }
  }
}

/// Segments of such elements have the bits of a call on each alone, short ones too.
TEST(elements_from, that_stand_for_blocks_have_the_bits_of_one_call_in_segments)
{
  auto const element = [](std::size_t k) { return 1.0 / static_cast<double>(k + 1); };
  std::vector<std::size_t> offsets = {0};
  for (std::size_t n : {1u, 2u, 3u, 4u, 5u, 8u, 9u, 16u, 17u, 31u, 33u, 64u, 65u, 100u, 300u, 1000u})
    offsets.push_back(offsets.back() + n);
  std::size_t const segments = offsets.size() - 1;
  for (std::size_t const bytes : {std::size_t{1}, std::size_t{4096}, std::size_t{1} << 14, std::size_t{1} << 20}) {
    auto const in = tally::elements_from(element, bytes);
    std::vector<double> sums(segments, -1), sums_by_offset(segments, -1), scans(offsets.back(), -1),
        own(offsets.back());
    std::vector<double> by_offset(offsets.back(), -1), expected;
    for (std::size_t s = 0; s < segments; ++s) {
      auto const first = in + static_cast<std::ptrdiff_t>(offsets[s]),
                 last = in + static_cast<std::ptrdiff_t>(offsets[s + 1]);
      expected.push_back(tally::reduce(first, last));
      tally::inclusive_scan(first, last, own.begin() + static_cast<std::ptrdiff_t>(offsets[s]));
    }
    tally::reduce(tally::segments(in, offsets), sums);
    EXPECT_EQ(sums, expected) << bytes << " bytes";
    tally::inclusive_scan(tally::segments(in, offsets), scans);
    EXPECT_EQ(scans, own) << bytes << " bytes";
    tally::reduce_by_offset(in, offsets.begin(), offsets.end(), sums_by_offset.begin());
    EXPECT_EQ(sums_by_offset, expected) << bytes << " bytes";
    tally::inclusive_scan_by_offset(in, offsets.begin(), offsets.end(), by_offset.begin());
    EXPECT_EQ(by_offset, own) << bytes << " bytes";
  }
}

TEST(for_each_index, calls_for_each_index_once)
{
  for (std::size_t const n : sizes) {
    for (int const threads : {0, 1, 5}) {
      std::vector<std::atomic<int>> times(n);
      tally::for_each_index(tally::cpu{threads}, n, [&](std::size_t k) { times[k].fetch_add(1); });
      EXPECT_TRUE(std::all_of(times.begin(), times.end(), [](auto const& each) { return each == 1; })) << n;
    }
  }
  int sum = 0;  // a call without an execution runs on this thread
  tally::for_each_index(100, [&](std::size_t k) { sum += static_cast<int>(k); });
  EXPECT_EQ(sum, 4950);
}

TEST(for_each_block, covers_all_without_overlap)
{
  for (std::size_t const n : sizes) {
    for (std::size_t const block : {std::size_t{1}, std::size_t{7}, std::size_t{4096}, std::size_t{1'000'000}}) {
      if (n / block > 100'000) continue;
      std::vector<std::atomic<int>> times(n);
      std::atomic<int> wrong{0};
      tally::for_each_block(tally::cpu{3}, n, block, [&](std::size_t begin, std::size_t end) {
        if (begin % block != 0 || end <= begin || end - begin > block || (end != n && end - begin != block)) ++wrong;
        for (std::size_t k = begin; k < end; ++k) times[k].fetch_add(1);
      });
      EXPECT_EQ(wrong, 0) << n << " by " << block;
      EXPECT_TRUE(std::all_of(times.begin(), times.end(), [](auto const& each) { return each == 1; }))
          << n << " by " << block;
    }
  }
}

TEST(for_each_index, gives_on_what_the_function_throws)
{
  auto const call = [] {
    tally::for_each_index(tally::cpu{4}, 100'000, [](std::size_t k) {
      if (k == 77'777) throw std::runtime_error("at 77777");
    });
  };
  EXPECT_THROW(call(), std::runtime_error);
  EXPECT_THROW(tally::for_each_index(tally::cpu{-1}, 5, [](std::size_t) {}), tally::usage_error);
}

TEST(temporary, is_memory_for_so_many)
{
  tally::temporary<std::uint32_t, tally::cpu> room(tally::cpu{}, 1000);
  std::iota(room.begin(), room.end(), 1u);
  EXPECT_EQ(tally::value_at(tally::cpu{}, room.data() + 999), 1000u);
  tally::temporary<double, tally::cpu> const none(tally::cpu{}, 0);
  EXPECT_EQ(none.size(), 0u);
}

}  // namespace
