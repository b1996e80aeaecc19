#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "../support/generator.hpp"
#include "tally/detail/radix_sort/ordered_bits.hpp"

/// Keys for sorts, and their order.
namespace tally::test {

template <class T>
double number(T x)
{
  return static_cast<double>(x);
}

template <class T>
bool is_nan(T x)
{
  if constexpr (tally::detail::is_floating<T>)
    return std::isnan(number(x));
  else
    return false;
}

/// Whether a comes before b, written without bits: NaNs last, -0.0 before +0.0.
template <class T, class Order>
bool before(T a, T b, Order order)
{
  if (is_nan(a) || is_nan(b)) return !is_nan(a) && is_nan(b);
  if constexpr (tally::detail::is_floating<T>) {
    if (number(a) == 0 && number(b) == 0)
      return order(-static_cast<int>(std::signbit(number(a))), -static_cast<int>(std::signbit(number(b))));
    return order(number(a), number(b));
  } else {
    return order(a, b);
  }
}

/// n keys in several ways: random bits; all equal; sorted; reversed; few different ones; ones that differ in their
/// highest and lowest bits only. Floating-point numbers have special values besides.
template <class T>
std::vector<std::vector<T>> key_sequences(std::size_t n)
{
  using bits = tally::detail::radix_sort::unsigned_of_size<sizeof(T)>;
  auto const key = [](std::uint64_t x) {
    if constexpr (std::is_same_v<T, bool>)
      return (x & 1) != 0;
    else
      return std::bit_cast<T>(static_cast<bits>(x));
  };
  std::vector<std::vector<T>> all(6, std::vector<T>(n));
  for (std::size_t k = 0; k < n; ++k) {
    std::uint64_t const random = random_bits(5, k);
    all[0][k] = key(random);
    all[1][k] = key(0x4141414141414141u);
    all[2][k] = key(k);
    all[3][k] = key(n - k);
    all[4][k] = key(std::uint64_t{0x0123456789abcdefu} * (random % 5));
    all[5][k] = key((random & 1) | (random & 2) << (8 * sizeof(T) - 2));
  }
  if constexpr (tally::detail::is_floating<T>) {
    std::array<double, 8> const special = {0.0,
                                           -0.0,
                                           1.5,
                                           -1.5,
                                           std::numeric_limits<double>::infinity(),
                                           -std::numeric_limits<double>::infinity(),
                                           std::numeric_limits<double>::quiet_NaN(),
                                           -std::numeric_limits<double>::quiet_NaN()};
    all.emplace_back(n);
    for (std::size_t k = 0; k < n; ++k) all.back()[k] = static_cast<T>(special[random_bits(6, k) % special.size()]);
  }
  return all;
}

}  // namespace tally::test
