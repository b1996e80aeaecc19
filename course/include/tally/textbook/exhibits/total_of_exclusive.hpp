#pragma once

#include "tally/textbook/block.hpp"

namespace tally::textbook::exhibits {

/// Wrong on purpose. The second array, of the sections' totals, made of the last element of each scanned section. The
/// chapter's scan is exclusive: its last element lacks the section's last input.
///
/// Source    Reeves, AMS 148, chapter 5, larger arrays, the second of four steps.
/// Right     last_and_input, below; scan_scan_add.hpp does it within the scan.
struct total_of_exclusive {
  static constexpr char const* name = "total_of_exclusive";

  template <block Block, class Array, class Op>
  void operator()(Block const& block, Array, Array scan, Array totals, int section, Op) const
  {
    block.each([&](int t) { totals[t] = scan[(t + 1) * section - 1]; });
  }
};

/// The last element of the scan, and the last of the input.
struct last_and_input {
  static constexpr char const* name = "last_and_input";

  template <block Block, class Array, class Op>
  void operator()(Block const& block, Array in, Array scan, Array totals, int section, Op op) const
  {
    block.each([&](int t) {
      int const last = (t + 1) * section - 1;
      totals[t] = op(scan[last], in[last]);
    });
  }
};

}  // namespace tally::textbook::exhibits
