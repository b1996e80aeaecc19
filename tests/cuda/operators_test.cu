// Operators, types and iterators that the contract suite does not have, against the CPU's bits.
#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include <cuda/std/complex>
#include <gtest/gtest.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include "../support/operators.hpp"
#include "device_array.hpp"
#include "tally/cuda.hpp"
#include "tally/operators.hpp"

namespace tally::test {
namespace {

using path = cuda::workspace::path;

/// Fills the shared memory of all multiprocessors: what a kernel reads there without having written it is then seldom a
/// value.
__global__ void poison_shared_memory(int bytes)
{
  extern __shared__ unsigned char all_of_it[];
  for (int k = static_cast<int>(threadIdx.x); k < bytes; k += static_cast<int>(blockDim.x)) all_of_it[k] = 0xA5;
  __syncthreads();
  if (all_of_it[threadIdx.x] != 0xA5) __trap();
}
void poison(cudaStream_t on)
{
  int bytes = 0, processors = 0;
  check_cuda(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
  check_cuda(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  check_cuda(cudaFuncSetAttribute(poison_shared_memory, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  poison_shared_memory<<<static_cast<unsigned>(4 * processors), 1024, bytes, on>>>(bytes);
  check_cuda(cudaGetLastError());
}

/// Scans and reduces on both, in every way, at sizes that end within a group, a tile, and a span.
template <class T, class Op>
void expect_the_bits_of_the_cpu(Op op, T const& init, auto const& make)
{
  for (std::size_t const n : {order::group<T> + 1, order::strip<T> + 3, order::tile<T> * 3 + order::row<T> + 1,
                              order::span<T> + order::tile<T> + 5}) {
    std::vector<T> x(n), inclusive(n), exclusive(n);
    for (std::size_t k = 0; k < n; ++k) x[k] = make(k);
    inclusive_scan(cpu{}, x, inclusive, op);
    exclusive_scan(cpu{}, x, exclusive, init, op);
    T const reduced = reduce(cpu{}, x, init, op);
    stream on;
    cuda::workspace space;
    device_array<T> const in(x);
    for (path const each : {path::automatic, path::registers, path::ring, path::own_tiles, path::backwards}) {
      space.prefer(each);
      cuda const here{on, space};
      device_array<T> const a(n), b(n);
      poison(on);
      inclusive_scan(here, in.begin(), in.end(), a.begin(), op);
      poison(on);
      exclusive_scan(here, in.begin(), in.end(), b.begin(), init, op);
      ASSERT_TRUE(a.values() == inclusive) << n << " elements, path " << int(each);
      ASSERT_TRUE(b.values() == exclusive) << n << " elements, path " << int(each);
      poison(on);
      ASSERT_TRUE(reduce(here, in.begin(), in.end(), init, op) == reduced) << n << " elements, path " << int(each);
    }
  }
}

TEST(cuda_operators, argmin)
{
  using E = indexed<float, std::uint32_t>;
  expect_the_bits_of_the_cpu<E>(argmin{}, E{1e9f, 7},
                                [](std::size_t k) { return E{value_at<float>(k), static_cast<std::uint32_t>(k)}; });
}

TEST(cuda_operators, affine_maps)
{
  using E = affine<float>;
  expect_the_bits_of_the_cpu<E>(compose{}, E{0.5f, 1.0f}, [](std::size_t k) {
    return E{0.9f + 1e-3f * value_at<float>(2 * k), value_at<float>(2 * k + 1)};
  });
}

TEST(cuda_operators, mean_and_variance)
{
  using E = moments<float>;
  expect_the_bits_of_the_cpu<E>(mean_and_variance{}, E{3.0f}, [](std::size_t k) { return E{value_at<float>(k)}; });
}

TEST(cuda_operators, segments)
{
  using E = flagged<float>;
  expect_the_bits_of_the_cpu<E>(segmented{plus{}}, E{1.0f, false},
                                [](std::size_t k) { return E{value_at<float>(k), mixed(k) % 1000 == 0}; });
}

TEST(cuda_operators, matrices_without_an_identity)
{
  expect_the_bits_of_the_cpu<matrix>(matrix_product{}, matrix{1, 2, 3, 5}, [](std::size_t k) {
    auto const bits = mixed(k);
    return matrix{static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 16),
                  static_cast<std::uint32_t>(bits >> 32), static_cast<std::uint32_t>(bits >> 48)};
  });
}

/// Larger than any word that the hardware moves at once, and not a power of two.
struct sixteen_sums {
  float values[15];
  friend bool operator==(sixteen_sums const&, sixteen_sums const&) = default;
};
struct add_all {
  TALLY_HD sixteen_sums operator()(sixteen_sums const& a, sixteen_sums const& b) const
  {
    sixteen_sums sum;
    for (int k = 0; k < 15; ++k) sum.values[k] = a.values[k] + b.values[k];
    return sum;
  }
};

TEST(cuda_operators, structs_of_sixty_bytes)
{
  expect_the_bits_of_the_cpu<sixteen_sums>(add_all{}, sixteen_sums{{1, 2, 3}}, [](std::size_t k) {
    sixteen_sums e;
    for (int j = 0; j < 15; ++j) e.values[j] = value_at<float>(16 * k + static_cast<std::size_t>(j));
    return e;
  });
}

struct three_bytes {
  std::uint8_t values[3];
  friend bool operator==(three_bytes const&, three_bytes const&) = default;
};
/// Neither associative nor commutative, so that every bracket shows.
struct mix_bytes {
  TALLY_HD three_bytes operator()(three_bytes const& a, three_bytes const& b) const
  {
    return {{static_cast<std::uint8_t>(a.values[0] / 2 + b.values[1]),
             static_cast<std::uint8_t>(a.values[1] ^ b.values[2]),
             static_cast<std::uint8_t>(a.values[2] + 3 * b.values[0])}};
  }
};

TEST(cuda_operators, structs_of_three_bytes)
{
  expect_the_bits_of_the_cpu<three_bytes>(mix_bytes{}, three_bytes{{1, 2, 3}}, [](std::size_t k) {
    auto const bits = mixed(k);
    return three_bytes{
        {static_cast<std::uint8_t>(bits), static_cast<std::uint8_t>(bits >> 8), static_cast<std::uint8_t>(bits >> 16)}};
  });
}

// nvcc takes lambdas for the device only in functions that anyone may call, which tests are not.
void bytes_with_a_lambda()
{
  expect_the_bits_of_the_cpu<std::uint8_t>(
      [] TALLY_HD(std::uint8_t a, std::uint8_t b) { return static_cast<std::uint8_t>(a / 2 + b); }, std::uint8_t(9),
      [](std::size_t k) { return static_cast<std::uint8_t>(mixed(k)); });
}

TEST(cuda_operators, bytes_with_a_lambda)
{
  bytes_with_a_lambda();
}

TEST(cuda_operators, complex_numbers)
{
  using E = ::cuda::std::complex<float>;
  expect_the_bits_of_the_cpu<E>(plus{}, E{1, 2},
                                [](std::size_t k) { return E{value_at<float>(2 * k), value_at<float>(2 * k + 1)}; });
  using D = ::cuda::std::complex<double>;
  expect_the_bits_of_the_cpu<D>(plus{}, D{1, 2},
                                [](std::size_t k) { return D{value_at<double>(2 * k), value_at<double>(2 * k + 1)}; });
}

TEST(cuda_operators, log_sum_exp)
{
  using E = exponential_sum<float>;
  expect_the_bits_of_the_cpu<E>(log_sum_exp{}, E{3.0f}, [](std::size_t k) { return E{value_at<float>(k)}; });
  using D = exponential_sum<double>;
  expect_the_bits_of_the_cpu<D>(log_sum_exp{}, D{3.0}, [](std::size_t k) { return D{value_at<double>(k)}; });
}

struct square {
  TALLY_HD float operator()(float v) const { return v * v; }
};

TEST(cuda_iterators, count_transform_and_zip)
{
  constexpr std::size_t n = 300'000;
  stream on;
  cuda::workspace space;
  tally::cuda const here{on, space};
  auto const counting = thrust::counting_iterator<std::uint64_t>(1);
  EXPECT_EQ(reduce(here, counting, counting + n, std::uint64_t(0)), std::uint64_t(n) * (n + 1) / 2);
  device_array<std::uint64_t> const out(n);
  inclusive_scan(here, counting, counting + n, out.begin());
  auto const sums = out.values();
  for (std::size_t k = 0; k < n; ++k) ASSERT_EQ(sums[k], std::uint64_t(k + 1) * (k + 2) / 2);

  auto const x = values_to<float>(n), y = values_to<float>(2 * n);
  device_array<float> const a(x), b(std::vector<float>(y.begin() + n, y.end()));
  std::vector<float> const second(y.begin() + n, y.end());
  EXPECT_EQ(transform_reduce(here, a.begin(), a.end(), b.begin(), 0.0f),
            transform_reduce(cpu{}, x.begin(), x.end(), second.begin(), 0.0f));
  device_array<float> const scanned(n);
  transform_inclusive_scan(here, a.begin(), a.end(), scanned.begin(), plus{}, square{});
  std::vector<float> expected(n);
  transform_inclusive_scan(cpu{}, x.begin(), x.end(), expected.begin(), plus{}, square{});
  EXPECT_TRUE(same_bytes(scanned.values(), expected));
  auto const squares = thrust::make_transform_iterator(a.begin(), square{});
  EXPECT_EQ(reduce<float>(here, squares, squares + n, 0.0f),
            transform_reduce(cpu{}, x.begin(), x.end(), 0.0f, plus{}, square{}));
}

TEST(cuda_iterators, other_accumulators)
{
  constexpr std::size_t n = 100'000;
  auto const x = values_to<float>(n);
  device_array<float> const in(x);
  stream on;
  cuda::workspace space;
  tally::cuda const here{on, space};
  EXPECT_EQ(reduce<double>(here, in), reduce<double>(cpu{}, x));
  device_array<double> const out(n);
  for (path const each : {path::registers, path::ring}) {
    space.prefer(each);
    inclusive_scan<double>(here, in.begin(), in.end(), out.begin());
    std::vector<double> expected(n);
    inclusive_scan<double>(cpu{}, x, expected);
    EXPECT_TRUE(same_bytes(out.values(), expected));
  }
}

}  // namespace
}  // namespace tally::test
