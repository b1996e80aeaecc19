#include "tally/model/thread_program.hpp"

#include <algorithm>
#include <string_view>

namespace tally::model {

namespace {

using state = thread_program::state;
constexpr int lanes = textbook::warp_lanes;

bool same_place(std::source_location const& a, std::source_location const& b)
{
  return a.line() == b.line() && a.column() == b.column() && std::string_view(a.file_name()) == b.file_name();
}

/// The threads of a block while they run.
class crowd {
public:
  crowd(recorder& by, std::span<thread_program> threads) : by_(by), threads_(threads) {}

  void run()
  {
    std::source_location where;
    for (int barriers = 0; barriers <= most_barriers; ++barriers) {
      run_to_barrier(where);
      auto const waits = first_at_barrier();
      by_.end_phase(waits != threads_.end());
      if (waits == threads_.end()) return;
      where = waits->promise().where;
      for (thread_program& each : threads_)
        if (each.promise().now == state::at_barrier) each.now(state::runs);
    }
    by_.thread(0);
    by_.found(by_.here(fault::endless, where));
  }

private:
  void run_to_barrier(std::source_location const& where)
  {
    by_.begin_phase(where);
    go_on();
    while (auto const* const shuffle = first_in_shuffle()) {
      std::source_location const at = shuffle->where;
      by_.end_phase(false);
      by_.begin_phase(at);
      for (std::size_t first = 0; first < threads_.size(); first += lanes)
        shuffle_warp(first, std::min<std::size_t>(lanes, threads_.size() - first));
      by_.end_phase(false);
      by_.begin_phase(at);
      go_on();
    }
    check_barrier();
  }

  void go_on()
  {
    for (std::size_t t = 0; t < threads_.size(); ++t) {
      if (threads_[t].promise().now != state::runs) continue;
      by_.thread(static_cast<int>(t));
      threads_[t].go_on();
    }
  }

  exchange const* first_in_shuffle() const
  {
    auto const found = std::find_if(threads_.begin(), threads_.end(),
                                    [](thread_program const& each) { return each.promise().now == state::in_shuffle; });
    return found == threads_.end() ? nullptr : found->promise().shuffle;
  }

  /// The first thread that waits at the barrier with the lowest line: threads at other barriers are beyond it.
  std::span<thread_program>::iterator first_at_barrier() const
  {
    auto found = threads_.end();
    for (auto each = threads_.begin(); each != threads_.end(); ++each) {
      if (each->promise().now != state::at_barrier) continue;
      if (found == threads_.end() || each->promise().where.line() < found->promise().where.line()) found = each;
    }
    return found;
  }

  /// Every thread of the block must reach the same barrier. Only the first time that one does not is a finding, since
  /// others follow from it.
  void check_barrier()
  {
    auto const waits = first_at_barrier();
    if (waits == threads_.end() || diverged_) return;
    auto const away = std::find_if(threads_.begin(), threads_.end(), [&](thread_program const& each) {
      return each.promise().now == state::ended || !same_place(each.promise().where, waits->promise().where);
    });
    if (away == threads_.end()) return;
    diverged_ = true;
    by_.thread(static_cast<int>(waits - threads_.begin()));
    finding divergent = by_.here(fault::divergent_barrier, waits->promise().where);
    divergent.other = static_cast<int>(away - threads_.begin());
    divergent.other_block = divergent.block;
    if (away->promise().now != state::ended)
      divergent.other_where = by_.here(fault::divergent_barrier, away->promise().where).where;
    by_.found(divergent);
  }

  /// The shuffle that the thread is in; null if it is in none, or there is no such thread.
  exchange* in_shuffle(std::size_t thread) const
  {
    if (thread >= threads_.size() || threads_[thread].promise().now != state::in_shuffle) return nullptr;
    return threads_[thread].promise().shuffle;
  }

  /// The first lane that the mask of `thread` names and that is not in the same shuffle with the same mask; `thread`,
  /// if it does not name itself; -1 if there is none.
  int absent_lane(std::size_t first, std::size_t thread) const
  {
    exchange const& own = *in_shuffle(thread);
    if ((own.mask >> (thread - first) & 1U) == 0) return static_cast<int>(thread);
    for (std::size_t t = first; t < first + lanes; ++t) {
      if ((own.mask >> (t - first) & 1U) == 0) continue;
      exchange const* const other = in_shuffle(t);
      if (other == nullptr || other->mask != own.mask || !same_place(other->where, own.where))
        return static_cast<int>(t);
    }
    return -1;
  }

  /// Lanes exchange their values if their masks name only lanes that are in the shuffle. If there are no such lanes,
  /// all that are in a shuffle do, and that is a finding.
  void shuffle_warp(std::size_t first, std::size_t there)
  {
    std::vector<std::size_t> complete, all;
    for (std::size_t t = first; t < first + there; ++t) {
      if (in_shuffle(t) == nullptr) continue;
      all.push_back(t);
      if (absent_lane(first, t) < 0) complete.push_back(t);
    }
    for (std::size_t const t : complete.empty() ? all : complete) {
      exchange& own = *in_shuffle(t);
      by_.thread(static_cast<int>(t));
      if (complete.empty()) {
        finding away = by_.here(fault::absent_lane, own.where);
        away.other = absent_lane(first, t);
        away.other_block = away.block;
        by_.found(away);
      }
      receive(first, t, own);
    }
    for (std::size_t const t : complete.empty() ? all : complete) threads_[t].now(state::runs);
  }

  void receive(std::size_t first, std::size_t t, exchange& own)
  {
    bool const of_warp = 0 <= own.from && own.from < lanes;
    std::size_t const from = of_warp ? first + static_cast<std::size_t>(own.from) : t;
    exchange const* other = in_shuffle(from);
    if (other != nullptr && !same_place(other->where, own.where)) other = nullptr;
    int const node = own.receive(other);
    by_.shuffle(static_cast<int>(from), node, own.where);
  }

  recorder& by_;
  std::span<thread_program> threads_;
  bool diverged_ = false;
};

}  // namespace

void run_threads(recorder& by, std::span<thread_program> threads)
{
  crowd(by, threads).run();
}

}  // namespace tally::model
