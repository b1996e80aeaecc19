#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/reader.hpp"
#include "io/tables/key_table.hpp"

namespace tally::cli {

/// The groups of a table in the order of their first rows, and the rows of a batch sorted by them.
class group_table {
public:
  /// The rows of one group in the batch sorted last, in their order.
  struct part {
    std::uint32_t group;
    std::span<std::uint32_t const> rows;
  };

  /// Sorts the rows of a batch into one part for each group in it, in the order of their first rows. The parts are
  /// valid until the next call. O(rows + distinct keys of the batch).
  std::span<part const> sort(io::batch const& batch);

  std::size_t size() const { return keys_.size(); }
  std::string_view key(std::size_t group) const { return keys_[group]; }

private:
  std::uint32_t number_of(std::string_view key);

  std::deque<std::string> keys_;
  io::key_index index_;
  std::vector<std::uint32_t> rows_;
  std::vector<std::uint32_t> ends_;     // of each of the batch's groups in rows_
  std::vector<std::uint32_t> present_;  // the batch's groups in the order of their first rows
  std::vector<part> parts_;
};

}  // namespace tally::cli
