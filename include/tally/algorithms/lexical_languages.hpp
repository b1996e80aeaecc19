#pragma once

#include <cstdint>

#include "tally/algorithms/automaton.hpp"
#include "tally/detail/lexer/characters.hpp"

/// Two languages for lexer.hpp.
namespace tally {

enum class json_kind : std::uint8_t { punctuation, string, number, word, bad };

/// JSON (RFC 8259): punctuation, strings with their escapes, numbers, and true, false and null. Each run of other bytes
/// is a bad token, and so is a string that the end of its line cuts off. The order of the tokens is left to a parser.
struct json_language {
  // clang-format off
  enum state : int {
    outside, punctuation,
    string, escape, hex_1, hex_2, hex_3, hex_4, bad_string, bad_escape, closed,
    minus, zero, digits, point, fraction, exponent, sign, power,
    t, tr, then_e, f, fa, fal, n, nu, nul, word,
    bad,
    states
  };
  // clang-format on

  static constexpr json_kind kind_of(int s)
  {
    switch (s) {
      case punctuation: return json_kind::punctuation;
      case closed: return json_kind::string;
      case zero:
      case digits:
      case fraction:
      case power: return json_kind::number;
      case word: return json_kind::word;
      default: return json_kind::bad;
    }
  }
  static constexpr int kind(int s) { return s == outside ? outside_tokens : static_cast<int>(kind_of(s)); }

  static constexpr lexer_step step(int s, unsigned char c)
  {
    if (s >= string && s <= bad_escape) return in_string(s, c);
    int const to = continued(s, c);
    if (to != outside) return {to, false};
    return first(c);
  }

private:
  static constexpr bool is_blank(unsigned char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
  static constexpr bool is_punctuation(unsigned char c)
  {
    return c == '{' || c == '}' || c == '[' || c == ']' || c == ',' || c == ':';
  }

  static constexpr lexer_step first(unsigned char c)
  {
    if (is_blank(c)) return {outside, false};
    if (is_punctuation(c)) return {punctuation, true};
    switch (c) {
      case '"': return {string, true};
      case '-': return {minus, true};
      case '0': return {zero, true};
      case 't': return {t, true};
      case 'f': return {f, true};
      case 'n': return {n, true};
      default: return {detail::lexer::is_digit(c) ? digits : bad, true};
    }
  }

  static constexpr lexer_step in_string(int s, unsigned char c)
  {
    if (c == '\n') return {outside, false};
    bool const bad_so_far = s == bad_string || s == bad_escape || c < 0x20;
    if (s == escape && !bad_so_far) {
      bool const one_letter =
          c == '"' || c == '\\' || c == '/' || c == 'b' || c == 'f' || c == 'n' || c == 'r' || c == 't';
      return {one_letter ? string : c == 'u' ? hex_1 : bad_string, false};
    }
    if (s == bad_escape) return {bad_string, false};
    if (s >= hex_1 && s <= hex_4 && detail::lexer::is_hexadecimal(c)) return {s == hex_4 ? string : s + 1, false};
    bool const well = s == string && !bad_so_far;
    if (c == '"') return {well ? closed : bad, false};
    if (c == '\\') return {well ? escape : bad_escape, false};
    return {well ? string : bad_string, false};
  }

  /// The state in which the token goes on; `outside` if it ends before this byte.
  static constexpr int continued(int s, unsigned char c)
  {
    if (s == outside || s == punctuation || s == closed || is_blank(c) || is_punctuation(c) || c == '"') return outside;
    bool const digit = detail::lexer::is_digit(c);
    bool const e = c == 'e' || c == 'E';
    switch (s) {
      case minus: return c == '0' ? zero : digit ? digits : bad;
      case zero: return c == '.' ? point : e ? exponent : bad;
      case digits: return digit ? digits : c == '.' ? point : e ? exponent : bad;
      case point: return digit ? fraction : bad;
      case fraction: return digit ? fraction : e ? exponent : bad;
      case exponent: return c == '+' || c == '-' ? sign : digit ? power : bad;
      case sign:
      case power: return digit ? power : bad;
      case t: return c == 'r' ? tr : bad;
      case tr: return c == 'u' ? then_e : bad;
      case f: return c == 'a' ? fa : bad;
      case fa: return c == 'l' ? fal : bad;
      case fal: return c == 's' ? then_e : bad;
      case then_e: return c == 'e' ? word : bad;
      case n: return c == 'u' ? nu : bad;
      case nu: return c == 'l' ? nul : bad;
      case nul: return c == 'l' ? word : bad;
      default: return bad;
    }
  }
};

enum class c_kind : std::uint8_t { operators, identifier, number, string, character, comment, bad };

/// The tokens that C, C++, Java and similar languages share: identifiers and keywords, preprocessing numbers, strings
/// and characters with escapes, comments of both kinds, and the operators of C++ (longest match). A prefix of a string
/// (L"...") is a token of its own; raw strings are beyond finite automata. A string or character that the end of its
/// line cuts off is bad, and so is a comment that does not end.
struct c_language {
  // clang-format off
  enum state : int {
    outside, identifier, number, exponent,
    operator_done, then_equals, plus, minus, arrow, ampersand, bar, less, greater, less_equal, colon, point, two_points,
    slash, line_comment, line_escape, block_comment, star, comment_done,
    string, string_escape, string_done, character, character_escape, character_done,
    bad,
    states
  };
  // clang-format on

