/// A user-defined language, lexed in parallel: words, numbers and blanks; all other bytes are bad.
#include <cstdio>
#include <string_view>

#include <tally/algorithms/lexer.hpp>

struct notes {
  enum state { blank, word, number, unknown, states };

  /// The next state after a byte, and whether a token begins with it.
  static tally::lexer_step step(int from, unsigned char byte)
  {
    int const to = byte == ' ' || byte == '\n'      ? blank
                   : byte >= 'a' && byte <= 'z'     ? word
                   : byte < '0' || byte > '9'       ? unknown
                   : from == word || from == number ? from
                                                    : number;
    return {to, to != blank && to != from};
  }
  static int kind(int state) { return state == blank ? tally::outside_tokens : state; }
};

int main()
{
  std::string_view const text = "scan4 adds up 1024\nreduce + 3";
  tally::automaton const language{notes{}};

  char const* const names[] = {"", "word", "number", "bad"};
  for (tally::token const& each : tally::lex(tally::cpu{}, language, text))
    std::printf("%2llu %-6s %.*s\n", static_cast<unsigned long long>(each.begin()), names[each.kind()],
                static_cast<int>(each.in(text).size()), each.in(text).data());
}
