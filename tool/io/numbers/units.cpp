#include "io/numbers/units.hpp"

#include <algorithm>

namespace tally::io {

namespace {

bool is_sign(char c)
{
  return c == '-' || c == '+';
}

bool is_part_of_number(char c)
{
  return (c >= '0' && c <= '9') || is_sign(c) || c == '.' || c == ',';
}

/// The length of the longest unit for which `stands` holds; 0 if there is none.
template <class F>
std::size_t longest(std::vector<std::string> const& units, F stands)
{
  std::size_t most = 0;
  for (std::string const& unit : units)
    if (unit != parentheses && stands(unit)) most = std::max(most, unit.size());
  return most;
}

}  // namespace

bool write_without_units(std::string_view token, std::vector<std::string> const& units, std::string& text)
{
  text.clear();
  bool const enclosed = token.size() > 2 && token.front() == '(' && token.back() == ')' &&
                        std::ranges::find(units, parentheses) != units.end();
  if (enclosed) {
    token = token.substr(1, token.size() - 2);
    text = "-";
  }
  auto const take_sign = [&] {
    if (token.empty() || !is_sign(token[0])) return true;
    if (!text.empty()) return false;
    text = token[0];
    token.remove_prefix(1);
    return true;
  };
  if (!take_sign()) return false;
  if (std::size_t const before = longest(units, [&](std::string const& unit) { return token.starts_with(unit); })) {
    token.remove_prefix(before);
    if (token.starts_with(' ')) token.remove_prefix(1);
    if (!take_sign()) return false;
  }
  if (std::size_t const behind = longest(units, [&](std::string const& unit) { return token.ends_with(unit); })) {
    token.remove_suffix(behind);
    if (token.ends_with(' ')) token.remove_suffix(1);
  }
  if (token.empty() || is_sign(token[0])) return false;
  text += token;
  return true;
}

std::string list_of_units(std::vector<std::string> const& units)
{
  std::string text;
  for (std::size_t k = 0; k < units.size(); ++k)
    text += (k == 0 ? "'" : k + 1 < units.size() ? ", '" : " or '") + units[k] + "'";
  return text;
}

std::string_view usual_unit_of(std::string_view token)
{
  constexpr std::string_view usual[] = {"$",
                                        "%",
                                        "\xe2\x82\xac" /* euro */,
                                        "\xc2\xa3" /* pound */,
                                        "\xc2\xa5" /* yen */,
                                        "\xc2\xb0"
                                        "C",
                                        "EUR",
                                        "USD",
                                        "GBP",
                                        "CHF",
                                        "us",
                                        "ms",
                                        "ns",
                                        "kg",
                                        "km",
                                        "cm",
                                        "mm",
                                        "px",
                                        "Hz",
                                        "MHz",
                                        "GHz",
                                        "kWh",
                                        "W",
                                        "V"};
  if (token.size() > 2 && token.front() == '(' && token.back() == ')' && is_part_of_number(token[1]))
    return parentheses;
  if (!token.empty() && is_sign(token[0])) token.remove_prefix(1);
  std::string_view found;
  for (std::string_view const unit : usual) {
    bool const before = token.starts_with(unit) && token.size() > unit.size() && is_part_of_number(token[unit.size()]);
    bool const behind = token.ends_with(unit) && token.size() > unit.size() && is_part_of_number(token[0]);
    if ((before || behind) && unit.size() > found.size()) found = unit;
  }
  return found;
}

}  // namespace tally::io
