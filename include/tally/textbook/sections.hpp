#pragma once

#include "tally/textbook/block.hpp"
#include "tally/textbook/transfer.hpp"

namespace tally::textbook {

/// The kernel around a block's scan: block b copies section b of in[0, n) to shared memory, scans it there, and copies it to `out`. Each section is a scan
/// of its own.
///
/// `Scan` says in `elements_a_thread` how many elements it takes for each of its threads, 1 if it says nothing.
template <class Scan>
struct scan_of_sections {
  static constexpr char const* name = Scan::name;
  static constexpr int elements_a_thread = [] {
    if constexpr (requires { Scan::elements_a_thread; })
      return Scan::elements_a_thread;
    else
      return 1;
  }();

  template <block Block, class In, class Out, class Op>
  TALLY_HD void operator()(Block const& block, In in, Out out, int n, Op op) const
  {
    int const section = block.size() * elements_a_thread, begin = block.index() * section;
    int const own = n - begin < section ? n - begin : section;
    auto x = block.template shared<element_of<In>>(section, "x");
    copy(block, in + begin, x, own);
    Scan{}(block, x, own, op);
    copy(block, x, out + begin, own);
  }
};

}  // namespace tally::textbook
