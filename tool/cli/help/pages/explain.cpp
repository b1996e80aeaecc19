#include "help/pages/pages.hpp"
#include "kernels/named.hpp"

namespace tally::cli {

command_page const& explain_page()
{
  static command_page const page = {
      .name = "explain",
      .summary = "show a kernel of the textbook step by step",
      .usage = "tally explain KERNEL [OPTION...]",
      .description =
          {"Runs a kernel for reduce or scan on a model of a GPU that records everything, and prints each step: the "
           "elements combined, the content of memory afterwards, the number of threads at work, the accesses that meet "
           "in a bank; then the cost of the run beside the formulas, and the faults of the kernel, if there are any. "
           "Without a kernel it lists all of them."},
      .options =
          {{"Kernel",
            {kernel_argument(),
             {"--n", "N",
              "The number of elements, from 1 to 1048576; 8 if neither this nor --input is given. With more than 2048, "
              "or more than 1200000 actions of threads, only the counts are printed. Of a step with more than 50000 "
              "actions --html and --json have those of the first warps."},
             {"--full-blocks", "",
              "Run kernels of several blocks with as many threads in a block as on a GPU. If it is not given, blocks "
              "have two threads, or one warp, for up to 64 elements, to show several blocks."},
             {"--input", "LIST",
              "The elements, integers or decimals, separated by commas or blanks. If it is not given they are 3, 1, 7, "
              "0, 4, 1, 6, 3, repeated."},
             {"--op", "OP",
              "The operation that combines them: the sum if not given, or the kernel's own. `join` has letters for "
              "elements, a, b, c .., and keeps their order; a kernel that takes operands out of order refuses it. Or "
              "an "
              "operator of your own: an expression of a, the left operand, and b, such as 'a*b+1', with + - * / % ^, "
              "comparisons, ?:, min, max, abs, sqrt and the like. Then the laws that it breaks are printed, and the "
              "result of one thread that takes the elements from the left. If the elements are integers, so is each "
              "result: digits behind the point are cut off.",
              completes::choices, kernel_operation_choices()},
             {"--identity", "VALUE",
              "The identity of an operator of your own, for kernels that need one. If it is not given, 0, 1, -1 and "
              "the ends of the range are tried."}}},
           {"Output",
            {{"--svg", "FILE",
              "Write a drawing as well: the elements side by side, a row for each step, an arrow for each operand. `-` "
              "writes the drawing alone to standard output.",
              completes::files},
             {"--html", "FILE",
              "Write a page as well, for a browser: it plays the steps forward and back, with the arrays, the source, "
              "the counts, the banks and the warps beside the drawing. It is one file that needs no other and no "
              "network. `-` writes the page alone to standard output.",
              completes::files},
             {"--glossary", "",
              "Print what the words of the output and of the textbook mean, such as wavefront, warp-step and sector, "
              "instead of a kernel."},
             {"--json", "",
              "Print JSON for scripts, with everything that happened, instead of text; without a kernel the list of "
              "all."},
             {"-h,--help", "", "Show this help."}}}},
      .sections =
          {{"JSON",
            {"`kernel`, `title`, `result` (reduction, inclusive, exclusive or histogram), `changes`, `source`, "
             "`header`; `n`, `op`, `threads` of a block, if several blocks share the work, and whether these "
             "are `small_blocks`; `type` (int, float or letters), `in` and `out`, the elements; of a "
             "tournament its `bracket`; of an operator of your own `broken_laws`, each with an `example`, and "
             "the result `by_a_loop`.",
             "`formulas`: operations, steps and barriers, each with its `text` and, for this n, its `value`. "
             "`counts`: operations, depth, launches, steps, barriers; shared, warps and global, of which the "
             "first two have those of loads and stores apart, in_transfers; atomics.",
             "`findings`: the faults, each with fault, kernel, launch, block, step, thread, array, index, "
             "file, line and a `text`.",
             "`phases`, in order, of each block: kernel, launch, block, phase, file, line, threads, active, "
             "counts, and `events`: what (read, write, atomic, apply, shuffle), thread, line, file where it is "
             "another, at (an element, or the thread whose register it is), array, value; apply has left and "
             "right, each with at and value. `changes` has the elements that are written, with their new "
             "values. Launch -1 is the host. Where threads do very much, the events are those of the threads up to "
             "`listed`, and `operations` counts those of all.",
             "`arrays`: number, name, memory (shared or global), launch and block of shared memory, "
             "element_bytes, and their content `before`. A value keeps its `id` wherever it moves; two equal "
             "values have different ones.",
             "`diagram`: the drawing: columns, rows, nodes (kind, row, column, at, array, thread, block, "
             "value, id), arrows (from and to, which are nodes; as left or right operand, moved, or the index "
             "of what is combined), `blocks` (the rows and columns, first and last, of each block in a launch, "
             "where there are several), and `result`, the content of `out` at the end in each column. If only "
             "the counts are printed there are no phases, arrays and diagram."}}},
      .examples = {{"The example of the course:", "tally explain brent-kung"},
                   {"A drawing of 16 elements:", "tally explain blelloch --n 16 --svg blelloch.svg"},
                   {"A page that plays it:", "tally explain blelloch --n 16 --html blelloch.html"},
                   {"The order in which operands are taken:", "tally explain sklansky --op join"},
                   {"What a scan makes of an operator that is not associative:", "tally explain blelloch --op 'a - b'"},
                   {"The words:", "tally explain --glossary"}}};
  return page;
}

}  // namespace tally::cli
