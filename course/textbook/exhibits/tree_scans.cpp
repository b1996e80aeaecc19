#include "scan_runs.hpp"
#include "tally/textbook/blelloch.hpp"
#include "tally/textbook/blelloch_padded.hpp"
#include "tally/textbook/blelloch_padded_twice.hpp"
#include "tally/textbook/brent_kung.hpp"
#include "tally/textbook/exhibits/children_swapped.hpp"
#include "tally/textbook/exhibits/compared_not_shifted.hpp"
#include "tally/textbook/exhibits/endless_loop.hpp"
#include "tally/textbook/exhibits/full_mask_shuffle.hpp"
#include "tally/textbook/exhibits/half_write_back.hpp"
#include "tally/textbook/exhibits/no_barrier_after_load.hpp"
#include "tally/textbook/exhibits/scan_of_six.hpp"
#include "tally/textbook/warp_shuffle_scan.hpp"

namespace tally::textbook {

namespace {

using namespace exhibits;
using model::machine;
using model::traced;

exhibit_run after_load()
{
  return {by_threads<no_barrier_after_load>(scan_kind::inclusive, 4, sample, plus{}), scan<brent_kung>(sample),
          text(scanned(sample, plus{}))};
}

exhibit_run half_written()
{
  return {by_threads<half_write_back>(scan_kind::inclusive, 4, sample, plus{}, 8), scan<brent_kung>(sample),
          text(scanned(sample, plus{}))};
}

exhibit_run swapped()
{
  return {bl_scan<children_swapped>(counted(8), plus{}), scan<blelloch>(counted(8)),
          text(scanned_before(counted(8), plus{}))};
}

exhibit_run compared()
{
  return {bl_scan<compared_not_shifted>(counted(8), plus{}), scan<blelloch>(counted(8)),
          text(scanned_before(counted(8), plus{}))};
}

exhibit_run of_six()
{
  return {bl_scan<scan_of_six>(counted(6), plus{}), scan<blelloch>(counted(6)),
          text(scanned_before(counted(6), plus{}))};
}

exhibit_run without_end()
{
  return {tried([](machine& on) {
            auto const in = on.input(counted(8), "idata"), total = on.allocate<traced<int>>(1, "total");
            on.launch_threads(1, 4, endless_loop{}, total, in, 8, on.watch<int>(plus{}));
            return text(total);
          }),
          tried([](machine& on) {
            auto const in = on.input(counted(8), "in"), out = on.allocate<traced<int>>(8, "out");
            on_one_block<scan_of_sections<blelloch>>{}(on, in, out, 8, on.watch<int>(plus{}));
            auto const before = on.values(out);
            return std::to_string(before[7] + 8);  // the last of an exclusive scan, and the last input
          }),
          "36"};
}

exhibit_run four_warps()
{
  return {by_threads<full_mask_shuffle>(scan_kind::inclusive, 128, counted(128), plus{}),
          scan<warp_shuffle_scan>(counted(128)), text(scanned(counted(128), plus{}))};
}

/// Wavefronts of a scan of 2048 elements.
template <class Scan>
trial wavefronts()
{
  std::size_t passes = 0;
  trial result = tried([&](machine& on) {
    auto const in = on.input(counted(2048), "in"), out = on.allocate<traced<int>>(2048, "out");
    on_one_block<scan_of_sections<Scan>>{}(on, in, out, 2048, on.watch<int>(plus{}));
    passes = on.counts().shared.wavefronts;
    return std::to_string(passes) + ", at most " + std::to_string(on.counts().shared.worst_degree) + " in a bank";
  });
  return result;
}

exhibit_run padded_once()
{
  exhibit_run both = {wavefronts<blelloch_padded>(), wavefronts<blelloch_padded_twice>(), {}};
  both.expected = std::to_string(both.wrong.counts.shared.ideal) + ", at most 1 in a bank";
  return both;
}

constexpr excerpt up_and_down{"brent_kung.hpp", "struct brent_kung"}, with_identity{"blelloch.hpp", "struct blelloch"};
constexpr std::string_view reeves = "Reeves, AMS 148, chapter 5";

}  // namespace

std::vector<exhibit> tree_scan_exhibits()
{
  return {
      {.name = "no-barrier-after-load",
       .title = "No barrier between the load and the first step",
       .from = "Lecture notes, 4.6",
       .says = "The reduction phase of the work-efficient kernel has its barrier at the end of the loop.",
       .why = "In the first step thread 0 needs what thread 1 loads. It may not be there yet; and thread 1 may load "
              "over what thread 0 "
              "has already added. The barrier belongs before the step, as in the other phase.",
       .wrong = {"exhibits/no_barrier_after_load.hpp", "struct no_barrier_after_load"},
       .line = "if (index < 2 * size) XY[index] = op(XY[index - stride], XY[index]);",
       .fix = up_and_down,
       .shows = inclusive_sums,
       .run = after_load},
      {.name = "half-write-back",
       .title = "Two elements a thread, one of them stored",
       .from = "Lecture notes, 4.6",
       .says = "The kernel scans 2 * BLOCK_SIZE elements, and its last line stores one for each thread.",
       .why = "The line is that of the kernel with one element a thread. The second half of each section is computed "
              "and never stored: "
              "the output keeps what was there before, which after an earlier, right run is the right result.",
       .wrong = {"exhibits/half_write_back.hpp", "struct half_write_back"},
       .line = "if (i < n) Y[i] = XY[t];",
       .fix = up_and_down,
       .shows = inclusive_sums,
       .run = half_written},
      {.name = "children-swapped",
       .title = "The down-sweep with its children swapped",
       .from = reeves,
       .says = "In the text, the left element becomes the result of the operation, and the right one gets the old left "
               "one. The code next "
               "to it does the opposite.",
       .why =
           "What stands at a node on the way down is the sum of all that is left of it. Left of its left child is just "
           "that; left of "
           "its right child is that and the left child itself. So the left child gets a copy, the right one the sum.",
       .wrong = {"exhibits/children_swapped.hpp", "struct children_swapped"},
       .line = "temp[ai] = op(temp[bi], temp[ai]);",
       .fix = with_identity,
       .shows = exclusive_sums,
       .run = swapped},
      {.name = "compared-not-shifted",
       .title = "offset >= 1, which has no effect",
       .from = reeves,
       .says = "On the way down the offset is halved by a shift; the line compares it instead.",
       .why = "The offset stays n, and the second operand is looked for behind the end of shared memory. It compiles, "
              "because a comparison "
              "is an expression; -Wall says that its value is not used. Warnings are worth reading.",
       .wrong = {"exhibits/compared_not_shifted.hpp", "struct compared_not_shifted"},
       .line = "void(offset >= 1);",
       .fix = with_identity,
       .shows = exclusive_sums,
       .run = compared},
      {.name = "endless-loop",
       .title = "d >= 1, which never ends",
       .from = reeves,
       .says = "On the way up the number of active threads is halved by a shift; the loop compares it instead.",
       .why = "d stays n/2, so the loop never ends, and offset doubles until the elements that it names lie beyond the "
              "block's memory. The "
              "machine goes on where a GPU may stop with an illegal address, and gives up after 10000 barriers.",
       .wrong = {"exhibits/endless_loop.hpp", "struct endless_loop"},
       .line = "void(d >= 1);",
       .fix = with_identity,
       .shows = "The sum of 1 .. 8",
       .run = without_end},
      {.name = "scan-of-six",
       .title = "Blelloch's scan where n is no power of two",
       .from = reeves,
       .says = "The kernel takes n and does not say that it must be a power of two, and twice the number of threads.",
       .why = "With six elements the third pair finds no partner: its sum never reaches the root, which is cleared all "
              "the same. On the "
              "way down the offset becomes 0 one level too early, and addresses -1. A tree over eight elements, two of "
              "them identities, is right for "
              "six.",
       .wrong = {"exhibits/scan_of_six.hpp", "struct scan_of_six"},
       .line = "for (int d = n >> 1; d > 0; d >>= 1) {",
       .fix = with_identity,
       .shows = exclusive_sums,
       .run = of_six},
      {.name = "padding-at-2048",
       .title = "index + index/32 still conflicts at 2048",
       .from = "CUDA scan exercise, solution 03",
       .says = "A gap after every 32 elements makes the bank conflicts disappear.",
       .why = "Elements 1024 apart have gaps that differ by 1024/32 = 32 words, and so they are in one bank again. "
              "Among 2048 elements a "
              "warp meets such pairs from stride 32 on, which takes it twice the wavefronts, on the way up and down; "
              "among 1024 it meets none, so the "
              "trap opens at 2048. A second level of gaps, index/1024, closes it.",
       .wrong = {"blelloch_padded.hpp", "struct blelloch_padded"},
       .line = "static constexpr int levels_of_padding = 1;",
       .fix = {"blelloch_padded_twice.hpp", "struct blelloch_padded_twice"},
       .shows = "Wavefronts",
       .run = padded_once},
      {.name = "full-mask-shuffle",
       .title = "A shuffle of all lanes under lane < num_warps",
       .from = "CUDA scan exercise, solution 04",
       .says = "1024 = 32 x 32: shuffles scan each warp, then the totals of the warps.",
       .why = "The mask promises that 32 lanes come to the shuffle, and only as many come as there are warps. The "
              "result of such a shuffle is "
              "undefined; it may wait for ever. It comes out right on the machine, which gives the lanes that are "
              "there what they ask for. All "
              "lanes should take part, with nothing to add where there is no total, or the mask should name those that "
              "do.",
       .wrong = {"exhibits/full_mask_shuffle.hpp", "struct full_mask_shuffle"},
       .line = "E const left = co_await thread.shuffle_up(sum, d, 0xffffffff);",
       .fix = {"warp_shuffle_scan.hpp", "struct warp_shuffle_scan"},
       .shows = inclusive_sums,
       .run = four_warps},
  };
}

}  // namespace tally::textbook
