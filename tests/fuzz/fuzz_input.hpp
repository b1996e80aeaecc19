#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

#include "../io/support.hpp"
#include "io/compression/zip_archive.hpp"
#include "io/files/output.hpp"

namespace tally::io::testing {

/// Ends the run with a message, so that libFuzzer keeps the input.
inline void require(bool holds, char const* what)
{
  if (holds) return;
  std::fprintf(stderr, "broken invariant: %s\n", what);
  std::abort();
}

/// A file without a name.
class memory_file {
public:
  explicit memory_file(std::string_view content = {}) : fd_(memfd_create("fuzz", 0))
  {
    require(write(fd_, content.data(), content.size()) == static_cast<ssize_t>(content.size()), "a file in memory");
  }
  ~memory_file() { close(fd_); }
  memory_file(memory_file const&) = delete;
  memory_file& operator=(memory_file const&) = delete;

  input source(unpacking how) const
  {
    lseek(fd_, 0, SEEK_SET);
    return input::descriptor(fd_, "input", how);
  }
  output target() const { return output::descriptor(fd_, "output"); }
  std::string content() const
  {
    std::string bytes(static_cast<std::size_t>(lseek(fd_, 0, SEEK_END)), '\0');
    require(pread(fd_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()), "a file in memory");
    return bytes;
  }

private:
  int fd_;
};

/// A closed pipe that holds the content. Requires: the content fits a pipe.
class full_pipe {
public:
  static constexpr std::size_t most = 65536;

  explicit full_pipe(std::string_view content)
  {
    require(content.size() <= most && pipe(ends_) == 0, "a pipe");
    require(write(ends_[1], content.data(), content.size()) == static_cast<ssize_t>(content.size()), "a pipe");
    close(ends_[1]);
  }
  ~full_pipe() { close(ends_[0]); }
  full_pipe(full_pipe const&) = delete;
  full_pipe& operator=(full_pipe const&) = delete;

  input source(unpacking how) const { return input::descriptor(ends_[0], "input", how); }

private:
  int ends_[2];
};

/// The bytes that choose how the rest of the input is read.
struct choices {
  explicit choices(std::uint8_t const* data, std::size_t size)
      : first(size > 0 ? data[0] : 0),
        second(size > 1 ? data[1] : 0),
        rest(reinterpret_cast<char const*>(data) + (size < 2 ? size : 2), size < 2 ? 0 : size - 2)
  {
  }
  bool bit(int which) const { return first >> which & 1; }
  /// A zip archive can be read from a file alone, so both are given its bytes as they stand.
  unpacking unpack() const { return rest.starts_with(zip_signature) ? unpacking::none : unpacking::by_first_bytes; }

  unsigned first, second;
  std::string_view rest;
};

}  // namespace tally::io::testing
