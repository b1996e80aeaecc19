#include <string>

#include "exhibit/run.hpp"
#include "exhibit/text.hpp"
#include "explain/finding_record.hpp"

namespace tally::cli {

namespace {

/// An excerpt of a header, with its line numbers.
json lines_record(textbook::excerpt const& which)
{
  textbook::numbered_lines const all = lines_of(which);
  return {{"header", which.header}, {"first", all.first}, {"lines", all.lines}};
}

}  // namespace

std::string json_of_exhibits()
{
  json all = json::array();
  for (textbook::exhibit const& each : textbook::all_exhibits())
    all.append({{"exhibit", each.name}, {"title", each.title}});
  return json{{"exhibits", all}}.line();
}

std::string json_text(textbook::exhibit const& which)
{
  textbook::exhibit_run const run = run_of(which);
  json wrong = lines_record(which.wrong), right = lines_record(which.fix), findings = json::array();
  wrong.add("line", line_number(which.wrong, which.line));
  wrong.add("result", run.wrong.result);
  right.add("result", run.fixed.result);
  for (model::finding const& each : without_repeats(run.wrong.counts.findings)) findings.append(finding_of(each));
  return json{{"exhibit", which.name},
              {"title", which.title},
              {"from", which.from},
              {"says", which.says},
              {"wrong", wrong},
              {"findings", findings},
              {"shows", which.shows},
              {"expected", run.expected},
              {"by_luck", run.wrong.result == run.expected},
              {"why", which.why},
              {"right", right}}
      .line();
}

}  // namespace tally::cli
