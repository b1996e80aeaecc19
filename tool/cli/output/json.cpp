#include "output/json.hpp"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "table/row_format.hpp"

namespace tally::cli {

json::json(double value) : text_(nlohmann::json(value).dump()) {}

json::json(std::string_view text)
    : text_(nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace))
{
}

json::json(std::initializer_list<member> members) : text_("{}")
{
  for (member const& each : members) add(each.name, each.value);
}

json json::verbatim(std::string text)
{
  json made(nullptr);
  made.text_ = std::move(text);
  return made;
}

json json::three_decimals(double value)
{
  return verbatim(fmt::format("{:.3f}", value));
}

json json::number(result const& value, io::number_style const& style)
{
  std::string text = to_text(value, style);
  return is_json_number(text) ? verbatim(std::move(text)) : json(text);
}

void json::insert(std::string const& text)
{
  char const bracket = text_.back();
  text_.pop_back();
  if (text_.size() > 1) text_ += ',';
  text_ += text;
  text_ += bracket;
}

}  // namespace tally::cli
