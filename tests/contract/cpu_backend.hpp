#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <hwy/targets.h>

#include "../support/guarded.hpp"
#include "../support/instruction_sets.hpp"
#include "../support/tuning.hpp"
#include "tally/execution.hpp"

namespace tally::test {

/// The number of ways in which a test runs each of its cases.
enum class ways {
  instruction_sets,  ///< one thread, each instruction set that this machine has
  one_thread,        ///< one thread, the best instruction set
  threads,           ///< the best instruction set, 1 to 16 threads and Tally's own choice
  few_threads,       ///< the same with 1, 2, 3 and 16
};

/// `which`, less the ways that are alike for Op on T: an instruction set makes no difference without compiled kernels.
template <class Op, class T>
constexpr ways that_differ(ways which)
{
  return which == ways::instruction_sets && !tally::cpu_backend::has_kernels<Op, T> ? ways::one_thread : which;
}

/// The CPU as a backend under test. A backend defines where operands live (`array`) and the ways in which a call can
/// run (`for_each_way`). The calls themselves belong to the contracts.
struct cpu_backend {
  static constexpr char const* name = "cpu";

  /// Elements for a call on this backend, `offset` elements after an aligned place, with poison around them. Made from
  /// a vector, the array holds its values; made from a size, it is poisoned.
  template <class T>
  using array = guarded<T>;

  /// Calls f(execution, name of the way) for each way.
  template <class F>
  static void for_each_way(ways which, F const& f)
  {
    if (which == ways::instruction_sets) {
      for (std::int64_t const target : instruction_sets()) {
        only_instruction_set const only(target);
        f(cpu{.threads = 1}, std::string("cpu, ") + hwy::TargetName(target));
      }
      return;
    }
    if (which == ways::one_thread) {
      f(cpu{.threads = 1}, "cpu");
      return;
    }
    std::vector<int> const few{1, 2, 3, 16};
    std::vector<int> const many{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    for (int const threads : which == ways::threads ? many : few) {
      std::optional<tuned> own_choice;
      if (threads == 0) own_choice.emplace(as_for_users);
      f(cpu{.threads = threads}, "cpu, " + std::to_string(threads) + " threads");
    }
  }
};

}  // namespace tally::test
