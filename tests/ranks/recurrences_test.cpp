#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../support/bits.hpp"
#include "../support/data.hpp"
#include "../support/virtual_ranks.hpp"
#include "../support/watchdog.hpp"
#include "parts.hpp"
#include "tally/array_view.hpp"
#include "tally/detail/recurrence/steps.hpp"
#include "tally/detail/strided_iterator.hpp"
#include "tally/ranks.hpp"

/// Linear recurrences whose steps are divided among ranks, against one machine.
namespace tally::test {
namespace {

/// Whether two states have the same bits, NaNs among them.
template <class T>
bool same_state(T const& a, T const& b)
{
  if constexpr (tally::detail::recurrence::is_complex<T>)
    return same_state(a.real(), b.real()) && same_state(a.imag(), b.imag());
  else if constexpr (std::is_floating_point_v<T>)
    return (std::isnan(a) && std::isnan(b)) || same(a, b);
  else
    return a == b;
}

template <class T>
struct steps {
  std::vector<T> a, b;
  T before;
  std::vector<T> states;

  steps(std::vector<T> factors, std::vector<T> terms, T start)
      : a(std::move(factors)),
        b(std::move(terms)),
        before(start),
        states(a.size())
  {
    tally::linear_recurrence(cpu{1}, a.begin(), a.end(), b.begin(), states.begin(), before);
  }
};

/// One recurrence on `ranks` ranks: out of place, in place, and through iterators that are no pointers.
template <class T>
void check(steps<T> const& all, std::vector<std::size_t> const& offsets)
{
  watchdog const waits(std::chrono::seconds(300));
  on_virtual_ranks(static_cast<int>(offsets.size()) - 1, [&](virtual_rank const& on, int rank) {
    auto const r = static_cast<std::size_t>(rank);
    auto const begin = static_cast<std::ptrdiff_t>(offsets[r]), end = static_cast<std::ptrdiff_t>(offsets[r + 1]);
    std::vector<T> const a(all.a.begin() + begin, all.a.begin() + end);
    std::vector<T> b(all.b.begin() + begin, all.b.begin() + end), out(b.size(), T{});
    std::vector<T> far(2 * b.size(), T{});
    using every_other = tally::detail::strided_iterator<T>;
    T const before = rank == 0 ? all.before : T{};
    auto const expect = [&](auto const& got, char const* what) {
      for (std::size_t k = 0; k < b.size(); ++k)
        if (!same_state(T(got[static_cast<std::ptrdiff_t>(k)]), all.states[offsets[r] + k])) {
          std::fprintf(stderr, "rank %d, %s: step %zu\n", rank, what, offsets[r] + k);
          std::_Exit(EXIT_FAILURE);
        }
    };
    auto const last = tally::linear_recurrence(on, a.begin(), a.end(), b.begin(), out.begin(), before);
    expect(out.begin(), "out of place");
    if (last != out.end()) throw error("the end");
    tally::linear_recurrence(on, a.begin(), a.end(), b.begin(), every_other(far.data(), 2), before);
    expect(every_other(far.data(), 2), "to every other place");
    tally::linear_recurrence(on, a.begin(), a.end(), b.begin(), b.begin(), before);
    expect(b.begin(), "in place");
  });
}

template <class T>
steps<T> decaying(std::size_t n)
{
  std::vector<T> a(n), b(n);
  for (std::size_t k = 0; k < n; ++k) {
    a[k] = static_cast<T>(static_cast<double>(random_bits(1, k) % 2000) / 1000.0 - 1.0);
    b[k] = static_cast<T>(static_cast<double>(random_bits(2, k) % 1000));
  }
  return {a, b, static_cast<T>(3)};
}

TEST(recurrences_on_ranks, states_that_are_finite)
{
  std::size_t const tile = order::tile<affine<double>>;
  auto const doubles = decaying<double>(3 * tile + 50);
  auto const floats = decaying<float>(2 * order::tile<affine<float>> + 9);
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    check(doubles, division_near_tiles(doubles.a.size(), 4, tile, seed));
    check(floats, division_near_tiles(floats.a.size(), 4, order::tile<affine<float>>, seed));
  }
  for_each_division(5, [&](auto const& offsets) { check(decaying<double>(5), offsets); });
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
  steps<std::uint32_t> const whole(a, b, 7u);
  steps<std::complex<double>> const turning(c, d, {1.0, 2.0});
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    check(whole, division_near_tiles(5000, 4, 1, seed));
    check(turning, division_near_tiles(5000, 4, order::tile<affine<std::complex<double>>>, seed));
  }
}

