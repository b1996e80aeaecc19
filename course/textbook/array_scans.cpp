#include <algorithm>

#include "tally/textbook/blelloch_padded.hpp"
#include "tally/textbook/brent_kung.hpp"
#include "tally/textbook/exclusive_from_inclusive.hpp"
#include "tally/textbook/inclusive_from_exclusive.hpp"
#include "tally/textbook/reduce_scan_scan.hpp"
#include "tally/textbook/scan_scan_add.hpp"
#include "tally/textbook/single_pass_look_back.hpp"
#include "textbook/block_scan_formulas.hpp"
#include "textbook/entry.hpp"

namespace tally::textbook {

namespace {

using inclusive_sections = brent_kung;
using exclusive_sections = blelloch_padded;

constexpr auto inclusive_work = formulas::tree_and_back.value;
constexpr auto inclusive_steps = formulas::tree_and_back_steps.value;
constexpr auto inclusive_barriers = formulas::tree_and_back_barriers.value;
constexpr auto exclusive_work = formulas::two_sweeps.value;
constexpr auto exclusive_steps = formulas::two_sweeps_steps.value;
constexpr auto exclusive_barriers = formulas::two_sweeps_barriers.value;

/// Their cost with sections of two elements for each of `Threads` threads.
template <int Threads>
struct costs {
  static constexpr int section = 2 * Threads;

  /// A launch over n elements.
  struct level {
    int n, sections;

    bool last() const { return sections == 1; }
    /// The most elements that a section has.
    int longest() const { return std::min(n, section); }
    /// The sum of `cost` over the sections' elements.
    template <class F>
    std::size_t over_sections(F const& cost) const
    {
      return static_cast<std::size_t>(sections - 1) * cost(section) + cost(n - (sections - 1) * section);
    }
    std::size_t behind_the_first() const { return formulas::count(n - longest()); }
    std::size_t before_the_last() const { return formulas::count((sections - 1) * section); }
    /// The elements of the longest section behind the first.
    int longest_later() const { return std::min(n - longest(), section); }
    /// The elements that a thread adds to in the sections behind the first.
    std::size_t added_by_a_thread() const { return formulas::count(divide_up(longest_later(), Threads)); }
  };

  /// The sum of `cost` over the levels, of which each has the sums of the one before: of all its sections, or of all
  /// but `left_out`.
  template <class F>
  static std::size_t over_levels(int n, int left_out, F const& cost)
  {
    level const here{n, divide_up(n, section)};
    return cost(here) + (here.last() ? 0 : over_levels(here.sections - left_out, left_out, cost));
  }

  /// Where every section but the first has one step before its scan or after it, and `more`: the steps of the block
  /// that has most.
  static std::size_t longest_of_blocks(level of, std::size_t more)
  {
    return std::max(inclusive_steps(section), inclusive_steps(of.longest_later()) + 1 + more);
  }

  static std::size_t scan_scan_add_work(int n)
  {
    return over_levels(n, 0, [](level of) { return of.over_sections(inclusive_work) + of.behind_the_first(); });
  }
  static std::size_t scan_scan_add_steps(int n)
  {
    return over_levels(n, 0, [](level of) { return inclusive_steps(of.longest()) + of.added_by_a_thread(); });
  }
  static std::size_t scan_scan_add_barriers(int n)
  {
    return over_levels(n, 0, [](level of) { return inclusive_barriers(of.longest()) + !of.last(); });
  }

  static std::size_t exclusive_scan_work(int n)
  {
    return over_levels(n, 0, [](level of) {
      std::size_t const sums = of.last() ? 0 : formulas::count(of.sections);
      return of.over_sections(exclusive_work) + sums + of.behind_the_first();
    });
  }
  static std::size_t exclusive_scan_steps(int n)
  {
    return over_levels(n, 0,
                       [](level of) { return exclusive_steps(of.longest()) + !of.last() + of.added_by_a_thread(); });
  }
  static std::size_t exclusive_scan_barriers(int n)
  {
    return over_levels(n, 0, [](level of) { return exclusive_barriers(of.longest()) + !of.last(); });
  }

  static std::size_t reduce_scan_scan_work(int n)
  {
    return over_levels(n, 1, [](level of) { return of.over_sections(inclusive_work) + of.before_the_last(); });
  }
  static std::size_t reduce_scan_scan_steps(int n)
  {
    return over_levels(n, 1, [](level of) {
      if (of.last()) return inclusive_steps(of.n);
      return formulas::count(formulas::strides_below(section)) + longest_of_blocks(of, 0);
    });
  }
  static std::size_t reduce_scan_scan_barriers(int n)
  {
    return over_levels(n, 1, [](level of) {
      std::size_t const totals = of.last() ? 0 : formulas::count(formulas::strides_below(section)) + 2;
      return totals + inclusive_barriers(of.longest());
    });
  }

