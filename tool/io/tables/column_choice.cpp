#include "io/tables/column_choice.hpp"

#include <algorithm>
#include <charconv>
#include <fnmatch.h>
#include <numeric>
#include <optional>
#include <utility>

#include "io/errors.hpp"
#include "io/numbers/token.hpp"

namespace tally::io {

namespace {

std::optional<std::size_t> as_number(std::string_view text)
{
  std::size_t number = 0;
  auto const [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || stop != text.data() + text.size() || number == 0) return std::nullopt;
  return number;
}

/// The first and the last number of "2-4", "2-" or "-4"; 0 where none stands.
std::optional<std::pair<std::size_t, std::size_t>> as_range(std::string_view item)
{
  std::size_t const hyphen = item.find('-');
  if (hyphen == item.npos || item.size() == 1) return std::nullopt;
  std::string_view const before = item.substr(0, hyphen), behind = item.substr(hyphen + 1);
  std::optional<std::size_t> const first = as_number(before), last = as_number(behind);
  if ((!first && !before.empty()) || (!last && !behind.empty())) return std::nullopt;
  return std::pair(first.value_or(0), last.value_or(0));
}

bool is_pattern(std::string_view item)
{
  return item.find_first_of("*?[") != item.npos;
}

class choice_of_columns {
public:
  explicit choice_of_columns(table_columns const& table) : table_(table) {}

  std::size_t size() const { return table_.cells.size(); }
  std::string counted() const { return size() == 1 ? "1 column" : std::to_string(size()) + " columns"; }

  /// The column of that name, or else of that number.
  std::optional<std::size_t> find(std::string_view item) const
  {
    if (table_.named) {
      auto const& names = table_.cells;
      auto const found = std::find(names.begin(), names.end(), item);
      if (found != names.end()) {
        if (std::find(found + 1, names.end(), item) != names.end())
          refuse("several columns called " + describe(item), "only one, or a column's number");
        return static_cast<std::size_t>(found - names.begin());
      }
    }
    auto const number = as_number(item);
    if (number && *number > size()) refuse(counted(), "a column number " + std::string(item));
    return number ? std::optional(*number - 1) : std::nullopt;
  }

  /// The columns of a range, first and last.
  std::optional<std::pair<std::size_t, std::size_t>> find_range(std::string_view item) const
  {
    if (auto const range = as_range(item)) {
      std::size_t const most = std::max(range->first, range->second);
      if (most > size()) refuse(counted(), "a column number " + std::to_string(most));
      std::size_t const last = range->second == 0 ? size() : range->second;
      return in_order(item, std::max<std::size_t>(range->first, 1) - 1, last - 1);
    }
    for (std::size_t colon = item.find(':'); colon != item.npos; colon = item.find(':', colon + 1)) {
      std::string_view const before = item.substr(0, colon), behind = item.substr(colon + 1);
      std::optional<std::size_t> const first = before.empty() ? std::optional(std::size_t(0)) : find(before);
      std::optional<std::size_t> const last = behind.empty() ? std::optional(size() - 1) : find(behind);
      if (first && last && item.size() > 1) return in_order(item, *first, *last);
    }
    return std::nullopt;
  }

  [[noreturn]] void refuse_name(std::string const& item) const
  {
    bool const pattern = is_pattern(item);
    if (table_.named)
      refuse(counted() + ": " + list_of(table_.cells),
             (pattern ? "one that matches " : "one called ") + describe(item) + name_cut_at_a_comma(item));
    throw usage_error(table_.source + ": found " +
                      (pattern ? "a pattern of names, " + describe(item) : "a column called " + describe(item)) +
                      ", expected a number from 1: the table has no header");
  }

  [[noreturn]] void refuse(std::string const& found, std::string const& expected) const
  {
    bool const blanks =
        table_.guessed && std::ranges::any_of(table_.cells, [](std::string const& cell) {
          return cell.find_first_not_of(' ') < cell.find_last_of(' ') && cell.find_last_of(' ') != cell.npos;
        });
    throw data_error({table_.source, 1}, found, expected + (blanks ? option_for_blanks : ""));
  }

private:
  /// Says so if the item is the beginning of a name that holds a comma.
  std::string name_cut_at_a_comma(std::string const& item) const
  {
    for (std::string const& name : table_.cells)
      if (name.starts_with(item + ',')) return " (a name with a comma stands in quotes: \"" + name + "\")";
    return {};
  }

  std::pair<std::size_t, std::size_t> in_order(std::string_view item, std::size_t first, std::size_t last) const
  {
    if (first > last)
      refuse("a range " + describe(item) + " that ends before it begins", "the first column before the last");
    return {first, last};
  }

