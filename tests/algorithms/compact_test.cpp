// Compaction against the standard library's sequential algorithms, on every number of threads: the results are the
// same, and nothing else is written.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../support/generator.hpp"
#include "../support/guarded.hpp"
#include "../support/sizes.hpp"
#include "tally/algorithms/compact.hpp"

namespace {

using tally::test::guarded;

/// Sizes around blocks, around the least size that threads share, and around tiles of several blocks.
std::vector<std::size_t> const sizes =
    tally::test::tidy({0, 1, 2, 3, 31, 4095, 4096, 4097, 8191, 8192, 8193, 70'001, 300'000});

/// Sequences of n numbers below 100, of which some, none, all, the last, the first, or long stretches are above 50.
template <class T>
std::vector<std::vector<T>> sequences(std::size_t n)
{
  std::vector<std::vector<T>> all(6, std::vector<T>(n));
  for (std::size_t k = 0; k < n; ++k) {
    all[0][k] = static_cast<T>(tally::test::random_bits(1, k) % 100);
    all[1][k] = T(0);
    all[2][k] = T(99);
    all[3][k] = static_cast<T>(k * 100 / n);            // sorted
    all[4][k] = static_cast<T>((n - 1 - k) * 100 / n);  // reversed
    all[5][k] = static_cast<T>((k / 4096 % 3 == 0 || tally::test::random_bits(2, k) % 1000 == 0) ? 99 : 1);
  }
  return all;
}

struct above_50 {
  template <class T>
  bool operator()(T const& value) const
  {
    return value > T(50);
  }
};

/// Calls `call(on)` for every way to run.
template <class Call>
void every_way(Call call)
{
  call(tally::detail::automatic{});
  for (int const threads : {0, 1, 2, 5}) call(tally::cpu{threads});
}

template <class T>
class compaction : public testing::Test {};
/// Four bytes, of an alignment of two.
struct pair_of_shorts {
  std::int16_t value;
  std::int16_t twice;

