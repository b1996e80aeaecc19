#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

#include <fast_float/fast_float.h>

#include "draw/circuit.hpp"
#include "explain/explanation.hpp"
#include "explain/finding_record.hpp"
#include "kernels/figures.hpp"
#include "output/json.hpp"

namespace tally::cli {

namespace {

/// A value: a number if its text is one, else the text; null if it is empty.
json value_of(std::string const& text)
{
  if (text.empty()) return nullptr;
  char const *const begin = text.data(), *const end = begin + text.size();
  long long integer = 0;
  if (std::from_chars(begin, end, integer).ptr == end) return integer;
  double decimal = 0;
  if (fast_float::from_chars(begin, end, decimal).ptr == end && std::isfinite(decimal)) return decimal;
  return text;
}

json values_of(std::vector<std::string> const& texts)
{
  json all = json::array();
  for (std::string const& each : texts) all.append(value_of(each));
  return all;
}

json formula_of(textbook::formula const& of, int n)
{
  if (of.text.empty()) return nullptr;
  json result = {{"text", of.text}};
  if (of.value != nullptr) result.add("value", of.value(n));
  return result;
}

json shared_of(model::shared_counts const& of)
{
  return {{"reads", of.reads},           {"writes", of.writes}, {"requests", of.requests},
          {"wavefronts", of.wavefronts}, {"ideal", of.ideal},   {"worst_degree", of.worst_degree}};
}

json warps_of(model::warp_counts const& of)
{
  return {{"steps", of.steps}, {"divergent", of.divergent}, {"active_lanes", of.active_lanes}};
}

json global_of(model::global_counts const& of)
{
  return {{"reads", of.reads},
          {"writes", of.writes},
          {"sectors_read", of.sectors_read},
          {"sectors_written", of.sectors_written}};
}

json atomics_of(model::atomic_counts const& of)
{
  return {{"changes", of.changes}, {"requests", of.requests}, {"turns", of.turns}};
}

json counts_of(explanation const& of)
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
          {"global", global_of(counts.global)},
          {"atomics", atomics_of(counts.atomics)}};
}

std::string_view name_of(model::action what)
{
  constexpr std::string_view names[] = {"read", "write", "atomic", "apply", "shuffle"};
  return names[static_cast<std::size_t>(what)];
}

json event_of(draw::recording const& run, draw::phase const& in, draw::act const& one)
{
  json event = {{"what", name_of(one.what)}, {"thread", one.thread}, {"line", one.where.line}};
  if (header_of(one.where) != header_of(in.where)) event.add("file", header_of(one.where));
  auto const value = [&](int number) { return value_of(run.text_of(number)); };
  if (one.what == model::action::apply) {
    event.add("left", {{"at", run.name_of(one.left_at)}, {"value", value(one.left)}});
    event.add("right", {{"at", run.name_of(one.right_at)}, {"value", value(one.right)}});
  }
  event.add("at", run.name_of(one.at));
  if (one.at.array != draw::element::registers) event.add("array", one.at.array);
  event.add("value", value(one.value));
  if (one.value != draw::recording::plain) event.add("id", one.value);
  return event;
}

