// Calls whose number of elements lies in memory, on a CPU: the call reads it.
#include <cstdint>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "counted_suite.hpp"
#include "cpu_backend.hpp"
#include "elements.hpp"
#include "tally/batches.hpp"

namespace tally::test {
namespace {

TEST(counted, floats)
{
  counts_around_units<cpu_backend, float, std::int32_t>(plus{});
}
TEST(counted, brackets_of_an_operator_without_kernels)
{
  counts_around_units<cpu_backend, double, std::uint64_t>(halve_and_add{});
}

TEST(counted, every_call_takes_a_range_and_returns_its_end)
{
  std::vector<int> x(100), y(100, -1);
  std::iota(x.begin(), x.end(), 1);
  std::uint32_t count = 4;
  auto const some = counted(x, count_at(&count, x.size()));
  EXPECT_EQ(reduce(some), 10);
  EXPECT_EQ(reduce(cpu{}, some, 5), 15);
  EXPECT_EQ(transform_reduce(some, 0, plus{}, [](int a) { return a * a; }), 30);
  EXPECT_EQ(inclusive_scan(some, y) - y.begin(), 4);
  EXPECT_EQ((std::vector<int>(y.begin(), y.begin() + 5)), (std::vector<int>{1, 3, 6, 10, -1}));
  count = 3;  // the call reads it, and not `counted`
  EXPECT_EQ(exclusive_scan(cpu{}, some, y, 7) - y.begin(), 3);
  EXPECT_EQ((std::vector<int>(y.begin(), y.begin() + 5)), (std::vector<int>{7, 8, 10, 10, -1}));
  EXPECT_EQ(transform_inclusive_scan(some, y, plus{}, [](int a) { return -a; }) - y.begin(), 3);
  EXPECT_EQ(y[2], -6);
  count = 0;
  EXPECT_EQ(reduce(some), 0);
  EXPECT_EQ(reduce(some, 5), 5);
}

template <class N>
void expect_refused(char const* as_text)
{
  std::vector<int> const x(10, 1);
  std::vector<int> y(10, -1);
  N const count = -3;
  auto const says = [&](auto const& call) {
    try {
      call();
      ADD_FAILURE() << "no error";
    } catch (usage_error const& error) {
      EXPECT_STREQ(error.what(), as_text);
    }
  };
  auto const some = counted(x, count_at(&count, x.size()));
  says([&] { (void)reduce(some); });
  says([&] { inclusive_scan(cpu{2}, some, y); });
  std::vector<int> const offsets{0, 2, 5, 10};
  auto const batch = segments(x, offsets, count_at(&count, 3));
  says([&] { reduce(batch, y); });
  says([&] { exclusive_scan(cpu{1}, batch, y, 0); });
  EXPECT_EQ(y, std::vector<int>(10, -1));
}

TEST(counted, a_negative_count_is_refused)
{
  expect_refused<std::int32_t>("tally: the count in memory is -3, and must not be negative");
  expect_refused<std::int64_t>("tally: the count in memory is -3, and must not be negative");
  // An unsigned one of the same bits is large.
  std::uint32_t const large = ~std::uint32_t{0};
  EXPECT_EQ(reduce(counted(std::vector<int>(10, 1), count_at(&large, 10))), 10);
}

TEST(counted, an_output_has_room_for_all_that_there_may_be)
{
  std::vector<int> const x(10, 1);
  std::vector<int> y(9);
  int const count = 3;
  EXPECT_THROW(inclusive_scan(counted(x, count_at(&count, x.size())), y), usage_error);
  inclusive_scan(counted(x, count_at(&count, y.size())), y);
  EXPECT_EQ(y[2], 3);
}

}  // namespace
}  // namespace tally::test
