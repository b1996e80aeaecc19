#pragma once

#include "tally/textbook/block.hpp"

namespace tally::textbook::exhibits {

/// Wrong on purpose. Each block waits for the one before it, by its index. A GPU may start blocks in any order, and
/// runs as many at once as find room: those that wait can fill it, and the one that they wait for never begins.
///
/// Source    the step from a scan of sections to one pass, which the documents leave to the reader.
/// Right     waits_by_ticket, below.
struct waits_by_index {
  static constexpr char const* name = "waits_by_index";
  static constexpr bool waits = true;

  template <block Block, class Array, class Flags, class Op>
  void operator()(Block const& block, Array in, Array out, Flags flags, Flags, Op op) const
  {
    block.step([&](int t) {
      if (t > 0) return;
      int const own = block.index();
      element_of<Array> sum = in[own];
      if (own > 0) {
        while (block.load_acquire(flags, own - 1) == 0) block.pause();
        sum = op(out[own - 1], sum);
      }
      out[own] = sum;
      block.store_release(flags, own, 1);
    });
  }
};

/// A block's number is the ticket that it draws when it begins: blocks with lower numbers have begun before.
struct waits_by_ticket {
  static constexpr char const* name = "waits_by_ticket";
  static constexpr bool waits = true;

  template <block Block, class Array, class Flags, class Op>
  void operator()(Block const& block, Array in, Array out, Flags flags, Flags tickets, Op op) const
  {
    block.step([&](int t) {
      if (t > 0) return;
      int const own = block.atomic_add(tickets, 0, 1);
      element_of<Array> sum = in[own];
      if (own > 0) {
        while (block.load_acquire(flags, own - 1) == 0) block.pause();
        sum = op(out[own - 1], sum);
      }
      out[own] = sum;
      block.store_release(flags, own, 1);
    });
  }
};

}  // namespace tally::textbook::exhibits
