// Lexical analysis of JSON and of C beside lexers that read the text byte by byte:
//   build/bench/algorithms/tally_bench_lexer
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "bench/algorithms/rounds.hpp"
#include "tally/algorithms/lexer.hpp"

namespace {

using tally::token;

std::string json_of(std::size_t size, bool pretty)
{
  std::mt19937_64 random(1);
  std::string const line = pretty ? "\n    " : "";
  std::string text = "[";
  while (text.size() < size) {
    text += line + "{\"id\":" + (pretty ? " " : "") + std::to_string(random() % 1'000'000) + "," + line +
            "\"name\":" + (pretty ? " " : "") + "\"item \\\"" + std::string(random() % 40, 'x') + "\\\" of it\"," +
            line + "\"at\":[" + std::to_string(static_cast<double>(random() % 10000) * 0.01) + "," +
            (pretty ? " " : "") + std::to_string(random() % 100) + "]," + line +
            "\"fine\":" + (random() % 2 ? "true" : "false") + "},";
  }
  text.resize(size, ' ');
  return text;
}

std::string c_of(std::size_t size)
{
  std::mt19937_64 random(2);
  std::string text;
  while (text.size() < size) {
    std::string const k = std::to_string(random() % 1000);
    text += "/* what function_" + k + " does\n   is this. */\nstatic int function_" + k +
            "(int const* values, size_t n)\n{\n  for (size_t k = 0; k < n; ++k) {\n" + "    if (values[k] >= 0x" + k +
            " && k != " + k + "u) total += values[k] * 2;  // twice\n    puts(\"value \\\"" +
            std::string(random() % 30, 'y') + "\\\"\\n\");\n  }\n  return total;\n}\n\n";
  }
  text.resize(size, ' ');
  return text;
}

/// Steps the same automaton, byte by byte.
std::size_t by_tables(tally::automaton const& language, std::string_view text, token* to)
{
  std::uint8_t state = 0;
  std::size_t begin = 0;
  token* next = to;
  for (std::size_t k = 0; k < text.size(); ++k) {
    std::uint8_t const after = language.step(state, static_cast<unsigned char>(text[k]));
    bool const begins = (after & tally::automaton::begins_token) != 0;
    if (begins || (after & tally::automaton::in_token) == 0) {
      if (state & tally::automaton::in_token) *next++ = token(begin, k, language.kind(state));
      begin = k;
    }
    state = after;
  }
  if (state & tally::automaton::in_token) *next++ = token(begin, text.size(), language.kind(state));
  return static_cast<std::size_t>(next - to);
}

/// A lexer by hand: a switch on the first byte and a loop for each kind. It checks less than the automaton: neither
/// escapes nor numbers.
std::size_t json_by_hand(std::string_view text, token* to)
{
  using enum tally::json_kind;
  char const* const begin = text.data();
  char const* const end = begin + text.size();
  token* next = to;
  for (char const* at = begin; at < end;) {
    char const* const first = at;
    tally::json_kind kind = bad;
    switch (*at++) {
      case ' ':
      case '\n':
      case '\t':
      case '\r': continue;
      case '{':
      case '}':
      case '[':
      case ']':
      case ',':
      case ':': kind = punctuation; break;
      case '"':
        while (at < end && *at != '"' && *at != '\n') at += *at == '\\' ? 2 : 1;
        kind = string;
        ++at;
        break;
      case 't':
      case 'f':
      case 'n':
        while (at < end && *at >= 'a' && *at <= 'z') ++at;
        kind = word;
        break;
      default:
        while (at < end &&
               ((*at >= '0' && *at <= '9') || *at == '.' || *at == 'e' || *at == 'E' || *at == '+' || *at == '-'))
          ++at;
        kind = number;
    }
    *next++ = token(static_cast<std::uint64_t>(first - begin), static_cast<std::uint64_t>(at - begin),
                    static_cast<std::uint8_t>(kind));
  }
  return static_cast<std::size_t>(next - to);
}

void lex(std::string const& what, tally::automaton const& language, std::string const& text, bool json)
{
  std::size_t const count = tally::count_tokens(language, text);
  tally::bench::rounds rounds(what + ", " + std::to_string(count) + " tokens", text.size(), text.size());
  // The memory has been written to before; else the measurement would be of the system, which clears the pages.
  tally::token_list tokens;
  tokens.resize_for_overwrite(count + 1);
  std::fill_n(tokens.data(), count + 1, token(0, 0, 0));
  if (json) rounds.add("by hand", [&] { tally::bench::expect(json_by_hand(text, tokens.data()) <= count + 1); });
  rounds.add("the same tables, byte by byte",
             [&] { tally::bench::expect(by_tables(language, text, tokens.data()) == count); });
  for (int const threads : {1, 0}) {
    rounds.add(threads == 1 ? "tally::lex, cpu{1}" : "tally::lex, cpu{}", [&, threads] {
      tally::lex(tally::cpu{threads}, language, text, tokens);
      tally::bench::expect(tokens.size() == count);
    });
  }
  rounds.add("tally::count_tokens, cpu{1}",
             [&] { tally::bench::expect(tally::count_tokens(tally::cpu{1}, language, text) == count); });
  rounds.add("tally::count_tokens, cpu{}",
             [&] { tally::bench::expect(tally::count_tokens(tally::cpu{}, language, text) == count); });
  rounds.run(text.size() > (1u << 24) ? 3 : 25);
}

}  // namespace

int main()
{
  for (std::size_t const size : {std::size_t{1} << 20, std::size_t{100'000'000}}) {
    lex("JSON without blanks", tally::json_automaton(), json_of(size, false), true);
    lex("JSON in lines", tally::json_automaton(), json_of(size, true), true);
    lex("C", tally::c_automaton(), c_of(size), false);
  }
  lex("blanks", tally::c_automaton(), std::string(std::size_t{1} << 24, ' '), false);
}
