#include "exhibit/run.hpp"

#include <algorithm>
#include <string>
#include <tuple>

#include <tally/error.hpp>

namespace tally::cli {

using model::finding;

namespace {

/// Orders the findings: the machine finds them in the order of evaluation, in which compilers differ.
auto rank(finding const& of)
{
  return std::tuple(of.step, of.thread, of.where.line, of.what, of.writes, of.index);
}

}  // namespace

textbook::exhibit_run run_of(textbook::exhibit const& which)
{
  textbook::exhibit_run run = which.run();
  if (run.fixed.result != run.expected || !run.fixed.counts.clean())
    throw error("the fix of " + std::string(which.name) + " is wrong itself");
  return run;
}

std::vector<finding> without_repeats(std::vector<finding> all)
{
  std::sort(all.begin(), all.end(), [](finding const& a, finding const& b) { return rank(a) < rank(b); });
  std::vector<finding> groups;
  for (finding const& each : all) {
    auto const known = std::find_if(groups.begin(), groups.end(), [&](finding const& group) {
      return group.what == each.what && group.where.line == each.where.line &&
             group.other_where.line == each.other_where.line && group.writes == each.writes;
    });
    if (known == groups.end())
      groups.push_back(each);
    else
      known->times += each.times;
  }
  return groups;
}

}  // namespace tally::cli
