#include <complex>
#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <iterator>
#include <list>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../support/bits.hpp"
#include "../support/data.hpp"
#include "../support/operators.hpp"
#include "../support/virtual_ranks.hpp"
#include "../support/visits.hpp"
#include "../support/watchdog.hpp"
#include "parts.hpp"
#include "tally/operators.hpp"
#include "tally/reduce.hpp"
#include "tally/scan.hpp"

namespace tally::test {
namespace {

[[maybe_unused]] auto* const counted = testing::AddGlobalTestEnvironment(new visits({"include/tally/detail/ranks"}));

/// Every call on one rank's part of a division.
template <class T, class Op>
void check_rank(virtual_rank const& on, whole<T, Op> const& all, std::size_t begin, std::size_t end)
{
  auto const first = in_tiles_of(all.tile, all.x) + static_cast<std::ptrdiff_t>(begin);
  auto const last = first + static_cast<std::ptrdiff_t>(end - begin);
  std::vector<T> out(end - begin, T{});
  tally::inclusive_scan(on, first, last, out.begin(), all.op);
  expect_part(out, all.plain.inclusive, begin, "inclusive_scan");
  std::fill(out.begin(), out.end(), T{});
  tally::inclusive_scan(on, first, last, out.begin(), all.op, all.init);
  expect_part(out, all.started.inclusive, begin, "inclusive_scan from an initial value");
  std::fill(out.begin(), out.end(), T{});
  tally::exclusive_scan(on, first, last, out.begin(), all.init, all.op);
  expect_part(out, all.started.exclusive, begin, "exclusive_scan");
  expect_value(tally::reduce(on, first, last, all.init, all.op), *all.started.reduced, "reduce");
}

/// The calls with a transformation, of elements that are halves of themselves.
template <class T, class Op>
void check_transforms(virtual_rank const& on, whole<T, Op> const& all, std::size_t begin, std::size_t end)
{
  std::vector<T> halves(all.x.size());
  for (std::size_t k = 0; k < halves.size(); ++k) halves[k] = static_cast<T>(all.x[k] / 2);
  auto const first = in_tiles_of(all.tile, halves) + static_cast<std::ptrdiff_t>(begin);
  auto const last = first + static_cast<std::ptrdiff_t>(end - begin);
  auto const twice = [](T const& half) { return static_cast<T>(half + half); };
  std::vector<T> out(end - begin, T{});
  tally::transform_inclusive_scan(on, first, last, out.begin(), all.op, twice);
  expect_part(out, all.plain.inclusive, begin, "transform_inclusive_scan");
  tally::transform_inclusive_scan(on, first, last, out.begin(), all.op, twice, all.init);
  expect_part(out, all.started.inclusive, begin, "transform_inclusive_scan from an initial value");
  tally::transform_exclusive_scan(on, first, last, out.begin(), all.init, all.op, twice);
  expect_part(out, all.started.exclusive, begin, "transform_exclusive_scan");
  expect_value(tally::transform_reduce(on, first, last, all.init, all.op, twice), *all.started.reduced,
               "transform_reduce");
}

/// All divisions run in one world: the ranks go on from one to the next.
template <class T, class Op>
void check_divisions(whole<T, Op> const& all, std::vector<std::vector<std::size_t>> const& divisions)
{
  watchdog const waits(std::chrono::seconds(300));
  on_virtual_ranks(static_cast<int>(divisions[0].size()) - 1, [&](virtual_rank const& on, int rank) {
    in_each_division(rank, divisions, [&](std::size_t begin, std::size_t end) { check_rank(on, all, begin, end); });
  });
}

template <class T, class Op>
void check_every_division(std::size_t n, std::size_t tile, Op op)
{
  check_divisions(whole<T, Op>(n, tile, op), every_division(n));
}

#ifdef TALLY_TEST_BRIEFLY
constexpr std::size_t few = 4;
#else
constexpr std::size_t few = 1;
#endif

TEST(ranks, every_division_of_tiles_of_three_elements)
{
  check_every_division<float>(40 / few, 3, halve_and_add_in_double{});
}

TEST(ranks, every_division_of_spans_of_tiles_of_one_element)
{
  check_every_division<float>(67 / few, 1, halve_and_add_in_double{});
}

TEST(ranks, every_division_under_operators_in_any_order)
{
  check_every_division<std::int32_t>(14, 3, plus{});
  check_every_division<std::uint16_t>(14, 3, last_nonzero{});
}

TEST(ranks, transformations_in_every_division)
{
  watchdog const waits(std::chrono::seconds(300));
  std::vector<float> x(16);  // integers, of which halves are exact
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = static_cast<float>(random_bits(2, k) % 1000);
  whole<float, halve_and_add_in_double> const in_order(x, 3.0f, 3, {});
  whole<float, maximum> const in_any_order(x, 3.0f, 3, {});
  on_virtual_ranks(3, [&](virtual_rank const& on, int rank) {
    in_each_division(rank, every_division(x.size()), [&](std::size_t begin, std::size_t end) {
      check_transforms(on, in_order, begin, end);
      check_transforms(on, in_any_order, begin, end);
    });
  });
}

TEST(ranks, sums_of_products)
{
  std::vector<double> const a = make_data<double>(data::mixed_magnitudes, 5000);
  std::vector<double> const b = make_data<double>(data::distinct, 5000);
  double const whole_product = tally::transform_reduce(a.begin(), a.end(), b.begin(), 0.5);
  auto const offsets = random_division(5000, 4, 8);
  on_virtual_ranks(4, [&](virtual_rank const& on, int rank) {
    auto const begin = static_cast<std::ptrdiff_t>(offsets[static_cast<std::size_t>(rank)]);
    auto const end = static_cast<std::ptrdiff_t>(offsets[static_cast<std::size_t>(rank) + 1]);
    if (!same(tally::transform_reduce(on, a.begin() + begin, a.begin() + end, b.begin() + begin, 0.5), whole_product))
      throw error("the sum of products");
  });
}

TEST(ranks, random_divisions_among_many_ranks_across_spans)
{
  for (int const ranks : {2, 4, 9, 17}) {
    auto const divisions = random_divisions(330, ranks, 40 / few);
    check_divisions(whole<double, halve_and_add>(330, 3, {}), divisions);
    check_divisions(whole<float, plus>(330, 1, {}), divisions);
  }
}

TEST(ranks, a_thousand_and_twenty_four)
{
  constexpr int ranks = 1024 / few;
  check_divisions(whole<float, halve_and_add_in_double>(400, 3, {}), {random_division(400, ranks, 5)});
  check_divisions(whole<float, plus>(4000, 3, {}), {random_division(4000, ranks, 6)});
  check_divisions(whole<std::int32_t, plus>(4000, 3, {}), {random_division(4000, ranks, 7)});
}

/// The order's own tiles, of a type and an operator: parts of a few random divisions, in memory and in place.
template <class T, class Op>
void check_real_tiles(std::vector<T> const& x, Op op, T init)
{
  auto const expected = reference::scan(x, op, std::optional<T>(init));
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    auto const offsets = random_division(x.size(), 5, seed);
    std::vector<T> in = x, out(x.size(), T{});
    on_virtual_ranks(5, [&](virtual_rank const& on, int rank) {
      auto const at = [&](std::vector<T>& values, int r) {
        return values.begin() + static_cast<std::ptrdiff_t>(offsets[static_cast<std::size_t>(r)]);
      };
      tally::exclusive_scan(on, at(in, rank), at(in, rank + 1), at(out, rank), init, op);
      T const sum = tally::reduce(on, at(in, rank), at(in, rank + 1), init, op);
      if (!same(sum, *expected.reduced)) throw error("reduce: " + shown(sum));
      auto const end = tally::inclusive_scan(on, at(in, rank), at(in, rank + 1), at(in, rank), op, init);
      if (end != at(in, rank + 1)) throw error("another end");
    });
    EXPECT_TRUE(same_bits<T>(out, expected.exclusive)) << "exclusive_scan, seed " << seed;
    EXPECT_TRUE(same_bits<T>(in, expected.inclusive)) << "inclusive_scan in place, seed " << seed;
  }
}

TEST(ranks, types_and_operators)
{
  watchdog const waits(std::chrono::seconds(300));
  std::size_t const n = 3 * order::tile<matrix> + 7;
  std::vector<matrix> matrices(n);
  for (std::size_t k = 0; k < n; ++k) {
    auto const random = [&](std::uint64_t j) { return static_cast<std::uint32_t>(random_bits(j, k)); };
    matrices[k] = {random(1), random(2), random(3), random(4)};
  }
  check_real_tiles(matrices, matrix_product{}, matrix{2, 3, 5, 7});
  check_real_tiles(matrices, exact_matrix_product{}, matrix{2, 3, 5, 7});
  check_real_tiles(make_data<bfloat16>(data::distinct, 2 * order::tile<bfloat16> + 1), plus{}, bfloat16(3.0f));
  check_real_tiles(make_data<std::int64_t>(data::distinct, 5000), maximum{}, std::int64_t{-5});
  std::vector<std::complex<double>> numbers(5000);
  for (std::size_t k = 0; k < numbers.size(); ++k)
    numbers[k] = {static_cast<double>(random_bits(1, k) % 7), 1.0 / static_cast<double>(k + 1)};
  check_real_tiles(numbers, plus{}, std::complex<double>(0.1, 0.2));
}

/// A value of more than held values have on the stack.
struct large_value {
  float values[400];
  friend bool operator==(large_value const&, large_value const&) = default;
};
struct halve_and_add_large {
  large_value operator()(large_value const& a, large_value const& b) const
  {
    large_value sum;
    for (int k = 0; k < 400; ++k) sum.values[k] = halve_and_add{}(a.values[k], b.values[k]);
    return sum;
  }
};

TEST(ranks, values_of_more_than_a_kilobyte)
{
  std::vector<large_value> x(order::tile<large_value> + 130);
  for (std::size_t k = 0; k < x.size(); ++k)
    for (std::size_t j = 0; j < 400; ++j) x[k].values[j] = static_cast<float>(random_bits(j, k) % 1000);
  check_real_tiles(x, halve_and_add_large{}, x[3]);
}

TEST(ranks, elements_of_every_kind_of_iterator)
{
  std::size_t const n = 2 * order::tile<double> + 100;
  auto const x = make_data<double>(hardest<double>, n);
  auto const expected = reference::scan(x, plus{}, std::optional<double>());
  auto const offsets = random_division(n, 4, 3);
  std::vector<std::vector<double>> from_list(4), from_stream(4);
  on_virtual_ranks(4, [&](virtual_rank const& on, int rank) {
    auto const r = static_cast<std::size_t>(rank);
    std::forward_list<double> const part(x.begin() + static_cast<std::ptrdiff_t>(offsets[r]),
                                         x.begin() + static_cast<std::ptrdiff_t>(offsets[r + 1]));
    tally::inclusive_scan(on, part.begin(), part.end(), std::back_inserter(from_list[r]));
    std::stringstream text;
    text.precision(17);
    for (double const value : part) text << value << '\n';
    tally::inclusive_scan(on, std::istream_iterator<double>(text), std::istream_iterator<double>(),
                          std::back_inserter(from_stream[r]));
  });
  for (auto const& results : {from_list, from_stream}) {
    std::vector<double> all;
    for (auto const& part : results) all.insert(all.end(), part.begin(), part.end());
    EXPECT_TRUE(same_bits<double>(all, expected.inclusive));
  }
}

TEST(ranks, nothing_at_all)
{
  std::vector<float> const none;
  on_virtual_ranks(3, [&](virtual_rank const& on, int) {
    if (std::signbit(tally::reduce(on, none))) throw error("the empty sum is +0");
    if (tally::reduce(on, none, 5.0f) != 5.0f) throw error("the initial value");
    if (tally::reduce(on, std::vector<int>(), 5, minimum{}) != 5) throw error("the initial value of an exact operator");
    std::vector<float> out;
    tally::inclusive_scan(on, none, out);
    tally::exclusive_scan(on, none, out, 1.0f);
  });
}

TEST(ranks, the_initial_value_is_that_of_rank_0)
{
  on_virtual_ranks(3, [&](virtual_rank const& on, int rank) {
    std::vector<float> const part(static_cast<std::size_t>(rank), 1.0f);
    if (tally::reduce(on, part, static_cast<float>(rank + 10)) != 13.0f) throw error("in the order");
    std::vector<int> const whole_numbers(static_cast<std::size_t>(rank), 1);
    if (tally::reduce(on, whole_numbers, rank + 10) != 13) throw error("in any order");
  });
}

TEST(ranks, exact_sums)
{
  std::size_t const n = 1000;
  auto const x = make_data<double>(data::cancelling, n);
  std::vector<double> sums(n), out(n);
  tally::inclusive_scan(x, sums, exact_plus{});
  double const sum = tally::reduce(x, 0.5, exact_plus{});
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    auto const offsets = random_division(n, 4, seed);
    on_virtual_ranks(4, [&](virtual_rank const& on, int rank) {
      auto const begin = static_cast<std::ptrdiff_t>(offsets[static_cast<std::size_t>(rank)]);
      auto const end = static_cast<std::ptrdiff_t>(offsets[static_cast<std::size_t>(rank) + 1]);
      tally::inclusive_scan(on, x.begin() + begin, x.begin() + end, out.begin() + begin, exact_plus{});
      if (!same(tally::reduce(on, x.begin() + begin, x.begin() + end, 0.5, exact_plus{}), sum)) throw error("the sum");
    });
    EXPECT_TRUE(same_bits<double>(out, sums)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace tally::test
