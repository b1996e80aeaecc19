// Linear recurrences of segments on fibers, a row a lane. Each segment has the results of the order, by an
// implementation of its own, wherever it lies.
#include "recurrence_segments_call.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "../cuda/batch/recurrence_cases.hpp"
#include "../support/generator.hpp"
#include "tally/half.hpp"

namespace {

using namespace tally::cuda_backend;
using tally::test::check;
using tally::test::kind;
using tally::test::never;
using tally::test::random_bits;

/// Segments around the sizes of groups, rows, strips, pieces and tiles, in any order, and drawn ones.
template <class T>
void check_drawn()
{
  using P = recurrence_segments_problem<T>;
  constexpr std::size_t word = 16 / sizeof(T), row = P::row, strip = P::strip, piece = P::piece, tile = P::tile;
  std::uint64_t draws = 0;
  auto const draw = [&](std::size_t below) { return static_cast<std::size_t>(random_bits(4, ++draws) >> 11) % below; };
  auto const how = [&](std::size_t longest, std::size_t chunk) {
    std::size_t const alike = draw(word);
    bool const are_alike = draw(2) == 0;
    auto const place = [&] { return are_alike ? alike : draw(word); };
    return tally::test::segments_call{.a = place(),
                                      .b = place(),
                                      .out = place(),
                                      .longest = longest,
                                      .chunk = chunk,
                                      .least_chunk = draw(2) == 0 ? 10 + draw(50) : 16384,
                                      .is_constant = draw(4) == 0,
                                      .is_in_place = longest == never && draw(3) == 0,
                                      .has_befores = draw(2) == 0,
                                      .blocks = static_cast<unsigned>(1 + draw(3)),
                                      .what = draw(2) == 0 ? kind::ordinary
                                                           : static_cast<kind>(1 + draw(tally::test::other_kinds))};
  };
  check<T>({1}, how(never, 0));
  check<T>({0, 0, 5, 0}, how(never, 0));
  check<T>({row, row, 3, row + 1, 2 * row, 2 * row - 1, 1}, how(never, 0));
  check<T>({strip, 3, strip + 1, 0, 2 * strip - 1, piece, piece + 1, 2}, how(never, 0));
  // Long ones in the list, and chunks by a search and in a list.
  check<T>({tile + 1}, how(tile, 0));
  for (std::size_t const chunk : {std::size_t{0}, std::size_t{1024}, std::size_t{50}}) {
    check<T>({7, tile + 3, 0, tile, 5, 2 * tile + piece, 2 * tile, 9, 1}, how(piece, chunk));
    // More segments than the block that lists them has threads; most are short.
    std::vector<std::size_t> many;
    for (int s = 0; s < 600; ++s) many.push_back(s % 150 == 149 ? tile / 2 + draw(tile) : draw(12));
    check<T>(many, how(piece, chunk));
    check<T>(std::vector<std::size_t>(300), how(piece, chunk));
    for (int k = 0; k < 3; ++k) {
      std::vector<std::size_t> some;
      for (std::size_t s = 1 + draw(40); s > 0; --s) some.push_back(draw(9) == 0 ? draw(2 * tile) : draw(3 * row));
      check<T>(some, how(1 + draw(tile), chunk));
    }
  }
  // Every place in a word, of elements and of results.
  for (std::size_t in = 0; in < word; ++in)
    for (std::size_t out = 0; out < word; ++out)
      check<T>({row + 2, 3, tile + 5},
               {.a = in, .b = in, .out = out, .longest = 2 * row, .chunk = (in + out) % 2 * 64, .blocks = 2});
  // All arrays alike, and tiles that begin at every place.
  for (std::size_t n = 0; n < word; ++n)
    check<T>({3 * row + n, 2 * tile + 3 * n + 1, tile + word - n, tile, 2 * row + 1},
             {.longest = 2 * row, .has_befores = n % 2 == 0, .blocks = static_cast<unsigned>(1 + n % 3)});
  // More than a span, by tiles and by a warp.
  for (std::size_t const longest : {tile, never})
    check<T>({3, 33 * tile + 9, 5}, {.longest = longest, .blocks = 2, .what = kind::steady});
  // A result that is not finite, in a short segment and in a long one.
  for (std::size_t const infinite : {std::size_t{5 + 40 + 7}, 5 + 40 + 100 + tile + 11})
    check<T>({40, 100, 2 * tile, 30}, {.longest = 200, .chunk = 1024, .blocks = 2, .infinite = infinite});
}

TEST(recurrence_segments_on_fibers, of_floats)
{
  check_drawn<float>();
}
TEST(recurrence_segments_on_fibers, of_doubles)
{
  check_drawn<double>();
}
TEST(recurrence_segments_on_fibers, of_bfloat16)
{
  check_drawn<tally::bfloat16>();
}

}  // namespace
