#pragma once

#include <cstddef>

#include "soak/choices.hpp"
#include "tally/array_view.hpp"

/// Arrays of three axes that lie in memory in any order.
namespace tally::soak {

/// An array of three axes: their strides in memory without gaps, in an order and from ends that `drawn` tells.
struct arrangement {
  std::size_t extents[3];
  std::ptrdiff_t strides[3];
  std::ptrdiff_t first = 0;

  arrangement(std::size_t const (&shape)[3], std::size_t drawn) : extents{shape[0], shape[1], shape[2]}, strides{}
  {
    static constexpr int orders[6][3] = {{2, 1, 0}, {2, 0, 1}, {1, 2, 0}, {1, 0, 2}, {0, 2, 1}, {0, 1, 2}};
    std::ptrdiff_t step = 1;
    for (int const axis : orders[drawn % 6]) {
      bool const flipped = (drawn / 6 >> axis & 1) != 0 && extents[axis] > 0;
      strides[axis] = flipped ? -step : step;
      if (flipped) first += static_cast<std::ptrdiff_t>(extents[axis] - 1) * step;
      step *= static_cast<std::ptrdiff_t>(extents[axis]);
    }
  }
  std::size_t place(std::size_t const (&at)[3]) const
  {
    std::ptrdiff_t place = first;
    for (int d = 0; d < 3; ++d) place += static_cast<std::ptrdiff_t>(at[d]) * strides[d];
    return static_cast<std::size_t>(place);
  }
  template <class T>
  array_view<T> view(T* memory) const
  {
    return {memory + first, {extents[0], extents[1], extents[2]}, {strides[0], strides[1], strides[2]}};
  }
};

/// The extents of an array whose sequences along `axis` have n elements, and of which there are as many as fit.
inline void choose_shape(choices& of, std::size_t n, std::size_t axis, std::size_t (&shape)[3])
{
  std::size_t const room = (std::size_t{1} << 22) / (n + 1);
  std::size_t const most = room < 300 ? room + 1 : 300;
  for (std::size_t d = 0, rest = room + 1; d < 3; ++d) {
    shape[d] = 1 + of.number(d == 0 ? "extent0" : d == 1 ? "extent1" : "extent2", 0, most - 1) % rest;
    if (d == axis)
      shape[d] = n;
    else
      rest = rest / shape[d] < 1 ? 1 : rest / shape[d];
  }
}

}  // namespace tally::soak
