#include "draw/html.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace tally::draw {

namespace {

std::string as_text(std::string_view text)
{
  std::string result;
  for (char const c : text) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      default: result += c;
    }
  }
  return result;
}

/// JSON for a script element. The browser ends the element at "</script", and reads it differently after "<!--". In
/// JSON a `<` occurs only in strings, where it can be written as an escape.
std::string in_script(std::string_view json)
{
  std::string result;
  for (char const c : json) {
    if (c == '<')
      result += "\\u003c";
    else
      result += c;
  }
  return result;
}

std::string json_string(std::string_view text)
{
  std::string result = "\"";
  for (char const c : text) {
    auto const code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (code < 0x20) {
      std::array<char, 8> escaped{};
      std::snprintf(escaped.data(), escaped.size(), "\\u%04x", code);
      result += escaped.data();
    } else {
      result += c;
    }
  }
  result += '"';
  return result;
}

std::string json_of(std::vector<textbook::source> const& sources)
{
  std::string result = "{";
  for (textbook::source const& each : sources) {
    if (result.size() > 1) result += ',';
    result += json_string(each.header);
    result += ':';
    result += json_string(each.text);
  }
  result += '}';
  return result;
}

}  // namespace

std::string draw_html(played const& what)
{
  struct filling {
    std::string_view mark;
    std::string text;
  };
  std::array const all = {filling{"@title@", as_text(what.title)}, filling{"@run@", in_script(what.run)},
                          filling{"@sources@", in_script(json_of(what.sources))}};
  std::string result;
  std::string_view rest = page_template();
  while (!rest.empty()) {
    std::size_t const at = std::min(rest.find('@'), rest.size());
    result += rest.substr(0, at);
    rest.remove_prefix(at);
    auto const found = std::find_if(all.begin(), all.end(), [&](filling const& f) { return rest.starts_with(f.mark); });
    if (found != all.end()) {
      result += found->text;
      rest.remove_prefix(found->mark.size());
    } else if (!rest.empty()) {
      result += rest.front();
      rest.remove_prefix(1);
    }
  }
  return result;
}

std::vector<textbook::source> sources_of(recording const& run)
{
  std::vector<textbook::source> result;
  std::vector<char const*> seen;
  auto const add = [&](model::place const& where) {
    if (std::find(seen.begin(), seen.end(), where.file) != seen.end()) return;
    seen.push_back(where.file);
    std::string_view const text = textbook::source_of(where.file);
    auto const known = [&](textbook::source const& each) { return each.text.data() == text.data(); };
    if (text.empty() || std::any_of(result.begin(), result.end(), known)) return;
    auto const all = textbook::sources();
    result.push_back(*std::find_if(all.begin(), all.end(), known));
  };
  for (phase const& each : run.phases()) {
    add(each.where);
    for (act const& one : each.acts) add(one.where);
  }
  return result;
}

}  // namespace tally::draw
