#include "textbook/sources.hpp"

namespace tally::textbook {

std::string_view source_of(std::string_view header)
{
  constexpr std::string_view folder = "tally/textbook/";
  if (auto const found = header.rfind(folder); found != std::string_view::npos)
    header.remove_prefix(found + folder.size());
  for (source const& each : sources())
    if (each.header == header) return each.text;
  return {};
}

std::string_view line_of(std::string_view header, std::size_t number)
{
  std::string_view text = source_of(header);
  for (std::size_t k = 1; k < number && !text.empty(); ++k) {
    auto const end = text.find('\n');
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return text.substr(0, text.find('\n'));
}

}  // namespace tally::textbook
