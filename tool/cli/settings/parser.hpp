#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tally/error.hpp>

#include "help/page.hpp"

namespace tally::cli {

/// A command line that makes no sense. The tool prints the message, points to --help and exits with 2.
class command_line_error : public error {
public:
  using error::error;
};

/// A whole number for an option, from `least` to `most`.
int whole_number(std::string_view option, std::string const& text, int least,
                 int most = std::numeric_limits<int>::max());

/// The options and arguments of one command. Each name is bound to a variable or a function; the names bound must be
/// exactly those on the command's page.
///
/// A value is the next word (`--threads 2`, `-o file`), whatever that looks like, or follows in the same word
/// (`--threads=2`, `-ofile`). One that may be left out follows in the same word (`--append=total`), and is empty if it
/// is left out. All words after `--`, the word `-`, and words without a hyphen in front are arguments.
class parser {
public:
  explicit parser(command_page const& page) : page_(page) {}

  /// A switch: sets `target` if it is given.
  void flag(std::string_view name, bool& target);
  /// An option with a value, given at most once.
  void value(std::string_view name, std::function<void(std::string const&)> take);
  void value(std::string_view name, std::string& target);
  void value(std::string_view name, std::optional<std::string>& target);
  /// An option with a value, given any number of times: `take` is called with each value in order.
  void values(std::string_view name, std::function<void(std::string const&)> take);
  /// An option whose value is one of the choices on its page: sets `target`, an enumeration or a number, to its index.
  template <class T>
  void choice(std::string_view name, T& target)
  {
    choose(name, [&target](std::size_t index) { target = static_cast<T>(index); });
  }
  template <class T>
  void choice(std::string_view name, std::optional<T>& target)
  {
    choose(name, [&target](std::size_t index) { target = static_cast<T>(index); });
  }
  /// An option whose value is a whole number from `least` to `most`.
  template <class T>
  void number(std::string_view name, T& target, int least, int most = std::numeric_limits<int>::max())
  {
    value(name,
          [=, &target](std::string const& text) { target = static_cast<T>(whole_number(name, text, least, most)); });
  }
  /// The arguments, in order.
  void arguments(std::string_view name, std::vector<std::string>& target);

  /// Throws `command_line_error` for an unknown option (naming the nearest), a missing value, an option given twice.
  /// Requires: every option of the page is bound.
  void parse(std::vector<std::string> const& words);

private:
  struct binding {
    option_page const* option;
    std::function<void(std::vector<std::string> const&)> take;
    std::vector<std::string> given = {};  ///< its values, or the arguments; an empty string for each switch
  };

  void bind(std::string_view name, std::function<void(std::vector<std::string> const&)> take);
  void choose(std::string_view name, std::function<void(std::size_t)> take);
  void require_every_option_bound() const;
  binding* find(std::string_view name);
  binding* arguments();
  std::vector<std::string> distribute(std::vector<std::string> const& words);

  command_page const& page_;
  std::vector<binding> bound_;
};

/// Whether --help or -h is among the words, before any "--".
bool asks_for_help(std::vector<std::string> const& words);

/// The elements of a list, which stand between commas, blanks, or both: "3,1 7" has three. An element is empty where
/// nothing stands before, between or behind commas, and an empty list has one empty element.
std::vector<std::string> list_elements(std::string_view list);

/// The index of `text` in the option's choices. If it is none of them, the error suggests the nearest or lists all.
std::size_t index_of_choice(std::string_view option, std::string const& text, std::vector<choice> const& choices);

}  // namespace tally::cli
