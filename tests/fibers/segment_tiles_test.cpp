// Scans and reductions of long segments by tiles, on fibers: a kernel lists the tiles, and others take them from the
// list. Each segment has the results of the order, by an implementation of its own, wherever it lies.
#include "fibers.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../order/reference.hpp"
#include "../support/bits.hpp"
#include "../support/generator.hpp"
#include "../support/guarded.hpp"
#include "barriers.hpp"
#include "tally/detail/batch/ends.hpp"
#include "tally/detail/cuda/batch/segment_problem.cuh"
#include "tally/detail/cuda/batch/segment_tiles.cuh"
#include "tally/detail/cuda/batch/segment_tiles_reduction.cuh"
#include "tally/detail/cuda/ring.cuh"
#include "tally/operators/arithmetic.hpp"

namespace {

using namespace tally::cuda_backend;
using tally::test::guarded;
using tally::test::random_bits;
using tally::test::same;

template <class T>
constexpr std::size_t tile = tally::order::tile<T>;

struct call {
  std::size_t in = 0, out = 0;  ///< the first elements, behind a line of memory
  std::size_t longest = 0;      ///< of the segments that are not listed, whose places are not written
  bool is_exclusive = false, has_init = false;
  unsigned blocks = 1;
};

template <class T>
void check(std::vector<std::size_t> const& lengths, call const& how)
{
  std::vector<std::uint32_t> offsets{3};  // elements before the first offset belong to no segment
  std::size_t tiles = 0;
  for (std::size_t const n : lengths) {
    offsets.push_back(offsets.back() + static_cast<std::uint32_t>(n));
    if (n > how.longest) tiles += (n - 1) / tile<T> + 1;
  }
  SCOPED_TRACE(std::to_string(lengths.size()) + " segments, " + std::to_string(offsets.back()) +
               " elements, first elements " + std::to_string(how.in) + ", " + std::to_string(how.out) +
               ", none of up to " + std::to_string(how.longest) + (how.is_exclusive ? ", exclusive" : ", inclusive") +
               (how.has_init ? ", with an initial value" : "") + ", blocks: " + std::to_string(how.blocks));
  std::size_t const all = offsets.back();
  guarded<T> const in(all, how.in), out(all, how.out);
  std::vector<T> expected(all, T(7));
  for (std::size_t k = 0; k < all; ++k) {
    in.data()[k] = static_cast<T>(static_cast<double>(random_bits(1, k) >> 11) * 0x1p-52 - 1);
    out.data()[k] = T(7);
  }
  T const init = T(0.375);
  std::size_t elements = 0;
  for (std::size_t s = 0; s < lengths.size(); ++s) {
    if (lengths[s] <= how.longest) continue;
    elements += lengths[s];
    std::vector<T> const own(in.data() + offsets[s], in.data() + offsets[s + 1]);
    auto const results =
        tally::test::reference::scan(own, tally::plus{}, how.has_init ? std::optional<T>(init) : std::nullopt);
    for (std::size_t k = 0; k < own.size(); ++k)
      expected[offsets[s] + k] = how.is_exclusive ? results.exclusive[k] : results.inclusive[k];
  }

  using P = segment_problem<segment_work::scan, tally::detail::batch::from_front, T, tally::plus, T const*,
                            std::uint32_t const*, T*>;
  // The list lies behind the words, and has room for its own tiles alone.
  std::vector<std::uint64_t> list_words(listed_tiles::words(tiles));
  listed_tiles const list(list_words.data());
  P segments{in.data(), offsets.data(),   lengths.size(), out.data(), {}, nullptr, nullptr, {}, false,
             {},        how.is_exclusive, nullptr,        nullptr,    0,  0,       {}};
  segments.longest = how.longest;
  segment_tiles_problem<P> const to_list{segments, list, 32 + lengths.size() % 200};
  // The shared memory of a block is that of all blocks here, so there is one, or they write the same.
  unsigned const blocks = lengths.size() <= segment_tiles_threads ? how.blocks : 1;
  tally::test::run_grid(blocks, segment_tiles_threads, 0, [&] { list_tiles_kernel(to_list); });
  EXPECT_EQ(*list.count, tiles);
  EXPECT_EQ(*list.elements, elements);

  std::vector<std::uint64_t> words(tiles * words_of<tally::working_type<T>>);
  control shared{};
  using ring_problem = listed_tiles_problem<T, tally::plus>;
  using ring = ring_memory<ring_problem>;
  ring_problem const problem{.in = in.data(),
                             .out = out.data(),
                             .in_end = in.data() + all,
                             .list = list,
                             .init = {how.has_init, init, init},
                             .op = {},
                             .transform = {},
                             .what = how.is_exclusive ? work::exclusive_scan : work::inclusive_scan,
                             .shared = &shared,
                             .words = words.data(),
                             .capacity = words.size()};
  tally::test::forget_barriers();
  tally::test::run_grid(how.blocks, ring::shape::threads, sizeof(ring), [&] {
    scan_by_ring(*reinterpret_cast<ring*>(tally::test::grid::current()->memory()), problem);
  });
  EXPECT_TRUE(in.guards_intact());
  EXPECT_TRUE(out.guards_intact());
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < all; ++k)
    if (!same(out.data()[k], expected[k]) && ++wrong == 1) ADD_FAILURE() << "the first wrong result is at " << k;
  EXPECT_EQ(wrong, 0u);
}

