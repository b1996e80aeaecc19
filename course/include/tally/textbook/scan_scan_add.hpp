#pragma once

#include "tally/textbook/sections.hpp"
#include "tally/textbook/transfer.hpp"

namespace tally::textbook {

/// The first launch: block b scans section b, and stores the section's sum as sums[b]. The last element of an inclusive
/// scan is that sum; that of an exclusive one lacks the last input.
template <class Scan>
struct scan_sections_and_sums {
  static constexpr char const* name = "scan_sections_and_sums";
  static constexpr int elements_a_thread = elements_a_thread_of<Scan>();

  template <block Block, class In, class Out, class Sums, class Op>
  TALLY_HD void operator()(Block const& block, In in, Out out, Sums sums, int n, Op op) const
  {
    using E = element_of<In>;
    int const section = block.size() * elements_a_thread, begin = block.index() * section;
    int const own = n - begin < section ? n - begin : section;
    auto x = room_for_section<Scan, E>(block);
    load_section<Scan>(block, in + begin, x, own, op);
    Scan{}(block, x, own, op);
    // `out` may be `in`: the thread that overwrites the last input has read it before.
    block.step([&](int t) {
      for (int k = t; k < own; k += block.size()) {
        E const scanned = x[k];
        if (k == own - 1) {
          if constexpr (is_exclusive<Scan>)
            sums[block.index()] = op(scanned, in[begin + k]);
          else
            sums[block.index()] = scanned;
        }
        out[begin + k] = scanned;
      }
    });
  }
};

/// The last launch: block b adds the sum before section b + 1 to each element of that section, from the left. Section 0
/// has nothing before it, whatever the operator.
template <class Scan>
struct add_to_sections {
  static constexpr char const* name = "add_to_sections";

  template <block Block, class Out, class Sums, class Op>
  TALLY_HD void operator()(Block const& block, Out out, Sums sums, int n, Op op) const
  {
    using E = element_of<Out>;
    int const section = block.size() * elements_a_thread_of<Scan>();
    int const number = block.index() + 1, begin = number * section;
    block.step([&](int t) {
      E const before = sums[is_exclusive<Scan> ? number : number - 1];
      for (int k = begin + t; k < begin + section && k < n; k += block.size()) out[k] = op(before, out[k]);
    });
  }
};

/// Scan - scan - add: an array of any size. Every section is scanned by a block, the sums of the sections are scanned
/// in the same way, and the sum before each section is added. Inclusive or exclusive as `Scan` is, on every level. If
/// Scan is `shifted` (sections.hpp), the result is exclusive: the elements are shifted, and the sums are not.
///
/// Changes   one block, which takes as much as its shared memory holds: here the sections' sums are an array again, and
///           so on.
/// Assumes   op is associative.
/// Work      a level: that of the sections, and one for each element behind the first section. Where Scan is exclusive,
///           one more for each section's sum.
/// Steps     a level but the last: those of Scan, and as many as a thread has elements to add to.
/// Source    Harris, Sengupta, Owens (2007).
template <class Scan, int Threads = 256>
struct scan_scan_add {
  template <class Device, class In, class Out, class Op>
  void operator()(Device& device, In in, Out out, int n, Op const& op) const
  {
    constexpr int section = Threads * elements_a_thread_of<Scan>();
    int const sections = divide_up(n, section);
    if (sections == 1) return device.launch(1, Threads, scan_of_sections<Scan>{}, in, out, n, op);
    auto const sums = device.template allocate<element_of<In>>(static_cast<std::size_t>(sections), "sums");
    device.launch(sections, Threads, scan_sections_and_sums<Scan>{}, in, out, sums, n, op);
    if constexpr (is_shifted<Scan>)
      scan_scan_add<typename Scan::unshifted, Threads>{}(device, sums, sums, sections, op);
    else
      (*this)(device, sums, sums, sections, op);
    device.launch(sections - 1, Threads, add_to_sections<Scan>{}, out, sums, n, op);
  }
};

}  // namespace tally::textbook
