#include "../support/iterators.hpp"

#include <deque>
#include <forward_list>
#include <iterator>
#include <list>
#include <ranges>
#include <sstream>
#include <vector>

#include <gtest/gtest.h>

#include "../support/bits.hpp"
#include "../support/operators.hpp"
#include "elements.hpp"
#include "problem.hpp"
#include "tally/reduce.hpp"
#include "tally/scan.hpp"

/// The CPU takes any iterator, and gives the bits of the same values in an array.
namespace tally::test {
namespace {

constexpr std::size_t n = 2 * order::tile<float> + 3 * order::row<float> + 7;

problem<float, plus> const& sums()
{
  static problem<float, plus> const p(data::mixed_magnitudes, n, plus{});
  return p;
}

/// Tests every contract over [first, last) of one kind of iterator, with outputs `Out` of another kind.
template <template <class> class In, template <class> class Out>
void check_iterators()
{
  auto const& p = sums();
  std::vector<float> x = p.x;
  float const* const data = x.data();
  auto const first = [&] { return In<float const>(data); };
  auto const last = [&] { return In<float const>(data + n); };
  EXPECT_TRUE(same_value(tally::reduce(first(), last()), *p.plain.reduced));
  EXPECT_TRUE(same_value(tally::reduce(first(), last(), p.init), *p.started.reduced));
  EXPECT_TRUE(same_value(tally::reduce(first(), last(), p.init, plus{}), *p.started.reduced));
  EXPECT_TRUE(
      same_value(tally::transform_reduce(first(), last(), p.init, plus{}, std::identity{}), *p.started.reduced));
  std::vector<float> const ones(n, 1.0f);
  EXPECT_TRUE(
      same_value(tally::transform_reduce(first(), last(), In<float const>(ones.data()), p.init), *p.started.reduced));

  std::vector<float> out;
  auto const expect = [&](auto const& scan, std::vector<float> const& expected) {
    out.assign(n, -1.0f);
    auto const end = scan(Out<float>(out.data()));
    EXPECT_EQ(end.base(), out.data() + n);
    EXPECT_TRUE(same_bits(out, expected));
  };
  expect([&](auto to) { return tally::inclusive_scan(first(), last(), to); }, p.plain.inclusive);
  expect([&](auto to) { return tally::inclusive_scan(first(), last(), to, plus{}); }, p.plain.inclusive);
  expect([&](auto to) { return tally::inclusive_scan(first(), last(), to, plus{}, p.init); }, p.started.inclusive);
  expect([&](auto to) { return tally::exclusive_scan(first(), last(), to, p.init); }, p.started.exclusive);
  expect([&](auto to) { return tally::exclusive_scan(first(), last(), to, p.init, plus{}); }, p.started.exclusive);
  expect([&](auto to) { return tally::transform_inclusive_scan(first(), last(), to, plus{}, std::identity{}); },
         p.plain.inclusive);
  expect([&](auto to) { return tally::transform_inclusive_scan(first(), last(), to, plus{}, std::identity{}, p.init); },
         p.started.inclusive);
  expect([&](auto to) { return tally::transform_exclusive_scan(first(), last(), to, p.init, plus{}, std::identity{}); },
         p.started.exclusive);
  EXPECT_TRUE(same_bits(x, p.x));
}

TEST(iterators, input)
{
  check_iterators<input_iterator, output_iterator>();
}
TEST(iterators, forward)
{
  check_iterators<forward_iterator, forward_iterator>();
}
TEST(iterators, bidirectional)
{
  check_iterators<bidirectional_iterator, output_iterator>();
}
TEST(iterators, random_access)
{
  check_iterators<random_access_iterator, random_access_iterator>();
}
TEST(iterators, random_access_to_output)
{
  check_iterators<random_access_iterator, output_iterator>();
}

TEST(iterators, random_access_on_several_threads)
{
  auto const& p = sums();
  random_access_iterator<float const> const first(p.x.data());
  for (int threads = 1; threads <= 16; ++threads) {
    cpu const on{.threads = threads};
    EXPECT_TRUE(same_value(tally::reduce(on, first, first + n, p.init), *p.started.reduced)) << threads;
    std::vector<float> out(n);
    tally::inclusive_scan(on, first, first + n, random_access_iterator<float>(out.data()));
    EXPECT_TRUE(same_bits(out, p.plain.inclusive)) << threads;
    tally::exclusive_scan(on, first, first + n, random_access_iterator<float>(out.data()), p.init);
    EXPECT_TRUE(same_bits(out, p.started.exclusive)) << threads;
    out = p.x;
    random_access_iterator<float> const in_place(out.data());
    tally::exclusive_scan(on, in_place, in_place + n, in_place, p.init);
    EXPECT_TRUE(same_bits(out, p.started.exclusive)) << threads << ", in place";
  }
}

template <class Container>
void check_in_place()
{
  auto const& p = sums();
  Container x(p.x.begin(), p.x.end());
  tally::exclusive_scan(x.begin(), x.end(), x.begin(), p.init);
  EXPECT_TRUE(same_bits(std::vector<float>(x.begin(), x.end()), p.started.exclusive));
  x = Container(p.x.begin(), p.x.end());
  tally::inclusive_scan(x, x);
  EXPECT_TRUE(same_bits(std::vector<float>(x.begin(), x.end()), p.plain.inclusive));
  EXPECT_TRUE(same_value(tally::reduce(Container(p.x.begin(), p.x.end())), *p.plain.reduced));
}

TEST(iterators, in_place_in_every_container)
{
  check_in_place<std::vector<float>>();
  check_in_place<std::deque<float>>();
  check_in_place<std::list<float>>();
  check_in_place<std::forward_list<float>>();
}

TEST(iterators, streams)
{
  std::istringstream in("3 1 7 0 4 1 6 3");
  std::ostringstream out;
  tally::inclusive_scan(std::istream_iterator<int>(in), std::istream_iterator<int>(),
                        std::ostream_iterator<int>(out, " "));
  EXPECT_EQ(out.str(), "3 4 11 11 15 16 22 25 ");
}

TEST(iterators, appending)
{
  std::vector<int> const x{3, 1, 7, 0, 4, 1, 6, 3};
  std::vector<int> out;
  tally::exclusive_scan(x, std::back_inserter(out), 0);
  EXPECT_EQ(out, (std::vector<int>{0, 3, 4, 11, 11, 15, 16, 22}));
}

TEST(iterators, reversed)
{
  std::vector<std::string> const x{"a", "b", "c"};
  EXPECT_EQ(tally::reduce(x.rbegin(), x.rend(), std::string(), append{}), "cba");
}

// An array is a range. Where an iterator is expected, it is the iterator to its beginning.
TEST(iterators, arrays)
{
  int const in[5] = {3, 1, 4, 1, 5};
  int out[5];
  tally::cpu const on{.threads = 1};
  auto const twice = [](int x) { return 2 * x; };
  using result = std::vector<int>;
  auto const results = [&] { return result(out, out + 5); };

  EXPECT_EQ(tally::reduce(in, in + 5), 14);
  EXPECT_EQ(tally::reduce(on, in, in + 5), 14);
  EXPECT_EQ(tally::reduce(on, in, in + 5, 100), 114);
  EXPECT_EQ(tally::reduce(on, in, in + 5, 100, tally::maximum{}), 100);
  EXPECT_EQ(tally::reduce(in), 14);
  EXPECT_EQ(tally::reduce(in, 100), 114);
  EXPECT_EQ(tally::transform_reduce(in, in + 5, in, 1), 1 + 9 + 1 + 16 + 1 + 25);
  EXPECT_EQ(tally::transform_reduce(in, in + 5, 1, tally::plus{}, twice), 29);
  EXPECT_EQ(tally::transform_reduce(in, 1, tally::plus{}, twice), 29);

  tally::inclusive_scan(in, in + 5, out);
  EXPECT_EQ(results(), (result{3, 4, 8, 9, 14}));
  tally::inclusive_scan(on, in, in + 5, out, tally::maximum{});
  EXPECT_EQ(results(), (result{3, 3, 4, 4, 5}));
  tally::inclusive_scan(in, out);
  EXPECT_EQ(results(), (result{3, 4, 8, 9, 14}));
  tally::exclusive_scan(in, in + 5, out, 7);
  EXPECT_EQ(results(), (result{7, 10, 11, 15, 16}));
  tally::exclusive_scan(in, out, 1, tally::multiplies{});
  EXPECT_EQ(results(), (result{1, 3, 3, 12, 12}));
  tally::transform_inclusive_scan(in, in + 5, out, tally::plus{}, twice);
  EXPECT_EQ(results(), (result{6, 8, 16, 18, 28}));
  tally::transform_exclusive_scan(in, in + 5, out, 1, tally::plus{}, twice);
  EXPECT_EQ(results(), (result{1, 7, 9, 17, 19}));
}

TEST(ranges, lazy_views_and_sentinels)
{
  auto const squares =
      std::views::iota(1, 1001) | std::views::transform([](int k) { return static_cast<long>(k) * k; });
  EXPECT_EQ(tally::reduce(squares), 333833500);
  EXPECT_EQ(tally::reduce(squares, 1L, plus{}), 333833501);
  int const until_zero[] = {4, 5, 6, 0, 7};
  auto const before_zero = std::views::take_while(until_zero, [](int x) { return x != 0; });
  EXPECT_EQ(tally::reduce(before_zero), 15);
  std::vector<int> out(3);
  tally::inclusive_scan(before_zero, out);
  EXPECT_EQ(out, (std::vector<int>{4, 9, 15}));
}

TEST(ranges, an_output_that_is_too_short_is_an_error)
{
  std::vector<int> const x(5, 1);
  std::vector<int> out(4, -1);
  EXPECT_THROW(tally::inclusive_scan(x, out), usage_error);
  EXPECT_THROW(tally::exclusive_scan(x, out, 0), usage_error);
  EXPECT_EQ(out, std::vector<int>(4, -1));
}

TEST(execution, a_negative_number_of_threads_is_an_error)
{
  std::vector<float> x(10, 1.0f);
  EXPECT_THROW((void)tally::reduce(cpu{.threads = -1}, x), usage_error);
  EXPECT_THROW(tally::inclusive_scan(cpu{.threads = -1}, x, x), usage_error);
  EXPECT_EQ(x, std::vector<float>(10, 1.0f));
}

}  // namespace
}  // namespace tally::test
