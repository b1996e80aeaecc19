#include "reference.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>

#include <gtest/gtest.h>

#include "../support/bits.hpp"
#include "../support/data.hpp"
#include "../support/operators.hpp"
#include "../support/sizes.hpp"
#include "tally/operators/arithmetic.hpp"

namespace tally::test {
namespace {

/// n names: a, b, ... z, a1, b1, ...
std::vector<std::string> names(std::size_t n)
{
  std::vector<std::string> x;
  for (std::size_t k = 0; k < n; ++k)
    x.push_back(std::string(1, static_cast<char>('a' + k % 26)) + (k < 26 ? "" : std::to_string(k / 26)));
  return x;
}

/// The example of docs/order.md: 2 elements a group, 4 groups a row, 2 rows a strip, 2 strips a tile, 2 tiles a span.
constexpr reference::shape small{.group = 2, .row = 4, .strip = 2, .tile = 2, .span = 2};

TEST(reference, brackets_a_row_as_the_text_says)
{
  auto const y = reference::scan(names(8), bracket{}, {}, small).inclusive;
  EXPECT_EQ(y[0], "a");
  EXPECT_EQ(y[1], "(a b)");
  EXPECT_EQ(y[2], "((a b) c)");
  EXPECT_EQ(y[3], "((a b) (c d))");
  EXPECT_EQ(y[4], "(((a b) (c d)) e)");
  EXPECT_EQ(y[5], "(((a b) (c d)) (e f))");
  EXPECT_EQ(y[6], "(((a b) ((c d) (e f))) g)");
  EXPECT_EQ(y[7], "(((a b) ((c d) (e f))) (g h))");
}

TEST(reference, brackets_rows_strips_tiles_and_spans_as_the_text_says)
{
  // One element a group and two groups a row keep the brackets readable: a row has two elements, a strip four, a tile
  // eight.
  constexpr reference::shape tiny{.group = 1, .row = 2, .strip = 2, .tile = 2, .span = 2};
  auto const y = reference::scan(names(40), bracket{}, std::optional<std::string>("init"), tiny);
  std::string const tile0 = "(((((a b) (c d)) (e f)) g) h)";
  EXPECT_EQ(y.inclusive[0], "(init a)");
  EXPECT_EQ(y.inclusive[3], "(init (((a b) c) d))");
  EXPECT_EQ(y.inclusive[6], "(init ((((a b) (c d)) (e f)) g))");
  EXPECT_EQ(y.inclusive[7], "(init " + tile0 + ")");
  EXPECT_EQ(y.inclusive[8], "((init " + tile0 + ") i)");
  std::string const tile1 = "(((((i j) (k l)) (m n)) o) p)";
  EXPECT_EQ(y.inclusive[16], "((init (" + tile0 + " " + tile1 + ")) q)");
  std::string const tile2 = "(((((q r) (s t)) (u v)) w) x)";
  EXPECT_EQ(y.inclusive[24], "(((init (" + tile0 + " " + tile1 + ")) " + tile2 + ") y)");
  EXPECT_EQ(y.exclusive[0], "init");
  EXPECT_EQ(y.exclusive[16], y.inclusive[15]);
  EXPECT_EQ(y.reduced, y.inclusive[39]);
}

TEST(reference, adds_the_numbers_of_the_text)
{
  std::vector<float> x(8, 1.0f);
  x[0] = 16777216.0f;
  std::vector<float> const y{16777216, 16777216, 16777216, 16777216, 16777216, 16777218, 16777220, 16777220};
  EXPECT_TRUE(same_bits(reference::scan(x, plus{}).inclusive, y));
}

TEST(reference, combines_half_as_float_and_rounds_once)
{
  auto const x = make_data<half>(data::mixed_magnitudes, 3 * order::tile<half> + 100);
  auto const y = reference::scan(x, plus{}, std::optional<half>(half(0.1f)));
  // The scan is that of floats in groups of eight, except that the carry is a float.
  std::vector<float> const wide(x.begin(), x.end());
  plus op;
  auto const expected = reference::inclusive<float>(wide, std::optional<float>(half(0.1f)), op, {.group = 8});
  for (std::size_t k = 0; k < x.size(); ++k) ASSERT_TRUE(same_value(y.inclusive[k], half(expected[k]))) << k;
}

TEST(reference, keeps_the_order_of_operands)
{
  auto const text = names(900);
  auto const y = reference::scan(text, append{}, std::optional<std::string>("init"), small);
  std::string expected = "init";
  for (std::size_t k = 0; k < text.size(); ++k) {
    ASSERT_EQ(y.exclusive[k], expected);
    expected += text[k];
    ASSERT_EQ(y.inclusive[k], expected);
  }
}

template <class T>
void expect_exact(std::size_t n)
{
  auto const x = make_data<T>(data::distinct, n);
  T const init = static_cast<T>(42);
  auto const y = reference::scan(x, plus{}, std::optional<T>(init));
  std::vector<T> expected(n);
  std::uint64_t sum = static_cast<std::uint64_t>(init);
  for (std::size_t k = 0; k < n; ++k) expected[k] = static_cast<T>(sum += static_cast<std::uint64_t>(x[k]));
  ASSERT_TRUE(same_bits(y.inclusive, expected)) << n;
  ASSERT_EQ(y.reduced, n == 0 ? init : expected.back());
  ASSERT_EQ(y.exclusive.size(), n);
  for (std::size_t k = 0; k < n; ++k) ASSERT_EQ(y.exclusive[k], k == 0 ? init : expected[k - 1]);
}

TEST(reference, is_exact_on_integers)
{
  for (std::size_t const n : all_sizes<std::int64_t>()) expect_exact<std::int64_t>(n);
  for (std::size_t const n : tile_sizes<std::uint8_t>()) expect_exact<std::uint8_t>(n);
  for (std::size_t const n : tile_sizes<std::int32_t>()) expect_exact<std::int32_t>(n);
}

TEST(reference, has_the_sizes_of_order_hpp)
{
  auto const expect = []<class T>() {
    constexpr reference::shape by = reference::shape_of<T>();
    EXPECT_EQ(by.group, order::group<T>);
    EXPECT_EQ(by.row_elements(), order::row<T>);
    EXPECT_EQ(by.row_elements() * by.strip, order::strip<T>);
    EXPECT_EQ(by.tile_elements(), order::tile<T>);
    EXPECT_EQ(by.tile_elements() * by.span, order::span<T>);
  };
  struct five_bytes {
    char bytes[5];
  };
  struct large {
    char bytes[24];
  };
  expect.operator()<std::int8_t>();
  expect.operator()<half>();
  expect.operator()<float>();
  expect.operator()<double>();
  expect.operator()<long double>();
  expect.operator()<five_bytes>();
  expect.operator()<large>();
  EXPECT_EQ(order::group<five_bytes>, 3u);
  EXPECT_EQ(order::tile<float>, 8192u);
}

TEST(reference, carries_agree_with_order_hpp)
{
  auto const x = make_data<float>(data::mixed_magnitudes, 3 * order::span<float> + 5 * order::tile<float> + 9);
  plus op;
  for (std::optional<float> const init : {std::optional<float>(), std::optional<float>(0.3f)}) {
    auto const expected = reference::scan(x, op, init).inclusive;
    static_assert(std::is_same_v<order::carry<float, plus>::wide, double>);
    static_assert(std::is_same_v<order::carry<half, plus>::wide, float>);
    static_assert(std::is_same_v<order::carry<bfloat16, halve_and_add>::wide, float>);
    auto carry = init ? order::carry<float, plus>(*init) : order::carry<float, plus>();
    for (std::size_t first = 0; first < x.size(); first += order::tile<float>) {
      auto const local = reference::scan_tile(x, first, reference::shape_of<float>(), op);
      std::optional<float> const before = carry.next(op);
      ASSERT_TRUE(same_value(before ? *before + local[0] : local[0], expected[first])) << first;
      carry.push(local.back(), op);
      ASSERT_TRUE(same_value(*carry.last(), expected[first + local.size() - 1])) << first;
    }
  }
}

TEST(reference, carries_take_the_folds_of_spans)
{
  auto const x = make_data<float>(data::mixed_magnitudes, 2 * order::span<float> + 5 * order::tile<float>);
  plus op;
  order::carry<float, plus> tiles, folds;
  std::optional<double> fold;
  std::uint32_t count = 0;
  for (std::size_t first = 0; first < x.size(); first += order::tile<float>) {
    float const total = reference::scan_tile(x, first, reference::shape_of<float>(), op).back();
    tiles.push(total, op);
    fold = fold ? *fold + total : double{total};
    if (++count < order::span_tiles && first + order::tile<float> < x.size()) continue;
    folds.push_fold(*fold, count, op);
    fold.reset();
    count = 0;
    EXPECT_TRUE(same_value(*folds.next(op), *tiles.next(op))) << first;
  }
  tiles.push(3.0f, op);
  folds.push(3.0f, op);
  EXPECT_TRUE(same_value(*folds.last(), *tiles.last()));
}

TEST(reference, a_nan_reaches_all_after_it_and_none_before)
{
  for (std::size_t const n : {5u, 300u, 20000u}) {
    auto const y = reference::scan(make_data<float>(data::not_a_number, n), plus{}).inclusive;
    for (std::size_t k = 0; k < n; ++k) ASSERT_EQ(std::isnan(y[k]), k >= n / 2) << k;
  }
}

TEST(reference, absent_is_not_zero)
{
  auto const y = reference::scan(std::vector<float>(20000, -0.0f), plus{});
  for (float const value : y.inclusive) ASSERT_TRUE(value == 0.0f && std::signbit(value));
}

}  // namespace
}  // namespace tally::test
