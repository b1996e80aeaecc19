// Lexical analysis against a loop over the bytes, on texts that are hard to cut into pieces.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../support/sizes.hpp"
#include "tally/algorithms/lexer.hpp"

namespace {

using tally::token;

/// The definition, without tables.
template <class Language>
std::vector<token> one_by_one(std::string_view text)
{
  std::vector<token> tokens;
  int state = 0;
  std::size_t begin = 0;
  auto const finish = [&](std::size_t end) {
    if (Language::kind(state) != tally::outside_tokens)
      tokens.emplace_back(begin, end, static_cast<std::uint8_t>(Language::kind(state)));
  };
  for (std::size_t k = 0; k < text.size(); ++k) {
    auto const [to, begins] = Language::step(state, static_cast<unsigned char>(text[k]));
    if (begins || Language::kind(to) == tally::outside_tokens) finish(k);
    if (begins) begin = k;
    state = to;
  }
  finish(text.size());
  return tokens;
}

template <class Language>
void expect_as_one_by_one(std::string_view text, std::string const& what)
{
  tally::automaton const tables{Language{}};
  std::vector<token> const expected = one_by_one<Language>(text);
  for (int const threads : {1, 3}) {
    auto const tokens = tally::lex(tally::cpu{threads}, tables, text);
    ASSERT_EQ(tokens.size(), expected.size()) << what << " on " << threads;
    for (std::size_t k = 0; k < expected.size(); ++k)
      ASSERT_EQ(tokens[k], expected[k]) << what << ", token " << k << " on " << threads;
    EXPECT_EQ(tally::count_tokens(tally::cpu{threads}, tables, text), expected.size()) << what;
  }
}

void expect_both(std::string_view text, std::string const& what)
{
  expect_as_one_by_one<tally::json_language>(text, what + ", json");
  expect_as_one_by_one<tally::c_language>(text, what + ", c");
}

template <class Kind>
using kinds_and_texts = std::vector<std::pair<Kind, std::string>>;

template <class Kind>
kinds_and_texts<Kind> lexed(tally::automaton const& language, std::string_view text)
{
  kinds_and_texts<Kind> all;
  for (token const& each : tally::lex(language, text))
    all.emplace_back(static_cast<Kind>(each.kind()), std::string(each.in(text)));
  return all;
}

TEST(lexer, json)
{
  using enum tally::json_kind;
  kinds_and_texts<tally::json_kind> const expected = {{punctuation, "{"}, {string, R"("a\u00e9\n\"")"},
                                                      {punctuation, ":"}, {number, "-0.5e+10"},
                                                      {punctuation, ","}, {string, R"("")"},
                                                      {punctuation, ":"}, {punctuation, "["},
                                                      {word, "true"},     {punctuation, ","},
                                                      {word, "false"},    {punctuation, ","},
                                                      {word, "null"},     {punctuation, ","},
                                                      {number, "0"},      {punctuation, ","},
                                                      {number, "120"},    {punctuation, "]"},
                                                      {punctuation, "}"}};
  EXPECT_EQ(lexed<tally::json_kind>(tally::json_automaton(),
                                    "{\"a\\u00e9\\n\\\"\":-0.5e+10 ,\"\":[true,false,\tnull,\n0,120]}\n"),
            expected);
}

TEST(lexer, what_is_no_json_is_bad)
{
  using enum tally::json_kind;
  for (std::string const text : {"01",          "1.",         "-",        "+1",       "1e",   "1e+",  ".5",  "0x1",
                                 "1_000",       "tru",        "truee",    "nulll",    "True", "'a'",  "\"a", "\"\\x\"",
                                 "\"\\u12g4\"", "\"\\u123\"", "\"\x01\"", "\"a\tb\"", "NaN",  "\xff", "\"\\"}) {
    kinds_and_texts<tally::json_kind> const expected = {{bad, text}};
    EXPECT_EQ(lexed<tally::json_kind>(tally::json_automaton(), text), expected) << text;
  }
  // A string ends with its line, and the next line is lexed as always.
  kinds_and_texts<tally::json_kind> const expected = {{bad, "\"open"}, {number, "1"}};
  EXPECT_EQ(lexed<tally::json_kind>(tally::json_automaton(), "\"open\n1"), expected);
}

TEST(lexer, c)
{
  using enum tally::c_kind;
  kinds_and_texts<tally::c_kind> const expected = {{identifier, "int"},
                                                   {identifier, "x_1"},
                                                   {operators, "="},
                                                   {number, "0x1p-3f"},
                                                   {operators, "<<="},
                                                   {number, ".5e+3"},
                                                   {operators, "->*"},
                                                   {operators, "..."},
                                                   {operators, "::"},
                                                   {operators, ":"},
                                                   {operators, "<=>"},
                                                   {operators, "<="},
                                                   {operators, "+"},
                                                   {operators, "++"},
                                                   {string, "\"a\\\"/*\""},
                                                   {character, "'\\''"},
                                                   {comment, "/* * / ** \n */"},
                                                   {operators, "/"},
                                                   {operators, "/="},
                                                   {comment, "// x \\\n y"},
                                                   {identifier, "z"},
                                                   {operators, "&&"},
                                                   {operators, "|"},
                                                   {operators, ">>="},
                                                   {operators, ">="}};
  EXPECT_EQ(lexed<tally::c_kind>(tally::c_automaton(),
                                 "int x_1=0x1p-3f<<=.5e+3->*...::: <=><= + ++\"a\\\"/*\"'\\''/* * / ** \n */"
                                 "/ /=// x \\\n y\nz&&|>>=>="),
            expected);
}

TEST(lexer, what_is_no_c_is_bad)
{
  using enum tally::c_kind;
  for (std::string const text : {"\"a", "'a", "/* a *", "/*", "`", "..", "\"\\"}) {
    kinds_and_texts<tally::c_kind> const expected = {{bad, text}};
    EXPECT_EQ(lexed<tally::c_kind>(tally::c_automaton(), text), expected) << text;
  }
}

/// Around words, rounds of steps, pieces and the pieces that a thread takes together.
std::vector<std::size_t> const sizes =
    tally::test::tidy({0,    1,    7,     8,     9,     63,    64,    65,     1023,   1024,   1025,   8191,
                       8192, 8193, 16384, 24575, 32767, 32768, 32769, 40'000, 65'536, 65'537, 100'003});

/// Texts in which most states stay what they are, all tokens are single bytes, or one token goes through all pieces.
TEST(lexer, texts_that_do_not_help)
{
  for (std::size_t const n : sizes) {
    for (char const c : {' ', '\n', 'a', '0', '"', '\\', '*', '/', ',', '\'', '+', '\xff'})
      expect_both(std::string(n, c), std::string(1, c) + " times " + std::to_string(n));
    if (n < 2) continue;
    expect_both("\"" + std::string(n - 2, 'a') + "\"", "one string of " + std::to_string(n));
    expect_both("/*" + std::string(n - 2, 'a'), "one comment of " + std::to_string(n));
    expect_both(std::string(n - 2, 'a') + "*/", "no comment of " + std::to_string(n));
  }
}

/// Every byte of these texts is once the first of a piece, and once the last.
TEST(lexer, pieces_end_anywhere)
{
  std::string const json = R"({"key \" \u00e9": [-1.5e+7, true], "k": null} )";
  std::string const c = "x+=y->*z;/* c */'\\''\"s\\\\\"// e \\\n f\n0x1p-3<<=.5...";
  for (std::size_t shift = 0; shift < 60; ++shift) {
    std::string a(shift, ' '), b(shift, ' ');
    while (a.size() < 33'000) a += json;
    while (b.size() < 33'000) b += c;
    expect_as_one_by_one<tally::json_language>(a, "shifted by " + std::to_string(shift));
    expect_as_one_by_one<tally::c_language>(b, "shifted by " + std::to_string(shift));
  }
}

TEST(lexer, random_texts)
{
  std::mt19937_64 random(1);
  std::vector<std::string> const alphabets = {"\"\\ a", "/*\" \n", "{}[],:\"\\u0e+-.truefalsn \n",
                                              "'\"\\/*\n xe.+-<>=&|:0"};
  for (int round = 0; round < 120; ++round) {
    std::string const& alphabet = alphabets[static_cast<std::size_t>(round) % alphabets.size()];
    std::string text(random() % 70'000, ' ');
    // Runs, so that some pieces are all alike.
    std::size_t const run = std::size_t{1} << random() % 12;
    for (std::size_t k = 0; k < text.size(); ++k)
      text[k] = k % run == 0        ? alphabet[random() % alphabet.size()]
                : random() % 4 == 0 ? alphabet[random() % alphabet.size()]
                                    : text[k - 1];
    expect_both(text, "round " + std::to_string(round));
  }
  for (int round = 0; round < 10; ++round) {
    std::string bytes(20'000, ' ');
    for (char& each : bytes) each = static_cast<char>(random());
    expect_both(bytes, "bytes " + std::to_string(round));
  }
}

/// Transitions compose in the order of the text, whatever the bracketing.
TEST(lexer, pieces_compose_associatively_and_do_not_commute)
{
  std::mt19937_64 random(2);
  tally::detail::lexer::transition_composition const op;
  auto const make = [&] {
    tally::detail::lexer::transitions piece{};
    for (std::size_t s = 0; s < tally::automaton::most_states; ++s) {
      piece.state[s] = static_cast<std::uint8_t>(random() % 32);
      piece.tokens[s] = random() % 10;
    }
    return piece;
  };
  auto const same = [](auto const& x, auto const& y) {
    for (std::size_t s = 0; s < tally::automaton::most_states; ++s)
      if (x.state[s] != y.state[s] || x.tokens[s] != y.tokens[s]) return false;
    return true;
  };
  bool commutes = true;
  for (int round = 0; round < 100; ++round) {
    auto const a = make(), b = make(), c = make();
    EXPECT_TRUE(same(op(op(a, b), c), op(a, op(b, c))));
    EXPECT_TRUE(same(op(a, op.identity()), a));
    EXPECT_TRUE(same(op(op.identity(), a), a));
    commutes = commutes && same(op(a, b), op(b, a));
  }
  EXPECT_FALSE(commutes);
}

struct leads_nowhere {
  static constexpr int states = 2;
  static tally::lexer_step step(int, unsigned char) { return {2, false}; }
  static int kind(int s) { return s == 0 ? tally::outside_tokens : 0; }
};
struct begins_outside {
  static constexpr int states = 1;
  static tally::lexer_step step(int, unsigned char) { return {0, true}; }
  static int kind(int) { return tally::outside_tokens; }
};
struct begins_nothing {
  static constexpr int states = 2;
  static tally::lexer_step step(int, unsigned char) { return {1, false}; }
  static int kind(int s) { return s == 0 ? tally::outside_tokens : 0; }
};
struct as_many_as_there_may_be {
  static constexpr int states = 32;
  static tally::lexer_step step(int, unsigned char c) { return {c % 31 + 1, true}; }
  static int kind(int s) { return s == 0 ? tally::outside_tokens : 0; }
};
struct classes_beyond {
  static constexpr int states = 32;
  static tally::lexer_step step(int s, unsigned char c) { return {s == 0 ? c % 31 + 1 : c / 31 + 1, true}; }
  static int kind(int s) { return s == 0 ? tally::outside_tokens : 0; }
};
struct in_a_token_from_the_start {
  static constexpr int states = 1;
  static tally::lexer_step step(int, unsigned char) { return {0, true}; }
  static int kind(int) { return 0; }
};

TEST(automaton, says_what_is_wrong_with_a_language)
{
  EXPECT_THROW(tally::automaton{leads_nowhere{}}, tally::usage_error);
  EXPECT_THROW(tally::automaton{begins_outside{}}, tally::usage_error);
  EXPECT_THROW(tally::automaton{begins_nothing{}}, tally::usage_error);
  EXPECT_THROW(tally::automaton{classes_beyond{}}, tally::usage_error);
  EXPECT_THROW(tally::automaton{in_a_token_from_the_start{}}, tally::usage_error);
  EXPECT_NO_THROW(tally::automaton{as_many_as_there_may_be{}});
  EXPECT_THROW((void)tally::lex(tally::cpu{-1}, tally::json_automaton(), "[1]"), tally::usage_error);
}

}  // namespace
