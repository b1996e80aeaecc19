#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include "tally/detail/cuda/asynchronous.cuh"
#include "tally/detail/cuda/elements.cuh"
#include "tally/detail/cuda/folds.cuh"
#include "tally/detail/cuda/left_operand.cuh"
#include "tally/detail/cuda/problem.cuh"
#include "tally/detail/cuda/results.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/order.hpp"

/// The shared memory through which the warps of ring_kernel (ring.cuh) pass tiles on, and how many warps there are.
namespace tally::cuda_backend {

/// The warps of a block: a loader, and these. Threads of sixteen warps have 128 registers each; wide operators need the
/// 168 of twelve warps. Found in trials: one folder is slower than the memory if operators are wide; 8 reducers are no
/// faster than 4; 4 scanners cost 0.5 % at 2^28.
template <class T, class Op>
struct ring_shape {
  static constexpr bool wide = sizeof(carry_type<Op, T>) > 16;
  static constexpr int folders =
      wide || std::is_arithmetic_v<working_type<T>> ? 1 : 2;  ///< each for its share of the block's tiles
  static constexpr int reducers = wide ? 2 : 4;               ///< four strips each, or two
  static constexpr int scanners = 8;                          ///< a strip each
  static constexpr int threads = (1 + folders + reducers + scanners) * warp_lanes;
};
inline constexpr int ring_parts = 4;  ///< copies for each tile

/// A tile of a batch's sequence, as the loader finds it for the other warps.
template <class P>
struct drawn_tile {
  tile_place place;
  typename P::output out;  ///< of the sequence
  int gap;                 ///< elements before the tile's first one in the aligned word that this lies in
};

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
  /// Found in trials of an earlier kernel, for tiles of 32 KiB: 6 tiles, and at most 6 parts of them on their way (in
  /// this kernel 5, 6 and 7 parts are alike). 4 tiles were 3.5 % slower and 7 gained nothing; 4, 5 and 8 parts gave
  /// .89, .963 and .973 of the copy, where 6 gave .973.
  static constexpr int stages = static_cast<int>(std::clamp<std::size_t>(196608 / tile_bytes, 2, 12));
  /// Batches have 8 parts on their way: rows of 65536 floats gain .02 of the copy, rows of 2^20 .01.
  static constexpr std::size_t bytes_on_their_way = P::is_batch ? 65536 : 49152;
  static constexpr int parts_on_their_way =
      static_cast<int>(std::clamp<std::size_t>(bytes_on_their_way / part_bytes, 2, stages* ring_parts));
  static constexpr int strips = static_cast<int>(order::tile_strips);
  static constexpr int rows = static_cast<int>(order::strip_rows);

  static constexpr bool shifted = is_shifted<typename P::input>;
  static constexpr std::size_t word_bytes = shifted ? 16 : 0;  // a tile that is not aligned takes a word more

  alignas(128) unsigned char tiles[stages][tile_bytes + word_bytes];
  uninitialized<W> row_totals[stages][strips][rows];
  uninitialized<left> before_rows[stages][strips][rows];
  uninitialized<left> last_before[stages];            // the fold before the last element's group, in its row
  uninitialized<W> last_own[stages];                  // the fold of that group up to the element
  uninitialized<W> totals[P::is_batch ? stages : 1];  // of the tiles, for the values after sequences
  uninitialized<W> lasts[stages][strips];  // the tile-local values of the strips' last elements, for exclusive scans
  uninitialized<typename fold::before> before_tile[stages];
  uninitialized<typename fold::shared> fold_memory[shape::folders];
  std::uint32_t drawn[stages];
  std::conditional_t<P::is_batch, uninitialized<drawn_tile<P>>, char> found[P::is_batch ? stages : 1];
  std::uint32_t epoch;

  /// The place of the tile in a stage.
  __device__ tile_place place(int stage, std::uint32_t tile, P const& problem)
  {
    if constexpr (P::is_batch)
      return found[stage]->place;
    else
      return problem.place_of(tile);
  }
  __device__ auto destination(int stage, tile_place const& at, P const& problem)
  {
    if constexpr (P::is_batch)
      return cuda_backend::destination<T, typename P::output>{found[stage]->out, at.end, problem.aligned_out,
                                                              problem.what == work::exclusive_scan};
    else
      return problem.destination_of(at);
  }

  /// Waits until the elements of a strip are there.
  __device__ __forceinline__ void wait_for_strip(int stage, int strip, std::uint32_t phase)
  {
    int const part = strip * ring_parts / strips;
    // Copies may end in any order. A part that is not aligned ends with the first word of the strip behind it.
    if (shifted && part > 0) arrived[stage][part - 1].wait(phase);
    arrived[stage][part].wait(phase);
  }

  arrival draw_known[stages];  // for the folder
  arrival arrived[stages][ring_parts];
  arrival totalled[stages];  // the totals of all rows are there
  arrival reduced[stages];   // the fold before each row is known
  arrival carried[stages];   // the values before the tile are known
  arrival last_known[stages][strips];
  arrival free[stages];

  /// The elements of the tile in a stage. A sequence that runs backwards through memory does so here: its tile's first
  /// element is the last of the stage.
  __device__ auto tile(int stage, P const& problem)
  {
    auto const* const first = reinterpret_cast<stored const*>(tiles[stage]);
    if constexpr (shifted)
      return unaligned<stored const>{first + found[stage]->gap};
    else if constexpr (is_strided<typename P::input>)
      return problem.in_step > 0 ? strided<stored const>{first, 1}
                                 : strided<stored const>{first + order::tile<T> - 1, -1};
    else
      return first;
  }
  using tile_elements =
      std::conditional_t<shifted, unaligned<stored const>,
                         std::conditional_t<is_strided<typename P::input>, strided<stored const>, stored const*>>;

  /// Begins all barriers. Where a whole warp has read memory that will be overwritten, each lane arrives: that takes no
  /// longer than one arrival after a __syncwarp.
  __device__ void begin()
  {
    for (int s = 0; s < stages; ++s) {
      draw_known[s].begin(1);
      for (arrival& part : arrived[s]) part.begin(1);
      for (arrival& last : last_known[s]) last.begin(1);
      totalled[s].begin(shape::reducers * warp_lanes);
      reduced[s].begin(strips);
      carried[s].begin(warp_lanes);
      free[s].begin(shape::scanners * warp_lanes);
    }
    fence_asynchronous();
  }
};

}  // namespace tally::cuda_backend
