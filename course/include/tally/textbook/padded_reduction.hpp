#pragma once

#include "tally/textbook/in_order_reduction.hpp"

namespace tally::textbook {

/// The reduction in order, without bank conflicts.
///
/// Changes   in_order_reduction.hpp: the array has gaps (padded.hpp), of two levels, because with one the stride of 32
///           still meets in banks. The kernel is the same.
/// Assumes   what in_order_reduction does.
/// Work      as in_order_reduction.
/// Steps     as in_order_reduction. Its wavefronts and warps are those of `t < s`: so keeping the order costs nothing
///           but 64 words of shared memory for 2048.
/// Source    Harris, Sengupta, Owens (2007), for the gaps.
struct padded_reduction : in_order_reduction {
  static constexpr char const* name = "padded_reduction";
  static constexpr int levels_of_padding = 2;
};

}  // namespace tally::textbook
