#pragma once

#include <cstddef>

#include "tally/textbook/on_one_block.hpp"

namespace tally::textbook {

/// out[0] = value: stores a value that the host has computed where a kernel's caller expects it.
struct value_from_host {
  static constexpr char const* name = "value_from_host";

  template <block Block, class Out, class E>
  TALLY_HD void operator()(Block const& block, Out out, E const& value) const
  {
    block.each([&](int t) {
      if (t == 0) out[0] = value;
    });
  }
};

/// A whole array of any n >= 1: every block reduces a section of it, and the host adds up the sections' totals.
///
/// Changes   a second launch: here the host finishes. That is right for few totals; their number grows with n, and the
///           host adds them one after the other.
/// Assumes   what `Kernel` does (two_launch_reduction.hpp). The host can call op.
/// Work      n - 1 applications of op, of which the host does ceil(n / section) - 1.
/// Steps     those of a section, before the host's.
/// Source    Kirk & Hwu (2010).
template <class Kernel, int Threads>
struct host_finished_reduction {
  static constexpr int section = Threads * Kernel::elements_a_thread;
  static constexpr bool needs_commutative = textbook::needs_commutative<Kernel>;

  template <class Device, class In, class Out, class Op>
  void operator()(Device& device, In in, Out out, int n, Op const& op) const
  {
    using E = element_of<In>;
    int const sections = divide_up(n, section);
    auto const totals = device.template allocate<E>(static_cast<std::size_t>(sections), "totals");
    device.launch(sections, sections == 1 ? threads_for<Kernel>(n) : Threads, Kernel{}, in, totals, n, op);
    auto const here = device.to_host(totals);
    E sum = here[0];
    for (std::size_t k = 1; k < here.size(); ++k) sum = op(sum, here[k]);
    device.launch(1, warp_lanes, value_from_host{}, out, sum);
  }
};

}  // namespace tally::textbook
