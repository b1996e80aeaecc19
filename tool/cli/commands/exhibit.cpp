#include <string>
#include <string_view>
#include <vector>

#include "commands/commands.hpp"
#include "exhibit/text.hpp"
#include "help/pages/pages.hpp"
#include "help/suggestion.hpp"
#include "io/files/output.hpp"
#include "settings/parser.hpp"

namespace tally::cli {

namespace {

textbook::exhibit const& exhibit_named(std::string const& name)
{
  if (textbook::exhibit const* const found = textbook::find_exhibit(name)) return *found;
  std::vector<std::string_view> names;
  for (textbook::exhibit const& each : textbook::all_exhibits()) names.push_back(each.name);
  throw command_line_error("there is no exhibit '" + name + "'" + suggest(name, names));
}

}  // namespace

void run_exhibit(std::vector<std::string> const& words)
{
  std::vector<std::string> names;
  bool as_json = false;
  parser options(exhibit_page());
  options.arguments("NAME", names);
  options.flag("--json", as_json);
  options.parse(words);
  if (names.size() > 1) throw command_line_error("one exhibit at a time");
  terminal const to = terminal::of_standard_output();
  std::string const shown = names.empty() ? as_json ? json_of_exhibits() : list_of_exhibits(to)
                            : as_json ? json_text(exhibit_named(names[0]))
                                          : text(exhibit_named(names[0]), to);
  io::output out = io::output::standard_output();
  out.write(shown.data(), shown.size());
  out.commit();
}

}  // namespace tally::cli
