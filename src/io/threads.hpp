#pragma once

#include <algorithm>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

namespace tally::io {

/// How many threads to use where the user asks for `wanted`, 0 standing for as many as are good: no more than oneTBB
/// would give, which complains if it is asked for more.
inline int usable_threads(int wanted)
{
  using control = oneapi::tbb::global_control;
  auto const most = static_cast<int>(control::active_value(control::max_allowed_parallelism));
  return wanted > 0 ? std::min(wanted, most) : std::min(oneapi::tbb::this_task_arena::max_concurrency(), most);
}

}  // namespace tally::io
