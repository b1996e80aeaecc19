#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "io/threads/ordered_tasks.hpp"
#include "io/threads/worker_pool.hpp"

namespace tally::io {
namespace {

TEST(worker_pool, every_index_once)
{
  for (int const threads : {1, 2, 5}) {
    worker_pool workers(threads);
    for (std::size_t const n : {0u, 1u, 2u, 100u}) {
      std::vector<int> calls(n, 0);  // each touched by one thread
      workers.for_each(n, [&](std::size_t i) { ++calls[i]; });
      EXPECT_EQ(calls, std::vector<int>(n, 1)) << threads << " threads";
    }
  }
}

TEST(worker_pool, an_exception_arrives_when_all_is_done)
{
  for (int const threads : {2, 5}) {
    worker_pool workers(threads);
    std::atomic<int> done = 0;
    auto const work = [&](std::size_t i) {
      if (i == 3) throw std::runtime_error("three");
      ++done;
    };
    EXPECT_THROW(workers.for_each(50, work), std::runtime_error);
    EXPECT_EQ(done, 49);
  }
}

struct item {
  int number = 0;
  int square = 0;
};

ordered_tasks<item>::functions squares(int& prepared, int count, int failing = -1)
{
  return {[&prepared, count](item& into) { return (into.number = prepared) < count && ++prepared; },
          [failing](item& into) {
            if (into.number == failing) throw std::runtime_error("failing");
            into.square = into.number * into.number;
          },
          [] { return true; }};
}

TEST(ordered_tasks, results_in_order_and_bounded)
{
  for (int const threads : {1, 2, 4}) {
    for (int const count : {0, 1, 2, 1000}) {
      int prepared = 0;
      ordered_tasks<item> tasks(threads, squares(prepared, count));
      for (int i = 0; i < count; ++i) {
        item const* const got = tasks.next();
        ASSERT_NE(got, nullptr);
        EXPECT_EQ(got->square, i * i);
        EXPECT_LE(prepared, i + 24);
      }
      EXPECT_EQ(tasks.next(), nullptr);
      EXPECT_EQ(tasks.next(), nullptr);
    }
  }
}

TEST(ordered_tasks, an_exception_waits_for_its_turn)
{
  for (int const threads : {1, 4}) {
    int prepared = 0;
    ordered_tasks<item> tasks(threads, squares(prepared, 100, 50));
    for (int i = 0; i < 50; ++i) ASSERT_EQ(tasks.next()->square, i * i);
    EXPECT_THROW(tasks.next(), std::runtime_error);
  }
}

TEST(ordered_tasks, an_exception_of_preparing_waits_too)
{
  for (int const threads : {1, 4}) {
    int prepared = 0;
    auto functions = squares(prepared, 100);
    functions.prepare = [&prepared](item& into) {
      if (prepared == 10) throw std::runtime_error("preparing");
      into.number = prepared++;
      return true;
    };
    ordered_tasks<item> tasks(threads, functions);
    for (int i = 0; i < 10; ++i) ASSERT_EQ(tasks.next()->square, i * i);
    EXPECT_THROW(tasks.next(), std::runtime_error);
    EXPECT_EQ(tasks.next(), nullptr);
  }
}

TEST(ordered_tasks, may_be_left_in_the_middle)
{
  int prepared = 0;
  ordered_tasks<item> tasks(4, squares(prepared, 1000, 7));
  tasks.next();
}

}  // namespace
}  // namespace tally::io
