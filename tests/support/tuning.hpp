#pragma once

#include "tally/detail/cpu/team.hpp"
#include "tally/detail/cpu/tuning.hpp"

namespace tally::test {

/// While it lives, calls on the CPU are tuned as `change` leaves what it is given.
class tuned {
public:
  template <class Change>
  explicit tuned(Change const& change)
  {
    change(tally::cpu_backend::tuning_in_use());
  }
  ~tuned() { tally::cpu_backend::tuning_in_use() = before_; }
  tuned(tuned const&) = delete;
  tuned& operator=(tuned const&) = delete;

private:
  tally::cpu_backend::tuning before_ = tally::cpu_backend::tuning_in_use();
};

/// Threads are chosen as in a user's program, where few bytes stay on one (threads_pay.cpp).
inline void as_for_users(tally::cpu_backend::tuning& sizes)
{
  sizes.serial_bytes = tally::cpu_backend::tuning{}.serial_bytes;
  sizes.bytes_a_thread = tally::cpu_backend::tuning{}.bytes_a_thread;
  sizes.processors = tally::cpu_backend::available_threads();
}

}  // namespace tally::test
