#pragma once

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
  std::ptrdiff_t in = 0;            ///< the elements; of a recurrence, its additive terms b
  std::ptrdiff_t out = 0;           ///< the results of a scan; of a reduction, its one result a sequence
  std::ptrdiff_t initial = 0;       ///< the initial values, one a sequence
  std::ptrdiff_t last = 0;          ///< the values after the last elements, one a sequence
  std::ptrdiff_t coefficients = 0;  ///< of a recurrence, its factors a

  /// Goes on by `count` steps.
  TALLY_HD constexpr void move(distances const& step, std::ptrdiff_t count)
  {
    in += count * step.in;
    out += count * step.out;
    initial += count * step.initial;
    last += count * step.last;
    coefficients += count * step.coefficients;
  }

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
  dimension along;                         ///< the sequence itself; `initial` and `last` are 0
  int dimensions = 0;                      ///< of `across` that are in use
  dimension across[most_dimensions] = {};  ///< the outermost one first; all extents at least 2 if simplified

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
      at.move(axis.step, index);
    }
    return at;
  }
};

/// Describes the same sequences by as few of the `count` dimensions as possible, and returns how many are left: none of
/// one index; neighbours that lie in all arrays as one axis would are one. The outermost dimension comes first; the
/// innermost becomes the one whose results are nearest to each other. No sequence depends on another, so their numbers
/// may change.
/// Requires  all extents are positive.
constexpr int simplify(dimension* axes, int count)
{
  auto const magnitude = [](std::ptrdiff_t step) { return step < 0 ? -step : step; };
  auto const farther = [&](distances const& a, distances const& b) {
    return magnitude(a.out) != magnitude(b.out) ? magnitude(a.out) > magnitude(b.out)
                                                : magnitude(a.in) > magnitude(b.in);
  };
  int sorted = 0;
  for (int d = 0; d < count; ++d) {
    dimension const axis = axes[d];
    if (axis.extent == 1) continue;
    int at = sorted++;  // insertion, farther steps first
    for (; at > 0 && farther(axis.step, axes[at - 1].step); --at) axes[at] = axes[at - 1];
    axes[at] = axis;
  }
  int kept = 0;
  for (int d = 1; d < sorted; ++d) {
    dimension& outer = axes[kept];
    dimension const& inner = axes[d];
    distances whole;
    whole.move(inner.step, static_cast<std::ptrdiff_t>(inner.extent));
    if (outer.step == whole)
      outer = {outer.extent * inner.extent, inner.step};
    else
      axes[++kept] = inner;
  }
  return sorted == 0 ? 0 : kept + 1;
}

/// The same sequences with as few dimensions as possible (`simplify`).
constexpr layout simplified(layout given)
{
  given.dimensions = simplify(given.across, given.dimensions);
  return given;
}

}  // namespace tally::detail::batch
