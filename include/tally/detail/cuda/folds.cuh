#pragma once

#include <type_traits>

#include "tally/detail/cuda/carry_fold.cuh"

/// The folds of each kernel: the number of spans side by side, and the number on their way at a time.
namespace tally::cuda_backend {

/// In a scan: the spans between two tiles of a warp if 132 blocks work, with the spans in which these tiles lie.
template <class T, class Op, int Folders = 1>
using scan_fold = carry_fold<T, Op, 5 * Folders,
                             words_of<working_type<T>> <= 2                   ? 5
                             : words_of<working_type<T>> <= 4 && Folders == 2 ? 2
                                                                              : 1>;

/// In a block with one tile, for each of its warps.
template <class T, class Op, int Warps>
using own_tile_fold = carry_fold<T, Op, Warps == 8 && words_of<working_type<T>> <= 4 ? 3 : 1>;

/// In a reduction, for each warp of the block that folds: as many spans as the registers hold that the other blocks
/// leave. Wide values, whose operators take longest, have as many as fit shared memory. Found in trials for two words:
/// doubles are 6 % quicker at 2^23 with two spans, both on their way, than with four, one on its way; affine maps reach
/// 0.80 of the read limit with two spans, 0.97 with four.
template <class T, class Op, int Words = static_cast<int>(words_of<working_type<T>>),
          bool Arithmetic = std::is_arithmetic_v<working_type<T>>>
using reduction_fold = carry_fold<T, Op,
                                  (Words == 1                 ? 4
                                   : Words == 2 && Arithmetic ? 2
                                   : Words == 2               ? 4
                                   : Words <= 4               ? 8
                                   : Words <= 8               ? 4
                                   : Words <= 16              ? 2
                                                              : 1),
                                  (Words == 1   ? 4
                                   : Words == 2 ? (Arithmetic ? 2 : 1)
                                   : Words <= 4 ? 2
                                                : 1),
                                  512>;

}  // namespace tally::cuda_backend
