#include "explain/explanation.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "draw/html.hpp"
#include "imports.hpp"
#include "output/json.hpp"
#include "settings/parser.hpp"
#include "text.hpp"
#include "textbook/usual_identity.hpp"

/// The kernels of the textbook, by the tool's own code: what `tally explain` prints.
namespace tally::site {

namespace {
std::optional<cli::explanation> explained;
}

extern "C" {

/// Gives the kernels that there are, as JSON.
[[clang::export_name("list_kernels")]] void list_kernels()
{
  cli::json list = cli::json::array();
  for (textbook::kernel_entry const& each : textbook::catalogue())
    list.append({{"kernel", each.name},
                 {"title", each.title},
                 {"changes", each.changes},
                 {"source", each.source},
                 {"header", each.header},
                 {"most", each.most},
                 {"commutative", each.needs_commutative},
                 {"only", each.only ? cli::json(textbook::name_of(*each.only)) : cli::json(nullptr)}});
  give(list.line());
}

/// Runs a kernel. The given text has five lines, as the options of `tally explain`: KERNEL, n, --op, --input, and
/// "full" for --full-blocks; a line may be empty. An operation that is no word is an expression, which the page
/// evaluates; unlike the tool, the module does not look for laws that it breaks.
[[clang::export_name("explain")]] void explain()
{
  std::vector<std::string> words(1);
  for (char const c : given_text())
    if (c == '\n')
      words.emplace_back();
    else
      words.back() += c;
  words.resize(5);
  cli::explain_settings settings;
  settings.kernels = {words[0]};
  if (!words[1].empty()) {
    settings.n = std::atoi(words[1].c_str());
    if (*settings.n < 1 || *settings.n > cli::most_elements)
      throw cli::command_line_error("n is from 1 to " + std::to_string(cli::most_elements));
  }
  bool const is_word =
      words[2].size() > 1 && std::ranges::all_of(words[2], [](char c) { return c >= 'a' && c <= 'z'; });
  if (is_word)
    settings.op =
        static_cast<cli::kernel_operation>(cli::index_of_choice("--op", words[2], cli::kernel_operation_choices()));
  else if (!words[2].empty())
    settings.own = textbook::own_operator{words[2], page_combine, textbook::usual_identity(page_combine)};
  if (!words[3].empty()) settings.input = words[3];
  settings.full_blocks = words[4] == "full";
  explained.reset();
  explained.emplace(cli::explain(settings));
}

/// Gives the last explanation: as JSON, as the page that plays it, as a picture.
[[clang::export_name("explanation_json")]] void explanation_json()
{
  give(cli::json_text(*explained));
}

[[clang::export_name("explanation_page")]] void explanation_page()
{
  if (!explained->is_recorded())
    throw cli::command_line_error("Too much happens to be played: take fewer elements, " +
                                  std::to_string(cli::explanation::most_recorded) + " at most.");
  give(draw::draw_html({explained->kernel->title, cli::json_text(*explained), draw::sources_of(explained->run)}));
}
}

}  // namespace tally::site
