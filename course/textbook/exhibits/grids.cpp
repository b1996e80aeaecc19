#include "runs.hpp"
#include "tally/textbook/blelloch.hpp"
#include "tally/textbook/exhibits/return_before_barrier.hpp"
#include "tally/textbook/exhibits/shift_across_blocks.hpp"
#include "tally/textbook/exhibits/sums_not_scanned.hpp"
#include "tally/textbook/exhibits/total_of_exclusive.hpp"
#include "tally/textbook/exhibits/update_block_zero.hpp"
#include "tally/textbook/exhibits/waits_by_index.hpp"
#include "tally/textbook/hillis_steele.hpp"
#include "tally/textbook/scan_scan_add.hpp"
#include "tally/textbook/sections.hpp"

namespace tally::textbook {

namespace {

using namespace exhibits;
using model::machine;
using model::traced;
using order = model::schedule::order;

/// An exclusive scan of 1 .. 6 that is to be made inclusive.
template <class Launch>
trial made_inclusive(Launch const& launch, model::schedule blocks = {})
{
  return tried(
      [&](machine& on) {
        auto const in = on.input(counted(6), "idata");
        auto const scan = on.input(scanned_before(counted(6), plus{}), "scan");
        launch(on, scan, in, on.watch<int>(plus{}));
        return text(scan);
      },
      blocks);
}

exhibit_run return_first()
{
  return {
      made_inclusive([](machine& on, auto scan, auto in, auto op) {
        on.launch_threads(1, 8, return_before_barrier{}, scan, in, 6, op);
      }),
      made_inclusive([](machine& on, auto scan, auto in, auto op) { on.launch(1, 8, moved_down{}, scan, in, 6, op); }),
      text(scanned(counted(6), plus{}))};
}

/// The last block runs first.
exhibit_run shift_of_blocks()
{
  model::schedule const last_first{.by = order::descending};
  return {made_inclusive([](machine& on, auto scan, auto in,
                            auto op) { on.launch_threads(2, 4, shift_across_blocks{}, scan, in, 6, op); },
                         last_first),
          made_inclusive(
              [](machine& on, auto scan, auto in, auto op) { on.launch(2, 4, own_input_added{}, scan, in, 6, op); },
              last_first),
          text(scanned(counted(6), plus{}))};
}

template <class Kernel>
trial totals_after_scan()
{
  return tried([](machine& on) {
    auto const in = on.input(counted(8), "in"), scan = on.allocate<traced<int>>(8, "scan"),
               totals = on.allocate<traced<int>>(2, "totals");
    auto const op = on.watch<int>(plus{});
    on.launch(2, 2, scan_of_sections<blelloch>{}, in, scan, 8, op);
    on.launch(1, 2, Kernel{}, in, scan, totals, 4, op);
    for (std::size_t section = 0; section < 2; ++section)
      on.expect(totals, section, on.elements(in, 4 * section, 4 * section + 4), plus{});
    return text(totals);
  });
}

exhibit_run totals_of_two()
{
  return {totals_after_scan<total_of_exclusive>(), totals_after_scan<last_and_input>(), "10 26"};
}

/// The sums of 1 .. 12 in three sections.
template <class Launch>
trial sums_of_three_sections()
{
  return tried([](machine& on) {
    auto const in = on.input(counted(12), "in"), out = on.allocate<traced<int>>(12, "out");
    Launch{}(on, in, out, 12, on.watch<int>(plus{}));
    expect_scan<int>(on, out, in, plus{}, scan_kind::inclusive);
    return text(out);
  });
}

exhibit_run sums_of_sections()
{
  return {sums_of_three_sections<sums_not_scanned<hillis_steele, 4>>(),
          sums_of_three_sections<scan_scan_add<hillis_steele, 4>>(), text(scanned(counted(12), plus{}))};
}

/// Two sections of four, each with the greatest so far, and the greatest of both sections so far.
template <class Launch>
trial joined_sections(Launch const& launch)
{
  return tried([&](machine& on) {
    auto const out = on.input(std::vector{-7, -3, -3, -3, -9, -5, -5, -2}, "out"),
               sums = on.input(std::vector{-3, -2}, "sums");
    std::vector<model::elements_in_order> first_section;  // nothing is before it
    for (std::size_t k = 0; k < 4; ++k) first_section.push_back(on.elements(out, k, k + 1));
    launch(on, out, sums, on.watch<int>(maximum{}));
    for (std::size_t k = 0; k < 4; ++k) on.expect(out, k, first_section[k], maximum{});
    return text(out);
  });
}

exhibit_run carries()
{
  return {joined_sections([](machine& on, auto out, auto sums, auto op) {
            on.launch(2, 4, update_block_zero{}, out, sums, 8, op);
          }),
          joined_sections([](machine& on, auto out, auto sums, auto op) {
            on.launch(1, 4, add_to_sections<hillis_steele>{}, out, sums, 8, op);
          }),
          "-7 -3 -3 -3 -3 -3 -3 -2"};
}

/// Eight blocks of which two find room, the last ones first.
template <class Kernel>
trial waiting_blocks()
{
  return tried(
      [](machine& on) {
        auto const in = on.input(counted(8), "in"), out = on.allocate<traced<int>>(8, "out");
        auto const flags = on.allocate<int>(8, "flags"), tickets = on.allocate<int>(1, "tickets");
        on.fill(flags, 0);
        on.fill(tickets, 0);
        on.launch(8, 32, Kernel{}, in, out, flags, tickets, on.watch<int>(plus{}));
        return text(out);
      },
      {.by = order::descending, .resident = 2});
}

exhibit_run blocks_that_wait()
{
  return {waiting_blocks<waits_by_index>(), waiting_blocks<waits_by_ticket>(), text(scanned(counted(8), plus{}))};
}

}  // namespace

std::vector<exhibit> grid_exhibits()
{
  constexpr std::string_view reeves = "Reeves, AMS 148, chapter 5";
  return {
      {.name = "return-before-barrier",
       .title = "A return before the barrier",
       .from = reeves,
       .says = "Threads without an element return at once; the others go on to a barrier.",
       .why = "A barrier is for all threads of the block. GPUs from Volta on leave out those that have ended, so it "
              "goes well there, as it "
              "does here; on older ones the others may wait for ever. Leave out the work, not the barrier.",
       .wrong = {"exhibits/return_before_barrier.hpp", "struct return_before_barrier"},
       .line = "if (thid >= n) co_return;",
       .fix = {"exhibits/return_before_barrier.hpp", "struct moved_down"},
       .shows = "The inclusive sums of 1 .. 6",
       .run = return_first},
      {.name = "shift-across-blocks",
       .title = "Moving an array by one place with several blocks",
       .from = reeves,
       .says = "The kernel that makes an exclusive scan inclusive moves it one place down, in place, behind a barrier. "
               "It is launched as "
               "one block.",
       .why = "The barrier orders the threads of a block. With two blocks, the first thread of the second writes the "
              "element that the "
              "last thread of the first has yet to read. Here the second block runs first, which a GPU may do. What an "
              "exclusive scan lacks is each "
              "element's own input: add that, and nothing has to move.",
       .wrong = {"exhibits/shift_across_blocks.hpp", "struct shift_across_blocks"},
       .line = "if (0 < i && i < n) scan[i - 1] = temp[thid];",
       .fix = {"exhibits/shift_across_blocks.hpp", "struct own_input_added"},
       .shows = "The inclusive sums of 1 .. 6",
       .run = shift_of_blocks},
      {.name = "total-of-exclusive",
       .title = "The last element of an exclusive scan taken for the total",
       .from = reeves,
       .says = "For larger arrays, the last elements of the scanned blocks make a second array, which is scanned and "
               "added.",
       .why = "That is right for an inclusive scan. The chapter's is exclusive: its last element is the sum of all "
              "before the last input. "
              "Every later section then lacks the last input of every section before it. The total is the last element "
              "and the last input.",
       .wrong = {"exhibits/total_of_exclusive.hpp", "struct total_of_exclusive"},
       .line = "block.each([&](int t) { totals[t] = scan[(t + 1) * section - 1]; });",
       .fix = {"exhibits/total_of_exclusive.hpp", "struct last_and_input"},
       .shows = "The sums of 1 .. 4 and 5 .. 8",
       .run = totals_of_two},
      {.name = "sums-not-scanned",
       .title = "Right for one block, and for two",
       .from = "None: a mistake of scans that are tested on two blocks at most",
       .says = "Each block scans its section. Then each section adds the sum of the section before it.",
       .why =
           "The sum of one section is all that precedes the second, and not all that precedes the third. A test with "
           "one block passes, and one with two. The sums are an array, and are scanned as the sections are.",
       .wrong = {"exhibits/sums_not_scanned.hpp", "struct sums_not_scanned"},
       .line = "// here the sums have to be scanned",
       .fix = {"scan_scan_add.hpp", "struct scan_scan_add"},
       .shows = "The sums of 1 .. 12, in sections of 4",
       .run = sums_of_sections},
      {.name = "update-block-zero",
       .title = "Block 0 updated, with 0",
       .from = reeves,
       .says = "For a sum, block 0 needs no update; for max and min it does.",
       .why = "Nothing precedes block 0, for any operator. An update is harmless if it is made with the identity; made "
              "with 0 it raises "
              "every negative maximum to 0. The rule for max and min is a consequence of that mistake, not a rule.",
       .wrong = {"exhibits/update_block_zero.hpp", "struct update_block_zero"},
       .line = "E const before = b == 0 ? E(0) : E(sums[b - 1]);",
       .fix = {"scan_scan_add.hpp", "struct add_to_sections"},
       .shows = "The greatest so far",
       .run = carries},
      {.name = "waits-by-index",
       .title = "Waiting for the block before, by its index",
       .from = "None: where the documents stop, and a scan in one pass begins",
       .says =
           "Sections of a large array are left to three launches. One launch needs blocks that wait for each other.",
       .why = "Blocks begin in no promised order, and a block that waits keeps its place. Here there is room for two, "
              "and the last two begin: "
              "they wait for blocks that cannot begin. A ticket, drawn when a block begins, makes the order in which "
              "they wait the order in which they "
              "have begun.",
       .wrong = {"exhibits/waits_by_index.hpp", "struct waits_by_index"},
       .line = "int const own = block.index();",
       .fix = {"exhibits/waits_by_index.hpp", "struct waits_by_ticket"},
       .shows = "The sums of 1 .. 8, an element a block",
       .run = blocks_that_wait},
  };
}

}  // namespace tally::textbook
