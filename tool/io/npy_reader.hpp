#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "io/input.hpp"
#include "io/npy_header.hpp"
#include "io/reader.hpp"

namespace tally::io {

/// Reads a .npy file as one column in C order (the last index runs fastest), whatever its order. A file in Fortran
/// order with more than one axis longer than 1 must be a regular file. Throws data_error as read_npy_header does, and
/// if the file ends before its last value or goes on after it.
std::unique_ptr<reader> read_npy(input source);

/// An array seen along one of its axes: stored as [outer][length][inner], it consists of outer * inner lines. Line
/// number o * inner + i has the values [o][0][i], [o][1][i], ..., [o][length - 1][i].
struct axis_layout {
  npy_header header;
  std::uint64_t outer = 1;
  std::uint64_t length = 1;
  std::uint64_t inner = 1;

  std::uint64_t lines() const { return outer * inner; }
  /// The shape of the result of reducing along the axis.
  std::vector<std::uint64_t> reduced_shape() const;
  std::size_t axis = 0;
};

/// The sizes of the blocks in which an array is read.
struct axis_limits {
  std::size_t block = std::size_t(16) << 20;  ///< bytes in a block
  std::size_t piece = 256;                    ///< the fewest adjacent bytes worth a read call
};

/// The part of an array in a block: positions [first, first + count) of each of the lines [line, line + lines).
struct block_place {
  std::uint64_t line = 0;
  std::uint64_t lines = 0;
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

/// The values of a block, one line after the other: value p of line l is values[(l - place.line) * place.count + p -
/// place.first].
struct axis_block {
  block_place place;
  values_view values;
};

/// Reads an array along an axis in blocks of bounded size, each value once, with lines and positions ascending.
///
/// If a line fits a block, most blocks hold whole lines (first = 0, count = length). Otherwise a line comes in several
/// blocks; if inner > 1 the lines of one `outer` are interleaved, and the caller keeps a state for each of `inner`
/// lines.
class axis_reader {
public:
  /// `axis` counts from 0; negative ones from the end. Throws data_error as read_npy does and if there is no such axis;
  /// file_error if inner > 1 and the source is not a regular file.
  axis_reader(input source, int axis);
  axis_reader(input source, int axis, axis_limits const& limits);
  ~axis_reader();
  axis_reader(axis_reader&&) noexcept;

  axis_layout const& layout() const;
  /// The next block, valid until the next call; false at the end. An array without values has no blocks.
  bool next(axis_block& into);
  progress so_far() const;

private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace tally::io
