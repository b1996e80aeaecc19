#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "io/compression/compression.hpp"

namespace tally::io {

/// A library that decompresses. Compressed data is a sequence of members (gzip's members, zstd's frames, the streams of
/// xz and bzip2), whose contents follow one another.
class decoder {
public:
  virtual ~decoder() = default;
  decoder(decoder const&) = delete;
  decoder& operator=(decoder const&) = delete;

  /// Decompresses from the front of `from` to the front of `to`, and shortens both by what was used. It stops where one
  /// of them is empty. `ended` says that nothing follows `from`. Returns whether the data so far is whole members, all
  /// of whose bytes have been given. Throws decode_problem; the content before it is in `to` then.
  virtual bool decode(std::string_view& from, std::span<char>& to, bool ended) = 0;

protected:
  decoder() = default;
};

struct decode_problem {
  enum class kind { damaged, no_member, needs_memory } is;
  std::string detail;  ///< in the library's words, or empty
};

/// The decoder of a compression. Requires: not none.
std::unique_ptr<decoder> make_decoder(compression kind);

/// A decoder of the member of a zip archive, which is deflate without a header, and checks its size and checksum.
std::unique_ptr<decoder> make_deflate_decoder(std::uint64_t size, std::uint32_t checksum);

}  // namespace tally::io
