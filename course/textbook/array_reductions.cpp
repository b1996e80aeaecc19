#include <algorithm>

#include "tally/textbook/atomic_histogram.hpp"
#include "tally/textbook/block_histogram.hpp"
#include "tally/textbook/grid_stride_reduction.hpp"
#include "tally/textbook/host_finished_reduction.hpp"
#include "tally/textbook/in_order_reduction.hpp"
#include "tally/textbook/many_elements_reduction.hpp"
#include "tally/textbook/private_histogram.hpp"
#include "tally/textbook/totals_of_sections.hpp"
#include "tally/textbook/two_launch_reduction.hpp"
#include "tally/textbook/warp_shuffle_reduction.hpp"
#include "textbook/entry.hpp"
#include "textbook/reduction_formulas.hpp"

namespace tally::textbook {

namespace {

using formulas::all_but_one, formulas::log2_up, formulas::n_less_one, formulas::over_launches, formulas::tree_steps,
    formulas::tree_and_load_barriers;

/// Where a thread has several elements before the tree begins.
template <int Elements, int Threads>
struct many {
  static constexpr int section = Elements * Threads;

  static std::size_t tree(int m) { return log2_up(std::min(Threads, divide_up(m, Elements))); }
  static std::size_t steps(int n)
  {
    return over_launches(n, section, [](int m, int) { return all_but_one(std::min(m, Elements)) + tree(m); });
  }
  static std::size_t barriers(int n)
  {
    return over_launches(n, section, [](int m, int) { return tree(m) + 1; });
  }
};

/// Where they are a grid apart.
template <int Elements, int Threads>
struct strided {
  static constexpr int section = Elements * Threads;

  /// The threads of the grid and of its blocks, and the tree of the first block, which is the deepest.
  struct grid {
    grid(int m, int blocks)
        : block(blocks == 1 ? threads_for<grid_stride_reduction<Elements>>(m) : Threads),
          threads(blocks * block),
          tree(log2_up(std::min(m, block)))
    {
    }
    int block, threads;
    std::size_t tree;
  };
  static std::size_t steps(int n)
  {
    return over_launches(n, section, [](int m, int blocks) {
      grid const of(m, blocks);
      return all_but_one(divide_up(m, of.threads)) + of.tree;
    });
  }
  static std::size_t barriers(int n)
  {
    return over_launches(n, section, [](int m, int blocks) { return grid(m, blocks).tree + 1; });
  }
};

/// Private histograms: their threads, and as many blocks as there may be.
template <int Threads, int MostBlocks>
struct histograms {
  static int blocks(int n) { return std::min(divide_up(n, Threads), MostBlocks); }

