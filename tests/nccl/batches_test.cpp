#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../ranks/array_of_parts.hpp"
#include "../support/divisions.hpp"
#include "../support/operators.hpp"
#include "../support/watchdog.hpp"
#include "host_machine.hpp"
#include "tally/array_view.hpp"
#include "tally/detail/nccl/batches.hpp"
#include "tally/operators.hpp"
#include "tally/operators/exact_plus.hpp"
#include "tally/ranks.hpp"

/// Sequences along an axis that is divided among GPUs, whose memory is this machine's.
namespace tally::test {
namespace {

template <class T, class Op>
void check_arrays(std::size_t n, std::size_t tile, Op op, std::vector<std::vector<std::size_t>> const& divisions)
{
  watchdog const waits(std::chrono::seconds(300));
  array_of_parts<T, Op> const all(n, tile, op);
  host_machine machine;
  machine.tile = tile;
  on_host_ranks(static_cast<int>(divisions[0].size()) - 1, machine, {},
                [&](host_ranks const& on, int rank) { all.check_divisions(on, rank, divisions); });
}

TEST(batches_on_gpus, every_division)
{
  check_arrays<float>(13, 3, halve_and_add_in_double{}, every_division(13));
  check_arrays<std::int32_t>(8, 3, plus{}, every_division(8));
}

TEST(batches_on_gpus, random_divisions_across_spans)
{
  for (int const ranks : {1, 2, 5, 9}) {
    check_arrays<double>(200, 2, halve_and_add{}, random_divisions(200, ranks, 4));
    check_arrays<bfloat16>(150, 1, plus{}, random_divisions(150, ranks, 4));
  }
}

TEST(batches_on_gpus, exact_sums)
{
  check_arrays<double>(9, 3, exact_plus{}, every_division(9));
  for (int const ranks : {1, 2, 5, 9}) {
    check_arrays<float>(200, 2, exact_plus{}, random_divisions(200, ranks, 4));
    check_arrays<bfloat16>(50, 1, exact_plus{}, random_divisions(50, ranks, 4));
  }
}

TEST(batches_on_gpus, nothing)
{
  on_host_ranks(3, {}, {}, [&](host_ranks const& on, int rank) { check_nothing(on, rank); });
}

TEST(batches_on_gpus, mistakes_on_one_rank_end_the_call_on_all)
{
  std::vector<float> const x(12, 1.0f);
  std::vector<std::string> texts(3);
  on_host_ranks(3, {}, {}, [&](host_ranks const& on, int rank) {
    std::vector<float> out(12);
    try {
      tally::inclusive_scan(on, along(1, array_view<float const>(x.data(), {3, 4})),
                            along(1, array_view<float>(out.data(), {3, std::size_t{rank == 1 ? 3u : 4u}})));
    } catch (rank_error const& e) {
      texts[static_cast<std::size_t>(rank)] = e.what();
    }
  });
  for (auto const& text : texts)
    EXPECT_EQ(text.find("tally: rank 1 of 3 failed: tally::inclusive_scan: 4 elements have 4 results"), 0u) << text;
}

/// Messages of a batch: as many as those of one sequence, whose bytes are those of all.
TEST(batches_on_gpus, what_crosses)
{
  constexpr std::size_t count = 5, report = 128, tile = 3;
  std::vector<std::size_t> known;
  auto const run = [&](std::vector<std::size_t> const& sizes, auto const& op) {
    return on_host_ranks(2, {}, known, [&](host_ranks const& on, int rank) {
      std::size_t const size = sizes[static_cast<std::size_t>(rank)];
      std::vector<float> part(count * size, 1.0f);
      array_view<float> const rows(part.data(), {count, size});
      tally::inclusive_scan(on, along(1, rows), along(1, rows), op);
    });
  };
  auto const block = [](std::size_t values) { return (32 + 8 * count * values + 255) / 256 * 256; };
  EXPECT_EQ(run({tile, 10}, plus{}), (traffic{0, 0, 3, 2 * (2 * report + block(4))}));
  EXPECT_EQ(run({tile - 1, 2}, plus{}), (traffic{2, 2 * count * 1 * 4, 3, 2 * (2 * report + block(1))}));
  known = {tile - 1, 2};
  EXPECT_EQ(run(known, plus{}), (traffic{2, 2 * count * 1 * 4, 1, 2 * block(1)}));
  known.clear();
  // Exact sums travel whole, and a scan agrees on whether it got its memory.
  std::size_t const sums = (count * sizeof(nccl_backend::exact_sum<float>) + 255) / 256 * 256;
  EXPECT_EQ(run({tile - 1, 2}, exact_plus{}), (traffic{0, 0, 4, 2 * (3 * report + sums)}));
}

}  // namespace
}  // namespace tally::test
