#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "io/errors.hpp"
#include "io/tables/format.hpp"
#include "io/tables/reader.hpp"

namespace tally::io {

namespace {

class fixed_width_table final : public table_of_lines<fixed_width_table> {
public:
  explicit fixed_width_table(table_options options) : table_of_lines(std::move(options)) {}

  std::size_t lay_out_first_row(chunk const& first, std::size_t at, std::string const& source)
  {
    std::string_view const line = first_line(first, at, source);
    char const* const end = line.data() + line.size();
    first_cells row;
    row.begin = at;
    char const* from = line.data();
    for (std::size_t const width : options_.widths) {
      csv_field const cell = next_cell(from, end, width);
      row.begins.push_back(static_cast<std::size_t>(cell.begin - first.begin()));
      row.cells.push_back(cell.text());
    }
    row.end = behind_line(first, end);
    layout_ = lay_out(row, options_.first != first_row::values, first, options_, source);
    return layout_.values_at;
  }

  void empty(std::string const& source) override
  {
    if (options_.first != first_row::values) throw data_error({source, 1}, "nothing", "a header");
    layout_ = lay_out_nothing(options_);
  }

  template <class F>
  std::optional<offence> for_each_row(parsed_chunk const& in, F f) const
  {
    wanted_columns wanted(layout_.wanted);
    row_cells row;
    row.fields.resize(wanted.size());
    char const* const origin = in.text.begin();
    return for_each_line(in, skipped_, [&](char const* begin, char const* end) -> std::optional<offence> {
      wanted.begin_row();
      char const* at = begin;
      for (std::size_t column = 0; column < layout_.columns; ++column) {
        csv_field const cell = next_cell(at, end, options_.widths[column]);
        if (auto const place = wanted.place_of(column)) row.fields[*place] = cell;
      }
      at = std::find_if_not(at, end, is_blank);
      if (at != end)
        return offence{static_cast<std::size_t>(at - origin), "text behind the last column",
                       "a line of at most " + std::to_string(total()) + " bytes, as --widths says"};
      row.begin = begin;
      row.end = end;
      return f(row);
    });
  }

private:
  std::size_t total() const { return std::accumulate(options_.widths.begin(), options_.widths.end(), std::size_t(0)); }

  /// The cell of `width` bytes at `at` without blanks around it, and `at` behind it.
  static csv_field next_cell(char const*& at, char const* end, std::size_t width)
  {
    char const* const begin = at;
    at += std::min(width, static_cast<std::size_t>(end - at));
    return without_blanks({begin, at, false});
  }
};

}  // namespace

std::unique_ptr<text_format> fixed_width_format(table_options const& options)
{
  return std::make_unique<fixed_width_table>(options);
}

}  // namespace tally::io
