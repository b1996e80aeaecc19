// Allocation against a loop that places one piece after another in 128 bits.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "../support/generator.hpp"
#include "../support/sizes.hpp"
#include "tally/algorithms/allocate.hpp"

namespace {

using tally::test::random_bits;
__extension__ typedef unsigned __int128 wide;

constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

/// Around the blocks of both kinds of pieces, and around the size from which threads share the work.
std::vector<std::size_t> const sizes =
    tally::test::tidy({0, 1, 2, 3, 1023, 1024, 1025, 4095, 4096, 4097, 8193, 100'001});

template <class Call>
void every_way(Call call)
{
  call(tally::detail::automatic{});
  for (int const threads : {0, 1, 3}) call(tally::cpu{threads});
}

/// The offsets of the pieces before the first one that ends behind `capacity`, and the end of the last of them.
struct placed {
  std::vector<std::uint64_t> offsets;
  std::uint64_t end = 0;
  bool all_fit = true;
};
template <class AlignmentOf>
placed by_hand(std::vector<std::uint64_t> const& counts, AlignmentOf alignment_of, std::uint64_t capacity)
{
  placed result;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    wide const alignment = alignment_of(k);
    wide const begin = (wide{result.end} + alignment - 1) / alignment * alignment;
    if (begin + counts[k] > capacity) {
      result.all_fit = false;
      break;
    }
    result.offsets.push_back(static_cast<std::uint64_t>(begin));
    result.end = static_cast<std::uint64_t>(begin + counts[k]);
  }
  return result;
}

template <class Call>
void expect_as_by_hand(placed const& expected, std::size_t n, Call call, std::string const& what)
{
  std::vector<std::uint64_t> offsets(n, 0xA5A5A5A5A5A5A5A5);
  try {
    EXPECT_EQ(call(offsets.begin()), expected.end) << what;
    EXPECT_TRUE(expected.all_fit) << what;
    EXPECT_EQ(offsets, expected.offsets) << what;
  } catch (tally::allocation_error const& error) {
    EXPECT_FALSE(expected.all_fit) << what << ": " << error.what();
    EXPECT_EQ(error.piece(), expected.offsets.size()) << what << ": " << error.what();
  }
}

TEST(allocate, places_pieces_of_one_alignment)
{
  for (std::size_t const n : sizes) {
    std::vector<std::uint64_t> counts(n);
    for (std::size_t k = 0; k < n; ++k) counts[k] = random_bits(1, k) % 8 == 0 ? 0 : random_bits(2, k) % 5000;
    for (std::uint64_t const alignment : {1, 2, 64, 7, 1000, 1 << 20}) {
      auto const same = [&](std::size_t) { return alignment; };
      std::uint64_t const all = by_hand(counts, same, most).end;
      for (std::uint64_t const capacity : {most, all, all - (all != 0), all / 2, std::uint64_t{0}}) {
        placed const expected = by_hand(counts, same, capacity);
        every_way([&](auto on) {
          expect_as_by_hand(
              expected, n,
              [&](auto out) { return tally::allocate(on, counts.begin(), counts.end(), out, {alignment, capacity}); },
              std::to_string(n) + " at " + std::to_string(alignment) + " in " + std::to_string(capacity));
        });
      }
    }
  }
}

TEST(allocate, places_pieces_of_different_alignments)
{
  for (std::size_t const n : sizes) {
    std::vector<std::uint64_t> counts(n);
    std::vector<std::uint32_t> alignments(n);
    for (std::size_t k = 0; k < n; ++k) {
      counts[k] = random_bits(3, k) % 200;
      alignments[k] = 1u << random_bits(4, k) % (k % 1000 == 77 ? 20 : 6);
    }
    auto const own = [&](std::size_t k) { return alignments[k]; };
    std::uint64_t const all = by_hand(counts, own, most).end;
    for (std::uint64_t const capacity : {most, all, all - (all != 0), all / 3}) {
      placed const expected = by_hand(counts, own, capacity);
      every_way([&](auto on) {
        expect_as_by_hand(
            expected, n,
            [&](auto out) {
              return tally::allocate_aligned(on, counts.begin(), counts.end(), alignments.begin(), out,
                                             {.capacity = capacity});
            },
            std::to_string(n) + " in " + std::to_string(capacity));
      });
    }
  }
}

/// The error names the piece with which the sum leaves 64 bits.
TEST(allocate, does_not_wrap)
{
  for (std::size_t const n : {std::size_t{2}, std::size_t{4097}, std::size_t{20'000}}) {
    for (std::size_t const at : {std::size_t{0}, n / 2, n - 1}) {
      for (std::uint64_t const large : {most, most - 1, most - 2 * n, most / 2 + 1, std::uint64_t{1} << 52}) {
        std::vector<std::uint64_t> counts(n, large >> 60 ? 1 : large);
        counts[at] = large;
        if (at > 0) counts[at - 1] = large;
        for (std::uint64_t const alignment : {1, 3, 4096}) {
          placed const expected = by_hand(counts, [&](std::size_t) { return alignment; }, most - 1);
          every_way([&](auto on) {
            expect_as_by_hand(
                expected, n,
                [&](auto out) {
                  return tally::allocate(on, counts.begin(), counts.end(), out, {.alignment = alignment});
                },
                std::to_string(n) + " with " + std::to_string(large) + " at " + std::to_string(at));
          });
        }
      }
    }
  }
}

template <class Call>
std::string message(Call call)
{
  try {
    call();
  } catch (tally::error const& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(allocate, says_what_does_not_fit)
{
  std::vector<int> const portions = {3, 5, 2, 7, 28, 4, 3, 0, 8, 1};
  std::vector<int> cuts(portions.size());
  EXPECT_EQ(tally::allocate(portions.begin(), portions.end(), cuts.begin(), {.capacity = 100}), 61u);
  EXPECT_EQ(cuts, (std::vector<int>{0, 3, 8, 10, 17, 45, 49, 52, 52, 60}));
  EXPECT_EQ(message([&] { tally::allocate(portions.begin(), portions.end(), cuts.begin(), {.capacity = 40}); }),
            "tally: piece 4 of 28 does not fit: 17 of 40 are taken before it");
  EXPECT_EQ(message([&] { tally::allocate(portions.begin(), portions.end(), cuts.begin(), {.alignment = 0}); }),
            "tally: allocate: the alignment is 0; it must be at least 1");
  std::vector<int> const negative = {3, -5, 2};
  EXPECT_EQ(message([&] { tally::allocate(negative.begin(), negative.end(), cuts.begin()); }),
            "tally: piece 1 has a negative size; sizes are 0 or more");
  // The largest value of an offset is a capacity.
  std::vector<int> const bytes = {100, 100, 100};
  std::vector<std::uint8_t> narrow(3);
  EXPECT_EQ(message([&] { tally::allocate(bytes.begin(), bytes.end(), narrow.begin()); }),
            "tally: piece 2 of 100 does not fit: 200 of 255 are taken before it");
}

TEST(allocate, lays_out_a_structure)
{
  struct record {
    char tag;
    double weight;
    short count;
    int number;
    char last;
  };
  std::vector<std::size_t> const size = {1, 8, 2, 4, 1}, alignment = {1, 8, 2, 4, 1};
  std::vector<std::size_t> offset(5);
  EXPECT_EQ(tally::allocate_aligned(size.begin(), size.end(), alignment.begin(), offset.begin()), 25u);
  EXPECT_EQ(offset, (std::vector<std::size_t>{0, offsetof(record, weight), offsetof(record, count),
                                              offsetof(record, number), offsetof(record, last)}));
}

/// The operator is exactly associative, and composes the maps that layouts stand for.
TEST(layout, composes)
{
  using tally::detail::allocation::layout;
  tally::detail::allocation::layout_composition const composed{};
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    auto const piece = [&](std::uint64_t which) {
      auto const value = [&](std::uint64_t k) {
        std::uint64_t const bits = random_bits(seed, 10 * which + k);
        return bits % 64 == 0 ? most - bits % 1000 : bits % 100;
      };
      return layout{which == 0 ? 0 : value(0), std::uint64_t{1} << value(1) % 8, value(2)};
    };
    layout const a = piece(0), b = piece(1), c = piece(2);
    layout const left = composed(composed(a, b), c), right = composed(a, composed(b, c));
    for (std::uint64_t x = 0; x < 70; ++x) {
      std::uint64_t const one_by_one = c.end_from(b.end_from(a.end_from(x)));
      ASSERT_EQ(left.end_from(x), one_by_one) << seed;
      ASSERT_EQ(right.end_from(x), one_by_one) << seed;
    }
    if (left.end_from(0) != most) {
      ASSERT_EQ(left, right) << seed;
    }
  }
}

}  // namespace