  // Where blocks come one after the other, each finds the sum to the end of the section before its own.
  static std::size_t single_pass_work(int n)
  {
    level const all{n, divide_up(n, section)};
    return all.over_sections(inclusive_work) + all.behind_the_first() + formulas::count(all.sections - 1);
  }
  static std::size_t single_pass_steps(int n)
  {
    level const all{n, divide_up(n, section)};
    if (all.last()) return inclusive_steps(n);
    return longest_of_blocks(all, all.added_by_a_thread());
  }
  static std::size_t single_pass_barriers(int n) { return inclusive_barriers(std::min(n, section)) + 3; }
};

template <int Threads>
std::vector<kernel_entry> array_scans_of()
{
  using cost = costs<Threads>;
  using inclusive_scan = scan_scan_add<inclusive_sections, Threads>;
  using exclusive_scan = scan_scan_add<exclusive_sections, Threads>;
  using shifted_scan = scan_scan_add<shifted<inclusive_sections>, Threads>;
  constexpr bool full = Threads == 256;
  return {
      entry<inclusive_scan>(
          {.name = "scan-scan-add",
           .title = "Scan, scan, add",
           .result = result_kind::inclusive_scan,
           .header = "scan_scan_add.hpp",
           .source = "Harris, Sengupta, Owens (2007)",
           .changes = "Any number of elements: sections are scanned, then their sums, which are added back.",
           .threads = Threads,
           .work = {"below 3n", cost::scan_scan_add_work},
           .steps = {"2 log2 n - 2 + levels", cost::scan_scan_add_steps},
           .barriers = {"2 log2 n - 1 + 2 levels", cost::scan_scan_add_barriers}}),
      entry<exclusive_scan>(
          {.name = "scan-scan-add-exclusive",
           .title = "Scan, scan, add: exclusive",
           .result = result_kind::exclusive_scan,
           .header = "scan_scan_add.hpp",
           .source = "Harris, Sengupta, Owens (2007)",
           .changes = "The same with Blelloch's scan: the sum of a section is its last result and its last element.",
           .threads = Threads,
           .work = {full ? "below 3.01 n" : "below 4n", cost::exclusive_scan_work},
           .steps = {"2 log2 n - 3 + 3 levels", cost::exclusive_scan_steps},
           .barriers = {"2 log2 n - 1 + 3 levels", cost::exclusive_scan_barriers}}),
      entry<shifted_scan>(
          {.name = "scan-scan-add-shifted",
           .title = "Scan, scan, add: exclusive by a shifted load",
           .result = result_kind::exclusive_scan,
           .header = "scan_scan_add.hpp",
           .source = "Harris, Sengupta, Owens (2007)",
           .changes =
               "The inclusive scan again, on elements that are loaded from one place before: block 0 alone has an "
               "identity.",
           .threads = Threads,
           .work = {"below 3n", cost::scan_scan_add_work},
           .steps = {"2 log2 n - 2 + levels", cost::scan_scan_add_steps},
           .barriers = {"2 log2 n - 1 + 2 levels", cost::scan_scan_add_barriers}}),
      entry<reduce_scan_scan<inclusive_sections, Threads>>(
          {.name = "reduce-scan-scan",
           .title = "Reduce, scan, scan",
           .result = result_kind::inclusive_scan,
           .header = "reduce_scan_scan.hpp",
           .source = "Merrill & Grimshaw (2009)",
           .changes =
               "Sections are reduced first, so that they are scanned with what precedes them: less memory traffic.",
           .threads = Threads,
           .work = {"below 3n", cost::reduce_scan_scan_work},
           .steps = {full ? "2 log2 n + 7" : "6 for each level but the last, 3 or less there",
                     cost::reduce_scan_scan_steps},
           .barriers = {full ? "2 log2 n + 12" : "9 for each level but the last, 5 or less there",
                        cost::reduce_scan_scan_barriers}}),
      entry<single_pass_look_back<inclusive_sections, Threads>>(
          {.name = "single-pass-look-back",
           .title = "Single pass with decoupled look-back",
           .result = result_kind::inclusive_scan,
           .header = "single_pass_look_back.hpp",
           .source = "Merrill & Garland (2016)",
           .changes =
               "Each block adds up what precedes it from what the others publish: one launch, one pass over memory.",
           .threads = Threads,
           .work = {"below 3n", cost::single_pass_work},
           .steps = {full ? "at most 20, where blocks begin in order" : "at most 6, where blocks begin in order",
                     cost::single_pass_steps},
           .barriers = {full ? "at most 22" : "at most 8", cost::single_pass_barriers}}),
      entry<inclusive_from_exclusive<exclusive_scan, Threads>>(
          {.name = "inclusive-from-exclusive",
           .title = "Inclusive scan from an exclusive one",
           .result = result_kind::inclusive_scan,
           .header = "inclusive_from_exclusive.hpp",
           .source = "Harris, Sengupta, Owens (2007)",
           .changes = "Every result moves one place to the left, across blocks; the last needs the last element.",
           .threads = Threads,
           .work = {full ? "below 3.01 n" : "below 4n", [](int n) { return cost::exclusive_scan_work(n) + 1; }},
           .steps = {"2 log2 n - 2 + 3 levels", [](int n) { return cost::exclusive_scan_steps(n) + 1; }},
           .barriers = {"2 log2 n + 3 levels", [](int n) { return cost::exclusive_scan_barriers(n) + 1; }}}),
      entry<exclusive_from_inclusive<inclusive_scan, Threads>>(
          {.name = "exclusive-from-inclusive",
           .title = "Exclusive scan from an inclusive one",
           .result = result_kind::exclusive_scan,
           .header = "exclusive_from_inclusive.hpp",
           .source = "Harris, Sengupta, Owens (2007)",
           .changes = "Every result moves one place to the right, across blocks; the first is the identity.",
           .threads = Threads,
           .work = {"below 3n", cost::scan_scan_add_work},
           .steps = {"2 log2 n - 2 + levels", cost::scan_scan_add_steps},
           .barriers = {"2 log2 n + 2 levels", [](int n) { return cost::scan_scan_add_barriers(n) + 1; }}}),
  };
}

}  // namespace

std::vector<kernel_entry> array_scans(blocks size)
{
  return size == blocks::full ? array_scans_of<256>() : array_scans_of<2>();
}

}  // namespace tally::textbook
