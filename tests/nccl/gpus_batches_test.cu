#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../support/generator.hpp"
#include "gpu_ranks.hpp"
#include "tally/array_view.hpp"
#include "tally/operators.hpp"
#include "tally/operators/exact_plus.hpp"

/// Sequences along an axis that is divided among GPUs, and recurrences, against this machine's processor.
namespace tally::test {
namespace {

constexpr std::size_t rows = 3;

/// The part [begin, end) of each of three rows of n elements, as rows or as columns.
template <class T>
std::vector<T> part_of_rows(std::vector<T> const& all, std::pair<std::size_t, std::size_t> const& part, bool columns)
{
  std::size_t const n = all.size() / rows, size = part.second - part.first;
  std::vector<T> result(rows * size);
  for (std::size_t s = 0; s < rows; ++s)
    for (std::size_t k = 0; k < size; ++k) result[columns ? k * rows + s : s * size + k] = all[s * n + part.first + k];
  return result;
}
template <class T>
array_view<T> view_of_rows(T* first, std::size_t size, bool columns)
{
  return columns ? array_view<T>(first, {size, rows}) : array_view<T>(first, {rows, size});
}

/// Ends of parts around tiles and spans.
template <class Element>
std::vector<std::vector<std::size_t>> cuts_for(std::size_t n)
{
  std::size_t const tile = order::tile<Element>, span = order::span<Element>;
  return {{0, n}, {tile, 2 * tile}, {tile - 3, tile + 5}, {7, 9}, {span, span + 2 * tile}, {span - 1, n - 1}};
}

/// Calls use(bounds, columns) with this rank's part of n elements for each set of cuts, as rows and as columns.
template <class Ranks, class Use>
void for_each_part(Ranks const& of, std::size_t n, std::vector<std::vector<std::size_t>> const& all_cuts,
                   Use const& use)
{
  for (auto const& cuts : all_cuts)
    for (bool const columns : {false, true}) use(of.part(n, cuts), columns);
}

#ifndef TALLY_TEST_BRIEFLY
TEST(cuda_gpus_batches, floats_in_rows_and_columns)
{
  for (std::size_t const n : {std::size_t{50}, order::span<float> + 3 * order::tile<float> + 11}) {
    std::vector<float> x(rows * n), scanned(rows * n), before(rows * n), sums(rows);
    for (std::size_t k = 0; k < x.size(); ++k)
      x[k] = static_cast<float>(static_cast<std::int32_t>(random_bits(5, k))) * 0x1p-20f;
    std::vector<float> const starts{1.5f, -2.0f, 1e4f};
    array_view<float> const from(x.data(), {rows, n});
    tally::inclusive_scan(cpu{1}, along(1, from), along(1, array_view<float>(scanned.data(), {rows, n})));
    tally::exclusive_scan(cpu{1}, along(1, from), along(1, array_view<float>(before.data(), {rows, n})), each(starts));
    tally::reduce(cpu{1}, along(1, from), sums, each(starts));
    on_gpu_ranks([&](auto const& of) {
      device_array<float> const begins(starts);
      for_each_part(of, n, cuts_for<float>(n), [&](auto const& bounds, bool columns) {
        std::size_t const size = bounds.second - bounds.first;
        std::ptrdiff_t const axis = columns ? 0 : 1;
        device_array<float> const part(part_of_rows(x, bounds, columns));
        device_array<float> out(part.size()), all(rows);
        auto const now = of.calls();
        auto const in_view = view_of_rows<float const>(part.begin(), size, columns);
        auto const out_view = view_of_rows(out.begin(), size, columns);
        tally::reduce(of.on, along(axis, in_view), all.begin(), each(begins.begin()), plus{});
        of.expect(all, sums, 0, "reduce");
        tally::exclusive_scan(of.on, along(axis, in_view), along(axis, out_view), each(begins.begin()), plus{},
                              last_to(all.begin()));
        of.expect(out, part_of_rows(before, bounds, columns), 0, "exclusive_scan");
        of.expect(all, sums, 0, "last values");
        tally::inclusive_scan(of.on, along(axis, in_view), along(axis, out_view));
        of.expect(out, part_of_rows(scanned, bounds, columns), 0, "inclusive_scan");
      });
    });
  }
}

TEST(cuda_gpus_batches, exact_sums_in_rows_and_columns)
{
  for (std::size_t const n : {std::size_t{50}, std::size_t{100'003}}) {
    std::vector<double> x(rows * n), scanned(rows * n), sums(rows);
    for (std::size_t k = 0; k < x.size(); ++k)
      x[k] = std::ldexp(static_cast<double>(static_cast<std::int32_t>(random_bits(5, k))),
                        static_cast<int>(random_bits(6, k) % 400) - 200);
    std::vector<double> const starts{1.5, -0x1p200, 1e-300};
    array_view<double> const from(x.data(), {rows, n});
    exact_plus const op;
    tally::inclusive_scan(cpu{1}, along(1, from), along(1, array_view<double>(scanned.data(), {rows, n})), op,
                          each(starts));
    tally::reduce(cpu{1}, along(1, from), sums, each(starts), op);
    on_gpu_ranks([&](auto const& of) {
      device_array<double> const begins(starts);
      for_each_part(of, n, {{0, n}, {n / 3, n / 2}, {7, 9}, {n, n}}, [&](auto const& bounds, bool columns) {
        std::size_t const size = bounds.second - bounds.first;
        std::ptrdiff_t const axis = columns ? 0 : 1;
        device_array<double> const part(part_of_rows(x, bounds, columns));
        device_array<double> out(part.size()), all(rows);
        auto const now = of.calls();
        auto const in_view = view_of_rows<double const>(part.begin(), size, columns);
        tally::reduce(of.on, along(axis, in_view), all.begin(), each(begins.begin()), op);
        of.expect(all, sums, 0, "reduce");
        tally::inclusive_scan(of.on, along(axis, in_view), along(axis, view_of_rows(out.begin(), size, columns)), op,
                              each(begins.begin()), last_to(all.begin()));
        of.expect(out, part_of_rows(scanned, bounds, columns), 0, "inclusive_scan");
        of.expect(all, sums, 0, "last values");
      });
    });
  }
}

#endif

/// Recurrences of three rows; in one a state is not finite if `bad` is a step.
void check_recurrences(std::size_t n, std::size_t bad)
{
  std::vector<float> a(rows * n), b(rows * n), states(rows * n), lasts(rows);
  for (std::size_t k = 0; k < a.size(); ++k) {
    a[k] = static_cast<float>(random_bits(1, k) % 2000) / 1000.0f - 1.0f;
    b[k] = static_cast<float>(random_bits(2, k) % 1000);
  }
  if (bad < n) b[n + bad] = HUGE_VALF;
  std::vector<float> const starts{1.5f, -2.0f, 1e4f};
  array_view<float> const factors(a.data(), {rows, n}), terms(b.data(), {rows, n});
  tally::linear_recurrence(cpu{1}, along(1, factors), along(1, terms),
                           along(1, array_view<float>(states.data(), {rows, n})), each(starts), last_to(lasts));
  for (float& state : states)
    if (std::isnan(state)) state = 0.0f;  // NaNs have no bits of their own
  on_gpu_ranks([&](auto const& of) {
    device_array<float> const begins(starts);
    auto const expect = [&](std::vector<float> got, std::vector<float> const& right, char const* what) {
      for (std::size_t k = 0; k < got.size(); ++k) {
        if (std::isnan(got[k])) got[k] = 0.0f;
        if (std::memcmp(&got[k], &right[k], sizeof(float)) != 0)
          throw error(std::string(what) + " differs first at " + std::to_string(k));
      }
    };
    std::size_t way = 0;
    for (auto const& cuts : cuts_for<affine<float>>(n)) {
      bool const columns = ++way % 2 == 0, in_place = way % 3 == 0;
      auto const bounds = of.part(n, cuts);
      std::size_t const size = bounds.second - bounds.first;
      std::ptrdiff_t const axis = columns ? 0 : 1;
      device_array<float> own_a(part_of_rows(a, bounds, columns)), own_b(part_of_rows(b, bounds, columns));
      device_array<float> out(own_a.size()), all(rows);
      auto const now = of.calls();
      auto const a_view = view_of_rows<float const>(own_a.begin(), size, columns);
      auto const b_view = view_of_rows<float const>(own_b.begin(), size, columns);
      device_array<float>& results = in_place ? own_b : out;
      tally::linear_recurrence(of.on, along(axis, a_view), along(axis, b_view),
                               along(axis, view_of_rows(results.begin(), size, columns)), each(begins.begin()),
                               last_to(all.begin()));
      expect(of.values_of(results), part_of_rows(states, bounds, columns), "the states");
      std::vector<float> ends = lasts;
      for (float& end : ends)
        if (std::isnan(end)) end = 0.0f;
      expect(of.values_of(all), ends, "the last states");
    }
  });
}

TEST(cuda_gpus_batches, recurrences)
{
  std::size_t const n = order::span<affine<float>> + 3 * order::tile<affine<float>> + 11;
  check_recurrences(60, 60);
  check_recurrences(n, n);
  check_recurrences(n, 100);
  check_recurrences(n, order::span<affine<float>> + 10);
}

#ifndef TALLY_TEST_BRIEFLY
TEST(cuda_gpus_batches, one_recurrence)
{
  std::size_t const n = 2 * order::tile<affine<double>> + 99;
  std::vector<double> a(n), b(n), states(n);
  for (std::size_t k = 0; k < n; ++k) {
    a[k] = static_cast<double>(random_bits(1, k) % 2000) / 1000.0 - 1.0;
    b[k] = static_cast<double>(random_bits(2, k) % 1000);
  }
  tally::linear_recurrence(cpu{1}, a.begin(), a.end(), b.begin(), states.begin(), 0.5);
  on_gpu_ranks([&](auto const& of) {
    for (auto const& cuts : cuts_for<affine<double>>(n)) {
      auto const bounds = of.part(n, cuts);
      device_array<double> const own_a(slice(a, bounds)), own_b(slice(b, bounds));
      device_array<double> out(own_a.size());
      auto const now = of.calls();
      tally::linear_recurrence(of.on, own_a.begin(), own_a.end(), own_b.begin(), out.begin(), 0.5);
      of.expect(out, states, bounds.first, "the states");
    }
  });
}
#endif

}  // namespace
}  // namespace tally::test
