// Linear recurrences of segments, on fibers: the kernels that list long segments and chunks of the others, those that
// take them, a row a lane or by words, and that which goes on as the plain loop. Each segment has the results of the order, by an implementation
// of its own, wherever it lies.
#include "fibers.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../cuda/batch/recurrence_cases.hpp"
#include "../support/bits.hpp"
#include "../support/generator.hpp"
#include "../support/guarded.hpp"
#include "barriers.hpp"
#include "tally/detail/cuda/recurrence/segments_kernel.cuh"
#include "tally/detail/cuda/recurrence/segments_list.cuh"
#include "tally/detail/cuda/recurrence/words_kernel.cuh"
#include "tally/half.hpp"

namespace {

using namespace tally::cuda_backend;
using tally::affine;
using tally::test::guarded;
using tally::test::kind;
using tally::test::random_bits;
using tally::test::same;

constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

struct call {
  std::size_t a = 0, b = 0, out = 0;  ///< the first elements, behind a line of memory
  std::size_t longest = never;        ///< of the segments that are not listed
  std::size_t chunk = 0;              ///< places of a listed chunk; 0: chunks are found by a search,
  std::size_t least_chunk = 1024;     ///< and have so many
  bool is_constant = false, is_in_place = false, has_befores = false;
  unsigned blocks = 1;
  kind what = kind::ordinary;
  std::size_t infinite = never;  ///< the place of a term that is
  bool by_words = false;

