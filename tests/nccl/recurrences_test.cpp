#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "../order/reference.hpp"
#include "../support/bits.hpp"
#include "../support/data.hpp"
#include "../support/divisions.hpp"
#include "../support/watchdog.hpp"
#include "host_machine.hpp"
#include "tally/array_view.hpp"
#include "tally/detail/nccl/recurrences.hpp"
#include "tally/detail/recurrence/steps.hpp"
#include "tally/ranks.hpp"

/// Linear recurrences whose steps are divided among GPUs, in this machine's memory, against the order's reference.
namespace tally::test {
namespace {

namespace recurrence = tally::detail::recurrence;

/// Whether two states have the same bits, NaNs among them.
template <class T>
bool same_state(T const& a, T const& b)
{
  if constexpr (recurrence::is_complex<T>)
    return same_state(a.real(), b.real()) && same_state(a.imag(), b.imag());
  else if constexpr (std::is_floating_point_v<T>)
    return (std::isnan(a) && std::isnan(b)) || same(a, b);
  else
    return a == b;
}

/// A recurrence, and its states by the order, in tiles of a few steps.
template <class T>
struct steps {
  std::vector<T> a, b;
  T before;
  std::size_t tile;
  std::vector<T> states;
  bool are_finite = true;

  steps(std::vector<T> factors, std::vector<T> terms, T start, std::size_t tile_steps)
      : a(std::move(factors)),
        b(std::move(terms)),
        before(start),
        tile(tile_steps),
        states(a.size())
  {
    std::vector<affine<T>> maps;
    for (std::size_t k = 0; k < a.size(); ++k) maps.push_back({a[k], b[k]});
    auto const all = reference::scan(maps, recurrence::steps_in_turn{},
                                     std::optional<affine<T>>(recurrence::beginning_with(before)), tiles_of(tile));
    for (std::size_t k = 0; k < a.size(); ++k) {
      states[k] = all.inclusive[k].offset;
      if constexpr (recurrence::may_overflow<T>) are_finite = are_finite && recurrence::is_finite(states[k]);
      if (!are_finite) states[k] = recurrence::step(a[k], k == 0 ? before : states[k - 1], b[k]);
    }
  }
};

template <class T>
steps<T> decaying(std::size_t n, std::size_t tile)
{
  std::vector<T> a(n), b(n);
  for (std::size_t k = 0; k < n; ++k) {
    a[k] = static_cast<T>(static_cast<double>(random_bits(1, k) % 2000) / 1000.0 - 1.0);
    b[k] = static_cast<T>(static_cast<double>(random_bits(2, k) % 1000));
  }
  return {a, b, static_cast<T>(3), tile};
}

/// One recurrence in all divisions, out of place and in place.
template <class T>
void check(steps<T> const& all, std::vector<std::vector<std::size_t>> const& divisions)
{
  watchdog const waits(std::chrono::seconds(300));
  host_machine machine;
  machine.tile = all.tile;
  on_host_ranks(static_cast<int>(divisions[0].size()) - 1, machine, {}, [&](host_ranks const& on, int rank) {
    in_each_division(rank, divisions, [&](std::size_t begin, std::size_t end) {
      auto const part = [&](std::vector<T> const& of) {
        return std::vector<T>(of.begin() + static_cast<std::ptrdiff_t>(begin),
                              of.begin() + static_cast<std::ptrdiff_t>(end));
      };
      std::vector<T> a = part(all.a), b = part(all.b), out(a.size());
      T const before = rank == 0 ? all.before : T{};
      auto const expect = [&](std::vector<T> const& got, char const* what) {
        for (std::size_t k = 0; k < got.size(); ++k)
          if (!same_state(got[k], all.states[begin + k]))
            throw error(std::string(what) + ": step " + std::to_string(begin + k));
      };
      auto const last = tally::linear_recurrence(on, a.begin(), a.end(), b.begin(), out.begin(), before);
      expect(out, "out of place");
      if (last != out.end()) throw error("the end");
      tally::linear_recurrence(on, a.begin(), a.end(), b.begin(), b.begin(), before);
      expect(b, "in place of the terms");
      b = part(all.b);
      tally::linear_recurrence(on, a.begin(), a.end(), b.begin(), a.begin(), before);
      expect(a, "in place of the factors");
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
    auto made = decaying<double>(n, tile);
    made.b[bad] = 1e308;
    if (bad + 1 < n) made.a[bad + 1] = 1e10;
    if (bad + 2 < n) made.a[bad + 2] = 0.0;  // 0 times infinity
    if (bad + 1 == n) made.b[bad] = HUGE_VAL;
    steps<double> const all(made.a, made.b, made.before, tile);
    ASSERT_FALSE(all.are_finite);
    check(all, bad % 4 == 0 ? every_division(n) : random_divisions(n, 4, 10));
  }
  // Factors whose products overflow, of states that are all finite: y stays 0.
  std::vector<double> a(n, 1e200), b(n, 0.0);
  b[n - 1] = 5.0;
  steps<double> const products(a, b, 0.0, tile);
  ASSERT_EQ(products.states[n - 1], 5.0);
  check(products, every_division(n));
}

/// Recurrences along an axis, one of which overflows, with an initial state each, and their last states.
TEST(recurrences_on_gpus, along_an_axis)
{
  watchdog const waits(std::chrono::seconds(300));
  std::size_t const n = 40, rows = 3, tile = 2;
  std::vector<steps<double>> all;
  std::vector<double> starts;
  for (std::size_t s = 0; s < rows; ++s) {
    auto made = decaying<double>(n, tile);
    std::rotate(made.b.begin(), made.b.begin() + static_cast<std::ptrdiff_t>(s), made.b.end());
    if (s == 1) made.b[n / 2] = HUGE_VAL;
    starts.push_back(static_cast<double>(s) + 0.5);
    all.emplace_back(made.a, made.b, starts[s], tile);
  }
  host_machine machine;
  machine.tile = tile;
  std::uint64_t seed = 0;
  for (auto const& offsets : random_divisions(n, 4, 12)) {
    ++seed;
    on_host_ranks(4, machine, {}, [&](host_ranks const& on, int rank) {
      in_each_division(rank, {offsets}, [&](std::size_t begin, std::size_t end) {
        std::size_t const size = end - begin;
        bool const columns = seed % 2 == 0, in_place = seed % 3 == 0;
        std::vector<double> a(rows * size), b(rows * size), out(rows * size), lasts(rows);
        auto const place = [&](std::size_t s, std::size_t k) { return columns ? k * rows + s : s * size + k; };
        for (std::size_t s = 0; s < rows; ++s)
          for (std::size_t k = 0; k < size; ++k) {
            a[place(s, k)] = all[s].a[begin + k];
            b[place(s, k)] = all[s].b[begin + k];
          }
        auto const view = [&](std::vector<double>& values) {
          return columns ? array_view<double>(values.data(), {size, rows})
                         : array_view<double>(values.data(), {rows, size});
        };
        int const axis = columns ? 0 : 1;
        std::vector<double>& results = in_place ? a : out;
        tally::linear_recurrence(on, along(axis, view(a)), along(axis, view(b)), along(axis, view(results)),
                                 each(starts), last_to(lasts));
        for (std::size_t s = 0; s < rows; ++s) {
          if (!same_state(lasts[s], all[s].states[n - 1])) throw error("a last state");
          for (std::size_t k = 0; k < size; ++k)
            if (!same_state(results[place(s, k)], all[s].states[begin + k])) throw error("a state");
        }
      });
    });
  }
}

TEST(recurrences_on_gpus, one_factor_for_all_steps)
{
  on_host_ranks(3, {}, {}, [&](host_ranks const& on, int rank) {
    std::vector<double> b(static_cast<std::size_t>(rank), 1.0), last(1);
    tally::linear_recurrence(on, 0.5, along(0, b), along(0, b), 4.0, last_to(last));
    if (last[0] != 2.25 || (rank == 1 && b[0] != 3.0) || (rank == 2 && b[1] != 2.25)) throw error("the states");
    std::vector<double> none;
    tally::linear_recurrence(on, 0.5, along(0, none), along(0, none), 4.0, last_to(last));
    if (last[0] != 4.0) throw error("the last state of no steps is the first one");
  });
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
  EXPECT_EQ(run(1e308, false), (traffic{1, 8, 6, rounds + 2 * 24 + 2 * 8}));
  sizes = {3, 3};
  EXPECT_EQ(run(1.0, false), (traffic{0, 0, 2, 2 * 128 + 2 * 256}));
}

}  // namespace
}  // namespace tally::test
