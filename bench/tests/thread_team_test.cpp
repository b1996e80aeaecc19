#include "limits/thread_team.hpp"

#include <gtest/gtest.h>

namespace tally::bench {
namespace {

// A team that is woken, put to sleep and dismissed at once: every thread does every piece of work, and nobody is left
// spinning, though a helper may see none of it happen in between.
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
