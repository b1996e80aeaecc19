#pragma once

#include <cstddef>
#include <cstdint>

namespace tally::cuda_backend {

/// The sizes that select the kernel of a call on a GPU. They never change its result. Tests set them, so that small
/// arrays take every kernel.
struct tuning {
  /// One block takes arrays of up to this many tiles, 0 or 1.
  std::uint32_t one_block_tiles = 1;
  /// In that block eight warps have one row each up to this many strips, at most one; fewer rows load sooner.
  std::size_t one_row_strips = 1;
  /// ... and four rows each up to this many, at most four; then eight. Eight warps with eight rows each take 1.79 us
  /// for a tile, 16 with 4 2.04, 32 with 2 2.26.
  std::size_t four_row_strips = 4;
  /// A cluster takes arrays of up to this many tiles, at most `most_cluster_tiles`.
  std::uint32_t cluster_tiles = 8;
  /// Blocks with one tile each take arrays of up to this many tiles: of scans if that many blocks run at once.
  std::uint32_t own_tiles = 0xffffffff;
  /// Of a batch, sequences of two rows or more have a block each if there are at most this many a multiprocessor.
  std::size_t sequences_by_blocks = 4;
  /// Reductions of several strips have a warp each if there are at least this many a multiprocessor.
  std::size_t sequences_by_warps = 24;
  /// Warps have few sequences in their registers where that makes at most this many warps a multiprocessor; else many.
  std::size_t few_slots_warps = 8;
  /// The rows in the registers of a warp of aligned sequences, 4 or 8, or 0: they go the way of others. Scans of rows
  /// of 16 to 512 floats reach .98 to .99 of the copy with either; their reductions .88 to .99 of the read with 4, .92
  /// to .99 with 8. Only types of 4 bytes have slots of their own for reductions: doubles reach .80 to .96 with 4, .75
  /// to .96 with 8, halves .79 to .97, .73 to .87.
  int aligned_slots = 4;
  int aligned_slots_of_reductions = 8;
  /// Warps move short sequences that are not aligned as spans of memory where these have no gaps.
  bool spans = true;
  /// Reductions of short sequences that are not aligned need the totals of groups alone, if there are this many groups
  /// before the last one: rows of 129 floats reach .94 of the read for .51 as spans. Those of aligned ones do from that
  /// many on: rows of 64 doubles reach .92 for .79, of 16 floats (3 groups) .80 for .89.
  std::size_t totals_groups = 1;
  std::size_t aligned_totals_groups = 7;
  /// Scans of neighbours in memory that are longer than a strip have a warp each if there are at least this many
  /// sequences a multiprocessor, and they have at most so many rows: 3000 floats reach .96 of the copy for .90 with a
  /// block each, 4096 .97 for .94, 8192 .96 for .97. Halves gain at any length: 8192 .95 for .66.
  std::size_t scans_by_warps = 24;
  std::size_t rows_by_warps = 40;
  /// So have short ones with gaps between them that are not aligned, from this many rows on: rows of 600 floats reach
  /// .85 for .35, of 300 .48, of 120 .28 for .47.
  std::size_t gaps_by_warps = 3;
  /// Without gaps, scans of floats of more than this many rows do so too: 777 .97 for .94, exclusive ones .96 for .85;
  /// 601 .87 for .88.
  std::size_t rows_of_spans = 5;
  /// A block goes through so many pieces of a batch one after the other, if there are many: rows of 16 floats by the
  /// general kernel reach .91 of the copy with four, .88 with one.
  std::size_t rounds = 4;
  /// The ring scans sequences of more than this many strips, though a tile holds them, unless they are few.
  std::size_t ring_strips = 8;
  /// The number of warps, 8 at most, that reduce a tile of a longer sequence if one warp folds the totals. With four or
  /// two, rows of 65536 doubles reach .95 of the read, with eight .91.
  int warps_of_a_tile = 4;
  /// The totals of a sequence's reduction are folded by one warp if they are at most this many, else by a block.
  std::uint32_t totals_by_a_warp = 160;
  /// Columns that are at most this many side by side, without a gap, are copied row by row.
  std::size_t stretch_columns = 31;
  /// Columns of at most this many elements, and of the short kernels' at most, that lie so are whole planes in a block.
  std::size_t plane_elements = 64;
  /// A block takes at most this many columns side by side, if they are longer than one piece. Found in trials: with 16,
  /// columns of 4096 floats reach .69 of a copy, with 32 .86, with 64 .86, with 128 .76.
  int column_width = 32;
  /// The same where they are so many that each block takes its columns from begin to end: .91 instead of .83 for 1024
  /// floats.
  int many_columns_width = 64;
  /// The same where rows of columns are not aligned to 16 bytes, so that lines of memory are shared by two blocks: .70
  /// instead of .57.
  int unaligned_column_width = 128;
  /// A block takes columns from begin to end if there are at least this many groups of columns for each multiprocessor;
  /// else blocks share them out.
  std::size_t column_groups_walked = 6;
  /// Warps take aligned columns of at least this many elements, two thirds of a row of floats. Shorter ones were not
  /// tried;
  std::size_t box_elements = 86;
  /// ... if they fill so much of their pieces, of 32 columns,
  std::size_t box_percent = 75;
  /// ... and where each block could take columns from begin to end, if they have at least this many rows. On an H100,
  /// with three copies on their way, 65536 columns of 4096 floats reach .92 of a copy for .916, 262144 of 1000 .90 for
  /// .92; with four .914 and .89.
  std::size_t box_rows_of_many = 16;
  /// The copies of warps' pieces that are on their way to a multiprocessor at a time. On an H100, whose memory is
  /// slower than that of an H200, three are best: 8192 columns reach .973, with four .96, with two .91, with twelve
  /// .94.
  std::uint32_t column_copies = 4;
  /// The warps take the rows of so many pieces side by side one after the other: 16384 columns reach .967 for .945 with
  /// 256, both with three copies.
  std::uint32_t column_panel = 1024;
  /// Recurrences along memory that are longer than a tile have a warp each if there are at least this many a
  /// multiprocessor; else blocks share out their tiles.
  std::size_t recurrences_by_warps = 12;
  /// Blocks take 16 columns of recurrences each, and not 32, if these are at most so many blocks a multiprocessor.
  std::size_t narrow_recurrence_columns = 1;
  /// Of elements of 2 or 4 bytes, blocks take 32 columns, and not 64, if these are at most so many blocks a
  /// multiprocessor. On an H200 65536 columns of floats reach .94 of a copy in blocks of 64 for .87, and 8192 columns
  /// of bfloat16 .89 for .86.
  std::size_t middle_recurrence_columns_of_2 = 1;
  std::size_t middle_recurrence_columns_of_4 = 3;
  /// Segments of recurrences that are longer have their tiles shared out. A warp alone takes some 40 us for so many.
  std::size_t long_recurrences = 16384;
  /// The others go in chunks of at least so many places, an element or a segment each.
  std::size_t least_recurrence_chunk = 1024;
  /// The kernel that lists long segments lists these chunks too, if there may be long ones and there are this many
  /// elements a segment on average. On an H100 2^27 floats of "1 to 20, and one in a hundred of 200,000" take 686 us
  /// instead of 752, but of 1 to 2000 668 for 655.
  std::size_t recurrences_by_listed_chunks = 1536;
  /// Recurrences of segments that begin with the same state go by words if they have fewer elements than this on
  /// average, of 2, 4 or 8 bytes. On an H200 2^27 floats of mean 60 have .73 of a copy instead of .68, of mean 100 .71
  /// for .73; 2^26 doubles of mean 10 .66 for .40, of mean 30 .58 for .69; 2^28 bfloat16 of mean 100 .51 for .37, of
  /// mean 300 .48 for .49.
  std::size_t recurrences_by_words_of_2 = 250;
  std::size_t recurrences_by_words_of_4 = 85;
  std::size_t recurrences_by_words_of_8 = 19;
  /// The number of multiprocessors that launches are planned for, or 0 for those of the device. The number of blocks
  /// that run at once follows from it.
  int processors = 0;
  /// Scans of segments of this many elements on average overlap the totals of a stage with the wait of the one before:
  /// segments of 10000 elements reach .54 of the copy instead of .41, but those of 1 to 2000 .46 instead of .56.
  std::size_t long_segments = 1536;
  /// Segments by key and by flag of at most this many elements on average go by the bits of their heads, if none has
  /// 2048 elements; 0: none do. Scans of 2^27 floats take 456, 518 and 550 us in runs of 1 and of means 4 and 8, by
  /// offsets 1201, 875 and 717; of mean 16 583 for 565.
  std::size_t short_runs = 14;
  /// The same for reductions: 813 us for 1492, 593 for 954, 578 for 752, but 564 for 537.
  std::size_t short_runs_reduced = 14;
  /// Warps reduce segments where there are this many elements and segments in all; the general kernel, which waits
  /// behind in the stream, does what they leave. 2^24 floats of mean 256 take 46 us instead of 56, 2^22 28 for 27.
  std::size_t segments_by_warps = std::size_t(1) << 23;
  /// Scans go by words where there are this many. On an H200 the kernel takes 98 us for 2^25 floats of mean 16, 111 of
  /// mean 256, and two launches end at once; calls by the general kernel took 122 and 125, of 2^24 71 for 77.
  std::size_t segments_scanned_by_words = std::size_t(1) << 25;
  /// Scans of segments of at least this many elements on average list their tiles, which the ring takes.
  std::size_t segments_by_tiles = 16384;
  /// Of shorter ones those of up to `longest_by_words` elements go by words. On an H100 2^28 floats of mean 5000
  /// take 874 us instead of 1006, of "1 to 20, and one in a hundred of 200,000" 849 for 997, of mean 1000 as long as
  /// before; but of mean 20000 911 for 885, and of 65536 each 874 for 822, if their few short ones go by warps.
  std::size_t segments_by_tiles_and_words = 512;
  std::size_t longest_by_words = 16384;
  /// ... if there are this many elements in all: it takes four or five launches instead of one.
  std::size_t least_by_tiles = std::size_t(1) << 26;
  /// Reductions of segments of this many elements on average list their tiles, which have a block each. On an H200 one
  /// segment of 2^28 floats takes 297 us instead of 387, but segments of mean 65536 279 for 276.
  std::size_t segments_reduced_by_tiles = std::size_t(1) << 20;
  /// ... if there are this many elements in all: 2^26 of mean 65536 take 135 us instead of 124.
  std::size_t least_reduced_by_tiles = std::size_t(1) << 27;
  std::size_t listed_tiles_folded_by_warp = 256;  ///< of a segment; a block folds the totals of more
  /// Reductions by warps of segments of this many elements on average go by trees (tree_segments.cuh). On an H200 2^28
  /// floats of mean 64 take 306 us instead of 324, of mean 256 283 for 321, but of mean 33 351 for 344.
  std::size_t segments_reduced_by_trees = 40;
  /// Of this many they share out elements, not segments (long_segments.cuh): 2^28 floats of mean 4000 take 277 us
  /// instead of 296.
  std::size_t segments_reduced_along = 1536;
  /// Exact sums of up to this many terms are added up by a lane each, those of more than `exact_piece` in pieces.
  std::size_t exact_terms_alone = 96;
  std::size_t exact_piece = std::size_t{1} << 14;
  /// Exact sums of columns are cut into pieces of so many terms at least, where there are few columns.
  std::size_t exact_column_piece = 64;
  /// Exact scans of more terms are cut into pieces of so many. A lane scans each column where there are many.
  std::size_t exact_piece_of_scans = 4096;
  std::size_t exact_columns_scanned = 16384;
  /// Radix sorts of at most so many keys hand over counts in words of 32 bits, of which two tell the kind.
  std::size_t keys_counted_narrowly = std::size_t(-1);
  /// The most chunks of segments that share their totals. Calls with more do each segment in one block.
  std::size_t segment_chunks = std::size_t(-1);
};

/// The most tiles of a cluster: every device of sm_90 runs clusters of eight blocks.
inline constexpr std::uint32_t most_cluster_tiles = 8;

/// The largest tile of which the ring holds enough: three of 64 KiB.
inline constexpr std::size_t most_ring_tile_bytes = 65536;

/// The most dynamic shared memory of a block, of the 227 KiB that sm_90 gives it: static variables need some too.
inline constexpr std::size_t most_shared_bytes = 225 * 1024;

/// The tuning of all calls of this process. Only tests change it, and only while no call is made.
inline tuning& tuning_in_use()
{
  static constinit tuning all{};
  return all;
}

}  // namespace tally::cuda_backend
