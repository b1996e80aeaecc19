// The kernel of few long recurrences, on fibers: its results are those of the order, by an implementation of its own.
#include "fibers.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../cuda/batch/recurrence_cases.hpp"
#include "../support/bits.hpp"
#include "../support/generator.hpp"
#include "barriers.hpp"
#include "recurrence_call.hpp"
#include "tally/detail/cuda/recurrence/tiles_kernel.cuh"
#include "tally/half.hpp"

namespace {

using namespace tally::cuda_backend;
using tally::affine;
using tally::test::kind;
using tally::test::random_bits;
using tally::test::same;

using call = tally::test::recurrence_kind;

template <class T>
using anyhow = recurrence_tiles_problem<T, false>;
template <class T>
using plain = recurrence_tiles_problem<T, true>;
template <class T>
using from_anywhere = plain_from_anywhere<anyhow<T>>;

template <class P>
void check(std::size_t sequences, std::size_t n, call const& how)
{
  SCOPED_TRACE(std::to_string(sequences) + " sequences of " + std::to_string(n) + ": " + how.text());
  using T = typename P::T;
  tally::test::recurrence_call<T> own(sequences, n, how);
  std::size_t const tiles_each = (n - 1) / P::tile + 1;
  std::vector<std::uint64_t> words(sequences * tiles_each * words_of<affine<typename P::W>>);
  control shared{};
  P given{own.problem(), static_cast<std::uint32_t>(tiles_each), &shared, words.data(), words.size()};
  using memory_type = recurrence_tiles_memory<P>;
  auto const run = [&] {
    tally::test::forget_barriers();
    tally::test::run_grid(how.blocks, memory_type::shape::threads, sizeof(memory_type), [&] {
      recur_tiles(*reinterpret_cast<memory_type*>(tally::test::grid::current()->memory()), given);
    });
  };
  if (how.is_in_place) {
    given.stores = results_stored::none;
    run();
    given.stores = results_stored::before_the_first_bad;
  }
  run();
  own.check(false);
}

template <class T>
class recurrence_tiles_on_fibers : public testing::Test {};
template <class T>
inline constexpr std::size_t row_of = tally::order::recurrence::row<T>;
template <class T>
inline constexpr std::size_t tile_of = tally::order::recurrence::tile<T>;
template <class T>
inline constexpr std::size_t word_of = 16 / sizeof(T);  // elements
using all_types = testing::Types<float, double, tally::half>;
TYPED_TEST_SUITE(recurrence_tiles_on_fibers, all_types);

TYPED_TEST(recurrence_tiles_on_fibers, in_whole_words)
{
  constexpr std::size_t row = row_of<TypeParam>, strip = tally::order::recurrence::strip<TypeParam>,
                        tile = tile_of<TypeParam>;
  constexpr std::size_t word = word_of<TypeParam>;
  unsigned blocks = 1;
  for (std::size_t n :
       {word, row, row + word, strip, strip + word, tile - word, tile, tile + word, 3 * tile + 5 * word})
    check<plain<TypeParam>>(1, n, {.blocks = 1 + blocks++ % 3});
  check<plain<TypeParam>>(3, 2 * tile + row, {.gap = 2 * word, .blocks = 2});
  check<plain<TypeParam>>(12, tile + word, {.blocks = 1});
}

TYPED_TEST(recurrence_tiles_on_fibers, that_begin_anywhere_alike)
{
  using P = from_anywhere<TypeParam>;
  constexpr std::size_t row = row_of<TypeParam>, strip = tally::order::recurrence::strip<TypeParam>,
                        tile = tile_of<TypeParam>, word = word_of<TypeParam>;
  unsigned blocks = 0;
  for (std::size_t at = 0; at < word; ++at) {
    call const how{.a = at, .b = at, .out = at, .blocks = 1 + blocks++ % 3};
    for (std::size_t n : {std::size_t{1}, word, 2 * row + at, 4 * row - 1, strip, strip + word + at, tile - at, tile,
                          tile + 1, 2 * tile + 5 * word + 1})
      check<P>(1, n, how);
    // Sequences begin at other places than the first.
    check<P>(3, 2 * tile + row + 1, {.a = at, .b = at, .out = at, .gap = at, .blocks = 2});
  }
  check<P>(9, tile + 1, {.blocks = 1, .what = kind::steady});
}

TYPED_TEST(recurrence_tiles_on_fibers, that_lie_anyhow)
{
  constexpr std::size_t row = row_of<TypeParam>, tile = tile_of<TypeParam>, word = word_of<TypeParam>;
  std::uint64_t draws = 0;
  auto const draw = [&](std::size_t n) { return static_cast<std::size_t>(random_bits(4, ++draws) >> 11) % n; };
  auto const step = [&] { return draw(3) == 0 ? -1 : 1; };
  for (std::size_t n : {std::size_t{1}, row - 1, row + 1, tile - 1, tile + 1, 2 * tile + 77})
    for (int times = 0; times < 3; ++times) {
      check<anyhow<TypeParam>>(1 + draw(2), n,
                               {.a = draw(word + 1),
                                .b = draw(word + 1),
                                .out = draw(word + 1),
                                .gap = draw(3),
                                .a_step = step(),
                                .b_step = step(),
                                .out_step = step(),
                                .is_constant = draw(4) == 0,
                                .blocks = static_cast<unsigned>(1 + draw(3)),
                                .what = draw(2) == 0 ? kind::ordinary : kind::steady});
    }
}

/// A first grid only looks for results that are not finite.
TYPED_TEST(recurrence_tiles_on_fibers, in_place)
{
  constexpr std::size_t tile = tile_of<TypeParam>;
  check<anyhow<TypeParam>>(2, tile + 9, {.is_in_place = true, .blocks = 2});
  check<plain<TypeParam>>(1, 2 * tile, {.is_in_place = true, .blocks = 3});
  check<from_anywhere<TypeParam>>(2, tile + 9, {.a = 1, .b = 1, .is_in_place = true, .blocks = 2});
}

TYPED_TEST(recurrence_tiles_on_fibers, until_a_state_is_not_finite)
{
  constexpr std::size_t tile = tile_of<TypeParam>;
  for (std::size_t k : {std::size_t{0}, std::size_t{5}, tile - 1, tile, 2 * tile + 3}) {
    check<anyhow<TypeParam>>(2, 2 * tile + 9, {.blocks = 2, .infinite = k});
    check<plain<TypeParam>>(1, 2 * tile + 64, {.blocks = 2, .infinite = k});
    for (std::size_t const at : {std::size_t{1}, word_of<TypeParam> - 1})
      check<from_anywhere<TypeParam>>(2, 2 * tile + 9, {.a = at, .b = at, .out = at, .blocks = 2, .infinite = k});
  }
}

/// More tiles than a span has.
TYPED_TEST(recurrence_tiles_on_fibers, of_many_tiles)
{
  constexpr std::size_t tile = tile_of<TypeParam>;
  check<plain<TypeParam>>(1, 35 * tile, {.blocks = 3, .what = kind::steady});
  check<plain<TypeParam>>(1, 38 * tile, {.blocks = 1});
  check<from_anywhere<TypeParam>>(1, 34 * tile + 5, {.a = 1, .b = 1, .out = 1, .blocks = 3, .what = kind::steady});
  check<anyhow<TypeParam>>(2, 34 * tile + 5, {.a = 1, .blocks = 2, .what = kind::steady});
}

/// Two spans side by side at most, where tiles lie many spans apart.
TEST(state_fold_on_fibers, finds_states_far_apart)
{
  using fold = state_fold<float, double, 2, 1>;
  constexpr std::uint32_t tiles = 700, epoch = 3, span = 32;
  std::vector<std::uint64_t> words(tiles * words_of<affine<float>>);
  std::vector<float> expected;
  double before = -0.5, scale = 1, offset = 0;
  for (std::uint32_t t = 0; t <= tiles; ++t) {
    if (t % span == 0 && t > 0) before = scale * before + offset;
    expected.push_back(static_cast<float>(t % span == 0 ? before : scale * before + offset));
    affine<float> const total{tally::test::coefficient<float>(kind::ordinary, random_bits(1, t)),
                              tally::test::term<float>(kind::ordinary, random_bits(2, t))};
    if (t < tiles) publish(words.data() + t * words_of<affine<float>>, total, epoch);
    double const product = static_cast<double>(total.scale) * offset;
    offset = t % span == 0 ? double{total.offset} : product + total.offset;
    scale = t % span == 0 ? double{total.scale} : total.scale * scale;
  }
  for (std::vector<std::uint32_t> const& wanted :
       {std::vector<std::uint32_t>{0, 1, 31, 32, 33, 63, 64, 65, 700}, {5, 70, 128, 129, 330, 331, 480, 639}, {640}}) {
    std::vector<float> found(wanted.size());
    tally::test::run_grid(1, warp_lanes, sizeof(fold::shared), [&] {
      auto& memory = *reinterpret_cast<fold::shared*>(tally::test::grid::current()->memory());
      double state = -0.5;
      std::uint32_t first = 0;
      for (std::size_t k = 0; k < wanted.size(); ++k) {
        fold const states(wanted[k], first, words.data(), epoch, memory, [&] { return state; });
        state = states.before_span;
        first = wanted[k] / span;
        if (threadIdx.x == 0) found[k] = states.before_tile;
      }
    });
    for (std::size_t k = 0; k < wanted.size(); ++k)
      EXPECT_TRUE(same(expected[wanted[k]], found[k])) << "before tile " << wanted[k];
  }
}

}  // namespace
