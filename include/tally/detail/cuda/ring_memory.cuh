#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include "tally/detail/cuda/asynchronous.cuh"
#include "tally/detail/cuda/folds.cuh"
#include "tally/detail/cuda/left_operand.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/order.hpp"

/// What the warps of ring_kernel share.
namespace tally::cuda_backend {

/// The warps of a block: a loader, and these. Sixteen have 128 registers each; wide operators need the 168 of twelve.
/// Found in trials: one folder is slower than the memory where operators are wide; 8 reducers are no faster than 4; 4
/// scanners cost 0.5 % at 2^28.
template <class T, class Op>
struct ring_shape {
  static constexpr bool wide = sizeof(carry_type<Op, T>) > 16;
  static constexpr int folders =
      wide || std::is_arithmetic_v<working_type<T>> ? 1 : 2;  ///< each for its share of the block's tiles
  static constexpr int reducers = wide ? 2 : 4;               ///< four strips each, or two
  static constexpr int scanners = 8;                          ///< a strip each
  static constexpr int threads = (1 + folders + reducers + scanners) * warp_lanes;
};
inline constexpr int ring_parts = 4;  ///< copies a tile comes in

/// The shared memory of a block.
template <class P>
struct ring_memory {
  using T = typename P::element;
  using Op = typename P::operation;
  using W = working_type<T>;
  using left = left_operand<W, Op>;
  using stored = std::remove_cv_t<std::iter_value_t<typename P::input>>;
  using shape = ring_shape<T, Op>;
  using fold = scan_fold<T, Op, shape::folders>;
  static_assert(shape::scanners == order::tile_strips);

  static constexpr std::size_t tile_bytes = order::tile<T> * sizeof(stored);
  static constexpr std::size_t part_bytes = tile_bytes / ring_parts;
  /// Found in trials before this, for tiles of 32 KiB: 6 tiles, and at most 6 parts of them on their way (here 5, 6 and
  /// 7 parts are alike). With 4 tiles 3.5 % slower, with 7 nothing gained; with 4, 5, 8 parts .89, .963, .973 of the
  /// copy where 6 give .973.
  static constexpr int stages = static_cast<int>(std::clamp<std::size_t>(196608 / tile_bytes, 2, 12));
  static constexpr int parts_on_their_way =
      static_cast<int>(std::clamp<std::size_t>(49152 / part_bytes, 2, stages* ring_parts));
  static constexpr int strips = static_cast<int>(order::tile_strips);
  static constexpr int rows = static_cast<int>(order::strip_rows);

  alignas(128) unsigned char tiles[stages][tile_bytes];
  uninitialized<W> row_totals[stages][strips][rows];
  uninitialized<left> before_rows[stages][strips][rows];
  uninitialized<left> last_before[stages];  // what precedes the group of the last element in its row
  uninitialized<W> last_own[stages];        // that group up to the element
  uninitialized<W> lasts[stages][strips];   // the tile-local values of the strips' last elements, for exclusive scans
  uninitialized<typename fold::before> before_tile[stages];
  uninitialized<typename fold::shared> fold_memory[shape::folders];
  std::uint32_t drawn[stages];
  std::uint32_t epoch;

  arrival draw_known[stages];  // for the folder
  arrival arrived[stages][ring_parts];
  arrival reduced[stages];  // what precedes each row is known
  arrival carried[stages];  // what precedes the tile is known
  arrival last_known[stages][strips];
  arrival free[stages];

  __device__ stored const* tile(int stage) const { return reinterpret_cast<stored const*>(tiles[stage]); }

  /// Where a whole warp has read what will be written over, each lane arrives: that takes no longer than one behind a
  /// __syncwarp.
  __device__ void begin()
  {
    for (int s = 0; s < stages; ++s) {
      draw_known[s].begin(1);
      for (arrival& part : arrived[s]) part.begin(1);
      for (arrival& last : last_known[s]) last.begin(1);
      reduced[s].begin(strips);
      carried[s].begin(warp_lanes);
      free[s].begin(shape::scanners * warp_lanes);
    }
    fence_asynchronous();
  }
};

/// Where a warp is in the ring: tile after tile of its block.
template <int Stages>
struct ring_position {
  int stage = 0;
  std::uint32_t phase = 0;
  __device__ void step()
  {
    if (++stage == Stages) {
      stage = 0;
      phase ^= 1;
    }
  }
};

}  // namespace tally::cuda_backend
