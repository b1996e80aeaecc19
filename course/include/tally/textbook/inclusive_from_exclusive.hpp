#pragma once

#include "tally/textbook/block.hpp"
#include "tally/textbook/transfer.hpp"

namespace tally::textbook {

/// out[k] = exclusive[k + 1], and the last one from the last input. A thread an element; `out` is another array than
/// `exclusive`: in place, a block would read what its neighbour may have overwritten.
struct shift_left {
  static constexpr char const* name = "shift_left";

  template <block Block, class In, class Exclusive, class Out, class Op>
  TALLY_HD void operator()(Block const& block, In in, Exclusive exclusive, Out out, int n, Op op) const
  {
    block.step([&](int t) {
      int const k = block.index() * block.size() + t;
      if (k < n - 1)
        out[k] = exclusive[k + 1];
      else if (k == n - 1)
        out[k] = op(exclusive[k], in[k]);
    });
  }
};

/// The inclusive scan of an array of any size from its exclusive scan.
///
/// Changes   an exclusive scan: every result moves one place to the left, across blocks too, and the total comes last.
/// Assumes   `Scan{}(device, in, out, n, op)` leaves the exclusive scan of in[0, n).
/// Work      1 application of op besides those of Scan.
/// Steps     1 besides those of Scan.
template <class Scan, int Threads = 256>
struct inclusive_from_exclusive {
  template <class Device, class In, class Out, class Op>
  void operator()(Device& device, In in, Out out, int n, Op const& op) const
  {
    auto const exclusive = device.template allocate<element_of<In>>(static_cast<std::size_t>(n), "exclusive");
    Scan{}(device, in, exclusive, n, op);
    device.launch(divide_up(n, Threads), Threads, shift_left{}, in, exclusive, out, n, op);
  }
};

}  // namespace tally::textbook
