#include "table/row_format.hpp"

#include <utility>

namespace tally::cli {

std::string text_of(cell const& from, table_column const& column)
{
  if (auto const* const value = std::get_if<result>(&from)) return to_text(*value, column.style);
  auto const* const text = std::get_if<std::string_view>(&from);
  return text != nullptr ? std::string(*text) : std::string();
}

std::unique_ptr<row_format> make_row_format(output_settings const& output, std::vector<table_column> columns,
                                            bool named)
{
  switch (output.format) {
    case output_format::csv:
    case output_format::tsv: return make_delimited({delimiter_of(output), true}, std::move(columns));
    case output_format::jsonl: return make_json_lines(std::move(columns));
    case output_format::markdown: return make_markdown(std::move(columns));
    case output_format::table: return make_aligned(std::move(columns));
    case output_format::text:
    case output_format::npy:
    case output_format::raw:
    case output_format::json: break;
  }
  return make_delimited({delimiter_of(output), named}, std::move(columns));
}

}  // namespace tally::cli
