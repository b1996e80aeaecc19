// The radix sort on a GPU gives the bytes of the CPU's, which its own test compares with std::stable_sort.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <type_traits>
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
  // 4 Mi keys are twice as many tiles as run at a time, so that blocks draw tiles when others have ended.
  for (std::size_t const n : {0, 1, 2, 31, 33, 4096, 8447, 8448, 8449, 100'003, (1 << 22) + 5}) {
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
      EXPECT_TRUE(values.values() == from) << n << " keys, sequence " << which;
      radix_sort(on, alone.begin(), alone.end(), order);
      EXPECT_TRUE(same_bytes(alone.values(), expected)) << n << " keys alone, sequence " << which;
      ++which;
    }
  }
}

TEST(cuda_radix_sort, of_bytes_is_the_cpus)
{
  expect_the_order_of_the_cpu<std::uint8_t>(std::less<>{});
}
TEST(cuda_radix_sort, of_two_bytes_is_the_cpus)
{
  expect_the_order_of_the_cpu<std::int16_t>(std::greater<>{});
}
TEST(cuda_radix_sort, of_four_bytes_is_the_cpus)
{
  expect_the_order_of_the_cpu<std::uint32_t>(std::less<>{});
}
TEST(cuda_radix_sort, of_eight_bytes_is_the_cpus)
{
  expect_the_order_of_the_cpu<std::int64_t>(std::greater<>{});
}
TEST(cuda_radix_sort, of_floats_is_the_cpus)
{
  expect_the_order_of_the_cpu<float>(std::less<>{});
}
TEST(cuda_radix_sort, of_doubles_is_the_cpus)
{
  expect_the_order_of_the_cpu<double>(std::greater<>{});
}

/// An array between guards, on the host and on the device.
template <class T>
class guarded {
public:
  explicit guarded(std::size_t most) : image_(most + 2 * guard), device_(most + 2 * guard) {}
  /// The array on the device, with guards of poison around it. It begins at any element of a group of 16 bytes.
  T* assign(std::vector<T> const& values)
  {
    begin_ = guard + values.size() % 5;
    std::memset(static_cast<void*>(image_.data()), 0xA5, image_.size() * sizeof(T));
    std::copy(values.begin(), values.end(), image_.begin() + static_cast<std::ptrdiff_t>(begin_));
    copy(device_.begin(), image_.data(), values.size());
    return device_.begin() + begin_;
  }
  /// Whether the array has these values, and the guards their poison.
  bool is(std::vector<T> const& values)
  {
    std::vector<T> found(image_.size());
    std::copy(values.begin(), values.end(), image_.begin() + static_cast<std::ptrdiff_t>(begin_));
    copy(found.data(), device_.begin(), values.size());
    return std::memcmp(found.data(), image_.data(), (values.size() + 2 * guard) * sizeof(T)) == 0;
  }

private:
  static constexpr std::size_t guard = 64;
  static void copy(T* to, T const* from, std::size_t n)
  {
    check_cuda(cudaDeviceSynchronize());
    check_cuda(cudaMemcpy(to, from, (n + 2 * guard) * sizeof(T), cudaMemcpyDefault));
    check_cuda(cudaDeviceSynchronize());
  }
  std::vector<T> image_;
  device_array<T> device_;
  std::size_t begin_ = guard;
};

/// A value that is wider than keys, and no multiple of an alignment.
struct nine_bytes {
  unsigned char bytes[9];

  static nine_bytes of(std::size_t k)
  {
    nine_bytes all;
    for (std::size_t b = 0; b < 9; ++b) all.bytes[b] = static_cast<unsigned char>(k >> (b % 3 * 8));
    return all;
  }
};
template <class Value>
Value value_of(std::size_t k)
{
  if constexpr (std::is_same_v<Value, nine_bytes>)
    return nine_bytes::of(k);
  else
    return static_cast<Value>(k);
}

/// Up to many remainders, and around one, two and three tiles.
std::vector<std::size_t> every_size()
{
  std::vector<std::size_t> sizes;
  for (std::size_t n = 0; n <= 200; ++n) sizes.push_back(n);
  for (std::size_t const tile : {4224, 8448, 16'896, 25'344})
    for (std::size_t n = tile - 33; n <= tile + 33; ++n) sizes.push_back(n);
  return sizes;
}

