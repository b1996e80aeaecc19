#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "io/arrays/stored_elements.hpp"
#include "io/files/input.hpp"

namespace tally::io {

/// The header of a .npy file: how its values are stored, and their shape.
struct npy_header : stored_elements {
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;  ///< empty for a single value
  std::uint64_t data_offset = 0;     ///< where the values begin

  std::uint64_t count() const;  ///< product of the shape
};

/// Reads the header (versions 1 to 3) and leaves `source` at the first value. Throws data_error: not a .npy file, an
/// unknown version, a header that is too long, malformed or lacks a key, a type other than real numbers of 1 to 8 bytes
/// (the message names it), a negative or overflowing shape, and, for a regular file, a size that does not fit the
/// shape.
npy_header read_npy_header(input& source);

/// The header (version 1) of an array of `type`, padded to `npy_header_size(rank)` bytes for every shape, so that it
/// can be written again with the right shape at the end. Requires: type is not int128.
std::string make_npy_header(element_type type, std::vector<std::uint64_t> const& shape, bool fortran_order = false);
std::size_t npy_header_size(std::size_t rank);

}  // namespace tally::io
