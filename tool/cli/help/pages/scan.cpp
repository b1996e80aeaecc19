#include "help/pages/pages.hpp"
#include "operations/operation.hpp"

namespace tally::cli {

command_page const& scan_page()
{
  static command_page const page = {
      .name = "scan",
      .summary = "print the running result at every value: the cumulative sum, unless --op says otherwise",
      .usage = "tally scan [OPTION...] [FILE...]",
      .description =
          {"Reads numbers from files or standard input (text, CSV, TSV, raw binary, .npy) and writes a result for each "
           "value, one a line: that of all values up to it. With --by it is the result of the rows of its group up to "
           "it, in the order of the rows. With --axis the result is an array of the same shape."},
      .options = {{"Operation",
                   {{"--op", "NAME[,NAME...]",
                     "The operation; sum if not given. Several operations are columns side by side, under a line of "
                     "names.",
                     completes::choices, operation_choices()},
                    {"--exclusive", "",
                     "Each result is that of the values before it. The first is --init, or the neutral value: 0 for "
                     "sum, 1 for product."},
                    {"--reverse", "",
                     "From the end: each result is that of the values from the last one to it. With --axis from the "
                     "end of the axis, with --by from the last row of each group. Results keep their places. A .npy "
                     "file is read from its end; all other input is held in memory (see Order)."},
                    {"--window", "N",
                     "Each result is that of the last N values up to it; of fewer at the beginning, where there are no "
                     "more. Along an axis, within it; with --by within each group."},
                    weights_option(),
                    init_option()}},
                  input_options(),
                  scan_output_options(),
                  running_options()},
      .sections = {tables_section(), pairs_section(), numbers_section(), order_section(), gpu_section(),
                   exit_section()},
      .examples = {
          {"Running totals:", "seq 10 | tally scan"},
          {"Where each of some pieces begins, given their lengths:", "tally scan --exclusive lengths.txt"},
          {"The record so far, beside the table:", "tally scan --op max --column height --append=record jumps.csv"},
          {"A moving mean over 7 days, and the change from day to day:",
           "tally scan --window 7 --op mean --column cases days.csv; tally scan --op diff --column cases days.csv"},
          {"A running balance for each account, in the order of the rows:",
           "tally scan --column amount --by account ledger.csv"},
          {"A large array, from file to file:", "tally scan -o cumulative.npy samples.npy"},
          {"The same on a GPU:", "tally scan --on gpu -o cumulative.npy samples.npy"},
          {"Along the rows of a matrix:", "tally scan --axis 1 -o cumulative.npy matrix.npy"},
          {"What is left at every row, the row included:", "tally scan --reverse --column amount ledger.csv"}}};
  return page;
}

}  // namespace tally::cli
