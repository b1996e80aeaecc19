#pragma once

#include <string>
#include <string_view>

namespace tally::io {

/// A file in memory, without a name.
class memory_file {
public:
  /// Throws file_error, as do the others.
  memory_file();
  ~memory_file();
  memory_file(memory_file const&) = delete;
  memory_file& operator=(memory_file const&) = delete;

  int descriptor() const { return descriptor_; }
  void write(std::string_view text);
  /// Goes back to the beginning, for one who reads from the descriptor.
  void rewind() const;
  /// Everything in it, valid as long as the file, which is not written any more.
  std::string_view content();

private:
  int descriptor_ = -1;
  void* mapped_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace tally::io
