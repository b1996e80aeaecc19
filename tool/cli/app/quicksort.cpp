#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include <tally/algorithms/quicksort.hpp>

#include "app/application.hpp"
#include "app/input.hpp"
#include "help/pages/pages.hpp"
#include "io/numbers/number.hpp"
#include "settings/parser.hpp"

namespace tally::cli {

namespace {

/// More values do not fit a page.
constexpr std::size_t most_shown = 64;

command_page const& quicksort_page()
{
  static command_page const page = {
      .name = "app quicksort",
      .summary = "sort numbers by segmented scans, and show the segments level by level",
      .usage = "tally app quicksort [OPTION...] [FILE...]",
      .description =
          {"Reads numbers and prints them in ascending order, one a line. It is Blelloch's quicksort: all segments are "
           "partitioned at once, by a segmented scan that ranks every value among those of its segment that are less "
           "than the pivot, equal to it or greater. `tally app sort` is faster."},
      .options = {column_options(),
                  {"Output",
                   {{"--levels", "",
                     "Print the segments after every level instead, with their pivots. For up to 64 values."},
                    output_option(),
                    help_option()}}},
      .sections = {exit_section()},
      .examples = {{"How eight numbers are sorted:", "echo 6 3 8 1 7 2 5 4 | tally app quicksort --levels"}}};
  return page;
}

/// [3 1 2] [4] [6 8]
template <class T>
std::string segments(T const* keys, std::uint8_t const* heads, std::size_t n)
{
  std::string text;
  for (std::size_t k = 0; k < n; ++k) {
    if (k != 0) text += heads[k] != 0 ? "] " : " ";
    if (heads[k] != 0) text += '[';
    text += io::to_text(keys[k]);
  }
  return text + "]\n";
}

template <class T>
std::string levels(std::vector<T> values)
{
  std::size_t const n = values.size();
  if (n == 0) return "";
  tally::detail::quicksort::segmented_quicksort sort(cpu{1}, values.data(), n, tally::detail::sorting::ascending{});
  std::string text = "given: " + segments(sort.keys(), sort.heads(), n);
  while (!sort.sorted()) {
    std::size_t parted = 0;
    for (std::size_t k = 0; k < n; ++k) parted += sort.heads()[k];
    sort.step();
    text += "level " + std::to_string(sort.levels()) + ", pivots";
    for (std::size_t s = 0; s < parted; ++s) text += ' ' + io::to_text(sort.pivots()[s]);
    text += ": " + segments(sort.keys(), sort.heads(), n);
  }
  return text;
}

template <class T>
std::string sorted(std::vector<T> values)
{
  tally::quicksort(cpu{}, values);
  return lines(values);
}

void run_quicksort(std::vector<std::string> const& words)
{
  input_settings input;
  std::string output = "-";
  bool show = false;
  parser options(quicksort_page());
  bind_input(options, input);
  options.flag("--levels", show);
  bind_output(options, output);
  options.parse(words);
  complete_input(input);
  numbers const all = read_numbers(input);
  std::string const text = std::visit(
      [&](auto const& values) {
        if (show && values.size() > most_shown)
          throw command_line_error("--levels shows up to " + std::to_string(most_shown) + " values, and there are " +
                                   std::to_string(values.size()));
        return show ? levels(values) : sorted(values);
      },
      all);
  write_text(output, text);
}

}  // namespace

command quicksort_application()
{
  return {quicksort_page(), run_quicksort};
}

}  // namespace tally::cli
