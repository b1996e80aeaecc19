#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tally::io {

/// Numbers the distinct keys of a sequence in the order of their first appearance, and keeps the sequence as numbers.
/// Open addressing with linear probing, at most half full.
class key_table {
public:
  void clear();

  /// Appends a key whose characters live until `clear`.
  void add(std::string_view key);
  /// Appends a copy of a key.
  void add_copy(std::string key);

  std::span<std::uint32_t const> groups() const { return groups_; }
  std::span<std::string_view const> names() const { return names_; }

private:
  std::uint32_t number_of(std::string_view key, bool& is_new);
  void grow();

  static constexpr std::uint32_t vacant = ~std::uint32_t(0);

  std::vector<std::uint32_t> groups_;
  std::vector<std::string_view> names_;
  std::vector<std::size_t> hashes_;   // of names_
  std::vector<std::uint32_t> table_;  // indices into names_; a power of two of them
  std::deque<std::string> copies_;    // of names whose characters may not live long enough
};

}  // namespace tally::io
