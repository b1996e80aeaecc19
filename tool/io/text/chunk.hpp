#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <string>

#include "io/files/input.hpp"
#include "io/numbers/token.hpp"

namespace tally::io {

/// Bytes behind a chunk that may be read; they are zero.
inline constexpr std::size_t back_padding = 64;

/// A piece of text with readable bytes before and behind it.
class chunk {
public:
  char* data() { return storage_.get() + front_padding; }
  char const* data() const { return storage_.get() + front_padding; }
  std::size_t size() const { return size_; }
  char const* begin() const { return data(); }
  char const* end() const { return data() + size_; }
  std::size_t capacity() const { return capacity_; }

  /// Makes room for n bytes and keeps the first `kept`.
  void reserve(std::size_t n, std::size_t kept)
  {
    if (n <= capacity_) return;
    auto larger = std::make_unique<char[]>(front_padding + n + back_padding);
    if (kept > 0) std::memcpy(larger.get() + front_padding, data(), kept);
    storage_ = std::move(larger);
    capacity_ = n;
  }
  /// Requires: n <= capacity().
  void resize(std::size_t n)
  {
    size_ = n;
    std::memset(data() + n, 0, back_padding);
  }

  bool overlong = false;  ///< begins with a unit of more than `chunk_sizes::longest` bytes, and ends within it

private:
  std::unique_ptr<char[]> storage_;
  std::size_t capacity_ = 0;
  std::size_t size_ = 0;
};

/// Returns after how many of the bytes a text may be cut, or 0 if nowhere. It is called again with more bytes behind
/// the same ones until it finds a place; `seen` is the number of bytes of the call before.
using cut_function = std::function<std::size_t(char const* bytes, std::size_t size, std::size_t seen)>;

/// Sizes of the pieces that a text is read in.
struct chunk_sizes {
  std::size_t usual = std::size_t(256) << 10;  ///< fits the second-level cache with the values that it holds
  std::size_t longest = std::size_t(1) << 20;  ///< of a unit (a token, a line, a row), without its end
};

/// Cuts an input into chunks of whole units. A pipe that gives less than a chunk at a time is cut where it pauses.
///
/// No chunk has more than longest + 1 bytes. So a unit that is too long never fits a chunk, and is found by its first
/// longest + 1 bytes, whatever the pieces in which the input arrives.
class chunk_source {
public:
  chunk_source(input source, cut_function cut, chunk_sizes sizes = {});

  /// Fills `into` with the next chunk; false if there is none. A chunk ends where `cut` says, the last one where the
  /// input ends. The first longest + 1 bytes of a unit that is too long are a chunk marked `overlong`.
  /// Throws what the input threw, after the units before that.
  bool next(chunk& into);
  bool ready() const { return ended_ || source_.ready(); }
  input const& source() const { return source_; }

private:
  input source_;
  cut_function cut_;
  chunk_sizes sizes_;
  std::string rest_;  // the bytes behind the last cut
  bool ended_ = false;
  std::exception_ptr failure_;  // of the input: thrown after the units before it
};

}  // namespace tally::io
