#include "limits/thread_team.hpp"

#include <gtest/gtest.h>

namespace tally::bench {
namespace {

// A team is woken, put to sleep and dismissed so quickly that a helper may miss each of these. Every thread must do
// every piece of work, and none may be left spinning.
TEST(thread_team, works_sleeps_and_leaves)
{
  auto const add_one = [](void* count, int) { ++*static_cast<std::atomic<int>*>(count); };
  for (int turn = 0; turn < 500; ++turn) {
    thread_team team(4);
    std::atomic<int> count = 0;
    for (int call = 0; call < 2; ++call) {
      team.begin();
      team.run(add_one, &count);
      team.run(add_one, &count);
      team.end();
    }
    ASSERT_EQ(count, 16);
  }
}

}  // namespace
}  // namespace tally::bench
