#include "draw/columns.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace tally::draw {

namespace {

/// Whether an input is combined, or moved to another place.
bool inputs_go_on(recording const& run)
{
  auto const is_input = [&](int value) { return run.origin_of(value) == recording::origin::input; };
  for (phase const& each : run.phases())
    for (act const& one : each.acts) {
      if (one.what == model::action::apply && (is_input(one.left) || is_input(one.right))) return true;
      if (one.what == model::action::write && is_input(one.value)) return true;
    }
  return false;
}

}  // namespace

columns::columns(recording const& run) : run_(run)
{
  place_global();
  place_shared();
  place_siblings();
  place_padding();
}

std::optional<int> columns::of(element const& where) const
{
  auto const found = known_.find({where.array, where.index});
  return found == known_.end() ? std::nullopt : std::optional(found->second);
}

/// Columns of the inputs that are read, side by side, and of arrays as large as the first of them.
void columns::place_global()
{
  auto const is_input = [&](int value) { return run_.origin_of(value) == recording::origin::input; };
  std::set<int> inputs;
  for (phase const& each : run_.phases())
    for (act const& one : each.acts)
      if (one.what == model::action::read && is_input(one.value)) {
        std::vector<int> const& before = run_.array_of(one.at.array).values_before;
        if (std::any_of(before.begin(), before.end(), is_input)) inputs.insert(one.at.array);
      }
  if (inputs.empty())  // no input is read: takes the first array that has any
    for (auto const& [number, each] : run_.arrays())
      if (inputs.empty() && std::any_of(each.values_before.begin(), each.values_before.end(), is_input))
        inputs.insert(number);
  std::size_t size = 0;
  for (int const number : inputs) {
    std::size_t const elements = run_.array_of(number).before.size();
    for (std::size_t k = 0; k < elements; ++k) learn({number, static_cast<int>(k)}, count_ + static_cast<int>(k));
    count_ += static_cast<int>(elements);
    if (size == 0) size = elements;
  }
  if (!inputs_go_on(run_)) {
    place_counts();
    return;
  }
  for (auto const& [number, each] : run_.arrays()) {
    if (each.space != model::memory::global || known_.contains({number, 0}) || each.before.size() != size) continue;
    for (std::size_t k = 0; k < size; ++k) learn({number, static_cast<int>(k)}, static_cast<int>(k));
  }
}

/// Columns of a run that counts its inputs: the private counts of all blocks are side by side, and a stored value has
/// the column that it comes from. Without private counts the bins have the first columns.
void columns::place_counts()
{
  counts_ = true;
  int first = -1, next = 0;
  for (auto const& [number, each] : run_.arrays()) {
    if (each.space != model::memory::shared || (first >= 0 && each.launch != first)) continue;
    first = each.launch;
    for (std::size_t k = 0; k < each.before.size(); ++k) learn({number, static_cast<int>(k)}, next++);
  }
  for (auto const& [number, each] : run_.arrays())
    if (first < 0 && !known_.contains({number, 0}))
      for (std::size_t k = 0; k < each.before.size(); ++k) learn({number, static_cast<int>(k)}, static_cast<int>(k));
  count_ = std::max(count_, next);
  std::map<int, int> from;  // for each value the place where it was read last
  for (phase const& each : run_.phases())
    for (act const& one : each.acts) {
      if (each.launch != first) continue;
      if (one.what == model::action::read) from[one.value] = of(one.at).value_or(0);
      if (one.what == model::action::write && run_.array_of(one.at.array).space == model::memory::global)
        learn(one.at, from[one.value]);
      if (one.what == model::action::apply && one.at == one.left_at && one.at.array != element::registers &&
          run_.array_of(one.at.array).space == model::memory::global)
        learn(one.at, from[one.right]);
    }
}

/// Columns by loads or by stores: in a kernel that shifts elements, one of the two is straight.
void columns::place_shared()
{
  struct ways {
    std::map<key, int> loads, stores;
    int straight_loads = 0, straight_stores = 0;
  };
  std::map<std::pair<int, std::string>, ways> all;  // by launch and name, over the blocks
  std::map<std::pair<int, int>, std::unordered_map<int, std::unordered_map<int, element>>> sources;
  for (phase const& each : run_.phases()) {
    auto& threads = sources[{each.launch, each.block}];
    for (act const& one : each.acts) {
      if (one.what == model::action::read) threads[one.thread][one.value] = one.at;
      if (one.what != model::action::write) continue;
      auto const source = threads[one.thread].find(one.value);
      if (source == threads[one.thread].end()) continue;
      element const from = source->second, to = one.at;
      bool const from_shared = run_.array_of(from.array).space == model::memory::shared;
      bool const to_shared = run_.array_of(to.array).space == model::memory::shared;
      if (from_shared == to_shared) continue;
      element const& inside = from_shared ? from : to;
      auto const column = of(from_shared ? to : from);
      if (!column) continue;
      ways& found = all[{each.launch, run_.array_of(inside.array).name}];
      bool const straight = each.block == 0 && *column == inside.index;
      (from_shared ? found.stores : found.loads).try_emplace({inside.array, inside.index}, *column);
      (from_shared ? found.straight_stores : found.straight_loads) += straight;
    }
  }
  for (auto const& [name, found] : all) {
    bool const by_stores = found.straight_stores >= found.straight_loads && !found.stores.empty();
    known_.insert((by_stores ? found.stores : found.loads).begin(), (by_stores ? found.stores : found.loads).end());
    known_.insert((by_stores ? found.loads : found.stores).begin(), (by_stores ? found.loads : found.stores).end());
  }
}

/// Columns of a buffer that has the same block and size as another one.
void columns::place_siblings()
{
  std::map<key, int> more;
  for (auto const& [number, each] : run_.arrays()) {
    if (each.space != model::memory::shared) continue;
    for (auto const& [other, beside] : run_.arrays()) {
      if (other == number || beside.launch != each.launch || beside.block != each.block ||
          beside.before.size() != each.before.size() || beside.space != each.space)
        continue;
      for (std::size_t k = 0; k < each.before.size(); ++k)
        if (auto const column = of({other, static_cast<int>(k)}))
          more.try_emplace({number, static_cast<int>(k)}, *column);
    }
  }
  known_.insert(more.begin(), more.end());
}

/// Columns of elements that are filled with constants: they continue those of the elements before them.
void columns::place_padding()
{
  for (phase const& each : run_.phases())
    for (act const& one : each.acts) {
      if (one.what != model::action::write || run_.origin_of(one.value) != recording::origin::constant || of(one.at) ||
          run_.array_of(one.at.array).space != model::memory::shared)
        continue;
      for (int k = one.at.index - 1; k >= 0; --k)
        if (auto const column = of({one.at.array, k})) {
          learn(one.at, *column + one.at.index - k);
          count_ = std::max(count_, *column + one.at.index - k + 1);
          break;
        }
    }
}

}  // namespace tally::draw
