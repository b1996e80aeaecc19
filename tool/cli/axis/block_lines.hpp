#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "axis/sequences.hpp"
#include "io/axis/layout.hpp"
#include "values.hpp"

namespace tally::cli {

/// Stretches of lines, each a sequence of its own. They are numbered as they follow each other, those of one stretch
/// side by side.
struct stretches {
  std::size_t begin = 0;  ///< where their memory begins in the block
  sequences of;

  /// The place of the first element of sequence s, from `begin` on.
  std::ptrdiff_t place_of(std::size_t s) const
  {
    auto const lines = static_cast<std::size_t>(of.shape[2]);
    return of.first + static_cast<std::ptrdiff_t>(s / lines) * of.strides[0] +
           static_cast<std::ptrdiff_t>(s % lines) * of.strides[2];
  }
};

/// The lines of a block of an array, and the places of their elements in the block. Reversed, a line begins with the
/// last element.
class block_lines {
public:
  block_lines() = default;
  block_lines(io::axis_layout const& layout, io::axis_place const& place, bool reversed);

  std::uint64_t first() const { return first_; }  ///< the number of the first line
  std::size_t count() const { return count_; }
  std::size_t length() const { return length_; }  ///< of the part of each line that the block has
  bool begins() const { return before_ == 0; }
  bool ends() const { return before_ + length_ == whole_length_; }

  /// The lines as sequences.
  sequences whole() const;
  /// Stretches of n elements, and perhaps a shorter last one. Requires: the lines go along one part.
  std::vector<stretches> stretches_of(std::size_t n) const;

  /// The position in the array's order of element k of the block's part of a line.
  std::uint64_t position(std::size_t k) const { return reversed_ ? whole_length_ - 1 - before_ - k : before_ + k; }
  /// The line and the position of the element at a place of the block.
  std::pair<std::uint64_t, std::uint64_t> at(std::size_t place) const;

  /// Elements [begin, begin + n) of line k, in `room`.
  io::values_view gathered(io::values_view const& block, std::size_t k, std::size_t begin, std::size_t n,
                           value_buffer& room) const;
  /// Writes them back to a block of their type.
  void scatter(io::values_view const& values, std::size_t k, std::size_t begin, value_buffer& block) const;

private:
  struct part {
    std::size_t extent;
    std::ptrdiff_t stride;
  };
  template <class Use>
  void for_runs(std::size_t k, std::size_t begin, std::size_t n, Use use) const;

  std::vector<part> across_;  // in the order of memory
  std::vector<part> along_;   // in the order of the line
  std::uint64_t first_ = 0;
  std::size_t count_ = 1;
  std::size_t length_ = 1;
  std::uint64_t whole_length_ = 1;
  std::uint64_t before_ = 0;  // elements of a line in earlier blocks
  bool reversed_ = false;
};

}  // namespace tally::cli
