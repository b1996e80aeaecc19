#include "io/compression/compression.hpp"

#include <algorithm>
#include <cctype>

namespace tally::io {

namespace {

using namespace std::string_view_literals;

struct known_beginning {
  std::string_view bytes;  // '?' stands for any byte
  compression is;
};

/// The last byte of gzip's is its only method. Behind the header of bzip2 stand the digits of pi before a block, of its
/// square root where there is no block.
constexpr known_beginning beginnings[] = {
    {"\x1f\x8b\x08"sv, compression::gzip},
    {"BZh?1A"sv, compression::bzip2},
    {"BZh?\x17r"sv, compression::bzip2},
    {"\xfd"
     "7zXZ\0"sv,
     compression::xz},
    {"\x28\xb5\x2f\xfd"sv, compression::zstd},
};

bool agree(std::string_view bytes, std::string_view pattern)
{
  std::size_t const size = std::min(bytes.size(), pattern.size());
  for (std::size_t i = 0; i < size; ++i)
    if (pattern[i] != '?' && pattern[i] != bytes[i]) return false;
  return true;
}

}  // namespace

std::optional<compression> compression_of(std::string_view first_bytes)
{
  bool open = false;
  for (known_beginning const& each : beginnings) {
    if (!agree(first_bytes, each.bytes)) continue;
    if (first_bytes.size() >= each.bytes.size()) return each.is;
    open = true;
  }
  return open ? std::nullopt : std::optional(compression::none);
}

std::string_view name_of(compression kind)
{
  constexpr std::string_view names[] = {"", "gzip", "bzip2", "xz", "zstd"};
  return names[static_cast<std::size_t>(kind)];
}

std::string_view without_compression_ending(std::string_view path)
{
  for (std::string_view const ending : {".gz"sv, ".bz2"sv, ".xz"sv, ".zst"sv}) {
    if (path.size() <= ending.size()) continue;
    std::string_view const last = path.substr(path.size() - ending.size());
    if (std::equal(last.begin(), last.end(), ending.begin(),
                   [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; }))
      return path.substr(0, path.size() - ending.size());
  }
  return path;
}

}  // namespace tally::io
