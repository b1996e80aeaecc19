#include "draw/recording.hpp"

#include <algorithm>
#include <ranges>

namespace tally::draw {

namespace {

constexpr int first_leaf = model::traced<int>::first_leaf;
constexpr int warp_lanes = 32;
constexpr int first_constant = -2'000'000'000;  // and lower ones: far from any leaf

bool is_leaf(int value)
{
  return value <= first_leaf && value > first_constant;
}

std::size_t leaf_index(int value)
{
  return static_cast<std::size_t>(first_leaf - value);
}

std::string const nothing;

}  // namespace

recording::origin recording::origin_of(int value) const
{
  if (value >= 0) return origin::operation;
  if (value <= first_constant) return origin::constant;
  if (!is_leaf(value)) return origin::plain;
  std::size_t const k = leaf_index(value);
  return k < inputs_.size() && inputs_[k] ? origin::input : origin::constant;
}

std::string const& recording::text_of(int value) const
{
  auto const in = [](std::vector<std::string> const& texts, std::size_t k) -> std::string const& {
    return k < texts.size() ? texts[k] : nothing;
  };
  if (value >= 0) return in(made_, static_cast<std::size_t>(value));
  if (value <= first_constant) return in(constants_, static_cast<std::size_t>(first_constant - value));
  return is_leaf(value) ? in(leaves_, leaf_index(value)) : nothing;
}

std::string recording::name_of(element const& where) const
{
  if (where.array == element::registers) return "thread " + std::to_string(where.index);
  return arrays_.at(where.array).name + "[" + std::to_string(where.index) + "]";
}

std::vector<std::string> recording::texts_after(std::size_t phase, int array) const
{
  std::vector<std::string> texts = array_of(array).before;
  for (std::size_t p = 0; p <= phase && p < phases_.size(); ++p)
    for (change const& each : phases_[p].changes)
      if (each.array == array) texts[static_cast<std::size_t>(each.index)] = each.text;
  return texts;
}

recording recording::of_first_warps(std::size_t most) const
{
  recording shorter = *this;
  for (phase& each : shorter.phases_) {
    if (each.acts.size() <= most || each.by_host()) continue;
    each.listed = std::max(1, each.acts[most].thread / warp_lanes) * warp_lanes;
    auto const beyond = [&](act const& one) { return one.thread >= each.listed; };
    auto const first = std::find_if(each.acts.begin(), each.acts.end(), beyond);
    shorter.acts_ -= static_cast<std::size_t>(each.acts.end() - first);
    each.acts.erase(first, each.acts.end());
  }
  return shorter;
}

int recording::constant(std::string const& text)
{
  auto const at = std::find(constants_.begin(), constants_.end(), text);
  auto const k = static_cast<int>(at - constants_.begin());
  if (at == constants_.end()) constants_.push_back(text);
  return first_constant - k;
}

/// The recorded array. It is added when it is first seen.
array& recording::known(model::array_base const& of, int launch, int block)
{
  auto const [at, fresh] = arrays_.try_emplace(of.number());
  array& result = at->second;
  if (!fresh) return result;
  result.number = of.number();
  result.name = of.name();
  result.space = of.space();
  result.element_bytes = of.element_bytes();
  result.before.resize(of.size());
  result.values_before.resize(of.size(), plain);
  if (of.space() == model::memory::shared) {
    result.launch = launch;
    result.block = block;
  }
  return result;
}

void recording::given(model::machine const&, model::array_base const& filled)
{
  bool const again = arrays_.contains(filled.number());
  array& recorded = known(filled, -1, -1);
  for (std::size_t k = 0; k < filled.size(); ++k) {
    int const value = filled.node(k);
    if (again) {
      host().changes.push_back({filled.number(), static_cast<int>(k), value, filled.text(k)});
    } else {
      recorded.before[k] = filled.text(k);
      recorded.values_before[k] = value;
    }
    if (!is_leaf(value)) continue;
    std::size_t const leaf = leaf_index(value);
    if (leaves_.size() <= leaf) leaves_.resize(leaf + 1);
    if (inputs_.size() <= leaf) inputs_.resize(leaf + 1);
    leaves_[leaf] = filled.text(k);
    inputs_[leaf] = true;
  }
}

void recording::made(model::machine const&, model::application const& done)
{
  if (!complete_) return;
  auto const node = static_cast<std::size_t>(done.node);
  if (made_.size() <= node) made_.resize(node + 1);
  made_[node] = done.result;
  int const left = done.left == plain ? constant(done.left_text) : done.left;
  int const right = done.right == plain ? constant(done.right_text) : done.right;
  if (left != done.left || right != done.right) operands_[done.node] = {left, right};
  if (!done.by_host) return;
  ++acts_;
  host().acts.push_back({model::action::apply, 0, {}, {}, done.node, left, right, {}, {}});
  host().counts.steps = host().operations = host().acts.size();
}

/// The phase of the host between two launches.
phase& recording::host()
{
  if (phases_.empty() || !phases_.back().by_host())
    phases_.push_back({"the host", -1, -1, 0, 0, false, 1, 1, {}, 0, 1, {}, {}, {}, {}});
  return phases_.back();
}

act recording::act_of(model::machine const& on, model::event const& e, sources& from)
{
  act one{e.what, e.thread, on.place_of(e.where), {e.array, e.index}, e.node, 0, 0, {}, {}};
  element const own = {element::registers, e.thread};
  auto const source = [&](int value) {
    auto const found = from.find(value);
    return found == from.end() ? own : found->second;
  };
  switch (e.what) {
    case model::action::read:
    case model::action::atomic:
    case model::action::shuffle: from[e.node] = one.at; break;
    case model::action::write: break;
    case model::action::apply: {
      auto const constants = operands_.find(e.node);
      one.left = constants == operands_.end() ? e.left : constants->second.first;
      one.right = constants == operands_.end() ? e.right : constants->second.second;
      one.left_at = source(one.left);
      one.right_at = source(one.right);
      one.at = own;
      break;
    }
  }
  return one;
}

/// A result that is written in the phase in which it is made is at that element.
void recording::place_results(phase& into) const
{
  std::unordered_map<int, element> written;
  for (act& one : into.acts | std::views::reverse) {
    if (one.what == model::action::write)
      written[one.value] = one.at;  // ends with the first
    else if (one.what == model::action::apply && written.contains(one.value))
      one.at = written[one.value];
  }
}

std::vector<change> recording::changes_of(model::machine const& on, std::vector<act> const& acts)
{
  std::vector<std::pair<int, int>> written;
  for (act const& one : acts)
    if (one.what == model::action::write || one.what == model::action::atomic)
      written.emplace_back(one.at.array, one.at.index);
  std::sort(written.begin(), written.end());
  written.erase(std::unique(written.begin(), written.end()), written.end());
  std::vector<change> changes;
  for (auto const& [number, index] : written) {
    model::array_base const& of = *on.arrays()[static_cast<std::size_t>(number)];
    auto const k = static_cast<std::size_t>(index);
    int const value = of.node(k);
    changes.push_back({number, index, value, of.is_set(k) ? of.text(k) : ""});
    if (!is_leaf(value)) continue;
    std::size_t const leaf = leaf_index(value);
    if (leaves_.size() <= leaf) leaves_.resize(leaf + 1);
    if (leaves_[leaf].empty()) leaves_[leaf] = changes.back().text;
  }
  return changes;
}

void recording::see(model::machine const& on, model::phase const& ended)
{
  if (acts_ + ended.events.size() > most_) complete_ = false;
  if (!complete_) return;
  acts_ += ended.events.size();
  phase kept;
  kept.kernel = ended.kernel;
  kept.launch = ended.launch;
  kept.block = ended.block;
  kept.number = ended.number;
  kept.barriers = ended.barriers;
  kept.barrier = ended.barrier;
  kept.threads = ended.threads;
  kept.active = static_cast<int>(ended.counts.warps.active_lanes);
  kept.where = on.place_of(ended.where);
  kept.listed = ended.threads;
  kept.counts = ended.counts;
  if (!sources_.empty() && sources_.begin()->first.first != ended.launch) sources_.clear();
  std::vector<sources>& from = sources_[{ended.launch, ended.block}];
  from.resize(static_cast<std::size_t>(ended.threads));
  kept.acts.reserve(ended.events.size());
  for (model::event const& e : ended.events) {
    if (e.array >= 0) known(*on.arrays()[static_cast<std::size_t>(e.array)], ended.launch, ended.block);
    act one = act_of(on, e, from[e.thread]);
    bool const changes = e.what == model::action::apply && !kept.acts.empty() &&
                         kept.acts.back().what == model::action::atomic && kept.acts.back().thread == one.thread;
    if (changes) one.at = one.left_at = kept.acts.back().at;
    kept.acts.push_back(std::move(one));
  }
  kept.operations = static_cast<std::size_t>(std::ranges::count(kept.acts, model::action::apply, &act::what));
  place_results(kept);
  for (model::request_counts const& each : ended.requests)
    kept.requests.push_back(
        {each.what, each.warp, on.place_of(each.where), each.array, each.lanes, each.wavefronts, each.degree});
  kept.changes = changes_of(on, kept.acts);
  phases_.push_back(std::move(kept));
}

}  // namespace tally::draw
