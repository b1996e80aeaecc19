#pragma once

#include <cstdint>
#include <type_traits>

#include "tally/config.hpp"

/// Sizes and their sums, which do not wrap.
namespace tally::detail::allocation {

/// Stands for a negative size and for every sum above 2^64 - 2. It is larger than any capacity, and stays what it is in
/// further sums.
inline constexpr std::uint64_t invalid_size = ~std::uint64_t{0};

/// The caller's size or alignment as a number of 64 bits.
template <class Given>
TALLY_HD constexpr std::uint64_t size_of(Given given)
{
  static_assert(std::is_integral_v<Given>, "tally: sizes and alignments of pieces are integers");
  if constexpr (std::is_signed_v<Given>)
    return given < 0 ? invalid_size : static_cast<std::uint64_t>(given);
  else
    return given;
}

TALLY_HD constexpr std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b)
{
  std::uint64_t const sum = a + b;
  return sum < a ? invalid_size : sum;
}

/// The least multiple of `alignment` that is at least `size`.
TALLY_HD constexpr std::uint64_t round_up(std::uint64_t size, std::uint64_t alignment)
{
  std::uint64_t const low = alignment - 1;
  std::uint64_t const over = (alignment & low) == 0 ? size & low : size % alignment;
  return over == 0 ? size : saturating_sum(size, alignment - over);
}

/// Addition that saturates: min(a + b, invalid_size), which is associative.
struct saturating_plus {
  static constexpr bool exactly_associative = true;
  TALLY_HD constexpr std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const { return saturating_sum(a, b); }
};

}  // namespace tally::detail::allocation
