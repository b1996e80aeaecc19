#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>

#include "tally/error.hpp"

/// Finite automata over bytes that divide a text into tokens, as tables. lexer.hpp runs them.
namespace tally {

/// One step of an automaton: the state that a byte leads to, and whether the byte is the first of a token.
struct lexer_step {
  int state;
  bool begins;
};

/// A lexical language, of which an automaton is made: a type with
///
///     states                    the number of states; a text begins in state 0, which is outside of tokens
///     step(state, byte)         a lexer_step
///     kind(state)               the kind of a token that ends in this state, 0 to 254; outside_tokens if the state is
///                               outside of tokens
///
/// A token goes on until a byte begins the next one or leads outside. So the state alone says whether a byte belongs to
/// the token before it, and no byte is ever taken back.
template <class L>
concept lexical_language = requires(int state, unsigned char byte) {
  static_cast<int>(L::states);
  { L::step(state, byte) } -> std::same_as<lexer_step>;
  { static_cast<int>(L::kind(state)) };
};

/// The kind of the states outside of tokens, as behind a blank.
inline constexpr int outside_tokens = 255;

/// The tables of an automaton: 8 KiB, which stay in the first level of a core's cache.
class automaton {
public:
  static constexpr int most_states = 32;
  static constexpr int most_classes = 32;

  /// The parts of a byte that stands for a state while a text is read: the state's number, and two flags of the byte of
  /// text that led to it.
  static constexpr std::uint8_t number_bits = 0x1f;
  static constexpr std::uint8_t in_token = 0x40;      ///< the byte is part of a token
  static constexpr std::uint8_t begins_token = 0x80;  ///< the byte is the first of a token

  /// Throws    usage_error if state 0 is not outside of tokens; if bytes fall into more than most_classes classes; if a
  ///           step leads to no state, begins a token and leads outside, or leads into a token that it does not begin.
  template <lexical_language Language>
  explicit automaton(Language)
  {
    static_assert(0 < Language::states && Language::states <= most_states,
                  "tally: an automaton has at most 32 states: the composition of its steps is a table of them");
    states_ = Language::states;
    for (int s = 0; s < states_; ++s)
      kinds_[static_cast<std::size_t>(s)] = static_cast<std::uint8_t>(Language::kind(s));
    if (kinds_[0] != outside_tokens)
      throw usage_error("tally: automaton: state 0 is of kind " + std::to_string(kinds_[0]) +
                        "; a text begins in it, outside of tokens");
    column bytes{};
    for (int byte = 0; byte < 256; ++byte) {
      for (int s = 0; s < states_; ++s)
        bytes[static_cast<std::size_t>(s)] = encoded(Language::step(s, static_cast<unsigned char>(byte)), s, byte);
      classes_[static_cast<std::size_t>(byte)] = class_of(bytes);
    }
  }

  int states() const { return states_; }
  /// The state after a byte, for each state before it, with its flags or without.
  std::uint8_t const* row(unsigned char byte) const { return next_[classes_[byte]].data(); }
  std::uint8_t step(std::uint8_t state, unsigned char byte) const { return row(byte)[state]; }
  /// The kind of a token that ends in this state.
  std::uint8_t kind(std::uint8_t state) const { return kinds_[state & number_bits]; }
  bool is_in_token(std::uint8_t state) const { return kind(state) != outside_tokens; }

private:
  using column = std::array<std::uint8_t, most_states>;

  std::uint8_t encoded(lexer_step const& to, int from, int byte) const
  {
    auto const where = [&] {
      return "tally: automaton: byte " + std::to_string(byte) + " in state " + std::to_string(from);
    };
    if (to.state < 0 || to.state >= states_)
      throw usage_error(where() + " leads to state " + std::to_string(to.state) + "; states are 0 to " +
                        std::to_string(states_ - 1));
    auto const state = static_cast<std::uint8_t>(to.state);
    if (!is_in_token(state)) {
      if (to.begins) throw usage_error(where() + " begins a token and leads outside of tokens");
      return state;
    }
    if (!is_in_token(static_cast<std::uint8_t>(from)) && !to.begins)
      throw usage_error(where() + " leads into a token that it does not begin");
    return static_cast<std::uint8_t>(state | in_token | (to.begins ? begins_token : 0));
  }

  /// The class of a byte with these steps: bytes with the same steps from every state are one class.
  std::uint8_t class_of(column const& bytes)
  {
    for (int k = 0; k < class_count_; ++k)
      if (columns_[static_cast<std::size_t>(k)] == bytes) return static_cast<std::uint8_t>(k);
    if (class_count_ == most_classes)
      throw usage_error("tally: automaton: bytes do more than " + std::to_string(most_classes) +
                        " different things to the states; that many there can be at most");
    columns_[static_cast<std::size_t>(class_count_)] = bytes;
    for (std::size_t state = 0; state < 256; ++state)
      next_[static_cast<std::size_t>(class_count_)][state] = bytes[state & number_bits];
    return static_cast<std::uint8_t>(class_count_++);
  }

  int states_ = 0;
  int class_count_ = 0;
  std::array<std::uint8_t, 256> classes_{};
  std::array<std::uint8_t, most_states> kinds_{};
  std::array<column, most_classes> columns_{};
  std::array<std::array<std::uint8_t, 256>, most_classes> next_{};
};

}  // namespace tally
