#include "help/pages/pages.hpp"
#include "settings/files.hpp"

namespace tally::cli {

std::vector<choice> const& type_choices()
{
  static std::vector<choice> const all = {
      {"int8", "or i8"},
      {"int16", "or i16"},
      {"int32", "or i32"},
      {"int64", "or i64"},
      {"uint8", "or u8"},
      {"uint16", "or u16"},
      {"uint32", "or u32"},
      {"uint64", "or u64"},
      {"float32", "or f32"},
      {"float64", "or f64"},
      {"decimal", "exact decimals of text"},
      {"time", "or date: dates and times of ISO 8601"},
      {"duration", "1:30:00, PT1H30M or 1h30m"},
  };
  return all;
}

std::vector<choice> const& input_format_choices()
{
  static std::vector<choice> const all = {
      {"text", "numbers between blanks or line ends"},
      {"csv", "a table with commas (RFC 4180)"},
      {"tsv", "a table with tabs"},
      {"blanks", "a table with blanks, as ls -l prints"},
      {"fixed", "a table with columns of --widths"},
      {"table", "csv, tsv or blanks, as the first line says"},
      {"npy", "a NumPy array"},
      {"raw", "bare values of --type"},
  };
  return all;
}

std::vector<choice> const& byte_order_choices()
{
  static std::vector<choice> const all = {{"little", "the least significant byte first"},
                                          {"big", "the most significant byte first"}};
  return all;
}

std::vector<choice> const& group_order_choices()
{
  static std::vector<choice> const all = {
      {"first", "as their first rows"},
      {"key", "by key: numbers by their values, then text by its bytes"},
      {"-key", "the reverse"},
      {"value", "by the first result, the least first (nan last)"},
      {"-value", "the greatest first (nan last)"},
  };
  return all;
}

std::vector<choice> const& processor_choices()
{
  static std::vector<choice> const all = {{"cpu", "all threads"}, {"gpu", "CUDA's default GPU"}};
  return all;
}

option_page init_option()
{
  return {
      "--init", "VALUE",
      "Begin with VALUE as the first operand. For sum, product, min, max, and, or, xor, all, any, logsumexp and diff."};
}

option_group input_options()
{
  option_group all = {
      "Input",
      {{"FILE...", "",
        "Read these files one after the other as one sequence. `-`, or no file, is standard input. The format follows "
        "from the ending: .csv, .tsv or .tab, .npy, .raw or .bin; else it is text.",
        completes::files},
       {"--input-format", "FORMAT", "Read all input in this format, whatever the endings are.", completes::choices,
        input_format_choices()},
       {"--type", "TYPE",
        "The type of the values. Raw input needs it. All other input is converted to this type, text and arrays by one "
        "rule; a value that it cannot hold is an error. Results are of this type too (see Numbers). `decimal`, "
        "`time` and `duration` are for text and tables.",
        completes::choices, type_choices()},
       {"--byte-order", "ORDER", "The byte order of raw input; this machine's own if not given.", completes::choices,
        byte_order_choices()},
       {"--axis", "N[,N...]",
        "Reduce or scan along axis N of a .npy array, the first being 0, the last -1. A reduction may have several "
        "axes: the elements of all of them are one sequence, the last named axis running fastest. Without it an array "
        "of several axes is one sequence in C order, the last index running fastest. A pipe can give values only in "
        "the order in which they are stored: along the last axis, in Fortran order along the first, and in C order "
        "without --axis. Otherwise the array must be a file. As text, each row of the result is a line with tabs, and "
        "an empty line stands between matrices."}}};
  std::vector<option_page> const files = file_options();
  all.options.insert(all.options.begin() + 2, files.begin(), files.end());
  std::vector<option_page> const of_tables = table_options();
  all.options.insert(all.options.begin() + 2, of_tables.begin(), of_tables.end());
  std::vector<option_page> const numbers = number_reading_options();
  all.options.insert(all.options.end() - 1, numbers.begin(), numbers.end());
  return all;
}

option_group column_options()
{
  option_group all = input_options();
  std::erase_if(all.options, [](option_page const& each) {
    return each.names == "--all" || each.names == "--by" || each.names == "--axis";
  });
  return all;
}

option_group running_options()
{
  return {
      "Running",
      {{"--on", "PROCESSOR",
        "The processor that computes: the CPU if not given. The output never depends on it (see GPU).",
        completes::choices, processor_choices()},
       {"--threads", "N",
        "Use at most N threads; otherwise all that the process may use. The output never depends on it."},
       {"--memory", "SIZE",
        "Hold at most SIZE bytes (500M, 2G) of values that are needed in order, by median, quantiles, iqr, mad, mode "
        "and "
        "distinct, and of the groups of a reduction; a quarter of the machine's memory if not given. More wait in a "
        "temporary file (in TMPDIR or /tmp). The output never depends on it."},
       {"-h,--help", "", "Show this help."}}};
}

section numbers_section()
{
  return {
      "Numbers",
      {"Text: an integer is an optional sign and digits; anything else (decimals, exponents, inf, nan) is read as the "
       "nearest double. Integers are exact: sums and products have 128 bits, and one that needs more is an error, "
       "never a wrong result. From the first value on that is not an integer, results are doubles, computed over all "
       "values from the beginning. Floating-point results are printed with the fewest digits that read back to the "
       "same bits.",
       "Decimals: with --type decimal numbers of text are read exactly, with up to 18 digits behind the point and a "
       "magnitude below 1.7e20. Sums, products, differences and ranges are exact; a mean is the exact sum divided by "
       "the count, rounded once to the nearest 10^-18, ties to even, as is a quantile between two values; stddev and "
       "the "
       "other statistics take the decimals as doubles. A result has as many decimals as the values before it, and more "
       "where it needs them.",
       "Times: --type time reads dates and times of ISO 8601 (2026-11-23, 2026-11-23T10:30:15.25+01:00), and --type "
       "duration durations (1:30, 1:30:15.25, PT1H30M, 1h30m, 250ms); both exactly, in nanoseconds. A time without a "
       "zone counts as UTC. Results are written like the values; a difference of times is a duration, and operations "
       "that "
       "keep no unit, such as stddev, take times as seconds since 1970 and durations as seconds.",
       "--type: an integer type takes whole numbers in its range, 1.0 too (in text without an exponent). A "
       "floating-point type takes every number, rounded to the nearest double, and that for float32 to the nearest "
       "float; one too large for it is an error, inf is not. -0 is negative zero as float64 and float32.",
       "Arrays and --type: float32 and float64 are reduced in their own type (sums of float32 carry doubles from tile "
       "to tile); means, variance, stddev, skewness, kurtosis and logsumexp are always doubles. Integer results "
       "printed as text are exact "
       "as above. In a .npy or raw file, integer sums, products and ranges have the type int64 or uint64, min, max, "
       "first, last, mode, and, or, xor the type of the input, all and any uint8, argmin, argmax, count and distinct "
       "int64, median, quantiles, iqr and mad float64 (float32 of float32), and results of text without --type "
       "float64; a "
       "result that does not fit is an error."}};
}

section order_section()
{
  return {
      "Order",
      {"Floating-point values are combined in one fixed order (docs/order.md), so the output has the same bits for "
       "every number of threads, every kind of machine, and every division of the input into pieces. Input of any "
       "size streams through in less than 256 MiB of memory, plus the groups of --by. A group of a reduction takes "
       "its key and some 50 bytes, up to 500 as it grows, and with operations other than sum, mean, min, max and "
       "count at most 2 KiB for each; all groups take what --memory says. A group of a scan takes as much, in "
       "memory. A few things are held in memory besides: with --reverse the values and then the results of all "
       "input but a single .npy file, 8 bytes each (4 with --type float32 and the like, 16 for integers of more "
       "than 64 bits), and 4 more for the key of --by; for rank, percent and fraction all rows; the values of a "
       "--window; the values so far in scans of medians and quantiles; and for several axes that do not lie as "
       "one, a sequence, which may have 1 GiB. Values that median, quantiles, iqr, mad, mode, distinct and rank need in"
       " order have a limit (--memory). Text of arrays of several axes, and of a .npy file scanned from its end, "
       "waits in a temporary file (in TMPDIR or /tmp)."}};
}

section gpu_section()
{
  return {"GPU",
          {"With --on gpu, sum, min, max, and, or, xor, mean, and product of floating-point values, are computed on an "
           "NVIDIA GPU. The CPU does the rest, and a line on standard error says so: everything if no GPU answers or "
           "this tally was built without CUDA; other operations; --by; --reverse of input other than a single .npy "
           "file; products of integers, sums that may need more than 64 bits, and text with an integer that does. The "
           "exit status is the same.",
           "With --axis, and with --reverse, the array goes through the GPU's memory block by block. Else all values "
           "are gathered in the GPU's memory and must fit it: 8 bytes each for integers that are added, for "
           "doubles, and for the mean of float32; 16 for text without --type; else the bytes of the type. A file of "
           "known length (.npy, raw) can fill the memory, a pipe or text about half of it. Input that does not fit is "
           "an error. Nothing is written before all input has been read.",
           "`CUDA_VISIBLE_DEVICES` in the environment chooses among several GPUs."}};
}

section exit_section()
{
  return {"Exit status",
          {"0 for success; 1 for wrong input or a file that cannot be read or written, with a message that begins with "
           "`file:line:column` if the error has a place; 2 for a wrong command line; 141 without a message if the "
           "reader of the output has gone."}};
}

}  // namespace tally::cli
