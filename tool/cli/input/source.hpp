#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/errors.hpp"
#include "io/reader.hpp"
#include "settings/settings.hpp"

namespace tally::cli {

/// A sequence of numbers, of one type or of text, that arrives in batches.
class batches {
public:
  virtual ~batches() = default;
  batches(batches const&) = delete;
  batches& operator=(batches const&) = delete;

  /// The next values; false at the end.
  virtual bool next(io::batch& into) = 0;
  /// Whether `next` would have to wait.
  virtual bool waiting() const = 0;
  /// Begins again with the first batch, where all are held.
  virtual void rewind() {}
  virtual io::progress so_far() const = 0;
  /// The place of the cell that row `row` of the last batch has in column `column`.
  virtual io::location locate(std::size_t row, std::size_t column = 0) const = 0;

protected:
  batches() = default;
};

/// Calls `use` for column `column` of the last batch, and turns its `value_problem` into an error with the value's
/// place in the input. `row_of` maps the index of the problem to a row of the batch.
template <class Use, class Row = std::identity>
void located(batches const& from, std::size_t column, Use use, Row row_of = {})
{
  try {
    use();
  } catch (value_problem const& problem) {
    throw io::data_error(from.locate(row_of(problem.index()), column), problem.found(), problem.expected());
  }
}

/// The same for the only column of `batch`, the last one.
template <class Use>
void located(batches const& from, io::batch const& batch, Use use)
{
  located(from, 0, use, [&](std::size_t index) { return batch.columns[0].row_of(index); });
}

/// All input files as one sequence of numbers.
class source final : public batches {
public:
  /// Opens the first file and reads its first values. Throws the errors of readers.
  source(input_settings const& settings, int threads);
  ~source() override;

  /// The type of all values. Text has none: its integers turn into doubles at the first value that is not an integer.
  std::optional<io::element_type> type() const { return type_; }

  /// The form of the values of a column so far.
  io::number_form form(std::size_t column = 0) const
  {
    return column < forms_.size() ? forms_[column] : io::number_form{};
  }

  /// The next rows, with values of `type()` if there is one. Where every row has a value they are at most `slice`, so
  /// that their results stay in cache.
  bool next(io::batch& into) override;
  bool waiting() const override;
  io::progress so_far() const override;
  io::location locate(std::size_t row, std::size_t column = 0) const override;
  /// The head of the table that is being read; null for other input. Valid until the next call of `next`.
  io::table_head const* head() const { return reader_->head(); }
  /// The names of the columns; of other input a single one without a name.
  std::vector<std::string> column_names() const;
  /// The names of the columns of keys, as --by names them; those of the table where it names several at once.
  std::vector<std::string> key_names() const;

  static constexpr std::size_t slice = std::size_t{1} << 18;  // 1 MiB of float: whole spans of every type up to 8 bytes

private:
  void open_next();
  bool fetch();
  void count_missing();
  void print_missing() const;
  void find_type();
  io::number_reading numbers() const;
  [[noreturn]] void wrong_type(io::element_type found) const;
  io::values_view typed(io::column const& from, std::size_t column);

  input_settings settings_;
  int threads_;
  std::size_t opened_ = 0;
  std::unique_ptr<io::reader> reader_;
  std::optional<io::element_type> type_;
  std::vector<bool> floating_;  // the columns that held doubles
  std::uint64_t rows_ = 0;
  std::vector<std::uint64_t> missing_;  // cells of each column
  std::vector<io::number_form> forms_;  // of the values of each column so far
  std::uint64_t bytes_before_ = 0;
  std::optional<std::uint64_t> bytes_total_;

  io::batch batch_;
  std::size_t taken_ = 0;            // rows of batch_
  std::size_t given_at_ = 0;         // where the last slice begins in batch_
  std::vector<io::column> columns_;  // of the last slice
  std::vector<value_buffer> converted_;
};

/// The number of values if it is known without reading them: in files of arrays and of raw values.
std::optional<std::uint64_t> total_values(input_settings const& settings);

/// The place that `find` finds in the input, which is read once more; of the last file alone if it finds none. A pipe
/// cannot be read again, and then the place is the pipe alone (see `input::keep_standard_input`).
io::location found_again(input_settings const& settings, int threads,
                         std::function<std::optional<io::location>(source& again)> const& find);

/// The place of value number `position` of the whole input, as `found_again` finds it.
io::location location_in(input_settings const& settings, int threads, std::uint64_t position);

/// The place of a cell of row number `row` of the whole input, by its row and column.
io::location location_of_row(input_settings const& settings, int threads, std::uint64_t row, std::size_t column);

/// The number of bytes in all files, if all are regular files.
std::optional<std::uint64_t> total_size(std::vector<std::string> const& files);

}  // namespace tally::cli
