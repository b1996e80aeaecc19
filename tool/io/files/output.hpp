#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tally::io {

/// The place of a file's bytes until the file is complete.
enum class unfinished {
  nameless,  ///< a file without a name, which vanishes with the process however that ends
  named,     ///< a temporary file beside it, removed if a signal that can be caught ends the process
};

/// A destination of bytes. A file appears under its name only when `commit` is called. Until then its bytes are in an
/// unfinished file in the same folder, which vanishes if the output is destroyed uncommitted or the process ends. A
/// device or a pipe is written directly. Move-only; one thread at a time.
class output {
public:
  /// Opens the unfinished file, a named one if the file system has no nameless files. Makes the process ignore SIGXFSZ,
  /// so that too large a file is an exception. Throws file_error if the file cannot be made.
  static output file(std::string const& path, unfinished kept = unfinished::nameless);
  /// Standard output, called "(standard output)" in messages. Makes the process ignore SIGPIPE and SIGXFSZ, so that a
  /// broken pipe and too large a file are exceptions.
  static output standard_output();
  /// "-" is standard output, everything else a file.
  static output named(std::string const& path);
  /// Writes to a descriptor, which stays the caller's.
  static output descriptor(int fd, std::string name);

  output(output&& other) noexcept;
  output& operator=(output&&) = delete;
  ~output();

  std::string const& name() const { return name_; }
  /// The path of the unfinished file; empty if it has no name, or there is none.
  std::string const& unfinished_path() const { return temporary_; }

  /// Appends bytes: no buffer in between. Throws broken_pipe, disk_full, file_error.
  void write(void const* data, std::size_t n);
  /// Allows `write_at`: an output that cannot seek collects its bytes in a nameless temporary file until `commit`.
  /// Requires: nothing has been written.
  void allow_write_at();
  /// Writes bytes at an offset from the output's beginning. Requires: allow_write_at() was called.
  void write_at(void const* data, std::size_t n, std::uint64_t offset);

  /// Ends the output: the file is complete under its name. Throws as write does, and then leaves no file behind.
  void commit();

private:
  output(int fd, std::string name, bool owned);
  bool open_nameless(std::string const& folder);
  void open_temporary();
  void give_name();
  void open_spool();
  void copy_spool();
  int random_access() const { return spool_ >= 0 ? spool_ : fd_; }

  int fd_ = -1;
  bool owned_ = false;
  int spool_ = -1;           // holds the bytes until commit if fd_ cannot seek
  std::uint64_t start_ = 0;  // the offset of fd_ when writing began
  std::uint64_t end_ = 0;    // the highest offset written by write_at
  std::string name_;
  std::string target_;     // the name of the complete file; empty if there is no such file
  std::string temporary_;  // the name of the unfinished file, if it has one
};

/// Writes a text as the whole output, and commits it.
void write_whole(output to, std::string_view text);

}  // namespace tally::io
