#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tally/algorithms/lexer.hpp>
#include <tally/reduce.hpp>

#include "app/application.hpp"
#include "app/input.hpp"
#include "app/text_place.hpp"
#include "help/pages/pages.hpp"
#include "settings/parser.hpp"

namespace tally::cli {

namespace {

std::vector<choice> const& language_choices()
{
  static std::vector<choice> const all = {
      {"json", "JSON (RFC 8259)"},
      {"c", "C, C++, Java and others with their comments, strings and operators"},
  };
  return all;
}

command_page const& lex_page()
{
  static command_page const page = {
      .name = "app lex",
      .summary = "cut a text into tokens",
      .usage = "tally app lex [OPTION...] [FILE]",
      .description =
          {"Prints the tokens of a text, one a line: line, column, kind and the token itself, separated by tabs. In a "
           "token a line end is printed as `\\n`, a tab as `\\t`, a backslash as `\\\\`, and other control characters "
           "as `\\xHH`.",
           "All threads run the automaton of the language at once: each piece of the text is a function from states to "
           "states, and a scan composes these."},
      .options =
          {{"Input",
            {{"FILE", "", "The text; `-`, or none, is standard input.", completes::files},
             {"--language", "LANGUAGE",
              "The language; otherwise it follows from FILE's ending (.json; .c, .h, .cc, .cpp, .hpp, .cu, .cuh, "
              ".java).",
              completes::choices, language_choices()}}},
           {"Output",
            {{"--counts", "", "Print the number of tokens of each kind instead."},
             {"--keep-bad", "",
              "List text that is not a token of the language as tokens of the kind `bad`; otherwise the first is an "
              "error, and nothing is printed."},
             output_option(),
             help_option()}}},
      .sections = {exit_section()},
      .examples = {{"Is it JSON, as far as its tokens go?", "tally app lex --counts data.json"},
                   {"The identifiers of a program:",
                    "tally app lex main.c | awk -F '\\t' '$3 == \"identifier\" { print $4 }' | sort -u"}}};
  return page;
}

struct lexed_language {
  automaton const& tables;
  std::vector<std::string_view> kinds;
  std::uint8_t bad;
  std::string_view name;
};

lexed_language language_of(std::size_t index)
{
  if (index == 0) return {json_automaton(), {"punctuation", "string", "number", "word", "bad"}, 4, "JSON"};
  return {c_automaton(), {"operator", "identifier", "number", "string", "character", "comment", "bad"}, 6, "C"};
}

std::optional<std::size_t> language_of_name(std::string_view file)
{
  std::size_t const dot = file.rfind('.');
  if (dot == file.npos) return std::nullopt;
  std::string_view const ending = file.substr(dot);
  if (ending == ".json") return 0;
  for (std::string_view const c : {".c", ".h", ".cc", ".cpp", ".hpp", ".cu", ".cuh", ".java"})
    if (ending == c) return 1;
  return std::nullopt;
}

void append_shown(std::string& to, std::string_view text)
{
  for (char const c : text) {
    auto const value = static_cast<unsigned char>(c);
    if (c == '\n') {
      to += "\\n";
    } else if (c == '\t') {
      to += "\\t";
    } else if (c == '\\') {
      to += "\\\\";
    } else if (value < 0x20 || value == 0x7f) {
      char const* const digits = "0123456789abcdef";
      to += {'\\', 'x', digits[value / 16], digits[value % 16]};
    } else {
      to += c;
    }
  }
}

/// Throws an error about the first bad token, if there is one.
void refuse_bad(lexed_language const& language, token_list const& tokens, std::string_view text,
                std::string const& file)
{
  auto const bad_from = [bad = language.bad, first = tokens.begin(), n = tokens.size()](std::size_t k) {
    return first[k].kind() == bad ? k : n;
  };
  auto const in = elements_from(bad_from);
  std::size_t const first =
      tally::reduce(tally::cpu{}, in, in + static_cast<std::ptrdiff_t>(tokens.size()), tokens.size(), minimum{});
  if (first == tokens.size()) return;
  token const& bad = tokens[first];
  std::string found;
  constexpr std::size_t most = 40;
  append_shown(found, bad.in(text).substr(0, most));
  if (bad.end() - bad.begin() > most) found += "...";
  throw io::data_error(place_of(file, text, bad.begin()), "'" + found + "'",
                       "a token of " + std::string(language.name));
}

/// The number of tokens of each kind: a reduction.
std::string counted(lexed_language const& language, token_list const& tokens)
{
  using counts = std::array<std::uint64_t, 8>;
  auto const add = [](counts const& a, counts const& b) {
    counts sum;
    for (std::size_t kind = 0; kind < sum.size(); ++kind) sum[kind] = a[kind] + b[kind];
    return sum;
  };
  auto const one = [](token const& each) {
    counts count{};
    count[each.kind()] = 1;
    return count;
  };
  counts const all = tally::transform_reduce(tally::cpu{}, tokens.begin(), tokens.end(), counts{}, add, one);
  std::string text;
  for (std::size_t kind = 0; kind < language.kinds.size(); ++kind)
    if (kind != language.bad || all[kind] != 0)
      text += std::string(language.kinds[kind]) + '\t' + std::to_string(all[kind]) + '\n';
  return text;
}

std::string listed(lexed_language const& language, token_list const& tokens, std::string_view text)
{
  std::string lines;
  std::uint64_t line = 1;
  std::size_t begin = 0, at = 0;  // of the line; up to where lines are counted
  for (token const& each : tokens) {
    for (; at < each.begin(); ++at)
      if (text[at] == '\n') {
        ++line;
        begin = at + 1;
      }
    lines += std::to_string(line) + '\t' + std::to_string(each.begin() - begin + 1) + '\t';
    lines += std::string(language.kinds[each.kind()]) + '\t';
    append_shown(lines, each.in(text));
    lines += '\n';
  }
  return lines;
}

void run_lex(std::vector<std::string> const& words)
{
  std::vector<std::string> files;
  std::optional<std::size_t> language_index;
  std::string output = "-";
  bool counts = false, keep_bad = false;
  parser options(lex_page());
  options.arguments("FILE", files);
  options.choice("--language", language_index);
  options.flag("--counts", counts);
  options.flag("--keep-bad", keep_bad);
  bind_output(options, output);
  options.parse(words);
  if (files.size() > 1) throw command_line_error("app lex takes one file, not " + std::to_string(files.size()));
  std::string const file = files.empty() ? "-" : files[0];
  if (!language_index) language_index = language_of_name(file);
  if (!language_index)
    throw command_line_error("the language of " + name_of(file) +
                             " does not follow from its name; give --language json or c");

  lexed_language const language = language_of(*language_index);
  std::string const text = read_bytes(file, io::unpacking::by_first_bytes);
  token_list const tokens = tally::lex(tally::cpu{}, language.tables, text);
  if (!keep_bad) refuse_bad(language, tokens, text, file);
  write_text(output, counts ? counted(language, tokens) : listed(language, tokens, text));
}

}  // namespace

command lex_application()
{
  return {lex_page(), run_lex};
}

}  // namespace tally::cli
