#include "help/recipes.hpp"

#include <algorithm>
#include <string_view>

#include "help/page.hpp"
#include "recipes_source.hpp"

namespace tally::cli {

namespace {

enum class part { title, heading, recipe, text, code, instead_of };

/// Calls f(part, line) for each line of the page but fences of code and empty lines between paragraphs. Before the code
/// of another program stands an `instead_of`.
template <class F>
void for_each_line(F f)
{
  std::string_view rest = recipes_source;
  bool code = false;
  while (!rest.empty()) {
    std::string_view const line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.starts_with("```")) {
      code = !code;
      if (code && line == "```awk") f(part::instead_of, line);
    } else if (code) {
      f(part::code, line);
    } else if (line.starts_with("### ")) {
      f(part::recipe, line.substr(4));
    } else if (line.starts_with("## ")) {
      f(part::heading, line.substr(3));
    } else if (line.starts_with("# ")) {
      f(part::title, line.substr(2));
    } else {
      f(part::text, line);
    }
  }
}

}  // namespace

std::string recipes_text()
{
  std::string out;
  part before = part::title;
  for_each_line([&](part is, std::string_view line) {
    std::string const text(line);
    if (is == part::heading || is == part::title) out += "\n" + text + "\n" + std::string(text.size(), '=') + "\n";
    if (is == part::recipe) out += "\n" + text + "\n\n";
    if (is == part::instead_of) out += "\n  instead of\n\n";
    if (is == part::code && before == part::text) out += "\n";
    if (is == part::code) out += line.empty() ? "\n" : "    " + text + "\n";
    if (is == part::text && !line.empty()) out += (before == part::text ? "" : "\n") + text + "\n";
    if (is != part::text || !line.empty()) before = is;
  });
  return out.substr(1);
}

std::string recipes_manual()
{
  std::string out = manual_begin("tally-recipes", "things that people ask for, each in one line");
  out += ".SH \"DESCRIPTION\"\n";
  bool inside = false;
  bool paragraph = false;
  for_each_line([&](part is, std::string_view line) {
    if (inside && is != part::code) out += ".fi\n.RE\n";
    if (!inside && is == part::code) out += ".PP\n.RS\n.nf\n";
    inside = is == part::code;
    if (is == part::text && !line.empty() && !paragraph) out += ".PP\n";
    paragraph = is == part::text && !line.empty();
    switch (is) {
      case part::title: break;
      case part::heading: out += ".SH \"" + roff(line) + "\"\n"; break;
      case part::recipe: out += ".SS \"" + roff(line) + "\"\n"; break;
      case part::instead_of: out += ".PP\nInstead of\n"; break;
      case part::code: out += roff_code(line) + "\n"; break;
      case part::text:
        if (!line.empty()) out += roff(line) + "\n";
        break;
    }
  });
  if (inside) out += ".fi\n.RE\n";
  return out + manual_end("tally-recipes");
}

}  // namespace tally::cli
