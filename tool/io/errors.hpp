#pragma once

#include <cstdint>
#include <string>

#include "tally/error.hpp"

namespace tally::io {

/// A place in the input. Lines and columns count from 1, columns in bytes. Line 0 means that the source has no lines
/// (.npy, raw), column 0 the whole line.
struct location {
  std::string source;
  std::uint64_t line = 0;
  std::uint64_t column = 0;
};

/// `source:line:column`, without the parts that are 0.
std::string to_string(location const& where);

/// The input is wrong. what() is `file:line:column: found ..., expected ...`.
class data_error : public error {
public:
  data_error(location where, std::string found, std::string expected);

  location const& where() const { return where_; }
  std::string const& found() const { return found_; }
  std::string const& expected() const { return expected_; }

private:
  location where_;
  std::string found_;
  std::string expected_;
};

/// A file cannot be opened, read or written. what() is `file: cannot read: Permission denied`.
class file_error : public error {
public:
  file_error(std::string path, std::string const& attempt, int error_number);

  std::string const& path() const { return path_; }
  int error_number() const { return error_number_; }

private:
  std::string path_;
  int error_number_;
};

/// The device, the quota or the allowed file size is used up (ENOSPC, EDQUOT, EFBIG).
class disk_full : public file_error {
public:
  using file_error::file_error;
};

/// The reader of the output has closed it (EPIPE). The program should end quietly.
class broken_pipe : public file_error {
public:
  using file_error::file_error;
};

/// Throws broken_pipe, disk_full or file_error, as `error_number` says.
[[noreturn]] void throw_file_error(std::string const& path, std::string const& attempt, int error_number);

}  // namespace tally::io
