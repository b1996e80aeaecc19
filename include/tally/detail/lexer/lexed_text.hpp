#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "tally/algorithms/automaton.hpp"
#include "tally/algorithms/token.hpp"
#include "tally/detail/execution.hpp"
#include "tally/detail/lexer/steps.hpp"
#include "tally/detail/lexer/transitions.hpp"
#include "tally/detail/path.hpp"
#include "tally/for_each.hpp"
#include "tally/scan.hpp"
#include "tally/sequences.hpp"
#include "tally/temporary.hpp"

namespace tally::detail::lexer {

/// Bit 7 - `position` of each of eight bytes; bit k of the result is byte k's.
inline std::uint64_t bit_of_each(std::uint8_t const* bytes, int position)
{
  if constexpr (std::endian::native == std::endian::little) {
    std::uint64_t word;
    std::memcpy(&word, bytes, sizeof word);
    return (((word << position) & 0x8080808080808080) >> 7) * 0x0102040810204080 >> 56;
  } else {
    std::uint64_t bits = 0;
    for (int k = 0; k < 8; ++k) bits |= static_cast<std::uint64_t>(bytes[k] << position >> 7 & 1) << k;
    return bits;
  }
}

/// A text in pieces, of each of which it is known in which state and with which token it begins.
template <class P>
class lexed_text {
  static_assert(host<P>, "tally: texts are lexed on the CPU");

public:
  lexed_text(P const& on, automaton const& language, std::string_view text)
      : on_(on),
        language_(&language),
        rows_(language),
        text_(reinterpret_cast<unsigned char const*>(text.data())),
        size_(text.size()),
        pieces_((size_ + piece_bytes - 1) / piece_bytes),
        begins_(on, pieces_ + 1)
  {
    temporary<transitions, P> of_pieces(on_, pieces_);
    tally::for_each_block(
        on_, size_, pieces_together * piece_bytes,
        [this, to = of_pieces.data()](std::size_t begin, std::size_t end) { find_transitions(begin, end, to); });
    // The text begins in state 0: of the transitions before a piece only those from state 0 are kept.
    auto const keep = [to = begins_.data()](std::size_t k, transitions const& all) {
      to[k + 1] = {all.state[0], all.tokens[0]};
    };
    begins_.data()[0] = {0, 0};
    tally::inclusive_scan(on_, of_pieces.begin(), of_pieces.end(), tally::results_to(keep), transition_composition{});
  }

  std::size_t tokens() const { return begins_.data()[pieces_].tokens; }

  void write(token* to) const
  {
    tally::for_each_block(on_, size_, pieces_together * piece_bytes,
                          [this, to](std::size_t begin, std::size_t end) { write_pieces(begin, end, to); });
    piece_begin const& last = begins_.data()[pieces_];
    took(language_->is_in_token(last.state) ? "lexer: the end of the text ends a token"
                                            : "lexer: no token is open at the end");
    if (language_->is_in_token(last.state)) to[last.tokens - 1].end_at(size_, language_->kind(last.state));
  }

private:
  /// The state in which a piece begins, and the number of tokens that begin before it.
  struct piece_begin {
    std::uint8_t state;
    std::uint64_t tokens;
  };

  std::size_t size_of(std::size_t piece) const
  {
    return size_ - piece * piece_bytes < piece_bytes ? size_ - piece * piece_bytes : piece_bytes;
  }

  void find_transitions(std::size_t begin_byte, std::size_t end_byte, transitions* to) const
  {
    std::size_t const begin = begin_byte / piece_bytes, end = (end_byte + piece_bytes - 1) / piece_bytes;
    if (end - begin == pieces_together && size_of(end - 1) == piece_bytes) {
      runs_from_all_states runs[] = {runs_of(begin), runs_of(begin + 1), runs_of(begin + 2), runs_of(begin + 3)};
      std::size_t stepped[pieces_together], most_stepped = 0, most_runs = 0;
      for (std::size_t p = 0; p < pieces_together; ++p) {
        stepped[p] = runs[p].converge(piece_bytes / 32);
        most_stepped = stepped[p] > most_stepped ? stepped[p] : most_stepped;
        most_runs = runs[p].count() > most_runs ? runs[p].count() : most_runs;
      }
      took(most_runs <= 2 ? "lexer: four pieces side by side" : "lexer: pieces whose states stay apart");
      if (most_runs <= 2) {
        for (std::size_t p = 0; p < pieces_together; ++p) runs[p].step(most_stepped - stepped[p]);
        for (std::size_t k = most_stepped; k < piece_bytes; k += bytes_a_round)
          runs_from_all_states::step_together<pieces_together>(runs, piece_bytes - k < bytes_a_round ? piece_bytes - k
                                                                                                     : bytes_a_round);
        for (std::size_t p = 0; p < pieces_together; ++p) to[begin + p] = runs[p].result();
        return;
      }
    }
    for (std::size_t piece = begin; piece < end; ++piece) {
      took(size_of(piece) < piece_bytes ? "lexer: a short piece" : "lexer: a piece by itself");
      runs_from_all_states runs = runs_of(piece);
      std::size_t const size = size_of(piece);
      std::size_t k = runs.converge(size / 32);
      while (k < size) {
        std::size_t const next = size - k < bytes_a_round ? size - k : bytes_a_round;
        runs.step(next);
        k += next;
      }
      to[piece] = runs.result();
    }
  }

