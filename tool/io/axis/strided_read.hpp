#pragma once

#include <cstddef>
#include <cstdint>

#include "io/files/input.hpp"
#include "io/threads/worker_pool.hpp"

namespace tally::io {

/// `count` pieces of `size` bytes each, the first at `offset` and each `stride` bytes behind the one before.
struct strided_pieces {
  std::uint64_t offset = 0;
  std::size_t size = 0;
  std::uint64_t stride = 0;
  std::size_t count = 0;
};

/// Reads the pieces one directly behind the other, with several threads. Requires: source.seekable(), size <= stride.
/// Throws data_error if the file has become shorter, and file_error.
void read_strided(input const& source, strided_pieces const& pieces, void* to, worker_pool& workers);

/// The error that a file ends too early.
[[noreturn]] void throw_truncated(input const& source, std::uint64_t needed);

}  // namespace tally::io
