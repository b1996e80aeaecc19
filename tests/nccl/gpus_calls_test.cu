#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "../support/generator.hpp"
#include "gpu_ranks.hpp"
#include "tally/algorithms/bins.hpp"
#include "tally/operators.hpp"

/// Histograms, exact sums and work on each rank, on GPUs: against this machine's processor.
namespace tally::test {
namespace {

TEST(cuda_gpus_calls, histograms)
{
  std::vector<float> x(100'003);
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = static_cast<float>(random_bits(3, k) % 10'000) / 9'000.0f;
  even_bins const bins(0.1f, 0.9f, 40);
  std::vector<std::uint64_t> expected(bins.slots());
  tally::histogram(cpu{1}, x, bins, expected.begin());
  on_gpu_ranks([&](auto const& of) {
    for (std::vector<std::size_t> const& cuts : {std::vector<std::size_t>{5, 70'000}, {x.size()}, {50'001, 50'001}}) {
      device_array<float> const part(slice(x, of.part(x.size(), cuts)));
      device_array<std::uint64_t> counts(bins.slots());
      auto const now = of.calls();
      tally::histogram(of.on, part.begin(), part.end(), bins, counts.begin());
      of.expect(counts, expected, 0, "counts");
    }
  });
}

/// Exact calls on parts of sequences that lanes, warps and pieces scan.
template <class T>
void check_exact(int spread)
{
  for (std::size_t const n : {std::size_t{0}, std::size_t{70}, std::size_t{3000}, std::size_t{50'021}}) {
    std::vector<T> x(n), inclusive(n), exclusive(n);
    for (std::size_t k = 0; k < n; ++k) {
      std::uint64_t const random = random_bits(9, k);
      double const magnitude =
          std::ldexp(static_cast<double>(random >> 40), static_cast<int>(random % spread) - spread);
      x[k] = static_cast<T>((random >> 20 & 1) != 0 ? -magnitude : magnitude);
    }
    T const init = static_cast<T>(-3.5);
    tally::inclusive_scan(cpu{1}, x.begin(), x.end(), inclusive.begin(), exact_plus{});
    tally::exclusive_scan(cpu{1}, x.begin(), x.end(), exclusive.begin(), init, exact_plus{});
    std::vector<T> const sums{tally::reduce(cpu{1}, x, exact_plus{}), tally::reduce(cpu{1}, x, init, exact_plus{})};
    on_gpu_ranks([&](auto const& of) {
      for (std::vector<std::size_t> const& cuts : {std::vector<std::size_t>{n / 3, n / 2}, {n, n}, {7, 7}}) {
        auto const bounds = of.part(n, cuts);
        device_array<T> const part(slice(x, bounds));
        device_array<T> out(part.size()), sum(1);
        auto const now = of.calls();
        tally::inclusive_scan(of.on, part.begin(), part.end(), out.begin(), exact_plus{});
        of.expect(out, inclusive, bounds.first, "inclusive_scan");
        tally::exclusive_scan(of.on, part.begin(), part.end(), out.begin(), init, exact_plus{});
        of.expect(out, exclusive, bounds.first, "exclusive_scan");
        T const all = tally::reduce(of.on, std::span(part.begin(), part.end()), exact_plus{});
        if (std::memcmp(&all, sums.data(), sizeof(T)) != 0) throw error("reduce");
        tally::reduce_into(of.on, part.begin(), part.end(), sum.begin(), init, exact_plus{});
        of.expect(sum, sums, 1, "reduce_into");
      }
    });
  }
}

TEST(cuda_gpus_calls, exact_sums_of_floats)
{
  check_exact<float>(30);
  check_exact<float>(120);
}

#ifndef TALLY_TEST_BRIEFLY
TEST(cuda_gpus_calls, exact_sums_of_doubles)
{
  check_exact<double>(900);
}
#endif

/// An operator that is compiled with the test.
struct own_sum {
  __host__ __device__ int operator()(int a, int b) const { return a + b; }
};

TEST(cuda_gpus_calls, work_of_each_rank)
{
  on_gpu_ranks([](auto const& of) {
    device_array<int> const x(std::vector<int>(101, of.rank));
    auto const now = of.calls();
    int sum = -1;
    tally::on_each_rank(of.on,
                        [&](cuda const& local) { sum = tally::reduce(local, x.begin(), x.end(), 0, own_sum{}); });
    if (sum != 101 * of.rank) throw error("the work");
  });
}

}  // namespace
}  // namespace tally::test
