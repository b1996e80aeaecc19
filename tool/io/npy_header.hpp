#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "io/input.hpp"
#include "io/stored_elements.hpp"

namespace tally::io {

/// What the header of a .npy file says: how its values are stored, and in which shape.
struct npy_header : stored_elements {
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;  ///< empty for a single value
  std::uint64_t data_offset = 0;     ///< where the values begin

  std::uint64_t count() const;  ///< product of the shape
};

/// Reads the header (versions 1 to 3) and leaves `source` at the first value.
/// Throws data_error: no .npy file, an unknown version, a header that is too long, malformed or lacks a key, a type
/// that is not a real number of 1 to 8 bytes (names it), a negative or overflowing shape, and, for a regular file, a
/// size that does not fit the shape.
npy_header read_npy_header(input& source);

/// The header (version 1) of an array of `type`, padded so that it has `npy_header_size(rank)` bytes, whatever the
/// shape: it can be written first and again with the right shape at the end. Requires: type is not int128.
std::string make_npy_header(element_type type, std::vector<std::uint64_t> const& shape, bool fortran_order = false);
std::size_t npy_header_size(std::size_t rank);

}  // namespace tally::io
