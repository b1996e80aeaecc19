#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string_view>
#include <utility>

#include "tally/algorithms/automaton.hpp"
#include "tally/algorithms/lexical_languages.hpp"
#include "tally/detail/contract.hpp"
#include "tally/detail/lexer/steps.hpp"
#include "tally/detail/path.hpp"
#include "tally/for_each.hpp"
#include "tally/scan.hpp"
#include "tally/sequences.hpp"
#include "tally/temporary.hpp"

/// Lexical analysis in parallel: a finite automaton by the scan of what its steps do.
namespace tally {

/// A token: where its bytes are, and of which kind it is.
class token {
public:
  /// Not set: room for a token that is to come.
  token() = default;
  constexpr token(std::uint64_t begin, std::uint64_t end, std::uint8_t kind)
      : begin_(begin),
        end_and_kind_(end | static_cast<std::uint64_t>(kind) << 56)
  {
  }

  constexpr std::uint64_t begin() const { return begin_; }
  constexpr std::uint64_t end() const { return end_and_kind_ & ((std::uint64_t{1} << 56) - 1); }
  constexpr std::uint8_t kind() const { return static_cast<std::uint8_t>(end_and_kind_ >> 56); }
  constexpr std::string_view in(std::string_view text) const { return text.substr(begin(), end() - begin()); }

  friend constexpr bool operator==(token const&, token const&) = default;

  /// The two halves, which are known at different places of a text.
  void begin_at(std::uint64_t begin) { begin_ = begin; }
  void end_at(std::uint64_t end, std::uint8_t kind) { end_and_kind_ = end | static_cast<std::uint64_t>(kind) << 56; }

private:
  std::uint64_t begin_;
  std::uint64_t end_and_kind_;
};

namespace detail {

/// A text in pieces, what each does, and then what is before each.
template <class P>
class lexed_text {
public:
  /// Where a piece begins: the state, and the tokens that begin before it.
  struct beginning {
    std::uint8_t state;
    std::uint64_t tokens;
  };

  lexed_text(P const& on, automaton const& language, std::string_view text)
      : on_(on),
        language_(&language),
        rows_(language),
        text_(reinterpret_cast<unsigned char const*>(text.data())),
        size_(text.size()),
        pieces_((size_ + lexed_size - 1) / lexed_size),
        before_(on, pieces_ + 1)
  {
    temporary<lexed_piece, P> done(on_, pieces_);
    tally::for_each_block(
        on_, size_, lexed_together * lexed_size,
        [this, to = done.data()](std::size_t begin, std::size_t end) { from_every_state(begin, end, to); });
    // From here on the beginning is known: of what all before a piece does, only what it does from there is kept.
    auto const keep = [to = before_.data()](std::size_t k, lexed_piece const& all) {
      to[k + 1] = {all.state[0], all.tokens[0]};
    };
    before_.data()[0] = {0, 0};
    tally::inclusive_scan(on_, done.begin(), done.end(), tally::results_to(keep), one_piece_after_another{});
  }

  std::size_t tokens() const { return before_.data()[pieces_].tokens; }

  void write(token* to) const
  {
    tally::for_each_block(on_, size_, lexed_together * lexed_size,
                          [this, to](std::size_t begin, std::size_t end) { write_pieces(begin, end, to); });
    beginning const& last = before_.data()[pieces_];
    took(language_->is_in_token(last.state) ? "lexer: the end of the text ends a token"
                                            : "lexer: no token is open at the end");
    if (language_->is_in_token(last.state)) to[last.tokens - 1].end_at(size_, language_->kind(last.state));
  }

private:
  std::size_t size_of(std::size_t piece) const
  {
    return size_ - piece * lexed_size < lexed_size ? size_ - piece * lexed_size : lexed_size;
  }

