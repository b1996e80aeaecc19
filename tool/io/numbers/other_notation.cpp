#include "io/numbers/other_notation.hpp"

#include "io/numbers/units.hpp"

namespace tally::io {

namespace {

struct other_notation {
  number_reading how;
  std::string_view options;
};

other_notation const other_notations[] = {
    {{.notation = number_notation::si}, "--from si or --from iec reads it"},
    {{.notation = number_notation::automatic}, "--from iec or --from auto reads it"},
    {{.thousands = ","}, "--thousands , reads it"},
    {{.point = ',', .thousands = "."}, "--decimal-point , and --thousands . read it"},
    {{.thousands = " "}, "--thousands space reads it"},
    {{.point = ',', .thousands = " "}, "--decimal-point , and --thousands space read it"},
    {{.rule = number_rule::instants}, "--type time reads it"},
    {{.rule = number_rule::durations}, "--type duration reads it"},
};

bool reads(number_reading const& how, std::string_view token)
{
  number_form form;
  return decode(token.data(), token.data() + token.size(), how, form).kind <= token_kind::real;
}

/// --unit, if a usual unit is what keeps the token from being a number, perhaps one with separators.
std::string unit_option(std::string_view token)
{
  std::string const unit(usual_unit_of(token));
  if (unit.empty()) return {};
  std::string const option = "--unit '" + unit + "'";
  if (reads({.units = {unit}}, token)) return option + " reads it";
  if (reads({.thousands = ",", .units = {unit}}, token)) return option + " and --thousands , read it";
  if (reads({.point = ',', .thousands = ".", .units = {unit}}, token))
    return option + ", --decimal-point , and --thousands . read it";
  return {};
}

std::string options_of(std::string_view token)
{
  if (decode_rest(token.data(), token.data() + token.size()).kind != token_kind::garbage) return {};
  // Without 0x, hexadecimal digits may be words.
  std::size_t const sign = token[0] == '-' || token[0] == '+';
  bool const has_mark = token.substr(sign, 2) == "0x" || token.substr(sign, 2) == "0X";
  if (has_mark && reads({.notation = number_notation::hexadecimal}, token)) return "--from hex reads it";
  if (token.back() == ',') return {};  // an element of a list
  bool const by_comma = reads({.point = ','}, token);
  if (by_comma && reads({.thousands = ","}, token)) return "--thousands , or --decimal-point , reads it";
  if (by_comma) return "--decimal-point , reads it";
  for (other_notation const& each : other_notations)
    if (reads(each.how, token)) return std::string(each.options);
  return unit_option(token);
}

/// The option that is missing beside those that are given.
std::string further_option(std::string_view token, number_reading how)
{
  if (how.units.empty()) {
    how.units = {std::string(usual_unit_of(token))};
    if (!how.units[0].empty() && reads(how, token)) return "--unit '" + how.units[0] + "' reads it";
    how.units.clear();
  }
  if (how.thousands.empty() && how.notation != number_notation::hexadecimal) {
    how.thousands = how.point == '.' ? "," : ".";
    if (reads(how, token)) return "--thousands " + how.thousands + " reads it";
    how.thousands.clear();
  }
  if (how.notation == number_notation::plain) {
    how.notation = number_notation::si;
    if (reads(how, token)) return "--from si or --from iec reads it";
  }
  return {};
}

std::string in_parentheses(std::string_view options)
{
  return options.empty() ? std::string{} : " (" + std::string(options) + ")";
}

}  // namespace

std::string options_to_read(std::string_view token, number_reading const& how)
{
  if (token.empty()) return {};
  bool const is_plain =
      how.notation == number_notation::plain && how.point == '.' && how.thousands.empty() && how.units.empty();
  switch (how.rule) {
    case number_rule::instants:
      return in_parentheses(reads({.rule = number_rule::durations}, token) ? "--type duration reads it" : "");
    case number_rule::durations:
      return in_parentheses(reads({.rule = number_rule::instants}, token) ? "--type time reads it" : "");
    default: return in_parentheses(is_plain ? options_of(token) : further_option(token, how));
  }
}

std::string options_to_read_word(std::string_view word, number_reading const& how)
{
  if (how.rule == number_rule::instants && word.find(':') != word.npos && reads({.rule = number_rule::durations}, word))
    return " (a blank ends a time in text: --input-format csv --no-header takes whole lines)";
  std::string options = options_to_read(word, how);
  auto const is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '/'; };
  bool const is_word = word.size() > 1 && is_letter(word[0]) && is_letter(word[1]);
  if (options.empty() && is_word && how.rule == number_rule::automatic)
    return " (--column chooses a column of a table)";
  return options;
}

}  // namespace tally::io
