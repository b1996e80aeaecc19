#pragma once

#include <cstddef>
#include <type_traits>

namespace tally::cpu_backend {

/// Threads that this process may use: processors in its affinity mask, as oneTBB counts them. At least 1.
int available_threads();

/// Calls `body(context, member)` once for each member in [0, members), in parallel, and returns when all have returned.
///
/// Requires  that no member waits for another one to start: fewer threads than members may come, and then a thread runs several
///           members one after another.
/// Cost      5-8 us to wake oneTBB's workers; nothing for one member, which runs on the calling thread.
/// Throws    what a body throws (the first).
void run_team(int members, void (*body)(void* context, int member), void* context);

template <class Body>
void run_team(int members, Body& body)
{
  run_team(members, [](void* context, int member) { (*static_cast<Body*>(context))(member); }, &body);
}

/// How many threads to use for `bytes` of input when the caller asks for `wanted` (0: as many as pay).
///
/// Below `serial_bytes` waking a second thread costs more than it saves.
/// Throws    usage_error if `wanted` is negative.
int team_size(int wanted, std::size_t bytes, std::size_t tiles);

}  // namespace tally::cpu_backend
