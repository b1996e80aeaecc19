#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace tally::cli {

/// A hash table of groups: of each its key, the row in which it was first seen, and a state of a fixed number of bytes,
/// which begins as zeros. Groups count from 0 in the order in which they come, and never move.
///
/// A group takes 10 to 15 bytes of the table, 8 for its place and first row, 1 or 2 for the key's length, the key, and
/// its state.
class group_records {
public:
  /// `state_bytes` is a multiple of 8.
  explicit group_records(std::size_t state_bytes) : stride_(sizeof(head) + state_bytes) {}

  static constexpr std::uint32_t none = ~std::uint32_t{0};

  /// The group of a key, or `none`. Requires: equal keys have equal hashes.
  std::uint32_t find(std::string_view key, std::uint32_t hash) const;
  /// Adds the group of a key that is not there. Requires: `first_row` is greater than that of the groups before.
  std::uint32_t add(std::string_view key, std::uint32_t hash, std::uint64_t first_row);

  /// A group whose key has the hash, if there is one, else `none`. Asks the processor for its record.
  std::uint32_t candidate(std::uint32_t hash) const
  {
    if (slots_.empty()) return none;
    for (std::size_t at = home(hash);;) {
      slot const& here = slots_[at];
      if (here.group == none || here.hash == hash) {
        if (here.group != none) __builtin_prefetch(record(here.group));
        return here.group;
      }
      if (++at == slots_.size()) at = 0;
    }
  }
  /// Asks the processor for the key of a group.
  void prefetch_key(std::uint32_t group) const
  {
    head here;
    std::memcpy(&here, record(group), sizeof here);
    __builtin_prefetch(text_of(here.key));
  }
  /// Asks the processor for the table's entry of a hash.
  void prefetch(std::uint32_t hash) const
  {
    if (!slots_.empty()) __builtin_prefetch(&slots_[home(hash)]);
  }

  std::uint32_t size() const { return size_; }
  std::string_view key(std::uint32_t group) const;
  std::uint64_t first_row(std::uint32_t group) const;
  std::byte* state(std::uint32_t group) { return record(group) + sizeof(head); }
  std::byte const* state(std::uint32_t group) const { return record(group) + sizeof(head); }

  std::size_t bytes() const;

private:
  struct slot {
    std::uint32_t hash;
    std::uint32_t group = none;
  };
  struct head {
    std::uint32_t key;        // the place of its length in the text
    std::uint32_t first_row;  // the lower half
  };

  std::size_t home(std::uint32_t hash) const
  {
    return static_cast<std::size_t>(std::uint64_t{hash} * slots_.size() >> 32);
  }
  void grow();
  void put(slot entry);
  std::byte* record(std::uint32_t group)
  {
    return records_[group >> record_bits].get() + (group & record_mask) * stride_;
  }
  std::byte const* record(std::uint32_t group) const
  {
    return records_[group >> record_bits].get() + (group & record_mask) * stride_;
  }
  char const* text_of(std::uint32_t place) const
  {
    return text_at_[place >> text_bits] + (place & ((1U << text_bits) - 1));
  }
  char* room_for(std::size_t bytes);

  static constexpr unsigned record_bits = 8;
  static constexpr std::uint32_t record_mask = (1U << record_bits) - 1;
  static constexpr unsigned text_bits = 14;  // pieces of 16 KiB; a longer key has several in a row

  std::size_t stride_;
  std::uint32_t size_ = 0;
  std::vector<slot> slots_;  // open addressing, linear probing, at most 4/5 full
  std::vector<std::unique_ptr<std::byte[]>> records_;
  std::vector<std::unique_ptr<char[]>> text_;  // lengths and keys
  std::vector<char*> text_at_;                 // of each piece
  std::size_t text_used_ = 0;                  // of all pieces
  std::size_t text_bytes_ = 0;
  std::vector<std::uint32_t> turns_;  // turns_[k]: the first group whose first row is at least (k + 1) * 2^32
};

}  // namespace tally::cli
