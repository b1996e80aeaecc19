#pragma once

#include <string>
#include <string_view>

#include "io/numbers/reading.hpp"

namespace tally::io {

/// A token with the readable bytes before it that `decode` needs.
class padded_token {
public:
  explicit padded_token(std::string_view token) : text_(std::string(front_padding, ' ').append(token)) {}
  char const* begin() const { return text_.data() + front_padding; }
  char const* end() const { return text_.data() + text_.size(); }

private:
  std::string text_;
};

/// Whether the text is a number of any kind, written as `how` says.
inline bool is_number(std::string_view text, number_reading const& how)
{
  if (text.empty()) return false;
  padded_token const token(text);
  number_form form;
  token_value const value =
      how.plain() ? decode(token.begin(), token.end()) : decode(token.begin(), token.end(), how, form);
  return value.kind != token_kind::garbage;
}

}  // namespace tally::io
