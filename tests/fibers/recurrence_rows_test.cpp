// The kernel of recurrences along memory, on fibers: its results are those of the order, by an implementation of its
// own.
#include "fibers.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <string>

#include <gtest/gtest.h>

#include "barriers.hpp"
#include "recurrence_call.hpp"
#include "tally/detail/cuda/recurrence/rows_kernel.cuh"

namespace {

using namespace tally::cuda_backend;
using tally::test::kind;
using call = tally::test::recurrence_kind;

/// By the kernel whose warps have `Lines` lines for each sequence.
template <class T, int Lines, bool Plain = false, bool Anywhere = false>
void check(std::size_t sequences, std::size_t n, call const& how)
{
  SCOPED_TRACE(std::to_string(sequences) + " sequences of " + std::to_string(n) + " by " + std::to_string(Lines) +
               " lines: " + how.text());
  using P = recurrence_rows_problem<recurrence_problem<T>, Plain, Anywhere>;
  tally::test::recurrence_call<T> own(sequences, n, how);
  auto const groups = static_cast<unsigned>(std::min<std::size_t>((n - 1) / P::group + 1, warp_lanes));
  P const given{own.problem(), static_cast<int>(std::bit_width(groups - 1))};
  using memory_type = recurrence_rows_memory<P>;
  tally::test::forget_barriers();
  tally::test::run_grid(how.blocks, recurrence_warps * warp_lanes, recurrence_warps * sizeof(memory_type), [&] {
    recur_rows<P, Lines>(reinterpret_cast<memory_type*>(tally::test::grid::current()->memory()), given);
  });
  own.check(true);
}

template <class T>
class recurrence_rows_on_fibers : public tally::test::recurrence_sizes<T> {};
TYPED_TEST_SUITE(recurrence_rows_on_fibers, tally::test::recurrence_types);

TYPED_TEST(recurrence_rows_on_fibers, that_lie_anyhow)
{
  using T = TypeParam;
  constexpr std::size_t row = this->row, line = this->line, piece = this->piece, tile = this->tile;
  for (int times = 0; times < 3; ++times) {
    for (std::size_t n :
         {std::size_t{1}, std::size_t{2}, this->word + 1, row / 4 - 1, row / 2, row - 1, row, row + 1, line - 3, line})
      check<T, 1>(1 + this->draw(70), n, this->anyhow(this->draw_gap(n)));
    if constexpr (this->slots == 4)
      for (std::size_t n : {line + 1, line + row, 2 * line - 3, 2 * line})
        check<T, 2>(1 + this->draw(9), n, this->anyhow(this->draw_gap(n)));
    for (std::size_t n : {std::size_t{1}, row + 3, piece - 1, piece, piece + 1, 2 * piece + 5, tile - 1, tile + 7})
      check<T, this->slots>(1 + this->draw(3), n, this->anyhow(this->draw_gap(n)));
  }
  // More sequences than warps, and in two dimensions.
  check<T, 1>(6 * 300, 3, {.blocks = 2, .neighbours = 300});
  check<T, this->slots>(3 * 20, 9, {.a = 1, .gap = 1, .blocks = 1, .neighbours = 20});
}

TYPED_TEST(recurrence_rows_on_fibers, in_whole_words)
{
  using T = TypeParam;
  constexpr std::size_t piece = this->piece, tile = this->tile, word = this->word;
  for (std::size_t n : {word, piece - word, piece, piece + word, 3 * piece, tile, tile + 5 * word})
    check<T, this->slots, true>(1 + this->draw(3), n, {.gap = word * this->draw(2), .blocks = 2});
  check<T, this->slots, true>(70, 4 * word, {.blocks = 2});
  // More than a span, of whose beginning something is left.
  check<T, this->slots, true>(1, 34 * tile, {.what = kind::steady});
}

/// Short sequences that follow each other in whole groups.
TYPED_TEST(recurrence_rows_on_fibers, in_whole_groups)
{
  using T = TypeParam;
  constexpr std::size_t row = this->row, line = this->line, group = this->word;
  for (int times = 0; times < 3; ++times) {
    for (std::size_t n : {group, 2 * group, 3 * group, row / 4 - group, row / 2, row / 2 + group, row - group, row,
                          row + group, line - 3 * group, line})
      check<T, 1, true>(1 + this->draw(300), n, {.blocks = 1 + static_cast<unsigned>(this->draw(2))});
    if constexpr (this->slots == 4)
      for (std::size_t n : {line + group, line + row, 2 * line - group, 2 * line})
        check<T, 2, true>(1 + this->draw(70), n, {.blocks = 2});
  }
  check<T, 1, true>(70, row - group, {.is_in_place = true});
  for (std::size_t k : {std::size_t{0}, group + 1, 2 * group}) {
    check<T, 1, true>(40, 3 * group, {.infinite = k});
    check<T, 1, true>(40, row + 2 * group, {.infinite = row + k - 1});
    if constexpr (this->slots == 4) check<T, 2, true>(5, line + 2 * group, {.infinite = line + k - 1});
  }
}

/// Short sequences that follow each other in an odd number of half groups.
TYPED_TEST(recurrence_rows_on_fibers, in_half_groups)
{
  using T = TypeParam;
  constexpr std::size_t row = this->row, line = this->line, group = this->word, half = group / 2;
  for (int times = 0; times < 3; ++times) {
    for (std::size_t n : {half, group + half, 2 * group + half, 3 * group + half, row / 4 - half, row / 2 + half,
                          row - half, row + half, line - 3 * half, line - half})
      check<T, 1, true, true>(1 + this->draw(300), n, {.blocks = 1 + static_cast<unsigned>(this->draw(2))});
    if constexpr (this->slots == 4)
      for (std::size_t n : {line + half, line + group + half, line + row + half, 2 * line - half})
        check<T, 2, true, true>(1 + this->draw(70), n, {.blocks = 2});
  }
  check<T, 1, true, true>(70, row - half, {.is_in_place = true});
  for (std::size_t k : {std::size_t{0}, group, 2 * group + half - 1}) {
    check<T, 1, true, true>(40, 2 * group + half, {.infinite = k});
    check<T, 1, true, true>(40, row + 2 * group + half, {.infinite = row + k});
    if constexpr (this->slots == 4) check<T, 2, true, true>(6, line + 2 * group + half, {.infinite = line + k});
  }
}

/// At one distance in all arrays, each of which begins anywhere in a word.
TYPED_TEST(recurrence_rows_on_fibers, from_anywhere_on)
{
  using T = TypeParam;
  constexpr std::size_t piece = this->piece, tile = this->tile, word = this->word;
  for (std::size_t n : {std::size_t{1}, std::size_t{3}, piece - 1, piece, piece + 1, 3 * piece + 2, tile + 5})
    for (std::size_t places = 0; places < 2 * word; ++places)
      check<T, this->slots, true, true>(1 + this->draw(4), n,
                                        {.a = this->draw(word),
                                         .b = this->draw(word),
                                         .out = places % word,
                                         .gap = this->draw(word + 1),
                                         .blocks = 2});
  check<T, this->slots, true, true>(2, tile + 1, {.b = 1, .gap = 1, .infinite = piece + 1});
}

/// Results replace the terms.
TYPED_TEST(recurrence_rows_on_fibers, in_place)
{
  using T = TypeParam;
  for (std::size_t place = 0; place < 3; ++place) {
    check<T, 1>(30, this->row - place, {.b = place, .is_in_place = true});
    check<T, this->slots>(3, this->tile + place, {.b = place, .gap = place, .is_in_place = true});
    check<T, this->slots, true, true>(3, this->tile + place, {.b = place, .gap = place, .is_in_place = true});
  }
}

/// The warp goes on as the plain loop.
TYPED_TEST(recurrence_rows_on_fibers, behind_a_state_that_is_not_finite)
{
  using T = TypeParam;
  constexpr std::size_t piece = this->piece, tile = this->tile;
  for (int step : {1, -1}) {
    for (std::size_t k : {std::size_t{0}, std::size_t{3}, piece - 1, piece, tile + 2})
      check<T, this->slots>(2, tile + piece / 2 + 1, {.out = 1, .out_step = step, .infinite = k});
    for (std::size_t k : {std::size_t{0}, std::size_t{4}}) check<T, 1>(40, 5, {.out_step = step, .infinite = k});
  }
  check<T, this->slots, true>(2, tile, {.infinite = piece + 1});
}

}  // namespace