/// Growth and decay by turns, so that products of factors overflow where states do not, and states that overflow.
TEST(recurrences_on_ranks, states_that_are_not_finite)
{
  std::size_t const n = 2 * order::tile<affine<double>> + 100;
  for (std::size_t const bad : {std::size_t{0}, std::size_t{700}, n / 2, n - 3, n - 1}) {
    auto made = decaying<double>(n);
    made.b[bad] = 1e308;
    if (bad + 1 < n) made.a[bad + 1] = 1e10;
    if (bad + 2 < n) made.a[bad + 2] = 0.0;  // 0 times infinity
    if (bad + 1 == n) made.b[bad] = HUGE_VAL;
    steps<double> const all(made.a, made.b, made.before);
    ASSERT_FALSE(std::all_of(all.states.begin(), all.states.end(), [](double y) { return std::isfinite(y); }));
    for (std::uint64_t seed = 0; seed < 4; ++seed)
      check(all, division_near_tiles(n, 4, order::tile<affine<double>>, seed));
    check(all, {0, bad, bad, bad + 1, n});
  }
  // Factors whose products overflow, of states that are all finite: y stays 0.
  std::vector<double> a(n, 1e200), b(n, 0.0);
  b[n - 1] = 5.0;
  steps<double> const products(a, b, 0.0);
  ASSERT_EQ(products.states[n - 1], 5.0);
  for (std::uint64_t seed = 0; seed < 4; ++seed)
    check(products, division_near_tiles(n, 4, order::tile<affine<double>>, seed));
}

/// Recurrences along an axis, one of which overflows, with an initial state each, and their last states.
TEST(recurrences_on_ranks, along_an_axis)
{
  watchdog const waits(std::chrono::seconds(300));
  std::size_t const n = order::tile<affine<double>> + 300, rows = 3;
  std::vector<steps<double>> all;
  std::vector<double> starts;
  for (std::size_t s = 0; s < rows; ++s) {
    auto made = decaying<double>(n);
    std::rotate(made.b.begin(), made.b.begin() + static_cast<std::ptrdiff_t>(s), made.b.end());
    if (s == 1) made.b[n / 2] = HUGE_VAL;
    starts.push_back(static_cast<double>(s) + 0.5);
    all.emplace_back(made.a, made.b, starts[s]);
  }
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    auto const offsets = division_near_tiles(n, 4, order::tile<affine<double>>, seed);
    on_virtual_ranks(4, [&](virtual_rank const& on, int rank) {
      auto const r = static_cast<std::size_t>(rank);
      std::size_t const begin = offsets[r], size = offsets[r + 1] - begin;
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
      tally::linear_recurrence(on, along(axis, view(a)), along(axis, view(b)), along(axis, view(results)), each(starts),
                               last_to(lasts));
      for (std::size_t s = 0; s < rows; ++s) {
        bool right = same_state(lasts[s], all[s].states[n - 1]);
        for (std::size_t k = 0; k < size; ++k)
          right = right && same_state(results[place(s, k)], all[s].states[begin + k]);
        if (right) continue;
        std::fprintf(stderr, "rank %d, recurrence %zu, seed %d\n", rank, s, static_cast<int>(seed));
        std::_Exit(EXIT_FAILURE);
      }
    });
  }
}

TEST(recurrences_on_ranks, one_factor_for_all_steps)
{
  on_virtual_ranks(3, [&](virtual_rank const& on, int rank) {
    std::vector<double> b(static_cast<std::size_t>(rank), 1.0), last(1);
    tally::linear_recurrence(on, 0.5, along(0, b), along(0, b), 4.0, last_to(last));
    if (last[0] != 2.25 || (rank == 1 && b[0] != 3.0) || (rank == 2 && b[1] != 2.25)) throw error("the states");
    std::vector<double> none;
    tally::linear_recurrence(on, 0.5, along(0, none), along(0, none), 4.0, last_to(last));
    if (last[0] != 4.0) throw error("the last state of no steps is the first one");
  });
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
