#include <algorithm>

#include "tally/textbook/first_add_on_load_reduction.hpp"
#include "tally/textbook/global_reduction.hpp"
#include "tally/textbook/in_order_reduction.hpp"
#include "tally/textbook/interleaved_reduction.hpp"
#include "tally/textbook/on_one_block.hpp"
#include "tally/textbook/padded_reduction.hpp"
#include "tally/textbook/sequential_addressing_reduction.hpp"
#include "tally/textbook/sequential_reduction.hpp"
#include "tally/textbook/totals_of_sections.hpp"
#include "tally/textbook/tournament.hpp"
#include "tally/textbook/tree_reduction.hpp"
#include "tally/textbook/two_launch_reduction.hpp"
#include "textbook/entry.hpp"
#include "textbook/reduction_formulas.hpp"

namespace tally::textbook {

namespace {

using formulas::all_but_one, formulas::log2_n, formulas::log2_n_and_load, formulas::log2_up, formulas::n_less_one,
    formulas::none, formulas::tree_steps;

template <class Reduction>
using block_reduction = on_one_block<totals_of_sections<Reduction>>;

/// On the ladder up to one block's; `TreeThreads` and `Threads` are those of blocks.
template <int TreeThreads, int Threads>
std::vector<kernel_entry> reductions_of()
{
  return {
      entry<on_one_block<sequential_reduction>>(
          {.name = "sequential-reduction",
           .title = "Sequential reduction",
           .result = result_kind::reduction,
           .header = "sequential_reduction.hpp",
           .source = "Kirk & Hwu (2010)",
           .changes =
               "What every other reduction is measured against: one thread takes in one element after the other.",
           .work = n_less_one,
           .steps = {"n - 1", all_but_one},
           .barriers = none}),
      entry<tree_reduction<TreeThreads>>(
          {.name = "tree-reduction",
           .title = "Reduction tree",
           .result = result_kind::reduction,
           .header = "tree_reduction.hpp",
           .source = "Hillis & Steele (1986)",
           .changes = "All pairs of neighbours are added at once, by one launch for each step.",
           .threads = TreeThreads,
           .work = n_less_one,
           .steps = log2_n,
           .barriers = none}),
      tournament_entry<tournament_of_players<TreeThreads>>(
          {.name = "tournament",
           .title = "Tournament",
           .result = result_kind::reduction,
           .header = "tournament.hpp",
           .source = "Kirk & Hwu (2010)",
           .changes =
               "The tree with maximum; players are values with their places, so that winner and bracket are known.",
           .threads = TreeThreads,
           .work = n_less_one,
           .steps = log2_n,
           .barriers = none}),
      entry<block_reduction<interleaved_reduction>>(
          {.name = "interleaved-reduction",
           .title = "Reduction with t % stride",
           .result = result_kind::reduction,
           .header = "interleaved_reduction.hpp",
           .source = "Kirk & Hwu (2010); Harris (2007), number 1",
           .changes = "One block takes all steps of the tree in its shared memory, with a barrier after each.",
           .most = 2048,
           .work = n_less_one,
           .steps = log2_n,
           .barriers = log2_n_and_load}),
      entry<block_reduction<sequential_addressing_reduction>>(
          {.name = "sequential-addressing-reduction",
           .title = "Reduction with t < stride",
           .result = result_kind::reduction,
           .header = "sequential_addressing_reduction.hpp",
           .source = "Kirk & Hwu (2010); Harris (2007), number 3",
           .changes = "The threads that work are consecutive, and so are their elements; operands come out of order.",
           .most = 2048,
           .work = n_less_one,
           .steps = log2_n,
           .barriers = log2_n_and_load}),
      entry<block_reduction<in_order_reduction>>(
          {.name = "in-order-reduction",
           .title = "Reduction by consecutive threads, in order",
           .result = result_kind::reduction,
           .header = "in_order_reduction.hpp",
           .source = "Harris (2007), number 2",
           .changes = "The threads that work are consecutive, and add neighbours: operands keep their order, lanes "
                      "meet in banks.",
           .most = 2048,
           .work = n_less_one,
           .steps = log2_n,
           .barriers = log2_n_and_load}),
      entry<block_reduction<padded_reduction>>(
          {.name = "padded-reduction",
           .title = "Reduction in order, without bank conflicts",
           .result = result_kind::reduction,
           .header = "padded_reduction.hpp",
           .source = "Harris, Sengupta, Owens (2007)",
           .changes = "The same kernel on an array with gaps, so that lanes meet in no bank.",
           .most = 2048,
           .work = n_less_one,
           .steps = log2_n,
           .barriers = log2_n_and_load}),
      entry<on_a_copy<two_launch_reduction<global_reduction, Threads>>>(
          {.name = "global-reduction",
           .title = "Reduction in global memory",
           .result = result_kind::reduction,
           .header = "global_reduction.hpp",
           .source = "Reeves, AMS 148, chapter 5",
           .changes = "Every step reads and writes global memory. It destroys its input, so it is given a copy.",
           .threads = Threads,
           .work = n_less_one,
           .steps = {"log2 n", tree_steps<2 * Threads>},
           .barriers = {"log2 n", tree_steps<2 * Threads>}}),
      entry<on_one_block<first_add_on_load_reduction>>(
          {.name = "first-add-on-load-reduction",
           .title = "Reduction with a first addition on load",
           .result = result_kind::reduction,
           .header = "first_add_on_load_reduction.hpp",
           .source = "Harris (2007), number 4",
           .changes =
               "Each thread adds its two elements when it loads them: half the shared memory, one step less in it.",
           .most = 2048,
           .work = n_less_one,
           .steps = log2_n,
           .barriers = {"log2 n", [](int n) { return std::max<std::size_t>(1, log2_up(n)); }}}),
  };
}

}  // namespace

std::vector<kernel_entry> reductions(blocks size)
{
  return size == blocks::full ? reductions_of<256, 512>() : reductions_of<2, 2>();
}

}  // namespace tally::textbook
