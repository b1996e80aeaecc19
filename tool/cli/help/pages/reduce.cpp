#include "help/pages/pages.hpp"
#include "operations/operation.hpp"

namespace tally::cli {

command_page const& reduce_page()
{
  static command_page const page = {
      .name = "reduce",
      .summary = "combine all values into one: their sum, unless --op says otherwise",
      .usage = "tally reduce [OPTION...] [FILE...]",
      .description =
          {"Reads numbers from files or standard input (text, CSV, TSV, raw binary, .npy) and prints one result. With "
           "several operations there is one line for each: its name, a tab, the result. With --by there is one line "
           "for each group, in the order of their first rows: the key, a tab, the result; with several operations a "
           "column each, under a line of names. With --axis the result is an array without those axes."},
      .options = {{"Operation",
                   {{"--op", "NAME[,NAME...]", "The operation; sum if not given. May be given several times.",
                     completes::choices, operation_choices()},
                    weights_option(),
                    init_option(),
                    {"--sort", "ORDER", "The order in which the groups of --by are printed; `first` if not given.",
                     completes::choices, group_order_choices()}}},
                  input_options(),
                  output_options_group(),
                  running_options()},
      .sections = {tables_section(), pairs_section(), numbers_section(), order_section(), gpu_section(),
                   exit_section()},
      .examples = {{"The sum of the sizes of all files below here:", "find . -type f -printf '%s\\n' | tally reduce"},
                   {"Several figures at once, from a column by name:",
                    "tally reduce --op count,mean,stddev,max --column size parcels.csv"},
                   {"A total for each region, the greatest last:",
                    "tally reduce --column amount --by region sales.csv | sort -k 2 -g"},
                   {"The means of the columns of a matrix, as an array:",
                    "tally reduce --op mean --axis 0 -o means.npy matrix.npy"},
                   {"The greatest value of each channel of an array of images, as text:",
                    "tally reduce --op max --axis 0,2,3 images.npy"},
                   {"The greatest of a million raw 16-bit samples:", "tally reduce --op max --type int16 samples.raw"},
                   {"For a script:", "tally reduce --json --op min,max numbers.txt"}}};
  return page;
}

}  // namespace tally::cli
