#include "tally/cpu/team.hpp"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <string>

#include "tally/error.hpp"

namespace tally::cpu_backend {

namespace {

/// Below this a second thread, which takes some 6 us to wake, saves nothing.
constexpr std::size_t serial_bytes = std::size_t{512} << 10;

}  // namespace

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
  auto const all = [&] {
    tbb::parallel_for(0, members, 1, [&](int member) { body(context, member); }, tbb::simple_partitioner());
  };
  if (members <= available_threads()) {
    all();
  } else {
    // oneTBB has no more threads than processors unless it is told to.
    tbb::global_control const allowed(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(members));
    tbb::task_arena(members).execute(all);
  }
}

int team_size(int wanted, std::size_t bytes, std::size_t tiles)
{
  if (wanted < 0)
    throw usage_error("tally::cpu: threads = " + std::to_string(wanted) + "; it must be 0 (choose) or more");
  int const threads = wanted > 0 ? wanted : bytes < serial_bytes ? 1 : available_threads();
  return static_cast<std::size_t>(threads) < tiles ? threads : tiles > 1 ? static_cast<int>(tiles) : 1;
}

}  // namespace tally::cpu_backend
