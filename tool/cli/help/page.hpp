#pragma once

#include <string>
#include <string_view>
#include <vector>

/// The pages of the tool's documentation. `--help`, the man pages, the completion scripts and the parser all read them,
/// so all know the same options.
///
/// Texts are plain paragraphs in which backticks mark code.
namespace tally::cli {

/// A value that an option can take, and its meaning.
struct choice {
  std::string_view name;
  std::string_view meaning;
};

/// The completions that a shell offers for the value.
enum class completes { nothing, files, choices };

struct option_page {
  std::string_view names;  ///< "-o,--output"; of an argument "FILE"
  std::string_view value;  ///< the name of its value in help; empty for a switch; "[NAME]" if it may be left out
  std::string_view text;
  completes complete = completes::nothing;
  std::vector<choice> choices = {};
};

struct option_group {
  std::string_view heading;
  std::vector<option_page> options;
};

struct section {
  std::string_view heading;
  std::vector<std::string_view> paragraphs;
};

struct example {
  std::string_view meaning;
  std::string_view command;
};

struct command_page {
  std::string_view name;  ///< "reduce", or "app pi"; empty for the tool as a whole
  std::string_view summary;
  std::string_view usage;
  std::vector<std::string_view> description;
  std::vector<option_group> options;
  std::vector<section> sections;
  std::vector<example> examples;
};

/// The function that `tally NAME` or `tally app NAME` runs.
struct command {
  command_page const& page;
  void (*run)(std::vector<std::string> const& words);  ///< with the words after the name
};

/// "--output" of "-o,--output"; "-h" where there is no long name.
std::string_view long_name(option_page const& option);
/// "-o" of "-o,--output"; empty where there is none.
std::string_view short_name(option_page const& option);
/// Whether it is an option, not an argument.
bool is_named(option_page const& option);
/// Whether its value may be the next word. A value that may be left out follows in the same word: --append=NAME.
bool takes_word(option_page const& option);
/// Its value as it stands behind its name: " FILE", "[=NAME]", or nothing.
std::string value_text(option_page const& option);
/// "tally-reduce" or "tally reduce", "tally-app-pi" or "tally app pi", or "tally" for the tool as a whole.
std::string full_name(command_page const& page, char separator);

/// The page for a terminal, in lines of at most `width` characters. It lists `commands`, the pages below it: the
/// commands of the tool, the applications of `app`, or none.
std::string help_text(command_page const& page, std::vector<command_page const*> const& commands, std::size_t width);
/// The page for man, as roff.
std::string manual_text(command_page const& page, std::vector<command_page const*> const& commands);
/// The parts of a manual page that pages of other sources share: its title and name, and the other pages.
std::string manual_begin(std::string_view name, std::string_view summary);
std::string manual_end(std::string_view name);
/// Text and code as roff.
std::string roff(std::string_view text);
std::string roff_code(std::string_view text);
/// The last word of its name: "pi" of "app pi".
std::string_view last_name(command_page const& page);
/// The completion script of a shell. Requires: "bash", "zsh" or "fish".
std::string completion_script(std::string_view shell, std::vector<command_page const*> const& commands);

}  // namespace tally::cli
