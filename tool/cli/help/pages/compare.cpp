#include "compare/comparison.hpp"
#include "help/pages/pages.hpp"
#include "kernels/named.hpp"

namespace tally::cli {

command_page const& compare_page()
{
  static command_page const page = {
      .name = "compare",
      .summary = "run the textbook's kernels on the model machine, and count their work",
      .usage = "tally compare [OPTION...] [KERNEL...]",
      .description =
          {"Runs kernels for reduce and scan on a model of a GPU that records every application of the operator with "
           "its operands, every access to shared and global memory, and every step of every warp. Each result is "
           "checked, and a fault of a kernel is an error. Prints a line for each kernel that takes that many elements, "
           "in the order of the textbook's ladder, then the others with the reason, then some conclusions about work "
           "and time."},
      .options =
          {{"Kernels",
            {kernel_arguments(),
             {"--n", "N",
              "The number of elements, from 1 to 1048576, and with --over n the greatest; 1024 if not given."},
             {"--op", "OP",
              "The operation that combines them; if not given, the sum, or the kernel's own: the maximum for the "
              "tournament. The counts do not depend on it.",
              completes::choices, kernel_operation_choices()}}},
           {"One figure over the number of elements",
            {{"--over",
              "n",
              "Print one figure for 2, 4, 8 .. elements, and which kernels have the least of it.",
              completes::choices,
              {{"n", "the number of elements"}}},
             {"--processors", "P", "The figure is the time of that many processors; 32 if not given."},
             {"--column", "COLUMN", "The figure is that column of the table.", completes::choices, column_choices()},
             {"--svg", "FILE",
              "Write a plot as well, of up to eight kernels. If none is named the plot has seven scans. `-` writes the "
              "plot alone to standard output.",
              completes::files}}},
           {"Output",
            {{"--sort", "COLUMN", "Sort by this column, the least first.", completes::choices, column_choices()},
             {"--gpu", "", "Also run the kernels on the GPU, check and time them; without a GPU print a note."},
             {"--json", "", "Print JSON for scripts instead of a table, with the formulas of the kernels."},
             {"-h,--help", "", "Show this help."}}}},
      .sections =
          {{"Notes",
            {"The time of p processors is that of a greedy schedule of the operations alone: each takes 1, and waits "
             "for its operands but not for barriers. It does not include memory: see wavefronts and sectors.",
             "Steps that load or store global memory are counted in sectors, not in warp-steps and wavefronts."}}},
      .examples = {{"All kernels on 1024 elements:", "tally compare"},
                   {"Two scans of a number of elements that is not a power of two:",
                    "tally compare --n 1000 hillis-steele brent-kung"},
                   {"The least work first:", "tally compare --sort work"},
                   {"The size from which less work is less time on a warp:",
                    "tally compare --over n --processors 32 hillis-steele brent-kung"}}};
  return page;
}

}  // namespace tally::cli
