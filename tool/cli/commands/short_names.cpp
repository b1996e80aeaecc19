#include "commands/short_names.hpp"

#include <algorithm>
#include <string_view>

#include "operations/operation.hpp"
#include "settings/parser.hpp"

namespace tally::cli {

namespace {

/// The operations that a word names; none if it names no others.
std::vector<operation> operations_of(std::string const& word)
{
  try {
    return operations_named(word);
  } catch (command_line_error const&) {
    return {};
  }
}

}  // namespace

std::optional<std::vector<std::string>> long_form(std::string const& word)
{
  using words = std::vector<std::string>;
  if (word.empty() || word.starts_with('-')) return std::nullopt;
  if (auto const all = operations_of(word); !all.empty())
    return words{std::ranges::any_of(all, is_for_scans) ? "scan" : "reduce", "--op", word};
  if (!word.starts_with("cum")) return std::nullopt;
  std::string const running = word == "cumprod" ? "product" : word.substr(3);
  if (!operations_of(running).empty()) return words{"scan", "--op", running};
  return std::nullopt;
}

std::string suggested_operation(std::string const& word)
{
  bool const is_list = word.find(',') != word.npos;
  bool const is_running = word.starts_with("cum");
  for (std::string const& name : list_elements(is_running ? word.substr(3) : word)) {
    try {
      operation_named(name);
    } catch (command_line_error const& problem) {
      std::string_view const before = " (did you mean '";
      std::string suggestion = problem.what();
      suggestion.erase(0, suggestion.find(before));
      if (is_running && !is_list && !suggestion.empty()) suggestion.insert(before.size(), "cum");
      return is_list ? ": no operation is called '" + name + "'" + suggestion : suggestion;
    }
  }
  return {};
}

}  // namespace tally::cli
