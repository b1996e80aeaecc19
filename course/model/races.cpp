#include <algorithm>
#include <utility>

#include "tally/model/machine.hpp"
#include "tally/model/recorder.hpp"

/// The order of accesses. Two accesses of a block are ordered if one thread makes both, or if a barrier is between
/// them; accesses of two blocks, if a chain of releases and acquires leads from one to the other; accesses of two
/// launches, always.
namespace tally::model {

namespace {

void merge(recorder::clock& into, recorder::clock const& more)
{
  if (into.size() < more.size()) into.resize(more.size());
  for (std::size_t k = 0; k < more.size(); ++k) into[k] = std::max(into[k], more[k]);
}

}  // namespace

void recorder::record_write(array_base& of, int index, touch const& mine)
{
  array_base::word& word = of.touches(static_cast<std::size_t>(index));
  check_races(of, index, mine, true);
  keep(word.write, word.another_write, mine);
}

void recorder::keep(touch& last, touch& another, touch const& mine) const
{
  if (last.interval != 0 && !ordered(last, mine)) another = last;
  last = mine;
}

void recorder::check_races(array_base& of, int index, touch const& now, bool writes)
{
  array_base::word const& word = of.touches(static_cast<std::size_t>(index));
  auto const check = [&](touch const& before, bool wrote) {
    if (before.interval == 0 || (before.atomic && now.atomic) || ordered(before, now)) return false;
    finding both = race(of, index, before, now);
    both.writes = writes;
    both.other_writes = wrote;
    found(std::move(both));
    return true;
  };
  if (!check(word.write, true)) check(word.another_write, true);
  if (writes && !check(word.read, false)) check(word.another_read, false);
}

bool recorder::ordered(touch const& before, touch const& now) const
{
  if (before.interval == now.interval) return before.thread == now.thread;
  machine::interval const& then = on_.intervals_[before.interval];
  if (then.launch != launch_) return true;
  if (then.block == block_) return then.barriers != barriers_ || before.thread == now.thread;
  // They are ordered if this thread has seen a release after `before` by the same thread, or after a later barrier.
  std::uint32_t const seen_so_far = seen(static_cast<std::size_t>(then.block), now.thread);
  for (std::uint32_t k = seen_so_far; k > then.releases; --k) {
    machine::release const& one = on_.releases_.at(then.block)[k - 1];
    if (one.barriers > then.barriers || one.thread == before.thread) return true;
  }
  return false;
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
  std::vector<machine::release>& releases = on_.releases_[block_];
  releases.push_back({barriers_, thread_});
  clock all = seen_;
  for (auto const& [thread, released] : acquired_)
    if (thread == thread_) merge(all, released);
  if (all.size() <= own) all.resize(own + 1);
  all[own] = static_cast<std::uint32_t>(releases.size());
  new_interval();
  return all;
}

void recorder::acquire(clock const& released)
{
  for (auto& [thread, before] : acquired_)
    if (thread == thread_) return merge(before, released);
  acquired_.emplace_back(thread_, released);
}

void recorder::see_what_was_acquired()
{
  for (auto const& [thread, released] : acquired_) merge(seen_, released);
  acquired_.clear();
}

/// How many releases of a block the thread `by` has seen.
std::uint32_t recorder::seen(std::size_t block, int by) const
{
  auto const of = [block](clock const& all) { return block < all.size() ? all[block] : 0; };
  std::uint32_t most = of(seen_);
  for (auto const& [thread, released] : acquired_)
    if (thread == by) most = std::max(most, of(released));
  return most;
}

}  // namespace tally::model
