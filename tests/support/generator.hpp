#pragma once

#include <cstdint>

namespace tally::test {

/// Value k of the splitmix64 sequence that starts at `seed` (Steele, Lea and Flood, "Fast splittable pseudorandom
/// number generators", 2014), without the values before it. Golden files name this function: it never changes.
constexpr std::uint64_t random_bits(std::uint64_t seed, std::uint64_t k)
{
  std::uint64_t z = seed + (k + 1) * 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

static_assert(random_bits(0, 0) == 0xE220A8397B1DCDAFu, "the published first value of splitmix64 for seed 0");

}  // namespace tally::test
