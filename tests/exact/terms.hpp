#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "../support/float_format.hpp"
#include "../support/generator.hpp"
#include "tally/half.hpp"

/// Terms that are hard to add.
namespace tally::test {

enum class terms_of {
  one_size,     ///< in (-1, 1)
  any_size,     ///< any exponent
  near_sizes,   ///< exponents within 60
  smallest,     ///< subnormal numbers and their neighbours
  largest,      ///< sums overflow on the way
  zeros,        ///< of both signs, and small whole numbers
  minus_zeros,  ///< -0 alone
  ties,         ///< sums that are half-way between two numbers, and a little beside
  cancelled,    ///< each term and its negative, but one
  not_finite    ///< infinities and NaNs among them
};
inline constexpr int kinds_of_terms = 10;

/// T(value), with an exponent that T has.
template <class T>
T number_at(std::uint64_t random, int exponent)
{
  double const fraction = static_cast<double>(random >> 11) * 0x1p-53 + 0.5;
  T const x = static_cast<T>(std::ldexp(fraction, exponent));
  T const finite =
      static_cast<double>(x) > static_cast<double>(std::numeric_limits<T>::max()) ? std::numeric_limits<T>::max() : x;
  return (random & 1) != 0 ? finite : static_cast<T>(-static_cast<double>(finite));
}

template <class T>
std::vector<T> terms(terms_of what, std::size_t n, std::uint64_t seed)
{
  using limits = std::numeric_limits<T>;
  int const lowest = limits::min_exponent - limits::digits + 1, range = limits::max_exponent - lowest;
  std::vector<T> all;
  for (std::size_t k = 0; k < n; ++k) {
    std::uint64_t const random = random_bits(seed, 2 * k), more = random_bits(seed, 2 * k + 1);
    auto const drawn = [&](int count) { return static_cast<int>(more % static_cast<std::uint64_t>(count)); };
    switch (what) {
      case terms_of::one_size: all.push_back(number_at<T>(random, -drawn(3))); break;
      case terms_of::any_size: all.push_back(number_at<T>(random, lowest + drawn(range))); break;
      case terms_of::near_sizes: all.push_back(number_at<T>(random, -drawn(std::min(60, -lowest)))); break;
      case terms_of::smallest: all.push_back(number_at<T>(random, lowest + drawn(limits::digits + 2))); break;
      case terms_of::largest: all.push_back(number_at<T>(random, limits::max_exponent - drawn(4))); break;
      case terms_of::zeros:
        all.push_back(static_cast<T>(drawn(3) == 0 ? -0.0 : static_cast<double>(drawn(7)) - 3.0));
        break;
      case terms_of::minus_zeros: all.push_back(static_cast<T>(-0.0)); break;
      case terms_of::ties:
        // An odd or even whole number of digits bits, then halves of its unit, then what is far below.
        all.push_back(
            k == 0   ? static_cast<T>(static_cast<double>((std::uint64_t{1} << (limits::digits - 1)) + drawn(4)))
            : k == 1 ? static_cast<T>(0.5)
            : k == 2 ? static_cast<T>(drawn(3) == 0 ? 0.0 : std::ldexp(drawn(3) == 1 ? 1.0 : -1.0, lowest + 2))
                     : static_cast<T>(0.0));
        break;
      case terms_of::cancelled:
        all.push_back(k % 2 == 1 ? static_cast<T>(-static_cast<double>(all[k - 1]))
                                 : number_at<T>(random, lowest + drawn(range)));
        break;
      case terms_of::not_finite:
        all.push_back(drawn(5) != 0     ? number_at<T>(random, -drawn(9))
                      : random % 3 == 0 ? limits::infinity()
                      : random % 3 == 1 ? static_cast<T>(-std::numeric_limits<double>::infinity())
                                        : limits::quiet_NaN());
        break;
    }
  }
  return all;
}

}  // namespace tally::test
