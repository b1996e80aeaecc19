#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <tally/algorithms/radix_sort.hpp>

#include "app/application.hpp"
#include "app/input.hpp"
#include "help/pages/pages.hpp"
#include "io/files/output.hpp"
#include "io/format.hpp"
#include "io/writer.hpp"
#include "settings/parser.hpp"

namespace tally::cli {

namespace {

command_page const& sort_page()
{
  static command_page const page = {
      .name = "app sort",
      .summary = "sort numbers, by the digits of their bits",
      .usage = "tally app sort [OPTION...] [FILE...]",
      .description =
          {"Reads numbers and writes them in ascending order, one a line. They are sorted as integers if all are "
           "integers, else as doubles. -0.0 comes before 0, and nan last in either order.",
           "A radix sort: for each eight bits in which values differ it counts digits by blocks, scans the counts, and "
           "moves the values. It compares nothing. All values are kept in memory, twice."},
      .options =
          {column_options(),
           {"Order", {{"--descending", "", "The greatest first."}}},
           {"Output",
            {{"-o,--output", "FILE",
              "Write to FILE instead of standard output: as an array if it ends in .npy, as bare values for .raw or "
              ".bin, else as text. It appears under its name when it is complete.",
              completes::files},
             help_option()}}},
      .sections = {exit_section()},
      .examples = {
          {"The ten largest files below here:", "find . -type f -printf '%s\\n' | tally app sort --descending | head"},
          {"A column of a table, as an array:", "tally app sort --column size -o sizes.npy parcels.csv"}}};
  return page;
}

template <class T>
void write(std::string const& file, std::vector<T> const& values)
{
  io::output to = io::output::named(file);
  io::element_type const type = io::element_type_of<T>;
  auto const ending = io::format_of_name(file);
  std::unique_ptr<io::writer> writer;
  if (ending == io::file_format::npy)
    writer = io::write_npy(std::move(to), type, {values.size()});
  else if (ending == io::file_format::raw)
    writer = io::write_raw(std::move(to), type);
  else
    writer = std::make_unique<io::text_writer>(std::move(to));
  writer->write(io::view_as(type, values.data(), values.size()));
  writer->finish();
}

void run_sort(std::vector<std::string> const& words)
{
  input_settings input;
  std::string output = "-";
  bool descending = false;
  parser options(sort_page());
  bind_input(options, input);
  options.flag("--descending", descending);
  bind_output(options, output);
  options.parse(words);
  complete_input(input);
  numbers all = read_numbers(input);
  std::visit(
      [&](auto& values) {
        if (descending)
          tally::radix_sort(values, std::greater<>{});
        else
          tally::radix_sort(values);
        write(output, values);
      },
      all);
}

}  // namespace

command sort_application()
{
  return {sort_page(), run_sort};
}

}  // namespace tally::cli
