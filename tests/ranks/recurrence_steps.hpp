#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "../order/recurrence_reference.hpp"
#include "../order/reference.hpp"
#include "../support/bits.hpp"
#include "../support/divisions.hpp"
#include "../support/generator.hpp"
#include "tally/array_view.hpp"
#include "tally/detail/recurrence/steps.hpp"
#include "tally/detail/recurrence/steps_in_order.hpp"
#include "tally/error.hpp"
#include "tally/operators/affine.hpp"
#include "tally/ranks.hpp"

/// Linear recurrences whose steps are divided among ranks, processors or GPUs, against the order's reference.
namespace tally::test {

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

/// A recurrence, and its states by the order, in tiles of `tile` steps.
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
    namespace recurrence = tally::detail::recurrence;
    if constexpr (recurrence::has_order<T>) {
      states = reference::recurrence<T>(a, b, before, tile);
      for (T const& state : states) are_finite = are_finite && recurrence::is_finite(state);
      return;
    }
    std::vector<affine<T>> maps;
    for (std::size_t k = 0; k < a.size(); ++k) maps.push_back({a[k], b[k]});
    auto const all =
        reference::scan(maps, recurrence::steps_in_turn{}, std::optional<affine<T>>(recurrence::beginning_with(before)),
                        shape_of<affine<T>>(tile));
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

/// The steps of `made`, of which one leads to an infinity, and the next but one to what is no number.
inline steps<double> overflowing(steps<double> made, std::size_t bad)
{
  std::size_t const n = made.a.size();
  made.b[bad] = 1e308;
  if (bad + 1 < n) made.a[bad + 1] = 1e10;
  if (bad + 2 < n) made.a[bad + 2] = 0.0;  // 0 times infinity
  if (bad + 1 == n) made.b[bad] = HUGE_VAL;
  return {made.a, made.b, made.before, made.tile};
}
/// Steps whose factors have products that overflow, while all states are finite: y stays 0 up to the last one.
inline steps<double> overflowing_products(std::size_t n, std::size_t tile)
{
  std::vector<double> a(n, 1e200), b(n, 0.0);
  b[n - 1] = 5.0;
  return {a, b, 0.0, tile};
}

/// One recurrence on one rank's part: out of place and in place. `more(a, b, before, expect)` tries other ways.
template <class On, class T, class More>
void check_recurrence(On const& on, int rank, steps<T> const& all, std::size_t begin, std::size_t end, More const& more)
{
  auto const part = [&](std::vector<T> const& of) {
    return std::vector<T>(of.begin() + static_cast<std::ptrdiff_t>(begin),
                          of.begin() + static_cast<std::ptrdiff_t>(end));
  };
  std::vector<T> a = part(all.a), b = part(all.b), out(a.size());
  T const before = rank == 0 ? all.before : T{};
  auto const expect = [&](auto const& got, char const* what) {
    for (std::size_t k = 0; k < b.size(); ++k)
      if (!same_state(T(got[static_cast<std::ptrdiff_t>(k)]), all.states[begin + k]))
        throw error(std::string(what) + ": step " + std::to_string(begin + k));
  };
  auto const last = tally::linear_recurrence(on, a.begin(), a.end(), b.begin(), out.begin(), before);
  expect(out.begin(), "out of place");
  if (last != out.end()) throw error("the end");
  more(a, b, before, expect);
  tally::linear_recurrence(on, a.begin(), a.end(), b.begin(), b.begin(), before);
  expect(b.begin(), "in place of the terms");
  b = part(all.b);
  tally::linear_recurrence(on, a.begin(), a.end(), b.begin(), a.begin(), before);
  expect(a.begin(), "in place of the factors");
}

/// Recurrences along an axis, one of which overflows, with an initial state each, and their last states.
struct recurrences_in_rows {
  static constexpr std::size_t rows = 3;
  std::vector<steps<double>> all;
  std::vector<double> starts;

  recurrences_in_rows(std::size_t n, std::size_t tile)
  {
    for (std::size_t s = 0; s < rows; ++s) {
      auto made = decaying<double>(n, tile);
      std::rotate(made.b.begin(), made.b.begin() + static_cast<std::ptrdiff_t>(s), made.b.end());
      if (s == 1) made.b[n / 2] = HUGE_VAL;
      starts.push_back(static_cast<double>(s) + 0.5);
      all.emplace_back(made.a, made.b, starts[s], tile);
    }
  }

  template <class On>
  void check(On const& on, std::size_t begin, std::size_t end, bool columns, bool in_place) const
  {
    std::size_t const size = end - begin;
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
      if (!same_state(lasts[s], all[s].states.back())) throw error("a last state");
      for (std::size_t k = 0; k < size; ++k)
        if (!same_state(results[place(s, k)], all[s].states[begin + k])) throw error("a state");
    }
  }
};

/// One factor for all steps, on three ranks.
template <class On>
void check_one_factor(On const& on, int rank)
{
  std::vector<double> b(static_cast<std::size_t>(rank), 1.0), last(1);
  tally::linear_recurrence(on, 0.5, along(0, b), along(0, b), 4.0, last_to(last));
  if (last[0] != 2.25 || (rank == 1 && b[0] != 3.0) || (rank == 2 && b[1] != 2.25)) throw error("the states");
  std::vector<double> none;
  tally::linear_recurrence(on, 0.5, along(0, none), along(0, none), 4.0, last_to(last));
  if (last[0] != 4.0) throw error("the last state of no steps is the first one");
}

}  // namespace tally::test
