#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "io/writer.hpp"

namespace tally::io {

/// A buffer before an output: small pieces are collected, large ones written at once.
class byte_stream {
public:
  explicit byte_stream(output to) : to_(std::move(to)) {}

  /// Writes by offset from now on, so that the first bytes can be written again.
  void allow_rewrite();
  void append(void const* data, std::size_t n);
  void flush();
  /// Writes bytes again. Requires: allow_rewrite() has been called.
  void rewrite(void const* data, std::size_t n, std::uint64_t offset);
  void commit();
  output& to() { return to_; }

private:
  void send(void const* data, std::size_t n);

  output to_;
  bool by_offset_ = false;
  std::uint64_t sent_ = 0;
  std::unique_ptr<char[]> collected_;
  std::size_t count_ = 0;
};

/// The bytes of values. Throws usage_error if they are not of `type`.
struct value_bytes {
  void const* data;
  std::size_t size;
};
value_bytes bytes_of(values_view const& values, element_type type);

/// Throws data_error for a type that .npy files cannot have.
void check_npy_type(element_type type, output const& to);

}  // namespace tally::io
