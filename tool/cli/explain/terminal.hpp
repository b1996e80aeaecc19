#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tally::cli {

/// How text is shown where it goes to.
struct terminal {
  bool colours = false;
  std::size_t width = 100;  ///< columns

  /// Of standard output: colours on a terminal, unless NO_COLOR is set or TERM is "dumb"; elsewhere `width` as it
  /// stands.
  static terminal of_standard_output();

  std::string bold(std::string_view text) const { return in("1", text); }
  std::string dim(std::string_view text) const { return in("2", text); }
  std::string changed(std::string_view text) const { return in("1;32", text); }
  std::string warning(std::string_view text) const { return in("33", text); }
  std::string fault(std::string_view text) const { return in("1;31", text); }

  /// Lines of at most `width` characters, whose words begin at column `indent`, where the first line is already.
  std::string wrapped(std::string_view text, std::size_t indent = 0) const;

private:
  std::string in(char const* code, std::string_view text) const;
};

}  // namespace tally::cli