  static constexpr c_kind kind_of(int s)
  {
    if (s == identifier) return c_kind::identifier;
    if (s == number || s == exponent) return c_kind::number;
    if (s == string_done) return c_kind::string;
    if (s == character_done) return c_kind::character;
    if (s == line_comment || s == line_escape || s == comment_done) return c_kind::comment;
    if (s == two_points || s == block_comment || s == star || s >= string) return c_kind::bad;
    return c_kind::operators;
  }
  static constexpr int kind(int s) { return s == outside ? outside_tokens : static_cast<int>(kind_of(s)); }

  static constexpr lexer_step step(int s, unsigned char c)
  {
    switch (s) {
      case line_comment:
        return c == '\n' ? lexer_step{outside, false} : lexer_step{c == '\\' ? line_escape : line_comment, false};
      case line_escape: return {c == '\\' ? line_escape : line_comment, false};
      case block_comment: return {c == '*' ? star : block_comment, false};
      case star: return {c == '/' ? comment_done : c == '*' ? star : block_comment, false};
      case string:
      case character:
        if (c == '\n') return {outside, false};
        if (c == '\\') return {s == string ? string_escape : character_escape, false};
        if (s == string && c == '"') return {string_done, false};
        if (s == character && c == '\'') return {character_done, false};
        return {s, false};
      case string_escape: return {string, false};
      case character_escape: return {character, false};
      default: break;
    }
    int const to = continued(s, c);
    if (to != outside) return {to, false};
    return first(c);
  }

private:
  static constexpr bool is_name(unsigned char c)
  {
    return detail::lexer::is_letter(c) || c == '_' || c == '$' || c >= 0x80;
  }

  static constexpr lexer_step first(unsigned char c)
  {
    if (is_name(c)) return {identifier, true};
    if (detail::lexer::is_digit(c)) return {number, true};
    switch (c) {
      case ' ':
      case '\n':
      case '\t':
      case '\r':
      case '\v':
      case '\f':
      case '\\': return {outside, false};
      case '"': return {string, true};
      case '\'': return {character, true};
      case '/': return {slash, true};
      case '+': return {plus, true};
      case '-': return {minus, true};
      case '&': return {ampersand, true};
      case '|': return {bar, true};
      case '<': return {less, true};
      case '>': return {greater, true};
      case ':': return {colon, true};
      case '.': return {point, true};
      case '*':
      case '%':
      case '^':
      case '!':
      case '=': return {then_equals, true};
      case '(':
      case ')':
      case '[':
      case ']':
      case '{':
      case '}':
      case ',':
      case ';':
      case '?':
      case '~':
      case '#':
      case '@': return {operator_done, true};
      default: return {bad, true};
    }
  }

  static constexpr int continued(int s, unsigned char c)
  {
    bool const same_again =
        (s == plus && c == '+') || (s == ampersand && c == '&') || (s == bar && c == '|') || (s == colon && c == ':');
    switch (s) {
      case identifier: return is_name(c) || detail::lexer::is_digit(c) ? identifier : outside;
      case exponent:
        if (c == '+' || c == '-') return number;
        [[fallthrough]];
      case number:
        if (c == 'e' || c == 'E' || c == 'p' || c == 'P') return exponent;
        return is_name(c) || detail::lexer::is_digit(c) || c == '.' || c == '\'' ? number : outside;
      case then_equals: return c == '=' ? operator_done : outside;
      case plus:
      case ampersand:
      case bar: return same_again || c == '=' ? operator_done : outside;
      case colon: return same_again ? operator_done : outside;
      case minus: return c == '>' ? arrow : c == '-' || c == '=' ? operator_done : outside;
      case arrow: return c == '*' ? operator_done : outside;
      case less: return c == '<' ? then_equals : c == '=' ? less_equal : outside;
      case less_equal: return c == '>' ? operator_done : outside;
      case greater: return c == '>' ? then_equals : c == '=' ? operator_done : outside;
      case point:
        return detail::lexer::is_digit(c) ? number : c == '.' ? two_points : c == '*' ? operator_done : outside;
      case two_points: return c == '.' ? operator_done : outside;
      case slash: return c == '/' ? line_comment : c == '*' ? block_comment : c == '=' ? operator_done : outside;
      default: return outside;
    }
  }
};

/// The tables of a language, made once.
inline automaton const& json_automaton()
{
  static automaton const tables{json_language{}};
  return tables;
}
inline automaton const& c_automaton()
{
  static automaton const tables{c_language{}};
  return tables;
}

}  // namespace tally
