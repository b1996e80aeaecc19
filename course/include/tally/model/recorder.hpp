#pragma once

#include <cstddef>
#include <cstdint>
#include <source_location>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tally/model/array.hpp"
#include "tally/model/event.hpp"
#include "tally/model/report.hpp"

namespace tally::model {

class machine;

/// Records the actions of one block of a launch, phase by phase, and finds its faults.
class recorder {
public:
  recorder(machine& on, std::string kernel, int launch, int block, int threads);

  int block() const { return block_; }
  int threads() const { return threads_; }
  std::string const& kernel() const { return kernel_; }
  int launch() const { return launch_; }

  /// Begins a phase, in which the threads act one after the other; `thread(t)` says that thread t acts now.
  /// Throws `std::logic_error` within another phase: on a GPU the barriers of the two would mix.
  void begin_phase(std::source_location const& where);
  void thread(int t) { thread_ = t; }
  int thread() const { return thread_; }
  void end_phase(bool barrier);

  /// Throws `std::logic_error` unless a phase has begun: outside of its steps all threads of a kernel must do the same.
  void must_be_in_phase(char const* what) const;
  void must_be_outside(char const* what) const;

  /// Whether the element can be read. If not, that is a finding, and the value means nothing.
  bool read(array_base& of, position const& at, bool atomic = false);
  /// Whether the element can be written.
  bool write(array_base& of, position const& at, bool atomic = false);
  /// Whether the element can be changed atomically.
  bool update(array_base& of, position const& at);
  /// After a read or a write: the node of the value.
  void moved(int node) { events_.back().node = node; }
  void apply(int left, int right, int node, std::source_location const& where);
  void shuffle(int from, int node, std::source_location const& where);

  /// The thread that acts. If `t` is another thread, that is a finding.
  int own_register(position const& t);
  /// Adds the finding that a shuffle asks for a thread that the block does not have.
  void found_absent(int other, std::source_location const& where);

  void found(finding what);
  /// Adds a finding about an element.
  void found_at(fault what, array_base const& of, position const& at);
  /// A finding about the thread that acts.
  finding here(fault what, std::source_location const& where) const;

  /// For each block, how many of its releases have been seen: a vector clock, Mattern (1989).
  using clock = std::vector<std::uint32_t>;
  /// The thread that acts releases its own writes, and those of its block before the last barrier.
  clock release();
  /// The thread that acts sees what was released; its block sees it after the next barrier.
  void acquire(clock const& released);

  std::size_t shared_end = 0;      ///< bytes of shared memory that are taken
  std::vector<int> shared_arrays;  ///< their numbers

  std::size_t steps() const { return steps_; }
  std::size_t barriers() const { return static_cast<std::size_t>(barriers_); }

private:
  event& next_event(action what, std::source_location const& where);
  bool record_access(array_base& of, position const& at, action what);
  bool is_set(array_base& of, position const& at);
  touch now(bool atomic) const;
  void record_write(array_base& of, int index, touch const& mine);
  void keep(touch& last, touch& another, touch const& mine) const;
  void check_races(array_base& of, int index, touch const& now, bool writes);
  finding race(array_base& of, int index, touch const& before, touch const& now) const;
  bool ordered(touch const& before, touch const& now) const;
  std::uint32_t seen(std::size_t block, int by) const;
  void see_what_was_acquired();
  void new_interval();
  phase_counts count(std::span<event const> events);

  machine& on_;
  std::string kernel_;
  int launch_, block_, threads_, thread_ = 0;
  int barriers_ = 0, phases_ = 0;
  std::size_t steps_ = 0;
  std::uint32_t interval_ = 0;
  std::uint32_t phase_place_ = 0;
  bool in_phase_ = false;
  clock seen_;                                   // by the whole block
  std::vector<std::pair<int, clock>> acquired_;  // since the last barrier, by a thread alone
  std::vector<event> events_;
  std::vector<request_counts> requests_;  // of the phase, where an observer is shown them
};

}  // namespace tally::model
