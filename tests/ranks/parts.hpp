#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../order/reference.hpp"
#include "../support/generator.hpp"
#include "tally/sequences.hpp"

/// Sequences in parts, with tiles of a few elements: of elements that stand for blocks of others.
namespace tally::test {

/// The elements of a vector as a function, so that a tile has `tile` of them.
template <class T>
struct element_of {
  T const* values;
  T operator()(std::size_t k) const { return values[k]; }
};
template <class T>
auto in_tiles_of(std::size_t tile, std::vector<T> const& values)
{
  return elements_from(element_of<T>{values.data()}, (std::size_t{1} << 17) / tile);
}
/// The reference's units for a tile of up to a group: its elements from the left.
inline reference::shape tiles_of(std::size_t tile)
{
  return {.group = tile, .row = 1, .strip = 1, .tile = 1};
}

/// Calls f(offsets) for every division of n elements among three ranks, empty parts too.
template <class F>
void for_each_division(std::size_t n, F const& f)
{
  for (std::size_t a = 0; a <= n; ++a)
    for (std::size_t b = a; b <= n; ++b) f(std::vector<std::size_t>{0, a, b, n});
}

/// The offsets of `ranks` random parts of n elements; some are empty.
inline std::vector<std::size_t> random_division(std::size_t n, int ranks, std::uint64_t seed)
{
  std::vector<std::size_t> offsets{0, n};
  for (int r = 1; r < ranks; ++r) {
    std::uint64_t const random = random_bits(seed, static_cast<std::uint64_t>(r));
    offsets.push_back(random % 4 == 0 ? offsets.back() : static_cast<std::size_t>(random >> 8) % (n + 1));
  }
  std::sort(offsets.begin(), offsets.end());
  return offsets;
}

}  // namespace tally::test
