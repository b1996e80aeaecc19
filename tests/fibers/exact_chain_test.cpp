// Chains of additions that a block takes together, on fibers: their sums are those of a loop, or nothing has changed.
#include "fibers.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../support/bits.hpp"
#include "../support/generator.hpp"
#include "tally/detail/nccl/exact_chain.cuh"

namespace {

using tally::test::random_bits;
using tally::test::same;

constexpr int threads = 256, most = 1024;

struct place {
  double value;
  template <class V>
  V load() const
  {
    return value;
  }
  void store(double with) { value = with; }
};

/// Whether the block took the chain.
bool check(double begin, std::vector<double> const& values)
{
  int const count = static_cast<int>(values.size());
  std::vector<place> places(values.size() + 1, {12345.678});
  for (int k = 0; k < count; ++k) places[static_cast<std::size_t>(k)].value = values[static_cast<std::size_t>(k)];
  std::vector<double> sums(threads);
  std::vector<char> took(threads);
  tally::test::run_grid(1, threads, threads / 32 * sizeof(double), [&] {
    auto* const memory = reinterpret_cast<double*>(tally::test::grid::current()->memory());
    double sum = begin;
    took[threadIdx.x] = tally::nccl_backend::chain_exactly<threads, most>(sum, places.data(), count, memory);
    sums[threadIdx.x] = sum;
  });
  bool const all = took[0] != 0;
  double sum = begin;
  for (int k = 0; k < count; ++k) {
    auto const at = static_cast<std::size_t>(k);
    EXPECT_TRUE(same(places[at].value, all ? sum : values[at])) << "value " << k << " of " << count;
    sum += values[at];
  }
  EXPECT_TRUE(same(places.back().value, 12345.678)) << "a value behind the last one";
  for (std::size_t t = 0; t < threads; ++t) {
    EXPECT_EQ(took[t] != 0, all) << "thread " << t;
    EXPECT_TRUE(same(sums[t], all ? sum : begin)) << "thread " << t;
  }
  return all;
}

/// Element k of n values of a kind.
template <class Make>
std::vector<double> made(std::size_t n, Make const& make)
{
  std::vector<double> result;
  for (std::size_t k = 0; k < n; ++k) result.push_back(make(k));
  return result;
}

std::vector<std::size_t> const counts{1, 2, 3, 4, 5, 31, 63, 64, 65, 127, 128, 129, 500, 1000, 1022, 1023, 1024};

TEST(exact_chain, takes_totals_of_floats)
{
  for (std::size_t const n : counts) {
    auto const total = [&](std::size_t k) {
      return static_cast<double>(static_cast<float>(static_cast<double>(random_bits(1, k + n) >> 11) * 0x1p-53 - 0.5)) *
             8192;
    };
    EXPECT_TRUE(check(0.25, made(n, total))) << n;
    auto const whole = [&](std::size_t k) { return static_cast<double>(random_bits(2, k + n) >> 24) - 0x1p39; };
    EXPECT_TRUE(check(-7, made(n, whole))) << n;
  }
}

TEST(exact_chain, leaves_what_would_be_rounded)
{
  for (std::size_t const n : counts) {
    auto const wide = [&](std::size_t k) {
      return std::ldexp(static_cast<double>(random_bits(3, k + n) >> 11), static_cast<int>(random_bits(4, k) % 80));
    };
    EXPECT_FALSE(check(1 + 0x1p-52, made(n, wide))) << n;
    // One value that no sum can hold, at each place in turn.
    for (std::size_t at = n > 5 ? n - 5 : 0; at < n; ++at) {
      std::vector<double> values(n, 3.0);
      values[at] = 0x1p-60;
      EXPECT_FALSE(check(1.0, values)) << n << ", " << at;
    }
  }
}

TEST(exact_chain, has_the_sums_of_a_loop_or_none)
{
  std::size_t some_taken = 0, some_left = 0;
  for (std::size_t k = 0; k < 400; ++k) {
    std::size_t const n = 1 + random_bits(5, k) % most, bits = 1 + random_bits(6, k) % 53;
    int const spread = static_cast<int>(random_bits(7, k) % 12);
    auto const value = [&](std::size_t at) {
      std::uint64_t const drawn = random_bits(8, at + k * most);
      double const size =
          std::ldexp(static_cast<double>(drawn >> (64 - bits)), static_cast<int>(drawn % 16) % (spread + 1));
      return (drawn & 32) != 0 ? -size : size;
    };
    ++(check(value(most), made(n, value)) ? some_taken : some_left);
  }
  EXPECT_GT(some_taken, 50u);
  EXPECT_GT(some_left, 50u);
}

TEST(exact_chain, keeps_signs_of_zeros_and_leaves_what_is_not_finite)
{
  for (std::size_t const n : counts) {
    EXPECT_TRUE(check(-0.0, std::vector<double>(n, -0.0)));
    EXPECT_TRUE(check(0.0, std::vector<double>(n, -0.0)));
    std::vector<double> values(n, -0.0);
    values[n / 2] = 0.0;
    EXPECT_TRUE(check(-0.0, values));
    EXPECT_TRUE(check(-5.0, made(n, [](std::size_t k) { return k == 0 ? 5.0 : -0.0; })));
    EXPECT_TRUE(check(0x1p-1074, std::vector<double>(n, -0x1p-1074)));
    for (double const wrong : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
      values[n - 1] = wrong;
      EXPECT_FALSE(check(1.0, values));
    }
    EXPECT_FALSE(check(0x1.fffffffffffffp1023, std::vector<double>(n, 0x1p1023)));
  }
}

}  // namespace
