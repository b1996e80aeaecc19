#include <cstddef>
#include <string>
#include <vector>

#include <tally/algorithms/compare.hpp>

#include "app/application.hpp"
#include "app/input.hpp"
#include "app/text_place.hpp"
#include "help/pages/pages.hpp"
#include "settings/parser.hpp"

namespace tally::cli {

namespace {

command_page const& compare_files_page()
{
  static command_page const page = {
      .name = "app compare",
      .summary = "find the first difference of two files",
      .usage = "tally app compare FILE1 FILE2",
      .description =
          {"Compares two files byte by byte. If they are the same it prints nothing and exits with 0. If not, it "
           "prints where the second one first differs, and exits with 1.",
           "The first difference is the least index at which the files differ: a reduction by all threads. Both files "
           "are kept in memory."},
      .options = {{"Input",
                   {{"FILE...", "", "The two files; `-` is standard input, for one of them.", completes::files}}},
                  {"Output", {help_option()}}},
      .sections = {exit_section()},
      .examples = {{"Is a copy whole?", "tally app compare backup.tar /mnt/backup.tar && echo the same"},
                   {"Has a result changed?", "./program | tally app compare expected.txt -"}}};
  return page;
}

void run_compare_files(std::vector<std::string> const& words)
{
  std::vector<std::string> files;
  parser options(compare_files_page());
  options.arguments("FILE...", files);
  options.parse(words);
  if (files.size() != 2) throw command_line_error("app compare takes two files, not " + std::to_string(files.size()));
  if (files[0] == "-" && files[1] == "-") throw command_line_error("only one of the files can be standard input");

  std::string const expected = read_bytes(files[0], io::unpacking::none);
  std::string const found = read_bytes(files[1], io::unpacking::none);
  auto const [there, here] = tally::mismatch(tally::cpu{}, expected, found);
  if (there == expected.end() && here == found.end()) return;
  auto const at = static_cast<std::size_t>(here - found.begin());
  std::string const offset = " at byte " + std::to_string(at) + ", counted from 0";
  throw io::data_error(
      place_of(files[1], found, at), (here == found.end() ? "the end of the file" : shown(*here)) + offset,
      (there == expected.end() ? "the end of the file" : shown(*there)) + " as in " + name_of(files[0]));
}

}  // namespace

command compare_application()
{
  return {compare_files_page(), run_compare_files};
}

}  // namespace tally::cli
