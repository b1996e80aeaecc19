#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "../support/generator.hpp"
#include "tally/array_view.hpp"

/// Arrays at random places, and their sequences, by arithmetic that is not the library's.
namespace tally::test {

/// A sequence of random numbers.
class dice {
public:
  explicit dice(std::uint64_t seed) : seed_(seed) {}
  /// 0 .. sides - 1
  std::size_t operator()(std::size_t sides) { return static_cast<std::size_t>(random_bits(seed_, count_++) % sides); }

private:
  std::uint64_t seed_;
  std::uint64_t count_ = 0;
};

using extents = std::vector<std::size_t>;

inline std::size_t product(extents const& shape)
{
  std::size_t all = 1;
  for (std::size_t const extent : shape) all *= extent;
  return all;
}

/// A position from its number in row-major order.
inline extents position(extents const& shape, std::size_t number)
{
  extents at(shape.size());
  for (std::size_t d = shape.size(); d-- > 0; number /= shape[d]) at[d] = number % shape[d];
  return at;
}

inline extents without(extents shape, std::size_t axis)
{
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  return shape;
}
inline extents with(extents shape, std::size_t axis, std::size_t extent)
{
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), extent);
  return shape;
}

/// The places of an array within `size` elements of memory.
struct placed {
  extents shape;
  std::vector<std::ptrdiff_t> strides;
  std::size_t first = 0;
  std::size_t size = 0;

  std::size_t place(extents const& at) const
  {
    auto k = static_cast<std::ptrdiff_t>(first);
    for (std::size_t d = 0; d < at.size(); ++d) k += static_cast<std::ptrdiff_t>(at[d]) * strides[d];
    return static_cast<std::size_t>(k);
  }
  template <class T>
  array_view<T> view(T* memory) const
  {
    return {memory + first, shape, strides};
  }
  std::string shown() const
  {
    std::string text;
    for (std::size_t d = 0; d < shape.size(); ++d)
      text += " " + std::to_string(shape[d]) + "@" + std::to_string(strides[d]);
    return text;
  }
};

/// Row-major, without gaps.
inline placed row_major(extents const& shape)
{
  placed result{shape, std::vector<std::ptrdiff_t>(shape.size()), 0, product(shape)};
  std::ptrdiff_t step = 1;
  for (std::size_t d = shape.size(); d-- > 0; step *= static_cast<std::ptrdiff_t>(shape[d])) result.strides[d] = step;
  return result;
}

/// Axes in any order in memory, with gaps here and there, some from their ends; an input may repeat axes.
inline placed anywhere(extents const& shape, dice& of, bool is_input)
{
  std::size_t const rank = shape.size();
  placed result{shape, std::vector<std::ptrdiff_t>(rank), 0, 0};
  extents order(rank);
  for (std::size_t d = 0; d < rank; ++d) order[d] = d;
  if (of(2) == 0)
    for (std::size_t d = rank; d > 1; --d) std::swap(order[d - 1], order[of(d)]);
  std::size_t step = of(4) == 0 ? 1 + of(3) : 1;
  std::size_t last = 0;
  bool const flips = of(2) == 0, gaps = of(2) == 0, repeats = is_input && of(3) == 0;
  for (std::size_t k = rank; k-- > 0;) {
    std::size_t const d = order[k];
    std::size_t const reach = shape[d] == 0 ? 0 : shape[d] - 1;
    if (repeats && of(3) == 0) continue;
    result.strides[d] = static_cast<std::ptrdiff_t>(step);
    if (flips && of(2) == 0) {
      result.strides[d] = -result.strides[d];
      result.first += reach * step;
    }
    last += reach * step;
    step *= shape[d] == 0 ? 1 : shape[d];
    if (gaps && of(2) == 0) step += 1 + of(5);
  }
  result.size = last + 1;
  return result;
}

}  // namespace tally::test
