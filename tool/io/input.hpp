#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace tally::io {

/// A source of bytes: a file or standard input. Movable; closes the file that it opened.
class input {
public:
  /// Opens a file. Throws file_error if it cannot be read or is a directory.
  static input file(std::string const& path);
  /// Standard input, called "(standard input)" in messages. Where it is a regular file, every call begins where the
  /// first one did.
  static input standard_input();
  /// Copies a pipe on standard input to a file in memory that takes its place, so that it can be read again. Leaves a
  /// regular file as it is. Call it before standard_input(). Throws file_error.
  static void keep_standard_input();
  /// "-" is standard input, everything else a file.
  static input named(std::string const& path);
  /// Reads from a descriptor, which stays the caller's.
  static input descriptor(int fd, std::string name);

  input(input&& other) noexcept;
  input& operator=(input&& other) noexcept;
  ~input();

  std::string const& name() const { return name_; }
  /// Bytes in a regular file from here to its end; nothing for pipes, terminals and devices.
  std::optional<std::uint64_t> size() const { return size_; }
  /// Whether read_at may be used: a regular file.
  bool seekable() const { return size_.has_value(); }

  /// Reads up to n bytes; 0 means the end. A pipe gives what it has, but at least one byte. Throws file_error.
  std::size_t read(void* to, std::size_t n);
  /// Reads until n bytes are there or the input ends. Throws file_error.
  std::size_t read_full(void* to, std::size_t n);
  /// Reads n bytes, fewer only at the end of the file, at `offset` from the file's position when it was opened. Does
  /// not affect `read`. May be called from several threads at once. Requires: seekable(). Throws file_error.
  std::size_t read_at(void* to, std::size_t n, std::uint64_t offset) const;
  /// Whether `read` would return at once.
  bool ready() const;

private:
  input(int fd, std::string name, bool owned);

  int fd_ = -1;
  bool owned_ = false;
  std::string name_;
  std::optional<std::uint64_t> size_;
  std::uint64_t start_ = 0;
};

}  // namespace tally::io
