#pragma once

#include "tally/textbook/sections.hpp"
#include "tally/textbook/transfer.hpp"

namespace tally::textbook {

/// The value that a section has published: none yet, the sum of its own elements, or the sum of all up to its end.
struct published {
  static constexpr int nothing = 0, own_sum = 1, sum_to_end = 2;
};

/// Hands out sections in the order in which blocks draw them. All sections before a block's own have been drawn, so it
/// never waits for a block that has not begun.
struct by_ticket {
  template <block Block, class Tickets>
  TALLY_HD int operator()(Block const& block, Tickets drawn) const
  {
    auto ticket = block.template shared<int>(1, "ticket");
    block.step([&](int t) {
      if (t == 0) ticket[0] = block.atomic_add(drawn, 0, 1);
    });
    return block.broadcast(ticket, 0);
  }
};

/// The only launch: a block scans its section, publishes its sum, looks back until it knows the sum before its section,
/// and publishes the sum up to its end.
template <class Scan, class Order = by_ticket>
struct scan_and_look_back {
  static constexpr char const* name = "scan_and_look_back";
  static constexpr bool waits = true;
  static constexpr int elements_a_thread = elements_a_thread_of<Scan>();

  template <block Block, class In, class Out, class States, class Sums, class Op>
  TALLY_HD void operator()(Block const& block, In in, Out out, States drawn, States states, Sums own_sums,
                           Sums sums_to_end, int n, Op op) const
  {
    using E = element_of<In>;
    int const number = Order{}(block, drawn);
    int const section = block.size() * elements_a_thread, begin = number * section;
    int const own = n - begin < section ? n - begin : section;
    auto x = room_for_section<Scan, E>(block);
    auto before = block.template shared<E>(1, "before");
    load_section<Scan>(block, in + begin, x, own, op);
    Scan{}(block, x, own, op);
    block.step([&](int t) {
      if (t != 0) return;
      E const sum = x[own - 1];
      if (number == 0) {
        sums_to_end[0] = sum;
        block.store_release(states, 0, published::sum_to_end);
        return;
      }
      own_sums[number] = sum;
      block.store_release(states, number, published::own_sum);
      E const found = look_back(block, states, own_sums, sums_to_end, number, op);
      before[0] = found;
      sums_to_end[number] = op(found, sum);
      block.store_release(states, number, published::sum_to_end);
    });
    block.step([&](int t) {
      for (int k = t; k < own; k += block.size()) {
        if (number > 0)
          out[begin + k] = op(before[0], x[k]);
        else
          out[begin + k] = x[k];
      }
    });
  }

private:
  /// The sum of all elements before section `number` > 0. Adds up the own sums of the sections before it, back to the
  /// first one that has published the sum up to its end.
  template <block Block, class States, class Sums, class Op>
  TALLY_HD static element_of<Sums> look_back(Block const& block, States states, Sums own_sums, Sums sums_to_end,
                                             int number, Op const& op)
  {
    using E = element_of<Sums>;
    int k = number - 1, state = await(block, states, k);
    if (state == published::sum_to_end) return sums_to_end[k];
    E sum = own_sums[k];
    do {
      state = await(block, states, --k);
      E const more = state == published::sum_to_end ? sums_to_end[k] : own_sums[k];
      sum = op(more, sum);
    } while (state != published::sum_to_end);
    return sum;
  }
  template <block Block, class States>
  TALLY_HD static int await(Block const& block, States states, int k)
  {
    int state = block.load_acquire(states, k);
    for (; state == published::nothing; state = block.load_acquire(states, k)) block.pause();
    return state;
  }
};

/// Prepares a launch: no section is drawn, and none is published.
struct clear_states {
  static constexpr char const* name = "clear_states";

  template <block Block, class States>
  TALLY_HD void operator()(Block const& block, States drawn, States states, int sections) const
  {
    block.step([&](int t) {
      int const k = block.index() * block.size() + t;
      if (k == 0) drawn[0] = 0;
      if (k < sections) states[k] = published::nothing;
    });
  }
};

/// A single pass with decoupled look-back: inclusive scan of an array of any size. A block does not wait for the
/// results of the blocks before it, only for the sums of their elements: it adds up the sum before its section by
/// itself, from the sums that they have published.
///
/// Changes   scan_scan_add.hpp: the elements are read once and written once, 2n accesses of global memory, whatever the
///           number of levels would be.
/// Assumes   op is associative, `Scan` inclusive. A block that has begun runs until it has ended, as on a GPU.
/// Work      that of the sections, n less the first one's elements, and one for each section but the first and each
///           further own sum that it takes in.
/// Steps     those of Scan, 1, and as many as the blocks look back, which depends on the order in which they run.
/// Source    Merrill & Garland (2016), who let a warp look back at 32 sections at once.
template <class Scan, int Threads = 256, class Order = by_ticket>
struct single_pass_look_back {
  template <class Device, class In, class Out, class Op>
  void operator()(Device& device, In in, Out out, int n, Op const& op) const
  {
    static_assert(!is_exclusive<Scan>,
                  "single_pass_look_back takes the last element of a section for its sum: its scan is to be inclusive");
    using E = element_of<In>;
    int const sections = divide_up(n, Threads * elements_a_thread_of<Scan>());
    auto const size = static_cast<std::size_t>(sections);
    auto const drawn = device.template allocate<int>(1, "drawn");
    auto const states = device.template allocate<int>(size, "states");
    auto const own_sums = device.template allocate<E>(size, "own_sums");
    auto const sums_to_end = device.template allocate<E>(size, "sums_to_end");
    device.launch(divide_up(sections, Threads), Threads, clear_states{}, drawn, states, sections);
    device.launch(sections, Threads, scan_and_look_back<Scan, Order>{}, in, out, drawn, states, own_sums, sums_to_end,
                  n, op);
  }
};

}  // namespace tally::textbook
