#include "help/pages/pages.hpp"
#include "kernels/named.hpp"

namespace tally::cli {

command_page const& brent_page()
{
  static command_page const page = {
      .name = "brent",
      .summary = "the time of p processors for a kernel, and Brent's theorem",
      .usage = "tally brent [OPTION...] [KERNEL...]",
      .description =
          {"Runs kernels on the model machine, which records every application of the operator and its operands: a "
           "graph of T_1 operations whose longest chain is T_inf. For p = 1, 2, 4 .. up to n it makes a greedy "
           "schedule of that graph on p processors, and prints its time T_p. Brent's theorem says T_1/p <= T_p <= "
           "T_1/p + T_inf; a time outside these bounds is an error.",
           "Without a kernel it prints a line for each. With kernels it prints a table for each: the bounds, the "
           "operations that can be done at once, the speed-up of p processors over one, and the share of time in which "
           "they work. `map` is not a kernel of the textbook but n operations, none of which needs another."},
      .options = {{"Kernels",
                   {kernel_arguments({{"map", ""}}),
                    {"--n", "N", "The number of elements, from 1 to 1048576; 1024 if not given."}}},
                  {"Output",
                   {{"--svg", "FILE",
                     "Write a plot as well: T_p over p, with the bounds, of up to eight kernels. If none is named the "
                     "plot has map, tree-reduction, sequential-scan, hillis-steele and brent-kung. `-` writes the plot "
                     "alone to standard output.",
                     completes::files},
                    {"--json", "", "Print JSON for scripts instead of tables."},
                    {"-h,--help", "", "Show this help."}}}},
      .sections = {},
      .examples = {
          {"All kernels on 1024 elements:", "tally brent"},
          {"Two scans with their bounds, and a plot:", "tally brent --svg scans.svg hillis-steele brent-kung"}}};
  return page;
}

}  // namespace tally::cli
