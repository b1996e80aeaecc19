#include "operation.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "parser.hpp"

namespace tally::cli {

namespace {

struct entry {
  choice shown;
  std::string_view other_names;
  operation_kind kind;
};

constexpr entry table[] = {
#define TALLY_ENTRY(op, name, meaning, other_names, kind, maker) {{name, meaning}, other_names, operation_kind::kind},
    TALLY_OPERATIONS(TALLY_ENTRY)
#undef TALLY_ENTRY
};

entry const& entry_of(operation op)
{
  return table[static_cast<std::size_t>(op)];
}

/// Whether `name` is a word of `words`, which single blanks separate.
bool is_word(std::string_view name, std::string_view words)
{
  while (!words.empty()) {
    std::size_t const end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == name) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

}  // namespace

std::vector<choice> const& operation_choices()
{
  static std::vector<choice> const all = [] {
    std::vector<choice> shown;
    for (entry const& each : table) shown.push_back(each.shown);
    return shown;
  }();
  return all;
}

std::string_view name_of(operation op)
{
  return entry_of(op).shown.name;
}

operation_kind kind_of(operation op)
{
  return entry_of(op).kind;
}

operation operation_named(std::string const& name)
{
  static constexpr std::string_view of_sorted_values[] = {
      "median", "quantile", "quantiles", "percentile", "percentiles", "quartile", "quartiles",
  };
  if (std::ranges::find(of_sorted_values, name) != std::end(of_sorted_values))
    throw command_line_error("--op: there is no '" + name + "', which needs all values at once and in order; " +
                             "'tally app cdf --quantiles 0.5' prints the median");
  for (entry const& each : table) {
    if (is_word(name, each.other_names))
      throw command_line_error("--op: there is no '" + name + "' (did you mean '" + std::string(each.shown.name) +
                               "'?)");
  }
  return static_cast<operation>(index_of_choice("--op", name, operation_choices()));
}

std::vector<operation> operations_named(std::string const& list)
{
  std::vector<operation> out;
  for (std::string const& name : list_elements(list)) out.push_back(operation_named(name));
  return out;
}

bool has_operator(operation op)
{
  operation_kind const kind = kind_of(op);
  return kind == operation_kind::growing || kind == operation_kind::choosing || kind == operation_kind::bitwise;
}

bool takes_init(operation op)
{
  return has_operator(op) || kind_of(op) == operation_kind::truth || kind_of(op) == operation_kind::exponentials;
}

bool has_identity(operation op)
{
  return takes_init(op) || kind_of(op) == operation_kind::number;
}

}  // namespace tally::cli
