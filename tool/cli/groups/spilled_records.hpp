#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "io/files/piece_file.hpp"

namespace tally::cli {

/// A sequence of records in a temporary file. One thread appends to it, and reads it from the beginning.
class spilled_records {
public:
  /// Appends to the present record.
  void put_bytes(void const* bytes, std::size_t n) { buffer_.append(static_cast<char const*>(bytes), n); }
  template <class T>
  void put(T const& value)
  {
    static_assert(std::is_trivially_copyable_v<T>);
    put_bytes(&value, sizeof value);
  }
  /// Ends the record. A piece of the file has whole records.
  void end_record(io::piece_file& file)
  {
    if (buffer_.size() >= piece_bytes) flush(file);
  }
  void flush(io::piece_file& file)
  {
    if (!buffer_.empty()) pieces_.push_back(file.append(buffer_));
    buffer_.clear();
  }
  bool empty() const { return buffer_.empty() && pieces_.empty(); }

  /// The next piece; false at the end. Requires: `flush` was called.
  bool next(io::piece_file const& file, std::string& piece)
  {
    if (read_ == pieces_.size()) return false;
    file.read(pieces_[read_++], piece);
    return true;
  }

  std::size_t bytes() const { return buffer_.capacity() + pieces_.capacity() * sizeof(io::piece_file::piece); }

  static constexpr std::size_t piece_bytes = std::size_t{16} << 10;

private:
  std::string buffer_;
  std::vector<io::piece_file::piece> pieces_;
  std::size_t read_ = 0;
};

/// Takes the parts of records out of a piece.
class record_reader {
public:
  explicit record_reader(std::string_view bytes) : left_(bytes) {}

  bool empty() const { return left_.empty(); }
  std::string_view take_bytes(std::size_t n)
  {
    std::string_view const taken = left_.substr(0, n);
    left_.remove_prefix(n);
    return taken;
  }
  template <class T>
  T take()
  {
    T value;
    std::memcpy(&value, take_bytes(sizeof value).data(), sizeof value);
    return value;
  }

private:
  std::string_view left_;
};

}  // namespace tally::cli
