#include <cstddef>
#include <exception>
#include <functional>
#include <new>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../order/reference.hpp"
#include "../support/watchdog.hpp"
#include "host_machine.hpp"
#include "tally/array_view.hpp"
#include "tally/detail/nccl/batches.hpp"
#include "tally/detail/nccl/segments.hpp"
#include "tally/operators.hpp"
#include "tally/operators/exact_plus.hpp"
#include "tally/rank_error.hpp"
#include "tally/ranks.hpp"
#include "tally/reduce.hpp"
#include "tally/scan.hpp"

/// Ranks that fail, or whose calls differ: the call ends on all of them, and they can go on with another one.
namespace tally::test {
namespace {

struct ending {
  int rank = -1;
  std::string text, nested;
};

template <class Call>
ending end_of(Call const& call)
{
  try {
    call();
  } catch (rank_error const& e) {
    ending result{e.rank(), e.what(), ""};
    try {
      std::rethrow_if_nested(e);
    } catch (std::exception const& inner) {
      result.nested = inner.what();
    }
    return result;
  }
  return {};
}

bool has(std::string const& text, char const* part)
{
  return text.find(part) != std::string::npos;
}

/// The outcomes of a call on three ranks, after which all make one that succeeds. `failing` is rank 1's machine.
template <class Call>
std::vector<ending> endings(host_machine const& failing, Call const& call)
{
  watchdog const waits(std::chrono::seconds(60));
  std::vector<ending> all(3);
  on_host_ranks(3, {}, {}, [&](host_ranks const& on, int rank) {
    if (rank == 1) on.all().machine = failing;
    all[static_cast<std::size_t>(rank)] = end_of([&] { call(on, rank); });
    on.all().machine.refuses_operands = false;
    std::vector<float> const ones(static_cast<std::size_t>(10 + rank), 1.0f);
    if (tally::reduce(on, ones) != 33.0f) throw error("the call after a failure");
  });
  return all;
}

TEST(gpus, a_rank_that_refuses_its_arguments)
{
  host_machine failing;
  failing.refuses_operands = true;
  auto const all = endings(failing, [](host_ranks const& on, int) {
    std::vector<float> x(5, 1.0f);
    tally::inclusive_scan(on, x, x);
  });
  for (auto const& each : all) {
    EXPECT_EQ(each.rank, 1);
    EXPECT_TRUE(has(each.text, "rank 1 of 3 failed: operands that it does not take")) << each.text;
  }
  EXPECT_EQ(all[1].nested, "operands that it does not take");
  EXPECT_EQ(all[0].nested, "");
}

TEST(gpus, a_rank_without_memory)
{
  host_machine failing;
  failing.refused_memory = 0;
  auto const all = endings(failing, [](host_ranks const& on, int) {
    std::vector<float> x(5, 1.0f);
    tally::inclusive_scan(on, x, x);
  });
  for (auto const& each : all) EXPECT_TRUE(has(each.text, "rank 1 of 3 failed: ")) << each.text;
  EXPECT_EQ(all[1].nested, std::bad_alloc().what());
}

/// Their own work on a part may need memory after the ranks have shared their sums.
TEST(gpus, a_rank_without_memory_for_exact_scans)
{
  host_machine failing;
  failing.refuses_exact_scans = true;
  auto const fails_on_all = [&](char const* what, auto const& call) {
    SCOPED_TRACE(what);
    auto const all = endings(failing, call);
    for (auto const& each : all) {
      EXPECT_EQ(each.rank, 1);
      EXPECT_TRUE(has(each.text, "rank 1 of 3 failed: ")) << each.text;
    }
    EXPECT_EQ(all[1].nested, std::bad_alloc().what());
  };
  fails_on_all("a scan", [](host_ranks const& on, int) {
    std::vector<float> x(5, 1.0f);
    tally::inclusive_scan(on, x, x, exact_plus{});
  });
  fails_on_all("along the divided axis", [](host_ranks const& on, int) {
    std::vector<double> x(6, 1.0);
    array_view<double> const columns(x.data(), {3, 2});
    tally::inclusive_scan(on, along(0, columns), along(0, columns), exact_plus{});
  });
  // The second segment lies on ranks 1 and 2, so the first crosses no border of theirs.
  fails_on_all("a segment across borders", [](host_ranks const& on, int rank) {
    std::vector<float> x(4, 1.0f);
    std::vector<int> const flags{rank < 2, 0, 0, 0};
    tally::inclusive_scan_by_flag(on, x.begin(), x.end(), flags.begin(), x.begin(), exact_plus{});
  });
}

TEST(gpus, different_calls)
{
  auto const all = endings({}, [](host_ranks const& on, int rank) {
    std::vector<float> x(5, 1.0f);
    if (rank == 2)
      tally::inclusive_scan(on, x, x);
    else
      static_cast<void>(tally::reduce(on, x));
  });
  for (auto const& each : all) {
    EXPECT_EQ(each.rank, 2);
    EXPECT_TRUE(has(each.text, "the ranks make different calls. Rank 0: tally::reduce of float")) << each.text;
    EXPECT_TRUE(has(each.text, "rank 2: tally::inclusive_scan of float")) << each.text;
  }
}

TEST(gpus, sizes_that_are_known)
{
  std::vector<std::size_t> const sizes{4, 0, 7};
  std::vector<float> const x(11, 1.5f);
  traffic const counted = on_host_ranks(3, {}, sizes, [&](host_ranks const& on, int rank) {
    auto const* const first = x.data() + (rank == 0 ? 0 : 4);
    auto const* const last = first + sizes[static_cast<std::size_t>(rank)];
    if (tally::reduce(on, first, last) != 16.5f) throw error("the sum");
    try {
      static_cast<void>(tally::reduce(on, first, first + 1));
      throw error("another size was taken");
    } catch (usage_error const& e) {
      if (!has(e.what(), "has 1 elements, and the execution was made for")) throw;
    }
  });
  EXPECT_EQ(counted.rounds, 1u);  // of totals: no rank tells its size
  EXPECT_THROW(on_host_ranks(2, {}, sizes, [](host_ranks const&, int) {}), usage_error);
}

/// Messages and rounds of a call, against docs/distributed.md. Tiles have three elements.
TEST(gpus, traffic)
{
  std::vector<float> const x(6 * 32 * 3 + 4, 1.0f);
  // Two borders within tiles, one at a tile, and an empty part.
  std::vector<std::size_t> const offsets{0, 100, 100, 300, 302, x.size()};
  auto const run = [&](auto const& call) {
    return on_host_ranks(5, {}, {}, [&](host_ranks const& on, int rank) {
      auto const r = static_cast<std::size_t>(rank);
      call(on, x.data() + offsets[r], x.data() + offsets[r + 1]);
    });
  };
  // Rank 2 shares most: of its tiles 34 to 99 those up to the span at 64, a span, two tiles of the next in one, and the
  // last two.
  std::size_t const header = 32, value = sizeof(double), block = (header + (30 + 1 + 1 + 2) * value + 255) / 256 * 256;
  std::size_t const heads = 2, head_elements = (102 - 100) + (303 - 302);  // of ranks 2 and 4
  traffic const reduced = run([](host_ranks const& on, float const* first, float const* last) {
    static_cast<void>(tally::reduce(on, first, last));
  });
  EXPECT_EQ(reduced.messages, heads);
  EXPECT_EQ(reduced.message_bytes, head_elements * sizeof(float));
  EXPECT_EQ(reduced.rounds, 3u);  // sizes, memory for the first time, totals
  EXPECT_EQ(reduced.round_bytes, 5 * (2 * 128 + block));
  traffic const scanned = run([](host_ranks const& on, float const* first, float const* last) {
    std::vector<float> out(static_cast<std::size_t>(last - first));
    tally::inclusive_scan(on, first, last, out.data());
  });
  EXPECT_EQ(scanned.messages, 2 * heads);
  EXPECT_EQ(scanned.message_bytes, 2 * head_elements * sizeof(float));
  EXPECT_EQ(scanned.rounds, 3u);
  EXPECT_EQ(scanned.round_bytes, reduced.round_bytes);
  traffic const any_order = run([](host_ranks const& on, float const* first, float const* last) {
    static_cast<void>(tally::reduce(on, first, last, 0.0f, maximum{}));
  });
  EXPECT_EQ(any_order.messages, 0u);
  EXPECT_EQ(any_order.rounds, 3u);
}

}  // namespace
}  // namespace tally::test
