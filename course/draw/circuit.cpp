#include "draw/circuit.hpp"

#include <algorithm>
#include <compare>
#include <cstdlib>
#include <ranges>
#include <set>
#include <tuple>
#include <utility>

#include "draw/areas.hpp"
#include "draw/columns.hpp"
#include "draw/row_names.hpp"

namespace tally::draw {

namespace {

using kind = circuit::kind;
using role = circuit::role;
using origin = recording::origin;

/// The time of a node: a launch, or a turn of the host; in it a phase of a block; and in that its place after its
/// operands.
struct moment {
  int turn, phase, level;
  auto operator<=>(moment const&) const = default;
};
constexpr moment beginning = {-1, 0, 0};

class maker {
public:
  explicit maker(recording const& run) : run_(run), columns_(run) {}

  circuit make()
  {
    place_inputs();
    find_uses();
    int turn = -1, launch = -2;
    for (; phase_ < run_.phases().size(); ++phase_) {
      phase const& each = run_.phases()[phase_];
      if (each.launch != launch) ++turn;
      launch = each.launch;
      for (act const& one : each.acts) take(each, one, {turn, each.number, 0});
    }
    make_rows();
    name_rows(made_);
    mark_results();
    for (circuit::node const& each : made_.nodes) made_.columns = std::max(made_.columns, each.column + 1);
    made_.blocks = areas_of(made_);
    return std::move(made_);
  }

private:
  using thread = std::tuple<int, int, int>;  // launch, block, thread
  using stand = std::tuple<int, int, int>;   // array, index, value

  circuit::node& node(int number) { return made_.nodes[static_cast<std::size_t>(number)]; }

  void place_inputs()
  {
    for (auto const& [number, each] : run_.arrays())
      for (std::size_t k = 0; k < each.before.size(); ++k) {
        element const at = {number, static_cast<int>(k)};
        int const value = each.values_before[k];
        auto const column = columns_.of(at);
        if (!column || run_.origin_of(value) != origin::input) continue;
        stands_[{number, at.index, value}] = add({kind::input, 0, *column, value, {}, at, -1, -1, false}, beginning);
      }
  }

  /// For each result the column of the element that its thread writes it to, or else writes a value to that it makes
  /// from the result.
  void find_uses()
  {
    std::map<int, thread> makers;
    std::map<int, int> next;
    for (phase const& each : run_.phases())
      for (act const& one : each.acts) {
        thread const who = {each.launch, each.block, one.thread};
        auto const is_own = [&](int value) {
          auto const found = makers.find(value);
          return found != makers.end() && found->second == who;
        };
        if (one.what == model::action::apply) {
          makers[one.value] = who;
          for (int const operand : {one.left, one.right})
            if (is_own(operand)) next.try_emplace(operand, one.value);
        } else if (one.what == model::action::write && is_own(one.value)) {
          if (auto const column = columns_.of(one.at)) uses_.try_emplace(one.value, *column);
        }
      }
    for (auto const& [result, user] : next | std::views::reverse)  // a result is used after it is made
      if (auto const found = uses_.find(user); found != uses_.end()) uses_.try_emplace(result, found->second);
  }

  void take(phase const& in, act const& one, moment const& now)
  {
    switch (one.what) {
      case model::action::read:
      case model::action::atomic: read(in, one); break;
      case model::action::shuffle:
        if (int const there = held({in.launch, in.block, one.at.index}, one.value); there >= 0)
          holds_[{in.launch, in.block, one.thread}][one.value] = there;
        break;
      case model::action::apply: apply(in, one, now); break;
      case model::action::write: write(in, one, now); break;
    }
  }

  /// The node of a value that a thread has; -1 if it has none.
  int held(thread const& who, int value)
  {
    auto const& all = holds_[who];
    if (auto const found = all.find(value); found != all.end()) return found->second;
    auto const last = last_.find(value);
    return last == last_.end() ? -1 : last->second;
  }

  void read(phase const& in, act const& one)
  {
    thread const who = {in.launch, in.block, one.thread};
    auto const found = stands_.find({one.at.array, one.at.index, one.value});
    int const there = found == stands_.end() ? held(who, one.value) : found->second;
    if (there >= 0) holds_[who][one.value] = there;
    if (there >= 0 && node(there).what == kind::input) looked_at_[who] = there;
  }

  /// The input that selects the element to be combined. The thread has read it, it is no operand, and the right operand
  /// is a constant of the kernel, such as the 1 that a histogram adds.
  int index_of(phase const& in, act const& one, int left, int right)
  {
    auto const read = looked_at_.extract(thread(in.launch, in.block, one.thread));
    bool const adds_constant = right < 0 && one.right_at.array == element::registers;
    return !read.empty() && adds_constant && read.mapped() != left ? read.mapped() : -1;
  }

  int source(phase const& in, act const& one, element const& at, int value)
  {
    if (at.array == element::registers) return held({in.launch, in.block, at.index}, value);
    auto const found = stands_.find({at.array, at.index, value});
    return found == stands_.end() ? held({in.launch, in.block, one.thread}, value) : found->second;
  }

