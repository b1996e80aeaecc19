#include "explain/stages.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace tally::cli {

namespace {

bool combines(draw::phase const& of)
{
  return std::any_of(of.acts.begin(), of.acts.end(),
                     [](draw::act const& one) { return one.what == model::action::apply; });
}

void add(stage& to, std::size_t number, draw::phase const& phase)
{
  to.phases.push_back(number);
  to.combines |= combines(phase);
  to.launch = phase.launch;
  to.kernel = phase.kernel;
  to.threads = phase.threads;
  to.blocks = std::max(to.blocks, phase.block + 1);
  to.steps = std::max(to.steps, static_cast<int>(phase.counts.steps));
  to.shared += phase.counts.shared;
  to.warps += phase.counts.warps;
  to.global += phase.counts.global;
}

}  // namespace

std::vector<stage> stages_of(draw::recording const& run)
{
  // Ordered by turn (a launch, or the host between two) and phase, since blocks are recorded one after the other, or
  // mixed.
  std::map<std::pair<int, int>, std::vector<std::size_t>> groups;
  int turn = 0;
  for (std::size_t p = 0; p < run.phases().size(); ++p) {
    draw::phase const& phase = run.phases()[p];
    if (p > 0 && phase.launch != run.phases()[p - 1].launch) ++turn;
    groups[{turn, phase.number}].push_back(p);
  }
  std::vector<stage> all;
  int steps = 0;
  for (auto const& [when, phases] : groups) {
    stage one;
    for (std::size_t const p : phases) {
      add(one, p, run.phases()[p]);
      one.active += run.phases()[p].active;
    }
    one.first_step = steps + 1;
    steps += one.steps;
    bool const nothing = one.active == 0;
    bool const goes_on = !all.empty() && !all.back().combines && !one.combines && all.back().launch == one.launch;
    if (nothing) continue;
    if (!goes_on) {
      all.push_back(std::move(one));
      continue;
    }
    for (std::size_t const p : phases) add(all.back(), p, run.phases()[p]);
    all.back().active = std::max(all.back().active, one.active);
  }
  return all;
}

copied copies_of(draw::recording const& run, stage const& of)
{
  using who = std::tuple<int, int, int>;  // block, thread, value
  copied found;
  std::map<who, draw::element> sources, kept;  // where a value was read; values not yet written elsewhere
  auto const say = [&](std::string const& way) {
    if (std::find(found.ways.begin(), found.ways.end(), way) == found.ways.end()) found.ways.push_back(way);
  };
  for (std::size_t const p : of.phases)
    for (draw::act const& one : run.phases()[p].acts) {
      who const has = {run.phases()[p].block, one.thread, one.value};
      if (one.what == model::action::shuffle) found.shuffles = true;
      if (one.what == model::action::read) sources[has] = kept[has] = one.at;
      if (one.what != model::action::write) continue;
      std::string const to = run.array_of(one.at.array).name;
      auto const from = sources.find(has);
      kept.erase(has);
      bool const constant = run.origin_of(one.value) == draw::recording::origin::constant;
      if (constant || (from != sources.end() && from->second.index != one.at.index && of.blocks == 1))
        found.straight = false;
      if (from == sources.end())
        say((constant ? "identity -> " : "registers -> ") + to);
      else
        say(run.array_of(from->second.array).name + " -> " + to);
    }
  for (auto const& [has, from] : kept) say(run.array_of(from.array).name + " -> registers");
  if (found.shuffles) say("registers -> registers of the warp");
  return found;
}

moves moves_of(draw::recording const& run, stage const& of)
{
  moves found;
  auto const say = [&](draw::element const& to, std::string const& block, std::string const& what) {
    found.texts.push_back(block + run.name_of(to) + " <- " + what);
    found.targets.insert({to.array, to.index});
  };
  for (std::size_t const p : of.phases) {
    std::map<std::pair<int, int>, draw::element> sources;  // of thread and value
    for (draw::act const& one : run.phases()[p].acts) {
      if (one.what == model::action::read) sources[{one.thread, one.value}] = one.at;
      if (one.what == model::action::apply) sources.erase({one.thread, one.value});
      if (one.what != model::action::write) continue;
      auto const from = sources.find({one.thread, one.value});
      std::string const block = of.blocks > 1 ? "block " + std::to_string(run.phases()[p].block) + ": " : "";
      if (from != sources.end() && from->second.index != one.at.index &&
          run.array_of(from->second.array).space == run.array_of(one.at.array).space)
        say(one.at, block, run.name_of(from->second));
      else if (from == sources.end() && run.origin_of(one.value) == draw::recording::origin::constant)
        say(one.at, block, run.text_of(one.value));
    }
  }
  return found;
}

}  // namespace tally::cli
