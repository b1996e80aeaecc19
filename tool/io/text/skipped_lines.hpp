#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <utility>

namespace tally::io {

/// Behind the message about a line that looks like a comment.
inline constexpr char const* option_for_comments = " (--comment '#' skips lines that begin with it)";

/// The lines of a text that hold no data: those that begin with the mark of comments, if there is one, and in tables
/// empty ones, or all that are blank.
class skipped_lines {
public:
  enum class besides_comments { nothing, empty, blank };

  skipped_lines(std::string mark, besides_comments also) : mark_(std::move(mark)), also_(also) {}

  bool has_mark() const { return !mark_.empty(); }

  /// Whether a line, or more that begins with one, is a comment.
  bool is_comment(char const* begin, char const* end) const
  {
    return has_mark() && static_cast<std::size_t>(end - begin) >= mark_.size() &&
           std::memcmp(begin, mark_.data(), mark_.size()) == 0;
  }

  /// Whether a line without its end is skipped.
  bool has(char const* begin, char const* end) const;

  /// The bytes of a text before its first line that holds data, a byte-order mark among them: all of them if there is
  /// none. A line whose end is not in the text counts if the text has `ended`.
  std::size_t before_data(char const* begin, char const* end, bool ended) const;

  /// Calls f(begin, end) with each stretch of the text between comments until it returns false. Quotes have no meaning.
  template <class F>
  void for_each_stretch(char const* begin, char const* end, F f) const
  {
    for (char const* from = begin; from < end;) {
      char const* to = has_mark() ? from : end;
      while (to < end && !is_comment(to, end)) to = behind_line(to, end);
      if (from < to && !f(from, to)) return;
      from = to < end ? behind_line(to, end) : end;
    }
  }

  /// The byte behind the line that begins there.
  static char const* behind_line(char const* begin, char const* end)
  {
    auto const* const newline =
        static_cast<char const*>(std::memchr(begin, '\n', static_cast<std::size_t>(end - begin)));
    return newline ? newline + 1 : end;
  }

private:
  std::string mark_;
  besides_comments also_;
};

}  // namespace tally::io