  void apply(phase const& in, act const& one, moment now)
  {
    int const left = source(in, one, one.left_at, one.left), right = source(in, one, one.right_at, one.right);
    after(left, now);
    after(right, now);
    int const made = add(
        {kind::combined, 0, column_of_result(in, one, left, right), one.value, {}, one.at, one.thread, in.block, false},
        now);
    if (left >= 0) made_.arrows.push_back({left, made, role::left});
    if (right >= 0) made_.arrows.push_back({right, made, role::right});
    if (int const index = index_of(in, one, left, right); index >= 0)
      made_.arrows.push_back({index, made, role::index});
    holds_[{in.launch, in.block, one.thread}][one.value] = made;
    if (one.at.array != element::registers) stands_[{one.at.array, one.at.index, one.value}] = made;
  }

  int column_of_result(phase const& in, act const& one, int left, int right)
  {
    if (auto const use = uses_.find(one.value); use != uses_.end()) return use->second;
    if (auto const place = columns_.of(one.at)) return *place;  // it is written there, or changed atomically
    element const own = {element::registers, one.thread};
    if (left >= 0 && one.left_at == own) return node(left).column;
    if (right >= 0 && one.right_at == own) return node(right).column;
    bool const others = left >= 0 && right >= 0 && node(left).block != in.block && node(right).block == in.block;
    if (left >= 0 && !others) return node(left).column;
    return right >= 0 ? node(right).column : one.thread;
  }

  void write(phase const& in, act const& one, moment now)
  {
    origin const from_where = run_.origin_of(one.value);
    if (from_where == origin::plain) return;
    thread const who = {in.launch, in.block, one.thread};
    stand const place = {one.at.array, one.at.index, one.value};
    int const from = held(who, one.value);
    if (from < 0 && from_where != origin::constant) return;
    auto column = columns_.of(one.at);
    if (!column && from < 0) return;
    if (!column) columns_.learn(one.at, *(column = node(from).column));
    if (from >= 0 && node(from).column == *column) {  // a copy within its column
      stands_[place] = from;
      return;
    }
    after(from, now);
    if (from < 0 && !used_.contains(*column) && !columns_.are_counts())
      now = beginning;  // constants that complete a tree are in the row of the inputs
    int const made = add(
        {from < 0 ? kind::constant : kind::moved, 0, *column, one.value, {}, one.at, one.thread, in.block, false}, now);
    if (from >= 0) made_.arrows.push_back({from, made, role::moved});
    stands_[place] = made;
  }

  /// The row is not before those of the operands.
  void after(int number, moment& now) const
  {
    if (number < 0) return;
    moment const& needed = moments_[static_cast<std::size_t>(number)];
    if (needed >= now) now = {needed.turn, needed.phase, needed.level + 1};
  }

  int add(circuit::node one, moment now)
  {
    while (!cells_.insert({now, one.column}).second) ++now.level;
    used_.insert(one.column);
    one.text = run_.text_of(one.value);
    auto const number = static_cast<int>(made_.nodes.size());
    made_.nodes.push_back(std::move(one));
    moments_.push_back(now);
    phases_.try_emplace(now, now == beginning ? 0 : phase_);
    last_[made_.nodes.back().value] = number;
    return number;
  }

  void make_rows()
  {
    std::map<moment, int> rows;
    for (auto const& [when, first] : phases_) {
      rows[when] = static_cast<int>(made_.rows.size());
      circuit::row row{{}, -1, first, 0, 0, {}, {}};
      if (when != beginning) {
        row.kernel = run_.phases()[first].kernel;
        row.launch = run_.phases()[first].launch;
      }
      made_.rows.push_back(std::move(row));
    }
    for (std::size_t k = 0; k < made_.nodes.size(); ++k) made_.nodes[k].row = rows[moments_[k]];
  }

  void mark_results()
  {
    int out = -1;
    for (auto const& [number, each] : run_.arrays())
      if (each.space == model::memory::global && each.name == "out") out = number;
    if (out < 0) return;
    std::map<int, change const*> last;
    for (phase const& each : run_.phases())
      for (change const& one : each.changes)
        if (one.array == out) last[one.index] = &one;
    for (auto const& [index, one] : last) {
      auto const column = columns_.of({out, index});
      if (!column || *column < 0) continue;
      auto const k = static_cast<std::size_t>(*column);
      if (made_.result.size() <= k) made_.result.resize(k + 1);
      made_.result[k] = one->text;
      if (auto const found = stands_.find({out, index, one->value}); found != stands_.end())
        node(found->second).is_result = true;
    }
  }

  recording const& run_;
  columns columns_;
  circuit made_;
  std::size_t phase_ = 0;
  std::vector<moment> moments_;                           // of the nodes
  std::map<moment, std::size_t> phases_;                  // the first phase with a node at that time
  std::set<std::pair<moment, int>> cells_;                // taken
  std::set<int> used_;                                    // columns
  std::map<stand, int> stands_;                           // the node of a value at an element
  std::map<thread, std::unordered_map<int, int>> holds_;  // the nodes of the values that a thread has
  std::map<thread, int> looked_at_;    // the input that a thread has read last, if it has combined nothing since
  std::unordered_map<int, int> last_;  // the latest node of a value
  std::map<int, int> uses_;
};

}  // namespace

circuit circuit_of(recording const& run)
{
  return maker(run).make();
}

}  // namespace tally::draw
