#include "io/compression/zip_archive.hpp"

#include <algorithm>
#include <optional>

#include "io/errors.hpp"

namespace tally::io {

namespace {

/// Sizes of records, and the values that stand for "see the record of 64 bits".
constexpr std::size_t end_size = 22, locator_size = 20, wide_end_size = 56, entry_size = 46, local_size = 30;
constexpr std::uint64_t see_wide_32 = 0xffffffff, see_wide_16 = 0xffff;
constexpr std::uint64_t largest_directory = std::uint64_t(64) << 20;

[[noreturn]] void fail(input const& archive, std::string const& found, std::string const& expected)
{
  throw data_error({archive.name()}, found, expected);
}

[[noreturn]] void damaged(input const& archive)
{
  fail(archive, "a damaged zip archive", "one whose directory lies at its end");
}

/// An unsigned number of `bytes` bytes, the least significant first. Requires: at + bytes <= record.size().
std::uint64_t number(std::string_view record, std::size_t at, std::size_t bytes)
{
  std::uint64_t value = 0;
  for (std::size_t i = bytes; i-- > 0;) value = value << 8 | static_cast<unsigned char>(record[at + i]);
  return value;
}

std::string bytes_at(input const& archive, std::uint64_t offset, std::uint64_t size)
{
  if (offset > *archive.size() || size > *archive.size() - offset) damaged(archive);
  std::string bytes(static_cast<std::size_t>(size), '\0');
  if (archive.read_at(bytes.data(), bytes.size(), offset) != bytes.size()) damaged(archive);
  return bytes;
}

struct directory_place {
  std::uint64_t entries, size, offset;
};

directory_place find_directory(input const& archive)
{
  std::uint64_t const size = *archive.size();
  std::uint64_t const behind = std::min<std::uint64_t>(size, end_size + see_wide_16);  // with the longest comment
  std::string const last = bytes_at(archive, size - behind, behind);
  for (std::size_t at = last.size(); at-- > 0;) {
    if (last.compare(at, 4, "PK\x05\x06") != 0 || last.size() - at < end_size) continue;
    if (number(last, at + 20, 2) != last.size() - at - end_size) continue;  // the comment does not end the file
    directory_place place = {number(last, at + 10, 2), number(last, at + 12, 4), number(last, at + 16, 4)};
    if (place.entries != see_wide_16 && place.size != see_wide_32 && place.offset != see_wide_32) return place;
    std::uint64_t const end = size - behind + at;
    if (end < locator_size) damaged(archive);
    std::string const locator = bytes_at(archive, end - locator_size, locator_size);
    if (!locator.starts_with("PK\x06\x07")) return place;
    std::string const wide = bytes_at(archive, number(locator, 8, 8), wide_end_size);
    if (!wide.starts_with("PK\x06\x06")) damaged(archive);
    return {number(wide, 32, 8), number(wide, 40, 8), number(wide, 48, 8)};
  }
  damaged(archive);
}

/// Takes from the extra field of 64 bits those numbers that do not fit 32, in their order.
void widen(zip_member& member, std::string_view extra)
{
  while (extra.size() >= 4) {
    std::size_t const length = number(extra, 2, 2);
    if (length > extra.size() - 4) return;
    std::string_view field = extra.substr(4, length);
    if (number(extra, 0, 2) == 1) {
      for (std::uint64_t* const each : {&member.size, &member.packed, &member.header}) {
        if (*each != see_wide_32 || field.size() < 8) continue;
        *each = number(field, 0, 8);
        field.remove_prefix(8);
      }
    }
    extra.remove_prefix(4 + length);
  }
}

std::string listed(std::vector<zip_member> const& all)
{
  constexpr std::size_t most = 20;
  std::string text;
  for (std::size_t i = 0; i < std::min(all.size(), most); ++i) text += (i > 0 ? ", '" : "'") + all[i].name + "'";
  return text + (all.size() > most ? ", ..." : "");
}

}  // namespace

std::vector<zip_member> read_zip_directory(input const& archive)
{
  directory_place const place = find_directory(archive);
  if (place.size > largest_directory)
    fail(archive, "a zip archive with a directory of more than 64 MiB", "a shorter one");
  std::string const bytes = bytes_at(archive, place.offset, place.size);
  std::string_view rest = bytes;
  std::vector<zip_member> all;
  for (std::uint64_t i = 0; i < place.entries; ++i) {
    if (rest.size() < entry_size || !rest.starts_with("PK\x01\x02")) damaged(archive);
    std::size_t const name = number(rest, 28, 2), extra = number(rest, 30, 2), comment = number(rest, 32, 2);
    if (rest.size() - entry_size < name + extra + comment) damaged(archive);
    zip_member member;
    member.name = rest.substr(entry_size, name);
    member.flags = static_cast<std::uint16_t>(number(rest, 8, 2));
    member.method = static_cast<std::uint16_t>(number(rest, 10, 2));
    member.checksum = static_cast<std::uint32_t>(number(rest, 16, 4));
    member.packed = number(rest, 20, 4);
    member.size = number(rest, 24, 4);
    member.header = number(rest, 42, 4);
    widen(member, rest.substr(entry_size + name, extra));
    if (!member.name.ends_with('/')) all.push_back(std::move(member));
    rest.remove_prefix(entry_size + name + extra + comment);
  }
  return all;
}

zip_member const& choose_member(std::vector<zip_member> const& all, std::string_view name, std::string const& source)
{
  zip_member const* chosen = all.size() == 1 && name.empty() ? &all[0] : nullptr;
  for (std::string_view const ending : {".npy", ""})
    for (zip_member const& each : all)
      if (!name.empty() && each.name == std::string(name) + std::string(ending)) chosen = &each;
  if (!chosen && !name.empty())
    throw data_error({source}, "no member '" + std::string(name) + "' in the archive", "one of " + listed(all));
  if (!chosen)
    throw data_error({source}, "a zip archive of " + std::to_string(all.size()) + " members: " + listed(all),
                     "a single one, or FILE:NAME to name one");
  if ((chosen->flags & 1) != 0) throw data_error({source}, "an encrypted member of a zip archive", "a plain one");
  if (chosen->method != 0 && chosen->method != 8)
    throw data_error({source}, "a member compressed by method " + std::to_string(chosen->method),
                     "one that is stored or deflated (take it out first: unzip -p FILE MEMBER | tally ...)");
  return *chosen;
}

std::uint64_t begin_of(zip_member const& member, input const& archive)
{
  std::string const header = bytes_at(archive, member.header, local_size);
  if (!header.starts_with(zip_signature)) damaged(archive);
  std::uint64_t const begin = member.header + local_size + number(header, 26, 2) + number(header, 28, 2);
  if (begin > *archive.size() || member.packed > *archive.size() - begin) damaged(archive);
  if (member.method == 0 && member.packed != member.size) damaged(archive);
  return begin;
}

}  // namespace tally::io
