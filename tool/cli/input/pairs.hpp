#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "input/source.hpp"
#include "io/reader.hpp"
#include "settings/settings.hpp"
#include "values.hpp"

/// Operations of two columns, and values with weights: a row has a pair of values.
namespace tally::cli {

/// Whether the operations take pairs of values.
bool takes_pairs(command_settings const& settings);

/// Throws `command_line_error` if the options do not go together with pairs.
void check_pairs(command_settings const& settings);

/// The head of a table whose rows have pairs: its columns are named after those of the table that is read, `of`. Throws
/// `command_line_error` if they are not as many as the operations take, or if no table is read.
io::table_head head_of_pairs(command_settings const& settings, io::table_head const* of);

/// The rows of other batches with pairs of values. Each column but the last makes one with the last: a row in which
/// both have a value has two values in it, first that of the column, in one type, which holds both. Rows in which one
/// of the two is missing have none.
class pairs final : public batches {
public:
  explicit pairs(batches& from) : from_(from) {}

  bool next(io::batch& into) override;
  bool waiting() const override { return from_.waiting(); }
  void rewind() override { from_.rewind(); }
  io::progress so_far() const override { return from_.so_far(); }
  io::location locate(std::size_t row, std::size_t column) const override { return from_.locate(row, column); }

private:
  /// A column of pairs.
  struct pair_column {
    value_buffer values;
    std::vector<std::uint32_t> rows;  // of the values, each twice
  };
  std::span<std::uint32_t const> every_row(std::size_t rows);

  batches& from_;
  std::vector<std::uint32_t> every_row_;
  std::vector<pair_column> made_;
  std::vector<io::column> columns_;
};

/// The results of a scan of pairs, each once.
io::values_view one_of_each(io::values_view const& results, value_buffer& room);

}  // namespace tally::cli