  /// The steps of combine_copies: in each phase those of the thread that has most.
  static int tree_steps(int copies)
  {
    int steps = 0;
    for (int s = power_of_two_from(copies) / 2; s > 0; s /= 2) {
      int most = 0;
      for (int t = 0; t < Threads; ++t) {
        int own = 0;
        for (int k = t; k < histogram_bins * s; k += Threads) own += k % s + s < copies;
        most = std::max(most, own);
      }
      steps += most;
    }
    return steps;
  }
  static std::size_t work(int n) { return formulas::count(n + histogram_bins * (Threads * blocks(n) - 1)); }
  static std::size_t steps(int n)
  {
    return formulas::count(divide_up(n, Threads * blocks(n)) + tree_steps(Threads) + tree_steps(blocks(n)));
  }
  static std::size_t barriers(int n) { return 1 + log2_up(Threads) + 1 + log2_up(blocks(n)); }
};

/// A histogram for each block.
template <int Threads, int MostBlocks>
struct histograms_of_blocks {
  static int blocks(int n) { return std::min(divide_up(n, Threads), MostBlocks); }
  static std::size_t work(int n) { return formulas::count(n + histogram_bins * blocks(n)); }
  static std::size_t steps(int n)
  {
    return formulas::count(divide_up(n, Threads * blocks(n)) + divide_up(histogram_bins, Threads));
  }
};

using sections_in_order = totals_of_sections<in_order_reduction>;

struct full_sizes {
  static constexpr int threads = 512, section = 2 * threads, elements = 8, strided_threads = 256, warp_threads = 1024,
                       histogram_threads = 64, histogram_blocks = 16, atomic_threads = 256;
};
struct small_sizes {
  static constexpr int threads = 2, section = 2 * threads, elements = 4, strided_threads = 2, warp_threads = warp_lanes,
                       histogram_threads = 2, histogram_blocks = 2, atomic_threads = 2;
};

template <class sizes>
std::vector<kernel_entry> of_sizes()
{
  using counting = histograms<sizes::histogram_threads, sizes::histogram_blocks>;
  using meeting = histograms_of_blocks<sizes::atomic_threads, sizes::histogram_blocks>;
  constexpr bool full = std::is_same_v<sizes, full_sizes>;
  return {
      entry<two_launch_reduction<sections_in_order, sizes::threads>>(
          {.name = "two-launch-reduction",
           .title = "Block sums, finished by further launches",
           .result = result_kind::reduction,
           .header = "two_launch_reduction.hpp",
           .source = "Kirk & Hwu (2010); Reeves, AMS 148, chapter 5",
           .changes =
               "A whole array: each block reduces a section, another launch the blocks' totals, until one is left.",
           .threads = sizes::threads,
           .work = n_less_one,
           .steps = {"log2 n", tree_steps<sizes::section>},
           .barriers = {"log2 n + 1 for each launch", tree_and_load_barriers<sizes::section>}}),
      entry<host_finished_reduction<sections_in_order, sizes::threads>>(
          {.name = "host-finished-reduction",
           .title = "Block sums, finished on the host",
           .result = result_kind::reduction,
           .header = "host_finished_reduction.hpp",
           .source = "Kirk & Hwu (2010)",
           .changes = "The host adds up the blocks' totals, one after the other.",
           .threads = sizes::threads,
           .work = n_less_one,
           .steps = {full ? "log2 min(n, 1024) before the host's" : "log2 min(n, 4) before the host's",
                     [](int n) { return log2_up(std::min(n, sizes::section)); }},
           .barriers = {full ? "log2 min(n, 1024) + 1" : "log2 min(n, 4) + 1",
                        [](int n) { return log2_up(std::min(n, sizes::section)) + 1; }}}),
      entry<two_launch_reduction<many_elements_reduction<sizes::elements>, sizes::strided_threads>>(
          {.name = "many-elements-reduction",
           .title = full ? "Reduction of eight consecutive elements a thread"
                         : "Reduction of four consecutive elements a thread",
           .result = result_kind::reduction,
           .header = "many_elements_reduction.hpp",
           .source = "Harris (2007), number 7; Brent (1974)",
           .changes = full ? "Each thread adds up eight consecutive elements before the tree begins: most of the work "
                             "needs no barrier."
                           : "Each thread adds up four consecutive elements before the tree begins: most of the work "
                             "needs no barrier.",
           .threads = sizes::strided_threads,
           .work = n_less_one,
           .steps = {full ? "7 + log2(n/8), and as much for each further launch"
                          : "3 + log2(n/4), and as much for each further launch",
                     many<sizes::elements, sizes::strided_threads>::steps},
           .barriers = {full ? "log2(n/8) + 1, and as much for each further launch"
                             : "log2(n/4) + 1, and as much for each further launch",
                        many<sizes::elements, sizes::strided_threads>::barriers}}),
      entry<two_launch_reduction<grid_stride_reduction<sizes::elements>, sizes::strided_threads>>(
          {.name = "grid-stride-reduction",
           .title = "Reduction with a grid stride",
           .result = result_kind::reduction,
           .header = "grid_stride_reduction.hpp",
           .source = "Harris (2007), number 7",
           .changes = "The elements of a thread are a grid apart: lanes read whole sectors together, out of order.",
           .threads = sizes::strided_threads,
           .work = n_less_one,
           .steps = {"n / threads - 1 + log2(threads of a block), for each launch",
                     strided<sizes::elements, sizes::strided_threads>::steps},
           .barriers = {"log2(threads of a block) + 1, for each launch",
                        strided<sizes::elements, sizes::strided_threads>::barriers}}),
      entry<two_launch_reduction<warp_shuffle_reduction, sizes::warp_threads>>(
          {.name = "warp-shuffle-reduction",
           .title = "Reduction by warp shuffles",
           .result = result_kind::reduction,
           .header = "warp_shuffle_reduction.hpp",
           .source = "Luitjens (2014)",
           .changes = "Lanes give each other their registers; one warp reduces the warps' totals. One barrier in all.",
           .threads = sizes::warp_threads,
           .work = n_less_one,
           .steps = {"log2 n", tree_steps<sizes::warp_threads>},
           .barriers = {"1 for each launch",
                        [](int n) {
                          return over_launches(n, sizes::warp_threads, [](int, int) { return std::size_t{1}; });
                        }}}),
      histogram_entry<of_bins<histogram_bins, atomic_histogram<sizes::atomic_threads>>>(
          {.name = "atomic-histogram",
           .title = "One histogram, with atomic additions",
           .result = result_kind::histogram,
           .header = "atomic_histogram.hpp",
           .source = "Kirk & Hwu (2010)",
           .changes = "Counts instead of a sum: every thread adds to the one histogram, and equal elements wait for "
                      "each other.",
           .threads = sizes::atomic_threads,
           .work = {"n", [](int n) { return formulas::count(n); }},
           .steps = {"1, in as many turns as lanes meet", [](int) { return std::size_t{1}; }},
           .barriers = {"0", [](int) { return std::size_t{0}; }}}),
      histogram_entry<of_bins<histogram_bins, block_histogram<sizes::atomic_threads, sizes::histogram_blocks>>>(
          {.name = "block-histogram",
           .title = "A histogram for each block, with atomic additions",
           .result = result_kind::histogram,
           .header = "block_histogram.hpp",
           .source = "Kirk & Hwu (2010)",
           .changes = "Threads meet in the shared memory of their block; global memory gets one addition for each bin "
                      "of a block.",
           .threads = sizes::atomic_threads,
           .work = {full ? "n + 8 blocks, with n/256 blocks, at most 16" : "n + 8 blocks, with n/2 blocks, at most 2",
                    meeting::work},
           .steps = {full ? "n / (256 blocks) + 1" : "n / (2 blocks) + 4", meeting::steps},
           .barriers = {"2", [](int) { return std::size_t{2}; }}}),
      histogram_entry<of_bins<histogram_bins, private_histogram<sizes::histogram_threads, sizes::histogram_blocks>>>(
          {.name = "private-histogram",
           .title = "Private histograms, added up by a tree",
           .result = result_kind::histogram,
           .header = "private_histogram.hpp",
           .source = "Kirk & Hwu (2010)",
           .changes = "Each thread counts in a histogram of its own; then a tree adds up copies instead of elements.",
           .threads = sizes::histogram_threads,
           .work = {full ? "n + 8 (64 blocks - 1), with n/64 blocks, at most 16"
                         : "n + 8 (2 blocks - 1), with n/2 blocks, at most 2",
                    counting::work},
           .steps = {full ? "n / (64 blocks) + 10 + log2(blocks)" : "n / (2 blocks) + 4 + 4 log2(blocks)",
                     counting::steps},
           .barriers = {full ? "8 + log2(blocks)" : "3 + log2(blocks)", counting::barriers}}),
  };
}

}  // namespace

std::vector<kernel_entry> array_reductions(blocks size)
{
  return size == blocks::full ? of_sizes<full_sizes>() : of_sizes<small_sizes>();
}

}  // namespace tally::textbook
