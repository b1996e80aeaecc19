#include "input/column_names.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "io/errors.hpp"
#include "io/files/input.hpp"
#include "io/format.hpp"
#include "io/tables/csv_row.hpp"

namespace tally::cli {

namespace {

/// Longer headers are not completed.
constexpr std::size_t longest = std::size_t{64} << 10;

std::vector<std::string> header_of(std::string const& file, char delimiter)
{
  io::input from = io::input::file(file);
  std::string text(longest, '\0');
  text.resize(from.read_full(text.data(), text.size()));
  std::size_t const end = text.find('\n');
  if (end == text.npos) return {};
  text.resize(end > 0 && text[end - 1] == '\r' ? end - 1 : end);
  if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin <= text.size();) {
    // A delimiter within quotes is part of a name.
    std::size_t stop = begin;
    for (bool quoted = false; stop < text.size() && (quoted || text[stop] != delimiter); ++stop)
      if (text[stop] == '"') quoted = !quoted;
    io::csv_field field;
    if (io::unquote(text.data() + begin, text.data() + stop, text.data(), delimiter, field)) return {};
    names.push_back(field.text());
    begin = stop + 1;
  }
  return names;
}

}  // namespace

std::vector<std::string> column_names(std::vector<std::string> const& words)
{
  std::optional<char> delimiter;
  for (std::size_t k = 0; k + 1 < words.size(); ++k)
    if (words[k] == "--delimiter" && words[k + 1].size() == 1) delimiter = words[k + 1][0];
  for (std::string const& word : words) {
    std::error_code problem;
    auto const format = io::format_of_input(word);
    if (format != io::file_format::csv && format != io::file_format::tsv) continue;
    if (!std::filesystem::is_regular_file(word, problem)) continue;
    try {
      return header_of(word, delimiter.value_or(format == io::file_format::csv ? ',' : '\t'));
    } catch (error const&) {
      return {};
    }
  }
  return {};
}

}  // namespace tally::cli
