#pragma once

#include <array>
#include <cstddef>

#include "tally/config.hpp"

/// Many sequences in memory at regular places: how the calls on a batch (docs/batches.md) tell a backend where they
/// lie.
namespace tally::detail::batch {

/// Axes of an array besides the one along which sequences lie.
inline constexpr int most_dimensions = 8;

/// The distances between neighbours along an axis, in elements of each array. They may be negative, and 0 where an
/// input is repeated. An array that a call does not have has distances of 0.
struct distances {
  std::ptrdiff_t in = 0;       ///< the elements
  std::ptrdiff_t out = 0;      ///< the results of a scan; of a reduction, its one result a sequence
  std::ptrdiff_t initial = 0;  ///< the initial values, one a sequence
  std::ptrdiff_t last = 0;     ///< the values after the last elements, one a sequence

  friend constexpr bool operator==(distances const&, distances const&) = default;
};

/// An axis of an array: its extent, and how far its neighbours are from each other.
struct dimension {
  std::size_t extent = 1;
  distances step;
};

/// Sequences of one length. Element k of the sequence with the indices (i[0], i[1], ...) lies at
/// k * along.step.in + i[0] * across[0].step.in + i[1] * across[1].step.in + ... from the first element of the first
/// sequence; results and the rest likewise.
struct layout {
  dimension along;                                  ///< the sequence itself; `initial` and `last` are 0
  int dimensions = 0;                               ///< of `across` that are in use
  std::array<dimension, most_dimensions> across{};  ///< the outermost one first; all extents at least 2 if simplified

  TALLY_HD constexpr std::size_t sequences() const
  {
    std::size_t product = 1;
    for (int d = 0; d < dimensions; ++d) product *= across[static_cast<std::size_t>(d)].extent;
    return product;
  }

  /// The distances of sequence s from sequence 0. Sequences are numbered with the last dimension running fastest.
  TALLY_HD constexpr distances place(std::size_t s) const
  {
    distances at;
    for (int d = dimensions; d-- > 0;) {
      dimension const& axis = across[static_cast<std::size_t>(d)];
      auto const index = static_cast<std::ptrdiff_t>(s % axis.extent);
      s /= axis.extent;
      at.in += index * axis.step.in;
      at.out += index * axis.step.out;
      at.initial += index * axis.step.initial;
      at.last += index * axis.step.last;
    }
    return at;
  }
};

/// The same sequences with as few dimensions as possible: none of one index; neighbours that lie in all arrays as one
/// axis would are one. The innermost dimension becomes the one whose results are nearest to each other. No sequence
/// depends on another, so their numbers may change.
/// Requires  all extents are positive.
constexpr layout simplified(layout const& given)
{
  layout result{given.along, 0, {}};
  auto const magnitude = [](std::ptrdiff_t step) { return step < 0 ? -step : step; };
  auto const farther = [&](distances const& a, distances const& b) {
    return magnitude(a.out) != magnitude(b.out) ? magnitude(a.out) > magnitude(b.out)
                                                : magnitude(a.in) > magnitude(b.in);
  };
  for (int d = 0; d < given.dimensions; ++d) {
    dimension const axis = given.across[static_cast<std::size_t>(d)];
    if (axis.extent == 1) continue;
    int at = result.dimensions++;  // insertion, farther steps first
    for (; at > 0 && farther(axis.step, result.across[static_cast<std::size_t>(at - 1)].step); --at)
      result.across[static_cast<std::size_t>(at)] = result.across[static_cast<std::size_t>(at - 1)];
    result.across[static_cast<std::size_t>(at)] = axis;
  }
  int kept = 0;
  for (int d = 1; d < result.dimensions; ++d) {
    dimension& outer = result.across[static_cast<std::size_t>(kept)];
    dimension const& inner = result.across[static_cast<std::size_t>(d)];
    auto const n = static_cast<std::ptrdiff_t>(inner.extent);
    distances const whole{n * inner.step.in, n * inner.step.out, n * inner.step.initial, n * inner.step.last};
    if (outer.step == whole)
      outer = {outer.extent * inner.extent, inner.step};
    else
      result.across[static_cast<std::size_t>(++kept)] = inner;
  }
  if (result.dimensions > 0) result.dimensions = kept + 1;
  return result;
}

}  // namespace tally::detail::batch
