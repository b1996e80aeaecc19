#pragma once

#include <cstddef>
#include <cstdint>

#include "io/arrays/binary_reader.hpp"
#include "io/arrays/npy_header.hpp"
#include "io/reader.hpp"
#include "io/threads/worker_pool.hpp"

namespace tally::io {

/// Reads an array stored in Fortran order, in C order.
///
/// If the values of one first index fit a block, a block holds those of several, read in pieces of one value for each
/// first index. Otherwise a block is a stretch of one first index, read value by value.
class fortran_reader final : public reader {
public:
  static constexpr std::size_t usual_block = std::size_t(32) << 20;

  /// Requires: at least two axes, no length is 0, a regular file.
  fortran_reader(input source, npy_header header, std::size_t block_bytes = usual_block);

  bool next(batch& into) override;
  bool waiting() const override { return false; }
  progress so_far() const override;
  location locate(std::size_t row, std::size_t column) const override;

private:
  std::size_t read_rows(std::uint64_t row);
  std::size_t read_stretch();

  input source_;
  npy_header header_;
  std::uint64_t rows_;       // first indices
  std::uint64_t row_;        // values of each first index
  std::size_t block_;        // values in a block, about
  std::uint64_t begin_ = 0;  // of the last block, in C order
  std::uint64_t end_ = 0;
  value_buffer stored_, values_, ordered_;
  column column_;  // of the last batch
  worker_pool workers_{0};
};

}  // namespace tally::io