/// The same segments, reduced.
template <class T>
void check_reduced(std::vector<std::size_t> const& lengths, std::size_t first, bool has_init, std::size_t most_by_warp)
{
  std::vector<std::uint64_t> offsets{1};
  std::size_t tiles = 0;
  for (std::size_t const n : lengths) {
    offsets.push_back(offsets.back() + n);
    if (n > 0) tiles += (n - 1) / tile<T> + 1;
  }
  SCOPED_TRACE(std::to_string(lengths.size()) + " segments, " + std::to_string(offsets.back()) +
               " elements, first element " + std::to_string(first) + (has_init ? ", with initial values" : "") +
               ", a warp folds " + std::to_string(most_by_warp));
  guarded<T> const in(offsets.back(), first), out(lengths.size(), 1);
  for (std::size_t k = 0; k < offsets.back(); ++k)
    in.data()[k] = static_cast<T>(static_cast<double>(random_bits(1, k) >> 11) * 0x1p-52 - 1);
  std::vector<T> inits, expected;
  T const nothing = T(-3);
  for (std::size_t s = 0; s < lengths.size(); ++s) {
    out.data()[s] = T(7);
    inits.push_back(static_cast<T>(static_cast<double>(s) / 8));
    std::vector<T> const own(in.data() + offsets[s], in.data() + offsets[s + 1]);
    expected.push_back(own.empty() ? has_init ? inits[s] : nothing
                                   : *tally::test::reference::scan(own, tally::plus{},
                                                                   has_init ? std::optional<T>(inits[s]) : std::nullopt)
                                          .reduced);
  }

  using P = segment_problem<segment_work::reduce, tally::detail::batch::from_front, T, tally::plus, T const*,
                            std::uint64_t const*, T*>;
  std::vector<std::uint64_t> list_words(listed_tiles::words(tiles)), words(tiles * words_of<tally::working_type<T>>);
  listed_tiles const list(list_words.data());
  control shared{};
  shared.next = std::uint64_t{5} << 32;
  P segments{in.data(),
             offsets.data(),
             lengths.size(),
             out.data(),
             {},
             has_init ? inits.data() : nullptr,
             nullptr,
             {},
             true,
             {},
             false,
             &shared,
             words.data(),
             0,
             words.size(),
             {}};
  std::memcpy(segments.nothing.bytes, &nothing, sizeof(T));
  segment_tiles_problem<P> const to_list{segments, list, 32 + lengths.size() % 200};
  tally::test::run_grid(1, segment_tiles_threads, 0, [&] { list_tiles_kernel(to_list); });
  ASSERT_EQ(*list.count, tiles);
  segment_totals_problem<P> const problem{segments, list, most_by_warp};
  tally::test::run_grid(1, reduce_threads, 0, [&] { total_listed_tiles_kernel<P>(problem); });
  tally::test::run_grid(1, reduce_threads, 0, [&] { fold_listed_tiles_kernel<P>(problem); });
  EXPECT_TRUE(in.guards_intact());
  EXPECT_TRUE(out.guards_intact());
  for (std::size_t s = 0; s < lengths.size(); ++s)
    EXPECT_TRUE(same(out.data()[s], expected[s])) << "segment " << s << " of " << lengths[s];
}