  void from_every_state(std::size_t begin_byte, std::size_t end_byte, lexed_piece* to) const
  {
    std::size_t const begin = begin_byte / lexed_size, end = (end_byte + lexed_size - 1) / lexed_size;
    if (end - begin == lexed_together && size_of(end - 1) == lexed_size) {
      every_state pieces[] = {at(begin), at(begin + 1), at(begin + 2), at(begin + 3)};
      std::size_t gone[lexed_together], most = 0, live = 0;
      for (std::size_t p = 0; p < lexed_together; ++p) {
        gone[p] = pieces[p].settle(lexed_size / 32);
        most = gone[p] > most ? gone[p] : most;
        live = pieces[p].live() > live ? pieces[p].live() : live;
      }
      took(live <= 2 ? "lexer: four pieces side by side" : "lexer: pieces whose states stay apart");
      if (live <= 2) {
        for (std::size_t p = 0; p < lexed_together; ++p) pieces[p].step(most - gone[p]);
        for (std::size_t k = most; k < lexed_size; k += written_steps)
          every_state::step_together<lexed_together>(pieces,
                                                     lexed_size - k < written_steps ? lexed_size - k : written_steps);
        for (std::size_t p = 0; p < lexed_together; ++p) to[begin + p] = pieces[p].result();
        return;
      }
    }
    for (std::size_t piece = begin; piece < end; ++piece) {
      took(size_of(piece) < lexed_size ? "lexer: a short piece" : "lexer: a piece by itself");
      every_state one = at(piece);
      std::size_t const size = size_of(piece);
      std::size_t k = one.settle(size / 32);
      while (k < size) {
        std::size_t const next = size - k < written_steps ? size - k : written_steps;
        one.step(next);
        k += next;
      }
      to[piece] = one.result();
    }
  }

  every_state at(std::size_t piece) const { return every_state(*language_, rows_, text_ + piece * lexed_size); }

  /// Where a piece's tokens go.
  struct writer {
    std::uint64_t next_begin;
    std::uint64_t next_end;
  };

  void write_pieces(std::size_t begin_byte, std::size_t end_byte, token* to) const
  {
    std::size_t const begin = begin_byte / lexed_size, end = (end_byte + lexed_size - 1) / lexed_size;
    writer writers[lexed_together];
    std::uint8_t room[lexed_together * written_room] = {};
    std::uint8_t* const states = room + 8;
    for (std::size_t p = 0; begin + p < end; ++p) {
      beginning const& before = before_.data()[begin + p];
      bool const open = language_->is_in_token(before.state);
      room[p * written_room + 7] = static_cast<std::uint8_t>(before.state | (open ? automaton::in_token : 0));
      writers[p] = {before.tokens, before.tokens - (open ? 1 : 0)};
    }
    bool const together = end - begin == lexed_together && size_of(end - 1) == lexed_size;
    took(together ? "lexer: written four at a time" : "lexer: written piece by piece");
    for (std::size_t k = 0; k < lexed_size; k += written_steps) {
      if (together) write_steps<lexed_together>(rows_, text_ + begin_byte + k, written_steps, states);
      for (std::size_t p = 0; begin + p < end && k < size_of(begin + p); ++p) {
        std::size_t const at = begin_byte + p * lexed_size + k;
        std::size_t const left = size_of(begin + p) - k, size = left < written_steps ? left : written_steps;
        if (!together) write_steps<1>(rows_, text_ + at, size, states + p * written_room);
        write_tokens(writers[p], states + p * written_room, at, size, to);
      }
    }
  }

  static std::size_t bit_of(std::uint64_t mask) { return static_cast<std::size_t>(std::countr_zero(mask)); }

