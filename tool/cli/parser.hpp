#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <tally/error.hpp>

#include "page.hpp"

// CLI11 is known to parser.cpp alone: its header takes 7 s to compile.
namespace CLI {
class App;
}

namespace tally::cli {

/// What was typed cannot be meant: the tool says so, points to --help and exits with 2.
class command_line_error : public error {
public:
  using error::error;
};

/// How often an option may be given.
enum class times { once, any };

/// The options of one command, as its page lists them. Every name bound here must be on the page, and the other way
/// round.
class parser {
public:
  explicit parser(command_page const& page);
  ~parser();

  /// A switch: sets `target` when given.
  void flag(std::string_view name, bool& target);
  /// An option with a value: `take` is called with every value that is given, in order.
  void value(std::string_view name, times allowed, std::function<void(std::string const&)> take);
  /// What stands alone, in order.
  void arguments(std::string_view name, std::vector<std::string>& target);

  /// Throws `command_line_error` for an unknown option (naming the nearest), a missing value, an option given twice.
  /// Requires: every option of the page is bound.
  void parse(std::vector<std::string> const& words);

private:
  option_page const& find(std::string_view name);
  void check(std::vector<std::string> const& words) const;

  command_page const& page_;
  std::unique_ptr<CLI::App> app_;
  std::vector<std::string> bound_ = {"--help"};  // asked for before anything is parsed
};

/// Whether --help or -h is among the words, before any "--".
bool asks_for_help(std::vector<std::string> const& words);

/// A whole number for an option, from `least` to `most`.
int whole_number(std::string_view option, std::string const& text, int least,
                 int most = std::numeric_limits<int>::max());

/// The elements of a list, which stand between commas, blanks, or both: "3,1 7" has three. There is an empty one where
/// nothing stands before, between or behind commas, and in an empty list.
std::vector<std::string> list_elements(std::string_view list);

/// The index of `text` in the option's choices; where it is none, the error lists or suggests them.
std::size_t chosen(std::string_view option, std::string const& text, std::vector<choice> const& choices);

}  // namespace tally::cli
