#include "io/text/skipped_lines.hpp"

#include <algorithm>
#include <string_view>

namespace tally::io {

bool skipped_lines::has(char const* begin, char const* end) const
{
  if (is_comment(begin, end)) return true;
  switch (also_) {
    case besides_comments::nothing: return false;
    case besides_comments::empty: return begin == end;
    case besides_comments::blank: break;
  }
  return std::all_of(begin, end, [](char c) { return c == ' ' || c == '\t'; });
}

std::size_t skipped_lines::before_data(char const* begin, char const* end, bool ended) const
{
  char const* at = begin;
  if (std::string_view(begin, static_cast<std::size_t>(end - begin)).starts_with("\xef\xbb\xbf")) at += 3;
  while (at < end) {
    char const* const next = behind_line(at, end);
    bool const whole = next[-1] == '\n';
    if (!whole && !ended) break;
    char const* stop = whole ? next - 1 : next;
    if (stop > at && stop[-1] == '\r') --stop;
    if (!has(at, stop)) break;
    at = next;
  }
  return static_cast<std::size_t>(at - begin);
}

}  // namespace tally::io
