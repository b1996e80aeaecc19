#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include "../support/operators.hpp"
#include "../support/virtual_ranks.hpp"
#include "parts.hpp"
#include "tally/operators.hpp"
#include "tally/reduce.hpp"
#include "tally/scan.hpp"

/// The messages between ranks, counted against docs/distributed.md. Its formulas are written here from the text.
namespace tally::test {
namespace {

constexpr std::size_t report_bytes = 128, span = 32;

/// Messages and bytes of the heads of all parts: one for each part that does not begin with a tile.
traffic heads(std::vector<std::size_t> const& offsets, std::size_t tile, std::size_t element)
{
  traffic all;
  for (std::size_t r = 0; r + 1 < offsets.size(); ++r) {
    std::size_t const to_tile = (tile - offsets[r] % tile) % tile, size = offsets[r + 1] - offsets[r];
    std::size_t const head = to_tile < size ? to_tile : size;
    all.messages += head > 0;
    all.message_bytes += head * element;
  }
  return all;
}

/// Values that rank r shares: of the tiles that begin in its part.
std::size_t values(std::vector<std::size_t> const& offsets, std::size_t r, std::size_t tile)
{
  auto const tiles_before = [&](std::size_t element) { return (element + tile - 1) / tile; };
  std::size_t const first = tiles_before(offsets[r]), end = tiles_before(offsets[r + 1]);
  std::size_t const last = end - first < 2 ? end - first : 2;
  std::size_t single = 0, k = first;
  for (; k < end - last && k % span != 0; ++k) ++single;
  std::size_t const rest = end - last - k;
  return single + rest / span + (rest % span > 0) + last;
}

/// How a call differs from others: each is 0 or more.
struct kind {
  std::size_t messages_a_head = 1;
  std::size_t last_round = 0;
  std::size_t initial_value = 0;
};

template <class Call>
void check(std::size_t n, int ranks, std::size_t tile, kind const& of, Call const& call)
{
  std::vector<float> const x(n, 1.0f);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    auto const offsets = random_division(n, ranks, seed);
    traffic const counted = on_virtual_ranks(ranks, [&](virtual_rank const& on, int rank) {
      auto const at = [&](int r) {
        return in_tiles_of(tile, x) + static_cast<std::ptrdiff_t>(offsets[static_cast<std::size_t>(r)]);
      };
      call(on, at(rank), at(rank + 1));
    });
    traffic expected = heads(offsets, tile, sizeof(float));
    expected.messages *= of.messages_a_head;
    expected.message_bytes *= of.messages_a_head;
    std::size_t most = 0, sum = 0;
    for (std::size_t r = 0; r < static_cast<std::size_t>(ranks); ++r) {
      std::size_t const own = values(offsets, r, tile) + (r == 0 ? of.initial_value : 0);
      sum += own;
      most = own > most ? own : most;
    }
    std::size_t const reports = 2 + of.last_round;
    bool const own_round = most * sizeof(double) > 96;
    expected.rounds = reports + own_round;
    expected.round_bytes = reports * static_cast<std::size_t>(ranks) * report_bytes + own_round * sum * sizeof(double);
    EXPECT_EQ(counted.messages, expected.messages) << "seed " << seed;
    EXPECT_EQ(counted.message_bytes, expected.message_bytes) << "seed " << seed;
    EXPECT_EQ(counted.rounds, expected.rounds) << "seed " << seed;
    EXPECT_EQ(counted.round_bytes, expected.round_bytes) << "seed " << seed;
  }
}

TEST(traffic, of_reductions)
{
  for (std::size_t const n : {0, 1, 20, 100, 3000})
    for (int const ranks : {1, 2, 5}) {
      check(n, ranks, 3, {}, [](auto const& on, auto first, auto last) { (void)tally::reduce(on, first, last); });
      check(n, ranks, 3, {.last_round = 1, .initial_value = 1}, [](auto const& on, auto first, auto last) {
        (void)tally::reduce(on, first, last, 0.0f, halve_and_add_in_double{});
      });
    }
}

TEST(traffic, of_scans)
{
  for (std::size_t const n : {0, 1, 20, 100, 3000})
    for (int const ranks : {1, 2, 5})
      check(n, ranks, 3, {.messages_a_head = 2, .last_round = 1}, [](auto const& on, auto first, auto last) {
        std::vector<float> out(static_cast<std::size_t>(last - first));
        tally::inclusive_scan(on, first, last, out.begin());
      });
}

TEST(traffic, of_operators_in_any_order)
{
  auto const call = [](auto const& what) { return on_virtual_ranks(4, what); };
  std::vector<int> const x(10, 1);
  traffic const one_round{0, 0, 1, 4 * report_bytes};
  EXPECT_EQ(call([&](auto const& on, int) { (void)tally::reduce(on, x); }), one_round);
  EXPECT_EQ(call([&](auto const& on, int) {
              std::vector<int> out(10);
              tally::inclusive_scan(on, x, out);
            }),
            one_round);
  // Functions of the caller's may fail after the first round: there is a last one.
  traffic const two_rounds{0, 0, 2, 8 * report_bytes};
  EXPECT_EQ(call([&](auto const& on, int) {
              std::vector<int> out(10);
              tally::transform_inclusive_scan(on, x, out, plus{}, [](int value) { return value; });
            }),
            two_rounds);
}

TEST(traffic, nothing_of_a_rank_that_failed)
{
  std::vector<float> const x(20, 1.0f);
  traffic const counted = on_virtual_ranks(2, [&](auto const& on, int rank) {
    auto const first = in_tiles_of(3, x) + rank * 10;
    try {
      (void)tally::transform_reduce(on, first, first + 10, 0.0f, plus{}, [&](float value) {
        if (rank == 1) throw error("the head");
        return value;
      });
    } catch (rank_error const&) {
      return;
    }
    throw std::logic_error("no rank failed");
  });
  EXPECT_EQ(counted.messages, 1u);
  EXPECT_EQ(counted.message_bytes, 0u) << "values that the transformation did not write";
}

TEST(traffic, of_a_small_scan_of_floats_on_even_parts)
{
  std::vector<float> const x(order::tile<float>, 1.0f);
  traffic const expected{0, 0, 2, 2 * 4 * report_bytes};
  EXPECT_EQ(on_virtual_ranks(4,
                             [&](auto const& on, int) {
                               std::vector<float> out(x.size());
                               tally::inclusive_scan(on, x, out);
                             }),
            expected);
}

}  // namespace
}  // namespace tally::test
