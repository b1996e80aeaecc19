#pragma once

#include <string>
#include <string_view>
#include <vector>

/// What the tool says about itself. `--help`, the man pages, the completion scripts and the parser itself all read
/// these pages, so none of them can know an option that another does not.
///
/// Texts are plain paragraphs in which `...` marks what is typed as it stands.
namespace tally::cli {

/// A value that an option can take, and what it means.
struct choice {
  std::string_view name;
  std::string_view meaning;
};

/// What a shell should offer where the value stands.
enum class completes { nothing, files, choices };

struct option_page {
  std::string_view names;  ///< "-o,--output"; for what is not an option but stands alone: "FILE"
  std::string_view value;  ///< how help names its value; empty for a switch
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

/// "--output" of "-o,--output"; "-h" where there is no long name.
std::string_view long_name(option_page const& option);
/// "-o" of "-o,--output"; empty where there is none.
std::string_view short_name(option_page const& option);
/// Whether it is given by a name, not by its place.
bool is_named(option_page const& option);
/// "tally-reduce" or "tally reduce", "tally-app-pi" or "tally app pi", or "tally" for the tool as a whole.
std::string full_name(command_page const& page, char separator);

/// The page as a terminal shows it, in lines of at most `width` characters. It lists `commands`, which are below it:
/// those of the tool as a whole, the applications of `app`, or none.
std::string help_text(command_page const& page, std::vector<command_page const*> const& commands, std::size_t width);
/// The page as roff, for man.
std::string manual_text(command_page const& page, std::vector<command_page const*> const& commands);
/// The last word of its name: "pi" of "app pi".
std::string_view last_name(command_page const& page);
/// The completion script of a shell: "bash", "zsh" or "fish". Requires: it is one of these.
std::string completion_script(std::string_view shell, std::vector<command_page const*> const& commands);

}  // namespace tally::cli
