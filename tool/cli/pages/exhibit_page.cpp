#include <string>

#include "pages/pages.hpp"
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
          {
              "Runs a wrong kernel on a model of a GPU and prints its lines around the wrong one, what the model finds "
              "(races, barriers that not all threads reach, reads of what nobody wrote, accesses out of range, "
              "shuffles with absent lanes), what came out and what is right, and why; then the right kernel with its "
              "run. Without a name it lists all exhibits.",
          },
      .options =
          {
              {"Exhibit", {{"NAME", "", names_in_a_row(), completes::choices, names()}}},
              {"Output",
               {
                   {"--json", "", "Print JSON for scripts instead of text; without a name the list."},
                   {"-h,--help", "", "Show this help."},
               }},
          },
      .sections =
          {{"JSON",
            {
                "`exhibit`, `title`, `from` (which document), `says`; `wrong`: header, first (the number of the first "
                "line), lines, line (the number of the wrong one), result; `findings`: what the model finds, as in "
                "`tally explain --json`, those that differ only in threads and elements as one, with times; `shows`: "
                "what the results are, `expected`, `by_luck`: whether the result is right all the same; `why`; "
                "`right`: header, first, lines and result of the right kernel. Without a name: `exhibits`, each with "
                "exhibit and title.",
            }},
           {"Notes",
            {
                "The wrong kernels stand as near to the text of the documents as compiles. What they leave is what the "
                "model makes of it: it runs the threads of a block one after the other, from barrier to barrier, hands "
                "out zeros for what nobody has written, and drops what is written out of range. On a GPU anything may "
                "come out, also what is right.",
            }}},
      .examples = {{"All of them, a line each:", "tally exhibit"},
                   {"The race of adding in place:", "tally exhibit in-place-sum"},
                   {"What the model finds, for a script:", "tally exhibit in-place-sum --json | jq .findings"}},
  };
  return page;
}

}  // namespace tally::cli