  std::string text() const
  {
    return "first elements " + std::to_string(a) + ", " + std::to_string(b) + ", " + std::to_string(out) +
           ", longest " + std::to_string(longest) + ", chunks of " + std::to_string(chunk != 0 ? chunk : least_chunk) +
           (by_words ? ", by words" : "") + (is_constant ? ", one coefficient" : "") +
           (is_in_place ? ", in place" : "") + ", blocks: " + std::to_string(blocks);
  }
};

/// Every segment that is not long is in one chunk, and no other is in any.
void check_chunks(segment_chunks const& chunks, std::vector<std::size_t> const& lengths, call const& how)
{
  std::vector<int> times(lengths.size());
  for (std::size_t k = 0; k < *chunks.count; ++k) {
    segment_chunks::chunk const one = chunks.all[k];
    ASSERT_LT(one.first, one.end);
    ASSERT_LE(one.end, lengths.size());
    std::size_t places = 0;
    for (std::size_t s = one.first; s < one.end; ++s) {
      ++times[s];
      places += s + 1 < one.end ? lengths[s] + 1 : 0;
    }
    EXPECT_LT(places, how.chunk) << "without the last one, a chunk has no more";
  }
  for (std::size_t s = 0; s < lengths.size(); ++s) EXPECT_EQ(times[s], lengths[s] <= how.longest ? 1 : 0) << s;
}

template <class T>
void check(std::vector<std::size_t> const& lengths, call const& how)
{
  using P = recurrence_segments_problem<T>;
  SCOPED_TRACE(std::to_string(lengths.size()) + " segments: " + how.text());
  std::vector<std::uint32_t> offsets{5};  // elements before the first offset belong to no segment
  std::size_t tiles = 0, in_long_ones = 0, chunks = 2 * lengths.size() + 2;
  for (std::size_t const n : lengths) {
    offsets.push_back(offsets.back() + static_cast<std::uint32_t>(n));
    if (n <= how.longest) continue;
    tiles += (n - 1) / P::tile + 1;
    in_long_ones += n;
  }
  std::size_t const all = offsets.back();
  guarded<T> const a(all, how.a), b(all, how.b), apart(all, how.out);
  guarded<T> const& out = how.is_in_place ? b : apart;
  for (std::size_t k = 0; k < all; ++k) {
    a.data()[k] = tally::test::coefficient<T>(how.what, random_bits(1, k));
    b.data()[k] = tally::test::term<T>(how.what, random_bits(2, k));
    apart.data()[k] = static_cast<T>(7.0f);
  }
  if (how.infinite < all) b.data()[how.infinite] = std::numeric_limits<T>::infinity();
  T const constant = static_cast<T>(0.75f);
  std::vector<T> befores, lasts(lengths.size(), static_cast<T>(7.0f)), expected_lasts;
  std::vector<T> expected(out.begin(), out.end());
  for (std::size_t s = 0; s < lengths.size(); ++s) {
    befores.push_back(tally::test::term<T>(kind::ordinary, random_bits(3, s)));
    std::vector<T> own_a, own_b;
    for (std::size_t k = offsets[s]; k < offsets[s + 1]; ++k) {
      own_a.push_back(how.is_constant ? constant : a.data()[k]);
      own_b.push_back(b.data()[k]);
    }
    T const before = befores[how.has_befores ? s : 0];
    std::vector<T> const y = tally::test::states(own_a, own_b, before);
    std::copy(y.begin(), y.end(), expected.begin() + offsets[s]);
    expected_lasts.push_back(y.empty() ? before : y.back());
  }

  // The lists have room for what is there alone.
  unsigned long long counters[3] = {};
  std::uint64_t drawn = 0;
  std::vector<unsigned long long> first_bad(tiles);
  std::vector<tiles_of_long_segments::tile> list(tiles);
  std::vector<segment_chunks::chunk> listed(chunks);
  P const problem{.a = how.is_constant ? nullptr : a.data(),
                  .constant = constant,
                  .b = b.data(),
                  .out = out.data(),
                  .offsets = offsets.data(),
                  .are_wide = false,
                  .segments = lengths.size(),
                  .before = befores[0],
                  .befores = how.has_befores ? befores.data() : nullptr,
                  .lasts = lasts.data(),
                  .least_chunk = how.least_chunk,
                  .longest = how.longest,
                  .longs = {&counters[0], &counters[1], first_bad.data(), list.data()},
                  .chunks = how.chunk == 0 ? segment_chunks{} : segment_chunks{&counters[2], listed.data()},
                  .drawn = &drawn};
  recurrence_lists_problem<T> const lists{problem, 32 + lengths.size() % 200, how.chunk};
  // The static shared memory of a block is that of all blocks here, so there is one, or they write the same.
  unsigned const listing = lengths.size() <= segment_tiles_threads ? how.blocks : 1;
  if (tiles > 0 || !how.by_words)
    tally::test::run_grid(listing, segment_tiles_threads, 0, [&] { list_tiles_kernel(lists); });
  ASSERT_EQ(counters[0], tiles);
  ASSERT_EQ(counters[1], in_long_ones);
  if (how.chunk != 0) check_chunks(problem.chunks, lengths, how);

  tally::test::forget_barriers();
  if (how.by_words) {
    using shape = recurrence_words_launch<P>;
    tally::test::run_grid(how.blocks, shape::threads, shape::bytes, [&] {
      recur_by_words(reinterpret_cast<recurrence_words_memory<P>*>(tally::test::grid::current()->memory()), problem);
    });
    unsigned const blocks = static_cast<unsigned>(lengths.size() / last_states_threads + 1);
    tally::test::run_grid(blocks, last_states_threads, 0, [&] { put_last_states_kernel(problem); });
  } else {
    tally::test::run_grid(
        how.blocks, segments_warps<P> * warp_lanes, segments_warps<P> * sizeof(recurrence_segments_memory), [&] {
          recur_segments(reinterpret_cast<recurrence_segments_memory*>(tally::test::grid::current()->memory()),
                         problem);
        });
  }
  if (tiles > 0) {
    control shared{};
    std::vector<std::uint64_t> words(tiles * words_of<affine<typename P::W>>);
    using L = long_segments_problem<T>;
    L const longs(problem, &shared, words.data(), words.size());
    using memory_type = recurrence_tiles_memory<L>;
    tally::test::forget_barriers();
    tally::test::run_grid(how.blocks, recurrence_tiles<T>::threads, sizeof(memory_type), [&] {
      recur_tiles(*reinterpret_cast<memory_type*>(tally::test::grid::current()->memory()), longs);
    });
    tally::test::run_grid(2, warp_lanes, 0, [&] { repair_long_segments_kernel(problem); });
  }

  EXPECT_TRUE(a.guards_intact());
  EXPECT_TRUE(b.guards_intact());
  EXPECT_TRUE(apart.guards_intact());
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < all; ++k)
    if (!same(out.data()[k], expected[k]) && ++wrong == 1) ADD_FAILURE() << "the first wrong result is at " << k;
  EXPECT_EQ(wrong, 0u);
  for (std::size_t s = 0; s < lengths.size(); ++s)
    EXPECT_TRUE(same(lasts[s], expected_lasts[s])) << "the last result of segment " << s;
}

