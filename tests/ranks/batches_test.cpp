#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../support/bits.hpp"
#include "../support/data.hpp"
#include "../support/operators.hpp"
#include "../support/virtual_ranks.hpp"
#include "../support/watchdog.hpp"
#include "array_of_parts.hpp"
#include "mistakes.hpp"
#include "parts.hpp"
#include "tally/array_view.hpp"
#include "tally/ranks.hpp"

/// Sequences along an axis that is divided among ranks.
namespace tally::test {
namespace {

/// Makes the elements of a sequence, in tiles of a few elements.
template <class T>
struct in_small_tiles {
  std::vector<T> const* values;
  std::size_t tile;
  auto operator()(tally::detail::batch::distances const& at) const { return in_tiles_of(tile, *values) + at.in; }
};

/// `count` sequences of n elements one after the other, and their results by the order.
template <class T, class Op>
struct sequences_of_test {
  std::size_t count, n, tile;
  Op op;
  std::vector<T> x, inits;
  std::vector<reference::results<T>> expected;

  sequences_of_test(std::size_t sequences, std::size_t elements, std::size_t tile_elements, Op operation)
      : count(sequences),
        n(elements),
        tile(tile_elements),
        op(operation),
        x(make_data<T>(hardest<T>, sequences * elements)),
        inits(make_data<T>(data::distinct, sequences, 5))
  {
    for (std::size_t s = 0; s < count; ++s) {
      std::vector<T> const own(x.begin() + static_cast<std::ptrdiff_t>(s * n),
                               x.begin() + static_cast<std::ptrdiff_t>((s + 1) * n));
      expected.push_back(reference::scan(own, op, std::optional<T>(inits[s]), shape_of<T>(tile)));
    }
  }
};

/// One call of the protocol on all sequences, on one rank's parts.
template <class T, class Op>
void check_protocol(virtual_rank const& on, sequences_of_test<T, Op> const& all, std::size_t begin, std::size_t end)
{
  namespace batch = tally::detail::batch;
  using namespace ranks_backend;
  std::size_t const size = end - begin;
  batch::layout where{{size, {1, 1}}, 1, {}};
  where.across[0] = {all.count, {static_cast<std::ptrdiff_t>(all.n), static_cast<std::ptrdiff_t>(size), 1, 1}};
  batch::ends<T> ends;
  ends.initials = all.inits.data();
  std::identity same_element;
  std::vector<T> const from(all.x.begin() + static_cast<std::ptrdiff_t>(begin), all.x.end());
  batch_lines<T, in_small_tiles<T>, std::identity> const lines{
      where, all.count, ends, {&from, all.tile}, &same_element};
  call_name const name("a test");
  session<virtual_transport> by(on.ranks(), name);
  std::vector<T> out(all.count * size, T{});
  Op op = all.op;
  with_lines<T>(by, lines, all.tile, op, [&](auto& call) {
    call.share_totals(true);
    call.scan([&](std::size_t s) { return out.data() + s * size; }, tally::detail::direction::inclusive);
    for (std::size_t s = 0; s < all.count; ++s)
      if (!same(static_cast<T>(*call.after_all(s).last()), *all.expected[s].reduced)) throw error("a last value");
    by.finish();
  });
  for (std::size_t s = 0; s < all.count; ++s)
    for (std::size_t k = 0; k < size; ++k)
      if (!same(out[s * size + k], all.expected[s].inclusive[begin + k]))
        throw error("element " + std::to_string(begin + k) + " of sequence " + std::to_string(s));
}

template <class T, class Op>
void check_protocol_everywhere(std::size_t sequences, std::size_t n, std::size_t tile, Op op)
{
  watchdog const waits(std::chrono::seconds(300));
  sequences_of_test<T, Op> const all(sequences, n, tile, op);
  on_virtual_ranks(3, [&](virtual_rank const& on, int rank) {
    in_each_division(rank, every_division(n),
                     [&](std::size_t begin, std::size_t end) { check_protocol(on, all, begin, end); });
  });
}

TEST(batches_on_ranks, every_division_of_tiles_of_three_elements)
{
  check_protocol_everywhere<float>(1, 13, 3, halve_and_add_in_double{});
  check_protocol_everywhere<float>(3, 13, 3, halve_and_add_in_double{});
  check_protocol_everywhere<std::int32_t>(3, 8, 3, plus{});
  check_protocol_everywhere<std::int32_t>(30, 4, 3, plus{});  // totals in a round of their own
}

TEST(batches_on_ranks, every_division_across_spans)
{
  check_protocol_everywhere<double>(2, 36, 1, halve_and_add{});
}

template <class T, class Op>
void check_arrays(std::size_t n, Op op, std::uint64_t seeds)
{
  watchdog const waits(std::chrono::seconds(300));
  array_of_parts<T, Op> const all(n, order::tile<T>, op);
  std::vector<std::vector<std::size_t>> divisions;
  for (std::uint64_t seed = 0; seed < seeds; ++seed)
    divisions.push_back(division_near_tiles(n, 4, order::tile<T>, seed));
  on_virtual_ranks(4, [&](virtual_rank const& on, int rank) { all.check_divisions(on, rank, divisions); });
}

TEST(batches_on_ranks, arrays)
{
  check_arrays<double>(2 * order::tile<double> + 77, plus{}, 6);
  check_arrays<float>(50, halve_and_add_in_double{}, 6);
  check_arrays<std::int32_t>(60, plus{}, 6);
  check_arrays<float>(order::tile<float> + 1, maximum{}, 2);
}

TEST(batches_on_ranks, on_several_threads)
{
  sequences_of_test<double, halve_and_add> const all(400, 100, order::tile<double>, {});
  on_virtual_ranks(
      2,
      [&](virtual_rank const& on, int rank) {
        in_each_division(rank, {{0, 50, 100}}, [&](std::size_t begin, std::size_t) {
          std::vector<double> part, sums(all.count);
          for (std::size_t s = 0; s < all.count; ++s)
            for (std::size_t k = 0; k < 50; ++k) part.push_back(all.x[s * 100 + begin + k]);
          tally::reduce(on, along(1, array_view<double>(part.data(), {400, 50})), sums, each(all.inits), all.op);
          for (std::size_t s = 0; s < all.count; ++s)
            if (!same(sums[s], *all.expected[s].reduced)) throw error("sequence " + std::to_string(s));
        });
      },
      cpu{4});
}

TEST(batches_on_ranks, nothing)
{
  on_virtual_ranks(3, [&](virtual_rank const& on, int rank) { check_nothing(on, rank); });
}

TEST(batches_on_ranks, mistakes_on_one_rank_end_the_call_on_all)
{
  std::vector<float> const x(12, 1.0f);
  auto const shape = texts_of([&](virtual_rank const& on, int rank) {
    std::vector<float> out(12);
    std::size_t const wrong = rank == 1 ? 3 : 4;
    tally::inclusive_scan(on, along(1, array_view<float const>(x.data(), {3, 4})),
                          along(1, array_view<float>(out.data(), {3, wrong})));
  });
  for (auto const& text : shape)
    EXPECT_EQ(text.find("tally: rank 1 of 3 failed: tally::inclusive_scan: 4 elements have 4 results"), 0u) << text;
  auto const counts = texts_of([&](virtual_rank const& on, int rank) {
    std::vector<float> sums(12);
    std::size_t const rows = rank == 2 ? 4 : 3;
    tally::reduce(on, along(1, array_view<float const>(x.data(), {rows, 3})), sums);
  });
  for (auto const& text : counts) EXPECT_NE(text.find("rank 2: reduce of 4 sequences of float"), text.npos) << text;
  auto const thrown = texts_of([&](virtual_rank const& on, int rank) {
    std::vector<float> sums(12);
    tally::reduce(on, along(1, array_view<float const>(x.data(), {3, 4})), sums, 0.0f, [&](float a, float b) {
      if (rank == 0) throw error("no sum");
      return a + b;
    });
  });
  for (auto const& text : thrown) EXPECT_EQ(text, "tally: rank 0 of 3 failed: no sum");
}

TEST(batches_on_ranks, work_on_each_rank)
{
  std::vector<float> const x(12, 1.0f);
  traffic const counted = on_virtual_ranks(3, [&](virtual_rank const& on, int) {
    std::vector<float> out(12);
    tally::on_each_rank(on, [&](cpu local) {
      tally::inclusive_scan(local, along(1, array_view<float const>(x.data(), {3, 4})),
                            along(1, array_view<float>(out.data(), {3, 4})));
    });
    if (out[3] != 4.0f || out[4] != 1.0f) throw error("the rows");
  });
  EXPECT_EQ(counted, (traffic{0, 0, 1, 3 * 128}));
  auto const failed = texts_of([&](virtual_rank const& on, int rank) {
    tally::on_each_rank(on, [&](cpu) {
      if (rank == 2) throw error("no work");
    });
  });
  for (auto const& text : failed) EXPECT_EQ(text, "tally: rank 2 of 3 failed: no work");
}

/// Messages of a batch: as many as those of one sequence, whose bytes are those of all.
TEST(batches_on_ranks, what_crosses)
{
  constexpr std::size_t count = 5, report = 128;
  std::size_t const tile = order::tile<float>;
  auto const run = [&](std::vector<std::size_t> const& sizes) {
    return on_virtual_ranks(2, [&](virtual_rank const& on, int rank) {
      std::size_t const size = sizes[static_cast<std::size_t>(rank)];
      std::vector<float> part(count * size, 1.0f);
      array_view<float> const rows(part.data(), {count, size});
      tally::inclusive_scan(on, along(1, rows), along(1, rows));
    });
  };
  // Whole tiles: rank 0 shares one total a sequence and rank 1 one, 8 bytes each.
  EXPECT_EQ(run({tile, 10}), (traffic{0, 0, 3, 3 * 2 * report}));
  // A head of 10 elements a sequence there and back, and a round for its memory.
  EXPECT_EQ(run({tile - 10, 20}), (traffic{2, 2 * count * 10 * 4, 4, 4 * 2 * report}));
  // 4 totals a sequence on rank 0: 20 values are too many for a report.
  EXPECT_EQ(run({4 * tile, 10}), (traffic{0, 0, 4, 3 * 2 * report + 8 * count * (3 + 1)}));
}

}  // namespace
}  // namespace tally::test
