// The way of a block through what ranks share, on fibers, beside one thread that takes a piece after the other.
#include "fibers.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "../support/bits.hpp"
#include "../support/generator.hpp"
#include "tally/detail/nccl/walk_shared.cuh"
#include "tally/operators.hpp"

namespace {

using namespace tally::nccl_backend;
using tally::test::random_bits;
using tally::test::same;
constexpr std::uint64_t span_tiles = tally::order::span_tiles;

/// The findings of a walk: the spans before each tile that it tells of, and the last value.
template <class T, class Op>
struct findings {
  using C = tally::carry_type<Op, T>;
  std::map<std::pair<int, std::uint64_t>, C> spans;  ///< of a rank, and a tile
  std::size_t times = 0;
  tally::detail::optional_value<tally::working_type<T>> last{};

  void add(int rank, std::uint64_t tile, C const& before)
  {
    spans[{rank, tile}] = before;
    ++times;
  }
};

/// Blocks of ranks that have so many spans each; one sequence of `sequences` is walked through.
template <class T, class Op, class Value>
void check(std::vector<std::uint64_t> const& spans, std::size_t sequences, std::size_t sequence,
           std::uint64_t last_values, Op op, Value const& value)
{
  using slot_type = slot<T, Op>;
  using W = tally::working_type<T>;
  using C = tally::carry_type<Op, T>;
  using found = findings<T, Op>;
  int const ranks = static_cast<int>(spans.size());
  std::vector<shared_header> headers;
  std::uint64_t most = 0, tile = 0;
  for (std::size_t r = 0; r < spans.size(); ++r) {
    shared_header header;
    header.first_tile = tile;
    header.spans = spans[r];
    header.single = static_cast<std::uint32_t>((span_tiles - tile % span_tiles) % span_tiles);
    header.last = static_cast<std::uint32_t>(random_bits(1, r + spans[0]) % span_tiles);
    header.part = static_cast<std::uint32_t>(random_bits(4, r + spans[0]) % (span_tiles - header.last));
    header.has_init = r == 0 && spans[0] % 2 == 0 ? 1 : 0;
    tile += header.single + header.spans * span_tiles + header.part + header.last;
    headers.push_back(header);
    most = std::max(most, header.values());
  }
  std::size_t const bytes = (sizeof(shared_header) + most * sequences * sizeof(slot_type) + 15) / 16 * 16;
  std::vector<std::uint64_t> memory(bytes / 8 * spans.size());
  auto* const all = reinterpret_cast<std::byte*>(memory.data());
  for (std::size_t r = 0; r < spans.size(); ++r) {
    std::memcpy(all + r * bytes, &headers[r], sizeof(shared_header));
    auto* const slots = reinterpret_cast<slot_type*>(all + r * bytes + sizeof(shared_header));
    for (std::size_t s = 0; s < sequences; ++s)
      for (std::uint64_t k = 0; k < headers[r].values(); ++k) {
        shared_header const& of = headers[r];
        bool const is_fold =
            k >= of.has_init + of.single && k < of.has_init + of.single + of.spans + (of.part > 0 ? 1 : 0);
        T const drawn = value(r * 100'000 + s * 10'000 + k);
        slot_type& at = slots[s * of.values() + k];
        is_fold ? at.store(static_cast<C>(static_cast<W>(drawn))) : at.store(static_cast<W>(drawn));
      }
  }
  shared_blocks const blocks{all, static_cast<std::ptrdiff_t>(bytes)};

  found right, got;
  shared_walk<T, Op> walk;
  for (int r = 0; r < ranks; ++r) {
    shared_header const& of = headers[static_cast<std::size_t>(r)];
    auto const* const first =
        reinterpret_cast<slot_type const*>(blocks.at(r) + sizeof(shared_header)) + sequence * of.values();
    std::vector<slot_type> own(first, first + of.values());
    std::uint64_t const values = r + 1 < ranks ? of.values() : std::min(last_values, of.values());
    for (std::uint64_t k = 0; k < values; ++k) {
      walk.take(of, own.data() + k, k, k + 1, op, [&](std::uint64_t t) {
        right.add(r, t, t == 0 && !walk.at.spans.is_present ? C{} : walk.at.spans.value);
      });
      places const chained = walk.chained(of, k, k + 1);
      if (chained.first < chained.last) right.add(r, walk.tile_of_span(of, k), own[k].template load<C>());
    }
  }
  right.last = walk.at.last;

  tally::test::run_grid(1, threads, sizeof(walk_memory<T, Op>), [&] {
    auto& shared = *reinterpret_cast<walk_memory<T, Op>*>(tally::test::grid::current()->memory());
    shared_walk<T, Op> own;
    Op by = op;
    walk_shared(
        shared, blocks, ranks, sequence, [&](shared_header const& of) { return std::min(last_values, of.values()); },
        own, by,
        [&](int r, shared_header const&, std::uint64_t t, carry_state<T, Op> const& at) {
          got.add(r, t, t == 0 && !at.spans.is_present ? C{} : at.spans.value);
        },
        [&](int r, shared_header const&, std::uint64_t t, C const& before) { got.add(r, t, before); });
    if (threadIdx.x == 0) got.last = own.at.last;
  });
  std::string const which = std::to_string(ranks) + " ranks, the first of " + std::to_string(spans[0]) + " spans";
  EXPECT_EQ(got.times, right.times) << which;
  ASSERT_EQ(got.spans.size(), right.spans.size()) << which;
  std::size_t wrong = 0;
  for (auto const& [place, before] : right.spans) wrong += same(got.spans.at(place), before) ? 0 : 1;
  EXPECT_EQ(wrong, 0u) << which;
  EXPECT_EQ(got.last.is_present, right.last.is_present) << which;
  if (right.last.is_present) {
    EXPECT_TRUE(same(got.last.value, right.last.value)) << which;
  }
}

float below_one(std::size_t k)
{
  return static_cast<float>(static_cast<double>(random_bits(2, k) >> 11) * 0x1p-52 - 1);
}
/// Sizes that no double can add up from some value on.
float wide(std::size_t k)
{
  return k % 1700 == 1500 ? std::ldexp(below_one(k), 70) : below_one(k);
}

std::vector<std::vector<std::uint64_t>> const divisions{
    {0},       {1},         {2},       {64, 1},         {65, 0, 66}, {1022},      {1023, 3},    {1024},
    {1025, 2}, {1100, 970}, {2047, 5}, {2048, 2049, 7}, {3000, 100}, {200, 2500}, {4, 90, 3100}};

TEST(walk_shared, adds_up_floats_together)
{
  for (auto const& spans : divisions) {
    check<float>(spans, 1, 0, ~std::uint64_t{0}, tally::plus{}, below_one);
    check<float>(spans, 2, 1, ~std::uint64_t{0}, tally::plus{}, below_one);
  }
}
TEST(walk_shared, goes_on_by_one_thread_where_sums_are_rounded)
{
  for (auto const& spans : divisions) check<float>(spans, 1, 0, ~std::uint64_t{0}, tally::plus{}, wide);
}
TEST(walk_shared, of_part_of_the_last_ranks_values)
{
  for (auto const& spans : divisions)
    for (std::uint64_t const last : {1, 40, 700, 1024, 1100}) {
      check<float>(spans, 1, 0, last, tally::plus{}, below_one);
    }
}
TEST(walk_shared, of_doubles_and_of_what_is_not_added)
{
  for (auto const& spans : divisions) {
    check<double>(spans, 1, 0, ~std::uint64_t{0}, tally::plus{},
                  [](std::size_t k) { return static_cast<double>(random_bits(3, k) >> 11) * 0x1p-52 - 1; });
    check<float>(spans, 1, 0, ~std::uint64_t{0}, tally::multiplies{},
                 [](std::size_t k) { return 1 + below_one(k) * 0x1p-10f; });
  }
}

}  // namespace