/// Every size, with keys of a few bits in the first digit and any in the others, and with counts of either width.
template <class Key, class Value, class Order>
void sort_every_size(Order order)
{
  stream const on_stream;
  cuda::workspace space;
  cuda const on{on_stream, space};
  std::size_t const most = every_size().back();
  guarded<Key> own(most);
  guarded<Value> with(most);
  for (std::size_t const n : every_size()) {
    std::vector<Key> keys(n);
    std::vector<Value> values(n);
    for (std::size_t k = 0; k < n; ++k) {
      std::uint64_t const bits = mixed(k + n) & ~std::uint64_t{0xf0};
      std::memcpy(&keys[k], &bits, sizeof(Key));
      values[k] = value_of<Value>(k);
    }
    std::vector<Key> expected = keys;
    std::vector<Value> moved = values;
    radix_sort_by_key(cpu{1}, expected, moved, order);
    for (std::size_t const narrow : {std::size_t(-1), std::size_t{0}}) {
      cuda_backend::tuning_in_use().keys_counted_narrowly = narrow;
      Key* const first = own.assign(keys);
      radix_sort(on, first, first + n, order);
      ASSERT_TRUE(own.is(expected)) << n << " keys alone";
      Key* const again = own.assign(keys);
      Value* const beside = with.assign(values);
      radix_sort_by_key(on, again, again + n, beside, order);
      ASSERT_TRUE(own.is(expected)) << n << " keys";
      ASSERT_TRUE(with.is(moved)) << n << " values";
    }
  }
  cuda_backend::tuning_in_use() = {};
}

std::map<std::string, std::size_t> visits;

TEST(cuda_radix_sort, takes_every_path_at_every_size)
{
  visits.clear();
  detail::observer_of_paths = [](char const* name, char const*) { ++visits[name]; };
  sort_every_size<std::uint32_t, std::uint32_t>(std::less<>{});
  sort_every_size<std::int16_t, nine_bytes>(std::greater<>{});
  sort_every_size<std::uint64_t, std::uint16_t>(std::less<>{});
  detail::observer_of_paths = nullptr;
  for (char const* const path : {"cuda: radix sort, keys alone", "cuda: radix sort, with values in shared memory",
                                 "cuda: radix sort, with wide values", "cuda: radix sort, counts of 32 bits",
                                 "cuda: radix sort, counts of 64 bits"})
    EXPECT_GT(visits[path], 900u) << path;
}

/// A graph sorts whatever keys are there when it runs: passes that one of them needs another may not.
TEST(cuda_radix_sort, can_be_captured)
{
  stream const on_stream;
  cuda::workspace space;
  cuda const on{on_stream, space};
  std::size_t const n = 20'011;
  device_array<std::uint32_t> keys(n), values(n);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  check_cuda(cudaStreamBeginCapture(on_stream, cudaStreamCaptureModeThreadLocal));
  radix_sort_by_key(on, keys.begin(), keys.end(), values.begin());
  check_cuda(cudaStreamEndCapture(on_stream, &graph));
  check_cuda(cudaGraphInstantiate(&executable, graph, 0));
  std::vector<std::uint32_t> numbers(n);
  std::iota(numbers.begin(), numbers.end(), 0u);
  for (std::uint32_t const mask : {0xffffffffu, 0xffu, 0u, 0xff00ff00u, 0x10u, 0xffffffu}) {
    std::vector<std::uint32_t> unsorted(n), moved = numbers;
    for (std::size_t k = 0; k < n; ++k) unsorted[k] = static_cast<std::uint32_t>(mixed(k)) & mask;
    keys.assign(unsorted);
    values.assign(numbers);
    check_cuda(cudaGraphLaunch(executable, on_stream));
    radix_sort_by_key(cpu{1}, unsorted, moved);
    EXPECT_TRUE(keys.values() == unsorted) << mask;
    EXPECT_TRUE(values.values() == moved) << mask;
  }
  check_cuda(cudaGraphExecDestroy(executable));
  check_cuda(cudaGraphDestroy(graph));
}

TEST(cuda_radix_sort, compares_these_bits_and_no_others)
{
  stream const on_stream;
  cuda::workspace space;
  cuda const on{on_stream, space};
  std::vector<std::uint32_t> const keys = key_sequences<std::uint32_t>(100'003)[0];
  for (bit_range const bits :
       {bit_range{3, 12}, bit_range{0, 1}, bit_range{31, 99}, bit_range{7, 7}, bit_range{4, 27}, bit_range{8, 24}}) {
    std::vector<std::uint32_t> expected = keys;
    radix_sort(cpu{}, expected, std::less<>{}, bits);
    device_array<std::uint32_t> const own(keys);
    radix_sort(on, own.begin(), own.end(), std::less<>{}, bits);
    EXPECT_TRUE(same_bytes(own.values(), expected)) << bits.first << " to " << bits.last;
  }
}

}  // namespace
}  // namespace tally::test
