#include "io/text/column_reader.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "io/compression/signature.hpp"
#include "io/text/byte_mask.hpp"

namespace tally::io {

column_reader::column_reader(input source, std::unique_ptr<text_format> format, number_reading const& numbers,
                             std::vector<bool> floating, int threads, chunk_sizes sizes)
    : format_(std::move(format)),
      source_(
          std::move(source),
          [this](char const* bytes, std::size_t size, std::size_t seen) { return format_->cut(bytes, size, seen); },
          sizes),
      numbers_(numbers),
      floating_before_(std::move(floating)),
      tasks_(threads, {[this](parsed_chunk& into) { return prepare(into); },
                       [this](parsed_chunk& into) { parse(into); }, [this] { return source_.ready(); }})
{
}

bool column_reader::prepare(parsed_chunk& into)
{
  bool const more = source_.next(into.text);
  into.start = 0;
  if (!begun_) {
    begun_ = true;
    if (more) {
      refuse_other_formats({into.text.begin(), into.text.size()}, source_.source().name(), "text");
      into.start = format_->begin(into.text, source_.source().name());
    } else {
      format_->empty(source_.source().name());
    }
    know_columns();
  }
  return more;
}

void column_reader::know_columns()
{
  column_count_ = format_->columns();
  floating_ = std::make_unique<std::atomic<bool>[]>(column_count_);
  for (std::size_t c = 0; c < column_count_; ++c)
    floating_[c] = numbers_.rule == number_rule::floating || (c < floating_before_.size() && floating_before_[c]);
  views_.resize(column_count_);
  forms_.resize(column_count_);
  rows_.resize(column_count_);
  missing_.resize(column_count_);
}

void column_reader::parse(parsed_chunk& into) const
{
  std::vector<number_reading> numbers(column_count_, numbers_);
  for (std::size_t c = 0; c < numbers.size(); ++c)
    if (is_floating(c)) numbers[c].rule = number_rule::floating;
  into.wrong.reset();
  into.columns.resize(numbers.size());
  format_->parse(into, numbers);
  into.newlines = count_bytes(into.text.begin(), into.text.end(), '\n');
  into.after_newline = into.text.size();
  if (into.newlines > 0) {
    auto const* last = static_cast<char const*>(memrchr(into.text.begin(), '\n', into.text.size()));
    into.after_newline = static_cast<std::size_t>(into.text.end() - last) - 1;
  }
}

bool column_reader::next_chunk()
{
  if (current_) {
    lines_ += current_->newlines;
    columns_ = (current_->newlines > 0 ? 0 : columns_) + current_->after_newline;
    bytes_ += current_->text.size();
  }
  next_row_ = 0;
  current_ = tasks_.next();
  if (!current_) return false;
  given_.assign(column_count_, {});
  // Some chunks were parsed before a column was known to be floating. They are parsed again, so that the result is the
  // same.
  bool again = false;
  for (std::size_t c = 0; c < column_count_; ++c)
    again = again || (is_floating(c) && current_->columns[c].values.began_with_integers());
  if (again) parse(*current_);
  for (std::size_t c = 0; c < column_count_; ++c) {
    column_sink const& values = current_->columns[c].values;
    if (values.run_of(values.run_count() - 1).type == element_type::float64)
      floating_[c].store(true, std::memory_order_relaxed);
    missing_[c] += current_->columns[c].missing;
  }
  return true;
}

/// The row before which the next batch ends: the first one in which a column has a value of another type, or a finer
/// one, than in the row where the batch begins.
std::size_t column_reader::end_of_batch()
{
  std::size_t end = current_->rows;
  for (std::size_t c = 0; c < column_count_; ++c) {
    parsed_column const& column = current_->columns[c];
    given_part& given = given_[c];
    auto const end_of_run = [&] {
      column_sink::run const& run = column.values.run_of(given.run);
      return run.first + run.count;
    };
    while (given.run + 1 < column.values.run_count() && given.values == end_of_run()) ++given.run;
    if (end_of_run() == column.values.size()) continue;
    end = std::min<std::size_t>(end, column.is_whole() ? end_of_run() : column.rows[end_of_run()]);
  }
  return end;
}

/// Makes the view of a column for the batch that ends before row `end`.
void column_reader::give(std::size_t column, std::size_t end)
{
  parsed_column const& from = current_->columns[column];
  column_sink::run const& run = from.values.run_of(given_[column].run);
  std::size_t const first = given_[column].values;
  std::span<std::uint32_t const> rows = from.rows;
  std::size_t const last =
      from.is_whole() ? end : static_cast<std::size_t>(std::ranges::lower_bound(rows, end) - rows.begin());
  auto const* const data = static_cast<std::byte const*>(run.data) + (first - run.first) * byte_size(run.type);
  if (last > first) forms_[column] = joined(forms_[column], run.form);
  views_[column] = {view_as(run.type, data, last - first), {}, forms_[column]};
  given_[column].values = last;
  if (last - first == end - next_row_) return;
  views_[column].rows = rows.subspan(first, last - first);
  if (next_row_ == 0) return;
  rows_[column].assign(views_[column].rows.begin(), views_[column].rows.end());
  for (std::uint32_t& row : rows_[column]) row -= static_cast<std::uint32_t>(next_row_);
  views_[column].rows = rows_[column];
}

bool column_reader::next(batch& into)
{
  for (;;) {
    if (current_ && next_row_ < current_->rows) {
      std::size_t const end = end_of_batch();
      for (std::size_t c = 0; c < column_count_; ++c) give(c, end);
      first_row_ = std::exchange(next_row_, end);
      into = {.rows = end - first_row_, .columns = views_, .groups = {}, .group_names = {}, .lines = {}};
      into.group_names = current_->keys.names();
      if (!into.group_names.empty()) into.groups = current_->keys.groups().subspan(first_row_, into.rows);
      if (!current_->lines.empty()) into.lines = std::span(current_->lines).subspan(first_row_, into.rows);
      return true;
    }
    if (current_ && current_->wrong) {
      offence const& wrong = *current_->wrong;
      throw data_error(locate_byte(wrong.at), wrong.found, wrong.expected);
    }
    if (!next_chunk()) return false;
  }
}

bool column_reader::waiting() const
{
  if (current_ && (next_row_ < current_->rows || current_->wrong)) return false;
  return tasks_.waiting();
}

progress column_reader::so_far() const
{
  return source_.source().so_far(bytes_ + (current_ ? current_->text.size() : 0));
}

location column_reader::locate(std::size_t row, std::size_t column) const
{
  return locate_byte(format_->locate(*current_, first_row_ + row, column));
}

location column_reader::locate_byte(std::size_t at) const
{
  char const* const begin = current_->text.begin();
  auto const* newline = static_cast<char const*>(memrchr(begin, '\n', at));
  std::uint64_t const column = newline ? static_cast<std::uint64_t>(begin + at - newline) : columns_ + at + 1;
  return {source_.source().name(), lines_ + count_bytes(begin, begin + at, '\n') + 1, column};
}

std::size_t byte_order_mark(chunk const& first)
{
  return first.size() >= 3 && std::memcmp(first.data(), "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

}  // namespace tally::io