  runs_from_all_states runs_of(std::size_t piece) const
  {
    return runs_from_all_states(*language_, rows_, text_ + piece * piece_bytes);
  }

  /// The next token of a piece to be given its begin, and the next to be given its end.
  struct next_tokens {
    std::uint64_t begin;
    std::uint64_t end;
  };

  void write_pieces(std::size_t begin_byte, std::size_t end_byte, token* to) const
  {
    std::size_t const begin = begin_byte / piece_bytes, end = (end_byte + piece_bytes - 1) / piece_bytes;
    next_tokens next[pieces_together];
    std::uint8_t room[pieces_together * round_room] = {};
    std::uint8_t* const states = room + 8;
    for (std::size_t p = 0; begin + p < end; ++p) {
      piece_begin const& before = begins_.data()[begin + p];
      bool const open = language_->is_in_token(before.state);
      room[p * round_room + 7] = static_cast<std::uint8_t>(before.state | (open ? automaton::in_token : 0));
      next[p] = {before.tokens, before.tokens - (open ? 1 : 0)};
    }
    bool const together = end - begin == pieces_together && size_of(end - 1) == piece_bytes;
    took(together ? "lexer: written four at a time" : "lexer: written piece by piece");
    for (std::size_t k = 0; k < piece_bytes; k += bytes_a_round) {
      if (together) write_steps<pieces_together>(rows_, text_ + begin_byte + k, bytes_a_round, states);
      for (std::size_t p = 0; begin + p < end && k < size_of(begin + p); ++p) {
        std::size_t const at = begin_byte + p * piece_bytes + k;
        std::size_t const left = size_of(begin + p) - k, size = left < bytes_a_round ? left : bytes_a_round;
        if (!together) write_steps<1>(rows_, text_ + at, size, states + p * round_room);
        write_tokens(next[p], states + p * round_room, at, size, to);
      }
    }
  }

  static std::size_t lowest_bit(std::uint64_t mask) { return static_cast<std::size_t>(std::countr_zero(mask)); }

  /// Writes the begins and ends of tokens in the `size` bytes at `at`, after which the automaton is in `states`. A byte
  /// outside of tokens, or the first of a token, ends the token before it.
  void write_tokens(next_tokens& tokens, std::uint8_t* states, std::size_t at, std::size_t size, token* to) const
  {
    std::uint64_t const last = states[static_cast<std::ptrdiff_t>(size) - 1];
    std::uint64_t open_before = states[-1] >> 6 & 1;
    for (std::size_t k = 0; k < size; k += 64) {
      std::uint64_t begins = 0, in = 0;
      for (std::size_t word = 0; word < 64; word += 8) {
        begins |= bit_of_each(states + k + word, 0) << word;
        in |= bit_of_each(states + k + word, 1) << word;
      }
      std::uint64_t ends = (in << 1 | open_before) & (begins | ~in);
      open_before = in >> 63;
      if (size - k < 64) {  // the states behind are those of other bytes
        std::uint64_t const valid = (std::uint64_t{1} << (size - k)) - 1;
        begins &= valid;
        ends &= valid;
      }
      std::uint64_t next = tokens.begin;
      for (; begins != 0; begins &= begins - 1) to[next++].begin_at(at + k + lowest_bit(begins));
      tokens.begin = next;
      next = tokens.end;
      for (; ends != 0; ends &= ends - 1) {
        std::size_t const byte = k + lowest_bit(ends);
        to[next++].end_at(at + byte, language_->kind(states[static_cast<std::ptrdiff_t>(byte) - 1]));
      }
      tokens.end = next;
    }
    states[-1] = static_cast<std::uint8_t>(last);
  }

  P on_;
  automaton const* language_;
  byte_rows rows_;
  unsigned char const* text_;
  std::size_t size_;
  std::size_t pieces_;
  temporary<piece_begin, P> begins_;  // of each piece, and of the text's end
};

}  // namespace tally::detail::lexer
