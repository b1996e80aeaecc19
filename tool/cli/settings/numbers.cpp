#include "settings/numbers.hpp"

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include "help/pages/pages.hpp"

namespace tally::cli {

namespace {

/// The number of bytes of the first character of a text in UTF-8; 0 if it has none.
std::size_t first_character(std::string const& text)
{
  if (text.empty()) return 0;
  auto const lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return 1;
  return lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
}

std::string separator_of(std::string_view option, std::string const& text)
{
  if (text == "space") return " ";
  bool const digit_like = text.size() == 1 && (std::isalnum(static_cast<unsigned char>(text[0])) != 0 || text == "+" ||
                                               text == "-" || text == "\"" || text == "\n");
  if (text.size() != first_character(text) || text.empty() || digit_like)
    throw command_line_error(std::string(option) + ": '" + text +
                             "' is not a single character that may stand between digits (or space)");
  return text;
}

/// The units of a list "$,%".
std::vector<std::string> units_of(std::string const& text)
{
  std::vector<std::string> units;
  for (std::size_t at = 0; at <= text.size();) {
    std::size_t const end = std::min(text.find(',', at), text.size());
    std::string unit = text.substr(at, end - at);
    bool const may_be_number = unit.find_first_of("0123456789+-.") == 0;
    if (unit.empty() || may_be_number)
      throw command_line_error("--unit: '" + text +
                               "' is not a list of texts that may stand beside a number, such as '$,%'");
    units.push_back(std::move(unit));
    at = end + 1;
  }
  return units;
}

}  // namespace

std::optional<io::number_rule> rule_of_type(std::string_view name)
{
  if (name == "decimal") return io::number_rule::decimals;
  if (name == "time" || name == "date") return io::number_rule::instants;
  if (name == "duration") return io::number_rule::durations;
  return std::nullopt;
}

void bind_number_reading(parser& options, io::number_reading& numbers)
{
  options.value("--from", [&](std::string const& text) {
    numbers.notation = static_cast<io::number_notation>(1 + index_of_choice("--from", text, notation_choices()));
  });
  options.value("--thousands", [&](std::string const& text) { numbers.thousands = separator_of("--thousands", text); });
  options.value("--decimal-point", [&](std::string const& text) {
    if (text != "," && text != ".") throw command_line_error("--decimal-point: '" + text + "' is neither , nor .");
    numbers.point = text[0];
  });
  options.values("--unit", [&](std::string const& text) {
    for (std::string& unit : units_of(text)) numbers.units.push_back(std::move(unit));
  });
}

void bind_number_style(parser& options, io::number_style& style)
{
  options.value("--precision", [&](std::string const& text) {
    style.precision = whole_number("--precision", text, 0, io::most_precision);
  });
  options.value("--to", [&](std::string const& text) {
    style.scale = static_cast<io::number_scale>(1 + index_of_choice("--to", text, scale_choices()));
  });
  options.value("--grouping", [&](std::string const& text) { style.thousands = separator_of("--grouping", text); });
}

void check_number_reading(io::number_reading const& numbers)
{
  if (numbers.thousands == std::string(1, numbers.point))
    throw command_line_error("--thousands and --decimal-point are both '" + numbers.thousands + "'");
  bool const times = numbers.rule == io::number_rule::instants || numbers.rule == io::number_rule::durations;
  if (times && (numbers.notation != io::number_notation::plain || numbers.point != '.' || !numbers.thousands.empty() ||
                !numbers.units.empty()))
    throw command_line_error(
        "--from, --thousands, --decimal-point and --unit are for numbers, not for --type time or duration");
  if (numbers.notation == io::number_notation::hexadecimal && (numbers.point != '.' || !numbers.thousands.empty()))
    throw command_line_error("--from hex reads integers without points and separators");
}

void complete_number_style(io::number_style& style, io::number_reading const& numbers)
{
  style.point = numbers.point;
  if (style.thousands == std::string(1, style.point))
    throw command_line_error("--grouping and the decimal point are both '" + style.thousands + "'");
  if (style.scale == io::number_scale::hexadecimal && !style.thousands.empty())
    throw command_line_error("--to hex has no groups of thousands: not with --grouping");
}

io::number_style style_for(operation op, io::number_style style)
{
  operation_kind const kind = kind_of(op);
  bool const is_place = kind == operation_kind::place || kind == operation_kind::rank;
  if (is_place || kind == operation_kind::number || kind == operation_kind::truth) style.precision.reset();
  return style;
}

}  // namespace tally::cli
