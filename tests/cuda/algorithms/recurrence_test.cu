// First-order linear recurrences on a GPU against the plain loop on the host.
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "../device_array.hpp"
#include "tally/algorithms/recurrence.hpp"
#include "tally/cuda.hpp"

namespace tally::test {
namespace {

std::vector<std::size_t> const sizes = {0, 1, 2, 31, 33, 1023, 2047, 2048, 2049, 8193, 100'003, 1'000'001, 20'000'001};

template <class T>
std::vector<T> random_numbers(std::size_t n, std::uint64_t seed)
{
  std::vector<T> values(n);
  for (std::size_t k = 0; k < n; ++k) {
    std::uint64_t const bits = mixed(k + (seed << 40));
    if constexpr (std::is_integral_v<T>)
      values[k] = static_cast<T>(bits);
    else
      values[k] = static_cast<T>(static_cast<double>(static_cast<std::int64_t>(bits)) * 0x1p-63);
  }
  return values;
}

TEST(gpu_recurrence, of_integers_is_the_loop_in_bits)
{
  stream const on_stream;
  cuda::workspace space;
  cuda const on{on_stream, space};
  using value = std::uint32_t;
  for (std::size_t const n : sizes) {
    auto const a = random_numbers<value>(n, 1), b = random_numbers<value>(n, 2);
    std::vector<value> forward(n), backward(n);
    value y = 12345;
    for (std::size_t k = 0; k < n; ++k) forward[k] = y = a[k] * y + b[k];
    y = 777;
    for (std::size_t k = n; k-- > 0;) backward[k] = y = a[k] * y + b[k];

    device_array<value> const device_a(a), device_b(b), out(n), out_backward(n);
    EXPECT_EQ(linear_recurrence(on, device_a.begin(), device_a.end(), device_b.begin(), out.begin(), value{12345}),
              out.end());
    linear_recurrence_backward(on, device_a.begin(), device_a.end(), device_b.begin(), out_backward.begin(),
                               value{777});
    EXPECT_TRUE(same_bytes(out.values(), forward)) << n;
    EXPECT_TRUE(same_bytes(out_backward.values(), backward)) << n;
  }
}

/// Where |a| < 1 errors die out: every state is near the loop's in long double.
template <class T>
void expect_near_the_loop(double most)
{
  stream const on_stream;
  cuda::workspace space;
  cuda const on{on_stream, space};
  for (std::size_t const n : sizes) {
    auto const a = random_numbers<T>(n, 3), b = random_numbers<T>(n, 4);
    device_array<T> const device_a(a), device_b(b), out(n), again(n);
    linear_recurrence(on, device_a.begin(), device_a.end(), device_b.begin(), out.begin(), T(1.5));
    linear_recurrence(on, device_a.begin(), device_a.end(), device_b.begin(), again.begin(), T(1.5));
    std::vector<T> const values = out.values();
    EXPECT_TRUE(same_bytes(values, again.values())) << n;
    long double y = 1.5L;
    double worst = 0;
    std::size_t where = 0;
    for (std::size_t k = 0; k < n; ++k) {
      y = static_cast<long double>(a[k]) * y + static_cast<long double>(b[k]);
      double const error = std::abs(static_cast<double>(static_cast<long double>(values[k]) - y));
      if (!(error <= worst)) worst = error, where = k;
    }
    EXPECT_LE(worst, most) << "at " << where << " of " << n;
  }
}
TEST(gpu_recurrence, of_floats_is_near_the_loop)
{
  expect_near_the_loop<float>(2e-6);
  expect_near_the_loop<double>(4e-15);
}

}  // namespace
}  // namespace tally::test
