#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tally::io {

/// A hash of a key, all bits of which are equally good.
std::uint64_t hash_of(std::string_view key);

/// Numbers distinct keys, which somebody else keeps, in the order of their first appearance. Open addressing with
/// linear probing, at most half full.
class key_index {
public:
  /// The number of a key with this hash, a new one if is_key(number) holds for no key.
  template <class Same>
  std::uint32_t number_of(std::size_t hash, Same is_key)
  {
    std::size_t at = hash & (table_.size() - 1);
    for (; table_[at] != vacant; at = (at + 1) & (table_.size() - 1)) {
      std::uint32_t const known = table_[at];
      if (hashes_[known] == hash && is_key(known)) return known;
    }
    auto const next = static_cast<std::uint32_t>(hashes_.size());
    table_[at] = next;
    hashes_.push_back(hash);
    if (2 * hashes_.size() > table_.size()) grow();
    return next;
  }
  std::size_t size() const { return hashes_.size(); }
  void clear();

private:
  void grow();

  static constexpr std::uint32_t vacant = ~std::uint32_t(0);

  std::vector<std::size_t> hashes_;                                            // of the keys
  std::vector<std::uint32_t> table_ = std::vector<std::uint32_t>(64, vacant);  // numbers; a power of two of them
};

/// The keys of a sequence, and the sequence as their numbers.
class key_table {
public:
  /// Begins anew. If names need not be distinct, and most of the first `trial` keys differ, each of the later ones gets
  /// a name of its own: looking it up would cost more than it saves.
  void clear(bool distinct = true);

  /// Appends a key whose characters live until `clear`.
  void add(std::string_view key);
  /// Appends a copy of a key.
  void add_copy(std::string key);

  std::span<std::uint32_t const> groups() const { return groups_; }
  std::span<std::string_view const> names() const { return names_; }

  static constexpr std::size_t trial = 1024;

private:
  std::uint32_t number_of(std::string_view key, bool& is_new);

  bool distinct_ = true;
  bool looks_up_ = true;

  std::vector<std::uint32_t> groups_;
  std::vector<std::string_view> names_;
  key_index index_;
  std::deque<std::string> copies_;  // of names whose characters may not live long enough
};

}  // namespace tally::io
