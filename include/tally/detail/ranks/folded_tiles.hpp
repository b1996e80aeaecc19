#pragma once

#include <cstdint>
#include <optional>

#include "tally/order.hpp"

namespace tally::ranks_backend {

/// Names the specialisation of order::carry below.
template <class Op>
struct folded_tiles {};

}  // namespace tally::ranks_backend

namespace tally::order {

/// How a carry takes several tiles at once: ranks share folds of totals. It is no carry itself, but carries are friends
/// of each other.
template <class T, class Op>
class carry<T, ranks_backend::folded_tiles<Op>> {
public:
  /// Takes the totals of `count` tiles that begin a span, at most a whole one, folded left to right. `last()` is then
  /// that of earlier tiles until the next `push`.
  /// Requires  that a whole number of spans came before.
  static void push(carry<T, Op>& to, carry_type<Op, T> const& fold, std::uint32_t count, Op& op)
  {
    to.tiles_ = fold;
    to.count_ = count;
    if (count == span_tiles) {
      to.spans_ = combine(to.spans_, to.tiles_, op);
      to.count_ = 0;
    }
  }
};

}  // namespace tally::order
