#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "io/arrays/binary_reader.hpp"
#include "io/axis/layout.hpp"
#include "io/files/input.hpp"
#include "io/reader.hpp"

namespace tally::io {

/// A block of an array in memory.
struct axis_block {
  axis_place place;
  values_view values;
  value_buffer stored, converted;  ///< hold the values
};

/// Reads an array along axes in blocks of bounded size, each value once.
class axis_reader {
public:
  /// Without axes all values are one line, in the order of the file. Throws data_error as read_npy does, if there is no
  /// such axis, or if the source is not a regular file and its values are needed in another order than they are stored.
  axis_reader(input source, std::vector<int> const& axes);
  ~axis_reader();
  axis_reader(axis_reader&&) noexcept;

  axis_layout const& layout() const;
  /// Plans the blocks. To be called once, before `next`. Throws data_error for a pipe that would be read in stretches
  /// from the end.
  axis_plan const& plan(axis_limits const& limits);

  /// The place of the next block; false at the end. An array without values has no blocks.
  bool next(axis_block& into);
  /// Reads the values of a block, which are valid as long as the block. May be called for several blocks at once.
  void load(axis_block& block) const;
  /// Whether `next` would return at once.
  bool ready() const;
  progress so_far(axis_block const& last) const;

private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace tally::io
