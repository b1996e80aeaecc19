#include "tally/detail/cpu/team.hpp"

#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <string>

#include "tally/detail/cpu/tuning.hpp"
#include "tally/error.hpp"

namespace tally::cpu_backend {

int available_threads()
{
  static int const threads = tbb::info::default_concurrency();
  return threads < 1 ? 1 : threads;
}

void run_team(int members, void (*body)(void* context, int member), void* context)
{
  if (members <= 1) {
    body(context, 0);
    return;
  }
  // Isolated from the program's own use of oneTBB. The cancellation of a task of the program's does not cancel this. A
  // thread that waits, here or for tasks of the operator's, runs neither another member nor a task of the program's
  // meanwhile. There are no more threads than oneTBB has: their number is a setting of the whole process, and two calls
  // that ask for different numbers make oneTBB write warnings to standard error.
  tbb::task_group_context own(tbb::task_group_context::isolated);
  tbb::this_task_arena::isolate([&] {
    tbb::parallel_for(
        0, members, 1, [&](int member) { tbb::this_task_arena::isolate([&] { body(context, member); }); },
        tbb::simple_partitioner(), own);
  });
}

int team_size(int wanted, std::size_t bytes, std::size_t tiles)
{
  if (wanted < 0)
    throw usage_error("tally::cpu: threads = " + std::to_string(wanted) + "; it must be 0 (choose) or more");
  tuning const& sizes = tuning_in_use();
  if (bytes < sizes.serial_bytes) return 1;
  int const most = wanted > 0 ? std::min(wanted, sizes.processors) : sizes.processors;
  std::size_t const pay = sizes.bytes_a_thread > 0 ? bytes / sizes.bytes_a_thread : tiles;
  return std::max(1, static_cast<int>(std::min({static_cast<std::size_t>(most), pay, tiles})));
}

}  // namespace tally::cpu_backend
