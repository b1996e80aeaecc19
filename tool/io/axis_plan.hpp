#pragma once

#include <cstddef>
#include <cstdint>

#include "io/npy_reader.hpp"
#include "io/worker_pool.hpp"

namespace tally::io {

/// The order in which the blocks of an array are read along an axis, and their places in the file.
///
/// A block holds whole lines if these consist of pieces long enough for a read call each. Otherwise it holds a stretch
/// of positions of all lines of an outer index, which is one piece.
class axis_plan {
public:
  axis_plan(axis_layout const& layout, axis_limits const& limits);

  /// The next block; false at the end.
  bool next(block_place& into);

  /// A block's elements in the file: `rows` rows of `row_length` elements, each `row_distance` behind the one before.
  struct memory {
    std::uint64_t first = 0;  ///< element
    std::uint64_t rows = 0;
    std::uint64_t row_length = 0;
    std::uint64_t row_distance = 0;
  };
  memory memory_of(block_place const& place) const;

  /// Rearranges a block from the file's order, row by row, to lines one after the other, and back. Requires: inner > 1.
  void lines_first(block_place const& place, void const* from, void* to, std::size_t element_size,
                   worker_pool& workers) const;
  void rows_first(block_place const& place, void const* from, void* to, std::size_t element_size,
                  worker_pool& workers) const;

private:
  std::uint64_t outer_, length_, inner_;
  std::uint64_t lines_at_once_ = 1;  // if more than inner_, those of whole outer indices
  std::uint64_t positions_at_once_ = 1;
  std::uint64_t line_ = 0;  // where the next block begins
  std::uint64_t position_ = 0;
};

}  // namespace tally::io
