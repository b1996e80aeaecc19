#pragma once

#include "tally/detail/cpu/team.hpp"
#include "tally/detail/cpu/tuning.hpp"

namespace tally::test {

/// Changes the tuning of calls on the CPU for its lifetime: `change` modifies the current tuning.
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

/// Selects threads as in a user's program, where few bytes stay on one thread (threads_pay.cpp switches this off).
inline void as_for_users(tally::cpu_backend::tuning& sizes)
{
  sizes.serial_bytes = tally::cpu_backend::tuning{}.serial_bytes;
  sizes.bytes_a_thread = tally::cpu_backend::tuning{}.bytes_a_thread;
  sizes.processors = tally::cpu_backend::available_threads();
}

}  // namespace tally::test
