#include <algorithm>
#include <optional>
#include <utility>

#include "io/errors.hpp"
#include "io/tables/column_choice.hpp"
#include "io/tables/format.hpp"
#include "io/tables/reader.hpp"

namespace tally::io {

namespace {

/// The first cell at or behind `from`; empty at the end of the line if there is none.
csv_field next_cell(char const* from, char const* end)
{
  while (from < end && is_blank(*from)) ++from;
  char const* const begin = from;
  while (from < end && !is_blank(*from)) ++from;
  return {begin, from, false};
}

class blank_table final : public table_of_lines<blank_table> {
public:
  explicit blank_table(table_options options) : table_of_lines(std::move(options)) {}

  std::size_t lay_out_first_row(chunk const& first, std::size_t at, std::string const& source)
  {
    first_cells row;
    row.begin = at;
    std::string_view const line = first_line(first, at, source);
    char const* const end = line.data() + line.size();
    for (csv_field cell = next_cell(line.data(), end); cell.begin != cell.end; cell = next_cell(cell.end, end)) {
      row.begins.push_back(static_cast<std::size_t>(cell.begin - first.begin()));
      row.cells.push_back(cell.text());
    }
    row.end = behind_line(first, end);
    table_options choice = options_;
    if (choice.first == first_row::unsaid && chosen_by_name(options_)) choice.first = first_row::names;
    bool const names = choice.first == first_row::names;
    if (!names) extend(row);
    layout_ = lay_out(row, names, first, choice, source);
    if (choice.first == first_row::unsaid && is_heading(row)) {
      layout_.values_at = row.end;
      layout_.head.line = std::string(line);
    }
    return layout_.values_at;
  }

  void empty(std::string const& source) override
  {
    if (options_.first == first_row::names || (options_.first == first_row::unsaid && chosen_by_name(options_)))
      throw data_error({source, 1}, "nothing", "a header");
    layout_ = lay_out_nothing(options_);
  }

  template <class F>
  std::optional<offence> for_each_row(parsed_chunk const& in, F f) const
  {
    wanted_columns wanted(layout_.wanted);
    row_cells row;
    row.fields.resize(wanted.size());
    return for_each_line(in, skipped_, [&](char const* begin, char const* end) -> std::optional<offence> {
      wanted.begin_row();
      csv_field cell = next_cell(begin, end);
      for (std::size_t column = 0; cell.begin != cell.end && wanted.found() < wanted.size(); ++column) {
        if (auto const place = wanted.place_of(column)) row.fields[*place] = cell;
        cell = next_cell(cell.end, end);
      }
      std::fill(row.fields.begin() + static_cast<std::ptrdiff_t>(wanted.found()), row.fields.end(), csv_field{});
      row.begin = begin;
      row.end = end;
      return f(row);
    });
  }

private:
  /// Gives the first line, which may be a short one, as many cells as the numbers of columns ask for.
  void extend(first_cells& row) const
  {
    std::size_t most = 1;
    for (auto const* items : {&options_.columns, &options_.keys, &options_.behind})
      for (std::string const& item : *items) most = std::max(most, greatest_number(item));
    if (row.cells.size() >= most) return;
    row.cells.resize(most);
    row.begins.resize(most);
  }

  bool is_heading(first_cells const& row) const
  {
    if (options_.rows)
      return std::ranges::any_of(layout_.keys,
                                 [&](std::size_t place) { return row.cells[layout_.wanted[place]].empty(); });
    return !this->has_numbers(row);
  }
};

}  // namespace

std::unique_ptr<text_format> blank_format(table_options const& options)
{
  return std::make_unique<blank_table>(options);
}

}  // namespace tally::io
