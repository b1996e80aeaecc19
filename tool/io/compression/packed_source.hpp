#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace tally::io {

/// The compressed bytes of a source, which a thread reads ahead of the one that asks for their content: a part of a
/// regular file, or a pipe from its present position on.
class packed_source {
public:
  /// The file's bytes [begin, begin + size). The descriptor stays the caller's.
  packed_source(int descriptor, std::string name, std::uint64_t begin, std::uint64_t size);
  /// A pipe of which `first` has been read already.
  packed_source(int descriptor, std::string name, std::string first);

  std::string const& name() const { return name_; }
  std::optional<std::uint64_t> size() const { return size_; }

  /// Up to n bytes; 0 at the end, and when `stop` becomes readable before there are any.
  std::size_t read(char* to, std::size_t n, int stop);
  /// Whether `read` would return at once.
  bool ready() const;

private:
  int descriptor_;
  std::string name_;
  std::string first_;
  std::uint64_t begin_ = 0, at_ = 0;
  std::optional<std::uint64_t> size_;
};

}  // namespace tally::io
