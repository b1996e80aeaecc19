#include <functional>
#include <iterator>
#include <list>
#include <numeric>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "../support/iterators.hpp"
#include "../support/operators.hpp"
#include "../support/values.hpp"

/// Tests of the standard's requirements on std::inclusive_scan, std::exclusive_scan and their transforming forms.
/// Compiled twice: as it stands, and with as_std.hpp before it.
namespace {

using namespace tally::test;

constexpr auto twice = [](int k) { return 2 * k; };

TEST(std_scan, of_nothing_writes_nothing)
{
  std::vector<int> const none;
  std::vector<int> out{-1};
  auto const begin = out.begin();
  EXPECT_EQ(std::inclusive_scan(none.begin(), none.end(), begin), begin);
  EXPECT_EQ(std::inclusive_scan(none.begin(), none.end(), begin, std::plus<>(), 5), begin);
  EXPECT_EQ(std::exclusive_scan(none.begin(), none.end(), begin, 5), begin);
  EXPECT_EQ(std::transform_inclusive_scan(none.begin(), none.end(), begin, std::plus<>(), twice), begin);
  EXPECT_EQ(std::transform_exclusive_scan(none.begin(), none.end(), begin, 5, std::plus<>(), twice), begin);
  EXPECT_EQ(out[0], -1);
}

TEST(std_scan, of_any_number_of_elements)
{
  for (int n = 0; n < 300; ++n) {
    std::vector<int> x(static_cast<std::size_t>(n));
    std::iota(x.begin(), x.end(), 1);
    std::vector<int> inclusive(x.size()), from_init(x.size()), exclusive(x.size()), transformed(x.size()),
        transformed_exclusive(x.size());
    EXPECT_EQ(std::inclusive_scan(x.begin(), x.end(), inclusive.begin()), inclusive.end());
    EXPECT_EQ(std::inclusive_scan(x.begin(), x.end(), from_init.begin(), std::plus<>(), 100), from_init.end());
    EXPECT_EQ(std::exclusive_scan(x.begin(), x.end(), exclusive.begin(), 100), exclusive.end());
    std::transform_inclusive_scan(x.begin(), x.end(), transformed.begin(), std::plus<>(), twice);
    std::transform_exclusive_scan(x.begin(), x.end(), transformed_exclusive.begin(), 1, std::plus<>(), twice);
    for (int k = 0; k < n; ++k) {
      auto const at = static_cast<std::size_t>(k);
      int const sum = (k + 1) * (k + 2) / 2;
      ASSERT_EQ(inclusive[at], sum);
      ASSERT_EQ(from_init[at], 100 + sum);
      ASSERT_EQ(exclusive[at], 100 + sum - (k + 1));
      ASSERT_EQ(transformed[at], 2 * sum);
      ASSERT_EQ(transformed_exclusive[at], 1 + 2 * (sum - (k + 1)));
    }
  }
}

TEST(std_scan, takes_an_accumulator_that_can_only_be_moved)
{
  struct number {
    long value = -1;
    number& operator=(move_only const& from)
    {
      value = from.value();
      return *this;
    }
  };
  int const x[] = {3, 1, 4};
  auto const append = [](move_only const& a, int b) { return move_only(10 * a.value() + b); };
  number out[3];
  EXPECT_EQ(std::inclusive_scan(x, x + 3, out, append, move_only(1)), out + 3);
  EXPECT_TRUE(out[0].value == 13 && out[1].value == 131 && out[2].value == 1314);
  EXPECT_EQ(std::transform_inclusive_scan(x, x + 3, out, append, twice, move_only(1)), out + 3);
  EXPECT_TRUE(out[0].value == 16 && out[1].value == 162 && out[2].value == 1628);
}

template <template <class> class In, template <class> class Out>
void check_category()
{
  int const x[] = {4, -2, 9, 1, 0};
  auto const first = [&] { return In<int const>(x); };
  auto const last = [&] { return In<int const>(x + 5); };
  std::vector<int> out;
  auto const expect = [&](auto const& scan, std::vector<int> const& expected) {
    out.assign(5, -1);
    scan(Out<int>(out.data()));
    EXPECT_EQ(out, expected);
  };
  expect([&](auto to) { std::inclusive_scan(first(), last(), to); }, {4, 2, 11, 12, 12});
  expect([&](auto to) { std::inclusive_scan(first(), last(), to, std::plus<int>()); }, {4, 2, 11, 12, 12});
  expect([&](auto to) { std::inclusive_scan(first(), last(), to, std::plus<>(), 10); }, {14, 12, 21, 22, 22});
  expect([&](auto to) { std::exclusive_scan(first(), last(), to, 10); }, {10, 14, 12, 21, 22});
  expect([&](auto to) { std::exclusive_scan(first(), last(), to, 1, std::multiplies<>()); }, {1, 4, -8, -72, -72});
  expect([&](auto to) { std::transform_inclusive_scan(first(), last(), to, std::plus<>(), twice); },
         {8, 4, 22, 24, 24});
  expect([&](auto to) { std::transform_inclusive_scan(first(), last(), to, std::plus<>(), twice, 1); },
         {9, 5, 23, 25, 25});
  expect([&](auto to) { std::transform_exclusive_scan(first(), last(), to, 1, std::plus<>(), twice); },
         {1, 9, 5, 23, 25});
}

TEST(std_scan, takes_input_and_output_iterators)
{
  check_category<input_iterator, output_iterator>();
}
TEST(std_scan, takes_forward_iterators)
{
  check_category<forward_iterator, forward_iterator>();
}
TEST(std_scan, takes_bidirectional_iterators)
{
  check_category<bidirectional_iterator, bidirectional_iterator>();
}
TEST(std_scan, takes_random_access_iterators)
{
  check_category<random_access_iterator, random_access_iterator>();
}
TEST(std_scan, takes_pointers)
{
  check_category<std::add_pointer_t, std::add_pointer_t>();
}
TEST(std_scan, takes_two_categories)
{
  check_category<input_iterator, std::add_pointer_t>();
}

TEST(std_scan, may_be_in_place)
{
  std::vector<int> const x{3, 1, 7, 0, 4, 1, 6, 3};
  std::vector<int> y = x;
  std::inclusive_scan(y.begin(), y.end(), y.begin());
  EXPECT_EQ(y, (std::vector<int>{3, 4, 11, 11, 15, 16, 22, 25}));
  y = x;
  std::exclusive_scan(y.begin(), y.end(), y.begin(), 0);
  EXPECT_EQ(y, (std::vector<int>{0, 3, 4, 11, 11, 15, 16, 22}));
  std::list<int> z(x.begin(), x.end());
  std::transform_exclusive_scan(z.begin(), z.end(), z.begin(), 0, std::plus<>(), twice);
  EXPECT_EQ(z, (std::list<int>{0, 6, 8, 22, 22, 30, 32, 44}));
  z.assign(x.begin(), x.end());
  std::transform_inclusive_scan(z.begin(), z.end(), z.begin(), std::plus<>(), twice, 100);
  EXPECT_EQ(z, (std::list<int>{106, 108, 122, 122, 130, 132, 144, 150}));
}

TEST(std_scan, accumulates_in_the_type_of_the_initial_value)
{
  std::vector<signed char> const x(5, 100);
  std::vector<long> out(5);
  std::inclusive_scan(x.begin(), x.end(), out.begin(), std::plus<>(), 1L);
  EXPECT_EQ(out, (std::vector<long>{101, 201, 301, 401, 501}));
  std::exclusive_scan(x.begin(), x.end(), out.begin(), 1L);
  EXPECT_EQ(out, (std::vector<long>{1, 101, 201, 301, 401}));
  std::transform_exclusive_scan(x.begin(), x.end(), out.begin(), 1L, std::plus<>(),
                                [](signed char k) { return 2 * k; });
  EXPECT_EQ(out, (std::vector<long>{1, 201, 401, 601, 801}));
  std::vector<double> halves(5);
  std::exclusive_scan(x.begin(), x.end(), halves.begin(), 0.5);
  EXPECT_EQ(halves, (std::vector<double>{0.5, 100.5, 200.5, 300.5, 400.5}));
}

TEST(std_scan, accumulates_in_the_elements_type_without_an_initial_value)
{
  std::vector<signed char> const x(3, 100);
  std::vector<int> out(3);
  std::inclusive_scan(x.begin(), x.end(), out.begin());
  EXPECT_EQ(out, (std::vector<int>{100, -56, 44}));
  std::inclusive_scan(x.begin(), x.end(), out.begin(), std::plus<>());
  EXPECT_EQ(out, (std::vector<int>{100, -56, 44}));
}

TEST(std_scan, accumulates_in_the_transformed_type)
{
  std::vector<signed char> const x(3, 100);
  std::vector<long> out(3);
  std::transform_inclusive_scan(x.begin(), x.end(), out.begin(), std::plus<>(), [](signed char k) { return long{k}; });
  EXPECT_EQ(out, (std::vector<long>{100, 200, 300}));
}

TEST(std_scan, keeps_the_order_of_operands)
{
  std::vector<std::string> const x{"a", "b", "c", "d", "e"};
  std::vector<std::string> out(5);
  std::inclusive_scan(x.begin(), x.end(), out.begin());
  EXPECT_EQ(out, (std::vector<std::string>{"a", "ab", "abc", "abcd", "abcde"}));
  std::inclusive_scan(x.begin(), x.end(), out.begin(), append(), std::string("."));
  EXPECT_EQ(out, (std::vector<std::string>{".a", ".ab", ".abc", ".abcd", ".abcde"}));
  std::exclusive_scan(x.begin(), x.end(), out.begin(), std::string("."), append());
  EXPECT_EQ(out, (std::vector<std::string>{".", ".a", ".ab", ".abc", ".abcd"}));
  auto const doubled = [](std::string const& s) { return s + s; };
  std::transform_inclusive_scan(x.begin(), x.end(), out.begin(), append(), doubled);
  EXPECT_EQ(out, (std::vector<std::string>{"aa", "aabb", "aabbcc", "aabbccdd", "aabbccddee"}));
}

TEST(std_scan, takes_values_with_a_plus_and_no_default)
{
  std::vector<tracked> const x(100, tracked(3));
  std::vector<tracked> out(x);
  std::inclusive_scan(x.begin(), x.end(), out.begin());
  EXPECT_EQ(out.back().value(), 300);
  std::exclusive_scan(x.begin(), x.end(), out.begin(), tracked(1));
  EXPECT_EQ(out.back().value(), 298);
}

TEST(std_scan, writes_to_what_grows_and_what_prints)
{
  std::vector<int> const x{1, 2, 3, 4};
  std::vector<int> out;
  std::inclusive_scan(x.begin(), x.end(), std::back_inserter(out));
  EXPECT_EQ(out, (std::vector<int>{1, 3, 6, 10}));
  std::ostringstream text;
  std::exclusive_scan(x.begin(), x.end(), std::ostream_iterator<int>(text, " "), 0);
  EXPECT_EQ(text.str(), "0 1 3 6 ");
}

TEST(std_scan, calls_the_transformation_once_for_each_element)
{
  std::vector<int> const x(1000, 1);
  std::vector<int> out(1000);
  int calls = 0;
  auto const counted = [&](int k) { return ++calls, k; };
  std::transform_inclusive_scan(x.begin(), x.end(), out.begin(), std::plus<>(), counted);
  EXPECT_EQ(calls, 1000);
}

TEST(std_scan, lets_exceptions_through)
{
  std::vector<int> const x(1000, 1);
  std::vector<int> out(1000);
  std::size_t calls = 0;
  EXPECT_THROW(std::inclusive_scan(x.begin(), x.end(), out.begin(), throwing_plus{&calls, 500}), operator_failed);
}

constexpr bool constant()
{
  int const x[] = {1, 2, 3};
  int a[3] = {}, b[3] = {}, c[3] = {}, d[3] = {};
  std::inclusive_scan(x, x + 3, a);
  std::exclusive_scan(x, x + 3, b, 1);
  std::transform_inclusive_scan(x, x + 3, c, std::plus<>(), twice);
  std::transform_exclusive_scan(x, x + 3, d, 1, std::plus<>(), twice);
  return a[2] == 6 && b[2] == 4 && c[2] == 12 && d[2] == 7;
}
static_assert(constant());

}  // namespace
