#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tally/algorithms/automaton.hpp"

namespace tally::detail::lexer {

/// The automaton's row of each byte: one load, where the byte's class and the address of the class's row take three
/// steps.
struct byte_rows {
  std::array<std::uint8_t const*, 256> row;

  explicit byte_rows(automaton const& language)
  {
    for (std::size_t byte = 0; byte < 256; ++byte) row[byte] = language.row(static_cast<unsigned char>(byte));
  }
};

/// The transitions of a piece of text: for each state before it, the state after it and the number of tokens that begin
/// in it.
struct transitions {
  std::uint8_t state[automaton::most_states];
  std::uint64_t tokens[automaton::most_states];
};

/// The transitions of two pieces that follow each other. Associative, with the empty piece as its identity; it does not
/// commute.
struct transition_composition {
  static constexpr bool exactly_associative = true;

  transitions operator()(transitions const& a, transitions const& b) const
  {
    transitions both;
    for (std::size_t s = 0; s < automaton::most_states; ++s) {
      std::size_t const between = a.state[s] & automaton::number_bits;
      both.state[s] = b.state[between];
      both.tokens[s] = a.tokens[s] + b.tokens[between];
    }
    return both;
  }
  static transitions identity()
  {
    transitions empty{};
    for (std::size_t s = 0; s < automaton::most_states; ++s) empty.state[s] = static_cast<std::uint8_t>(s);
    return empty;
  }
};

}  // namespace tally::detail::lexer
