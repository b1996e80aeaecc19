#include "tally/model/recorder.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "request.hpp"
#include "tally/model/machine.hpp"

namespace tally::model {

recorder::recorder(machine& on, std::string kernel, int launch, int block, int threads)
    : on_(on),
      kernel_(std::move(kernel)),
      launch_(launch),
      block_(block),
      threads_(threads)
{
  new_interval();
}

void recorder::begin_phase(std::source_location const& where)
{
  phase_place_ = on_.places_.number(where);
  events_.clear();
}

void recorder::end_phase(bool barrier)
{
  requests_.clear();
  phase_counts const counted = count(events_);
  if (on_.observer_ != nullptr)
    on_.observer_->see(on_, {kernel_, launch_, block_, phases_, barriers_, barrier, phase_place_, events_, threads_,
                             counted, requests_});
  ++phases_;
  events_.clear();
  if (!barrier) return;
  ++barriers_;
  new_interval();
}

void recorder::new_interval()
{
  auto const own = static_cast<std::size_t>(block_);
  on_.intervals_.push_back({launch_, block_, barriers_, own < seen_.size() ? seen_[own] : 0});
  interval_ = static_cast<std::uint32_t>(on_.intervals_.size() - 1);
}

finding recorder::here(fault what, std::source_location const& where) const
{
  finding result;
  result.what = what;
  result.kernel = kernel_;
  result.launch = launch_;
  result.block = block_;
  result.step = barriers_;
  result.thread = thread_;
  result.where = on_.places_[on_.places_.number(where)];
  return result;
}

void recorder::found(finding what)
{
  auto const same_place = [](place const& a, place const& b) {
    return a.line == b.line && a.column == b.column && std::string_view(a.file) == b.file;
  };
  for (finding& known : on_.report_.findings) {
    if (known.what != what.what || known.kernel != what.kernel || !same_place(known.where, what.where) ||
        !same_place(known.other_where, what.other_where))
      continue;
    ++known.times;
    return;
  }
  on_.report_.findings.push_back(std::move(what));
}

/// Notes an access to an element, or finds that there is none.
bool recorder::note(array_base& of, position const& at, action what)
{
  if (at.index >= 0 && static_cast<std::size_t>(at.index) < of.size()) {
    event e{};
    e.what = what;
    e.thread = static_cast<std::uint16_t>(thread_);
    e.where = on_.places_.number(at.where);
    e.array = of.number();
    e.index = at.index;
    events_.push_back(e);
    return true;
  }
  finding outside = here(fault::out_of_range, at.where);
  outside.array = of.name();
  outside.index = at.index;
  outside.size = of.size();
  outside.writes = what != action::read;
  found(std::move(outside));
  return false;
}

bool recorder::is_set(array_base& of, position const& at)
{
  if (of.is_set(static_cast<std::size_t>(at.index))) return true;
  finding unset = here(fault::unset_read, at.where);
  unset.array = of.name();
  unset.index = at.index;
  found(std::move(unset));
  return false;
}

touch recorder::now(bool atomic) const
{
  return {interval_, events_.back().where, events_.back().thread, atomic};
}

bool recorder::read(array_base& of, position const& at, bool atomic)
{
  if (!note(of, at, action::read)) return false;
  touch const mine = now(atomic);
  check_races(of, at.index, mine, false);
  array_base::word& word = of.touches(static_cast<std::size_t>(at.index));
  if (word.read.interval != 0 && !ordered(word.read, mine)) word.another_read = word.read;
  word.read = mine;
  return is_set(of, at);
}

bool recorder::write(array_base& of, position const& at, bool atomic)
{
  if (!note(of, at, action::write)) return false;
  check_races(of, at.index, now(atomic), true);
  of.touches(static_cast<std::size_t>(at.index)).write = now(atomic);
  return true;
}

bool recorder::update(array_base& of, position const& at)
{
  if (!note(of, at, action::atomic)) return false;
  check_races(of, at.index, now(true), true);
  of.touches(static_cast<std::size_t>(at.index)).write = now(true);
  return is_set(of, at);
}

void recorder::check_races(array_base& of, int index, touch const& now, bool writes)
{
  array_base::word const& word = of.touches(static_cast<std::size_t>(index));
  auto const check = [&](touch const& before, bool wrote) {
    if (before.interval == 0 || (before.atomic && now.atomic) || ordered(before, now)) return;
    finding both = race(of, index, before, now);
    both.writes = writes;
    both.other_writes = wrote;
    found(std::move(both));
  };
  check(word.write, true);
  if (!writes) return;
  check(word.read, false);
  check(word.another_read, false);
}

bool recorder::ordered(touch const& before, touch const& now) const
{
  machine::interval const& then = on_.intervals_[before.interval];
  if (then.launch != launch_) return true;
  if (then.block == block_) return then.barriers != barriers_ || before.thread == now.thread;
  // What block b did after its release number c is seen by who has seen c + 1 of its releases.
  auto const other = static_cast<std::size_t>(then.block);
  return other < seen_.size() && seen_[other] > then.clock;
}

finding recorder::race(array_base& of, int index, touch const& before, touch const& now) const
{
  finding both;
  both.what = fault::race;
  both.kernel = kernel_;
  both.launch = launch_;
  both.block = block_;
  both.step = barriers_;
  both.thread = now.thread;
  both.other = before.thread;
  both.other_block = on_.intervals_[before.interval].block;
  both.array = of.name();
  both.index = index;
  both.where = on_.places_[now.where];
  both.other_where = on_.places_[before.where];
  return both;
}

recorder::clock recorder::release()
{
  auto const own = static_cast<std::size_t>(block_);
  if (seen_.size() <= own) seen_.resize(own + 1);
  ++seen_[own];
  clock const seen = seen_;
  new_interval();
  return seen;
}

void recorder::acquire(clock const& released)
{
  if (seen_.size() < released.size()) seen_.resize(released.size());
  for (std::size_t k = 0; k < released.size(); ++k) seen_[k] = std::max(seen_[k], released[k]);
}

void recorder::apply(int left, int right, int node, std::source_location const& where)
{
  event e{};
  e.what = action::apply;
  e.thread = static_cast<std::uint16_t>(thread_);
  e.where = on_.places_.number(where);
  e.node = node;
  e.left = left;
  e.right = right;
  events_.push_back(e);
}

void recorder::shuffle(int from, int node, std::source_location const& where)
{
  event e{};
  e.what = action::shuffle;
  e.index = from;
  e.thread = static_cast<std::uint16_t>(thread_);
  e.where = on_.places_.number(where);
  e.node = node;
  events_.push_back(e);
}

phase_counts recorder::count(std::span<event const> events)
{
  phase_counts const counted =
      count_phase(events, threads_, on_.arrays_, on_.observer_ == nullptr ? nullptr : &requests_);
  report& total = on_.report_;
  steps_ += counted.steps;
  (counted.transfers ? total.shared_in_transfers : total.shared) += counted.shared;
  (counted.transfers ? total.warps_in_transfers : total.warps) += counted.warps;
  total.global += counted.global;
  return counted;
}

}  // namespace tally::model
