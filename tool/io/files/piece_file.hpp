#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "io/files/spool.hpp"

namespace tally::io {

/// A temporary file of pieces (see `spool`), which several threads may append and read at once.
class piece_file {
public:
  struct piece {
    std::uint64_t offset = 0;
    std::size_t size = 0;
  };

  /// Throws disk_full, file_error.
  piece append(std::string_view bytes);
  /// Replaces `to` by the piece. Throws file_error.
  void read(piece from, std::string& to) const;

private:
  spool file_;
  std::atomic<std::uint64_t> end_ = 0;
};

}  // namespace tally::io
