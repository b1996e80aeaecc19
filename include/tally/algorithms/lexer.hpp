#pragma once

#include <cstddef>
#include <string_view>

#include "tally/algorithms/automaton.hpp"
#include "tally/algorithms/lexical_languages.hpp"
#include "tally/algorithms/token.hpp"
#include "tally/detail/lexer/lexed_text.hpp"
#include "tally/execution.hpp"

/// Lexical analysis in parallel: runs a finite automaton by a scan of its transitions under composition.
namespace tally {

/// The number of tokens of a text.
///
/// Costs about half as much as `lex`; as `lex` otherwise.
template <execution P>
[[nodiscard]] std::size_t count_tokens(P const& on, automaton const& language, std::string_view text)
{
  return detail::lexer::lexed_text<P>(on, language, text).tokens();
}
[[nodiscard]] inline std::size_t count_tokens(automaton const& language, std::string_view text)
{
  return tally::count_tokens(cpu{}, language, text);
}

/// The tokens of a text, in its order: those that `language` finds byte by byte from state 0.
///
///     tokens = lex([on,] language, text)
///     lex(on, language, text, tokens)             reuses the memory of `tokens` where it is large enough
///
/// Requires  a text of less than 2^56 bytes.
/// Result    the tokens; the same for every number of threads. A token that the end of the text cuts off has the kind of
///           the state in which it ends.
/// Cost      each byte is read twice, O(n/p + log p) on p threads: first the transitions of each piece of 8 KiB from
///           every state, then, after a scan of them under composition, the tokens of each piece from the state in which
///           it begins. A piece in which more than two states never become the same costs a step a byte for each.
/// Memory    16 bytes a token; during the call 4 per cent of the text's size.
/// Blocks    until all tokens are there.
/// Throws    usage_error; std::bad_alloc.
/// Source    Ladner & Fischer (1980); Hillis & Steele (1986); Mytkowicz, Musuvathi & Schulte (2014) for states that
///           become the same.
template <execution P>
void lex(P const& on, automaton const& language, std::string_view text, token_list& tokens)
{
  detail::lexer::lexed_text<P> const all(on, language, text);
  tokens.resize_for_overwrite(all.tokens());
  all.write(tokens.data());
}
template <execution P>
[[nodiscard]] token_list lex(P const& on, automaton const& language, std::string_view text)
{
  token_list tokens;
  tally::lex(on, language, text, tokens);
  return tokens;
}
[[nodiscard]] inline token_list lex(automaton const& language, std::string_view text)
{
  return tally::lex(cpu{}, language, text);
}

}  // namespace tally
