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

/// Watches one block of a launch: notes what its threads do, phase by phase, and finds what they must not do.
class recorder {
public:
  recorder(machine& on, std::string kernel, int launch, int block, int threads);

  int block() const { return block_; }
  int threads() const { return threads_; }
  std::string const& kernel() const { return kernel_; }
  int launch() const { return launch_; }

  /// What follows is done by all threads, one after the other: `thread` says by whom.
  /// Throws `std::logic_error` within another phase: on a GPU the barriers of the two would meet.
  void begin_phase(std::source_location const& where);
  void thread(int t) { thread_ = t; }
  int thread() const { return thread_; }
  void end_phase(bool barrier);

  /// Throws `std::logic_error` unless a phase has begun: what a kernel does outside of its steps must be alike for all
  /// threads.
  void must_be_in_phase(char const* what) const;
  void must_be_outside(char const* what) const;

  /// Whether the element is there to be read; else it is found, and means nothing.
  bool read(array_base& of, position const& at, bool atomic = false);
  /// Whether it may be written.
  bool write(array_base& of, position const& at, bool atomic = false);
  /// Whether it is there to be changed at once.
  bool update(array_base& of, position const& at);
  /// After a read or a write: the node that came or went.
  void moved(int node) { events_.back().node = node; }
  void apply(int left, int right, int node, std::source_location const& where);
  void shuffle(int from, int node, std::source_location const& where);

  /// Whose register `t` means: the own one of the thread that works, or it is found.
  int own_register(position const& t);
  /// A shuffle asks for a thread that the block does not have.
  void found_absent(int other, std::source_location const& where);

  void found(finding what);
  /// A finding about the thread that works, as yet without its fault.
  finding here(fault what, std::source_location const& where) const;

  /// Of each block: how many of its releases have been seen. Vector clocks: Mattern (1989).
  using clock = std::vector<std::uint32_t>;
  /// The thread that works releases what it has written, and what its block has before its last barrier.
  clock release();
  /// What was released is seen by the thread that works, and by its block after the next barrier.
  void acquire(clock const& released);

  std::size_t shared_end = 0;      ///< bytes of shared memory that are taken
  std::vector<int> shared_arrays;  ///< their numbers

  std::size_t steps() const { return steps_; }
  std::size_t barriers() const { return static_cast<std::size_t>(barriers_); }

private:
  event& next_event(action what, std::source_location const& where);
  bool note(array_base& of, position const& at, action what);
  bool is_set(array_base& of, position const& at);
  touch now(bool atomic) const;
  void noted_write(array_base& of, int index, touch const& mine);
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
