#include "run_cell.hpp"

#include <benchmark/benchmark.h>

#include <chrono>
#include <cmath>
#include <map>
#include <random>

namespace tally::bench {
namespace {

using clock = std::chrono::steady_clock;

double seconds_since(clock::time_point start)
{
  return std::chrono::duration<double>(clock::now() - start).count();
}

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

/// One contender and what it needs to be run.
struct entry {
  contender who;
  std::size_t measured;  // its index in the cell
  std::size_t batch;     // calls timed together
  bool active;
};

/// Gives every call its place in the data: the same one in cache; beyond cache the next one, so that a call never finds
/// what the one before it has touched.
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
    std::size_t const batch = static_cast<std::size_t>(std::max(1.0, std::ceil(wanted / expected)));
    entries_.push_back({who, cell_.measured.size(), batch, !m.check.wrong});
    cell_.measured.push_back(std::move(m));
  }

  void run()
  {
    auto const start = clock::now();
    std::mt19937 shuffler(1);
    for (int round = 0; round < how_.rounds_at_most; ++round) {
      if (round >= how_.rounds_at_least && seconds_since(start) > how_.seconds_a_cell) break;
      if (round == 1 && cell_.data == placement::memory) drop_the_hopeless(2);
      if (round == 2 && cell_.data == placement::memory) drop_the_hopeless(1);
      std::shuffle(entries_.begin(), entries_.end(), shuffler);
      run_round();
    }
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

  /// Seconds a call when all is warm; the shortest of some, for one may meet an interruption.
  double warm_call(contender const& who)
  {
    double shortest = 1;
    for (int k = 0; k < 8; ++k) shortest = std::min(shortest, call_in_place(who));
    return std::max(shortest, 1e-8);
  }

  /// Seconds a call, from one batch.
  double time_batch(entry const& e)
  {
    contender const& who = e.who;
    if (who.begin) who.begin();
    if (cell_.data == placement::cache) {
      // Brings back what the contender before has pushed out, and settles branch predictors and clock.
      for (std::size_t k = 0; k < e.batch / 8 + 2; ++k) who.run(places_.in(), places_.out(), length(who));
    } else {
      // Wakes threads, on data that will not be in this batch.
      who.run(places_.in(), places_.out(), std::min<std::size_t>(length(who), 1 << 16));
      places_.next();
    }
    auto const start = clock::now();
    for (std::size_t k = 0; k < e.batch; ++k) {
      who.run(places_.in(), places_.out(), length(who));
      places_.next();
      benchmark::ClobberMemory();
    }
    double const taken = seconds_since(start);
    if (who.end) who.end();
    return taken / static_cast<double>(e.batch);
  }

  /// Collects what Google Benchmark reports, and prints nothing.
  class collector : public benchmark::BenchmarkReporter {
  public:
    bool ReportContext(Context const&) override { return true; }
    void ReportRuns(std::vector<Run> const& runs) override
    {
      for (Run const& run : runs)
        seconds[run.run_name.function_name] = run.real_accumulated_time / static_cast<double>(run.iterations);
    }
    std::map<std::string, double> seconds;
  };

  /// Registers every contender anew, in the order of this round, and runs each once.
  void run_round()
  {
    benchmark::ClearRegisteredBenchmarks();
    for (entry const& e : entries_) {
      if (!e.active) continue;
      std::string const name = name_of(cell_, cell_.measured[e.measured]);
      benchmark::RegisterBenchmark(name.c_str(),
                                   [this, &e](benchmark::State& state) {
                                     for (auto _ : state) state.SetIterationTime(time_batch(e));
                                   })
          ->UseManualTime()
          ->Iterations(1);
    }
    collector round;
    benchmark::RunSpecifiedBenchmarks(&round, std::string("."));
    for (entry const& e : entries_) {
      measurement& m = cell_.measured[e.measured];
      if (e.active) m.seconds.push_back(round.seconds.at(name_of(cell_, m)));
    }
  }

  void drop_the_hopeless(double patience)
  {
    std::map<std::pair<role, int>, double> best;
    for (entry const& e : entries_) {
      if (!e.active) continue;
      double const seconds = cell_.measured[e.measured].median();
      auto const [place, is_new] = best.try_emplace({e.who.part, e.who.threads}, seconds);
      place->second = std::min(place->second, seconds);
    }
    for (entry& e : entries_) {
      if (!e.active) continue;
      double const bound =
          patience * (is_limit(e.who) ? hopeless_limit : hopeless_peer) * best[{e.who.part, e.who.threads}];
      e.active = cell_.measured[e.measured].median() <= bound;
    }
  }

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
  for (contender const& k : contenders)
    if (belongs(k, c)) s.enter(k);
  s.run();
}

}  // namespace tally::bench
