#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "values.hpp"

namespace tally::cli {

/// A JSON value, kept as its text; objects keep the order of their members.
///
/// It is not nlohmann::json, which has no numbers of 128 bits, of float, or of three decimals.
class json {
public:
  struct member;

  json(std::nullptr_t) : text_("null") {}
  json(bool value) : text_(value ? "true" : "false") {}
  template <std::integral T>
  json(T value) : text_(std::to_string(value))
  {
  }
  json(double value);
  /// A string. Bytes that are not UTF-8 become U+FFFD.
  json(std::string_view text);
  json(std::string const& text) : json(std::string_view(text)) {}
  json(char const* text) : json(std::string_view(text)) {}
  template <class T>
  json(std::vector<T> const& elements) : text_("[]")
  {
    for (T const& each : elements) append(each);
  }
  /// An object: {{"n", 8}, {"op", "sum"}}.
  json(std::initializer_list<member> members);

  static json array() { return verbatim("[]"); }
  static json object() { return verbatim("{}"); }
  /// A value whose JSON text is given.
  static json verbatim(std::string text);
  static json three_decimals(double value);
  /// A number in a style, in full if there is none; a string where JSON has no such number: "nan", "inf", "1.5K".
  static json number(result const& value, io::number_style const& style = {});

  /// Appends an element to an array.
  void append(json const& element) { insert(element.text_); }
  /// Appends a member to an object.
  void add(std::string_view name, json const& value) { insert(json(name).text_ + ':' + value.text_); }

  std::string const& text() const { return text_; }
  /// The text with a line end.
  std::string line() const { return text_ + '\n'; }

private:
  void insert(std::string const& text);

  std::string text_;
};

struct json::member {
  std::string_view name;
  json value;
};

}  // namespace tally::cli
