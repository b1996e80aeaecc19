#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tally::cli {

/// The width of the output, and whether it shows colours.
struct terminal {
  bool colours = false;
  std::size_t width = 100;  ///< columns

  /// The properties of standard output. A terminal has colours unless NO_COLOR is set or TERM is "dumb"; anything else
  /// has the default width.
  static terminal of_standard_output();

  std::string bold(std::string_view text) const { return in("1", text); }
  std::string dim(std::string_view text) const { return in("2", text); }
  std::string changed(std::string_view text) const { return in("1;32", text); }
  std::string warning(std::string_view text) const { return in("33", text); }
  std::string fault(std::string_view text) const { return in("1;31", text); }

  /// The words in lines of at most `width` characters that begin at column `indent`, except for the first, which is
  /// there already.
  std::string wrapped(std::string_view text, std::size_t indent = 0) const;

private:
  std::string in(char const* code, std::string_view text) const;
};

}  // namespace tally::cli