  table_columns const& table_;
};

}  // namespace

std::vector<std::string> column_list(std::string_view list)
{
  std::vector<std::string> items;
  for (std::size_t at = 0;;) {
    std::string item;
    bool const quoted = at < list.size() && list[at] == '"';
    std::size_t end = at;
    if (quoted) {
      for (end = at + 1; end < list.size(); ++end) {
        if (list[end] == '"' && !(end + 1 < list.size() && list[end + 1] == '"')) break;
        item += list[end];
        if (list[end] == '"') ++end;
      }
      if (end == list.size()) throw usage_error("'" + std::string(list) + "' has a quote that is never closed");
      ++end;
      if (end < list.size() && list[end] != ',')
        throw usage_error("'" + std::string(list) + "' has text behind a closing quote, where a comma is expected");
    } else {
      end = std::min(list.find(',', at), list.size());
      item = list.substr(at, end - at);
      if (item.empty())
        throw usage_error("'" + std::string(list) + "' has an empty name (a column without one is \"\")");
    }
    items.push_back(std::move(item));
    if (end == list.size()) return items;
    at = end + 1;
  }
}

bool is_of_numbers(std::string_view item)
{
  return as_number(item) || as_range(item);
}

bool chosen_by_name(table_options const& options)
{
  auto const by_name = [](std::string const& item) { return !is_of_numbers(item); };
  return std::ranges::any_of(options.columns, by_name) || std::ranges::any_of(options.keys, by_name) ||
         std::ranges::any_of(options.behind, by_name);
}

std::size_t greatest_number(std::string_view item)
{
  if (auto const number = as_number(item)) return *number;
  auto const range = as_range(item);
  return range ? std::max(range->first, range->second) : 0;
}

std::string list_of(std::vector<std::string> const& names)
{
  constexpr std::size_t most = 20;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i) text += (i > 0 ? ", " : "") + describe(names[i]);
  if (names.size() > most) text += " and " + std::to_string(names.size() - most) + " more";
  return text;
}

std::vector<std::size_t> key_columns(table_options const& options, table_columns const& table)
{
  choice_of_columns const choice(table);
  std::vector<std::size_t> keys;
  for (std::string const& item : options.keys) {
    if (auto const column = choice.find(item)) {
      keys.push_back(*column);
    } else if (auto const range = choice.find_range(item)) {
      for (std::size_t k = range->first; k <= range->second; ++k) keys.push_back(k);
    } else {
      choice.refuse_name(item);
    }
  }
  return keys;
}

std::vector<std::size_t> number_columns(table_options const& options, table_columns const& table,
                                        std::vector<std::size_t> const& keys)
{
  choice_of_columns const choice(table);
  std::vector<std::size_t> columns, behind;
  for (std::string const& item : options.behind) {
    std::optional<std::size_t> const column = choice.find(item);
    if (!column) choice.refuse_name(item);
    behind.push_back(*column);
  }
  auto const add = [&](std::size_t first, std::size_t last, auto chosen) {
    for (std::size_t k = first; k <= last && k < choice.size(); ++k)
      if (chosen(k) && !std::ranges::count(keys, k) && !std::ranges::count(behind, k) &&
          !std::ranges::count(columns, k))
        columns.push_back(k);
  };
  auto const always = [](std::size_t) { return true; };
  for (std::string const& item : options.columns) {
    std::size_t const before = columns.size();
    if (auto const column = choice.find(item)) {
      columns.push_back(*column);
    } else if (auto const range = choice.find_range(item)) {
      add(range->first, range->second, always);
    } else if (is_pattern(item) && table.named) {
      bool matches = false;
      add(0, choice.size() - 1, [&](std::size_t k) {
        bool const is = fnmatch(item.c_str(), table.cells[k].c_str(), 0) == 0;
        matches = matches || is;
        return is;
      });
      if (!matches && columns.size() == before) choice.refuse_name(item);
    } else {
      choice.refuse_name(item);
    }
  }
  if (options.all) add(0, choice.size() - 1, always);
  if (options.columns.empty() && !options.all && choice.size() > 0) columns.push_back(0);
  if (columns.empty()) choice.refuse("no column besides those of the keys", "one of numbers");
  if (columns.size() > options.most_columns)
    choice.refuse(std::to_string(columns.size()) + " columns that are chosen",
                  options.most_columns == 1 ? "a single one" : std::to_string(options.most_columns) + " at most");
  columns.insert(columns.end(), behind.begin(), behind.end());
  return columns;
}

}  // namespace tally::io
