// Prefix sums in several dimensions, and sums of boxes from them, against sums over all elements.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../contract/problem.hpp"
#include "../support/bits.hpp"
#include "arrays.hpp"
#include "elements.hpp"
#include "tally/prefix_sums.hpp"

namespace tally::test {
namespace {

/// Whether position a is in [0, b].
bool at_or_before(extents const& a, extents const& b)
{
  for (std::size_t d = 0; d < a.size(); ++d)
    if (a[d] > b[d]) return false;
  return true;
}

TEST(prefix_sums, integers_of_any_shape_in_place_and_not)
{
  for (std::size_t seed = 0; seed < 60; ++seed) {
    dice of(seed);
    extents shape(of(5));
    for (std::size_t& extent : shape) extent = of(15) == 0 ? 0 : 1 + of(6);
    placed const in = anywhere(shape, of, true), out = anywhere(shape, of, false);
    std::vector<std::uint8_t> x(in.size);
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = batch_element<std::uint8_t>(k, seed);
    std::vector<std::uint32_t> const poison(out.size, 0xA5A5A5A5u);
    std::vector<std::uint32_t> expected = poison;
    std::size_t const all = product(shape);
    for (std::size_t to = 0; to < all; ++to) {
      std::uint32_t sum = 0;
      for (std::size_t from = 0; from < all; ++from)
        if (at_or_before(position(shape, from), position(shape, to))) sum += x[in.place(position(shape, from))];
      expected[out.place(position(shape, to))] = sum;
    }
    for (int const threads : {1, 3}) {
      std::vector<std::uint32_t> table = poison;
      prefix_sums(cpu{threads}, in.view(static_cast<std::uint8_t const*>(x.data())), out.view(table.data()));
      ASSERT_TRUE(same_bits<std::uint32_t>(table, expected)) << "seed " << seed << in.shown();

      std::vector<std::uint32_t> own = poison;
      for (std::size_t k = 0; k < all; ++k) own[out.place(position(shape, k))] = x[in.place(position(shape, k))];
      prefix_sums(cpu{threads}, out.view(own.data()), out.view(own.data()));
      ASSERT_TRUE(same_bits<std::uint32_t>(own, expected)) << "in place, seed " << seed << out.shown();
    }
    for (int box = 0; box < 20; ++box) {
      std::vector<std::size_t> lower, upper;
      for (std::size_t const extent : shape) {
        std::size_t const a = of(extent + 1), b = of(extent + 1);
        lower.push_back(std::min(a, b));
        upper.push_back(of(5) == 0 ? extent : std::max(a, b));
      }
      std::uint32_t sum = 0;
      for (std::size_t k = 0; k < all; ++k) {
        extents const at = position(shape, k);
        bool inside = true;
        for (std::size_t d = 0; d < at.size(); ++d) inside = inside && lower[d] <= at[d] && at[d] < upper[d];
        if (inside) sum += x[in.place(at)];
      }
      if (shape.empty()) sum = x[in.first];
      ASSERT_EQ(box_sum(out.view(static_cast<std::uint32_t const*>(expected.data())), lower, upper), sum)
          << "seed " << seed << ", box " << box << out.shown();
    }
  }
}

TEST(prefix_sums, of_floats_are_scans_of_the_last_axis_and_then_of_the_first)
{
  std::size_t const rows = 7, columns = 150;
  std::vector<float> x(rows * columns), table(x.size());
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = batch_element<float>(k, 1);
  prefix_sums(array_view(x.data(), {rows, columns}), array_view(table.data(), {rows, columns}));
  for (std::size_t r = 0; r < rows; ++r) {
    std::vector<float> const row(x.begin() + static_cast<std::ptrdiff_t>(r * columns),
                                 x.begin() + static_cast<std::ptrdiff_t>((r + 1) * columns));
    auto const scanned = by_reference(row, plus{}).inclusive;
    std::copy(scanned.begin(), scanned.end(), x.begin() + static_cast<std::ptrdiff_t>(r * columns));
  }
  for (std::size_t c = 0; c < columns; ++c) {
    std::vector<float> column;
    for (std::size_t r = 0; r < rows; ++r) column.push_back(x[r * columns + c]);
    auto const scanned = by_reference(column, plus{}).inclusive;
    for (std::size_t r = 0; r < rows; ++r) ASSERT_TRUE(same_value(table[r * columns + c], scanned[r])) << r << ' ' << c;
  }
}

TEST(prefix_sums, refuses_another_shape)
{
  std::vector<int> x(12), table(12);
  EXPECT_THROW(prefix_sums(array_view(x.data(), {3, 4}), array_view(table.data(), {4, 3})), usage_error);
  EXPECT_THROW(prefix_sums(array_view(x.data(), {3, 4}), array_view(table.data(), {12})), usage_error);
  EXPECT_THROW(prefix_sums(array_view(x.data(), {}), array_view(table.data(), {12})), usage_error);
}

}  // namespace
}  // namespace tally::test
