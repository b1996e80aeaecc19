#include <array>
#include <functional>
#include <limits>
#include <list>
#include <memory>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "../support/iterators.hpp"
#include "../support/operators.hpp"
#include "../support/values.hpp"

/// Tests of the standard's requirements on std::reduce and std::transform_reduce. Compiled twice: as it stands, and
/// with as_std.hpp before it.
namespace {

using namespace tally::test;

TEST(std_reduce, of_nothing_is_the_initial_value)
{
  std::vector<int> const none;
  EXPECT_EQ(std::reduce(none.begin(), none.end()), 0);
  EXPECT_EQ(std::reduce(none.begin(), none.end(), 7), 7);
  EXPECT_EQ(std::reduce(none.begin(), none.end(), 7, std::multiplies<>()), 7);
  EXPECT_EQ(std::transform_reduce(none.begin(), none.end(), 7, std::plus<>(), std::negate<>()), 7);
  EXPECT_EQ(std::transform_reduce(none.begin(), none.end(), none.begin(), 7), 7);
}

TEST(std_reduce, of_any_number_of_elements)
{
  // Implementations unroll: every remainder of a few elements is a case of its own.
  for (int n = 0; n < 300; ++n) {
    std::vector<int> x(static_cast<std::size_t>(n));
    std::iota(x.begin(), x.end(), 1);
    EXPECT_EQ(std::reduce(x.begin(), x.end()), n * (n + 1) / 2);
    EXPECT_EQ(std::reduce(x.begin(), x.end(), 1000), 1000 + n * (n + 1) / 2);
    EXPECT_EQ(std::transform_reduce(x.begin(), x.end(), x.begin(), 0), n * (n + 1) * (2 * n + 1) / 6);
    EXPECT_EQ(std::transform_reduce(x.begin(), x.end(), 5, std::plus<>(), [](int k) { return 2 * k; }),
              5 + n * (n + 1));
  }
}

template <template <class> class Iterator>
void check_category()
{
  int const x[] = {4, -2, 9, 1, 0, 7, 7, -3, 5};
  auto const first = [&] { return Iterator<int const>(x); };
  auto const last = [&] { return Iterator<int const>(x + 9); };
  EXPECT_EQ(std::reduce(first(), last()), 28);
  EXPECT_EQ(std::reduce(first(), last(), 100), 128);
  EXPECT_EQ(std::reduce(first(), last(), 100, std::plus<int>()), 128);
  EXPECT_EQ(std::reduce(first(), last(), -50, [](int a, int b) { return a > b ? a : b; }), 9);
  EXPECT_EQ(std::transform_reduce(first(), last(), 0, std::plus<>(), [](int k) { return k * k; }), 234);
  EXPECT_EQ(std::transform_reduce(first(), last(), first(), 1), 235);
  EXPECT_EQ(std::transform_reduce(first(), last(), first(), 0, std::plus<>(), std::minus<>()), 0);
  EXPECT_EQ(std::transform_reduce(first(), last(), x, 1), 235) << "two categories";
}

TEST(std_reduce, takes_input_iterators)
{
  check_category<input_iterator>();
}
TEST(std_reduce, takes_forward_iterators)
{
  check_category<forward_iterator>();
}
TEST(std_reduce, takes_bidirectional_iterators)
{
  check_category<bidirectional_iterator>();
}
TEST(std_reduce, takes_random_access_iterators)
{
  check_category<random_access_iterator>();
}
TEST(std_reduce, takes_pointers)
{
  check_category<std::add_pointer_t>();
}

template <class T, class I>
inline constexpr bool sums_are =
    std::is_same_v<T, decltype(std::reduce(std::declval<I>(), std::declval<I>(), std::declval<T>()))>;

TEST(std_reduce, returns_the_type_of_the_initial_value)
{
  static_assert(sums_are<char, int*> && sums_are<short, int*> && sums_are<long long, short*> &&
                sums_are<double, float*>);
  static_assert(sums_are<unsigned long, unsigned char const*> && sums_are<float, int*>);
  static_assert(std::is_same_v<short, decltype(std::reduce(std::declval<short*>(), std::declval<short*>()))>);
  static_assert(std::is_same_v<long, decltype(std::transform_reduce(std::declval<int*>(), std::declval<int*>(),
                                                                    std::declval<int*>(), 0L))>);
  std::vector<unsigned char> const x(1000, 255);
  EXPECT_EQ(std::reduce(x.begin(), x.end(), 0), 255000);
  EXPECT_EQ(std::reduce(x.begin(), x.end(), 0LL, std::plus<>()), 255000);
  EXPECT_EQ(std::reduce(x.begin(), x.end(), 0.0), 255000.0);
}

TEST(std_reduce, wraps_in_the_elements_type_without_an_initial_value)
{
  std::vector<unsigned char> const x(10, 200);
  EXPECT_EQ(std::reduce(x.begin(), x.end()), static_cast<unsigned char>(2000));
}

TEST(std_reduce, accumulates_floats_in_the_named_type)
{
  std::vector<float> const x(4, 16777216.0f);
  EXPECT_EQ(std::reduce(x.begin(), x.end(), 1.0), 67108865.0);
}

TEST(std_reduce, takes_every_kind_of_callable)
{
  std::array<long, 5> const x{1, 2, 3, 4, 5};
  long (*const times)(long, long) = [](long a, long b) { return a * b; };
  EXPECT_EQ(std::reduce(x.begin(), x.end(), 1L, times), 120);
  std::function<long(long, long)> const function = times;
  EXPECT_EQ(std::reduce(x.begin(), x.end(), 1L, function), 120);
  EXPECT_EQ(std::reduce(x.begin(), x.end(), 1L, std::ref(function)), 120);
  std::size_t calls = 0;
  EXPECT_EQ(std::reduce(x.begin(), x.end(), 10L, counting_plus{&calls}), 25);
  EXPECT_GE(calls, x.size());
}

TEST(std_reduce, takes_operators_whose_result_only_converts)
{
  struct result {
    int value;
    operator int() const { return value; }
  };
  std::vector<int> const x{5, 6, 7};
  EXPECT_EQ(std::reduce(x.begin(), x.end(), 1, [](int a, int b) { return result{a + b}; }), 19);
}

TEST(std_reduce, takes_values_with_a_plus_and_no_default)
{
  std::vector<tracked> const x(100, tracked(3));
  EXPECT_EQ(std::reduce(x.begin(), x.end(), tracked(1)).value(), 301);
  std::list<no_default> const y(100, no_default(3));
  EXPECT_EQ(std::reduce(y.begin(), y.end(), no_default(1), plus_no_default()).value, 301);
}

TEST(std_transform_reduce, takes_an_accumulator_that_can_only_be_moved)
{
  int const x[] = {1, 2, 3, 4, 5, 6, 7};
  struct add {
    move_only operator()(move_only const& a, move_only const& b) const { return move_only(a.value() + b.value()); }
  };
  auto const total = std::transform_reduce(x, x + 7, move_only(100), add(), [](int k) { return move_only(k); });
  EXPECT_EQ(total.value(), 128);
  auto const dot =
      std::transform_reduce(x, x + 7, x, move_only(100), add(), [](int a, int b) { return move_only(a * b); });
  EXPECT_EQ(dot.value(), 240);
}

TEST(std_transform_reduce, transforms_between_types)
{
  std::vector<std::string> const words{"one", "three", "eleven"};
  auto const length = [](std::string const& word) { return word.size(); };
  EXPECT_EQ(std::transform_reduce(words.begin(), words.end(), std::size_t{0}, std::plus<>(), length), 14u);
  std::vector<int> const times{2, 1, 1};
  auto const repeated = [](std::string const& word, int count) {
    return word.size() * static_cast<std::size_t>(count);
  };
  EXPECT_EQ(std::transform_reduce(words.begin(), words.end(), times.begin(), std::size_t{0}, std::plus<>(), repeated),
            17u);
}

TEST(std_transform_reduce, calls_the_transformation_once_for_each_element)
{
  std::vector<int> const x(1000, 1);
  int calls = 0;
  EXPECT_EQ(std::transform_reduce(x.begin(), x.end(), 0, std::plus<>(), [&](int k) { return ++calls, k; }), 1000);
  EXPECT_EQ(calls, 1000);
}

TEST(std_reduce, lets_exceptions_through)
{
  std::vector<int> const x(1000, 1);
  std::size_t calls = 0;
  EXPECT_THROW((void)std::reduce(x.begin(), x.end(), 0, throwing_plus{&calls, 500}), operator_failed);
}

constexpr bool constant()
{
  int const x[] = {1, 2, 3, 4, 5};
  return std::reduce(x, x + 5) == 15 && std::reduce(x, x + 5, 1) == 16 &&
         std::reduce(x, x + 5, 1, std::multiplies<>()) == 120 && std::transform_reduce(x, x + 5, x, 0) == 55 &&
         std::transform_reduce(x, x + 5, 0, std::plus<>(), std::negate<>()) == -15;
}
static_assert(constant());

}  // namespace
