#include <string>

#include "help/pages/pages.hpp"
#include "textbook/exhibits.hpp"

namespace tally::cli {

namespace {

/// The names of the exhibits; `tally exhibit` prints what they show.
std::vector<choice> names()
{
  std::vector<choice> all;
  for (textbook::exhibit const& each : textbook::all_exhibits()) all.push_back({each.name, ""});
  return all;
}

std::string const& names_in_a_row()
{
  static std::string const all = [] {
    std::string text;
    for (choice const& each : names()) text.append(text.empty() ? "One of: " : ", ").append(each.name);
    return text + '.';
  }();
  return all;
}

}  // namespace

command_page const& exhibit_page()
{
  static command_page const page = {
      .name = "exhibit",
      .summary = "show a trap of the course material: a kernel that is wrong on purpose, and the right one",
      .usage = "tally exhibit [NAME] [OPTION...]",
      .description =
          {"Runs a wrong kernel on a model of a GPU and prints the lines around the wrong one, the findings of the "
           "model (races, barriers that not all threads reach, reads of elements never written, accesses out of range, "
           "shuffles with absent lanes), the result beside the right one, and the reason; then the right kernel with "
           "its run. Without a name it lists all exhibits."},
      .options = {{"Exhibit", {{"NAME", "", names_in_a_row(), completes::choices, names()}}},
                  {"Output",
                   {{"--json", "", "Print JSON for scripts instead of text; without a name the list."},
                    {"-h,--help", "", "Show this help."}}}},
      .sections =
          {{"JSON",
            {"`exhibit`, `title`, `from` (which document), `says`; `wrong`: header, first (the number of the first "
             "line), lines, line (the number of the wrong one), result; `findings`, as in `tally explain --json`, "
             "those that differ only in threads and elements as one, with times; `shows`: what the results are; "
             "`expected`; `by_luck`: whether the result is right all the same; `why`; `right`: header, first, lines "
             "and result of the right kernel. Without a name: `exhibits`, each with exhibit and title."}},
           {"Notes",
            {"The wrong kernels are as near to the text of the documents as compiles. Their results are those of the "
             "model: it runs the threads of a block one after the other, from barrier to barrier, reads zeros where "
             "nothing was written, and ignores writes out of range. On a GPU the result may be anything, even the "
             "right one."}}},
      .examples = {{"All of them, a line each:", "tally exhibit"},
                   {"The race of adding in place:", "tally exhibit in-place-sum"},
                   {"The findings of the model, for a script:", "tally exhibit in-place-sum --json | jq .findings"}}};
  return page;
}

}  // namespace tally::cli
