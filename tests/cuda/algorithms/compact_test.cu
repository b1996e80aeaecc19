// Compaction and run lengths on a GPU against the standard library's algorithms on the host.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <vector>

#include <gtest/gtest.h>

#include "../device_array.hpp"
#include "tally/algorithms/compact.hpp"
#include "tally/algorithms/run_lengths.hpp"
#include "tally/cuda.hpp"

namespace tally::test {
namespace {

std::vector<std::size_t> const sizes = {0, 1, 2, 31, 33, 1023, 8191, 8192, 8193, 100'003, 1'000'001, 30'000'001};

/// Sequences of which some, none, all, the last, or long stretches are above 50.
template <class T>
std::vector<std::vector<T>> sequences(std::size_t n)
{
  std::vector<std::vector<T>> all(5, std::vector<T>(n));
  for (std::size_t k = 0; k < n; ++k) {
    all[0][k] = static_cast<T>(mixed(k) % 100);
    all[1][k] = T(0);
    all[2][k] = T(99);
    all[3][k] = static_cast<T>(k * 100 / n);
    all[4][k] = static_cast<T>((k / 5000 % 3 == 0 || mixed(k) % 1000 == 0) ? 99 : 1);
  }
  return all;
}

struct above_50 {
  template <class T>
  TALLY_HD bool operator()(T value) const
  {
    return value > T(50);
  }
};
struct same_ten {
  template <class T>
  TALLY_HD bool operator()(T a, T b) const
  {
    return static_cast<int>(a) / 10 == static_cast<int>(b) / 10;
  }
};

template <class T>
bool is_at(device_array<T> const& out, std::size_t selected, std::vector<T> const& expected)
{
  std::vector<T> const values = out.values();
  std::vector<T> const poisoned = device_array<T>(values.size() - selected).values();
  return selected == expected.size() && std::equal(expected.begin(), expected.end(), values.begin()) &&
         std::memcmp(values.data() + selected, poisoned.data(), poisoned.size() * sizeof(T)) == 0;
}

template <class T>
void expect_compaction()
{
  stream const on_stream;
  cuda::workspace space;
  cuda const on{on_stream, space};
  for (std::size_t const n : sizes) {
    for (std::vector<T> const& host : sequences<T>(n)) {
      std::vector<T> selected, rest, runs, tens;
      std::partition_copy(host.begin(), host.end(), std::back_inserter(selected), std::back_inserter(rest), above_50{});
      std::unique_copy(host.begin(), host.end(), std::back_inserter(runs));
      std::unique_copy(host.begin(), host.end(), std::back_inserter(tens), same_ten{});
      device_array<T> const in(host), a(n), b(n), c(n), d(n), e(n), f(n), g(n);
      auto const count = [](device_array<T> const& out, T const* end) {
        return static_cast<std::size_t>(end - out.begin());
      };
      EXPECT_TRUE(is_at(a, count(a, copy_if(on, in.begin(), in.end(), a.begin(), above_50{})), selected)) << n;
      EXPECT_TRUE(is_at(b, count(b, copy_if(on, in.begin(), in.end(), in.begin(), b.begin(), above_50{})), selected))
          << n;
      auto const [c_end, d_end] = partition_copy(on, in.begin(), in.end(), c.begin(), d.begin(), above_50{});
      EXPECT_TRUE(is_at(c, count(c, c_end), selected)) << n;
      EXPECT_TRUE(is_at(d, count(d, d_end), rest)) << n;
      std::vector<T> both = selected;
      both.insert(both.end(), rest.begin(), rest.end());
      EXPECT_EQ(count(e, stable_partition_copy(on, in.begin(), in.end(), e.begin(), above_50{})), selected.size()) << n;
      EXPECT_TRUE(is_at(e, n, both)) << n;
      EXPECT_TRUE(is_at(f, count(f, unique_copy(on, in.begin(), in.end(), f.begin())), runs)) << n;
      EXPECT_TRUE(is_at(g, count(g, unique_copy(on, in.begin(), in.end(), g.begin(), same_ten{})), tens)) << n;
    }
  }
}

TEST(cuda_compaction, of_bytes)
{
  expect_compaction<std::uint8_t>();
}
TEST(cuda_compaction, of_integers)
{
  expect_compaction<std::int32_t>();
}
TEST(cuda_compaction, of_doubles)
{
  expect_compaction<double>();
}

TEST(cuda_compaction, runs_and_back)
{
  stream const on_stream;
  cuda::workspace space;
  cuda const on{on_stream, space};
  for (std::size_t const n : sizes) {
    for (std::vector<int> const& host : sequences<int>(n)) {
      std::vector<int> values;
      std::vector<std::uint32_t> lengths;
      for (std::size_t k = 0; k < n; ++k) {
        if (k == 0 || host[k] != host[k - 1]) {
          values.push_back(host[k]);
          lengths.push_back(0);
        }
        ++lengths.back();
      }
      device_array<int> const in(host), a(n), back(n);
      device_array<std::uint32_t> const b(n);
      std::size_t const runs = run_length_encode(on, in.begin(), in.end(), a.begin(), b.begin());
      EXPECT_TRUE(is_at(a, runs, values)) << n;
      EXPECT_TRUE(is_at(b, runs, lengths)) << n;
      EXPECT_EQ(run_length_decode(on, a.begin(), a.begin() + runs, b.begin(), back.begin()), back.end()) << n;
      EXPECT_EQ(back.values(), host) << n;
    }
  }
}

}  // namespace
}  // namespace tally::test
