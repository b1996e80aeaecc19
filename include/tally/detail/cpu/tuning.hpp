#pragma once

#include <cstddef>

namespace tally::cpu_backend {

/// The sizes that select the path of a call on this machine. They never change its result. Tests set them, so that
/// small arrays take every path.
struct tuning {
  /// Outputs of this many bytes and more are written around the cache: half of the last-level cache that a call may
  /// count on.
  std::size_t streamed_bytes;
  /// Calls stay on one thread below this many bytes of input. It takes some 6 us to wake the others, and a scan on
  /// several threads reads its input twice: two threads were as quick as one at 1 MiB, sixteen at 512 KiB, on a Xeon of
  /// sixteen cores (docs/measurements/cpu_notes.md).
  std::size_t serial_bytes = std::size_t{1} << 20;
  /// Above that each thread has at least this many bytes. Sixteen threads then have twice the speed of one.
  std::size_t bytes_a_thread = std::size_t{64} << 10;
  /// Processors that this process may use. More threads never pay.
  int processors;
  /// Tiles that a member of a team draws at a time, at most `most_in_run`. The hardware's prefetching starts again at
  /// each run.
  std::size_t tiles_in_run = 4;
  /// Runs are drawn whole where there are at least this many of them for each member.
  std::size_t runs_a_member = 8;
  /// Slots for tile totals in the ring of a team, for each member; a power of two. They bound how long a member may be
  /// descheduled before the others wait.
  std::size_t slots_a_member = 512;
  /// Tile totals that a reduction keeps at once: 2^15 tiles are 1 GiB of input.
  std::size_t totals_at_once = std::size_t{1} << 15;
  /// A reduction of this many tiles on one thread is compiled where it is called, for its operator. With more, an
  /// operator that is reached by pointers costs nothing.
  std::size_t few_tiles = 8;
  /// A reduction of this many tiles tries several ways to read them. In memory the quickest was one tile after the
  /// other on Zen 4, with each line fetched ahead on Intel's processors, and several tiles at once on Zen 3 and Zen 5.
  /// The worst took up to 1.8 times as long.
  std::size_t many_tiles = 1024;
  /// Each way is tried on so many tiles at a time.
  std::size_t tried_tiles = 16;
  /// Turns of waiting, some 10 ns each, before a thread yields or computes a late total itself: three times the time of
  /// a tile. A member that is later than that is probably not running.
  int spins = 1000;
  /// Of a batch of sequences all threads share each one that has at least this many elements, if there are few of them,
  /// and each segment of at least this many. Others are done by one thread each.
  std::size_t long_sequence = std::size_t{1} << 18;
  /// Of a batch the sequences whose elements are at least this many bytes apart, and nearer to those of the next
  /// sequence than to each other, are gathered some at a time. (Otherwise each has its own lines of memory.)
  std::size_t gathered_distance = 256;
  /// Memory for intermediate values comes in large pages from this many bytes on. Below, the C library keeps freed
  /// memory for the next call (glibc; its greatest threshold for mmap), and pages that the program has already are
  /// better than huge ones that the system must clear: a tree of 2^20 nodes took twice the time with those. Above, the
  /// system provides new pages each time, and huge ones took two thirds of the time.
  std::size_t kept_bytes = std::size_t{32} << 20;
  /// Contiguous sequences and segments of at most this many bytes are scanned in blocks, without a call for each one.
  std::size_t short_bytes = 4096;
  /// Short segments are totalled instead of scanned where only their reductions are asked for, if the operator is
  /// exactly associative and they have at least this many bytes on average.
  std::size_t totalled_bytes = 256;
  /// Blocks of short sequences that follow each other in memory, in the input and the output, have this many bytes;
  /// others have 8 KiB. Rows of 3 floats took 0.35 ns an element in blocks of 3 KiB, 0.26 in those of 8 KiB, and rows
  /// of 64 took 0.28 in those of 8 KiB, 0.25 in those of 64 KiB.
  std::size_t row_block_bytes = std::size_t{64} << 10;
  /// A longer segment's results go around the cache from this many bytes on, if those of all segments do not fit in it.
  std::size_t streamed_segment_bytes = std::size_t{16} << 10;
  /// Segments by key and by flag are scanned a block at a time, if their operator is exactly associative and one
  /// element in this many begins a segment; else one after the other: reductions of 256 elements each took 0.30 ns an
  /// element for 0.48, scans the same.
  std::size_t elements_a_head = 64;
  /// Columns are scanned in blocks of this many bytes across.
  std::size_t column_bytes = std::size_t{2} << 10;
  /// In narrower ones where there are few columns, but of this many bytes at least: long columns are shared by tiles
  /// instead.
  std::size_t least_column_bytes = 512;
  /// Columns of whose elements `groups_at_once` groups of each have at most this many bytes together (112 columns, of
  /// any type) are taken so many groups at a time in the cache. Beyond it, if nothing lies between their rows, they are
  /// copied in and out around the cache in chunks of that size.
  std::size_t column_chunk_bytes = std::size_t{7} << 10;
  /// Two to four columns of at least so many elements, if nothing lies between their rows, are taken apart into rows.
  std::size_t apart_size = 128;
  /// Elements along columns by which prefetching runs ahead of reading; 0: none.
  std::size_t columns_ahead = 8;
  /// Recurrences of at most so many groups, and at most 3, or 2 of elements of two bytes, are run one step after the
  /// other. Their kernel takes 25 ns for any number of steps up to a row; 2, 4, 8 and 12 steps of floats take 5, 6.5,
  /// 10.5 and 15 ns so.
  std::size_t few_recurrence_groups = 3;
  /// Rows of up to 4 rows of the order, more than one, are run several at once if there are so many of them.
  std::size_t recurrences_at_once = 16;
  /// Rows of more than a row of the order and this many bytes are run one after the other, if the results of the call
  /// do not fit in the cache: rows of 64 doubles took 0.93 ns a step for 1.97, of 256 floats 0.47 for 0.92, and of 100
  /// floats 2.0 for 0.98.
  std::size_t recurrence_alone_bytes = 512;
  /// A recurrence's results go around the cache from this many bytes on, if those of the call do not fit in it.
  std::size_t streamed_recurrence_bytes = 4096;
  /// Of few columns of many tiles a tile is scanned without being totalled before, if its carries are there and there
  /// are at most so many members.
  int most_scanning_at_once = 3;
  /// Results of columns are collected to this many bytes before they are written around the cache.
  std::size_t staged_bytes = std::size_t{16} << 10;
};

/// The most that `tuning::tiles_in_run` may be.
inline constexpr std::size_t most_in_run = 4;

/// The tuning of all calls of this process. Only tests change it, and only while no call runs.
tuning& tuning_in_use();

}  // namespace tally::cpu_backend
