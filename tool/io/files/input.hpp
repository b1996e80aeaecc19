#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "io/compression/compression.hpp"
#include "io/reader.hpp"

namespace tally::io {

class decompressor;

/// A source of bytes: a file or standard input. Movable; closes the file that it opened.
///
/// With `unpacking::by_first_bytes`, a source whose first bytes are those of gzip, bzip2, xz or zstd gives its content,
/// and a zip archive its only member. A regular file is looked at when it is opened, a pipe when it is first read.
class input {
public:
  /// Opens a file, or where there is none called ARCHIVE:MEMBER, the member of a zip archive. Throws file_error if it
  /// cannot be read or is a directory, and data_error if an archive has no such member.
  static input file(std::string const& path, unpacking how = unpacking::by_first_bytes);
  /// Opens a file that others write: at its end `read` waits until it grows, or until it has no name any more, which is
  /// the end. Nothing is decompressed.
  static input followed(std::string const& path);
  /// Standard input, called "(standard input)" in messages. Where it is a regular file, every call begins where the
  /// first one did.
  static input standard_input(unpacking how = unpacking::by_first_bytes);
  /// Copies a pipe on standard input to a file in memory that takes its place, so that it can be read again. Leaves a
  /// regular file as it is. Call it before standard_input(). Throws file_error.
  static void keep_standard_input();
  /// "-" is standard input, everything else a file.
  static input named(std::string const& path, unpacking how = unpacking::by_first_bytes);
  /// Reads from a descriptor, which stays the caller's.
  static input descriptor(int fd, std::string name, unpacking how = unpacking::by_first_bytes);

  input(input&& other) noexcept;
  input& operator=(input&& other) noexcept;
  ~input();

  std::string const& name() const { return name_; }
  /// Bytes in a regular file from here to its end; nothing for pipes, terminals, devices, and compressed files.
  std::optional<std::uint64_t> size() const { return size_; }
  /// Whether read_at may be used: a regular file that is not compressed.
  bool seekable() const { return size_.has_value(); }
  /// Whether it can be opened and read again: a regular file, compressed or not.
  bool repeatable() const { return size_.has_value() || !packed_by_.empty(); }
  /// For messages, of a source that is not seekable: "a pipe", "a file compressed by gzip".
  std::string not_seekable() const;
  /// The progress after `bytes` bytes of content. For a compressed source it counts compressed bytes.
  progress so_far(std::uint64_t bytes) const;

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
  input(int fd, std::string name, bool owned, unpacking how);
  void look_at_first_bytes();
  void unpack_file(std::string_view first_bytes);
  void become_member(std::string_view member);
  std::size_t read_while_it_grows(void* to, std::size_t n);

  int fd_ = -1;
  bool owned_ = false;
  std::string name_;
  std::optional<std::uint64_t> size_;
  std::uint64_t start_ = 0;     // where it begins in the file
  bool looked_ = false;         // the compression is known
  std::string first_;           // bytes of a pipe that `read` has yet to give
  std::string_view packed_by_;  // of a regular file: what compressed it
  std::unique_ptr<decompressor> content_;
  std::optional<std::uint64_t> member_read_;  // of a stored member of an archive: how much `read` has given
  bool followed_ = false;
};

}  // namespace tally::io
