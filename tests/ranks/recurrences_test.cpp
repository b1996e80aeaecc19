#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "../support/divisions.hpp"
#include "../support/virtual_ranks.hpp"
#include "../support/watchdog.hpp"
#include "recurrence_steps.hpp"
#include "tally/detail/strided_iterator.hpp"
#include "tally/order.hpp"
#include "tally/ranks.hpp"

/// Linear recurrences whose steps are divided among ranks, against the order's reference.
namespace tally::test {
namespace {

/// One recurrence on `ranks` ranks, also through iterators that are no pointers.
template <class T>
void check(steps<T> const& all, std::vector<std::vector<std::size_t>> const& divisions)
{
  watchdog const waits(std::chrono::seconds(300));
  on_virtual_ranks(static_cast<int>(divisions[0].size()) - 1, [&](virtual_rank const& on, int rank) {
    in_each_division(rank, divisions, [&](std::size_t begin, std::size_t end) {
      check_recurrence(on, rank, all, begin, end,
                       [&](std::vector<T> const& a, std::vector<T> const& b, T const& before, auto const& expect) {
                         using every_other = tally::detail::strided_iterator<T>;
                         std::vector<T> far(2 * b.size(), T{});
                         every_other const out(far.data(), 2);
                         tally::linear_recurrence(on, a.begin(), a.end(), b.begin(), out, before);
                         expect(out, "to every other place");
                       });
    });
  });
}
std::vector<std::vector<std::size_t>> divisions_near_tiles(std::size_t n, std::size_t tile, std::uint64_t count)
{
  std::vector<std::vector<std::size_t>> divisions;
  for (std::uint64_t seed = 0; seed < count; ++seed) divisions.push_back(division_near_tiles(n, 4, tile, seed));
  return divisions;
}
template <class T>
constexpr std::size_t tile_of_steps = order::tile<affine<T>>;

TEST(recurrences_on_ranks, states_that_are_finite)
{
  auto const check_size = [](auto const& all) { check(all, divisions_near_tiles(all.a.size(), all.tile, 6)); };
  check_size(decaying<double>(3 * tile_of_steps<double> + 50, tile_of_steps<double>));
  check_size(decaying<float>(2 * tile_of_steps<float> + 9, tile_of_steps<float>));
  check(decaying<double>(5, tile_of_steps<double>), every_division(5));
}

TEST(recurrences_on_ranks, integers_and_complex_numbers)
{
  std::vector<std::uint32_t> a(5000), b(5000);
  std::vector<std::complex<double>> c(5000), d(5000);
  for (std::size_t k = 0; k < a.size(); ++k) {
    a[k] = static_cast<std::uint32_t>(random_bits(1, k));
    b[k] = static_cast<std::uint32_t>(random_bits(2, k));
    c[k] = {static_cast<double>(random_bits(3, k) % 100) / 150.0, static_cast<double>(random_bits(4, k) % 100) / 150.0};
    d[k] = {static_cast<double>(random_bits(5, k) % 100), -1.0};
  }
  std::size_t const tile = tile_of_steps<std::complex<double>>;
  check(steps<std::uint32_t>(a, b, 7u, tile_of_steps<std::uint32_t>), divisions_near_tiles(5000, 1, 3));
  check(steps<std::complex<double>>(c, d, {1.0, 2.0}, tile), divisions_near_tiles(5000, tile, 3));
}

/// Growth and decay by turns, so that products of factors overflow where states do not, and states that overflow.
TEST(recurrences_on_ranks, states_that_are_not_finite)
{
  std::size_t const tile = tile_of_steps<double>, n = 2 * tile + 100;
  for (std::size_t const bad : {std::size_t{0}, std::size_t{700}, n / 2, n - 3, n - 1}) {
    auto const all = overflowing(decaying<double>(n, tile), bad);
    ASSERT_FALSE(all.are_finite);
    check(all, divisions_near_tiles(n, tile, 4));
    check(all, {{0, bad, bad, bad + 1, n}});
  }
  auto const products = overflowing_products(n, tile);
  ASSERT_EQ(products.states[n - 1], 5.0);
  check(products, divisions_near_tiles(n, tile, 4));
  // The state before all steps is rank 0's, also where a rank behind it has the first step, which overflows.
  check(steps<double>({1e308, 0.5}, {1.0, 1.0}, 1e10, tile), {{0, 0, 2, 2}});
}

TEST(recurrences_on_ranks, along_an_axis)
{
  watchdog const waits(std::chrono::seconds(300));
  std::size_t const tile = tile_of_steps<double>, n = tile + 300;
  recurrences_in_rows const all(n, tile);
  auto const divisions = divisions_near_tiles(n, tile, 6);
  on_virtual_ranks(4, [&](virtual_rank const& on, int rank) {
    std::size_t number = 0;
    in_each_division(rank, divisions, [&](std::size_t begin, std::size_t end) {
      all.check(on, begin, end, number % 2 == 0, number % 3 == 0);
      ++number;
    });
  });
}

TEST(recurrences_on_ranks, one_factor_for_all_steps)
{
  on_virtual_ranks(3, [&](virtual_rank const& on, int rank) { check_one_factor(on, rank); });
}

TEST(recurrences_on_ranks, what_crosses)
{
  std::size_t const tile = order::tile<affine<double>>;
  auto const run = [&](std::size_t first, std::size_t second, double term) {
    return on_virtual_ranks(2, [&](virtual_rank const& on, int rank) {
      std::vector<double> a(rank == 0 ? first : second, 1.0), b(a.size(), term);
      tally::linear_recurrence(on, a.begin(), a.end(), b.begin(), a.begin(), 0.0);
    });
  };
  // Sizes, totals and the last round; 16 bytes a map.
  EXPECT_EQ(run(tile, 10, 1.0), (traffic{0, 0, 3, 3 * 2 * 128}));
  EXPECT_EQ(run(tile - 10, 20, 1.0), (traffic{2, 2 * 10 * 16, 4, 4 * 2 * 128}));  // and memory for heads
  // A state that is not finite: a round, the ends of both parts, and the states after each rank.
  EXPECT_EQ(run(tile, 10, 1e308), (traffic{0, 0, 7, 4 * 2 * 128 + 2 * 24 + 2 * 8}));
}

}  // namespace
}  // namespace tally::test
