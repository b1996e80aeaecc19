#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "tally/cuda_execution.hpp"
#include "tally/detail/cuda/handover.hpp"
#include "tally/detail/cuda/tuning.hpp"

/// The choice of the kernel for a call: a function of the call, the device and the tuning. It needs no GPU, and the
/// choice is made nowhere else.
namespace tally::cuda_backend {

/// Every kernel of a call. The first `resident_kernels` are launched with as many blocks as run at once.
enum class kernel {
  striped,
  own_tiles,
  own_tiles_in_pairs,  ///< two blocks on each multiprocessor
  ring,
  drawn_tiles,
  reduction,
  own_reduction,
  nothing,
  one_row,  ///< one tile at most, by eight warps with a row each
  four_rows,
  eight_rows,
  cluster,
};
inline constexpr std::size_t resident_kernels = 6;
inline constexpr std::size_t kernels = static_cast<std::size_t>(kernel::cluster) + 1;

/// The name of the path that a kernel is (path.hpp).
constexpr char const* path_of(kernel which)
{
  switch (which) {
    case kernel::striped: return "cuda: striped";
    case kernel::own_tiles: return "cuda: own tiles";
    case kernel::own_tiles_in_pairs: return "cuda: own tiles in pairs";
    case kernel::ring: return "cuda: ring";
    case kernel::drawn_tiles: return "cuda: drawn tiles";
    case kernel::reduction: return "cuda: reduction";
    case kernel::own_reduction: return "cuda: reduction of own tiles";
    case kernel::nothing: return "cuda: nothing";
    case kernel::one_row: return "cuda: one tile, one row";
    case kernel::four_rows: return "cuda: one tile, four rows";
    case kernel::eight_rows: return "cuda: one tile, eight rows";
    case kernel::cluster: return "cuda: cluster";
  }
  return "";
}

/// The properties of a call that decide its kernel.
struct call_shape {
  std::size_t size;   ///< elements, one at least
  std::size_t strip;  ///< elements in a strip of the order
  std::size_t tile;   ///< elements in a tile
  std::size_t words;  ///< words of a tile's total
  bool reduces;
  bool takes_steps;              ///< the output takes steps, which only the striped kernel gives
  bool whole_words;              ///< totals are multiples of four bytes, which blocks of a cluster can send
  std::size_t striped_tile;      ///< elements in a tile of the striped kernel; 0 if it cannot take such a call
  std::uint32_t most_own_tiles;  ///< tiles that blocks with one tile each can fold; 0 if they cannot take such a call
  bool narrow;                   ///< two blocks with one tile each fit a multiprocessor
  bool fits_ring;                ///< elements in memory, aligned to 16 bytes, in tiles of which the ring holds enough

  constexpr std::size_t tiles() const { return size / tile + (size % tile != 0); }
  constexpr std::size_t striped_tiles() const { return size / striped_tile + (size % striped_tile != 0); }
};

/// The resources of a call: the workspace and the device.
struct call_means {
  execution::workspace::path requested = execution::workspace::path::automatic;
  int most_blocks = 0;       ///< the most blocks of a launch; 0 for no limit
  std::size_t capacity = 0;  ///< words in the workspace
  int compute_capability = 90;
  int processors = 1;
};

struct choice {
  kernel which;
  unsigned blocks;
  char const* because;
};

/// Chooses the kernel. `blocks_at_once(kernel)` gives the number of a kernel's blocks that run at once on the device.
/// It is called only for kernels that are considered.
template <class BlocksAtOnce>
choice choose(call_shape const& shape, call_means const& means, tuning const& by, BlocksAtOnce const& blocks_at_once)
{
  using path = execution::workspace::path;
  bool const automatic = means.requested == path::automatic;
  // A block for each tile: where that is the best way, and in tests also where it is not.
  bool const forced = means.requested == path::own_tiles || means.requested == path::backwards;
  bool const may_own_tiles = shape.most_own_tiles != 0 && (automatic || forced) && means.most_blocks == 0;
  std::size_t const most_own_tiles = std::min(shape.most_own_tiles, by.own_tiles);
  std::size_t const tiles = shape.tiles();
  // Blocks that share out `work` tiles: each draws as many as it has time for.
  auto const sharing = [&](kernel which, std::size_t work, char const* because) {
    int const resident = blocks_at_once(which);
    int const blocks = means.most_blocks > 0 ? std::min(resident, means.most_blocks) : resident;
    return choice{which, static_cast<unsigned>(std::min(work, static_cast<std::size_t>(blocks))), because};
  };

  if (shape.takes_steps) return sharing(kernel::striped, shape.striped_tiles(), "the output takes steps");

  if (tiles <= by.one_block_tiles && automatic) {
    bool const few = shape.size <= by.one_row_strips * shape.strip;
    bool const some = shape.size <= by.four_row_strips * shape.strip;
    return {few ? kernel::one_row : some ? kernel::four_rows : kernel::eight_rows, 1, "one tile at most"};
  }
  if (shape.reduces && may_own_tiles && tiles <= most_own_tiles)
    return {kernel::own_reduction, static_cast<unsigned>(tiles) + 1, "a block for each tile"};
  if (tiles <= by.cluster_tiles && automatic && shape.whole_words && means.compute_capability >= 90)
    return {kernel::cluster, tiles <= 2 ? 2u : tiles <= 4 ? 4u : 8u, "a tile for each block of a cluster"};

  if (shape.reduces) {  // one block folds, the others total tiles
    int const resident = std::max(1, blocks_at_once(kernel::reduction) - 1);
    int const workers = means.most_blocks > 0 ? std::min(resident, means.most_blocks) : resident;
    return {kernel::reduction, static_cast<unsigned>(std::min(tiles, static_cast<std::size_t>(workers))) + 1,
            "more tiles than a cluster has blocks"};
  }

  // A workspace that cannot grow may have room for the totals of the order's larger tiles only.
  if (shape.striped_tile != 0 && automatic && shape.striped_tiles() < folder_ticket &&
      shape.striped_tiles() * shape.words <= means.capacity)
    return sharing(kernel::striped, shape.striped_tiles(), "a function gives elements or takes results");

  if (may_own_tiles) {
    auto const fits = [&](kernel which, int a_processor) {
      return tiles <= most_own_tiles &&
             tiles <= static_cast<std::size_t>(std::min(blocks_at_once(which), means.processors * a_processor));
    };
    // Two blocks on a multiprocessor take 0.5 us longer than one if one is enough, since each has half of the
    // registers.
    if ((forced && tiles <= most_own_tiles) || fits(kernel::own_tiles, 1))
      return {kernel::own_tiles, static_cast<unsigned>(tiles), "a tile for each multiprocessor at most"};
    if (shape.narrow && fits(kernel::own_tiles_in_pairs, 2))
      return {kernel::own_tiles_in_pairs, static_cast<unsigned>(tiles), "two tiles for each multiprocessor at most"};
  }

  if (shape.fits_ring && (automatic || means.requested == path::ring) && means.compute_capability >= 90)
    return sharing(kernel::ring, tiles, "many tiles in memory, aligned to 16 bytes");
  return sharing(kernel::drawn_tiles, tiles, "no other kernel takes such a call");
}

}  // namespace tally::cuda_backend