template <class T>
void check_drawn_reduced()
{
  constexpr std::size_t word = 16 / sizeof(T);
  std::uint64_t draws = 0;
  auto const draw = [&](std::size_t below) { return static_cast<std::size_t>(random_bits(3, ++draws) >> 11) % below; };
  auto const reduced = [&](std::vector<std::size_t> const& lengths, std::size_t most_by_warp) {
    check_reduced<T>(lengths, draw(word), draw(2) == 0, most_by_warp);
  };
  reduced({1}, 9);
  reduced({0, 2, 3, word, word + 1, 2 * word - 1, 2 * word, 2 * word + 1, 0}, 9);
  reduced({0, tile<T> - 1, 0, tile<T>, tile<T> + 1, 2 * tile<T>, 1, word, 2 * tile<T> + word + 1}, 9);
  for (std::size_t first = 0; first < word; ++first)
    check_reduced<T>({tile<T> + 2, tile<T> - 1, 2 * word + 1}, first, first % 2 == 0, 9);
  // Segments of 37 tiles, by a block and by a warp, beside short ones.
  reduced({3, 36 * tile<T> + draw(tile<T>), 5, 2 * tile<T>}, 3);
  reduced({3, 36 * tile<T> + draw(tile<T>), 5, 2 * tile<T>}, 256);
  std::vector<std::size_t> many;
  for (int s = 0; s < 300; ++s) many.push_back(s % 60 == 59 ? draw(3 * tile<T>) : draw(9));
  reduced(many, 1);
  for (int k = 0; k < 4; ++k) {
    std::vector<std::size_t> some;
    for (std::size_t s = 1 + draw(5); s > 0; --s) some.push_back(draw(2 * tile<T>));
    reduced(some, 1 + draw(2));
  }
}

/// Segments around the sizes of words, tiles and spans, in any order, and drawn ones.
template <class T>
void check_drawn()
{
  constexpr std::size_t word = 16 / sizeof(T);
  std::uint64_t draws = 0;
  auto const draw = [&](std::size_t below) { return static_cast<std::size_t>(random_bits(2, ++draws) >> 11) % below; };
  auto const how = [&](std::size_t longest) {
    bool const is_exclusive = draw(2) == 0;
    return call{.in = draw(word),
                .out = draw(word),
                .longest = longest,
                .is_exclusive = is_exclusive,
                .has_init = is_exclusive || draw(2) == 0,
                .blocks = static_cast<unsigned>(1 + draw(3))};
  };
  check<T>({1}, how(0));
  check<T>({0, tile<T> - 1, 0, tile<T>, tile<T> + 1, 2 * tile<T>, 1, word, 2 * tile<T> + word + 1}, how(0));
  check<T>({5 * tile<T> + draw(tile<T>)}, how(0));
  check<T>({tile<T>, 700, 2 * tile<T> + 3, 701, 0, 5}, how(700));
  // Every place in a word, of elements and of results.
  for (std::size_t in = 0; in < word; ++in)
    for (std::size_t out = 0; out < word; ++out)
      check<T>(
          {tile<T> + 2, tile<T> - 1, 5},
          {.in = in, .out = out, .is_exclusive = (in + out) % 2 == 1, .has_init = (in + out) % 2 == 1, .blocks = 2});
  // More segments than the block that lists them has threads; most are short.
  std::vector<std::size_t> many;
  for (int s = 0; s < 600; ++s) many.push_back(s % 150 == 149 ? tile<T> + draw(tile<T>) : draw(12));
  check<T>(many, how(0));
  check<T>(many, how(11));
  for (int k = 0; k < 3; ++k) {
    std::vector<std::size_t> some;
    for (std::size_t s = 1 + draw(5); s > 0; --s) some.push_back(draw(2 * tile<T>));
    check<T>(some, how(0));
  }
}

TEST(segment_tiles_on_fibers, of_floats)
{
  check_drawn<float>();
}
TEST(segment_tiles_on_fibers, of_doubles)
{
  check_drawn<double>();
}
TEST(segment_tiles_on_fibers, of_floats_reduced)
{
  check_drawn_reduced<float>();
}
TEST(segment_tiles_on_fibers, of_doubles_reduced)
{
  check_drawn_reduced<double>();
}

}  // namespace
