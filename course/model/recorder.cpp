#include "tally/model/recorder.hpp"

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "request.hpp"
#include "tally/model/machine.hpp"

namespace tally::model {

namespace {

/// Puts the reads that a thread makes in a row in the order of the source. Compilers evaluate the operands of a call in
/// orders of their own.
template <class Place>
void order_reads(std::vector<event>& events, Place const& place_of)
{
  auto const earlier = [&](event const& a, event const& b) { return place_of(a) < place_of(b); };
  auto begin = events.begin();  // of the row of reads that `each` belongs to
  for (auto each = events.begin(); each != events.end(); ++each) {
    if (each->what != action::read || begin->what != action::read || begin->thread != each->thread)
      begin = each;
    else
      std::rotate(std::upper_bound(begin, each, *each, earlier), each, each + 1);
  }
}

}  // namespace

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
  must_be_outside("a step");
  in_phase_ = true;
  phase_place_ = on_.places_.number(where);
  events_.clear();
}

void recorder::must_be_in_phase(char const* what) const
{
  if (!in_phase_)
    throw std::logic_error(kernel_ + ": " + what +
                           " stands outside of the steps, where only what is alike for all threads does");
}

void recorder::must_be_outside(char const* what) const
{
  if (in_phase_) throw std::logic_error(kernel_ + ": " + what + " stands within a step");
}

void recorder::end_phase(bool barrier)
{
  requests_.clear();
  order_reads(events_, [this](event const& e) {
    place const& at = on_.places_[e.where];
    return std::pair(at.line, at.column);
  });
  phase_counts const counted = count(events_);
  if (on_.observer_ != nullptr)
    on_.observer_->see(on_, {kernel_, launch_, block_, phases_, barriers_, barrier, phase_place_, events_, threads_,
                             counted, requests_});
  ++phases_;
  events_.clear();
  in_phase_ = false;
  if (!barrier) return;
  ++barriers_;
  see_what_was_acquired();
  new_interval();
}

void recorder::new_interval()
{
  auto const own = on_.releases_.find(block_);
  std::size_t const releases = own == on_.releases_.end() ? 0 : own->second.size();
  on_.intervals_.push_back({launch_, block_, barriers_, static_cast<std::uint32_t>(releases)});
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

int recorder::own_register(position const& t)
{
  if (t.index != thread_) {
    finding wrong = here(fault::foreign_register, t.where);
    wrong.other = t.index;
    found(std::move(wrong));
  }
  return thread_;
}

void recorder::found_absent(int other, std::source_location const& where)
{
  finding absent = here(fault::absent_lane, where);
  absent.other = other;
  found(std::move(absent));
}

void recorder::found(finding what)
{
  on_.add(std::move(what));
}

void recorder::found_at(fault what, array_base const& of, position const& at)
{
  finding about = here(what, at.where);
  about.array = of.name();
  about.index = at.index;
  found(std::move(about));
}

event& recorder::next_event(action what, std::source_location const& where)
{
  event& e = events_.emplace_back();
  e.what = what;
  e.thread = static_cast<std::uint16_t>(thread_);
  e.where = on_.places_.number(where);
  return e;
}

/// Records an access to an element. If there is no such element, that is a finding.
bool recorder::record_access(array_base& of, position const& at, action what)
{
  must_be_in_phase("an access to memory");
  if (at.index >= 0 && static_cast<std::size_t>(at.index) < of.size()) {
    event& e = next_event(what, at.where);
    e.array = of.number();
    e.index = at.index;
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
  found_at(fault::unset_read, of, at);
  return false;
}

touch recorder::now(bool atomic) const
{
  return {interval_, events_.back().where, events_.back().thread, atomic};
}

bool recorder::read(array_base& of, position const& at, bool atomic)
{
  if (!record_access(of, at, action::read)) return false;
  touch const mine = now(atomic);
  array_base::word& word = of.touches(static_cast<std::size_t>(at.index));
  check_races(of, at.index, mine, false);
  keep(word.read, word.another_read, mine);
  return is_set(of, at);
}

bool recorder::write(array_base& of, position const& at, bool atomic)
{
  if (!record_access(of, at, action::write)) return false;
  if (of.is_kept) found_at(fault::changes_input, of, at);
  record_write(of, at.index, now(atomic));
  return true;
}

bool recorder::update(array_base& of, position const& at)
{
  if (!record_access(of, at, action::atomic)) return false;
  record_write(of, at.index, now(true));
  return is_set(of, at);
}

void recorder::apply(int left, int right, int node, std::source_location const& where)
{
  must_be_in_phase("an application of the operator");
  event& e = next_event(action::apply, where);
  e.node = node;
  e.left = left;
  e.right = right;
}

void recorder::shuffle(int from, int node, std::source_location const& where)
{
  event& e = next_event(action::shuffle, where);
  e.index = from;
  e.node = node;
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
  total.atomics += counted.atomics;
  return counted;
}

}  // namespace tally::model
