// Numbered segments against a loop.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "tally/laws.hpp"
#include "tally/operators.hpp"
#include "tally/operators/numbered.hpp"
#include "tally/reduce.hpp"
#include "tally/scan.hpp"

namespace tally {

/// Lets the law checker see the parts.
template <class T, class Count>
auto law_parts(numbered<T, Count> const& x)
{
  return std::make_tuple(x.heads, x.value);
}

namespace {

static_assert(exactly_associative<numbered_segments<plus>, numbered<int, std::uint32_t>>);
static_assert(exactly_associative<numbered_segments<minimum>, numbered<float, std::uint64_t>>);
static_assert(exactly_associative<numbered_segments<compose>, numbered<affine<unsigned>, std::uint32_t>>);
static_assert(!exactly_associative<numbered_segments<plus>, numbered<float, std::uint32_t>>);
static_assert(!exactly_associative<numbered_segments<compose>, numbered<affine<double>, std::uint32_t>>);
static_assert(!exactly_associative<numbered_segments<plus>, int>);
static_assert(!commutative<numbered_segments<plus>, numbered<int, std::uint32_t>>);
static_assert(numbered_segments{plus{}}(numbered<int, unsigned>{2, 5}, numbered<int, unsigned>{0, 4}) ==
              numbered<int, unsigned>{2, 9});
static_assert(numbered_segments{plus{}}(numbered<int, unsigned>{2, 5}, numbered<int, unsigned>{3, 4}) ==
              numbered<int, unsigned>{5, 4});

/// Each value with no head, with one head, and with several.
template <class Count, class T>
std::vector<numbered<T, Count>> with_heads(std::vector<T> const& values)
{
  std::vector<numbered<T, Count>> all;
  for (T const& value : values)
    for (Count const heads : {Count{0}, Count{1}, Count{70'000}}) all.push_back({heads, value});
  return all;
}

template <class Op, class Samples>
void expect_laws(Op op, Samples const& samples)
{
  auto const report = check_laws(op, samples);
  EXPECT_TRUE(report) << report.message();
}

TEST(numbered_segments, keep_the_laws_that_they_claim)
{
  std::vector<unsigned> const numbers = {0u, 1u, 2u, 0xffffffffu, 0x80000000u};
  std::vector<float> const fractions = {0.0f, -0.0f, 1.5f, -2.25f, std::numeric_limits<float>::quiet_NaN()};
  std::vector<affine<unsigned>> const maps = {{1, 0}, {2, 1}, {0, 7}, {0xffffffffu, 3}};
  expect_laws(numbered_segments{plus{}}, with_heads<std::uint32_t>(numbers));
  expect_laws(numbered_segments{maximum{}}, with_heads<std::uint64_t>(numbers));
  expect_laws(numbered_segments{minimum{}}, with_heads<std::uint32_t>(fractions));
  expect_laws(numbered_segments{compose{}}, with_heads<std::uint32_t>(maps));
}

/// Floating-point sums are not exactly associative.
struct said_to_be_exact : numbered_segments<plus> {
  static constexpr bool exactly_associative = true;
};
TEST(numbered_segments, of_rounded_sums_depend_on_brackets)
{
  auto const report = check_laws(said_to_be_exact{}, with_heads<std::uint32_t>(std::vector{1.0f, 1e8f, -1e8f}));
  ASSERT_EQ(report.violations.size(), 1u);
  EXPECT_EQ(report.violations[0].broken, law::associativity);
}

/// The number of each element's segment and the segment's value up to the element, by a loop.
template <class Op, class T, class Count>
std::vector<numbered<T, Count>> one_by_one(Op op, std::vector<numbered<T, Count>> const& x)
{
  std::vector<numbered<T, Count>> result(x.size());
  Count heads = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    bool const begins = x[k].heads != 0;
    if (begins) ++heads;
    result[k].heads = heads;
    result[k].value = begins || k == 0 ? x[k].value : static_cast<T>(op(result[k - 1].value, x[k].value));
  }
  return result;
}

template <class T>
T value_of(std::size_t k)
{
  std::size_t const x = k * 2654435761u % 1000;
  if constexpr (std::is_arithmetic_v<T>)
    return static_cast<T>(x);
  else
    return {static_cast<unsigned>(2 * x + 1), static_cast<unsigned>(k)};
}

/// Segments of one element, of some, and of more than a tile. The first element begins a segment or has no head.
template <class T, class Op>
void expect_segments(Op op)
{
  using element = numbered<T, std::uint32_t>;
  for (std::size_t const n : {1u, 2u, 31u, 33u, 4095u, 4097u, 8193u, 70'001u})
    for (std::size_t const length : {std::size_t{1}, std::size_t{2}, std::size_t{37}, std::size_t{9001}, 2 * n})
      for (std::size_t const first : {0, 1}) {
        std::vector<element> x(n);
        for (std::size_t k = 0; k < n; ++k) x[k] = {(k + first) % length == 0 ? 1u : 0u, value_of<T>(k)};
        std::vector<element> const expected = one_by_one(op, x);
        for (int const threads : {1, 3}) {
          std::vector<element> own(n, element{12345, value_of<T>(77)});
          inclusive_scan(cpu{threads}, x, own, numbered_segments{op});
          ASSERT_EQ(own, expected) << n << " elements in segments of " << length << " on " << threads;
          element const last = reduce(cpu{threads}, x, element{1, identity_of<T>(op)}, numbered_segments{op});
          EXPECT_EQ(last.heads, expected.back().heads + 1);
          EXPECT_EQ(last.value, expected.back().value);
        }
      }
}

TEST(numbered_segments, are_scanned_and_reduced)
{
  expect_segments<std::uint32_t>(plus{});
  expect_segments<std::uint64_t>(maximum{});
  expect_segments<affine<unsigned>>(compose{});
  expect_segments<double>(plus{});  // of whole numbers, whose sums are exact
}

}  // namespace
}  // namespace tally
