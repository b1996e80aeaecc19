#pragma once

#include <cstddef>

#include "tally/textbook/on_one_block.hpp"

namespace tally::textbook {

/// A whole array of any n >= 1: every block reduces a section of it; another launch reduces the sections' totals in the
/// same way, and so on until one is left. Launches run one after the other: no other barrier orders blocks.
///
/// Changes   one block: here as many as there are sections.
/// Assumes   what `Kernel` does: it leaves the total of section b of in[0, n) in out[b], a section being block.size() *
///           Kernel::elements_a_thread elements.
/// Work      n - 1 applications of op.
/// Steps     those of a section, for each launch: log2 n where n and sections are powers of two. Two launches take 1024
///           * 1024 elements where a section has 1024.
/// Source    Kirk & Hwu (2010); Reeves, AMS 148, chapter 5: 2^20 = 1024 * 1024.
template <class Kernel, int Threads>
struct two_launch_reduction {
  static constexpr int section = Threads * Kernel::elements_a_thread;
  static constexpr bool needs_commutative = textbook::needs_commutative<Kernel>;

  template <class Device, class In, class Out, class Op>
  void operator()(Device& device, In in, Out out, int n, Op const& op) const
  {
    int const sections = divide_up(n, section);
    if (sections == 1) {
      on_one_block<Kernel>{}(device, in, out, n, op);
      return;
    }
    auto const totals = device.template allocate<element_of<In>>(static_cast<std::size_t>(sections), "totals");
    device.launch(sections, Threads, Kernel{}, in, totals, n, op);
    (*this)(device, totals, out, sections, op);
  }
};

}  // namespace tally::textbook
