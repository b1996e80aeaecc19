#pragma once

#include <bit>
#include <memory>

#include "io/files/input.hpp"
#include "io/reader.hpp"

namespace tally::io {

/// Reads the bytes of `source` as values of `type`. Requires: type is not int128. Throws data_error if the number of
/// bytes is not a multiple of the type's size: at once for a regular file, else at the end.
std::unique_ptr<reader> read_raw(input source, element_type type, std::endian order = std::endian::native);

}  // namespace tally::io
