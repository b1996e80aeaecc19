#include <algorithm>

#include "tally/textbook/first_add_on_load_reduction.hpp"
#include "tally/textbook/global_reduction.hpp"
#include "tally/textbook/grid_stride_reduction.hpp"
#include "tally/textbook/host_finished_reduction.hpp"
#include "tally/textbook/in_order_reduction.hpp"
#include "tally/textbook/interleaved_reduction.hpp"
#include "tally/textbook/many_elements_reduction.hpp"
#include "tally/textbook/on_one_block.hpp"
#include "tally/textbook/padded_reduction.hpp"
#include "tally/textbook/sequential_addressing_reduction.hpp"
#include "tally/textbook/sequential_reduction.hpp"
#include "tally/textbook/totals_of_sections.hpp"
#include "tally/textbook/tree_reduction.hpp"
#include "tally/textbook/two_launch_reduction.hpp"
#include "tally/textbook/warp_shuffle_reduction.hpp"
#include "textbook/block_scan_formulas.hpp"
#include "textbook/entry.hpp"

namespace tally::textbook {

namespace {

std::size_t log2_up(int n)
{
  return formulas::count(formulas::strides_below(n));
}

std::size_t all_but_one(int n)
{
  return static_cast<std::size_t>(n - 1);
}

/// The launches of a two_launch_reduction: the sum of `of_launch(elements, blocks)` over them.
template <class F>
std::size_t over_launches(int n, int section, F const& of_launch)
{
  std::size_t sum = 0;
  for (;; n = divide_up(n, section)) {
    int const sections = divide_up(n, section);
    sum += of_launch(n, sections);
    if (sections == 1) return sum;
  }
}

/// Of a reduction that is a tree alone.
template <int Section>
std::size_t tree_steps(int n)
{
  return over_launches(n, Section, [](int m, int) { return log2_up(std::min(m, Section)); });
}
template <int Section>
std::size_t tree_and_load_barriers(int n)
{
  return over_launches(n, Section, [](int m, int) { return 1 + log2_up(std::min(m, Section)); });
}

constexpr int many = many_elements_reduction::elements_a_thread, many_threads = 256, many_section = many * many_threads;

std::size_t many_elements_tree(int m)
{
  return log2_up(std::min(many_threads, divide_up(m, many)));
}

/// The threads of the grid and of its blocks, and the tree of the first block, which is the deepest.
struct grid {
  grid(int m, int blocks)
      : block(blocks == 1 ? threads_for<grid_stride_reduction>(m) : many_threads),
        threads(blocks * block),
        tree(log2_up(std::min(m, block)))
  {
  }
  int block, threads;
  std::size_t tree;
};

template <class Reduction>
using block_reduction = on_one_block<totals_of_sections<Reduction>>;
/// Sections of 1024 elements.
using sections_in_order = totals_of_sections<in_order_reduction>;

constexpr formula n_less_one = {"n - 1", all_but_one};
constexpr formula log2_n = {"log2 n", log2_up};
constexpr formula log2_n_and_load = {"log2 n + 1", [](int n) { return log2_up(n) + 1; }};
constexpr formula none = {"0", [](int) { return std::size_t{0}; }};

}  // namespace

std::vector<kernel_entry> reductions()
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
      entry<tree_reduction>({.name = "tree-reduction",
                             .title = "Reduction tree",
                             .result = result_kind::reduction,
                             .header = "tree_reduction.hpp",
                             .source = "Hillis & Steele (1986)",
                             .changes = "All pairs of neighbours are added at once, by one launch for each step.",
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
      entry<on_a_copy<two_launch_reduction<global_reduction, 512>>>(
          {.name = "global-reduction",
           .title = "Reduction in global memory",
           .result = result_kind::reduction,
           .header = "global_reduction.hpp",
           .source = "Reeves, AMS 148, chapter 5",
           .changes = "Every step reads and writes global memory. It destroys its input, so it is given a copy.",
           .work = n_less_one,
           .steps = {"log2 n", tree_steps<1024>},
           .barriers = {"log2 n", tree_steps<1024>}}),
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
      entry<two_launch_reduction<sections_in_order, 512>>(
          {.name = "two-launch-reduction",
           .title = "Block sums, finished by further launches",
           .result = result_kind::reduction,
           .header = "two_launch_reduction.hpp",
           .source = "Kirk & Hwu (2010); Reeves, AMS 148, chapter 5",
           .changes =
               "A whole array: each block reduces 1024 elements, another launch the blocks' totals, until one is left.",
           .work = n_less_one,
           .steps = {"log2 n", tree_steps<1024>},
           .barriers = {"log2 n + 1 for each launch", tree_and_load_barriers<1024>}}),
      entry<host_finished_reduction<sections_in_order, 512>>(
          {.name = "host-finished-reduction",
           .title = "Block sums, finished on the host",
           .result = result_kind::reduction,
           .header = "host_finished_reduction.hpp",
           .source = "Kirk & Hwu (2010)",
           .changes = "The host adds up the blocks' totals, one after the other.",
           .work = n_less_one,
           .steps = {"log2 min(n, 1024) before the host's", [](int n) { return log2_up(std::min(n, 1024)); }},
           .barriers = {"log2 min(n, 1024) + 1", [](int n) { return log2_up(std::min(n, 1024)) + 1; }}}),
      entry<two_launch_reduction<many_elements_reduction, many_threads>>(
          {.name = "many-elements-reduction",
           .title = "Reduction of eight consecutive elements a thread",
           .result = result_kind::reduction,
           .header = "many_elements_reduction.hpp",
           .source = "Harris (2007), number 7; Brent (1974)",
           .changes = "Each thread adds up eight consecutive elements before the tree begins: most of the work needs "
                      "no barrier.",
           .work = n_less_one,
           .steps = {"7 + log2(n/8), and as much for each further launch",
                     [](int n) {
                       return over_launches(n, many_section, [](int m, int) {
                         return all_but_one(std::min(m, many)) + many_elements_tree(m);
                       });
                     }},
           .barriers = {"log2(n/8) + 1, and as much for each further launch",
                        [](int n) {
                          return over_launches(n, many_section, [](int m, int) { return many_elements_tree(m) + 1; });
                        }}}),
      entry<two_launch_reduction<grid_stride_reduction, many_threads>>(
          {.name = "grid-stride-reduction",
           .title = "Reduction with a grid stride",
           .result = result_kind::reduction,
           .header = "grid_stride_reduction.hpp",
           .source = "Harris (2007), number 7",
           .changes = "The elements of a thread are a grid apart: lanes read whole sectors together, out of order.",
           .work = n_less_one,
           .steps = {"n / threads - 1 + log2(threads of a block), for each launch",
                     [](int n) {
                       return over_launches(n, many_section, [](int m, int blocks) {
                         grid const of(m, blocks);
                         return all_but_one(divide_up(m, of.threads)) + of.tree;
                       });
                     }},
           .barriers = {"log2(threads of a block) + 1, for each launch",
                        [](int n) {
                          return over_launches(n, many_section,
                                               [](int m, int blocks) { return grid(m, blocks).tree + 1; });
                        }}}),
      entry<two_launch_reduction<warp_shuffle_reduction, 1024>>(
          {.name = "warp-shuffle-reduction",
           .title = "Reduction by warp shuffles",
           .result = result_kind::reduction,
           .header = "warp_shuffle_reduction.hpp",
           .source = "Luitjens (2014)",
           .changes = "Lanes give each other their registers; one warp reduces the warps' totals. One barrier in all.",
           .work = n_less_one,
           .steps = {"log2 n", tree_steps<1024>},
           .barriers = {"1 for each launch",
                        [](int n) { return over_launches(n, 1024, [](int, int) { return std::size_t{1}; }); }}}),
  };
}

}  // namespace tally::textbook
