#include "source.hpp"

#include <algorithm>
#include <filesystem>

#include "io/table_reader.hpp"
#include "io/errors.hpp"
#include "io/input.hpp"
#include "io/npy_header.hpp"
#include "io/npy_reader.hpp"
#include "io/raw_reader.hpp"
#include "io/text_reader.hpp"

namespace tally::cli {

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
    std::optional<std::uint64_t> const bytes = total_size({file});
    io::file_format const format = settings.format_of(file);
    if (!bytes || (format != io::file_format::npy && format != io::file_format::raw)) return std::nullopt;
    if (format == io::file_format::raw) {
      total += *bytes / io::byte_size(*settings.type);
    } else {
      io::input array = io::input::file(file);
      total += io::read_npy_header(array).count();
    }
  }
  return total;
}

io::location location_in(input_settings const& settings, int threads, std::uint64_t position)
{
  for (std::string const& file : settings.files) {
    io::input const again = io::input::named(file);
    if (!again.seekable()) return {again.name()};
  }
  source again(settings, threads);
  io::batch batch;
  for (std::uint64_t passed = 0; again.next(batch); passed += io::size_of(batch.values())) {
    if (position >= passed + io::size_of(batch.values())) continue;
    return again.locate(batch.columns[0].row_of(static_cast<std::size_t>(position - passed)));
  }
  return {io::input::named(settings.files.back()).name()};
}

source::source(input_settings const& settings, int threads)
    : settings_(settings),
      threads_(threads),
      type_(settings.type),
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
  io::input in = io::input::named(file);
  bool const floating = floating_.size() == 1 && floating_[0];
  io::number_rule rule = floating ? io::number_rule::floating : io::number_rule::automatic;
  if (type_) rule = io::is_integer(*type_) ? io::number_rule::integers : io::number_rule::floating;
  io::file_format const format = settings_.format_of(file);
  switch (format) {
    case io::file_format::text: {
      io::text_options options;
      options.numbers.rule = rule;
      options.threads = threads_;
      reader_ = io::read_text(std::move(in), options);
      break;
    }
    case io::file_format::csv:
    case io::file_format::tsv: {
      io::table_options options;
      options.delimiter = settings_.delimiter.value_or(format == io::file_format::csv ? ',' : '\t');
      if (settings_.header) options.first = io::first_row::names;
      if (settings_.no_header) options.first = io::first_row::values;
      options.columns = {settings_.column.value_or("1")};
      if (settings_.key) options.keys = {*settings_.key};
      options.lines = settings_.lines;
      options.numbers.rule = rule;
      options.floating = floating_;
      options.threads = threads_;
      reader_ = io::read_csv(std::move(in), options);
      break;
    }
    case io::file_format::npy: reader_ = io::read_npy(std::move(in)); break;
    case io::file_format::raw: reader_ = io::read_raw(std::move(in), *settings_.type, settings_.order); break;
  }
}

/// Sets the type of an array from its values or, if it has none, from its header.
void source::find_type()
{
  std::string const& file = settings_.files[opened_ - 1];
  if (settings_.format_of(file) != io::file_format::npy) return;
  if (batch_.rows > 0) {
    type_ = io::type_of(batch_.values());
  } else if (total_size({file})) {
    io::input again = io::input::file(file);
    type_ = io::read_npy_header(again).type;
  } else {
    type_ = io::element_type::float64;  // the header is gone, and there is no value of another type
  }
}

bool source::fetch()
{
  taken_ = 0;
  while (!reader_->next(batch_)) {
    batch_ = {};
    if (opened_ == settings_.files.size()) return false;
    open_next();
  }
  std::size_t const columns = batch_.columns.size();
  floating_.resize(columns);
  for (std::size_t c = 0; c < columns; ++c)
    floating_[c] = floating_[c] || !io::is_integer(io::type_of(batch_.columns[c].values));
  columns_.resize(columns);
  converted_.resize(columns);
  return true;
}

bool source::next(io::batch& into)
{
  if (taken_ == batch_.rows && (batch_.rows == 0 || !fetch())) return false;
  given_at_ = taken_;
  bool const some_missing =
      std::ranges::any_of(batch_.columns, [](io::column const& each) { return !each.rows.empty(); });
  std::size_t const count = some_missing ? batch_.rows : std::min(slice, batch_.rows - taken_);
  taken_ += count;
  into = batch_;
  into.rows = count;
  if (!batch_.groups.empty()) into.groups = batch_.groups.subspan(given_at_, count);
  if (!batch_.lines.empty()) into.lines = batch_.lines.subspan(given_at_, count);
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    columns_[c] = batch_.columns[c];
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
