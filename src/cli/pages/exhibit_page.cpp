#include <string>

#include "pages/pages.hpp"
#include "textbook/exhibits.hpp"

namespace tally::cli {

namespace {

/// Their names; what they show is in `tally exhibit`.
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
      .usage = "tally exhibit [NAME]",
      .description =
          {
              "Runs a wrong kernel on a model of a GPU and prints its lines around the wrong one, what the model finds "
              "(races, barriers that "
              "not all threads reach, reads of what nobody wrote, accesses out of range, shuffles with absent lanes), "
              "what came out and what is "
              "right, and why; then the right kernel with its run. Without a name it lists all exhibits.",
          },
      .options =
          {
              {"Exhibit", {{"NAME", "", names_in_a_row(), completes::choices, names()}}},
              {"Output", {{"-h,--help", "", "Show this help."}}},
          },
      .sections =
          {{"Notes",
            {
                "The wrong kernels stand as near to the text of the documents as compiles. What they leave is what the "
                "model makes of it: it runs "
                "the threads of a block one after the other, from barrier to barrier, hands out zeros for what nobody "
                "has written, and drops what "
                "is written out of range. On a GPU anything may come out, also what is right.",
            }}},
      .examples = {{"All of them, a line each:", "tally exhibit"},
                   {"The race of adding in place:", "tally exhibit in-place-sum"}},
  };
  return page;
}

}  // namespace tally::cli
