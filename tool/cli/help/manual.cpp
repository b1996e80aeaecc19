#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

#include <tally/config.hpp>

#include "help/page.hpp"

namespace tally::cli {

/// Text as roff. A backslash and a hyphen-minus are escaped, so that commands copy as typed; a control character at the
/// start of a line is guarded; `code` is bold.
std::string roff(std::string_view text)
{
  std::string out;
  bool bold = false;
  for (char const c : text) {
    if (c == '`') {
      bold = !bold;
      out += bold ? "\\fB" : "\\fR";
    } else if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (out.empty() && (c == '.' || c == '\'')) {
      out += "\\&";
      out += c;
    } else {
      out += c;
    }
  }
  return out;
}

/// Code as roff: no mark has a meaning in it.
std::string roff_code(std::string_view text)
{
  std::string marked(text);
  std::string out;
  for (std::size_t begin = 0;;) {
    std::size_t const mark = marked.find('`', begin);
    out += roff(std::string_view(marked).substr(begin, mark - begin));
    if (mark == marked.npos) return out;
    out += "\\(ga";
    begin = mark + 1;
  }
}

namespace {

std::string upper(std::string_view text)
{
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return out;
}

void append_heading(std::string& out, std::string_view heading)
{
  out += ".SH \"" + roff(upper(heading)) + "\"\n";
}

void append_paragraphs(std::string& out, std::vector<std::string_view> const& paragraphs)
{
  for (std::string_view const paragraph : paragraphs) out += ".PP\n" + roff(paragraph) + "\n";
}

/// A tagged paragraph: a term and what it means.
void append_entry(std::string& out, std::string const& term, std::string_view text)
{
  out += ".TP\n" + term + "\n" + roff(text) + "\n";
}

std::string roff_term(option_page const& option)
{
  std::string term;
  if (!short_name(option).empty()) term = "\\fB" + roff(short_name(option)) + "\\fR, ";
  std::string const font = is_named(option) ? "\\fB" : "\\fI";
  term += font + roff(long_name(option)) + "\\fR";
  std::string const value = value_text(option);
  if (!option.value.empty())
    term += (takes_word(option) ? " \\fI" : "\\fI") +
            roff(takes_word(option) ? option.value : std::string_view(value)) + "\\fR";
  return term;
}

void append_options(std::string& out, option_group const& group)
{
  append_heading(out, group.heading);
  for (option_page const& option : group.options) {
    append_entry(out, roff_term(option), option.text);
    if (option.choices.empty() || option.choices.front().meaning.empty()) continue;
    out += ".RS\n";
    for (choice const& each : option.choices) append_entry(out, "\\fB" + roff(each.name) + "\\fR", each.meaning);
    out += ".RE\n";
  }
}

std::string version()
{
  return std::to_string(TALLY_VERSION / 10000) + '.' + std::to_string(TALLY_VERSION / 100 % 100) + '.' +
         std::to_string(TALLY_VERSION % 100);
}

}  // namespace

std::string manual_begin(std::string_view name, std::string_view summary)
{
  std::string out = ".TH \"" + upper(name) + "\" \"1\" \"\" \"tally " + version() + "\" \"User Commands\"\n";
  out += ".nh\n.ad l\n";
  append_heading(out, "name");
  return out + roff(name) + " \\- " + roff(summary) + "\n";
}

std::string manual_end(std::string_view own)
{
  std::string out;
  append_heading(out, "see also");
  std::string others;
  for (std::string_view const name : {"tally", "tally-reduce", "tally-scan", "tally-bench", "tally-explain",
                                      "tally-compare", "tally-brent", "tally-exhibit", "tally-app", "tally-recipes"}) {
    if (name == own) continue;
    if (!others.empty()) others += ", ";
    others += "\\fB" + roff(name) + "\\fR(1)";
  }
  return out + others + "\n";
}

std::string manual_text(command_page const& page, std::vector<command_page const*> const& commands)
{
  std::string out = manual_begin(full_name(page, '-'), page.summary);
  append_heading(out, "synopsis");
  out += "\\fB" + roff(page.usage) + "\\fR\n";
  append_heading(out, "description");
  append_paragraphs(out, page.description);
  if (!commands.empty()) {
    append_heading(out, page.name.empty() ? "commands" : "applications");
    for (command_page const* command : commands)
      append_entry(out, "\\fB" + roff(last_name(*command)) + "\\fR", command->summary);
  }
  for (option_group const& group : page.options) append_options(out, group);
  for (section const& each : page.sections) {
    append_heading(out, each.heading);
    append_paragraphs(out, each.paragraphs);
  }
  if (!page.examples.empty()) append_heading(out, "examples");
  for (example const& each : page.examples) {
    out += ".PP\n" + roff(each.meaning) + "\n.PP\n.RS\n.nf\n" + roff(each.command) + "\n.fi\n.RE\n";
  }
  return out + manual_end(full_name(page, '-'));
}

}  // namespace tally::cli
