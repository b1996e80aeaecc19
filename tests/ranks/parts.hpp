#pragma once

#include <cstddef>
#include <vector>

#include "../support/divisions.hpp"
#include "tally/sequences.hpp"

/// Sequences with tiles of a few elements: of elements that stand for blocks of others.
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

}  // namespace tally::test
