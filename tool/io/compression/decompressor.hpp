#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "io/compression/decoder.hpp"
#include "io/compression/packed_source.hpp"

namespace tally::io {

/// Sizes of the pieces that pass through a decompressor.
struct unpacking_sizes {
  std::size_t packed = std::size_t(128) << 10;  ///< read at a time
  std::size_t block = std::size_t(256) << 10;   ///< of content: stays in the cache until it is parsed
  std::size_t blocks = 4;                       ///< decompressed ahead of the reader
};

/// The content of a compressed source, which a thread of its own decompresses ahead of the one that reads it.
///
/// Where a pipe pauses, the content so far is given. Errors come after all content before them.
class decompressor {
public:
  /// `kind` names the compression in messages.
  decompressor(packed_source from, std::unique_ptr<decoder> by, std::string kind, unpacking_sizes sizes = {});
  /// Does not wait for a pipe.
  ~decompressor();
  decompressor(decompressor const&) = delete;
  decompressor& operator=(decompressor const&) = delete;

  /// Up to n bytes; 0 means the end. Throws file_error, and data_error for data that is damaged or cut short.
  std::size_t read(void* to, std::size_t n);
  /// Whether `read` would return at once.
  bool ready() const;
  /// The compressed bytes that have been decompressed.
  std::uint64_t packed_bytes() const { return packed_bytes_.load(std::memory_order_relaxed); }
  std::optional<std::uint64_t> packed_size() const { return from_.size(); }

private:
  struct block {
    std::unique_ptr<char[]> bytes;
    std::size_t size = 0;
  };

  void run();
  bool fill(block& into);
  bool refill();
  [[noreturn]] void refuse(decode_problem const& problem) const;
  [[noreturn]] void fail(std::string const& found, std::string const& expected) const;

  packed_source from_;
  std::unique_ptr<decoder> by_;
  std::string kind_;
  unpacking_sizes sizes_;
  int stop_;  // an eventfd: readable once the reader has gone

  // Of the thread.
  std::vector<char> packed_;
  std::string_view rest_;  // of packed_
  bool ended_ = false;     // from_ has given all
  bool pending_ = false;   // the decoder may have more content of what it was given
  bool whole_ = false;
  bool member_seen_ = false;
  std::atomic<std::uint64_t> packed_bytes_ = 0;

  mutable std::mutex mutex_;  // guards the members below
  std::condition_variable filled_changed_, free_changed_;
  std::deque<block> filled_;
  std::vector<block> free_;
  bool finished_ = false;
  bool stopping_ = false;
  std::exception_ptr failure_;

  // Of the reader.
  block current_;
  std::size_t taken_ = 0;

  std::thread thread_;  // last
};

}  // namespace tally::io
