#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <vector>

#include "../contract/backends.hpp"
#include "../support/data.hpp"
#include "../support/operators.hpp"
#include "../support/sizes.hpp"
#include "tally/config.hpp"
#include "tally/operators.hpp"

/// Elements of the tests of batches: numbers, and values of 12 bytes.
namespace tally::test {

/// A map x -> a x + b of integers, and a count.
struct twelve_bytes {
  std::uint32_t a, b, count;
  friend constexpr bool operator==(twelve_bytes const&, twelve_bytes const&) = default;
  friend std::ostream& operator<<(std::ostream& out, twelve_bytes const& x)
  {
    return out << x.a << "x+" << x.b << "(" << x.count << ")";
  }
};

/// Composition: associative and not commutative.
struct compose_twelve {
  TALLY_HD constexpr twelve_bytes operator()(twelve_bytes const& x, twelve_bytes const& y) const
  {
    return {x.a * y.a, x.b * y.a + y.b, x.count + y.count};
  }
};

/// Element k of an input; others by other seeds.
template <class T>
T batch_element(std::size_t k, std::uint64_t seed)
{
  std::uint64_t const random = random_bits(seed + 17, k);
  if constexpr (std::is_same_v<T, twelve_bytes>)
    return {static_cast<std::uint32_t>(random) | 1, static_cast<std::uint32_t>(random >> 32), 1};
  else if constexpr (binary_float<T>)
    return detail::element<T>(data::mixed_magnitudes, k, 1, seed);
  else
    return static_cast<T>(random >> 7);
}

/// The lengths around units of the order.
template <class T>
std::vector<std::size_t> lengths_of_units()
{
#ifdef TALLY_TEST_BRIEFLY
  return hostile_sizes<T>();
#else
  return tile_sizes<T>();
#endif
}

}  // namespace tally::test
