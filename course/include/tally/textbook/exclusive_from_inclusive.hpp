#pragma once

#include "tally/operators/traits.hpp"
#include "tally/textbook/block.hpp"
#include "tally/textbook/transfer.hpp"

namespace tally::textbook {

/// out[k] = inclusive[k - 1], and the identity first, once in the whole array. A thread an element; `out` is another
/// array than `inclusive`: in place, a block would read what its neighbour may have overwritten.
struct shift_right {
  static constexpr char const* name = "shift_right";

  template <block Block, class Inclusive, class Out, monoid_over<element_of<Out>> Op>
  TALLY_HD void operator()(Block const& block, Inclusive inclusive, Out out, int n, Op op) const
  {
    block.step([&](int t) {
      int const k = block.index() * block.size() + t;
      if (k == 0)
        out[k] = identity_of<element_of<Out>>(op);
      else if (k < n)
        out[k] = inclusive[k - 1];
    });
  }
};

/// The exclusive scan of an array of any size from its inclusive scan.
///
/// Changes   an inclusive scan: every result moves one place to the right, across blocks too, and the total is dropped.
/// Assumes   `Scan{}(device, in, out, n, op)` leaves the inclusive scan of in[0, n). op has an identity.
/// Work      that of Scan.
/// Steps     those of Scan.
template <class Scan, int Threads = 256>
struct exclusive_from_inclusive {
  template <class Device, class In, class Out, class Op>
  void operator()(Device& device, In in, Out out, int n, Op const& op) const
  {
    auto const inclusive = device.template allocate<element_of<In>>(static_cast<std::size_t>(n), "inclusive");
    Scan{}(device, in, inclusive, n, op);
    device.launch(divide_up(n, Threads), Threads, shift_right{}, inclusive, out, n, op);
  }
};

}  // namespace tally::textbook
