#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "tally/detail/cuda/choice.hpp"
#include "tally/detail/cuda/tuning.hpp"

/// The choice of the kernel for a batch of sequences: a function of the batch, the device and the tuning, as choice.hpp
/// has for one sequence.
namespace tally::cuda_backend {

enum class sequences_kernel {
  ring,
  drawn_tiles,
  reduction,   ///< a tile a block
  few_slots,   ///< a warp has several sequences, or one of several rows, in few registers
  many_slots,  ///< ... in many
  aligned,     ///< ... in many, with whole aligned groups in one dimension
  spans,       ///< the same for sequences without a gap between them
  totals,      ///< reductions of short sequences, by the totals of their groups
  one_row,     ///< a block has a sequence of a tile at most, a row a warp
  four_rows,
  eight_rows,
  scanning_warps,  ///< a warp scans a sequence of a tile at most
  warps,           ///< a warp reduces one
};
/// Those of the first so many are launched with as many blocks as run at once.
inline constexpr std::size_t resident_sequences_kernels = 2;
inline constexpr std::size_t sequences_kernels = static_cast<std::size_t>(sequences_kernel::warps) + 1;

constexpr char const* path_of(sequences_kernel which)
{
  switch (which) {
    case sequences_kernel::ring: return "cuda: sequences, ring";
    case sequences_kernel::drawn_tiles: return "cuda: sequences, drawn tiles";
    case sequences_kernel::reduction: return "cuda: sequences, reduction";
    case sequences_kernel::few_slots: return "cuda: sequences, few slots a warp";
    case sequences_kernel::many_slots: return "cuda: sequences, many slots a warp";
    case sequences_kernel::aligned: return "cuda: sequences, aligned slots";
    case sequences_kernel::spans: return "cuda: sequences, spans of memory";
    case sequences_kernel::totals: return "cuda: sequences, totals of rows";
    case sequences_kernel::one_row: return "cuda: sequences, a block each, one row";
    case sequences_kernel::four_rows: return "cuda: sequences, a block each, four rows";
    case sequences_kernel::eight_rows: return "cuda: sequences, a block each, eight rows";
    case sequences_kernel::scanning_warps: return "cuda: sequences, a warp each, scans";
    case sequences_kernel::warps: return "cuda: sequences, a warp each";
  }
  return "";
}

/// The properties of a batch that decide its kernel.
struct sequences_shape {
  std::size_t size;       ///< elements of a sequence, one at least
  std::size_t sequences;  ///< one at least
  std::size_t row;        ///< elements in a row of the order
  std::size_t tile;       ///< elements in a tile
  int few_slots;          ///< rows that a warp holds, 8 at most
  int many_slots;
  bool reduces;
  int aligned_slots;    ///< rows that a warp holds of aligned sequences; 0 if these are not
  bool is_span;         ///< sequences follow each other without a gap, of elements that fill groups of 16 bytes
  bool has_totals;      ///< a reduction of neighbours in memory by an operator with an identity
  bool are_neighbours;  ///< a scan of neighbours in memory, aligned or of elements that fill groups of 16 bytes
  bool fits_ring;       ///< elements in memory, neighbours in steps of one, each sequence aligned to 16 bytes
};

struct sequences_choice {
  sequences_kernel which;
  std::size_t blocks;
  int warps;   ///< of a block
  int rounds;  ///< of a block, one after the other
  char const* because;
};

template <class BlocksAtOnce>
sequences_choice choose(sequences_shape const& shape, call_means const& means, tuning const& by,
                        BlocksAtOnce const& blocks_at_once)
{
  using which = sequences_kernel;
  constexpr std::size_t most_blocks = 0x7fffffff;  // of a launch
  std::size_t const rows = (shape.size + shape.row - 1) / shape.row;
  auto const processors = static_cast<std::size_t>(means.processors);

  // Few sequences of several rows are sooner done by several warps each.
  bool const few = shape.sequences <= processors * by.sequences_by_blocks;
  bool const may_ring =
      shape.fits_ring && !shape.reduces && means.compute_capability >= 90 &&
      (means.requested == execution::workspace::path::automatic || means.requested == execution::workspace::path::ring);
  if (shape.size > shape.tile || (may_ring && !few && shape.size > by.ring_strips * order::strip_rows * shape.row)) {
    std::size_t const tiles = shape.sequences * ((shape.size + shape.tile - 1) / shape.tile);
    auto const sharing = [&](which kernel, char const* because) {
      int const resident = blocks_at_once(kernel);
      int const blocks = means.most_blocks > 0 ? std::min(resident, means.most_blocks) : resident;
      return sequences_choice{kernel, std::min(tiles, static_cast<std::size_t>(blocks)), 0, 1, because};
    };
    if (shape.reduces) {
      int const warps = tiles / shape.sequences <= by.totals_by_a_warp ? by.warps_of_a_tile : 8;
      return {which::reduction, tiles, warps, 1, "more than a tile each"};
    }
    if (may_ring) return sharing(which::ring, "long and aligned to 16 bytes");
    return sharing(which::drawn_tiles, "more than a tile each; no other kernel takes them");
  }

  // Rounds of blocks of so many warps: as many as leave each multiprocessor its share of blocks several times.
  auto const rounds_of = [&](std::size_t blocks, std::size_t warps) {
    std::size_t const at_a_time = processors * (24 / std::min<std::size_t>(warps, 8));
    return std::clamp<std::size_t>(blocks / (4 * at_a_time), 1, by.rounds);
  };
  bool const for_a_warp = rows <= static_cast<std::size_t>(shape.many_slots);
  if (for_a_warp && (rows == 1 || !few)) {
    // Sequences of several rows take a power of two of slots where the kernel is compiled for their number.
    auto const warps_with = [&](int slots, std::size_t of_each) {
      std::size_t const groups_a_row = 32;
      std::size_t const lanes = std::min((shape.size * groups_a_row + shape.row - 1) / shape.row, groups_a_row);
      std::size_t const a_warp = rows == 1 ? groups_a_row / lanes * static_cast<std::size_t>(slots)
                                           : static_cast<std::size_t>(slots) / of_each;
      return (shape.sequences + a_warp - 1) / a_warp;
    };
    // Blocks of less than 8 warps if that occupies more multiprocessors.
    auto const blocks_of = [&](which kernel, std::size_t warps, std::size_t most_rounds, char const* because) {
      std::size_t const a_block = std::clamp<std::size_t>(warps / processors, 1, 8);
      std::size_t const blocks = (warps + a_block - 1) / a_block;
      std::size_t const rounds = std::min(rounds_of(blocks, a_block), most_rounds);
      return sequences_choice{kernel, std::min((blocks + rounds - 1) / rounds, most_blocks), static_cast<int>(a_block),
                              static_cast<int>(rounds), because};
    };
    std::size_t const groups_before_last = (shape.size - 1) / (shape.row / 32);
    // Kernels of eight slots a warp are as quick for aligned ones of several rows.
    bool const totals_alone = shape.aligned_slots == 0 ? groups_before_last >= by.totals_groups
                                                       : groups_before_last >= by.aligned_totals_groups &&
                                                             (shape.aligned_slots <= 4 || groups_before_last <= 32);
    if (shape.has_totals && totals_alone) {
      std::size_t const slots = (groups_before_last + 31) / 32;
      std::size_t const a_warp = slots == 1 ? 8 * (32 / std::bit_ceil(groups_before_last)) : 8 / slots;
      return blocks_of(which::totals, (shape.sequences + a_warp - 1) / a_warp, 1, "short reductions");
    }
    if (shape.aligned_slots > 0) {
      auto slots = static_cast<std::size_t>(shape.aligned_slots);
      if (slots < std::bit_ceil(rows)) slots = std::bit_ceil(rows);
      return blocks_of(which::aligned, warps_with(static_cast<int>(slots), std::bit_ceil(rows)), 1,
                       "short sequences of whole aligned groups");
    }
    bool const is_long = shape.are_neighbours && shape.row == 128 && rows > by.rows_of_spans;  // of four bytes
    if (shape.is_span && by.spans && !is_long)
      return blocks_of(which::spans, warps_with(shape.many_slots, rows), 1, "short sequences, one behind the other");
    if (shape.are_neighbours && rows >= by.gaps_by_warps)
      return {which::scanning_warps, std::min((shape.sequences + 7) / 8, most_blocks), 8, 1,
              "a warp's rows each, with gaps or many"};
    std::size_t const warps_of_few =
        rows <= static_cast<std::size_t>(shape.few_slots) ? warps_with(shape.few_slots, rows) : 0;
    if (warps_of_few > 0 && warps_of_few <= processors * by.few_slots_warps)
      return blocks_of(which::few_slots, warps_of_few, by.rounds, "few short sequences");
    return blocks_of(which::many_slots, warps_with(shape.many_slots, rows), by.rounds, "short sequences");
  }

  if (shape.are_neighbours && shape.sequences >= processors * by.scans_by_warps &&
      (rows <= by.rows_by_warps || shape.row > 128)) {
    constexpr std::size_t a_block = 8;
    return {which::scanning_warps, std::min((shape.sequences + a_block - 1) / a_block, most_blocks), 8, 1,
            "more than a warp's rows each, a tile at most, and many"};
  }

  if (shape.reduces && shape.sequences >= processors * by.sequences_by_warps) {
    constexpr std::size_t a_block = 8;
    return {which::warps, std::min((shape.sequences + a_block - 1) / a_block, most_blocks), 8, 1,
            "more than a warp's rows each, a tile at most, and many"};
  }

  // Four rows a warp are quicker than eight up to 32 rows (.96 of the copy for .91 at 16 rows, .95 for .925 at 32),
  // except for reductions of more than 16 (.81 of the read for .90).
  int const rows_a_warp = few && rows <= 8 ? 1 : rows <= (shape.reduces && !few ? 16u : 32u) ? 4 : 8;
  auto const warps = static_cast<int>((rows + static_cast<std::size_t>(rows_a_warp) - 1) / rows_a_warp);
  // Blocks of many warps hide each other's ends: rounds cost .02 of the copy at a tile, and gain as much at a quarter.
  std::size_t const rounds = warps > 4 ? 1 : rounds_of(shape.sequences, static_cast<std::size_t>(warps));
  return {rows_a_warp == 1   ? which::one_row
          : rows_a_warp == 4 ? which::four_rows
                             : which::eight_rows,
          std::min((shape.sequences + rounds - 1) / rounds, most_blocks), warps, static_cast<int>(rounds),
          few ? "a tile at most each, and few" : "more than a warp's rows each, a tile at most"};
}

}  // namespace tally::cuda_backend
