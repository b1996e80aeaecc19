#include <charconv>
#include <cmath>
#include <string>

#include <nlohmann/json.hpp>

#include "draw/circuit.hpp"
#include "explain/explanation.hpp"
#include "explain/finding_record.hpp"
#include "kernels/figures.hpp"

namespace tally::cli {

namespace {

using record = nlohmann::ordered_json;

/// A value: a number where its text is one, else the text; null of nothing.
record value_of(std::string const& text)
{
  if (text.empty()) return nullptr;
  char const *const begin = text.data(), *const end = begin + text.size();
  long long integer = 0;
  if (std::from_chars(begin, end, integer).ptr == end) return integer;
  double decimal = 0;
  if (std::from_chars(begin, end, decimal).ptr == end && std::isfinite(decimal)) return decimal;
  return text;
}

record values_of(std::vector<std::string> const& texts)
{
  record all = record::array();
  for (std::string const& each : texts) all.push_back(value_of(each));
  return all;
}

record formula_of(textbook::formula const& of, int n)
{
  if (of.text.empty()) return nullptr;
  record result = {{"text", of.text}};
  if (of.value != nullptr) result["value"] = of.value(n);
  return result;
}

record shared_of(model::shared_counts const& of)
{
  return {{"reads", of.reads},           {"writes", of.writes}, {"requests", of.requests},
          {"wavefronts", of.wavefronts}, {"ideal", of.ideal},   {"worst_degree", of.worst_degree}};
}

record warps_of(model::warp_counts const& of)
{
  return {{"steps", of.steps}, {"divergent", of.divergent}, {"active_lanes", of.active_lanes}};
}

record global_of(model::global_counts const& of)
{
  return {{"reads", of.reads},
          {"writes", of.writes},
          {"sectors_read", of.sectors_read},
          {"sectors_written", of.sectors_written}};
}

record counts_of(explanation const& of)
{
  model::report const& counts = of.counts;
  return {{"operations", of.work},
          {"depth", of.depth},
          {"launches", counts.launches},
          {"steps", counts.steps},
          {"barriers", counts.barriers},
          {"shared", shared_of(counts.shared)},
          {"shared_in_transfers", shared_of(counts.shared_in_transfers)},
          {"warps", warps_of(counts.warps)},
          {"warps_in_transfers", warps_of(counts.warps_in_transfers)},
          {"global", global_of(counts.global)}};
}

std::string_view name_of(model::action what)
{
  constexpr std::string_view names[] = {"read", "write", "atomic", "apply", "shuffle"};
  return names[static_cast<std::size_t>(what)];
}

record event_of(draw::recording const& run, draw::phase const& in, draw::act const& one)
{
  record event = {{"what", name_of(one.what)}, {"thread", one.thread}, {"line", one.where.line}};
  if (header_of(one.where) != header_of(in.where)) event["file"] = header_of(one.where);
  auto const value = [&](int number) { return value_of(run.text_of(number)); };
  if (one.what == model::action::apply) {
    event["left"] = {{"at", run.name_of(one.left_at)}, {"value", value(one.left)}};
    event["right"] = {{"at", run.name_of(one.right_at)}, {"value", value(one.right)}};
  }
  event["at"] = run.name_of(one.at);
  if (one.at.array != draw::element::registers) event["array"] = one.at.array;
  event["value"] = value(one.value);
  if (one.value != draw::recording::plain) event["id"] = one.value;
  return event;
}

record phase_of(draw::recording const& run, std::size_t number)
{
  draw::phase const& of = run.phases()[number];
  record result = {{"kernel", of.kernel},
                   {"launch", of.launch},
                   {"block", of.block},
                   {"phase", of.number},
                   {"barriers_before", of.barriers},
                   {"barrier", of.barrier},
                   {"threads", of.threads},
                   {"active", of.active},
                   {"file", header_of(of.where)},
                   {"line", of.where.line},
                   {"steps", of.counts.steps},
                   {"transfers", of.counts.transfers},
                   {"shared", shared_of(of.counts.shared)},
                   {"warps", warps_of(of.counts.warps)},
                   {"global", global_of(of.counts.global)}};
  record events = record::array();
  for (draw::act const& one : of.acts) events.push_back(event_of(run, of, one));
  result["events"] = std::move(events);
  record changes = record::object();
  for (draw::change const& each : of.changes) changes[run.name_of({each.array, each.index})] = value_of(each.text);
  result["changes"] = std::move(changes);
  return result;
}

record diagram_of(draw::recording const& run)
{
  draw::circuit const circuit = draw::circuit_of(run);
  constexpr std::string_view kinds[] = {"input", "combined", "moved", "constant"},
                             roles[] = {"left", "right", "moved", "index"};
  record rows = record::array(), nodes = record::array(), arrows = record::array();
  for (draw::circuit::row const& each : circuit.rows)
    rows.push_back({{"label", each.label}, {"detail", each.detail}, {"launch", each.launch}, {"phase", each.phase}});
  for (draw::circuit::node const& each : circuit.nodes)
    nodes.push_back({{"kind", kinds[static_cast<std::size_t>(each.what)]},
                     {"row", each.row},
                     {"column", each.column},
                     {"at", run.name_of(each.at)},
                     {"array", each.at.array},
                     {"thread", each.thread},
                     {"block", each.block},
                     {"value", value_of(each.text)},
                     {"id", each.value}});
  for (draw::circuit::arrow const& each : circuit.arrows)
    arrows.push_back({{"from", each.from}, {"to", each.to}, {"as", roles[static_cast<std::size_t>(each.as)]}});
  record blocks = record::array();
  for (draw::circuit::area const& each : circuit.blocks)
    blocks.push_back({{"launch", each.launch},
                      {"block", each.block},
                      {"rows", {each.first_row, each.last_row}},
                      {"columns", {each.first_column, each.last_column}}});
  return {{"columns", circuit.columns}, {"rows", rows},     {"nodes", nodes},
          {"arrows", arrows},           {"blocks", blocks}, {"result", values_of(circuit.result)}};
}

record array_of(draw::array const& of)
{
  bool const shared = of.space == model::memory::shared;
  record result = {{"number", of.number}, {"name", of.name}, {"memory", shared ? "shared" : "global"}};
  if (shared) {
    result["launch"] = of.launch;
    result["block"] = of.block;
  }
  result["element_bytes"] = of.element_bytes;
  result["before"] = values_of(of.before);
  result["ids_before"] = of.values_before;
  return result;
}

}  // namespace

std::string json(explanation const& of)
{
  textbook::kernel_entry const& kernel = *of.kernel;
  record all = {{"kernel", kernel.name},
                {"title", kernel.title},
                {"result", cli::name_of(kernel.result)},
                {"changes", kernel.changes},
                {"source", kernel.source},
                {"header", kernel.header},
                {"n", of.n},
                {"op", of.op_name()},
                {"threads", kernel.threads == 0 ? record(nullptr) : record(kernel.threads)},
                {"small_blocks", of.threads_elsewhere() > 0},
                {"type", element_name(of.in)},
                {"in", values_of(texts_of(of.in))},
                {"out", values_of(texts_of(of.out))},
                {"formulas",
                 {{"operations", formula_of(kernel.work, of.n)},
                  {"steps", formula_of(kernel.steps, of.n)},
                  {"barriers", formula_of(kernel.barriers, of.n)}}},
                {"counts", counts_of(of)}};
  if (!of.drawing.empty()) all["bracket"] = of.drawing;
  record findings = record::array();
  for (model::finding const& each : of.counts.findings) findings.push_back(finding_of(each));
  all["findings"] = std::move(findings);
  if (of.is_recorded()) {
    record arrays = record::array(), phases = record::array();
    for (auto const& [number, each] : of.run.arrays()) arrays.push_back(array_of(each));
    all["arrays"] = std::move(arrays);
    for (std::size_t p = 0; p < of.run.phases().size(); ++p) phases.push_back(phase_of(of.run, p));
    all["phases"] = std::move(phases);
    all["diagram"] = diagram_of(of.run);
  }
  return all.dump() + '\n';
}

}  // namespace tally::cli