/// Segments around the sizes of groups, rows, strips, pieces and tiles, in any order, and drawn ones.
template <class T>
void check_drawn()
{
  using P = recurrence_segments_problem<T>;
  constexpr std::size_t word = 16 / sizeof(T), row = P::row, strip = P::strip, piece = P::piece, tile = P::tile;
  std::uint64_t draws = 0;
  auto const draw = [&](std::size_t below) { return static_cast<std::size_t>(random_bits(4, ++draws) >> 11) % below; };
  auto const how = [&](std::size_t longest, std::size_t chunk) {
    return call{.a = draw(word),
                .b = draw(word),
                .out = draw(word),
                .longest = longest,
                .chunk = chunk,
                .least_chunk = draw(2) == 0 ? 10 + draw(50) : 16384,
                .is_constant = draw(4) == 0,
                .is_in_place = longest == never && draw(3) == 0,
                .has_befores = draw(2) == 0,
                .blocks = static_cast<unsigned>(1 + draw(3)),
                .what = draw(2) == 0 ? kind::ordinary : static_cast<kind>(1 + draw(tally::test::other_kinds))};
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
  // More than a span, by tiles and by a warp.
  for (std::size_t const longest : {tile, never})
    check<T>({3, 33 * tile + 9, 5}, {.longest = longest, .blocks = 2, .what = kind::steady});
  // A result that is not finite, in a short segment and in a long one.
  for (std::size_t const infinite : {std::size_t{5 + 40 + 7}, 5 + 40 + 100 + tile + 11})
    check<T>({40, 100, 2 * tile, 30}, {.longest = 200, .chunk = 1024, .blocks = 2, .infinite = infinite});
}

/// Segments by words: around all units of the order and of warps at each place of a word, heads and ends at each place
/// of a chunk, more ends than there are offsets in shared memory, long ones left out.
template <class T>
void check_words()
{
  using P = recurrence_segments_problem<T>;
  constexpr std::size_t word = 16 / sizeof(T), row = P::row, strip = P::strip, tile = P::tile,
                        chunk = 2 * word * warp_lanes, window = recurrence_words_shape<P>::chunk;
  std::uint64_t draws = 0;
  auto const draw = [&](std::size_t below) { return static_cast<std::size_t>(random_bits(5, ++draws) >> 11) % below; };
  auto const how = [&](std::size_t longest = never) {
    call one{.b = draw(word),
             .longest = longest,
             .is_constant = draw(4) == 0,
             .is_in_place = longest == never && draw(4) == 0,
             .blocks = draw(4) == 0 ? 2u : 1u,
             .what = draw(2) == 0 ? kind::ordinary : static_cast<kind>(1 + draw(tally::test::other_kinds)),
             .by_words = true};
    one.a = draw(2) == 0 ? one.b : draw(word);
    one.out = draw(2) == 0 ? one.b : draw(word);
    return one;
  };
  // A length before each, so that they lie at each place of a word, and behind others.
  for (std::size_t const n : {std::size_t{1}, word, row, 2 * row, strip, chunk, window, tile, tile + strip})
    for (std::size_t const more : {std::size_t(-1), std::size_t{0}, std::size_t{1}, word + 1})
      for (std::size_t before = draw(2); before <= word; before += 1 + draw(3))
        check<T>({before, n + more, 1, 0, 2, n + more}, how());
  for (std::size_t before = 0; before < chunk + 2 * word; before += 1 + draw(9))
    check<T>({before, 1, word + 1, 0, chunk - word, 3 * row + 1, 5}, how());
  for (std::size_t const most : {1, 2, 3, 5, 9, 20, 40, 150, 700, 3000}) {
    std::vector<std::size_t> lengths;
    for (std::size_t sum = 0; sum < 3 * window + most; sum += lengths.back() + 1) lengths.push_back(draw(most + 1));
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
  // Long segments are left out: first, last, next to each other, around the ends of windows.
  for (std::size_t before = window - word; before <= window + word; before += 1 + draw(2))
    check<T>({before, 3 * chunk, 5}, how(chunk + 2 * word));
  for (int k = 0; k < 30; ++k) {
    std::size_t const longest = chunk / 2 + draw(chunk);
    std::vector<std::size_t> lengths;
    for (std::size_t s = 1 + draw(30); s > 0; --s)
      lengths.push_back(draw(3) == 0 ? longest + draw(3 * chunk) : draw(4) == 0 ? draw(chunk) : draw(40));
    check<T>(lengths, how(longest));
  }
  // A result that is not finite, at each place of a word and in all parts of a segment that is longer than a window.
  for (std::size_t at = 0; at < 2 * word; ++at)
    for (std::size_t const behind : {std::size_t{0}, std::size_t{3}, row, chunk, window + 2 * row}) {
      call one = how();
      one.infinite = 5 + 9 + at + behind;
      check<T>({9, word, 0, 5, behind + 3, 2 * window, 1, 7, chunk, 2}, one);
    }
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
TEST(recurrence_segments_on_fibers, of_floats_by_words)
{
  check_words<float>();
}
TEST(recurrence_segments_on_fibers, of_doubles_by_words)
{
  check_words<double>();
}
TEST(recurrence_segments_on_fibers, of_bfloat16_by_words)
{
  check_words<tally::bfloat16>();
}

}  // namespace