json phase_of(draw::recording const& run, std::size_t number)
{
  draw::phase const& of = run.phases()[number];
  json result = {{"kernel", of.kernel},
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
  if (of.listed < of.threads) {
    result.add("listed", of.listed);
    result.add("operations", of.operations);
  }
  json events = json::array();
  for (draw::act const& one : of.acts) events.append(event_of(run, of, one));
  result.add("events", events);
  json changes = json::object();
  for (draw::change const& each : of.changes) changes.add(run.name_of({each.array, each.index}), value_of(each.text));
  result.add("changes", changes);
  return result;
}

json diagram_of(draw::recording const& run)
{
  draw::circuit const circuit = draw::circuit_of(run);
  constexpr std::string_view kinds[] = {"input", "combined", "moved", "constant"},
                             roles[] = {"left", "right", "moved", "index"};
  json rows = json::array(), nodes = json::array(), arrows = json::array();
  for (draw::circuit::row const& each : circuit.rows)
    rows.append({{"label", each.label}, {"detail", each.detail}, {"launch", each.launch}, {"phase", each.phase}});
  for (draw::circuit::node const& each : circuit.nodes)
    nodes.append({{"kind", kinds[static_cast<std::size_t>(each.what)]},
                  {"row", each.row},
                  {"column", each.column},
                  {"at", run.name_of(each.at)},
                  {"array", each.at.array},
                  {"thread", each.thread},
                  {"block", each.block},
                  {"value", value_of(each.text)},
                  {"id", each.value}});
  for (draw::circuit::arrow const& each : circuit.arrows)
    arrows.append({{"from", each.from}, {"to", each.to}, {"as", roles[static_cast<std::size_t>(each.as)]}});
  json blocks = json::array();
  for (draw::circuit::area const& each : circuit.blocks)
    blocks.append({{"launch", each.launch},
                   {"block", each.block},
                   {"rows", std::vector{each.first_row, each.last_row}},
                   {"columns", std::vector{each.first_column, each.last_column}}});
  return {{"columns", circuit.columns}, {"rows", rows},     {"nodes", nodes},
          {"arrows", arrows},           {"blocks", blocks}, {"result", values_of(circuit.result)}};
}

json array_of(draw::array const& of)
{
  bool const shared = of.space == model::memory::shared;
  json result = {{"number", of.number}, {"name", of.name}, {"memory", shared ? "shared" : "global"}};
  if (shared) {
    result.add("launch", of.launch);
    result.add("block", of.block);
  }
  result.add("element_bytes", of.element_bytes);
  result.add("before", values_of(of.before));
  result.add("ids_before", of.values_before);
  return result;
}

}  // namespace

std::string json_text(explanation const& of)
{
  textbook::kernel_entry const& kernel = *of.kernel;
  json all = {{"kernel", kernel.name},
              {"title", kernel.title},
              {"result", name_of(kernel.result)},
              {"changes", kernel.changes},
              {"source", kernel.source},
              {"header", kernel.header},
              {"n", of.n},
              {"op", of.op_name()},
              {"threads", kernel.threads == 0 ? json(nullptr) : json(kernel.threads)},
              {"small_blocks", of.threads_elsewhere() > 0},
              {"type", element_name(of.in)},
              {"in", values_of(texts_of(of.in))},
              {"out", values_of(texts_of(of.out))},
              {"formulas",
               {{"operations", formula_of(kernel.work, of.n)},
                {"steps", formula_of(kernel.steps, of.n)},
                {"barriers", formula_of(kernel.barriers, of.n)}}},
              {"counts", counts_of(of)}};
  if (!of.drawing.empty()) all.add("bracket", of.drawing);
  if (of.judged) {
    json broken = json::array();
    for (broken_law const& each : of.judged->laws.broken) broken.append({{"law", each.law}, {"example", each.example}});
    all.add("broken_laws", broken);
    all.add("by_a_loop", values_of(texts_of(of.judged->by_a_loop)));
  }
  json findings = json::array();
  for (model::finding const& each : of.counts.findings) findings.append(finding_of(each));
  all.add("findings", findings);
  if (of.is_recorded()) {
    auto const is_long = [](draw::phase const& each) { return each.acts.size() > explanation::most_listed; };
    std::optional<draw::recording> shorter;
    if (std::ranges::any_of(of.run.phases(), is_long)) shorter = of.run.of_first_warps(explanation::most_listed);
    draw::recording const& listed = shorter ? *shorter : of.run;
    json arrays = json::array(), phases = json::array();
    for (auto const& [number, each] : listed.arrays()) arrays.append(array_of(each));
    all.add("arrays", arrays);
    for (std::size_t p = 0; p < listed.phases().size(); ++p) phases.append(phase_of(listed, p));
    all.add("phases", phases);
    all.add("diagram", diagram_of(listed));
  }
  return all.line();
}

}  // namespace tally::cli
