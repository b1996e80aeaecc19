#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tally::io {

/// How the bytes of a file are kept until it is complete.
enum class unfinished {
  nameless,  ///< in a file without a name, which vanishes with the process, however that ends
  named,     ///< in a temporary file beside it, which is removed if a signal that can be caught ends the process
};

/// Where bytes are written to. A file appears under its name only when `commit` is called: until then its bytes are in
/// an unfinished file in the same folder, which vanishes if the output is destroyed uncommitted or the process ends.
/// What is no regular file (a device, a pipe) is written directly. Move-only; one thread at a time.
class output {
public:
  /// Where a file system has no nameless files the unfinished file is named. Makes the process ignore SIGXFSZ, so that
  /// too large a file is an exception. Throws file_error if the unfinished file cannot be made.
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

  /// Appends bytes: no buffer in between. Throws broken_pipe, disk_full, file_error.
  void write(void const* data, std::size_t n);
  /// Makes `write_at` possible: an output that cannot seek collects its bytes in an unnamed temporary file until
  /// `commit`.
  /// Requires: nothing has been written.
  void allow_write_at();
  /// Writes bytes at an offset from the output's beginning. Requires: allow_write_at() was called.
  void write_at(void const* data, std::size_t n, std::uint64_t offset);

  /// Ends the output: everything is in place, under its name. Throws as write does, and then nothing is left behind.
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
  int spool_ = -1;           // holds the bytes until commit where fd_ cannot seek
  std::uint64_t start_ = 0;  // where fd_ stood when writing began
  std::uint64_t end_ = 0;    // the highest offset written by write_at
  std::string name_;
  std::string target_;     // the name that the unfinished file will get; empty if there is no such file
  std::string temporary_;  // the name that it has before, if any
};

}  // namespace tally::io
