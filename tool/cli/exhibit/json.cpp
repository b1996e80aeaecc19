#include <string>

#include <nlohmann/json.hpp>

#include "exhibit/run.hpp"
#include "exhibit/text.hpp"
#include "explain/finding_record.hpp"

namespace tally::cli {

namespace {

using record = nlohmann::ordered_json;

/// A piece of a header, with the numbers that its lines have there.
record lines_record(textbook::excerpt const& which)
{
  textbook::numbered_lines const all = lines_of(which);
  return {{"header", which.header}, {"first", all.first}, {"lines", all.lines}};
}

}  // namespace

std::string json_of_exhibits()
{
  record all = record::array();
  for (textbook::exhibit const& each : textbook::all_exhibits())
    all.push_back({{"exhibit", each.name}, {"title", each.title}});
  return record{{"exhibits", std::move(all)}}.dump() + '\n';
}

std::string json(textbook::exhibit const& which)
{
  textbook::exhibit_run const run = run_of(which);
  record wrong = lines_record(which.wrong), right = lines_record(which.fix), findings = record::array();
  wrong["line"] = line_number(which.wrong, which.line);
  wrong["result"] = run.wrong.result;
  right["result"] = run.fixed.result;
  for (model::finding const& each : grouped(run.wrong.counts.findings)) findings.push_back(finding_of(each));
  return record{{"exhibit", which.name}, {"title", which.title},      {"from", which.from},
                {"says", which.says},    {"wrong", std::move(wrong)}, {"findings", std::move(findings)},
                {"shows", which.shows},  {"expected", run.expected},  {"by_luck", run.wrong.result == run.expected},
                {"why", which.why},      {"right", std::move(right)}}
             .dump() +
         '\n';
}

}  // namespace tally::cli
