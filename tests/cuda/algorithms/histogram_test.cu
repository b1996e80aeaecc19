// Histograms on a GPU give the counts of the CPU.
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "../device_array.hpp"
#include "tally/algorithms/histogram.hpp"
#include "tally/cuda.hpp"

namespace tally::test {
namespace {

/// Values in and around [0, 128), with infinities and NaNs among floating-point numbers. All are equal for kind 1.
template <class T>
std::vector<T> values_of(std::size_t n, int kind)
{
  std::vector<T> values(n, T(64));
  if (kind == 1) return values;
  for (std::size_t k = 0; k < n; ++k) {
    std::uint64_t const random = mixed(k);
    values[k] = static_cast<T>(static_cast<double>(random % 2000) / 8 - 50);
    if constexpr (std::is_floating_point_v<T>) {
      if (random % 101 == 0) values[k] = std::numeric_limits<T>::quiet_NaN();
      if (random % 101 == 1) values[k] = std::numeric_limits<T>::infinity();
      if (random % 101 == 2) values[k] = -std::numeric_limits<T>::infinity();
      if (random % 101 == 3) values[k] = -T(0);
    }
  }
  return values;
}

template <class T>
void expect_the_counts_of_the_cpu()
{
  stream const on_stream;
  cuda::workspace space;
  cuda const on{on_stream, space};
  for (std::size_t const n : {0, 1, 31, 33, 100'003, (1 << 22) + 7}) {
    for (int const kind : {0, 1}) {
      std::vector<T> const values = values_of<T>(n, kind);
      device_array<T> const in(values);
      std::vector<std::int16_t> weights(n);
      for (std::size_t k = 0; k < n; ++k) weights[k] = static_cast<std::int16_t>(mixed(k + 5));
      device_array<std::int16_t> const weights_in(weights);
      for (std::size_t const count : {1, 3, 256, 5000, 100'000}) {
        even_bins const bins(0, 127, count);
        std::vector<std::uint32_t> expected(bins.slots());
        histogram(cpu{}, values, bins, expected.begin());
        device_array<std::uint32_t> const counts(bins.slots());
        EXPECT_EQ(histogram(on, in.begin(), in.end(), bins, counts.begin()), counts.end());
        EXPECT_EQ(counts.values(), expected) << n << " values, kind " << kind << ", " << count << " bins";

        std::vector<std::int16_t> expected_sums(bins.slots());
        weighted_histogram(cpu{}, values.begin(), values.end(), weights.begin(), bins, expected_sums.begin());
        device_array<std::int16_t> const sums(bins.slots());
        weighted_histogram(on, in.begin(), in.end(), weights_in.begin(), bins, sums.begin());
        EXPECT_EQ(sums.values(), expected_sums) << n << " values, kind " << kind << ", " << count << " bins";
      }
      std::vector<T> const edges = {T(1), T(2), T(2), T(10), T(64), T(100)};
      device_array<T> const edges_in(edges);
      std::vector<std::uint64_t> expected(8);
      histogram(cpu{}, values, edge_bins(edges.data(), edges.size()), expected.begin());
      device_array<std::uint64_t> const counts(8);
      histogram(on, in.begin(), in.end(), edge_bins(edges_in.begin(), edges_in.size()), counts.begin());
      EXPECT_EQ(counts.values(), expected) << n << " values, kind " << kind << ", by edges";
    }
  }
}

TEST(cuda_histogram, counts_as_the_cpu_does)
{
  expect_the_counts_of_the_cpu<std::uint8_t>();
  expect_the_counts_of_the_cpu<std::int32_t>();
  expect_the_counts_of_the_cpu<std::int64_t>();
  expect_the_counts_of_the_cpu<float>();
  expect_the_counts_of_the_cpu<double>();
}

/// Sums wrap in the type of the weights and then convert to the output's.
TEST(cuda_histogram, adds_weights_up_in_their_own_type)
{
  stream const on_stream;
  cuda::workspace space;
  cuda const on{on_stream, space};
  std::size_t const n = 100'003;
  std::vector<std::int32_t> const values = values_of<std::int32_t>(n, 0);
  std::vector<std::int16_t> weights(n);
  for (std::size_t k = 0; k < n; ++k) weights[k] = static_cast<std::int16_t>(mixed(k + 5));
  device_array<std::int32_t> const in(values);
  device_array<std::int16_t> const weights_in(weights);
  for (std::size_t const count : {3, 100'000}) {
    even_bins const bins(0, 127, count);
    std::vector<double> expected(bins.slots());
    weighted_histogram(cpu{}, values.begin(), values.end(), weights.begin(), bins, expected.begin());
    device_array<double> const sums(bins.slots());
    weighted_histogram(on, in.begin(), in.end(), weights_in.begin(), bins, sums.begin());
    EXPECT_EQ(sums.values(), expected) << count << " bins";
  }
}

}  // namespace
}  // namespace tally::test
