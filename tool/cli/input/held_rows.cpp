#include "input/held_rows.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace tally::cli {

namespace {

value_buffer copy_of(io::values_view const& values)
{
  value_buffer room;
  std::visit([&]<class T>(std::span<T const> from) { std::ranges::copy(from, room.resize<T>(from.size())); }, values);
  return room;
}

}  // namespace

held_rows::held_rows(command_settings const& settings, batches& from) : settings_(settings)
{
  io::batch batch;
  while (from.next(batch)) {
    piece next{.rows = batch.rows,
               .before = total_,
               .columns = {},
               .groups = {batch.groups.begin(), batch.groups.end()},
               .names = {batch.group_names.begin(), batch.group_names.end()},
               .lines = {batch.lines.begin(), batch.lines.end()}};
    forms_.resize(batch.columns.size());
    for (io::column const& each : batch.columns) {
      forms_[next.columns.size()] = each.form;  // the last one is the finest
      next.columns.push_back({copy_of(each.values), {each.rows.begin(), each.rows.end()}});
    }
    total_ += batch.rows;
    pieces_.push_back(std::move(next));
  }
  read_ = from.so_far();
}

bool held_rows::next(io::batch& into)
{
  if (given_ == pieces_.size()) return false;
  piece const& here = pieces_[given_++];
  columns_.clear();
  for (held_column const& each : here.columns)
    columns_.push_back({each.values.view(), each.rows, forms_[columns_.size()]});
  names_.assign(here.names.begin(), here.names.end());
  lines_.assign(here.lines.begin(), here.lines.end());
  into = {.rows = here.rows, .columns = columns_, .groups = here.groups, .group_names = names_, .lines = lines_};
  return true;
}

io::location held_rows::locate(std::size_t row, std::size_t column) const
{
  std::uint64_t const given = pieces_[given_ - 1].before + row;
  return location_of_row(settings_.input, settings_.threads, settings_.reversed ? total_ - 1 - given : given, column);
}

}  // namespace tally::cli
