#include "run_cell.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "tool/cli/bench/timing.hpp"

namespace tally::bench {
namespace {

using timing::clock;
using timing::seconds_since;

bool is_limit(contender const& c)
{
  return c.part == role::copy_limit || c.part == role::read_limit;
}

bool belongs(contender const& k, cell const& c)
{
  if (k.memory_only && c.data == placement::cache) return false;
  if (is_limit(k)) return k.part == (c.is_scan() ? role::copy_limit : role::read_limit);
  return k.what == c.what && k.type == c.type;
}

/// A contender with the right result.
struct entry {
  contender who;
  std::size_t measured;  // its index in the cell
  std::size_t batch;     // calls timed together
  bool left_out;
};

/// The part of the data that a call works on: in cache always the same, beyond cache the next one, so that a call never
/// finds memory that the call before it has touched.
class places {
public:
  places(cell const& c, data_set const& data)
      : data_(data),
        n_(c.n()),
        count_(c.data == placement::memory ? data.size() / c.n() : 1),
        out_moves_(c.is_scan())
  {
  }
  std::byte const* in() const { return data_.in(at_ * n_); }
  std::byte* out() const { return data_.out(out_moves_ ? at_ * n_ : 0); }
  void next() { at_ = at_ + 1 == count_ ? 0 : at_ + 1; }

private:
  data_set const& data_;
  std::size_t n_;
  std::size_t count_;
  std::size_t at_ = 0;
  bool out_moves_;
};

class session {
public:
  session(cell& c, data_set const& data, exact const& results, effort const& how)
      : cell_(c),
        results_(results),
        how_(how),
        places_(c, data)
  {
  }

  /// Checks the contender, and has it timed if its result is right.
  void enter(contender const& who)
  {
    measurement m{who.name, who.part, who.threads, {}, {}, false};
    double const first = call_in_place(who);
    m.check = is_limit(who) ? (cell_.is_scan() ? results_.check_copy(bytes_read()) : results_.check_read(bytes_read()))
                            : results_.check(cell_.what, cell_.n());
    double expected = first;
    if (cell_.data == placement::cache) {
      expected = warm_call(who);
      results_.poison(cell_.n());  // as the check had left it
    }
    double const wanted = cell_.data == placement::cache ? how_.seconds_a_batch_cache : how_.seconds_a_batch_memory;
    if (!m.check.wrong) entries_.push_back({who, cell_.measured.size(), timing::calls_in(wanted, expected), false});
    cell_.measured.push_back(std::move(m));
  }

  void run()
  {
    auto const start = clock::now();
    timing::interleaved_rounds rounds(entries_.size());
    for (int round = 0; round < how_.rounds_at_most; ++round) {
      if (round >= how_.rounds_at_least && seconds_since(start) > how_.seconds_a_cell) break;
      if (round == 1 && cell_.data == placement::memory) leave_out_hopeless(rounds, 2);
      if (round == 2 && cell_.data == placement::memory) leave_out_hopeless(rounds, 1);
      rounds.run_round([&](std::size_t k) { return time_batch(entries_[k]); });
    }
    for (std::size_t k = 0; k < entries_.size(); ++k) cell_.measured[entries_[k].measured].seconds = rounds.times(k);
  }

private:
  std::size_t bytes_read() const { return cell_.n() * size_of(cell_.type); }
  std::size_t length(contender const& who) const { return is_limit(who) ? bytes_read() : cell_.n(); }

  double call_in_place(contender const& who)
  {
    places here = places_;
    if (who.begin) who.begin();
    auto const start = clock::now();
    who.run(here.in(), here.out(), length(who));
    double const taken = seconds_since(start);
    if (who.end) who.end();
    return taken;
  }

  /// Seconds of a call when everything is warm: the shortest of eight, since an interruption may lengthen one.
  double warm_call(contender const& who)
  {
    double shortest = 1;
    for (int k = 0; k < 8; ++k) shortest = std::min(shortest, call_in_place(who));
    return std::max(shortest, 1e-8);
  }

  /// Seconds of a call, from one batch.
  double time_batch(entry const& e)
  {
    contender const& who = e.who;
    if (who.begin) who.begin();
    if (cell_.data == placement::cache) {
      // Brings back the data that the contender before has pushed out; branch predictors and clock settle.
      for (std::size_t k = 0; k < e.batch / 8 + 2; ++k) who.run(places_.in(), places_.out(), length(who));
    } else {
      // Wakes the threads, on data that this batch does not use.
      who.run(places_.in(), places_.out(), std::min<std::size_t>(length(who), 1 << 16));
      places_.next();
    }
    auto const start = clock::now();
    for (std::size_t k = 0; k < e.batch; ++k) {
      who.run(places_.in(), places_.out(), length(who));
      places_.next();
      timing::keep(places_);
    }
    double const taken = seconds_since(start);
    if (who.end) who.end();
    return taken / static_cast<double>(e.batch);
  }

  /// Leaves out contenders that are `patience` times as slow as run_cell.hpp says, compared with the best of their
  /// kind.
  void leave_out_hopeless(timing::interleaved_rounds& rounds, double patience)
  {
    std::map<std::pair<role, int>, double> best;
    for (std::size_t k = 0; k < entries_.size(); ++k) {
      if (entries_[k].left_out) continue;
      auto const [place, is_new] = best.try_emplace(kind_of(entries_[k]), rounds.median(k));
      place->second = std::min(place->second, rounds.median(k));
    }
    for (std::size_t k = 0; k < entries_.size(); ++k) {
      entry& e = entries_[k];
      double const bound = patience * (is_limit(e.who) ? hopeless_limit : hopeless_peer) * best[kind_of(e)];
      if (e.left_out || rounds.median(k) <= bound) continue;
      e.left_out = true;
      rounds.leave_out(k);
    }
  }

  static std::pair<role, int> kind_of(entry const& e) { return {e.who.part, e.who.threads}; }

  cell& cell_;
  exact const& results_;
  effort const& how_;
  places places_;
  std::vector<entry> entries_;
};

}  // namespace

void run_cell(cell& c, std::vector<contender> const& contenders, data_set const& data, exact const& results,
              effort const& how)
{
  session s(c, data, results, how);
  results.poison(c.n());
  for (contender const& each : contenders)
    if (belongs(each, c)) s.enter(each);
  s.run();
}

}  // namespace tally::bench
