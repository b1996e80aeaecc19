#include "app/condition.hpp"

#include <utility>

#include "io/errors.hpp"
#include "settings/parser.hpp"

namespace tally::cli {

namespace {

std::string_view trimmed(std::string_view text)
{
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

}  // namespace

condition::condition(std::string const& text)
{
  constexpr std::string_view joint = " and ";
  std::string_view rest = text;
  for (std::size_t at = rest.find(joint); at != rest.npos; at = rest.find(joint)) {
    all_.push_back(parse(text, trimmed(rest.substr(0, at))));
    rest.remove_prefix(at + joint.size());
  }
  all_.push_back(parse(text, trimmed(rest)));
}

condition::comparison condition::parse(std::string const& text, std::string_view one) const
{
  static constexpr std::pair<std::string_view, relation> relations[] = {
      {"<=", relation::at_most}, {">=", relation::at_least}, {"!=", relation::different}, {"==", relation::equal},
      {"<", relation::less},     {">", relation::greater},   {"=", relation::equal},
  };
  auto const wrong = [&](std::string const& what) {
    return command_line_error("--where '" + text + "': " + what + "; expected comparisons such as 'x > 3 and x <= 10'");
  };
  if (!one.empty() && one.front() == 'x') one = trimmed(one.substr(1));
  for (auto const& [sign, with] : relations) {
    if (!one.starts_with(sign)) continue;
    std::string_view const number = trimmed(one.substr(sign.size()));
    try {
      return {with, io::parse_number(number, "--where")};
    } catch (io::data_error const&) {
      throw wrong("'" + std::string(number) + "' is no number");
    }
  }
  throw wrong("'" + std::string(one) + "' begins with none of < <= > >= == !=");
}

}  // namespace tally::cli
