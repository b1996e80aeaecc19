#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "tally/config.hpp"

/// Arithmetic of places that does not wrap: what is too large stays `no_size`, which is larger than any capacity.
namespace tally::detail {

inline constexpr std::uint64_t no_size = ~std::uint64_t{0};

/// A count as a size; of a negative one `no_size`.
template <class Count>
TALLY_HD constexpr std::uint64_t size_of_count(Count count)
{
  static_assert(std::is_integral_v<Count>, "tally: sizes and alignments of pieces are integers");
  if constexpr (std::is_signed_v<Count>)
    return count < 0 ? no_size : static_cast<std::uint64_t>(count);
  else
    return count;
}

TALLY_HD constexpr std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b)
{
  std::uint64_t const sum = a + b;
  return sum < a ? no_size : sum;
}

/// The least multiple of `alignment` that is not below `size`.
TALLY_HD constexpr std::uint64_t round_up(std::uint64_t size, std::uint64_t alignment)
{
  std::uint64_t const low = alignment - 1;
  std::uint64_t const over = (alignment & low) == 0 ? size & low : size % alignment;
  return over == 0 ? size : saturating_sum(size, alignment - over);
}

struct join_sizes {
  static constexpr bool exactly_associative = true;
  TALLY_HD constexpr std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const { return saturating_sum(a, b); }
};

/// Pieces that are placed one behind the other, each at a multiple of its own power of two, as the map of where they
/// begin to where they end:
///
///     x -> round_up(x + before, alignment) + after
///
/// Such maps are closed under composition, since what stands at a multiple of the greater alignment stands at one of
/// the smaller too.
struct placement {
  std::uint64_t before;
  std::uint64_t alignment;
  std::uint64_t after;

  TALLY_HD constexpr std::uint64_t end_from(std::uint64_t x) const
  {
    return saturating_sum(round_up(saturating_sum(x, before), alignment), after);
  }
  friend constexpr bool operator==(placement const&, placement const&) = default;
};

/// The pieces of f and then those of g. What is between the two last pieces of the greatest alignment is a multiple of
/// it, rounded up.
struct join_placements {
  static constexpr bool exactly_associative = true;

  TALLY_HD constexpr placement operator()(placement const& f, placement const& g) const
  {
    std::uint64_t const between = saturating_sum(f.after, g.before);
    if (g.alignment >= f.alignment)
      return {saturating_sum(f.before, round_up(between, f.alignment)), g.alignment, g.after};
    return {f.before, f.alignment, saturating_sum(round_up(between, g.alignment), g.after)};
  }
};

}  // namespace tally::detail
