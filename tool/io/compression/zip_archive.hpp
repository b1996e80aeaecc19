#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/files/input.hpp"

namespace tally::io {

/// A member of a zip archive, as its directory describes it.
struct zip_member {
  std::string name;
  std::uint16_t flags = 0;
  std::uint16_t method = 0;  ///< 0 stored, 8 deflated
  std::uint32_t checksum = 0;
  std::uint64_t packed = 0;  ///< bytes in the archive
  std::uint64_t size = 0;    ///< bytes of content
  std::uint64_t header = 0;  ///< where its local header begins
};

/// The first bytes of a zip archive with members.
inline constexpr std::string_view zip_signature = "PK\x03\x04";

/// The members in the order of the directory, without folders. Throws data_error. Requires: archive.seekable().
std::vector<zip_member> read_zip_directory(input const& archive);

/// The one that is meant: called `name`, or `name`.npy; the only one if `name` is empty. Throws data_error that lists
/// them, and for members that are encrypted or compressed by other methods than deflate.
zip_member const& choose_member(std::vector<zip_member> const& all, std::string_view name, std::string const& source);

/// Where the bytes of a member begin. Throws data_error.
std::uint64_t begin_of(zip_member const& member, input const& archive);

}  // namespace tally::io
