#pragma once

#include <memory>

#include "io/arrays/npy_header.hpp"
#include "io/files/input.hpp"
#include "io/reader.hpp"

namespace tally::io {

/// Reads a .npy file as one column in C order (the last index runs fastest), whatever its order. A file in Fortran
/// order with more than one axis longer than 1 must be a regular file. Throws data_error as read_npy_header does, and
/// if the file ends before its last value or goes on after it.
std::unique_ptr<reader> read_npy(input source);

}  // namespace tally::io
