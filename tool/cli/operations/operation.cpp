#include "operations/operation.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "settings/parser.hpp"

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
  return table[static_cast<std::size_t>(op.which)];
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

std::int64_t power_of_ten(int exponent)
{
  std::int64_t power = 1;
  while (exponent-- > 0) power *= 10;
  return power;
}

/// An operation whose name is followed by its parameter, a decimal from 0 to `most`.
struct with_parameter {
  operation::identifier which;
  std::string_view before;  ///< what the name begins with
  int most;
};
constexpr with_parameter parameters[] = {
    {operation::quantile, "quantile:", 1},
    {operation::percentile, "p", 100},
};
constexpr int most_decimals = 9;

with_parameter const* parameter_of(operation op)
{
  auto const found = std::ranges::find(parameters, op.which, &with_parameter::which);
  return found == std::end(parameters) ? nullptr : found;
}

/// The decimal that `text` is, if it is one of digits and a point alone.
std::optional<short_decimal> decimal_of(std::string_view text)
{
  if (text.empty() || text == "." || text.find_first_not_of("0123456789.") != text.npos) return std::nullopt;
  std::size_t const point = std::min(text.find('.'), text.size());
  std::string_view fraction = text.substr(std::min(point + 1, text.size()));
  while (fraction.ends_with('0')) fraction.remove_suffix(1);
  std::string_view whole = text.substr(0, point);
  while (whole.starts_with('0')) whole.remove_prefix(1);
  if (fraction.find('.') != fraction.npos || fraction.size() > most_decimals || whole.size() > 3) return std::nullopt;
  short_decimal found{0, static_cast<int>(fraction.size())};
  for (std::string_view const part : {whole, fraction})
    for (char const digit : part) found.digits = found.digits * 10 + (digit - '0');
  return found;
}

std::string text_of(short_decimal number)
{
  std::string text = std::to_string(number.digits);
  if (number.decimals == 0) return text;
  auto const decimals = static_cast<std::size_t>(number.decimals);
  while (text.size() <= decimals) text = '0' + text;
  return text.substr(0, text.size() - decimals) + '.' + text.substr(text.size() - decimals);
}

/// The operation with a parameter that `name` means; none if it means no such operation.
std::optional<operation> operation_with_parameter(std::string const& name)
{
  for (with_parameter const& each : parameters) {
    std::string_view const before = each.before;
    bool const alone = name + ':' == before;  // "quantile"
    bool const meant = before.ends_with(':') ? name.starts_with(before)
                                             : name.size() > 1 && name.starts_with(before) &&
                                                   (name[1] == '.' || (name[1] >= '0' && name[1] <= '9'));
    if (!alone && !meant) continue;
    std::string const given = alone ? std::string{} : name.substr(before.size());
    std::optional<short_decimal> const number = decimal_of(given);
    if (!number || number->digits > each.most * power_of_ten(number->decimals))
      throw command_line_error("--op: found '" + name + "', expected " + std::string(before) + "N with N from 0 to " +
                               std::to_string(each.most) + ", of at most " + std::to_string(most_decimals) +
                               " decimals, such as " + std::string(entry_of(each.which).shown.name));
    return operation(each.which, *number);
  }
  return std::nullopt;
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

std::string name_of(operation op)
{
  with_parameter const* const parameter = parameter_of(op);
  if (parameter == nullptr) return std::string(entry_of(op).shown.name);
  return std::string(parameter->before) + text_of(op.parameter);
}

operation_kind kind_of(operation op)
{
  return entry_of(op).kind;
}

operation operation_named(std::string const& name)
{
  if (std::optional<operation> const found = operation_with_parameter(name)) return *found;
  for (entry const& each : table) {
    if (is_word(name, each.other_names))
      throw command_line_error("--op: there is no '" + name + "' (did you mean '" + std::string(each.shown.name) +
                               "'?)");
  }
  std::string const running = name == "cumprod" ? "product" : name.starts_with("cum") ? name.substr(3) : "";
  if (std::ranges::any_of(table, [&](entry const& each) { return each.shown.name == running; }))
    throw command_line_error("--op: there is no '" + name + "' (did you mean 'tally scan --op " + running + "'?)");
  return static_cast<operation::identifier>(index_of_choice("--op", name, operation_choices()));
}

std::vector<operation> operations_named(std::string const& list)
{
  std::vector<operation> out;
  for (std::string const& name : list_elements(list)) out.push_back(operation_named(name));
  return out;
}

fraction share_of(operation op)
{
  std::int64_t const whole = op == operation::percentile ? 100 : 1;
  if (parameter_of(op) == nullptr) return {1, 2};
  return {op.parameter.digits, whole * power_of_ten(op.parameter.decimals)};
}

bool has_operator(operation op)
{
  operation_kind const kind = kind_of(op);
  return kind == operation_kind::growing || kind == operation_kind::choosing || kind == operation_kind::bitwise;
}

bool needs_order(operation op)
{
  switch (op) {
#define TALLY_CASE(op, name, meaning, other_names, kind, maker) case operation::op:
    TALLY_OPERATIONS_BY_ORDER(TALLY_CASE)
#undef TALLY_CASE
    return true;
    default: return false;
  }
}

bool is_for_scans(operation op)
{
  return kind_of(op) == operation_kind::difference || needs_all(op);
}

bool is_of_pairs(operation op)
{
  return kind_of(op) == operation_kind::pair;
}

bool needs_all(operation op)
{
  return kind_of(op) == operation_kind::share || kind_of(op) == operation_kind::rank;
}

bool takes_init(operation op)
{
  operation_kind const kind = kind_of(op);
  return has_operator(op) || kind == operation_kind::truth || kind == operation_kind::exponentials ||
         kind == operation_kind::difference;
}

bool has_identity(operation op)
{
  return (takes_init(op) && !is_for_scans(op)) || kind_of(op) == operation_kind::number;
}

}  // namespace tally::cli
