// Teams of threads in a program that also has other teams, and uses oneTBB itself.
#include "tally/detail/cpu/team.hpp"

#include <gtest/gtest.h>
#include <tbb/task_group.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../support/tuning.hpp"
#include "../support/watchdog.hpp"
#include "tally/detail/cpu/tuning.hpp"
#include "tally/tally.hpp"

namespace {

using tally::test::watchdog;

TEST(Team, CallsEveryMemberOnce)
{
  for (int members : {1, 2, 7, 40, 5000}) {
    std::vector<std::atomic<int>> calls(static_cast<std::size_t>(members));
    auto body = [&](int member) { calls[static_cast<std::size_t>(member)].fetch_add(1); };
    tally::cpu_backend::run_team(members, body);
    for (std::atomic<int> const& count : calls) EXPECT_EQ(count.load(), 1);
  }
}

TEST(Team, WritesNothingToStandardError)
{
  // Concurrent calls, each with another number of threads, up to more than there are processors.
  std::vector<std::uint64_t> const in(20 * tally::order::tile<std::uint64_t>, 1);
  testing::internal::CaptureStderr();
  std::atomic<int> wrong{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([&, caller] {
      for (int k = 0; k < 100; ++k) {
        tally::cpu const on{.threads = tally::cpu_backend::available_threads() + 1 + (7 * caller + 3 * k) % 16};
        if (tally::reduce(on, in, std::uint64_t{0}, [](auto a, auto b) { return a + b; }) != in.size()) ++wrong;
      }
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(wrong, 0);
}

TEST(Team, RunsWhollyInACancelledTask)
{
  std::vector<float> const in(40 * tally::order::tile<float>, 1.0f);
  std::vector<float> out(in.size(), -1.0f);
  tbb::task_group tasks;
  tasks.run([&] {
    tasks.cancel();
    tally::inclusive_scan(tally::cpu{.threads = 2}, in, out, [](float a, float b) { return a + b; });
  });
  tasks.wait();
  for (std::size_t k = 0; k < out.size(); ++k) ASSERT_EQ(out[k], static_cast<float>(k + 1)) << k;
}

TEST(Team, LetsOperatorsUseTheirOwnTasks)
{
  // While a member waits for a task of its operator, its thread must not run another member: that one would wait for
  // the first, which it has interrupted.
  watchdog const ends;
  std::size_t const slots = std::exchange(tally::cpu_backend::tuning_in_use().slots_a_member, 1);
  std::atomic<bool> waited{false};
  auto const add = [&](std::uint64_t a, std::uint64_t b) {
    if (!waited.exchange(true)) {
      tbb::task_group tasks;
      auto task = tasks.defer([] {});
      std::thread late([&tasks, own = std::move(task)]() mutable {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        tasks.run_and_wait(std::move(own));
      });
      tasks.wait();
      late.join();
    }
    return a + b;
  };
  std::vector<std::uint64_t> const in(60 * tally::order::tile<std::uint64_t>, 1);
  std::vector<std::uint64_t> out(in.size());
  tally::inclusive_scan(tally::cpu{.threads = 16}, in, out, add);
  for (std::size_t k = 0; k < out.size(); ++k) ASSERT_EQ(out[k], k + 1) << k;
  tally::cpu_backend::tuning_in_use().slots_a_member = slots;
}

TEST(Team, HasTheThreadsThatPayUpToThoseWanted)
{
  tally::test::tuned const few([](auto& sizes) {
    sizes.serial_bytes = 1500;
    sizes.bytes_a_thread = 500;
    sizes.processors = 12;
  });
  EXPECT_EQ(tally::cpu_backend::team_size(8, 1499, 100), 1);
  EXPECT_EQ(tally::cpu_backend::team_size(8, 1500, 100), 3);
  EXPECT_EQ(tally::cpu_backend::team_size(8, 1999, 100), 3);
  EXPECT_EQ(tally::cpu_backend::team_size(8, 2000, 100), 4);
  EXPECT_EQ(tally::cpu_backend::team_size(8, 1 << 20, 100), 8);
  EXPECT_EQ(tally::cpu_backend::team_size(99, 1 << 20, 100), 12);
  EXPECT_EQ(tally::cpu_backend::team_size(0, 1 << 20, 100), 12);
  EXPECT_EQ(tally::cpu_backend::team_size(0, 2000, 100), 4);
  EXPECT_EQ(tally::cpu_backend::team_size(0, 1499, 100), 1);
  EXPECT_EQ(tally::cpu_backend::team_size(8, 1 << 20, 3), 3);
  EXPECT_EQ(tally::cpu_backend::team_size(8, 0, 0), 1);
  EXPECT_EQ(tally::cpu_backend::team_size(0, 100, 1000), 1);
  EXPECT_THROW((void)tally::cpu_backend::team_size(-1, 100, 1), tally::usage_error);
}

}  // namespace
