#include "textbook/exhibits.hpp"

#include <algorithm>

#include "textbook/sources.hpp"

namespace tally::textbook {

namespace {

std::vector<exhibit> assembled()
{
  std::vector<exhibit> all;
  for (auto const part : {reduction_exhibits, hillis_steele_exhibits, tree_scan_exhibits, grid_exhibits}) {
    std::vector<exhibit> const more = part();
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

std::string_view unindented(std::string_view line)
{
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  return line;
}

}  // namespace

std::vector<exhibit> const& all_exhibits()
{
  static std::vector<exhibit> const all = assembled();
  return all;
}

exhibit const* find_exhibit(std::string_view name)
{
  auto const found = std::find_if(all_exhibits().begin(), all_exhibits().end(),
                                  [&](exhibit const& each) { return each.name == name; });
  return found == all_exhibits().end() ? nullptr : &*found;
}

numbered_lines lines_of(excerpt const& which)
{
  std::vector<std::string_view> all;
  for (std::string_view rest = source_of(which.header); !rest.empty();) {
    auto const end = std::min(rest.find('\n'), rest.size());
    all.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  auto first =
      std::find_if(all.begin(), all.end(), [&](std::string_view line) { return line.starts_with(which.begins); });
  if (first == all.end()) return {};
  auto last = std::find_if(first, all.end(), [](std::string_view line) { return line.starts_with('}'); });
  while (first != all.begin() && (first - 1)->starts_with("template")) --first;
  numbered_lines result;
  result.first = static_cast<std::size_t>(first - all.begin()) + 1;
  result.lines.assign(first, last == all.end() ? last : last + 1);
  return result;
}

std::size_t line_number(excerpt const& where, std::string_view text)
{
  numbered_lines const all = lines_of(where);
  auto const is_it = [&](std::string_view line) { return unindented(line) == text; };
  if (std::count_if(all.lines.begin(), all.lines.end(), is_it) != 1) return 0;
  auto const found = std::find_if(all.lines.begin(), all.lines.end(), is_it);
  return all.first + static_cast<std::size_t>(found - all.lines.begin());
}

}  // namespace tally::textbook
