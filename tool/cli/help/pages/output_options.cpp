#include "help/pages/pages.hpp"

namespace tally::cli {

std::vector<choice> const& output_format_choices()
{
  static std::vector<choice> const all = {
      {"text", "one result a line"},
      {"npy", "a NumPy array"},
      {"raw", "bare values in this machine's byte order"},
      {"json", "one JSON object"},
      {"csv", "a table with commas, under a line of names (RFC 4180)"},
      {"tsv", "the same with tabs"},
      {"jsonl", "a JSON object a line"},
      {"markdown", "a table for a page in Markdown"},
      {"table", "columns of even width, numbers to the right"},
  };
  return all;
}

option_group output_options_group()
{
  option_group all = {
      "Output",
      {{"-o,--output", "FILE",
        "Write to FILE instead of standard output. The file appears under its name when it is complete; after an "
        "error there is none, or still the old one.",
        completes::files},
       {"--format", "FORMAT",
        "The format of the output; otherwise it follows from FILE's ending (.npy, .raw or .bin, .json, .csv, .tsv "
        "or .tab, .jsonl or .ndjson, .md), else it is text.",
        completes::choices, output_format_choices()},
       {"--json", "",
        "The same as --format json. Numbers are printed in full. Values for which JSON has no number are \"nan\", "
        "\"inf\" or \"-inf\"."},
       {"--output-delimiter", "CHARACTER",
        "The separator of the fields of text and csv output: a single character, or `tab`."},
       {"--plot", "",
        "Draw the results: those of a scan as a curve, those of groups (--by) as bars. As text, or with -o "
        "FILE.svg as SVG, and with FILE.png as PNG, by the program rsvg-convert."},
       {"--no-progress", "",
        "Show no progress. Without this option a job of more than a second shows its progress on a terminal, never "
        "in a pipe or a file."}}};
  std::vector<option_page> const style = number_style_options();
  all.options.insert(all.options.end() - 1, style.begin(), style.end());
  return all;
}

option_group scan_output_options()
{
  option_group all = output_options_group();
  all.options.insert(
      all.options.begin(),
      {"--append", "[NAME,...]",
       "Write each row of a CSV or TSV table as it stands, and its results behind it, with their names in the header: "
       "NAME, or the column's name and the operation's with `_` between. Rows keep their quotes and line ends, unless "
       "--format or --output-delimiter asks for another form. A row without a value has an empty result."});
  return all;
}

}  // namespace tally::cli
