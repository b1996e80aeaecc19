#include "scans/table.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "output/report.hpp"
#include "settings/numbers.hpp"
#include "table/input_row.hpp"

namespace tally::cli {

/// A piece with all that it views.
struct scan_table::held_piece {
  piece view;
  std::vector<value_buffer> results;
  std::vector<std::string> texts;
  std::vector<std::string_view> lines;
  std::vector<std::uint32_t> groups;

  explicit held_piece(piece from) : view(std::move(from)), texts(view.lines.begin(), view.lines.end())
  {
    for (io::values_view& each : view.results) {
      value_buffer& copy = results.emplace_back();
      std::visit([&]<class T>(std::span<T const> in) { std::ranges::copy(in, copy.resize<T>(in.size())); }, each);
      each = copy.view();
    }
    lines.assign(texts.begin(), texts.end());
    groups.assign(view.groups.begin(), view.groups.end());
    view.lines = lines;
    view.groups = groups;
  }
};

bool has_rows(command_settings const& settings, io::table_head const* head)
{
  if (settings.operations.size() > 1 || settings.output.append) return true;
  return head != nullptr && (head->columns.size() > 1 || (!head->keys.empty() && is_table(settings.output.format)));
}

scan_table::scan_table(command_settings const& settings, io::table_head const* head,
                       std::optional<io::element_type> type, io::output to)
    : settings_(settings),
      output_(std::move(to)),
      appends_(settings.output.append)
{
  if (head != nullptr) head_ = *head;
  output_format const format = settings.output.format;
  if (appends_) {
    char const own = format == output_format::csv ? ',' : format == output_format::tsv ? '\t' : head_->delimiter;
    bool const delimited =
        format == output_format::text || format == output_format::csv || format == output_format::tsv;
    verbatim_ = delimited && settings.output.delimiter.value_or(own) == head_->delimiter;
  } else if (format != output_format::text) {
    keys_ = head_ ? head_->keys.size() : 0;
  }
  std::size_t const columns = head_ ? head_->columns.size() : 1;
  for (std::size_t c = 0; c < columns; ++c)
    for (operation const op : settings.operations) scans_.push_back({c, make_scanner(settings, op, type)});
  std::vector<std::string> const& names = settings.output.append_names;
  if (!names.empty() && names.size() != scans_.size())
    throw command_line_error("--append: " + std::to_string(names.size()) + " names for " +
                             std::to_string(scans_.size()) + (scans_.size() == 1 ? " column" : " columns") +
                             " of results");
}

scan_table::~scan_table() = default;

/// A result is named by its operation, and by its column where that does not go without saying.
std::vector<table_column> scan_table::result_names() const
{
  std::vector<std::string> names = settings_.output.append_names;
  if (names.empty()) {
    bool const both = head_ && (appends_ || head_->columns.size() > 1);
    for (std::size_t k = 0; k < scans_.size(); ++k) {
      std::string const op(name_of(settings_.operations[k % settings_.operations.size()]));
      names.push_back(both ? head_->columns[scans_[k].column] + "_" + op : op);
    }
  }
  std::vector<table_column> all;
  for (std::string& each : names) {
    operation const op = settings_.operations[all.size() % settings_.operations.size()];
    all.push_back({std::move(each), true, style_for(op, settings_.output.style)});
  }
  return all;
}

/// The columns before the results. A table without a header has numbers for names.
std::vector<table_column> scan_table::front_names(std::string_view first_line) const
{
  std::vector<table_column> all;
  if (keys_ > 0) all = key_columns(head_->keys);
  if (!appends_) return all;
  input_row fields;
  for (std::string_view const each : fields.split(head_->line ? *head_->line : first_line, head_->delimiter))
    all.push_back({head_->line ? std::string(each) : std::to_string(all.size() + 1), false});
  return all;
}

/// Makes the writer. The first line tells how many fields there are in a table without a header.
void scan_table::begin(std::string_view first_line)
{
  if (to_) return;
  std::vector<table_column> const results = result_names();
  std::vector<table_column> columns;
  if (verbatim_)
    columns.push_back({"", false});
  else
    columns = front_names(first_line);
  columns.insert(columns.end(), results.begin(), results.end());
  bool const is_delimited = settings_.output.format == output_format::text ||
                            settings_.output.format == output_format::csv ||
                            settings_.output.format == output_format::tsv;
  std::unique_ptr<row_format> format;
  if (verbatim_)
    format = make_delimited({head_->delimiter, false, head_->line_end}, std::move(columns));
  else if (settings_.output.format == output_format::json)
    format = make_json_rows(std::move(columns));
  else if (appends_ && !head_->line && is_delimited)
    format = make_delimited({delimiter_of(settings_.output), false}, std::move(columns));
  else
    format = make_row_format(settings_.output, std::move(columns), true);
  if (verbatim_ && head_->marked) output_.write("\xef\xbb\xbf", 3);  // the table is to stay as it is
  to_ = std::make_unique<table_writer>(std::move(output_), std::move(format), settings_.threads);
  if (!verbatim_ || !head_->line) return;
  std::vector<cell> header = {verbatim{*head_->line}};
  for (table_column const& each : results) header.emplace_back(std::string_view(each.name));
  to_->row(header);
}

/// The values of a column as a batch of their own, with their groups.
io::batch scan_table::values_of(io::batch const& batch, std::size_t column)
{
  io::column const& values = batch.columns[column];
  io::batch one = io::batch_of(values);
  one.groups = batch.groups;
  one.group_names = batch.group_names;
  if (batch.groups.empty() || (values.rows.empty() && one.rows == batch.rows)) return one;
  groups_.clear();
  for (std::uint32_t const row : values.rows) groups_.push_back(batch.groups[row]);
  one.groups = groups_;
  return one;
}

void scan_table::prepare(io::batch const& batch)
{
  for (column_scan const& each : scans_) each.by->prepare(values_of(batch, each.column));
}

void scan_table::write(io::batch const& batch, batches const& from, io::table_head const* head)
{
  if (appends_ && head != nullptr && head->line != head_->line)
    throw io::data_error(from.locate(0), "a row of a table with the header '" + head->line.value_or("") + "'",
                         "rows of one table, whose header is '" + head_->line.value_or("") + "': --append adds to it");
  piece rows{.rows = batch.rows,
             .results = {},
             .forms = {},
             .places = {},
             .lines = batch.lines,
             .group_names = batch.group_names,
             .groups = batch.groups};
  for (column_scan& each : scans_) {
    io::column const& column = batch.columns[each.column];
    io::batch const one = values_of(batch, each.column);
    operation const op = settings_.operations[rows.forms.size() % settings_.operations.size()];
    rows.forms.push_back(form_of(op, column.form));
    std::vector<std::uint32_t>& places = rows.places.emplace_back();
    if (!column.rows.empty() || one.rows == 0) {
      places.assign(batch.rows, none);
      for (std::uint32_t k = 0; k < one.rows; ++k) places[column.rows[k]] = k;
    }
    located(
        from, each.column, [&] { rows.results.push_back(each.by->scan(one)); },
        [&](std::size_t index) { return column.row_of(index); });
  }
  if (settings_.reversed)
    held_.emplace_back(std::move(rows));
  else
    write(rows);
}

void scan_table::write(piece const& rows)
{
  begin(rows.lines.empty() ? std::string_view() : rows.lines[settings_.reversed ? rows.rows - 1 : 0]);
  to_->rows(rows.rows, [&](std::size_t k, std::vector<cell>& cells) {
    std::size_t const row = settings_.reversed ? rows.rows - 1 - k : k;
    cells.clear();
    append_front(rows, row, cells);
    for (std::size_t c = 0; c < rows.results.size(); ++c) {
      std::uint32_t const place = rows.places[c].empty() ? static_cast<std::uint32_t>(row) : rows.places[c][row];
      if (place == none)
        cells.emplace_back();
      else
        cells.emplace_back(std::visit([&](auto in) { return result_of(in[place], rows.forms[c]); }, rows.results[c]));
    }
  });
}

void scan_table::append_front(piece const& from, std::size_t row, std::vector<cell>& to) const
{
  if (verbatim_) {
    to.emplace_back(verbatim{from.lines[row]});
  } else if (appends_) {
    thread_local input_row fields;
    for (std::string_view const each : fields.split(from.lines[row], head_->delimiter)) to.emplace_back(each);
  } else if (keys_ > 0) {
    append_key(to, from.group_names[from.groups[row]], keys_);
  }
}

void scan_table::flush()
{
  if (to_) to_->flush();
}

void scan_table::finish()
{
  for (; !held_.empty(); held_.pop_back()) write(held_.back().view);
  begin({});
  to_->finish();
}

}  // namespace tally::cli
