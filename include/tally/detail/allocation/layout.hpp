#pragma once

#include <cstdint>

#include "tally/config.hpp"
#include "tally/detail/allocation/sizes.hpp"

namespace tally::detail::allocation {

/// The layout of consecutive pieces, each at a multiple of its own power of two. It is the map from the end of the
/// piece before them to the end of the last of them:
///
///     x -> round_up(x + before, alignment) + after
///
/// Such maps are closed under composition, since every multiple of the greater alignment is a multiple of the smaller
/// one too.
struct layout {
  std::uint64_t before;
  std::uint64_t alignment;
  std::uint64_t after;

  TALLY_HD constexpr std::uint64_t end_from(std::uint64_t x) const
  {
    return saturating_sum(round_up(saturating_sum(x, before), alignment), after);
  }
  friend constexpr bool operator==(layout const&, layout const&) = default;
};

/// The layout of the pieces of f followed by those of g. One rounding to the greater alignment is left: its multiples
/// are multiples of the smaller alignment too, to which the distance `between` the two can therefore be rounded
/// beforehand.
struct layout_composition {
  static constexpr bool exactly_associative = true;

  TALLY_HD constexpr layout operator()(layout const& f, layout const& g) const
  {
    std::uint64_t const between = saturating_sum(f.after, g.before);
    if (g.alignment >= f.alignment)
      return {saturating_sum(f.before, round_up(between, f.alignment)), g.alignment, g.after};
    return {f.before, f.alignment, saturating_sum(round_up(between, g.alignment), g.after)};
  }
};

}  // namespace tally::detail::allocation
