#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/reader.hpp"
#include "io/tables/key_table.hpp"
#include "io/text/chunk.hpp"
#include "io/text/column_sink.hpp"
#include "io/threads/ordered_tasks.hpp"

namespace tally::io {

/// The values of a column in a chunk.
struct parsed_column {
  column_sink values;
  std::vector<std::uint32_t> rows;  ///< the row of each value, if a row has none
  std::uint64_t missing = 0;        ///< missing cells

  /// Begins anew, with room for `most` values.
  void begin(std::size_t most, number_reading const& numbers)
  {
    values.begin(most, numbers);
    rows.clear();
    missing = 0;
    some_missing_ = false;
  }
  /// Appends the value of row `row`. Returns false if it is not allowed; see column_sink.
  bool add(std::size_t row, char const* begin, char const* end)
  {
    if (some_missing_) rows.push_back(static_cast<std::uint32_t>(row));
    return values.add(begin, end);
  }
  /// Row `row` has no value.
  void leave_out(std::size_t row)
  {
    ++missing;
    if (some_missing_) return;
    some_missing_ = true;
    rows.resize(row);
    std::iota(rows.begin(), rows.end(), 0u);
  }

  /// Whether every row has a value.
  bool is_whole() const { return !some_missing_; }

private:
  bool some_missing_ = false;
};

/// A chunk of text and the columns read from it.
struct parsed_chunk {
  chunk text;
  std::size_t start = 0;  ///< the beginning of the values, behind a byte-order mark and a header
  std::vector<parsed_column> columns;
  std::size_t rows = 0;                 ///< whole ones, before the first offence
  key_table keys;                       ///< one group for each row, if the source has keys
  std::vector<std::string_view> lines;  ///< of the rows, if asked for
  std::optional<offence> wrong;         ///< the first offence, if any
  std::size_t newlines = 0;             ///< in the text
  std::size_t after_newline = 0;        ///< bytes behind the last of them
};

/// The rules of one text format.
class text_format {
public:
  virtual ~text_format() = default;

  /// The place where a text may be cut; see cut_function.
  virtual std::size_t cut(char const* bytes, std::size_t size, std::size_t seen) = 0;
  /// Looks at the first chunk and returns where its values begin. Throws data_error.
  virtual std::size_t begin(chunk const& first, std::string const& source) = 0;
  /// Called for a source without any bytes. May throw data_error.
  virtual void empty(std::string const& source) = 0;
  /// The number of columns of values. Called after `begin`.
  virtual std::size_t columns() const { return 1; }
  /// Fills `columns`, which are as many as `numbers`, `rows`, `keys`, `lines` and `wrong` from `text`. Called by
  /// several threads at once.
  virtual void parse(parsed_chunk& into, std::span<number_reading const> numbers) const = 0;
  /// The byte at which the cell of row `row` of the chunk in column `column` begins.
  virtual std::size_t locate(parsed_chunk const& in, std::size_t row, std::size_t column) const = 0;
  /// See reader::head.
  virtual table_head const* head() const { return nullptr; }
};

/// The reader of all text formats. It cuts the source into chunks, which several threads parse, and gives their columns
/// in order.
class column_reader final : public reader {
public:
  /// `floating[c]` says that column c is known to hold doubles, from an earlier file.
  column_reader(input source, std::unique_ptr<text_format> format, number_reading const& numbers,
                std::vector<bool> floating, int threads, chunk_sizes sizes = {});

  bool next(batch& into) override;
  bool waiting() const override;
  progress so_far() const override;
  location locate(std::size_t row, std::size_t column) const override;
  table_head const* head() const override { return begun_ ? format_->head() : nullptr; }
  std::span<std::uint64_t const> missing() const override { return missing_; }

private:
  /// The part of a column of the current chunk that has been given.
  struct given_part {
    std::size_t run = 0;
    std::size_t values = 0;
  };

  bool prepare(parsed_chunk& into);
  void parse(parsed_chunk& into) const;
  bool next_chunk();
  void know_columns();
  bool is_floating(std::size_t column) const { return floating_[column].load(std::memory_order_relaxed); }
  std::size_t end_of_batch();
  void give(std::size_t column, std::size_t end);
  location locate_byte(std::size_t at) const;

  std::unique_ptr<text_format> format_;
  chunk_source source_;
  number_reading numbers_;
  std::vector<bool> floating_before_;              // the columns that held doubles in earlier files
  std::unique_ptr<std::atomic<bool>[]> floating_;  // the columns that hold doubles from here on
  std::size_t column_count_ = 0;
  bool begun_ = false;
  parsed_chunk* current_ = nullptr;
  std::size_t first_row_ = 0;  // of the last batch in the current chunk
  std::size_t next_row_ = 0;
  std::vector<given_part> given_;                 // of each column of the current chunk
  std::vector<column> views_;                     // the columns of the last batch
  std::vector<number_form> forms_;                // of their values so far
  std::vector<std::vector<std::uint32_t>> rows_;  // of their values, where the batch does not begin the chunk
  std::uint64_t lines_ = 0;                       // complete lines before the current chunk
  std::uint64_t columns_ = 0;                     // bytes before the current chunk in the line in which it begins
  std::uint64_t bytes_ = 0;
  std::vector<std::uint64_t> missing_;  // of each column
  ordered_tasks<parsed_chunk> tasks_;   // last: its threads use what is above
};

/// Makes a reader with chunks of these sizes, which never change what is read.
std::unique_ptr<reader> read_text(input source, struct text_options const& options, chunk_sizes sizes);

/// The bytes of a byte-order mark at the beginning of a text: 3 or 0.
std::size_t byte_order_mark(chunk const& first);

}  // namespace tally::io
