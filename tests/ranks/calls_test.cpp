#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../support/bits.hpp"
#include "../support/data.hpp"
#include "../support/operators.hpp"
#include "../support/virtual_ranks.hpp"
#include "../support/watchdog.hpp"
#include "mistakes.hpp"
#include "parts.hpp"
#include "tally/algorithms/bins.hpp"
#include "tally/ranks.hpp"

/// Values that go to some ranks only, and histograms.
namespace tally::test {
namespace {

/// Calls `body(on, rank, begin, end)` on three ranks, for every division of n elements.
template <class Body>
void on_every_division(std::size_t n, Body const& body)
{
  watchdog const waits(std::chrono::seconds(300));
  on_virtual_ranks(3, [&](virtual_rank const& on, int rank) {
    in_each_division(rank, every_division(n), [&](std::size_t begin, std::size_t end) { body(on, rank, begin, end); });
  });
}

TEST(reduce_into, the_ranks_that_have_a_place)
{
  std::size_t const n = 14, tile = 3;
  auto const x = make_data<float>(hardest<float>, n);
  auto const plain = reference::scan(x, halve_and_add_in_double{}, std::optional<float>(), tiles_of(tile));
  auto const started = reference::scan(x, halve_and_add_in_double{}, std::optional<float>(1e20f), tiles_of(tile));
  float const sum = *reference::scan(x, plus{}, std::optional<float>(), tiles_of(tile)).reduced;
  for (int wanted = 0; wanted < 8; ++wanted)
    on_every_division(n, [&](virtual_rank const& on, int rank, std::size_t begin, std::size_t end) {
      auto const first = in_tiles_of(tile, x) + static_cast<std::ptrdiff_t>(begin);
      auto const last = first + static_cast<std::ptrdiff_t>(end - begin);
      float value = -1.0f;
      bool const wants = (wanted >> rank & 1) != 0;
      float* const place = wants ? &value : nullptr;
      auto const expect = [&](float expected, char const* what) {
        if (!same(value, wants ? expected : -1.0f)) throw error(what);
        value = -1.0f;
      };
      tally::reduce_into(on, first, last, place, 1e20f, halve_and_add_in_double{});
      expect(*started.reduced, "an operator in the order");
      tally::reduce_into(on, first, last, place);
      expect(sum, "sums of floats");
      tally::reduce_into<std::int64_t>(on, x.begin() + static_cast<std::ptrdiff_t>(begin),
                                       x.begin() + static_cast<std::ptrdiff_t>(end),
                                       static_cast<std::int64_t*>(nullptr), 0, maximum{});
    });
  ASSERT_FALSE(same(*plain.reduced, *started.reduced)) << "the initial value shows";
}

TEST(reduce_into, nothing_and_types)
{
  on_virtual_ranks(3, [&](virtual_rank const& on, int rank) {
    std::vector<double> const none;
    double value = -1.0;
    tally::reduce_into(on, none, rank == 1 ? &value : nullptr);
    if (!same(value, rank == 1 ? 0.0 : -1.0)) throw error("the empty sum is +0");
    std::vector<int> const ranks(2, rank + 1);
    std::int64_t sum = -1;  // of another type than the accumulator
    tally::reduce_into(on, ranks, rank == 2 ? &sum : nullptr, 100);
    if (sum != (rank == 2 ? 112 : -1)) throw error("an operator in any order");
    tally::reduce_into(on, ranks, &sum, 0, maximum{});
    if (sum != 3) throw error("on all ranks");
  });
}

TEST(reduce_into, ranks_without_a_place_do_not_fold)
{
  std::vector<float> const x(30, 1.0f);
  on_virtual_ranks(3, [&](virtual_rank const& on, int rank) {
    std::size_t calls = 0;
    auto const count = [&](float a, float b) {
      ++calls;
      return a + b;
    };
    auto const first = in_tiles_of(1, x) + rank * 10;
    float value = 0.0f;
    tally::reduce_into(on, first, first + 10, rank == 0 ? &value : nullptr, 0.0f, count);
    // Ranks 1 and 2 begin within a span, so they share each of their tiles, of one element.
    if (rank != 0 && calls != 0) throw error(std::to_string(calls) + " calls");
    if (rank == 0 && (calls < 30 || value != 30.0f)) throw error(std::to_string(calls) + " calls on rank 0");
  });
}

/// A histogram of each rank's part against the counts of the whole.
template <class Bins, class Count>
void check_histogram(std::vector<float> const& x, Bins const& bins, Count)
{
  std::vector<Count> expected(bins.slots(), 0);
  for (float const value : x) ++expected[bins(value)];
  on_every_division(x.size(), [&](virtual_rank const& on, int, std::size_t begin, std::size_t end) {
    std::vector<float> const part(x.begin() + static_cast<std::ptrdiff_t>(begin),
                                  x.begin() + static_cast<std::ptrdiff_t>(end));
    std::vector<Count> counts(bins.slots() + 1, 77);
    auto const behind = tally::histogram(on, part, bins, counts.begin());
    if (behind != counts.end() - 1 || counts.back() != 77) throw error("the end of the counts");
    counts.pop_back();
    if (counts != expected) throw error("the counts");
    std::list<Count> written(bins.slots(), 77);
    tally::histogram(on, part.begin(), part.end(), bins, written.begin());
    if (!std::equal(written.begin(), written.end(), expected.begin())) throw error("the counts of a list");
  });
}

TEST(histogram_on_ranks, every_division)
{
  std::vector<float> x(12);
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = static_cast<float>(random_bits(3, k) % 100) / 100.0f;
  check_histogram(x, even_bins(0.1f, 0.9f, 5), std::uint64_t{});
  float const edges[] = {0.0f, 0.3f, 0.35f, 0.8f};
  check_histogram(x, edge_bins(edges, 4), int{});
}

TEST(histogram_on_ranks, what_crosses)
{
  std::vector<float> const x(100, 0.5f);
  even_bins const bins(0.0f, 1.0f, 10);
  std::vector<std::uint64_t> counts(bins.slots());
  std::size_t const reports = 128, slots = bins.slots();
  EXPECT_EQ(on_virtual_ranks(4,
                             [&](auto const& on, int) {
                               std::vector<int> own(slots);
                               tally::histogram(on, x, bins, own.begin());
                               if (own[5] != 400) throw error("400 values in a bin");
                             }),
            (traffic{0, 0, 2, 4 * (reports + 8 * slots)}));
}

/// Bins that fail on one rank.
struct failing_bins {
  int fails;
  std::size_t slots() const { return 4; }
  std::size_t operator()(float) const
  {
    if (fails != 0) throw error("no bin");
    return 1;
  }
};

TEST(histogram_on_ranks, failures_and_calls_that_differ)
{
  std::vector<float> const x(5, 0.5f);
  auto const failed = texts_of([&](virtual_rank const& on, int rank) {
    std::vector<int> counts(4);
    tally::histogram(on, x, failing_bins{rank == 1}, counts.begin());
  });
  for (auto const& text : failed) EXPECT_EQ(text, "tally: rank 1 of 3 failed: no bin");
  auto const differ = texts_of([&](virtual_rank const& on, int rank) {
    std::vector<int> counts(20);
    tally::histogram(on, x, even_bins(0.0f, 1.0f, rank == 2 ? 7 : 8), counts.begin());
  });
  for (auto const& text : differ) EXPECT_NE(text.find("histogram of float, "), text.npos) << text;
  auto const into = texts_of([&](virtual_rank const& on, int rank) {
    if (rank == 2)
      (void)tally::reduce(on, x);
    else
      tally::reduce_into(on, x, static_cast<float*>(nullptr));
  });
  for (auto const& text : into) EXPECT_NE(text.find("Rank 0: reduce_into of float"), text.npos) << text;
}

}  // namespace
}  // namespace tally::test
