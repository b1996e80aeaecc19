// The radix sort on a GPU gives the bytes of the CPU's, which its own test compares with std::stable_sort.
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "../device_array.hpp"
#include "tally/algorithms/radix_sort.hpp"
#include "tally/cuda.hpp"

namespace tally::test {
namespace {

/// n keys in six ways: random bits; all equal (of floating-point numbers special values); sorted; reversed; few
/// different ones; ones that differ in their highest and lowest bits only.
template <class T>
std::vector<std::vector<T>> key_sequences(std::size_t n)
{
  std::vector<std::vector<T>> all(6, std::vector<T>(n));
  auto const put = [](T& to, std::uint64_t bits) { std::memcpy(&to, &bits, sizeof(T)); };
  for (std::size_t k = 0; k < n; ++k) {
    std::uint64_t const random = mixed(k);
    put(all[0][k], random);
    put(all[1][k], 0x4141414141414141u);
    put(all[2][k], k);
    put(all[3][k], n - k);
    put(all[4][k], 0x0123456789abcdefu * (random % 5));
    put(all[5][k], (random & 1) | (random & 2) << (8 * sizeof(T) - 2));
  }
  if constexpr (std::is_floating_point_v<T>) {
    T const special[] = {T(0),
                         -T(0),
                         std::numeric_limits<T>::infinity(),
                         -std::numeric_limits<T>::infinity(),
                         std::numeric_limits<T>::quiet_NaN(),
                         -std::numeric_limits<T>::quiet_NaN(),
                         T(1),
                         T(-1)};
    for (std::size_t k = 0; k < n; ++k) all[1][k] = special[mixed(k) % 8];
  }
  return all;
}

template <class T, class Order>
void expect_the_order_of_the_cpu(Order order)
{
  stream const on_stream;
  cuda::workspace space;
  cuda const on{on_stream, space};
  for (std::size_t const n : {0, 1, 2, 31, 33, 4096, 8191, 8192, 8193, 100'003, (1 << 23) + 5}) {
    std::size_t which = 0;
    for (std::vector<T> const& keys : key_sequences<T>(n)) {
      std::vector<T> expected = keys;
      std::vector<std::uint32_t> from(n);
      std::iota(from.begin(), from.end(), 0u);
      std::vector<std::uint32_t> const unsorted = from;
      radix_sort_by_key(cpu{}, expected, from, order);
      device_array<T> const own(keys), alone(keys);
      device_array<std::uint32_t> const values(unsorted);
      radix_sort_by_key(on, own.begin(), own.end(), values.begin(), order);
      EXPECT_TRUE(same_bytes(own.values(), expected)) << n << " keys, sequence " << which;
      EXPECT_EQ(values.values(), from) << n << " keys, sequence " << which;
      radix_sort(on, alone.begin(), alone.end(), order);
      EXPECT_TRUE(same_bytes(alone.values(), expected)) << n << " keys alone, sequence " << which;
      ++which;
    }
  }
}

TEST(cuda_radix_sort, is_the_cpus)
{
  expect_the_order_of_the_cpu<std::uint8_t>(std::less<>{});
  expect_the_order_of_the_cpu<std::int16_t>(std::greater<>{});
  expect_the_order_of_the_cpu<std::uint32_t>(std::less<>{});
  expect_the_order_of_the_cpu<std::int64_t>(std::greater<>{});
  expect_the_order_of_the_cpu<float>(std::less<>{});
  expect_the_order_of_the_cpu<double>(std::greater<>{});
}

TEST(cuda_radix_sort, compares_these_bits_and_no_others)
{
  stream const on_stream;
  cuda::workspace space;
  cuda const on{on_stream, space};
  std::vector<std::uint32_t> const keys = key_sequences<std::uint32_t>(100'003)[0];
  for (bit_range const bits : {bit_range{3, 12}, bit_range{0, 1}, bit_range{31, 99}, bit_range{7, 7}}) {
    std::vector<std::uint32_t> expected = keys;
    radix_sort(cpu{}, expected, std::less<>{}, bits);
    device_array<std::uint32_t> const own(keys);
    radix_sort(on, own.begin(), own.end(), std::less<>{}, bits);
    EXPECT_TRUE(same_bytes(own.values(), expected)) << bits.first << " to " << bits.last;
  }
}

}  // namespace
}  // namespace tally::test
