#pragma once

#include "tally/textbook/in_order_reduction.hpp"
#include "tally/textbook/sections.hpp"
#include "tally/textbook/totals_of_sections.hpp"

namespace tally::textbook {

/// The last launch: block b adds the sum of the sections before its own to its first element, and scans the section. So
/// the scan carries that sum to all the others.
template <class Scan>
struct scan_sections_onwards {
  static constexpr char const* name = "scan_sections_onwards";
  static constexpr int elements_a_thread = elements_a_thread_of<Scan>();

  template <block Block, class In, class Out, class Sums, class Op>
  TALLY_HD void operator()(Block const& block, In in, Out out, Sums sums, int n, Op op) const
  {
    using E = element_of<In>;
    int const section = block.size() * elements_a_thread, begin = block.index() * section;
    int const own = n - begin < section ? n - begin : section;
    auto x = room_for_section<Scan, E>(block);
    load_section<Scan>(block, in + begin, x, own, op);
    block.step([&](int t) {
      if (t == 0 && block.index() > 0) x[0] = op(sums[block.index() - 1], x[0]);
    });
    Scan{}(block, x, own, op);
    copy(block, x, out + begin, own);
  }
};

/// Reduce - scan - scan: inclusive scan of an array of any size. Every section but the last is reduced, the totals are
/// scanned in the same way, and every section is scanned together with the sum that precedes it.
///
/// Changes   scan_scan_add.hpp: the sum before a section is known when the section is scanned. Every element is read
///           twice and written once: 3n accesses of global memory instead of 4n.
/// Assumes   op is associative, `Scan` inclusive; `Reduction` keeps the order of its operands.
/// Work      a level: that of the sections, and one for each element before the last section: S - 1 for a section's
///           total, 1 for taking in what precedes it.
/// Steps     a level but the last: ceil(log2 S) for the totals of sections of S elements, 1, and those of Scan.
/// Source    Merrill & Grimshaw (2009).
template <class Scan, int Threads = 256>
struct reduce_scan_scan {
  static_assert(!is_exclusive<Scan>,
                "reduce_scan_scan adds what precedes a section to its first element: its scan is to be inclusive");

  template <class Device, class In, class Out, class Op>
  void operator()(Device& device, In in, Out out, int n, Op const& op) const
  {
    using totals = totals_of_sections<in_order_reduction>;
    constexpr int section = Threads * elements_a_thread_of<Scan>();
    int const sections = divide_up(n, section);
    if (sections == 1) return device.launch(1, Threads, scan_of_sections<Scan>{}, in, out, n, op);
    auto const sums = device.template allocate<element_of<In>>(static_cast<std::size_t>(sections - 1), "sums");
    device.launch(sections - 1, section / totals::elements_a_thread, totals{}, in, sums, n, op);
    (*this)(device, sums, sums, sections - 1, op);
    device.launch(sections, Threads, scan_sections_onwards<Scan>{}, in, out, sums, n, op);
  }
};

}  // namespace tally::textbook
