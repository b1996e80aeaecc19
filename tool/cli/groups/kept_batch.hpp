#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/reader.hpp"
#include "values.hpp"

namespace tally::cli {

/// The partitions of the keys, by the first bits of their hashes. Each has groups of its own, so that threads can work
/// on several at once.
inline constexpr std::size_t partition_count = 256;

inline std::size_t partition_of(std::uint64_t hash)
{
  return static_cast<std::size_t>(hash >> 56);
}

/// A copy of a batch with keys, sorted by partitions and within these into parts. A part is some rows of one key; the
/// parts of a key, and the rows in each, keep the order of the batch.
///
/// Where keys repeat, a part is all rows of a name of the batch, so that their values are combined at once. Where most
/// rows have a name of their own, each is a part, and nothing is sorted by parts.
class kept_batch {
public:
  /// Copies the batch, whose first row is row `first_row` of the input.
  void copy(io::batch const& batch, std::uint64_t first_row);
  /// Sorts the copy.
  void sort();

  struct part {
    std::uint32_t key_at;     // in a text of keys
    std::uint32_t key_bytes;  // of it
    std::uint32_t hash;       // the lower half
    std::uint32_t first_row;  // of the batch
  };
  std::span<part const> parts() const { return parts_; }
  /// The parts [begin, end) are those of a partition.
  std::uint32_t begin(std::size_t partition) const { return begins_[partition]; }
  std::uint32_t end(std::size_t partition) const { return begins_[partition + 1]; }
  std::string_view key(part const& of) const { return {sorted_text_.data() + of.key_at, of.key_bytes}; }
  /// The row of the input that is the batch's first one.
  std::uint64_t first_row() const { return first_row_; }

  std::size_t columns() const { return column_count_; }
  /// The values of a column, those of one part after those of another.
  io::values_view values(std::size_t column) const { return columns_[column].sorted.view(); }
  /// The place of the values of a part among them: they end where those of the next part begin.
  std::uint32_t values_begin(std::size_t column, std::uint32_t index) const
  {
    kept_column const& of = columns_[column];
    return of.ends.empty() ? index : index == 0 ? 0 : of.ends[index - 1];
  }
  std::uint32_t values_end(std::size_t column, std::uint32_t index) const
  {
    kept_column const& of = columns_[column];
    return of.ends.empty() ? index + 1 : of.ends[index];
  }
  /// The row of the batch in which value k of them stands.
  std::size_t row_of(std::size_t column, std::size_t k) const
  {
    kept_column const& of = columns_[column];
    if (of.ends.empty()) return parts_[k].first_row;
    return of.rows.empty() ? of.order[k] : of.rows[of.order[k]];
  }

  std::size_t bytes() const { return bytes_; }

private:
  struct kept_column {
    value_buffer values;
    std::vector<std::uint32_t> rows;  // of the values; empty if every row has one
    value_buffer sorted;
    std::vector<std::uint32_t> order;  // sorted value k is value order[k]
    std::vector<std::uint32_t> ends;   // of the parts; empty if each has one value, that of its row
  };

  void copy_keys(io::batch const& batch);
  void sort_parts();
  void sort(kept_column& column) const;
  void gather(kept_column& column) const;

  std::uint64_t first_row_ = 0;
  bool by_rows_ = false;               // each row is a part
  std::string text_;                   // of the keys
  std::vector<part> unsorted_;         // of the rows, or of the names, some of which have none
  std::vector<std::uint32_t> groups_;  // of the rows, unless each is a part
  std::vector<kept_column> columns_;
  std::size_t column_count_ = 0;
  std::size_t bytes_ = 0;

  std::array<std::uint32_t, partition_count + 1> begins_{};
  std::vector<part> parts_;
  std::string sorted_text_;  // of their keys: a partition's is read in one go, long after it has left the cache
  std::vector<std::uint8_t> partitions_;  // of the unsorted parts
  std::vector<std::uint32_t> part_of_;    // of the unsorted parts
};

}  // namespace tally::cli