  /// The tokens that begin, and those that end before a byte, of some bytes at `at` whose states are known.
  void write_tokens(writer& of, std::uint8_t* states, std::size_t at, std::size_t size, token* to) const
  {
    std::uint64_t const last = states[static_cast<std::ptrdiff_t>(size) - 1];
    std::uint64_t open_before = states[-1] >> 6 & 1;
    for (std::size_t k = 0; k < size; k += 64) {
      std::uint64_t begins = 0, in = 0;
      for (std::size_t word = 0; word < 64; word += 8) {
        begins |= bits_of(states + k + word, 0) << word;
        in |= bits_of(states + k + word, 1) << word;
      }
      std::uint64_t ends = (in << 1 | open_before) & (begins | ~in);
      open_before = in >> 63;
      if (size - k < 64) {  // what is behind are the states of other bytes
        std::uint64_t const valid = (std::uint64_t{1} << (size - k)) - 1;
        begins &= valid;
        ends &= valid;
      }
      std::uint64_t next = of.next_begin;
      for (; begins != 0; begins &= begins - 1) to[next++].begin_at(at + k + bit_of(begins));
      of.next_begin = next;
      next = of.next_end;
      for (; ends != 0; ends &= ends - 1) {
        std::size_t const byte = k + bit_of(ends);
        to[next++].end_at(at + byte, language_->kind(states[static_cast<std::ptrdiff_t>(byte) - 1]));
      }
      of.next_end = next;
    }
    states[-1] = static_cast<std::uint8_t>(last);
  }

  P on_;
  automaton const* language_;
  rows_of_bytes rows_;
  unsigned char const* text_;
  std::size_t size_;
  std::size_t pieces_;
  temporary<beginning, P> before_;
};

template <class P>
constexpr void check_lexes()
{
  static_assert(host<P>, "tally: texts are lexed on the CPU");
}

}  // namespace detail

/// Tokens in memory of their own, which can be used again.
class token_list {
public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  token const* begin() const { return tokens_ ? tokens_->data() : nullptr; }
  token const* end() const { return begin() + size_; }
  token* data() { return tokens_ ? tokens_->data() : nullptr; }
  token const& operator[](std::size_t k) const { return tokens_->data()[k]; }

  /// Room for `size` tokens, which are not set.
  void resize_for_overwrite(std::size_t size)
  {
    if (size > room_) {
      tokens_.reset();
      room_ = size_ = 0;
      tokens_ = std::make_unique<temporary<token, cpu>>(cpu{}, size);
      room_ = size;
    }
    size_ = size;
  }

private:
  std::size_t size_ = 0;
  std::size_t room_ = 0;
  std::unique_ptr<temporary<token, cpu>> tokens_;
};

/// How many tokens a text has.
///
/// As `lex` otherwise; about half its cost.
template <execution P>
[[nodiscard]] std::size_t count_tokens(P const& on, automaton const& language, std::string_view text)
{
  detail::check_lexes<P>();
  return detail::lexed_text<P>(on, language, text).tokens();
}
[[nodiscard]] inline std::size_t count_tokens(automaton const& language, std::string_view text)
{
  return tally::count_tokens(cpu{}, language, text);
}

/// The tokens of a text, in its order: those that `language`, begun in state 0, finds byte by byte.
///
///     tokens = lex([on,] language, text)
///     lex(on, language, text, tokens)             into memory that is there already, where it is large enough
///
/// Requires  a text of less than 2^56 bytes.
/// Result    the tokens; the same for every number of threads. A token that the text's end cuts off is of the kind of
///           the state it ends in.
/// Cost      each byte is read twice, O(n/p + log p) on p threads: what a piece of 8 KiB does from every state, a scan
///           of that under composition, and the tokens of each piece from the state that it is known then to begin in.
///           A piece where more than two states never become one costs a step a byte for each.
/// Memory    16 bytes a token, and 4 per cent of the text's size for a while.
/// Blocks    until all tokens are there.
/// Throws    usage_error; std::bad_alloc.
/// Source    Ladner & Fischer (1980); Hillis & Steele (1986); Mytkowicz, Musuvathi & Schulte (2014) for states that
///           become one.
template <execution P>
void lex(P const& on, automaton const& language, std::string_view text, token_list& tokens)
{
  detail::check_lexes<P>();
  detail::lexed_text<P> const all(on, language, text);
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