  pair_of_shorts() = default;
  template <class T>
  explicit pair_of_shorts(T x) : value(static_cast<std::int16_t>(x)),
                                 twice(static_cast<std::int16_t>(2 * x))
  {
  }
  explicit operator int() const { return value; }
  bool operator==(pair_of_shorts const&) const = default;
  bool operator>(pair_of_shorts const& other) const { return value > other.value; }
};
using types = testing::Types<std::int8_t, std::int16_t, std::int32_t, pair_of_shorts, std::uint64_t, double>;
TYPED_TEST_SUITE(compaction, types);

TYPED_TEST(compaction, copies_selected_elements)
{
  for (std::size_t const n : sizes) {
    for (std::vector<TypeParam> const& in : sequences<TypeParam>(n)) {
      std::vector<TypeParam> expected;
      std::copy_if(in.begin(), in.end(), std::back_inserter(expected), above_50{});
      every_way([&](auto on) {
        guarded<TypeParam> const out(expected.size());
        auto const end = tally::copy_if(on, in.begin(), in.end(), out.begin(), above_50{});
        EXPECT_EQ(end, out.end()) << n;
        EXPECT_TRUE(std::equal(out.begin(), out.end(), expected.begin())) << n;
        EXPECT_TRUE(out.guards_intact()) << n;
      });
    }
  }
}

TYPED_TEST(compaction, copies_flagged_elements)
{
  for (std::size_t const n : sizes) {
    std::vector<int> numbers(n);
    for (std::size_t k = 0; k < n; ++k) numbers[k] = static_cast<int>(k);
    for (std::vector<TypeParam> const& flags : sequences<TypeParam>(n)) {
      std::vector<int> expected;
      for (std::size_t k = 0; k < n; ++k)
        if (flags[k] > TypeParam(50)) expected.push_back(numbers[k]);
      every_way([&](auto on) {
        guarded<int> const out(expected.size());
        auto const end = tally::copy_if(on, numbers.begin(), numbers.end(), flags.begin(), out.begin(), above_50{});
        EXPECT_EQ(end, out.end()) << n;
        EXPECT_TRUE(std::equal(out.begin(), out.end(), expected.begin())) << n;
        EXPECT_TRUE(out.guards_intact()) << n;
      });
    }
  }
}

TYPED_TEST(compaction, partitions)
{
  for (std::size_t const n : sizes) {
    for (std::vector<TypeParam> const& in : sequences<TypeParam>(n)) {
      std::vector<TypeParam> selected, rest;
      std::partition_copy(in.begin(), in.end(), std::back_inserter(selected), std::back_inserter(rest), above_50{});
      every_way([&](auto on) {
        guarded<TypeParam> const a(selected.size()), b(rest.size()), both(n);
        auto const [a_end, b_end] = tally::partition_copy(on, in.begin(), in.end(), a.begin(), b.begin(), above_50{});
        EXPECT_EQ(a_end, a.end()) << n;
        EXPECT_EQ(b_end, b.end()) << n;
        EXPECT_TRUE(std::equal(a.begin(), a.end(), selected.begin())) << n;
        EXPECT_TRUE(std::equal(b.begin(), b.end(), rest.begin())) << n;
        EXPECT_TRUE(a.guards_intact() && b.guards_intact()) << n;
        auto const border = tally::stable_partition_copy(on, in.begin(), in.end(), both.begin(), above_50{});
        EXPECT_EQ(border - both.begin(), a_end - a.begin()) << n;
        EXPECT_TRUE(std::equal(both.begin(), border, selected.begin())) << n;
        EXPECT_TRUE(std::equal(border, both.end(), rest.begin())) << n;
        EXPECT_TRUE(both.guards_intact()) << n;
      });
    }
  }
}

TYPED_TEST(compaction, keeps_the_first_of_every_run)
{
  auto const tens = [](TypeParam a, TypeParam b) { return static_cast<int>(a) / 10 == static_cast<int>(b) / 10; };
  for (std::size_t const n : sizes) {
    for (std::vector<TypeParam> const& in : sequences<TypeParam>(n)) {
      std::vector<TypeParam> expected, by_tens;
      std::unique_copy(in.begin(), in.end(), std::back_inserter(expected));
      std::unique_copy(in.begin(), in.end(), std::back_inserter(by_tens), tens);
      every_way([&](auto on) {
        guarded<TypeParam> const out(expected.size()), tens_out(by_tens.size());
        EXPECT_EQ(tally::unique_copy(on, in.begin(), in.end(), out.begin()), out.end()) << n;
        EXPECT_TRUE(std::equal(out.begin(), out.end(), expected.begin())) << n;
        EXPECT_EQ(tally::unique_copy(on, in.begin(), in.end(), tens_out.begin(), tens), tens_out.end()) << n;
        EXPECT_TRUE(std::equal(tens_out.begin(), tens_out.end(), by_tens.begin())) << n;
        EXPECT_TRUE(out.guards_intact() && tens_out.guards_intact()) << n;
      });
    }
  }
}

/// Values that cannot be copied as bytes, behind iterators that are not pointers.
TEST(compaction, takes_strings)
{
  for (std::size_t const n : {std::size_t{0}, std::size_t{1}, std::size_t{4097}, std::size_t{20'000}}) {
    std::deque<std::string> in;
    for (std::size_t k = 0; k < n; ++k)
      in.push_back("a string that is too long for its object, " + std::to_string(k / 3 % 50));
    auto const odd = [](std::string const& text) { return text.back() % 2 == 1; };
    std::vector<std::string> selected, rest, runs;
    std::partition_copy(in.begin(), in.end(), std::back_inserter(selected), std::back_inserter(rest), odd);
    std::unique_copy(in.begin(), in.end(), std::back_inserter(runs));
    every_way([&](auto on) {
      std::deque<std::string> a(selected.size()), b(rest.size()), both(n), unique(runs.size());
      tally::partition_copy(on, in.begin(), in.end(), a.begin(), b.begin(), odd);
      EXPECT_TRUE(std::equal(a.begin(), a.end(), selected.begin()));
      EXPECT_TRUE(std::equal(b.begin(), b.end(), rest.begin()));
      EXPECT_EQ(tally::copy_if(on, in.begin(), in.end(), both.begin(), odd) - both.begin(),
                static_cast<std::ptrdiff_t>(selected.size()));
      EXPECT_TRUE(std::equal(selected.begin(), selected.end(), both.begin()));
      EXPECT_EQ(tally::unique_copy(on, in.begin(), in.end(), unique.begin()), unique.end());
      EXPECT_TRUE(std::equal(unique.begin(), unique.end(), runs.begin()));
    });
  }
}

TEST(compaction, calls_the_predicate_at_most_twice_and_on_the_calling_thread)
{
  std::vector<int> const in(100'000, 1);
  std::vector<int> out(in.size());
  std::vector<int> asked(1);
  tally::copy_if(in.begin(), in.end(), out.begin(), [&](int) { return ++asked[0] % 1 == 0; });
  EXPECT_LE(asked[0], 200'000);
}

TEST(compaction, passes_on_what_the_predicate_throws)
{
  std::vector<int> in(300'000, 1);
  in[277'777] = 2;
  std::vector<int> out(in.size());
  auto const thrower = [](int value) {
    if (value == 2) throw std::runtime_error("a two");
    return true;
  };
  every_way([&](auto on) {
    EXPECT_THROW(tally::copy_if(on, in.begin(), in.end(), out.begin(), thrower), std::runtime_error);
    EXPECT_THROW(tally::stable_partition_copy(on, in.begin(), in.end(), out.begin(), thrower), std::runtime_error);
  });
  EXPECT_THROW(tally::copy_if(tally::cpu{-1}, in.begin(), in.end(), out.begin(), above_50{}), tally::usage_error);
}

}  // namespace
