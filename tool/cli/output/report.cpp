#include "output/report.hpp"

#include <algorithm>
#include <iterator>

#include "commands/commands.hpp"
#include "output/json.hpp"
#include "plot/bars.hpp"
#include "settings/numbers.hpp"

namespace tally::cli {

namespace {

std::unique_ptr<row_format> group_format(command_settings const& settings, std::vector<std::string> const& names,
                                         std::vector<std::string> const& key_names)
{
  std::vector<table_column> columns = key_columns(key_names);
  std::size_t const keys = columns.size();
  for (table_column& each : result_columns(settings, names)) columns.push_back(std::move(each));
  if (settings.output.plot) return make_bars(std::move(columns), picture_of(settings.output));
  if (settings.output.format == output_format::json) return make_json_groups(std::move(columns), keys);
  bool const named = columns.size() > keys + 1;
  return make_row_format(settings.output, std::move(columns), named);
}

}  // namespace

std::vector<table_column> key_columns(std::vector<std::string> const& keys)
{
  std::vector<table_column> all;
  for (std::string const& key : keys) all.push_back({key, false});
  return all;
}

std::vector<table_column> result_columns(command_settings const& settings, std::vector<std::string> const& columns)
{
  std::vector<table_column> all;
  if (columns.size() > 1) {
    for (std::string const& column : columns)
      for (operation const op : settings.operations)
        all.push_back({column + '_' + std::string(name_of(op)), true, style_for(op, settings.output.style)});
    return all;
  }
  for (operation const op : settings.operations)
    all.push_back({std::string(name_of(op)), true, style_for(op, settings.output.style)});
  return all;
}

std::string report(command_settings const& settings, std::vector<std::string> const& columns,
                   std::vector<result> const& results)
{
  std::size_t const each = settings.operations.size();
  if (settings.output.format == output_format::json) {
    json records = json::array();
    for (std::size_t c = 0; c < columns.size(); ++c) {
      json record = {{"column", columns[c]}};
      for (std::size_t k = 0; k < each; ++k)
        record.add(name_of(settings.operations[k]),
                   json::number(results[c * each + k], style_for(settings.operations[k], settings.output.style)));
      records.append(record);
    }
    return json{{"columns", records}}.line();
  }
  std::vector<table_column> heads = {{"column", false}};
  std::ranges::copy(result_columns(settings), std::back_inserter(heads));
  auto const format = make_row_format(settings.output, std::move(heads), each > 1);
  std::string out = format->head();
  for (std::size_t c = 0; c < columns.size(); ++c) {
    std::vector<cell> row = {std::string_view(columns[c])};
    for (std::size_t k = 0; k < each; ++k) row.emplace_back(results[c * each + k]);
    if (c > 0) out += format->between();
    format->row(out, row);
  }
  out += format->tail();
  return format->needs_all() ? format->arranged(std::move(out)) : out;
}

std::string report(command_settings const& settings, std::vector<result> const& results)
{
  if (settings.output.format == output_format::json) {
    json record = json::object();
    for (std::size_t k = 0; k < results.size(); ++k)
      record.add(name_of(settings.operations[k]),
                 json::number(results[k], style_for(settings.operations[k], settings.output.style)));
    return record.line();
  }
  bool const table = is_table(settings.output.format);
  std::vector<table_column> columns = result_columns(settings);
  if (!table && results.size() > 1) columns = {{"op", false}, {"result"}};
  auto const format = make_row_format(settings.output, std::move(columns), false);
  std::string out = format->head();
  if (table || results.size() == 1) {
    format->row(out, std::vector<cell>(results.begin(), results.end()));
  } else {
    for (std::size_t k = 0; k < results.size(); ++k) {
      std::string const text = to_text(results[k], style_for(settings.operations[k], settings.output.style));
      format->row(out, std::vector<cell>{name_of(settings.operations[k]), std::string_view(text)});
    }
  }
  out += format->tail();
  return format->needs_all() ? format->arranged(std::move(out)) : out;
}

void append_key(std::vector<cell>& to, std::string_view key, std::size_t count)
{
  for (std::size_t k = 0; k < count; ++k) {
    std::size_t const end = std::min(key.find('\0'), key.size());
    to.emplace_back(key.substr(0, end));
    key.remove_prefix(std::min(end + 1, key.size()));
  }
}

group_report::group_report(command_settings const& settings, std::vector<std::string> const& columns,
                           std::vector<std::string> const& keys, std::vector<io::number_form> forms)
    : operations_(settings.operations),
      forms_(std::move(forms)),
      keys_(keys.size()),
      to_(io::output::named(settings.output.file), group_format(settings, columns, keys), settings.threads)
{
}

void group_report::make_cells(std::vector<cell>& cells, std::string_view key, std::span<result const> results) const
{
  cells.clear();
  append_key(cells, key, keys_);
  std::size_t const each = operations_.size();
  for (std::size_t k = 0; k < results.size(); ++k)
    cells.emplace_back(in_form(results[k], operations_[k % each], forms_[k / each]));
}

void group_report::group(std::string_view key, std::span<result const> results)
{
  make_cells(cells_, key, results);
  to_.row(cells_);
}

void group_report::blocks(std::size_t count, std::function<void(std::size_t, add_group const&)> const& fill)
{
  to_.blocks(count, [&](std::size_t block, table_writer::add_row const& add) {
    std::vector<cell> cells;
    fill(block, [&](std::string_view key, std::span<result const> results) {
      make_cells(cells, key, results);
      add(cells);
    });
  });
}

void group_report::finish()
{
  to_.finish();
}

}  // namespace tally::cli
