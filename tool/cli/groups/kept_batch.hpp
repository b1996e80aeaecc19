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

/// A copy of a batch with keys, sorted by partitions and within these by groups. The values of a group keep the order
/// of their rows.
class kept_batch {
public:
  /// Copies the batch, whose first row is row `first_row` of the input.
  void copy(io::batch const& batch, std::uint64_t first_row);
  /// Sorts the copy.
  void sort();

  /// A group of the batch.
  struct part {
    std::string_view key;
    std::uint64_t hash;
    std::uint64_t first_row;
  };
  std::span<part const> parts() const { return parts_; }
  /// The parts [begin, end) are those of a partition.
  std::uint32_t begin(std::size_t partition) const { return begins_[partition]; }
  std::uint32_t end(std::size_t partition) const { return begins_[partition + 1]; }

  std::size_t columns() const { return column_count_; }
  /// The values of a column, those of one part after those of another.
  io::values_view values(std::size_t column) const { return columns_[column].sorted.view(); }
  /// The place of the values of a part among them: they end where those of the next part begin.
  std::uint32_t values_begin(std::size_t column, std::uint32_t index) const
  {
    return index == 0 ? 0 : columns_[column].ends[index - 1];
  }
  std::uint32_t values_end(std::size_t column, std::uint32_t index) const { return columns_[column].ends[index]; }
  /// The row of the batch in which value k of them stands.
  std::size_t row_of(std::size_t column, std::size_t k) const
  {
    kept_column const& of = columns_[column];
    return of.rows.empty() ? of.order[k] : of.rows[of.order[k]];
  }

  std::size_t bytes() const { return bytes_; }

private:
  struct kept_column {
    value_buffer values;
    std::vector<std::uint32_t> rows;  // of the values; empty if every row has one
    value_buffer sorted;
    std::vector<std::uint32_t> order;  // sorted value k is value order[k]
    std::vector<std::uint32_t> ends;   // of the parts
  };

  void sort_parts();
  void sort(kept_column& column) const;

  std::uint64_t first_row_ = 0;
  std::string text_;  // the keys
  std::vector<part> names_;
  std::vector<std::uint32_t> groups_;  // of the rows
  std::vector<kept_column> columns_;
  std::size_t column_count_ = 0;
  std::size_t bytes_ = 0;

  std::array<std::uint32_t, partition_count + 1> begins_{};
  std::vector<part> parts_;                // the names that have rows, sorted by partition
  std::vector<std::uint32_t> part_of_;     // of the names
  std::vector<std::uint32_t> first_seen_;  // row of the names
};

}  // namespace tally::cli
