#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../support/bits.hpp"
#include "../support/data.hpp"
#include "../support/divisions.hpp"
#include "../support/watchdog.hpp"
#include "host_machine.hpp"
#include "tally/algorithms/bins.hpp"
#include "tally/detail/nccl/histogram.hpp"
#include "tally/operators.hpp"
#include "tally/ranks.hpp"
#include "tally/reduce.hpp"
#include "tally/scan.hpp"

/// Histograms, exact sums and work on each rank, on several GPUs whose memory is this machine's.
namespace tally::test {
namespace {

/// Calls `body(on, rank, begin, end)` on three ranks, for every division of n elements.
template <class Body>
void on_every_division(std::size_t n, Body const& body)
{
  watchdog const waits(std::chrono::seconds(300));
  on_host_ranks(3, {}, {}, [&](host_ranks const& on, int rank) {
    in_each_division(rank, every_division(n), [&](std::size_t begin, std::size_t end) { body(on, rank, begin, end); });
  });
}

template <class Count, class Bins>
void check_histogram(std::vector<float> const& x, Bins const& bins)
{
  std::vector<Count> expected(bins.slots(), 0);
  for (float const value : x) ++expected[static_cast<std::size_t>(bins(value))];
  on_every_division(x.size(), [&](host_ranks const& on, int, std::size_t begin, std::size_t end) {
    std::vector<Count> counts(bins.slots() + 1, 77);
    auto const behind = tally::histogram(on, x.data() + begin, x.data() + end, bins, counts.begin());
    if (behind != counts.end() - 1 || counts.back() != 77) throw error("the end of the counts");
    counts.pop_back();
    if (counts != expected) throw error("the counts");
  });
}

TEST(histogram_on_gpus, every_division)
{
  std::vector<float> x(12);
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = static_cast<float>(random_bits(3, k) % 100) / 100.0f;
  check_histogram<std::uint64_t>(x, even_bins(0.1f, 0.9f, 5));
  float const edges[] = {0.0f, 0.3f, 0.35f, 0.8f};
  check_histogram<int>(x, edge_bins(edges, 4));
}

TEST(histogram_on_gpus, what_crosses)
{
  std::vector<float> const x(100, 0.5f);
  even_bins const bins(0.0f, 1.0f, 10);
  auto const count = [&](host_ranks const& on, int) {
    std::vector<int> own(bins.slots());
    tally::histogram(on, x, bins, own.begin());
    if (own[5] != 400) throw error("400 values in a bin");
  };
  std::size_t const counts = 4 * 8 * bins.slots();
  // Sizes, memory for the first time, whether all have counted; then the counts.
  EXPECT_EQ(on_host_ranks(4, {}, {}, count), (traffic{0, 0, 4, 3 * 4 * 128 + counts}));
  std::vector<std::size_t> const sizes(4, 100);
  EXPECT_EQ(on_host_ranks(4, {}, sizes, count), (traffic{0, 0, 1, counts}));
}

/// Exact calls on every division of x, against one machine.
template <class T>
void check_exact(std::vector<T> const& x, std::optional<T> init)
{
  std::vector<T> inclusive(x.size()), exclusive(x.size());
  T const first = init.value_or(T(0.0f));
  tally::exclusive_scan(cpu{1}, x.begin(), x.end(), exclusive.begin(), first, exact_plus{});
  T sum{};
  if (init) {
    tally::inclusive_scan(cpu{1}, x.begin(), x.end(), inclusive.begin(), exact_plus{}, *init);
    sum = tally::reduce(cpu{1}, x.begin(), x.end(), *init, exact_plus{});
  } else {
    tally::inclusive_scan(cpu{1}, x.begin(), x.end(), inclusive.begin(), exact_plus{});
    sum = tally::reduce(cpu{1}, x, exact_plus{});
  }
  on_every_division(x.size(), [&](host_ranks const& on, int rank, std::size_t begin, std::size_t end) {
    T const* const from = x.data() + begin;
    T const* const to = x.data() + end;
    std::vector<T> out(end - begin);
    if (init) {
      tally::inclusive_scan(on, from, to, out.begin(), exact_plus{}, *init);
      expect_value(tally::reduce(on, from, to, *init, exact_plus{}), sum, "reduce from an initial value");
    } else {
      tally::inclusive_scan(on, from, to, out.begin(), exact_plus{});
      expect_value(tally::reduce(on, std::span(from, to), exact_plus{}), sum, "reduce");
    }
    expect_part(out, inclusive, begin, "inclusive_scan");
    // The initial values of other ranks count for nothing.
    tally::exclusive_scan(on, from, to, out.begin(), rank == 0 ? first : T(77.0f), exact_plus{});
    expect_part(out, exclusive, begin, "exclusive_scan");
    T value = T(-1.0f);
    tally::reduce_into(on, from, to, rank == 1 ? &value : nullptr, first, exact_plus{});
    if (rank == 1 && x.empty()) expect_value(value, first, "reduce_into of nothing");
    if (rank == 1 && init) expect_value(value, sum, "reduce_into");
  });
}

TEST(exact_on_gpus, every_division)
{
  float const huge = std::numeric_limits<float>::max(), tiny = std::numeric_limits<float>::denorm_min();
  check_exact<float>({huge, tiny, huge, 1.0f, -huge, 0x1p-30f, -huge, -1.0f, tiny, 3.0f}, std::nullopt);
  check_exact<float>({-huge, -huge, huge, 0x1p-149f, huge, 5.0f}, -0x1p-140f);
  check_exact<double>({1e308, 1e308, -1e-308, 1.0, -1e308, 5e-324, -1e308, 0x1p-53}, 0x1p-53);
  check_exact<bfloat16>({bfloat16(1.0f), bfloat16(0x1p-9f), bfloat16(0x1p-9f), bfloat16(-3.0f)}, std::nullopt);
  check_exact<float>({-0.0f, -0.0f, -0.0f}, std::nullopt);
  check_exact<float>({-0.0f, -0.0f, -0.0f}, -0.0f);
  float const infinite = std::numeric_limits<float>::infinity();
  check_exact<float>({1.0f, infinite, 2.0f, -1.0f}, std::nullopt);
  check_exact<float>({}, std::nullopt);
  check_exact<float>({}, 3.0f);
}

struct halved {
  double operator()(float x) const { return static_cast<double>(x) / 2; }
};

TEST(exact_on_gpus, transformed)
{
  std::vector<float> const x{0x1p60f, 3.0f, -0x1p60f, 5.0f};
  on_every_division(x.size(), [&](host_ranks const& on, int, std::size_t begin, std::size_t end) {
    double const sum = tally::transform_reduce(on, x.data() + begin, x.data() + end, 1.0, exact_plus{}, halved{});
    if (sum != 5.0) throw error("the sum of halves and one");
  });
}

TEST(exact_on_gpus, what_crosses)
{
  std::vector<float> const x(10, 1.0f);
  std::size_t const each = (sizeof(nccl_backend::exact_sum<float>) + 255) / 256 * 256;
  EXPECT_EQ(on_host_ranks(3, {}, {}, [&](host_ranks const& on, int) { (void)tally::reduce(on, x, exact_plus{}); }),
            (traffic{0, 0, 3, 3 * (2 * 128 + each)}));
  EXPECT_EQ(on_host_ranks(3, {}, {},
                          [&](host_ranks const& on, int) {
                            std::vector<float> out(10);
                            tally::inclusive_scan(on, x, out, exact_plus{});
                          }),
            (traffic{0, 0, 4, 3 * (3 * 128 + each)}));
}

TEST(on_each_gpu, one_fails)
{
  std::vector<std::string> texts(3);
  on_host_ranks(3, {}, {}, [&](host_ranks const& on, int rank) {
    try {
      tally::on_each_rank(on, [&](cpu) {
        if (rank == 1) throw error("no work");
      });
    } catch (rank_error const& e) {
      texts[static_cast<std::size_t>(rank)] = e.what();
    }
    int sum = 0;
    tally::on_each_rank(on, [&](cpu local) { sum = tally::reduce(local, std::vector<int>(5, 2)); });
    if (sum != 10) throw error("the work");
  });
  for (auto const& text : texts) EXPECT_EQ(text, "tally: rank 1 of 3 failed: no work");
}

}  // namespace
}  // namespace tally::test
