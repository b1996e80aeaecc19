#include <algorithm>
#include <string>
#include <string_view>

#include "help/page.hpp"

namespace tally::cli {

namespace {

constexpr std::size_t text_column = 26;

/// Backticks mark code in the source of a page; a terminal shows the code alone.
std::string plain(std::string_view text)
{
  std::string out(text);
  std::erase(out, '`');
  return out;
}

/// Appends `text` in lines of at most `width` characters. The first word goes where the current line ends; later
/// lines begin at column `indent`.
void append_wrapped(std::string& out, std::string_view text, std::size_t indent, std::size_t width)
{
  std::string const words = plain(text);
  std::size_t const newline = out.rfind('\n');
  std::size_t column = out.size() - (newline == std::string::npos ? 0 : newline + 1);
  bool first = true;
  for (std::size_t begin = 0; begin < words.size();) {
    std::size_t end = words.find(' ', begin);
    if (end == std::string::npos) end = words.size();
    std::size_t const length = end - begin;
    if (!first && column + 1 + length > width) {
      out += '\n';
      out.append(indent, ' ');
      column = indent;
    } else if (!first) {
      out += ' ';
      ++column;
    }
    out.append(words, begin, length);
    column += length;
    first = false;
    begin = end + 1;
  }
  out += '\n';
}

/// A term at column `indent` and its text at `text_column`. A term that is too long has a line of its own.
void append_entry(std::string& out, std::size_t indent, std::string_view term, std::string_view text, std::size_t width)
{
  out.append(indent, ' ');
  out += term;
  std::size_t column = indent + term.size();
  if (column + 2 > text_column) {
    out += '\n';
    column = 0;
  }
  out.append(text_column - column, ' ');
  append_wrapped(out, text, text_column, width);
}

std::string term_of(option_page const& option)
{
  std::string term;
  if (is_named(option)) {
    std::string_view const letter = short_name(option);
    term = letter.empty() ? "    " : std::string(letter) + ", ";
  }
  return (term += long_name(option)) += value_text(option);
}

void append_options(std::string& out, option_group const& group, std::size_t width)
{
  out += '\n';
  out += group.heading;
  out += ":\n";
  for (option_page const& option : group.options) {
    append_entry(out, 2, term_of(option), option.text, width);
    std::size_t longest = 0;
    for (choice const& each : option.choices) longest = std::max(longest, each.name.size());
    for (choice const& each : option.choices) {
      if (each.meaning.empty()) continue;  // the text above names it
      out.append(text_column + 2, ' ');
      out += each.name;
      out.append(longest + 2 - each.name.size(), ' ');
      append_wrapped(out, each.meaning, text_column + longest + 4, width);
    }
  }
}

}  // namespace

std::string help_text(command_page const& page, std::vector<command_page const*> const& commands, std::size_t width)
{
  std::string out = full_name(page, ' ') + " - ";
  append_wrapped(out, page.summary, 2, width);
  out += "\nUsage: ";
  out += page.usage;
  out += '\n';
  for (std::string_view const paragraph : page.description) {
    out += '\n';
    append_wrapped(out, paragraph, 0, width);
  }
  if (!commands.empty()) {
    out += page.name.empty() ? "\nCommands:\n" : "\nApplications:\n";
    for (command_page const* command : commands) append_entry(out, 2, last_name(*command), command->summary, width);
  }
  for (option_group const& group : page.options) append_options(out, group, width);
  for (section const& each : page.sections) {
    out += '\n';
    out += each.heading;
    out += ":\n";
    for (std::string_view const paragraph : each.paragraphs) {
      out += "  ";
      append_wrapped(out, paragraph, 2, width);
    }
  }
  if (!page.examples.empty()) out += "\nExamples:\n";
  for (example const& each : page.examples) {
    out += "  ";
    append_wrapped(out, each.meaning, 2, width);
    out += "    ";
    out += each.command;
    out += '\n';
  }
  return out;
}

}  // namespace tally::cli
