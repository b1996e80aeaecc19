#pragma once

#include "tally/textbook/scan_scan_add.hpp"

namespace tally::textbook::exhibits {

/// Wrong on purpose. Sections are scanned, and to each the sum of the section before it is added: of that one alone. It
/// is right for one section, and for two.
///
/// Source    block scans that are tested on arrays of one block, or two.
/// Right     scan_scan_add.hpp: the sums are an array, and are scanned as well.
template <class Scan, int Threads>
struct sums_not_scanned {
  template <class Device, class In, class Out, class Op>
  void operator()(Device& device, In in, Out out, int n, Op const& op) const
  {
    constexpr int section = Threads * elements_a_thread_of<Scan>();
    int const sections = divide_up(n, section);
    auto const sums = device.template allocate<element_of<In>>(static_cast<std::size_t>(sections), "sums");
    device.launch(sections, Threads, scan_sections_and_sums<Scan>{}, in, out, sums, n, op);
    // here the sums have to be scanned
    device.launch(sections - 1, Threads, add_to_sections<Scan>{}, out, sums, n, op);
  }
};

}  // namespace tally::textbook::exhibits
