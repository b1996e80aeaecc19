#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/config.hpp"

/// The heads of segments, a bit for each element. Elements are counted in parts of 1024.
namespace tally::detail::batch {

/// The number of heads in some parts, fewer than 2^40, and the number of parts without any. Both are added up as one
/// integer. The second is right for fewer than 2^34 elements.
struct head_counts {
  static constexpr int bits = 40;
  std::uint64_t packed;

  TALLY_HD static head_counts of_part(std::uint32_t heads) { return {heads != 0 ? heads : std::uint64_t{1} << bits}; }
  TALLY_HD std::size_t heads() const { return static_cast<std::size_t>(packed & ((std::uint64_t{1} << bits) - 1)); }
  TALLY_HD std::size_t empty_parts() const { return static_cast<std::size_t>(packed >> bits); }
  /// Whether n elements have segments of `most_mean` elements on average at most, and each part has a head, so that no
  /// segment has as many elements as two parts.
  TALLY_HD bool are_short(std::size_t n, std::size_t most_mean) const
  {
    return empty_parts() == 0 && n <= heads() * most_mean;
  }
};

/// The heads of n elements, n > 0, in the memory of a device.
struct marked_heads {
  static constexpr std::size_t part = 1024;  ///< elements

  std::uint32_t const* bits;  ///< one for each element of whole parts
  std::uint64_t const* upto;  ///< head_counts of the parts up to each
  std::size_t n;

  TALLY_HD std::size_t parts() const { return (n + part - 1) / part; }
  TALLY_HD std::size_t words() const { return parts() * (part / 32); }
  /// Of all elements.
  TALLY_HD head_counts counts() const { return {upto[parts() - 1]}; }
  /// The heads in the parts up to that of element k.
  TALLY_HD std::size_t heads_upto(std::size_t k) const { return head_counts{upto[k / part]}.heads(); }
};

}  // namespace tally::detail::batch
