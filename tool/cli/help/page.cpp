#include "help/page.hpp"

#include <algorithm>

namespace tally::cli {

std::string_view long_name(option_page const& option)
{
  std::size_t const comma = option.names.find(',');
  return comma == std::string_view::npos ? option.names : option.names.substr(comma + 1);
}

std::string_view short_name(option_page const& option)
{
  std::size_t const comma = option.names.find(',');
  return comma == std::string_view::npos ? std::string_view{} : option.names.substr(0, comma);
}

bool is_named(option_page const& option)
{
  return option.names.starts_with('-');
}

bool takes_word(option_page const& option)
{
  return !option.value.empty() && !option.value.starts_with('[');
}

std::string value_text(option_page const& option)
{
  if (option.value.empty()) return {};
  std::string text = takes_word(option) ? " " : "[=";
  return text.append(option.value, takes_word(option) ? 0 : 1);
}

std::string_view last_name(command_page const& page)
{
  return page.name.substr(page.name.rfind(' ') + 1);  // all of it if there is no blank
}

std::string full_name(command_page const& page, char separator)
{
  std::string name = "tally";
  if (!page.name.empty()) {
    name += separator;
    name += page.name;
    std::replace(name.begin(), name.end(), ' ', separator);
  }
  return name;
}

}  // namespace tally::cli
