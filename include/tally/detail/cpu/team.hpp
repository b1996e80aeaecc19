#pragma once

#include <atomic>
#include <cstddef>
#include <type_traits>

namespace tally::cpu_backend {

/// Threads that this process may use: processors in its affinity mask, as oneTBB counts them. At least 1.
int available_threads();

/// Calls `body(context, member)` once for each member in [0, members), in parallel, and returns when all have returned.
///
/// Requires  that no member waits for another one to start. There may be fewer threads than members (never more than
///           oneTBB has, which is the processors), and then a thread runs several members one after another.
/// Result    the body may use oneTBB itself, and so may the caller: neither takes part in the other's tasks.
/// Cost      5-8 us to wake oneTBB's workers; nothing for one member, which runs on the calling thread.
/// Throws    the first exception of a body.
void run_team(int members, void (*body)(void* context, int member), void* context);

namespace team_detail {

/// The order that run_team promises, exceptions included, for a thread sanitizer: everything before the call happens
/// before every member, and every member before the return. The sanitizer does not see this order in oneTBB's library.
struct members_running {
  std::atomic<int> count{0};

  explicit members_running(int members) { count.fetch_add(members, std::memory_order_release); }
  ~members_running() { (void)count.load(std::memory_order_acquire); }

  struct member {
    std::atomic<int>& count;

    explicit member(members_running& all) : count(all.count) { (void)count.load(std::memory_order_acquire); }
    ~member() { count.fetch_sub(1, std::memory_order_release); }
  };
};

}  // namespace team_detail

template <class Body>
void run_team(int members, Body& body)
{
  struct shared_body {
    Body& body;
    team_detail::members_running all;  // constructed after everything that the members read
  } shared{body, team_detail::members_running(members)};
  run_team(
      members,
      [](void* context, int index) {
        shared_body& all_of_it = *static_cast<shared_body*>(context);
        team_detail::members_running::member const running(all_of_it.all);
        all_of_it.body(index);
      },
      &shared);
}

/// The number of threads for `bytes` of input in `tiles` tiles, at most `wanted` (0: any number). It follows from
/// `tuning::serial_bytes`, `tuning::bytes_a_thread` and `tuning::processors`.
/// Throws    usage_error if `wanted` is negative.
int team_size(int wanted, std::size_t bytes, std::size_t tiles);

}  // namespace tally::cpu_backend
