#include "groups/records.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace tally::cli {

namespace {

/// Bytes of the length of a key, seven bits each, the lowest first; all but the last have the highest bit set.
std::size_t length_bytes(std::size_t length)
{
  std::size_t bytes = 1;
  for (; length >= 0x80; length >>= 7) ++bytes;
  return bytes;
}

}  // namespace

std::uint32_t group_records::find(std::string_view key, std::uint32_t hash) const
{
  if (slots_.empty()) return none;
  for (std::size_t at = home(hash);;) {
    slot const& here = slots_[at];
    if (here.group == none) return none;
    if (here.hash == hash && this->key(here.group) == key) return here.group;
    if (++at == slots_.size()) at = 0;
  }
}

std::uint32_t group_records::add(std::string_view key, std::uint32_t hash, std::uint64_t first_row)
{
  if (5 * (std::size_t{size_} + 1) > 4 * slots_.size()) grow();
  std::uint32_t const group = size_;
  if (group == none) throw std::bad_alloc();
  if ((group & record_mask) == 0) records_.push_back(std::make_unique<std::byte[]>(stride_ << record_bits));  // zeros
  std::size_t const length = length_bytes(key.size());
  char* text = room_for(length + key.size());
  head const here = {static_cast<std::uint32_t>(text_used_), static_cast<std::uint32_t>(first_row)};
  text_used_ += length + key.size();
  for (std::size_t left = key.size(), k = 1; k <= length; ++k, left >>= 7)
    *text++ = static_cast<char>((left & 0x7f) | (k < length ? 0x80 : 0));
  key.copy(text, key.size());
  while (first_row >> 32 > turns_.size()) turns_.push_back(group);
  std::memcpy(record(group), &here, sizeof here);
  ++size_;
  put({hash, group});
  return group;
}

void group_records::put(slot entry)
{
  std::size_t at = home(entry.hash);
  while (slots_[at].group != none)
    if (++at == slots_.size()) at = 0;
  slots_[at] = entry;
}

void group_records::grow()
{
  std::vector<slot> old(std::max<std::size_t>(16, slots_.size() + slots_.size() / 2));
  old.swap(slots_);
  // In the order of their homes, so that entries move to ascending places.
  for (slot const& entry : old)
    if (entry.group != none) put(entry);
}

/// Room in one piece behind the text so far; text_used_ is its place.
char* group_records::room_for(std::size_t bytes)
{
  constexpr std::size_t piece = std::size_t{1} << text_bits;
  if (text_used_ + bytes > text_at_.size() * piece) {
    std::size_t const pieces = (bytes + piece - 1) / piece;
    if (text_at_.size() + pieces > std::size_t{1} << (32 - text_bits)) throw std::bad_alloc();
    text_used_ = text_at_.size() * piece;
    text_.push_back(std::make_unique_for_overwrite<char[]>(pieces * piece));
    for (std::size_t k = 0; k < pieces; ++k) text_at_.push_back(text_.back().get() + k * piece);
    text_bytes_ += pieces * piece;
  }
  return text_at_[text_used_ >> text_bits] + (text_used_ & (piece - 1));
}

std::string_view group_records::key(std::uint32_t group) const
{
  head here;
  std::memcpy(&here, record(group), sizeof here);
  char const* text = text_of(here.key);
  std::size_t length = 0;
  for (unsigned shift = 0;; shift += 7) {
    auto const byte = static_cast<unsigned char>(*text++);
    length |= std::size_t{byte & 0x7fU} << shift;
    if (byte < 0x80) break;
  }
  return {text, length};
}

std::uint64_t group_records::first_row(std::uint32_t group) const
{
  head here;
  std::memcpy(&here, record(group), sizeof here);
  auto const turn = std::upper_bound(turns_.begin(), turns_.end(), group) - turns_.begin();
  return static_cast<std::uint64_t>(turn) << 32 | here.first_row;
}

std::size_t group_records::bytes() const
{
  return slots_.capacity() * sizeof(slot) + records_.size() * (stride_ << record_bits) + text_bytes_;
}

}  // namespace tally::cli
