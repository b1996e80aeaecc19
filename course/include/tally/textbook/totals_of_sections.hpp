#pragma once

#include "tally/textbook/on_one_block.hpp"
#include "tally/textbook/sections.hpp"

namespace tally::textbook {

/// The kernel around a block's reduction: block b copies section b of in[0, n) to shared memory, reduces it there, and
/// leaves its total in out[b]. `Reduction` leaves the total of x[0, n) in x[0], and has the members that sections.hpp
/// lists.
template <class Reduction>
struct totals_of_sections {
  static constexpr char const* name = Reduction::name;
  static constexpr int elements_a_thread = elements_a_thread_of<Reduction>();
  static constexpr bool needs_commutative = textbook::needs_commutative<Reduction>;

  template <block Block, class In, class Out, class Op>
  TALLY_HD void operator()(Block const& block, In in, Out out, int n, Op const& op) const
  {
    int const section = block.size() * elements_a_thread, begin = block.index() * section;
    int const own = n - begin < section ? n - begin : section;
    auto x = room_for_section<Reduction, element_of<In>>(block);
    copy(block, in + begin, x, own);
    Reduction{}(block, x, own, op);
    block.each([&](int t) {
      if (t == 0) out[block.index()] = x[0];
    });
  }
};

}  // namespace tally::textbook
