#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../order/reference.hpp"
#include "../support/bits.hpp"
#include "../support/data.hpp"
#include "../support/divisions.hpp"
#include "../support/operators.hpp"
#include "../support/visits.hpp"
#include "../support/watchdog.hpp"
#include "host_machine.hpp"
#include "tally/operators.hpp"
#include "tally/ranks.hpp"
#include "tally/reduce.hpp"
#include "tally/scan.hpp"

/// The protocol of several GPUs, in the memory of this machine: every division, against the order's reference.
namespace tally::test {
namespace {

[[maybe_unused]] auto* const counted =
    testing::AddGlobalTestEnvironment(new visits({"include/tally/detail/nccl"}, {"include/tally/detail/nccl/gpu.hpp"}));

/// Every call on one rank's part of a division.
template <class T, class Op>
void check_rank(host_ranks const& on, whole<T, Op> const& all, std::size_t begin, std::size_t end)
{
  T const* const first = all.x.data() + begin;
  T const* const last = all.x.data() + end;
  std::vector<T> out(end - begin, T{});
  tally::inclusive_scan(on, first, last, out.begin(), all.op);
  expect_part(out, all.plain.inclusive, begin, "inclusive_scan");
  std::fill(out.begin(), out.end(), T{});
  tally::exclusive_scan(on, first, last, out.begin(), all.init, all.op);
  expect_part(out, all.started.exclusive, begin, "exclusive_scan");
  out.assign(first, last);
  auto const behind = tally::inclusive_scan(on, out.begin(), out.end(), out.begin(), all.op, all.init);
  if (behind != out.end()) throw error("another end");
  expect_part(out, all.started.inclusive, begin, "inclusive_scan from an initial value, in place");
  expect_value(tally::reduce(on, first, last, all.init, all.op), *all.started.reduced, "reduce");
}

/// All divisions run in one world: the ranks go on from one to the next.
template <class T, class Op>
void check_divisions(whole<T, Op> const& all, std::vector<std::vector<std::size_t>> const& divisions)
{
  watchdog const waits(std::chrono::seconds(300));
  host_machine machine;
  machine.tile = all.tile;
  on_host_ranks(static_cast<int>(divisions[0].size()) - 1, machine, {}, [&](host_ranks const& on, int rank) {
    std::size_t calls = static_cast<std::size_t>(rank);
    in_each_division(rank, divisions, [&](std::size_t begin, std::size_t end) {
      on.all().machine.goes_on_alone = ++calls % 2 == 0;
      check_rank(on, all, begin, end);
    });
  });
}

template <class T, class Op>
void check_every_division(std::size_t n, std::size_t tile, Op op)
{
  check_divisions(whole<T, Op>(n, tile, op), every_division(n));
}

#ifdef TALLY_TEST_BRIEFLY
constexpr std::size_t few = 4;
#else
constexpr std::size_t few = 1;
#endif

TEST(gpus, every_division_of_tiles_of_three_elements)
{
  check_every_division<float>(40 / few, 3, halve_and_add_in_double{});
}

TEST(gpus, every_division_of_spans_of_tiles_of_one_element)
{
  check_every_division<float>(67 / few, 1, halve_and_add_in_double{});
}

TEST(gpus, every_division_under_operators_in_any_order)
{
  check_every_division<std::int32_t>(14, 3, plus{});
  check_every_division<std::uint16_t>(14, 3, last_nonzero{});
}

TEST(gpus, random_divisions_among_many_ranks_across_spans)
{
  for (int const ranks : {1, 2, 4, 9, 17}) {
    auto const divisions = random_divisions(330, ranks, 40 / few);
    check_divisions(whole<double, halve_and_add>(330, 2, {}), divisions);
    check_divisions(whole<float, plus>(330, 1, {}), divisions);
    check_divisions(whole<bfloat16, plus>(330, 3, {}), divisions);
    check_divisions(whole<std::int64_t, plus>(330, 1, {}), divisions);
  }
}

TEST(gpus, many_spans_of_a_rank)
{
  for (int const ranks : {1, 3}) {
    auto const divisions = random_divisions(2600, ranks, 4);
    check_divisions(whole<float, plus>(2600, 1, {}), divisions);
    check_divisions(whole<float, halve_and_add_in_double>(2600, 1, {}), divisions);
  }
}

TEST(gpus, a_thousand_and_twenty_four)
{
  constexpr int ranks = 1024 / few;
  check_divisions(whole<float, halve_and_add_in_double>(400, 3, {}), {random_division(400, ranks, 5)});
  check_divisions(whole<float, plus>(4000, 3, {}), {random_division(4000, ranks, 6)});
}

TEST(gpus, nothing_at_all)
{
  std::vector<float> const none;
  on_host_ranks(3, {}, {}, [&](host_ranks const& on, int rank) {
    if (std::signbit(tally::reduce(on, none))) throw error("the empty sum is +0");
    if (tally::reduce(on, none, 5.0f + static_cast<float>(rank)) != 5.0f) throw error("the initial value");
    if (tally::reduce(on, std::vector<int>(), 5, minimum{}) != 5) throw error("the initial value of an exact operator");
    std::vector<float> out;
    tally::inclusive_scan(on, none, out);
    tally::exclusive_scan(on, none, out, 1.0f);
  });
}

struct twice {
  double operator()(float x) const { return 2.0 * static_cast<double>(x); }
};

TEST(gpus, transformations_and_values_that_stay_there)
{
  std::size_t const n = 100;
  auto const x = make_data<float>(data::distinct, n);
  std::vector<double> doubled(n);
  for (std::size_t k = 0; k < n; ++k) doubled[k] = twice{}(x[k]);
  auto const expected = reference::scan(doubled, plus{}, std::optional<double>(), tiles_of(2));
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    auto const offsets = random_division(n, 4, seed);
    std::vector<double> out(n);
    host_machine machine;
    machine.tile = 2;
    on_host_ranks(4, machine, {}, [&](host_ranks const& on, int rank) {
      auto const begin = offsets[static_cast<std::size_t>(rank)], end = offsets[static_cast<std::size_t>(rank) + 1];
      tally::transform_inclusive_scan(on, x.data() + begin, x.data() + end, out.data() + begin, plus{}, twice{});
      double value = -1;
      tally::reduce_into(on, doubled.data() + begin, doubled.data() + end, rank == 2 ? &value : nullptr);
      if (value != (rank == 2 ? *expected.reduced : -1)) throw error("reduce_into");
    });
    EXPECT_TRUE(same_bits<double>(out, expected.inclusive)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace tally::test
