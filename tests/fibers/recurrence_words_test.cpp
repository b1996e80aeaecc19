// Linear recurrences of segments on fibers, by words. Each segment has the results of the order, by an implementation
// of its own, wherever it lies.
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

/// Segments by words: around all units of the order and of warps at each place of a word, heads and ends at each place
/// of a chunk, more ends than there are offsets in shared memory, long ones left out.
template <class T>
void check_all()
{
  using P = recurrence_segments_problem<T>;
  constexpr std::size_t word = 16 / sizeof(T), row = P::row, strip = P::strip, tile = P::tile,
                        chunk = 2 * word * warp_lanes, window = recurrence_words_shape<P>::chunk;
  std::uint64_t draws = 0;
  auto const draw = [&](std::size_t below) { return static_cast<std::size_t>(random_bits(5, ++draws) >> 11) % below; };
  auto const how = [&](std::size_t longest = never) {
    tally::test::segments_call one{.b = draw(word),
                                   .longest = longest,
                                   .is_constant = draw(4) == 0,
                                   .is_in_place = longest == never && draw(4) == 0,
                                   .blocks = draw(4) == 0 ? 2u : 1u,
                                   .what = draw(2) == 0 ? kind::ordinary
                                                        : static_cast<kind>(1 + draw(tally::test::other_kinds)),
                                   .by_words = true,
                                   .are_wide = draw(2) == 0};
    one.a = draw(2) == 0 ? one.b : draw(word);
    one.out = draw(2) == 0 ? one.b : draw(word);
    return one;
  };
  // A length before each, so that they lie at each place of a word, and behind others.
  for (std::size_t const n : {word, row, strip, chunk, window, tile})
    for (std::size_t const more : {std::size_t(-1), std::size_t{0}, std::size_t{1}})
      for (std::size_t before = draw(2); before <= word; before += 1 + draw(word))
        check<T>({before, n + more, 1, 0, 2, n + more}, how());
  for (std::size_t before = 0; before < chunk + 2 * word; before += 1 + draw(4 * word + 9))
    check<T>({before, 1, word + 1, 0, chunk - word, 3 * row + 1, 5}, how());
  for (std::size_t const most : {1, 2, 5, 20, 150, 3000}) {
    std::vector<std::size_t> lengths;
    for (std::size_t sum = 0; sum < 2 * window + most; sum += lengths.back() + 1) lengths.push_back(draw(most + 1));
    check<T>(lengths, how());
  }
  // Many that end in one window, and none but empty ones.
  check<T>(std::vector<std::size_t>(2500, 1), how());
  std::vector<std::size_t> few(4000, 0);
  for (int k = 0; k < 40; ++k) few[draw(4000)] = draw(60);
  check<T>(few, how());
  check<T>(std::vector<std::size_t>(1500, 0), how());
  // Several tiles, and more than a span.
  check<T>({5, 3 * tile + 7, 1, 2 * tile, 9, tile + 1, tile, 2 * tile + row}, how());
  check<T>({3, 33 * tile + 9, 5}, {.blocks = 2, .what = kind::steady, .by_words = true});
  // Ends of tiles at each place of a word, with coefficients near 1: the carry shows in every result.
  for (std::size_t before = 0; before < word; ++before)
    check<T>({before + 1, 2 * tile + row, 3}, {.what = kind::steady, .by_words = true});
  // Long segments are left out: first, last, next to each other, around the ends of windows.
  for (std::size_t before = window - word; before <= window + word; before += 1 + draw(word))
    check<T>({before, 3 * chunk, 5}, how(chunk + 2 * word));
  for (int k = 0; k < 15; ++k) {
    std::size_t const longest = chunk / 2 + draw(chunk);
    std::vector<std::size_t> lengths;
    for (std::size_t s = 1 + draw(30); s > 0; --s)
      lengths.push_back(draw(3) == 0 ? longest + draw(3 * chunk) : draw(4) == 0 ? draw(chunk) : draw(40));
    check<T>(lengths, how(longest));
  }
  // Few long ones among many.
  std::vector<std::size_t> rare;
  for (std::size_t s = 0; s < 3000; ++s)
    rare.push_back(s == 40 || s == 700 || s / 2 == 1495 ? 3 * chunk + draw(chunk) : draw(3));
  check<T>(rare, how(3 * chunk - 1));
  // Several in a word.
  for (std::size_t at = 0; at < word; ++at) {
    tally::test::segments_call one = how();
    one.infinite = 5 + 9 + at;
    one.infinities = word;
    check<T>({9, 1, 1, 2, 1, 1, 3, 1, 1, 1, 1, 40}, one);
  }
  // A result that is not finite, at each place of a word and in all parts of a segment that is longer than a window.
  for (std::size_t at = 0; at < 2 * word; ++at)
    for (std::size_t const behind : {std::size_t{0}, at % 2 == 0 ? row : chunk, window + 2 * row}) {
      tally::test::segments_call one = how();
      one.infinite = 5 + 9 + at + behind;
      check<T>({9, word, 0, 5, behind + 3, 2 * window, 1, 7, chunk, 2}, one);
    }
}

TEST(recurrence_words_on_fibers, of_floats)
{
  check_all<float>();
}
TEST(recurrence_words_on_fibers, of_doubles)
{
  check_all<double>();
}
TEST(recurrence_words_on_fibers, of_bfloat16)
{
  check_all<tally::bfloat16>();
}

}  // namespace
