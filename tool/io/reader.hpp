#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/element_type.hpp"
#include "io/errors.hpp"
#include "io/numbers/reading.hpp"

namespace tally::io {

/// The values of a column in the rows of a batch. A row whose cell is missing has none.
struct column {
  values_view values;
  /// The row of the batch that each value is in, ascending; empty if every row has a value, or none has. A row may have
  /// two values, one behind the other.
  std::span<std::uint32_t const> rows;
  number_form form = {};  ///< of the values; it grows finer from batch to batch

  std::size_t row_of(std::size_t value) const { return rows.empty() ? value : rows[value]; }
};

/// The next rows of a source, in its order. All views are valid until the next call of reader::next and until the
/// reader is destroyed. A batch that `next` gives has at least one row. It ends before a row in which a column's values
/// become of another type, or finer.
struct batch {
  std::size_t rows = 0;
  std::span<column const> columns;

  /// With key columns: row i belongs to the group called group_names[groups[i]]. group_names are distinct
  /// (see table_options::distinct_keys); they may name groups that have no row in this batch, and the same key may have
  /// another number in the next batch. A key of
  /// several columns is their fields with NUL bytes between, which no field holds. Empty without a key column.
  std::span<std::uint32_t const> groups;
  std::span<std::string_view const> group_names;

  /// The text of each row as it stands in the table, without the end of its line; empty unless asked for.
  std::span<std::string_view const> lines;

  /// Whether every row has a value in every column.
  bool is_whole() const
  {
    for (column const& each : columns)
      if (size_of(each.values) != rows) return false;
    return true;
  }

  /// The values of the only column, or of the first one.
  values_view const& values() const { return columns[0].values; }
};

/// The batch of a single column in which every row has a value; a view of `only`.
inline batch batch_of(column const& only)
{
  return {.rows = size_of(only.values), .columns = {&only, 1}, .groups = {}, .group_names = {}, .lines = {}};
}

/// The head of a table: what is known before its first row.
struct table_head {
  std::vector<std::string> columns;  ///< the names of the columns of values; their numbers if the table has no header
  std::vector<std::string> keys;     ///< those of the key columns
  std::optional<std::string> line;   ///< the header as it stands, without the end of its line
  std::string line_end = "\n";       ///< the end of the first line
  bool marked = false;               ///< a byte-order mark comes before the first line
  char delimiter = ',';              ///< between the cells of a row
};

/// The progress of a reader.
struct progress {
  std::uint64_t bytes = 0;             ///< of the source behind the batches given so far
  std::optional<std::uint64_t> total;  ///< of the whole source, where that is known
};

/// Columns of numbers, mostly a single one, that arrive in batches. The sizes of the batches may depend on timing; the
/// values and their types never do.
///
/// Binary sources give one element type throughout. Their batches are whole mebibytes, which are whole tiles of
/// tally::order, except for the last batch and for arrays that are not stored in the order of reading.
///
/// Text sources, with number_rule::automatic, give integers (int64, or int128 where a value needs it; both may take
/// turns) up to exactly the first token of the column that is not an integer, and float64 from that token on to the
/// end. A caller that wants exact integers keeps an integer and a double accumulator until the first float64 batch, and
/// then only the double one.
class reader {
public:
  virtual ~reader() = default;
  reader(reader const&) = delete;
  reader& operator=(reader const&) = delete;

  /// Fills `into` with the next batch; false at the end. Throws file_error, and data_error for the first offence in the
  /// order of the source after all values before it have been given. After an exception the reader may only be
  /// destroyed.
  virtual bool next(batch& into) = 0;

  /// Whether `next` would have to wait for input (a pipe that is slow): the time to flush output.
  virtual bool waiting() const = 0;

  virtual progress so_far() const = 0;

  /// The place in the source of the cell that row `row` of the last batch has in column `column`. Slow: for messages.
  virtual location locate(std::size_t row, std::size_t column = 0) const = 0;

  /// The head of a table, once `next` has been called; null for other sources. Valid as long as the reader.
  virtual table_head const* head() const { return nullptr; }

  /// The number of missing cells that each column had so far, after the end that of all. Empty for binary sources.
  virtual std::span<std::uint64_t const> missing() const { return {}; }

protected:
  reader() = default;
};

}  // namespace tally::io
