#include "compare/comparison.hpp"
#include "kernels/named.hpp"
#include "pages/pages.hpp"

namespace tally::cli {

command_page const& compare_page()
{
  static command_page const page = {
      .name = "compare",
      .summary = "run the textbook's kernels on the model machine, and count what each does",
      .usage = "tally compare [OPTION...] [KERNEL...]",
      .description =
          {
              "Runs kernels for reduce and scan on a model of a GPU that records everything: every application of the "
              "operator with what it needs, every access to shared and global memory, every step of every warp. Each "
              "result is checked, and a fault of a kernel is an error. Prints a line for each kernel that takes so "
              "many elements, in the order of the textbook's ladder, then the others with the reason, then what the "
              "figures say about work and time.",
          },
      .options =
          {
              {"Kernels",
               {
                   kernel_arguments(),
                   {"--n", "N", "The number of elements, from 1 to 1048576; 1024 if not given."},
                   {"--op", "OP",
                    "What combines them; if not given, the sum, or what a kernel is made for: the tournament the "
                    "maximum. The counts do not depend on it.",
                    completes::choices, kernel_operation_choices()},
               }},
              {"Output",
               {
                   {"--sort", "COLUMN", "Sort by this column, the least first.", completes::choices, column_choices()},
                   {"--gpu", "",
                    "Run the same kernels on the GPU too, check and time them; with a note where there is none."},
                   {"--json", "", "Print JSON for scripts instead of a table, with the formulas of the kernels."},
                   {"-h,--help", "", "Show this help."},
               }},
          },
      .sections =
          {{"Notes",
            {
                "The time of p processors is that of a greedy schedule of the operations alone: each takes 1, and each "
                "waits for its operands only, not for a barrier. Memory is not in it: see wavefronts and sectors.",
                "Steps that load or store global memory are not among warp-steps and wavefronts, but in sectors.",
            }}},
      .examples =
          {
              {"All kernels on 1024 elements:", "tally compare"},
              {"Two scans, where the number of elements is no power of two:",
               "tally compare --n 1000 hillis-steele brent-kung"},
              {"The least work first:", "tally compare --sort work"},
          },
  };
  return page;
}

}  // namespace tally::cli
