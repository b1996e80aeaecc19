#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/arrays/npy_header.hpp"

namespace tally::io {

/// An array seen along one or several of its axes. A line has the elements of all combinations of their indices, in the
/// order in which the axes are named, the last one running fastest.
///
/// The parts are the axes in the order of memory, the slowest first. Axes of one index are left out, and neighbours
/// that go on as one are one part.
struct axis_layout {
  struct part {
    std::uint64_t extent = 1;
    /// The place among the parts of a line, 0 being the slowest; nothing for a part across the lines.
    std::optional<std::size_t> turn;
  };

  npy_header header;
  std::vector<std::size_t> axes;
  std::vector<part> parts;

  std::uint64_t lines() const;
  std::uint64_t length() const;
  /// Whether every line is one stretch of memory.
  bool lines_are_whole() const
  {
    return parts.back().turn && (parts.size() == 1 || (parts.size() == 2 && !parts.front().turn));
  }
  /// The shape of the result of reducing along the axes.
  std::vector<std::uint64_t> reduced_shape() const;
};

/// `axes` count from 0, negative ones from the end. Throws data_error, which names `source`, if there is no such axis,
/// or if one is named twice.
axis_layout lay_out(npy_header header, std::vector<int> const& axes, std::string const& source);

struct index_range {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

/// A block of an array: the indices that it has of each part of a layout. In memory it lies with the last part running
/// fastest, as in the file.
using axis_place = std::vector<index_range>;

/// A stretch of memory that a block has: so many elements from `first` on, and again at each of `rows` places that are
/// `distance` apart.
struct element_rows {
  std::uint64_t first = 0;
  std::uint64_t length = 0;
  std::uint64_t rows = 1;
  std::uint64_t distance = 0;
};

/// The elements of a block in the file, in the order in which the block has them.
std::vector<element_rows> rows_of(axis_layout const& layout, axis_place const& place);

/// The sizes of the blocks in which an array is read.
struct axis_limits {
  std::size_t element = 1;                   ///< bytes that an element takes in memory at most
  std::size_t block = std::size_t(1) << 20;  ///< bytes of a block, if it is in adjacent pieces of `piece` bytes
  std::size_t most = std::size_t(16) << 20;  ///< bytes of a block of smaller pieces, and of lines in stretches
  std::size_t piece =
      std::size_t(1) << 14;    ///< the fewest adjacent bytes worth a call of the system, where all lines fit
  std::size_t stretch = 8192;  ///< stretches of lines are a multiple of so many elements
  std::size_t held = std::size_t(1) << 30;  ///< bytes of a line that has to be in one block
  bool reversed = false;                    ///< stretches of a line come from its end
};

/// The blocks of an array, in an order in which their lines ascend.
///
/// A block has whole lines if one of them fits it. If a line does not, and its elements go along one part, it comes in
/// stretches: the lines of a block advance together, and the next lines begin behind their ends.
class axis_plan {
public:
  axis_plan(axis_layout const& layout, axis_limits const& limits);

  /// The next block; false at the end.
  bool next(axis_place& into);

  /// Whether blocks are whole lines.
  bool whole() const { return whole_; }
  /// Whether blocks are consecutive in the file.
  bool in_order() const { return in_order_; }
  /// Elements in the largest block.
  std::uint64_t largest() const;

private:
  void choose_whole_lines(axis_limits const& limits);
  void choose_stretches(axis_limits const& limits);
  std::uint64_t distance(std::size_t part) const;

  std::vector<axis_layout::part> parts_;
  std::vector<std::uint64_t> counts_;  // indices that a block has of each part, fewer in the last one
  std::vector<std::size_t> order_;     // the parts that are cut, the one that is finished first at the end
  std::vector<std::uint64_t> at_;      // where the next block begins
  bool whole_ = true;
  bool in_order_ = true;
  bool reversed_ = false;
  bool ended_ = false;
};

}  // namespace tally::io
