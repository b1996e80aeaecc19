#include "input/source.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "io/arrays/npy_header.hpp"
#include "io/arrays/npy_reader.hpp"
#include "io/arrays/raw_reader.hpp"
#include "io/errors.hpp"
#include "io/files/input.hpp"
#include "io/tables/reader.hpp"
#include "io/text/reader.hpp"

namespace tally::cli {

namespace {

/// Of a table.
io::table_kind kind_of(io::file_format format)
{
  if (format == io::file_format::blanks) return io::table_kind::blanks;
  if (format == io::file_format::fixed) return io::table_kind::fixed_width;
  return format == io::file_format::table ? io::table_kind::unsaid : io::table_kind::csv;
}

}  // namespace

std::optional<std::uint64_t> total_size(std::vector<std::string> const& files)
{
  std::uint64_t total = 0;
  for (std::string const& file : files) {
    std::error_code problem;
    if (file == "-" || !std::filesystem::is_regular_file(file, problem)) return std::nullopt;
    total += std::filesystem::file_size(file, problem);
    if (problem) return std::nullopt;
  }
  return total;
}

std::optional<std::uint64_t> total_values(input_settings const& settings)
{
  std::uint64_t total = 0;
  for (std::string const& file : settings.files) {
    io::file_format const format = settings.format_of(file);
    if (!total_size({file}) || (format != io::file_format::npy && format != io::file_format::raw)) return std::nullopt;
    io::input array = settings.opening.open(file);
    if (format == io::file_format::raw) {
      if (!array.size()) return std::nullopt;  // compressed
      total += *array.size() / io::byte_size(*settings.type);
    } else {
      total += io::read_npy_header(array).count();
    }
  }
  return total;
}

io::location found_again(input_settings const& settings, int threads,
                         std::function<std::optional<io::location>(source& again)> const& find)
{
  for (std::string const& file : settings.files) {
    io::input const again = settings.opening.open(file);
    if (!again.repeatable()) return {again.name()};
  }
  input_settings uncounted = settings;
  uncounted.count_missing = false;
  source again(uncounted, threads);
  return find(again).value_or(io::location{settings.opening.open(settings.files.back()).name()});
}

io::location location_in(input_settings const& settings, int threads, std::uint64_t position)
{
  return found_again(settings, threads, [&](source& again) -> std::optional<io::location> {
    for (io::batch batch; again.next(batch);) {
      std::size_t const count = io::size_of(batch.values());
      if (position < count) return again.locate(batch.columns[0].row_of(static_cast<std::size_t>(position)));
      position -= count;
    }
    return std::nullopt;
  });
}

io::location location_of_row(input_settings const& settings, int threads, std::uint64_t row, std::size_t column)
{
  return found_again(settings, threads, [&](source& again) -> std::optional<io::location> {
    for (io::batch batch; again.next(batch); row -= batch.rows)
      if (row < batch.rows) return again.locate(static_cast<std::size_t>(row), column);
    return std::nullopt;
  });
}

source::source(input_settings const& settings, int threads)
    : settings_(settings),
      threads_(threads),
      type_(unit_of(settings.numbers.rule) == io::number_unit::one ? settings.type : io::element_type::int128),
      bytes_total_(total_size(settings.files))
{
  open_next();
  fetch();
  if (!type_) find_type();
}

source::~source() = default;

void source::open_next()
{
  if (reader_) bytes_before_ += reader_->so_far().bytes;
  std::string const& file = settings_.files[opened_++];
  io::input in = settings_.opening.open(file);
  io::file_format const format = settings_.format_of(file);
  switch (format) {
    case io::file_format::text: {
      io::text_options options;
      options.numbers = numbers();
      options.missing = settings_.missing;
      options.comment = settings_.comment;
      options.threads = threads_;
      reader_ = io::read_text(std::move(in), options);
      break;
    }
    case io::file_format::csv:
    case io::file_format::tsv:
    case io::file_format::blanks:
    case io::file_format::fixed:
    case io::file_format::table: {
      io::table_options options = reader_options(settings_);
      if (format == io::file_format::tsv && !settings_.delimiter) options.delimiter = '\t';
      options.lines = settings_.lines;
      options.numbers = numbers();
      options.floating = floating_;
      options.threads = threads_;
      reader_ = io::read_table(std::move(in), kind_of(format), options);
      break;
    }
    case io::file_format::npy: reader_ = io::read_npy(std::move(in)); break;
    case io::file_format::raw: reader_ = io::read_raw(std::move(in), *settings_.type, settings_.order); break;
  }
}

/// How the numbers of the next file are written.
io::number_reading source::numbers() const
{
  io::number_reading how = settings_.numbers;
  if (unit_of(how.rule) != io::number_unit::one) return how;
  bool const floating = floating_.size() == 1 && floating_[0];
  how.rule = floating ? io::number_rule::floating : io::number_rule::automatic;
  if (type_) how.rule = io::is_integer(*type_) ? io::number_rule::integers : io::number_rule::floating;
  return how;
}

/// Sets the type of an array from its values or, if it has none, from its header.
void source::find_type()
{
  std::string const& file = settings_.files[opened_ - 1];
  if (settings_.format_of(file) != io::file_format::npy) return;
  if (batch_.rows > 0) {
    type_ = io::type_of(batch_.values());
  } else if (total_size({file})) {
    io::input again = settings_.opening.open(file);
    type_ = io::read_npy_header(again).type;
  } else {
    type_ = io::element_type::float64;  // the header is gone, and there is no value of another type
  }
}

bool source::fetch()
{
  taken_ = 0;
  while (!reader_->next(batch_)) {
    count_missing();
    batch_ = {};
    if (opened_ == settings_.files.size()) {
      if (settings_.count_missing) print_missing();
      return false;
    }
    open_next();
  }
  rows_ += batch_.rows;
  std::size_t const columns = batch_.columns.size();
  if (!floating_.empty() && columns != floating_.size())
    throw io::data_error({settings_.files[opened_ - 1], 1}, std::to_string(columns) + " columns that are chosen",
                         std::to_string(floating_.size()) + " as in the files before");
  floating_.resize(columns);
  for (std::size_t c = 0; c < columns; ++c)
    floating_[c] = floating_[c] || !io::is_integer(io::type_of(batch_.columns[c].values));
  forms_.resize(columns);
  for (std::size_t c = 0; c < columns; ++c) {
    io::number_form const form = batch_.columns[c].form;  // of no unit as long as the file had no values
    if (form.unit != io::number_unit::one) forms_[c] = joined(forms_[c], form);
  }
  columns_.resize(columns);
  converted_.resize(columns);
  return true;
}

/// Adds the missing cells of the file that has ended.
void source::count_missing()
{
  std::span<std::uint64_t const> const missing = reader_->missing();
  missing_.resize(std::max(missing_.size(), missing.size()));
  for (std::size_t c = 0; c < missing.size(); ++c) missing_[c] += missing[c];
}

void source::print_missing() const
{
  std::vector<std::string> const names = column_names();
  for (std::size_t c = 0; c < missing_.size(); ++c) {
    std::string const of = head() != nullptr ? "column " + io::describe(names[c]) + ": " : "";
    std::fputs(("tally: " + of + std::to_string(missing_[c]) + " of " + std::to_string(rows_) +
                (head() != nullptr ? " cells" : " values") + " are missing\n")
                   .c_str(),
               stderr);
  }
}

std::vector<std::string> source::column_names() const
{
  return head() != nullptr ? head()->columns : std::vector<std::string>(1);
}

std::vector<std::string> source::key_names() const
{
  bool const as_named = head() == nullptr || head()->keys.size() == settings_.keys.size();
  return as_named ? settings_.keys : head()->keys;
}

bool source::next(io::batch& into)
{
  if (taken_ == batch_.rows && (batch_.rows == 0 || !fetch())) return false;
  given_at_ = taken_;
  bool const some_missing = !batch_.is_whole();
  std::size_t const count = some_missing ? batch_.rows : std::min(slice, batch_.rows - taken_);
  taken_ += count;
  into = batch_;
  into.rows = count;
  if (!batch_.groups.empty()) into.groups = batch_.groups.subspan(given_at_, count);
  if (!batch_.lines.empty()) into.lines = batch_.lines.subspan(given_at_, count);
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    columns_[c] = batch_.columns[c];
    columns_[c].form = forms_[c];
    if (!some_missing) columns_[c].values = io::slice(columns_[c].values, given_at_, count);
    if (type_) columns_[c].values = typed(columns_[c], c);
  }
  into.columns = columns_;
  return true;
}

/// The values of a column in the type of all.
io::values_view source::typed(io::column const& from, std::size_t column)
{
  bool const is_array = settings_.format_of(settings_.files[opened_ - 1]) == io::file_format::npy;
  if (is_array && !settings_.type && io::type_of(from.values) != *type_) wrong_type(io::type_of(from.values));
  io::values_view values;
  located(
      *this, column, [&] { values = read_as(from.values, *type_, converted_[column]); },
      [&](std::size_t index) { return from.row_of(index); });
  return values;
}

void source::wrong_type(io::element_type found) const
{
  throw io::data_error({settings_.files[opened_ - 1]}, std::string(io::name_of(found)) + " values",
                       std::string(io::name_of(*type_)) + " as in the files before (--type converts)");
}

bool source::waiting() const
{
  return taken_ == batch_.rows && reader_->waiting();
}

io::progress source::so_far() const
{
  io::progress const here = reader_->so_far();
  if (settings_.files.size() == 1) return here;  // the reader also knows the size of a file behind standard input
  return {bytes_before_ + here.bytes, bytes_total_};
}

io::location source::locate(std::size_t row, std::size_t column) const
{
  return reader_->locate(given_at_ + row, column);
}

}  // namespace tally::cli
