#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "tally/algorithms/automaton.hpp"
#include "tally/detail/path.hpp"

/// How an automaton goes through a piece of text, for lexer.hpp: from every state at once, or from the one that it is
/// in.
///
/// A step waits for the step before it, some five cycles. So several pieces are gone through side by side, and there is
/// time for more than one state in each.
namespace tally::detail {

/// Each byte's row of an automaton: one load where the byte's class and the place of its row are three steps.
struct rows_of_bytes {
  std::array<std::uint8_t const*, 256> row;

  explicit rows_of_bytes(automaton const& language)
  {
    for (std::size_t byte = 0; byte < 256; ++byte) row[byte] = language.row(static_cast<unsigned char>(byte));
  }
};

/// What a piece of text does: from each state, the state after it and how many tokens begin in it.
struct lexed_piece {
  std::uint8_t state[automaton::most_states];
  std::uint64_t tokens[automaton::most_states];
};

/// One piece after the other. Associative, and its identity is an empty piece; it does not commute.
struct one_piece_after_another {
  static constexpr bool exactly_associative = true;

  lexed_piece operator()(lexed_piece const& a, lexed_piece const& b) const
  {
    lexed_piece both;
    for (std::size_t s = 0; s < automaton::most_states; ++s) {
      std::size_t const between = a.state[s] & automaton::number_bits;
      both.state[s] = b.state[between];
      both.tokens[s] = a.tokens[s] + b.tokens[between];
    }
    return both;
  }
  static lexed_piece identity()
  {
    lexed_piece empty{};
    for (std::size_t s = 0; s < automaton::most_states; ++s) empty.state[s] = static_cast<std::uint8_t>(s);
    return empty;
  }
};

inline constexpr std::size_t lexed_size = 8192;                 ///< bytes of a piece
inline constexpr std::size_t lexed_together = 4;                ///< pieces that a thread goes through side by side
inline constexpr std::size_t written_steps = 1024;              ///< of a piece, before tokens are made of them
inline constexpr std::size_t written_room = 8 + written_steps;  ///< the state before the first is in front of it

/// Steps `Pieces` pieces that lie one after the other side by side, each from `States` states; counts the tokens that
/// begin.
template <std::size_t Pieces, std::size_t States>
void count_steps(rows_of_bytes const& rows, unsigned char const* text, std::size_t size,
                 std::uint8_t (&state)[Pieces][States], std::uint64_t (&begun)[Pieces][States])
{
  // All of it in registers: nothing is indexed by what the compiler does not know.
  [&]<std::size_t... Lane>(std::index_sequence<Lane...>) {
    std::uint64_t at[] = {state[Lane / States][Lane % States]...};
    std::uint64_t count[] = {(void(Lane), std::uint64_t{0})...};
    for (unsigned char const* const end = text + size; text != end; ++text) {
      ((at[Lane] = rows.row[text[Lane / States * lexed_size]][at[Lane]],
        count[Lane] += at[Lane] >= automaton::begins_token),
       ...);
    }
    ((state[Lane / States][Lane % States] = static_cast<std::uint8_t>(at[Lane]),
      begun[Lane / States][Lane % States] += count[Lane]),
     ...);
  }(std::make_index_sequence<Pieces * States>{});
}

/// Steps `Pieces` pieces side by side, each from one state, and writes down the state after every byte: of each in a
/// room of its own.
template <std::size_t Pieces>
void write_steps(rows_of_bytes const& rows, unsigned char const* text, std::size_t size, std::uint8_t* to)
{
  [&]<std::size_t... Lane>(std::index_sequence<Lane...>) {
    std::uint64_t at[] = {to[static_cast<std::ptrdiff_t>(Lane * written_room) - 1]...};
    for (unsigned char const* const end = text + size; text != end; ++text, ++to) {
      ((at[Lane] = rows.row[text[Lane * lexed_size]][at[Lane]],
        to[Lane * written_room] = static_cast<std::uint8_t>(at[Lane])),
       ...);
    }
  }(std::make_index_sequence<Pieces>{});
}

/// A piece on its way from every state. States that have become the same go on as one: after some bytes there are one
/// or two.
class every_state {
public:
  every_state(automaton const& language, rows_of_bytes const& rows, unsigned char const* text)
      : rows_(&rows),
        text_(text)
  {
    live_ = static_cast<std::size_t>(language.states());
    for (std::size_t s = 0; s < automaton::most_states; ++s) {
      way_[s] = s < live_ ? static_cast<std::uint8_t>(s) : std::uint8_t{0};
      state_[s] =
          static_cast<std::uint8_t>(s) | (language.is_in_token(static_cast<std::uint8_t>(s)) ? automaton::in_token : 0);
      total_[s] = 0;
    }
  }

  std::size_t live() const { return live_; }
  unsigned char const* text() const { return text_; }

