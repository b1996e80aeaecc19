#include "tally/detail/cuda/sort/look_back.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tally/detail/cuda/handover.hpp"

/// The hand-over of counts from tile to tile in a pass of a radix sort, with threads for blocks.
namespace tally::cuda_backend::sorting {
namespace {

template <class Word>
class sort_look_back : public testing::Test {};
using words = testing::Types<std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(sort_look_back, words);

TYPED_TEST(sort_look_back, tells_kinds_and_values_apart)
{
  using handed = handed_over<TypeParam>;
  for (unsigned round = 0; round < 8; ++round)
    for (TypeParam const value : {TypeParam{0}, TypeParam{1}, static_cast<TypeParam>(handed::most / 3), handed::most})
      for (published const kind : {published::nothing, published::count, published::sum}) {
        TypeParam const word = handed::word(kind, value, round);
        EXPECT_EQ(handed::kind(word, round), kind) << round;
        EXPECT_EQ(handed::value(word), value) << round;
      }
}

TYPED_TEST(sort_look_back, takes_the_sums_of_the_round_before_for_nothing)
{
  using handed = handed_over<TypeParam>;
  EXPECT_EQ(handed::kind(TypeParam{0}, 0), published::nothing);
  for (unsigned round = 0; round < 8; ++round)
    EXPECT_EQ(handed::kind(handed::word(published::sum, handed::most, round), round + 1), published::nothing) << round;
}

/// The words before a tile, written by hand: the sum of a tile, and counts behind it.
TYPED_TEST(sort_look_back, stops_at_the_nearest_sum)
{
  using handed = handed_over<TypeParam>;
  constexpr std::size_t stride = 3;
  for (std::uint32_t tile = 1; tile < 20; ++tile)
    for (std::uint32_t nearest = 0; nearest < tile; ++nearest) {
      std::vector<TypeParam> all(stride * tile, handed::word(published::count, handed::most, 1));
      TypeParam expected = 0;
      for (std::uint32_t t = nearest; t < tile; ++t) {
        auto const value = static_cast<TypeParam>(1000 * t + 7);
        all[stride * t] = handed::word(t == nearest ? published::sum : published::count, value, 1);
        expected += value;
      }
      for (int more : {0, 1, 3}) {  // threads that look back together wait for the last of them
        auto const after = [&more](bool done) { return done && more-- == 0; };
        EXPECT_EQ(look_back<4>(all.data(), stride, tile, 1, after), expected) << tile << ", sum of " << nearest;
      }
      EXPECT_EQ(look_back<1>(all.data(), stride, tile, 1, [](bool done) { return done; }), expected);
    }
}

/// A count that comes late: those behind it are not added before it.
TYPED_TEST(sort_look_back, waits_for_each_tile)
{
  using handed = handed_over<TypeParam>;
  for (std::uint32_t tile = 1; tile < 12; ++tile)
    for (std::uint32_t late = 0; late < tile; ++late) {
      std::vector<TypeParam> all(tile);
      TypeParam expected = 0;
      for (std::uint32_t t = 0; t < tile; ++t) {
        auto const value = static_cast<TypeParam>(1u << t);
        if (t != late) all[t] = handed::word(t == 0 ? published::sum : published::count, value, 0);
        expected += value;
      }
      int looks = 0;
      auto const publish_late = [&](bool done) {
        if (++looks == 3)
          all[late] =
              handed::word(late == 0 ? published::sum : published::count, static_cast<TypeParam>(1u << late), 0);
        return done || looks > 50;
      };
      EXPECT_EQ(look_back<4>(all.data(), 1, tile, 0, publish_late), expected) << tile << ", late " << late;
      EXPECT_LE(looks, 50);
    }
}

constexpr std::size_t some_digits = 5;

/// The keys of a tile with a digit.
template <class Word>
Word count_of(unsigned round, std::uint32_t tile, std::size_t d)
{
  return static_cast<Word>((round * 7919u + tile * 40503u + static_cast<unsigned>(d) * 2654435761u) >> 8 & 1023);
}

/// A pass: `workers` threads draw tiles, publish counts, look back, and publish sums. Returns how many sums were wrong.
template <class Word, int AtOnce>
std::size_t pass(std::vector<Word>& all, std::uint32_t tiles, unsigned round, int workers)
{
  using handed = handed_over<Word>;
  control tickets{};
  std::vector<Word> expected(all.size());
  for (std::size_t d = 0; d < some_digits; ++d) {
    auto sum = static_cast<Word>(100'000 * d);
    for (std::uint32_t t = 0; t < tiles; ++t) {
      sum += count_of<Word>(round, t, d);
      expected[t * some_digits + d] = sum;
    }
  }
  std::atomic<std::size_t> wrong = 0;
  std::vector<std::thread> threads;
  for (int w = 0; w < workers; ++w)
    threads.emplace_back([&, w] {
      std::minstd_rand random(round * 131 + static_cast<unsigned>(w));
      auto const disturb = [&] {
        if (random() % 4 == 0) std::this_thread::yield();
      };
      auto const wait = [](bool done) {
        if (!done) std::this_thread::yield();
        return done;
      };
      for (;;) {
        auto const tile = static_cast<std::uint32_t>(draw_unseen(tickets));
        if (tile >= tiles) return;
        for (std::size_t d = 0; d < some_digits; ++d) {
          disturb();
          Word const count = count_of<Word>(round, tile, d);
          Word* const here = all.data() + tile * some_digits + d;
          if (tile == 0)
            store_relaxed(here, handed::word(published::sum, static_cast<Word>(100'000 * d + count), round));
          else
            store_relaxed(here, handed::word(published::count, count, round));
        }
        for (std::size_t d = 0; d < some_digits; ++d) {
          disturb();
          Word sum = static_cast<Word>(100'000 * d);
          if (tile != 0) sum = look_back<AtOnce>(all.data() + d, some_digits, tile, round, wait);
          sum += count_of<Word>(round, tile, d);
          store_relaxed(all.data() + tile * some_digits + d, handed::word(published::sum, sum, round));
          if (sum != expected[tile * some_digits + d]) ++wrong;
        }
      }
    });
  for (std::thread& thread : threads) thread.join();
  return wrong;
}

/// Words are cleared before the first pass only, and any number of threads is enough: one has all tiles in turn.
TYPED_TEST(sort_look_back, adds_up_the_tiles_before_in_every_pass)
{
  for (int const workers : {1, 2, 3, 7})
    for (std::uint32_t const tiles : {1u, 2u, 5u, 100u, 400u}) {
      SCOPED_TRACE(std::to_string(workers) + " threads, " + std::to_string(tiles) + " tiles");
      std::vector<TypeParam> all(tiles * some_digits);
      for (unsigned round = 0; round < 8; ++round)
        EXPECT_EQ((round % 2 == 0 ? pass<TypeParam, 4>(all, tiles, round, workers)
                                  : pass<TypeParam, 1>(all, tiles, round, workers)),
                  0u)
            << round;
    }
}

}  // namespace
}  // namespace tally::cuda_backend::sorting
