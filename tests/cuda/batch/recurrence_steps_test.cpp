#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "../../order/recurrence_reference.hpp"
#include "../../support/bits.hpp"
#include "../../support/generator.hpp"
#include "tally/detail/batch/layout.hpp"
#include "tally/detail/cuda/batch/recurrences.hpp"
#include "tally/half.hpp"
#include "tally/order.hpp"

/// Recurrences that a GPU computes step after step, a thread for each row: the threads' work, one after the other on
/// this machine.
namespace tally::test {
namespace {

namespace cuda = tally::cuda_backend;
namespace batch = tally::detail::batch;

template <class T>
std::vector<T> factors(std::size_t n)
{
  std::vector<T> all(n);
  for (std::size_t k = 0; k < n; ++k)
    all[k] = static_cast<T>(1.0f - static_cast<float>(random_bits(1, k) % 1000) * 0x1p-12f);
  return all;
}
template <class T>
std::vector<T> terms(std::size_t n)
{
  std::vector<T> all(n);
  for (std::size_t k = 0; k < n; ++k)
    all[k] = static_cast<T>((static_cast<float>(random_bits(2, k) % 1000) - 500) * 0x1p-10f);
  return all;
}

/// The first step of each sequence whose result is not finite, and its last state, as a call finds them.
template <class T>
struct found {
  std::vector<affine<T>> ends;
  std::vector<std::size_t> bad;
};

/// The kernels, one item after the other. `numbers`: as recur() has it.
template <class T, class Recurrences>
found<T> run(Recurrences const& all, std::size_t sequences, std::vector<T> const& initials, std::size_t numbers,
             std::size_t longest, cuda::results_are are)
{
  found<T> of{std::vector<affine<T>>(sequences), std::vector<std::size_t>(sequences, cuda::no_step)};
  std::size_t any_bad = cuda::no_step;
  cuda::recurrence_call<T, Recurrences> const call{
      all, {}, initials.data(), nullptr, nullptr, of.ends.data(), of.bad.data(), &any_bad, nullptr};
  using totals_type = cuda::totals_of_pieces<T>;
  std::optional<std::size_t> const known = numbers == cuda::no_bound ? std::nullopt : std::optional(numbers);
  cuda::chunks_of_pieces<T> const chunks(known, longest);
  std::vector<affine<typename totals_type::W>> rows(chunks.rows), tiles(chunks.tiles);
  std::vector<affine<typename totals_type::C>> spans(chunks.spans);
  totals_type const totals{chunks.rows == 0 ? nullptr : rows.data(), tiles.data(), spans.data()};
  auto const each = [](std::size_t n, auto const& f) {
    for (std::size_t i = n; i-- > 0;) f(i);
  };
  if (chunks.rows > 0) {
    each(chunks.rows, cuda::total_recurrence_rows<T, Recurrences>{all, totals});
    each(chunks.tiles, cuda::total_recurrence_tiles<T, Recurrences>{all, totals});
    each(chunks.spans, cuda::total_recurrence_spans<T, Recurrences>{all, totals});
    if (chunks.spans > 0) each(sequences, cuda::fold_recurrence_spans<T, Recurrences>{&call, totals});
    each(sequences + chunks.tiles, cuda::states_before_rows<T, Recurrences>{&call, sequences, totals});
  }
  each(sequences + chunks.rows, cuda::states_of_rows<T, Recurrences>{all, &call, are, sequences, totals});
  return of;
}

template <class T, class From>
void check_segments(std::vector<std::size_t> const& offsets, bool is_bounded)
{
  std::size_t const n = offsets.back() + 5, count = offsets.size() - 1;
  std::vector<T> const a = factors<T>(n), b = terms<T>(n);
  std::vector<T> out(n, T(77.0f)), initials = terms<T>(count);
  using all_type = cuda::recurrences_of_segments<From, T const*, T const*, std::size_t const*, T*>;
  all_type const all{a.data(), b.data(), out.data(), offsets.data(), {count, {}}};
  auto const found = run<T>(all, count, initials, is_bounded ? n : cuda::no_bound, n, cuda::results_are::stored);
  std::vector<T> expected(n, T(77.0f));
  for (std::size_t s = 0; s < count; ++s) {
    auto const first = static_cast<std::ptrdiff_t>(offsets[s]), end = static_cast<std::ptrdiff_t>(offsets[s + 1]);
    std::vector<T> own_a(a.begin() + first, a.begin() + end), own_b(b.begin() + first, b.begin() + end);
    bool const turns = std::is_same_v<From, batch::from_back>;
    if (turns) std::reverse(own_a.begin(), own_a.end()), std::reverse(own_b.begin(), own_b.end());
    auto states = reference::recurrence<T>(own_a, own_b, initials[s]);
    EXPECT_TRUE(same(found.ends[s].offset, states.empty() ? initials[s] : states.back())) << s;
    EXPECT_EQ(found.bad[s], cuda::no_step);
    if (turns) std::reverse(states.begin(), states.end());
    std::copy(states.begin(), states.end(), expected.begin() + first);
  }
  for (std::size_t k = 0; k < n; ++k) ASSERT_TRUE(same(out[k], expected[k])) << k << " of " << n;
}

template <class T>
void check_sizes(bool is_brief)
{
  std::size_t const tile = order::recurrence::tile<T>, span = 32 * tile;
  for (bool const is_bounded : {true, false}) {
    std::size_t const row = order::recurrence::row<T>, most = is_brief ? tile + row + 5 : 2 * span + tile + 9;
    for (std::size_t const n : {std::size_t{1}, row, row + 1, tile, tile + 1, most}) {
      check_segments<T, batch::from_front>({0, n}, is_bounded);
      check_segments<T, batch::from_back>({7, 7, n + 7, n + 8, n + 8}, is_bounded);
    }
    std::vector<std::size_t> mixed{3};
    for (std::uint64_t k = 0; k < 30; ++k)
      mixed.push_back(mixed.back() + random_bits(5, k) % (k % 3 == 0 ? 5 * tile : k % 3 == 1 ? 9 : tile + 2));
    if (!is_brief) mixed.push_back(mixed.back() + span + 1);
    if (!is_brief) mixed.push_back(mixed.back() + 2 * span);
    check_segments<T, batch::from_front>(mixed, is_bounded);
    check_segments<T, batch::from_back>(mixed, is_bounded);
  }
}

TEST(recurrence_steps, segments)
{
  check_sizes<float>(true);
  check_sizes<double>(false);
  check_sizes<half>(true);
  check_sizes<bfloat16>(true);
}

/// Sequences of an array's columns.
template <class T>
void check_columns(std::size_t n, std::size_t columns)
{
  std::vector<T> const a = factors<T>(n * columns), b = terms<T>(n * columns), initials = terms<T>(columns);
  std::vector<T> out(n * columns);
  auto const far = static_cast<std::ptrdiff_t>(columns);
  batch::distances along{}, across{};
  along.coefficients = along.in = along.out = far;
  across.coefficients = across.in = across.out = across.initial = across.last = 1;
  using all_type = cuda::recurrences_in_layout<T const*, T const*, T*>;
  all_type const all{a.data(), b.data(), out.data(), n, columns, along, across, nullptr};
  run<T>(all, columns, initials, n * columns, n, cuda::results_are::stored);
  for (std::size_t s = 0; s < columns; ++s) {
    std::vector<T> own_a, own_b;
    for (std::size_t k = 0; k < n; ++k) own_a.push_back(a[k * columns + s]), own_b.push_back(b[k * columns + s]);
    auto const states = reference::recurrence<T>(own_a, own_b, initials[s]);
    for (std::size_t k = 0; k < n; ++k) ASSERT_TRUE(same(out[k * columns + s], states[k])) << s << ' ' << k;
  }
}
TEST(recurrence_steps, columns)
{
  for (std::size_t const columns : {1, 2, 3, 5}) {
    check_columns<float>(3 * order::recurrence::tile<float> + 7, columns);
    check_columns<float>(5, columns);
    check_columns<double>(33 * order::recurrence::tile<double> + 7, columns);
  }
}

/// The first step that is not finite is found, and results are stored before it alone, if so wished.
TEST(recurrence_steps, steps_that_are_not_finite)
{
  std::size_t const n = 3 * order::recurrence::tile<float>;
  std::vector<float> const a = factors<float>(n), initials(1);
  std::vector<float> b = terms<float>(n), out(n, 77.0f);
  std::size_t const offsets[] = {0, n}, bad = order::recurrence::tile<float> + 5;
  b[bad] = b[n - 2] = HUGE_VALF;
  using all_type =
      cuda::recurrences_of_segments<batch::from_front, float const*, float const*, std::size_t const*, float*>;
  all_type const all{a.data(), b.data(), out.data(), offsets, {1, {}}};
  EXPECT_EQ(run<float>(all, 1, initials, n, n, cuda::results_are::only_looked_at).bad[0], bad);
  EXPECT_EQ(std::count(out.begin(), out.end(), 77.0f), static_cast<std::ptrdiff_t>(n));
  std::size_t found = bad, any_bad = 0;
  float before = 0.0f;
  cuda::recurrence_call<float, all_type> const call{all,     {},     initials.data(), nullptr, nullptr,
                                                    nullptr, &found, &any_bad,        &before};
  cuda::states_of_rows<float, all_type>{all, &call, cuda::results_are::stored_while_finite, 1, {}}(0);
  auto const states = reference::recurrence<float>(a, b, initials[0]);
  for (std::size_t k = 0; k < n; ++k) ASSERT_TRUE(same(out[k], k < bad ? states[k] : 77.0f)) << k;
  EXPECT_TRUE(same(before, states[bad - 1]));
}

}  // namespace
}  // namespace tally::test
