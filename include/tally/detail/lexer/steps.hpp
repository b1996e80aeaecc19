#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "tally/algorithms/automaton.hpp"
#include "tally/detail/lexer/transitions.hpp"
#include "tally/detail/path.hpp"

/// The steps of an automaton through pieces of text, from one state or from all of them.
///
/// A step waits some five cycles for the step before it. So a thread steps through several pieces side by side, and
/// there is time for more than one state in each.
namespace tally::detail::lexer {

inline constexpr std::size_t piece_bytes = 8192;
inline constexpr std::size_t pieces_together = 4;   ///< that a thread steps through side by side
inline constexpr std::size_t bytes_a_round = 1024;  ///< of each piece, before tokens are made of the states behind them
inline constexpr std::size_t round_room = 8 + bytes_a_round;  ///< the state before the first byte is in front of it

/// Steps through `Pieces` adjacent pieces side by side, from `States` states each; counts the tokens that begin.
template <std::size_t Pieces, std::size_t States>
void count_steps(byte_rows const& rows, unsigned char const* text, std::size_t size,
                 std::uint8_t (&state)[Pieces][States], std::uint64_t (&begun)[Pieces][States])
{
  // Every index is a constant, so that all states and counts are in registers.
  [&]<std::size_t... Lane>(std::index_sequence<Lane...>) {
    std::uint64_t at[] = {state[Lane / States][Lane % States]...};
    std::uint64_t count[] = {(void(Lane), std::uint64_t{0})...};
    for (unsigned char const* const end = text + size; text != end; ++text) {
      ((at[Lane] = rows.row[text[Lane / States * piece_bytes]][at[Lane]],
        count[Lane] += at[Lane] >= automaton::begins_token),
       ...);
    }
    ((state[Lane / States][Lane % States] = static_cast<std::uint8_t>(at[Lane]),
      begun[Lane / States][Lane % States] += count[Lane]),
     ...);
  }(std::make_index_sequence<Pieces * States>{});
}

/// Steps through `Pieces` adjacent pieces side by side, from one state each, which is at to[-1]; writes the state after
/// every byte to `to`. The states of the next piece are `round_room` behind.
template <std::size_t Pieces>
void write_steps(byte_rows const& rows, unsigned char const* text, std::size_t size, std::uint8_t* to)
{
  [&]<std::size_t... Lane>(std::index_sequence<Lane...>) {
    std::uint64_t at[] = {to[static_cast<std::ptrdiff_t>(Lane * round_room) - 1]...};
    for (unsigned char const* const end = text + size; text != end; ++text, ++to) {
      ((at[Lane] = rows.row[text[Lane * piece_bytes]][at[Lane]],
        to[Lane * round_room] = static_cast<std::uint8_t>(at[Lane])),
       ...);
    }
  }(std::make_index_sequence<Pieces>{});
}

/// Runs of an automaton through a piece of text, one from every state. Runs that reach the same state are merged: after
/// some bytes one or two are left.
class runs_from_all_states {
public:
  runs_from_all_states(automaton const& language, byte_rows const& rows, unsigned char const* text)
      : rows_(&rows),
        text_(text)
  {
    count_ = static_cast<std::size_t>(language.states());
    for (std::size_t s = 0; s < automaton::most_states; ++s) {
      run_of_[s] = s < count_ ? static_cast<std::uint8_t>(s) : std::uint8_t{0};
      state_[s] =
          static_cast<std::uint8_t>(s) | (language.is_in_token(static_cast<std::uint8_t>(s)) ? automaton::in_token : 0);
      tokens_[s] = 0;
    }
  }

  /// The runs that are left.
  std::size_t count() const { return count_; }

  /// Steps all runs through the next `size` bytes, as many runs at a time as there are registers for: they take little
  /// longer than one.
  void step(std::size_t size)
  {
    std::uint64_t begun[automaton::most_states] = {};
    for (std::size_t i = 0; i < count_;) i += step_some(i, size, begun, std::make_index_sequence<6>{});
    text_ += size;
    merge(begun);
  }

  /// Steps until at most two runs are left, or through `most` bytes. Returns the bytes stepped through.
  std::size_t converge(std::size_t most)
  {
    constexpr std::size_t chunk = 16;
    std::size_t stepped = 0;
    for (; count_ > 2 && stepped + chunk <= most; stepped += chunk) step(chunk);
    return stepped;
  }

  /// Steps `Pieces` adjacent pieces side by side, of which each has at most two runs left.
  template <std::size_t Pieces>
  static void step_together(runs_from_all_states* pieces, std::size_t size)
  {
    bool one = true;
    for (std::size_t p = 0; p < Pieces; ++p) one = one && pieces[p].count_ == 1;
    took(one ? "lexer: one state a piece" : "lexer: two states a piece");
    if (one)
      step_each<Pieces, 1>(pieces, size);
    else
      step_each<Pieces, 2>(pieces, size);
  }

  transitions result() const
  {
    transitions all;
    for (std::size_t s = 0; s < automaton::most_states; ++s) {
      all.state[s] = state_[run_of_[s]];
      all.tokens[s] = tokens_[s];
    }
    return all;
  }

private:
  /// Steps the runs from `first` on, at most sizeof...(Less) of them. Returns their number.
  template <std::size_t... Less>
  std::size_t step_some(std::size_t first, std::size_t size, std::uint64_t* begun, std::index_sequence<Less...>)
  {
    std::size_t const wanted = count_ - first < sizeof...(Less) ? count_ - first : sizeof...(Less);
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
  static void step_each(runs_from_all_states* pieces, std::size_t size)
  {
    std::uint8_t state[Pieces][States];
    std::uint64_t begun[Pieces][States] = {};
    for (std::size_t p = 0; p < Pieces; ++p) {
      for (std::size_t i = 0; i < States; ++i) state[p][i] = pieces[p].state_[i < pieces[p].count_ ? i : 0];
    }
    count_steps<Pieces, States>(*pieces[0].rows_, pieces[0].text_, size, state, begun);
    for (std::size_t p = 0; p < Pieces; ++p) {
      for (std::size_t i = 0; i < pieces[p].count_; ++i) pieces[p].state_[i] = state[p][i];
      pieces[p].text_ += size;
      pieces[p].merge(begun[p]);
    }
  }

  /// Adds the tokens begun in each run to their sums, and merges the runs that are in the same state.
  void merge(std::uint64_t const* begun)
  {
    std::uint8_t to[automaton::most_states];
    std::size_t left = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      std::size_t same = 0;
      while (same < left && state_[same] != state_[i]) ++same;
      to[i] = static_cast<std::uint8_t>(same);
      if (same == left) state_[left++] = state_[i];
    }
    for (std::size_t s = 0; s < automaton::most_states; ++s) {
      tokens_[s] += begun[run_of_[s]];
      run_of_[s] = to[run_of_[s]];
    }
    count_ = left;
  }

  byte_rows const* rows_;
  unsigned char const* text_;
  std::size_t count_;
  std::uint8_t state_[automaton::most_states];    // of each run that is left
  std::uint8_t run_of_[automaton::most_states];   // the run that a first state has come into
  std::uint64_t tokens_[automaton::most_states];  // begun so far, from each first state
};

}  // namespace tally::detail::lexer
