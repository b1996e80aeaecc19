#include "tally/textbook/blelloch.hpp"
#include "tally/textbook/blelloch_padded.hpp"
#include "tally/textbook/blelloch_padded_twice.hpp"
#include "tally/textbook/brent_kung.hpp"
#include "tally/textbook/brent_kung_exclusive.hpp"
#include "tally/textbook/hillis_steele.hpp"
#include "tally/textbook/hillis_steele_exclusive.hpp"
#include "tally/textbook/hillis_steele_two_buffers.hpp"
#include "tally/textbook/kogge_stone.hpp"
#include "tally/textbook/on_one_block.hpp"
#include "tally/textbook/one_thread_per_output.hpp"
#include "tally/textbook/sections.hpp"
#include "tally/textbook/sequential_scan.hpp"
#include "tally/textbook/sklansky.hpp"
#include "tally/textbook/warp_shuffle_scan.hpp"
#include "textbook/block_scan_formulas.hpp"
#include "textbook/entry.hpp"

namespace tally::textbook {

namespace {

/// A kernel that runs as one block of up to 1024 threads.
template <class Kernel>
kernel_entry block_entry(kernel_entry described)
{
  described.most = 1024 * Kernel::elements_a_thread;
  return entry<on_one_block<Kernel>>(described);
}

/// The same of a block's scan.
template <class Scan>
kernel_entry scan_entry(kernel_entry described)
{
  return block_entry<scan_of_sections<Scan>>(described);
}

constexpr auto inclusive = result_kind::inclusive_scan, exclusive = result_kind::exclusive_scan;

std::vector<kernel_entry> simple_scans()
{
  return {
      scan_entry<sequential_scan>({.name = "sequential-scan",
                                   .title = "Sequential scan",
                                   .result = inclusive,
                                   .header = "sequential_scan.hpp",
                                   .source = "",
                                   .changes = "The oracle of the others: one thread takes one element after the other.",
                                   .work = formulas::one_less,
                                   .steps = formulas::one_less,
                                   .barriers = formulas::barriers_of_one_step}),
      scan_entry<one_thread_per_output>({.name = "one-thread-per-output",
                                         .title = "One thread per output",
                                         .result = inclusive,
                                         .header = "one_thread_per_output.hpp",
                                         .source = "",
                                         .changes = "Every thread adds up all that its output needs.",
                                         .work = formulas::all_pairs,
                                         .steps = formulas::one_less,
                                         .barriers = formulas::barriers_of_two_steps}),
  };
}

/// In log2 n steps, with n log n operations.
std::vector<kernel_entry> shallow_scans()
{
  return {
      scan_entry<hillis_steele>(
          {.name = "hillis-steele",
           .title = "Hillis-Steele scan",
           .result = inclusive,
           .header = "hillis_steele.hpp",
           .source = "Hillis & Steele (1986)",
           .changes = "Sums of 2, 4, 8 elements are shared instead of added up by every thread anew.",
           .work = formulas::every_stride,
           .steps = formulas::logarithm,
           .barriers = formulas::two_barriers_a_stride}),
      scan_entry<hillis_steele_two_buffers>(
          {.name = "hillis-steele-two-buffers",
           .title = "Hillis-Steele scan with two buffers",
           .result = inclusive,
           .header = "hillis_steele_two_buffers.hpp",
           .source = "Harris, Sengupta, Owens (2007)",
           .changes = "Each stride reads one array and writes another: one barrier a stride instead of two.",
           .work = formulas::every_stride,
           .steps = formulas::logarithm,
           .barriers = formulas::barriers_in_pairs}),
      block_entry<hillis_steele_exclusive>(
          {.name = "hillis-steele-exclusive",
           .title = "Hillis-Steele scan, exclusive by a shifted load",
           .result = exclusive,
           .header = "hillis_steele_exclusive.hpp",
           .source = "Hillis & Steele (1986)",
           .changes = "Each thread loads the element before its own, the first one the identity.",
           .work = formulas::every_stride,
           .steps = formulas::logarithm,
           .barriers = formulas::two_barriers_a_stride}),
      scan_entry<kogge_stone>(
          {.name = "kogge-stone",
           .title = "Kogge-Stone scan",
           .result = inclusive,
           .header = "kogge_stone.hpp",
           .source = "Kogge & Stone (1973)",
           .changes = "The network of Hillis and Steele, each value in a register: memory is for the wires alone.",
           .work = formulas::every_stride,
           .steps = formulas::logarithm,
           .barriers = formulas::barriers_in_pairs}),
      scan_entry<sklansky>(
          {.name = "sklansky",
           .title = "Sklansky scan",
           .result = inclusive,
           .header = "sklansky.hpp",
           .source = "Sklansky (1960)",
           .changes = "Half of the operations in as many steps: at stride s one element goes to s others.",
           .work = formulas::every_bit,
           .steps = formulas::logarithm,
           .barriers = formulas::one_barrier_a_stride}),
  };
}

/// With at most 2n operations, in about 2 log2 n steps.
std::vector<kernel_entry> thrifty_scans()
{
  return {
      scan_entry<brent_kung>({.name = "brent-kung",
                              .title = "Brent-Kung scan",
                              .result = inclusive,
                              .header = "brent_kung.hpp",
                              .source = "Brent & Kung (1982)",
                              .changes = "At most twice the work of one thread, for about twice the steps.",
                              .work = formulas::tree_and_back,
                              .steps = formulas::tree_and_back_steps,
                              .barriers = formulas::tree_and_back_barriers}),
      block_entry<brent_kung_exclusive>(
          {.name = "brent-kung-exclusive",
           .title = "Brent-Kung scan, exclusive by a shifted load",
           .result = exclusive,
           .header = "brent_kung_exclusive.hpp",
           .source = "Brent & Kung (1982)",
           .changes = "Both elements of a thread come from one place before; there is one identity for all.",
           .work = formulas::tree_and_back,
           .steps = formulas::tree_and_back_steps,
           .barriers = formulas::tree_and_back_barriers}),
      scan_entry<blelloch>(
          {.name = "blelloch",
           .title = "Blelloch scan",
           .result = exclusive,
           .header = "blelloch.hpp",
           .source = "Blelloch (1990)",
           .changes = "Exclusive without a shifted load: on the way down a node gets the sum of what is left of it.",
           .work = formulas::two_sweeps,
           .steps = formulas::two_sweeps_steps,
           .barriers = formulas::two_sweeps_barriers}),
      scan_entry<blelloch_padded>(
          {.name = "blelloch-padded",
           .title = "Blelloch scan, padded",
           .result = exclusive,
           .header = "blelloch_padded.hpp",
           .source = "Harris, Sengupta, Owens (2007)",
           .changes = "Element k stands at k + k/32, so that strides of powers of two meet different banks.",
           .work = formulas::two_sweeps,
           .steps = formulas::two_sweeps_steps,
           .barriers = formulas::two_sweeps_barriers}),
      scan_entry<blelloch_padded_twice>(
          {.name = "blelloch-padded-twice",
           .title = "Blelloch scan, padded twice",
           .result = exclusive,
           .header = "blelloch_padded_twice.hpp",
           .source = "Harris, Sengupta, Owens (2007)",
           .changes = "Element k stands at k + k/32 + k/1024: a gap for the gaps, which 2048 elements need.",
           .work = formulas::two_sweeps,
           .steps = formulas::two_sweeps_steps,
           .barriers = formulas::two_sweeps_barriers}),
  };
}

std::vector<kernel_entry> shuffle_scans()
{
  return {
      scan_entry<warp_shuffle_scan>(
          {.name = "warp-shuffle-scan",
           .title = "Warp shuffle scan",
           .result = inclusive,
           .header = "warp_shuffle_scan.hpp",
           .source = "Sengupta, Harris, Garland (2008)",
           .changes = "Two levels of 32: shuffles in every warp, then on the warps' totals, and three barriers.",
           .work = formulas::two_levels,
           .steps = formulas::two_levels_steps,
           .barriers = formulas::two_levels_barriers}),
  };
}

}  // namespace

std::vector<kernel_entry> block_scans()
{
  std::vector<kernel_entry> all;
  for (auto const part : {simple_scans, shallow_scans, thrifty_scans, shuffle_scans}) {
    std::vector<kernel_entry> const more = part();
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

}  // namespace tally::textbook