  /// Goes on by `size` bytes, whatever is live: as many states at a time as there are registers for, which takes little
  /// longer than one.
  void step(std::size_t size)
  {
    std::uint64_t begun[automaton::most_states] = {};
    for (std::size_t i = 0; i < live_;) i += step_some(i, size, begun, std::make_index_sequence<6>{});
    text_ += size;
    merge(begun);
  }

  /// Until at most two are live, or the piece's share for that is used up. Returns the bytes gone through.
  std::size_t settle(std::size_t most)
  {
    constexpr std::size_t chunk = 16;
    std::size_t gone = 0;
    for (; live_ > 2 && gone + chunk <= most; gone += chunk) step(chunk);
    return gone;
  }

  /// `Pieces` of them, each with at most two live, go on side by side.
  template <std::size_t Pieces>
  static void step_together(every_state* pieces, std::size_t size)
  {
    bool one = true;
    for (std::size_t p = 0; p < Pieces; ++p) one = one && pieces[p].live_ == 1;
    took(one ? "lexer: one state a piece" : "lexer: two states a piece");
    if (one)
      step_each<Pieces, 1>(pieces, size);
    else
      step_each<Pieces, 2>(pieces, size);
  }

  lexed_piece result() const
  {
    lexed_piece all;
    for (std::size_t s = 0; s < automaton::most_states; ++s) {
      all.state[s] = state_[way_[s]];
      all.tokens[s] = total_[s];
    }
    return all;
  }

private:
  /// Steps the states from `first` on, at most sizeof...(Less) of them; returns how many.
  template <std::size_t... Less>
  std::size_t step_some(std::size_t first, std::size_t size, std::uint64_t* begun, std::index_sequence<Less...>)
  {
    std::size_t const wanted = live_ - first < sizeof...(Less) ? live_ - first : sizeof...(Less);
    ((Less + 1 == wanted ? step_exactly<Less + 1>(first, size, begun) : void()), ...);
    return wanted;
  }
  template <std::size_t States>
  void step_exactly(std::size_t first, std::size_t size, std::uint64_t* begun)
  {
    std::uint8_t state[1][States];
    std::uint64_t count[1][States] = {};
    for (std::size_t i = 0; i < States; ++i) state[0][i] = state_[first + i];
    count_steps<1, States>(*rows_, text_, size, state, count);
    for (std::size_t i = 0; i < States; ++i) {
      state_[first + i] = state[0][i];
      begun[first + i] = count[0][i];
    }
  }

  template <std::size_t Pieces, std::size_t States>
  static void step_each(every_state* pieces, std::size_t size)
  {
    std::uint8_t state[Pieces][States];
    std::uint64_t begun[Pieces][States] = {};
    for (std::size_t p = 0; p < Pieces; ++p) {
      for (std::size_t i = 0; i < States; ++i) state[p][i] = pieces[p].state_[i < pieces[p].live_ ? i : 0];
    }
    count_steps<Pieces, States>(*pieces[0].rows_, pieces[0].text_, size, state, begun);
    for (std::size_t p = 0; p < Pieces; ++p) {
      for (std::size_t i = 0; i < pieces[p].live_; ++i) pieces[p].state_[i] = state[p][i];
      pieces[p].text_ += size;
      pieces[p].merge(begun[p]);
    }
  }

  /// Adds up what has begun, and lets those that are in one state be one.
  void merge(std::uint64_t const* begun)
  {
    std::uint8_t to[automaton::most_states];
    std::size_t left = 0;
    for (std::size_t i = 0; i < live_; ++i) {
      std::size_t same = 0;
      while (same < left && state_[same] != state_[i]) ++same;
      to[i] = static_cast<std::uint8_t>(same);
      if (same == left) state_[left++] = state_[i];
    }
    for (std::size_t s = 0; s < automaton::most_states; ++s) {
      total_[s] += begun[way_[s]];
      way_[s] = to[way_[s]];
    }
    live_ = left;
  }

  rows_of_bytes const* rows_;
  unsigned char const* text_;
  std::size_t live_;  // different states, the first of state_
  std::uint8_t state_[automaton::most_states];
  std::uint8_t way_[automaton::most_states];     // which of them a beginning leads to
  std::uint64_t total_[automaton::most_states];  // the tokens on that way
};

/// Eight bits of eight bytes, the highest of each shifted by `up`: bit k is byte k's.
inline std::uint64_t bits_of(std::uint8_t const* bytes, int up)
{
  if constexpr (std::endian::native == std::endian::little) {
    std::uint64_t word;
    std::memcpy(&word, bytes, sizeof word);
    return (((word << up) & 0x8080808080808080) >> 7) * 0x0102040810204080 >> 56;
  } else {
    std::uint64_t bits = 0;
    for (int k = 0; k < 8; ++k) bits |= static_cast<std::uint64_t>(bytes[k] << up >> 7 & 1) << k;
    return bits;
  }
}

}  // namespace tally::detail
