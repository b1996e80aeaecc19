#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "../ranks/recurrence_steps.hpp"
#include "../support/divisions.hpp"
#include "../support/watchdog.hpp"
#include "host_machine.hpp"
#include "tally/detail/nccl/recurrences.hpp"
#include "tally/order.hpp"
#include "tally/ranks.hpp"

/// Linear recurrences whose steps are divided among GPUs, in this machine's memory, against the order's reference.
namespace tally::test {
namespace {

/// One recurrence in all divisions.
template <class T>
void check(steps<T> const& all, std::vector<std::vector<std::size_t>> const& divisions)
{
  watchdog const waits(std::chrono::seconds(300));
  host_machine machine;
  machine.tile = all.tile;
  on_host_ranks(static_cast<int>(divisions[0].size()) - 1, machine, {}, [&](host_ranks const& on, int rank) {
    in_each_division(rank, divisions, [&](std::size_t begin, std::size_t end) {
      check_recurrence(on, rank, all, begin, end, [](auto&&...) {});
    });
  });
}

TEST(recurrences_on_gpus, every_division)
{
  check(decaying<float>(13, 3), every_division(13));
  check(decaying<double>(40, 1), random_divisions(40, 4, 10));
  std::vector<std::uint32_t> a(11), b(11);
  for (std::size_t k = 0; k < a.size(); ++k) {
    a[k] = static_cast<std::uint32_t>(random_bits(1, k));
    b[k] = static_cast<std::uint32_t>(random_bits(2, k));
  }
  check(steps<std::uint32_t>(a, b, 7u, 3), every_division(11));
}

TEST(recurrences_on_gpus, across_spans)
{
  for (int const ranks : {1, 3, 7}) {
    check(decaying<double>(150, 2), random_divisions(150, ranks, 6));
    check(decaying<float>(150, 1), random_divisions(150, ranks, 6));
  }
}

/// Tiles of the order's size, with rows and strips.
TEST(recurrences_on_gpus, whole_tiles)
{
  std::size_t const tile = order::recurrence::tile<double>;
  check(decaying<double>(2 * tile + 700, tile), random_divisions(2 * tile + 700, 3, 4));
  check(decaying<float>(order::recurrence::tile<float> + 99, order::recurrence::tile<float>),
        random_divisions(order::recurrence::tile<float> + 99, 3, 4));
}

TEST(recurrences_on_gpus, complex_numbers)
{
  std::vector<std::complex<double>> c(50), d(50);
  for (std::size_t k = 0; k < c.size(); ++k) {
    c[k] = {static_cast<double>(random_bits(3, k) % 100) / 150.0, static_cast<double>(random_bits(4, k) % 100) / 150.0};
    d[k] = {static_cast<double>(random_bits(5, k) % 100), -1.0};
  }
  check(steps<std::complex<double>>(c, d, {1.0, 2.0}, 1), random_divisions(50, 4, 6));
  d[20] = {1.0, HUGE_VAL};
  check(steps<std::complex<double>>(c, d, {1.0, 2.0}, 1), random_divisions(50, 4, 6));
}

TEST(recurrences_on_gpus, states_that_are_not_finite)
{
  std::size_t const n = 12, tile = 3;
  for (std::size_t bad = 0; bad < n; ++bad) {
    auto const all = overflowing(decaying<double>(n, tile), bad);
    ASSERT_FALSE(all.are_finite);
    check(all, bad % 4 == 0 ? every_division(n) : random_divisions(n, 4, 10));
  }
  auto const products = overflowing_products(n, tile);
  ASSERT_EQ(products.states[n - 1], 5.0);
  check(products, every_division(n));
  // The state before all steps is rank 0's, also where a rank behind it has the first step, which overflows.
  check(steps<double>({1e308, 0.5}, {1.0, 1.0}, 1e10, tile), {{0, 0, 2, 2}, {0, 0, 0, 2}});
}

TEST(recurrences_on_gpus, along_an_axis)
{
  watchdog const waits(std::chrono::seconds(300));
  recurrences_in_rows const all(40, 2);
  host_machine machine;
  machine.tile = 2;
  auto const divisions = random_divisions(40, 4, 12);
  on_host_ranks(4, machine, {}, [&](host_ranks const& on, int rank) {
    std::size_t number = 0;
    in_each_division(rank, divisions, [&](std::size_t begin, std::size_t end) {
      ++number;
      all.check(on, begin, end, number % 2 == 0, number % 3 == 0);
    });
  });
}

TEST(recurrences_on_gpus, one_factor_for_all_steps)
{
  on_host_ranks(3, {}, {}, [&](host_ranks const& on, int rank) { check_one_factor(on, rank); });
}

TEST(recurrences_on_gpus, what_crosses)
{
  std::vector<std::size_t> sizes;
  auto const run = [&](double term, bool in_place) {
    return on_host_ranks(2, {}, sizes, [&](host_ranks const& on, int) {
      std::vector<double> a(3, 1.0), b(3, term), out(3);
      tally::linear_recurrence(on, a.begin(), a.end(), b.begin(), in_place ? a.begin() : out.begin(), 0.0);
    });
  };
  // Sizes, memory for the first time, whether all states are finite; and a block of totals.
  std::size_t const rounds = 2 * 3 * 128 + 2 * 256;
  EXPECT_EQ(run(1.0, false), (traffic{0, 0, 4, rounds}));
  EXPECT_EQ(run(1.0, true), (traffic{0, 0, 4, rounds}));
  // The ends of both parts, and the states behind the loops, of which one goes on.
  EXPECT_EQ(run(1e308, false), (traffic{1, 8, 6, rounds + 2 * 32 + 2 * 8}));
  sizes = {3, 3};
  EXPECT_EQ(run(1.0, false), (traffic{0, 0, 2, 2 * 128 + 2 * 256}));
}

}  // namespace
}  // namespace tally::test
