#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// The ways in which input may be compressed. The first bytes decide, never a name.
namespace tally::io {

/// Whether a source that is compressed is decompressed as it is read.
enum class unpacking { by_first_bytes, none };

enum class compression : std::uint8_t { none, gzip, bzip2, xz, zstd };

/// After this many bytes every compression is known.
inline constexpr std::size_t compression_bytes = 6;

/// The compression of a source that begins with these bytes; nothing while more bytes are needed to tell. At the end of
/// the source, nothing stands for none.
std::optional<compression> compression_of(std::string_view first_bytes);

/// "gzip", "bzip2", "xz", "zstd". Requires: not none.
std::string_view name_of(compression kind);

/// A name without the ending that its compressed form has: "sales.csv" of "sales.csv.gz". Any case.
std::string_view without_compression_ending(std::string_view path);

}  // namespace tally::io
