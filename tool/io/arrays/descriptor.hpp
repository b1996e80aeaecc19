#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

/// Reads from file descriptors: interrupted calls are made again, and failures are file_errors about `name`.
namespace tally::io {

/// Up to n bytes; 0 means the end. Waits where the descriptor is non-blocking and has nothing yet.
std::size_t read_some(int descriptor, void* to, std::size_t n, std::string const& name);
/// n bytes at `offset`, fewer only at the end of the file.
std::size_t read_at(int descriptor, void* to, std::size_t n, std::uint64_t offset, std::string const& name);
/// Whether read_some would return at once.
bool readable(int descriptor);

}  // namespace tally::io
