#include "../support/values.hpp"

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../support/bits.hpp"
#include "../support/iterators.hpp"
#include "elements.hpp"
#include "problem.hpp"
#include "tally/reduce.hpp"
#include "tally/scan.hpp"

/// Element and accumulator types that are not numbers in an array.
namespace tally::test {
namespace {

/// An exception passes through every contract, and no value is left alive.
template <class Call>
void expect_passes_through(Call const& call)
{
  std::vector<tracked> const x(5000, tracked(1));
  long const before = tracked::alive;
  for (std::size_t const limit : {0u, 1u, 7u, 63u, 700u, 4000u}) {
    std::size_t calls = 0;
    EXPECT_THROW(call(x, throwing_plus{&calls, limit}), operator_failed) << limit;
    EXPECT_EQ(calls, limit + 1) << "nothing is called after it threw";
    EXPECT_EQ(tracked::alive, before);
  }
}

TEST(exceptions, pass_through_reduce)
{
  expect_passes_through([](auto const& x, auto op) { (void)tally::reduce(x, tracked(0), op); });
}
TEST(exceptions, pass_through_transform_reduce)
{
  expect_passes_through(
      [](auto const& x, auto op) { (void)tally::transform_reduce(x, tracked(0), op, std::identity{}); });
}
TEST(exceptions, pass_through_inclusive_scan)
{
  expect_passes_through([](auto const& x, auto op) {
    std::vector<tracked> out(x);
    tally::inclusive_scan(x, out, op);
  });
}
TEST(exceptions, pass_through_exclusive_scan)
{
  expect_passes_through([](auto const& x, auto op) {
    std::vector<tracked> out(x);
    tally::exclusive_scan(x, out, tracked(0), op);
  });
}

TEST(exceptions, come_out_of_several_threads)
{
  std::vector<float> const x(40 * order::tile<float>, 1.0f);
  std::vector<float> out(x.size());
  auto const fails = [](float a, float b) -> float {
    if (a + b > 30000) throw operator_failed();
    return a + b;
  };
  for (int threads = 1; threads <= 8; ++threads) {
    EXPECT_THROW((void)tally::reduce(cpu{.threads = threads}, x, 0.0f, fails), operator_failed) << threads;
    EXPECT_THROW(tally::inclusive_scan(cpu{.threads = threads}, x, out, fails), operator_failed) << threads;
  }
}

TEST(values, that_own_memory)
{
  std::vector<std::string> text;
  std::string all;
  std::vector<std::string> inclusive;
  std::vector<std::string> exclusive;
  for (int k = 0; k < 700; ++k) {
    text.push_back(std::to_string(k) + ",");
    exclusive.push_back(all);
    inclusive.push_back(all += text.back());
  }
  EXPECT_EQ(tally::reduce(text, append{}), all);
  EXPECT_EQ(tally::reduce(text), all) << "std::string has a +";
  std::vector<std::string> out(text.size());
  tally::inclusive_scan(text, out, append{});
  EXPECT_EQ(out, inclusive);
  tally::exclusive_scan(text, out, std::string(), append{});
  EXPECT_EQ(out, exclusive);
  out = text;
  tally::exclusive_scan(out, out, std::string(), append{});
  EXPECT_EQ(out, exclusive) << "in place";
}

TEST(values, are_all_given_back)
{
  long const before = tracked::alive;
  {
    std::vector<tracked> x(3000, tracked(2));
    EXPECT_EQ(tally::reduce(x, tracked(1)).value(), 6001);
    tally::inclusive_scan(x, x);
    EXPECT_EQ(x[2999].value(), 6000);
  }
  EXPECT_EQ(tracked::alive, before);
}

TEST(values, without_a_default_constructor)
{
  std::vector<no_default> x;
  for (long k = 0; k < 3000; ++k) x.emplace_back(k);
  EXPECT_EQ(tally::reduce(x, no_default(5), plus_no_default{}).value, 3000 * 2999 / 2 + 5);
  std::vector<no_default> out(x);
  tally::inclusive_scan(x, out, plus_no_default{});
  EXPECT_EQ(out.back().value, 3000 * 2999 / 2);
  tally::exclusive_scan(x, out, no_default(5), plus_no_default{});
  EXPECT_EQ(out.front().value, 5);
  EXPECT_EQ(out.back().value, 2999 * 2998 / 2 + 5);
}

TEST(values, that_can_only_be_moved)
{
  std::vector<long> const x{3, 1, 7, 0, 4, 1, 6, 3};
  auto const add = [](move_only a, long b) { return move_only(a.value() + b); };
  EXPECT_EQ(tally::reduce(x, move_only(100), add).value(), 125);
  EXPECT_EQ(tally::transform_reduce(x, move_only(100), add, [](long k) { return 2 * k; }).value(), 150);

  auto const append = [](move_only const& a, long b) { return move_only(2 * a.value() + b); };
  std::vector<move_only> out;
  for (std::size_t k = 0; k < x.size(); ++k) out.emplace_back(-1);
  EXPECT_EQ(tally::exclusive_scan(x, out, move_only(1), append), out.end());
  std::vector<long> inclusive(x.size(), -1);
  auto const to_number = [&](std::size_t k, move_only const& result) { inclusive[k] = result.value(); };
  tally::inclusive_scan(x.begin(), x.end(), results_to(to_number), append, move_only(1));
  long sum = 1;
  for (std::size_t k = 0; k < x.size(); ++k) {
    EXPECT_EQ(out[k].value(), sum) << k;
    sum = 2 * sum + x[k];
    EXPECT_EQ(inclusive[k], sum) << k;
  }
}

TEST(values, that_are_volatile)
{
  std::vector<float> const x = make_data<float>(data::mixed_magnitudes, 9000);
  std::vector<float> out(x.size()), expected(x.size());
  float const volatile* const first = x.data();
  EXPECT_TRUE(same_value(tally::reduce(first, first + x.size()), tally::reduce(x)));
  tally::inclusive_scan(x, expected);
  float volatile* const to = out.data();
  EXPECT_EQ(tally::inclusive_scan(first, first + x.size(), to), to + x.size());
  EXPECT_TRUE(same_bits(out, expected));
}

TEST(values, of_128_bits)
{
  // Without the compiler's extensions std::is_arithmetic is false for these types.
  using wide = tally::detail::int128;
  std::vector<wide> const x(120, wide{3});
  wide power = 1;  // wraps, as the library's integers do
  for (int k = 0; k < 120; ++k) power = static_cast<wide>(static_cast<tally::detail::uint128>(power) * 3);
  EXPECT_TRUE(tally::reduce(x, std::multiplies<>{}) == power);
  EXPECT_TRUE(tally::reduce(std::vector<wide>{}, minimum{}) == static_cast<wide>(~tally::detail::uint128{} >> 1));
  EXPECT_TRUE(tally::reduce(std::vector<wide>{}, maximum{}) == -static_cast<wide>(~tally::detail::uint128{} >> 1) - 1);
}

TEST(values, larger_than_a_group)
{
  std::vector<matrix> x;
  for (std::uint32_t k = 0; k < 5000; ++k) x.push_back({k, 1, 1, k + 1});
  problem<matrix, matrix_product> const p(x, matrix_product{}, matrix{1, 2, 3, 4});
  for (int const threads : {1, 3}) {
    cpu const on{.threads = threads};
    EXPECT_EQ(tally::reduce(on, x, p.init, matrix_product{}), *p.started.reduced);
    EXPECT_EQ(tally::reduce(on, x, exact_matrix_product{}), *p.plain.reduced);
    std::vector<matrix> out(x.size());
    tally::inclusive_scan(on, x, out, matrix_product{});
    EXPECT_EQ(out, p.plain.inclusive);
    tally::exclusive_scan(on, x, out, p.init, exact_matrix_product{});
    EXPECT_EQ(out, p.started.exclusive);
  }
}

TEST(accumulators, have_the_type_of_the_initial_value)
{
  std::vector<std::int8_t> const x(1000, 100);
  EXPECT_EQ(tally::reduce(x, 0), 100000);
  EXPECT_EQ(tally::reduce(x.begin(), x.end(), 0L), 100000);
  static_assert(std::is_same_v<decltype(tally::reduce(x, 0L)), long>);
  static_assert(std::is_same_v<decltype(tally::reduce(x)), std::int8_t>);
  std::vector<long> out(x.size());
  tally::exclusive_scan(x, out, 7L);
  EXPECT_EQ(out[999], 99907);
  tally::inclusive_scan(x, out, plus{}, 7L);
  EXPECT_EQ(out[999], 100007);
}

TEST(accumulators, may_be_named)
{
  std::vector<float> const floats(1000, 0.1f);
  std::vector<double> const doubles(floats.begin(), floats.end());
  double const named = tally::reduce<double>(floats.begin(), floats.end(), 0);
  EXPECT_TRUE(same_value(named, tally::reduce(doubles, 0.0)));
  EXPECT_TRUE(same_value(tally::reduce<double>(floats), tally::reduce(doubles)));
  EXPECT_EQ(tally::reduce<int>(std::vector<double>{1.9, 1.9}, 0), 2) << "elements convert one by one, as was asked for";
  std::vector<double> out(1000);
  std::vector<double> expected(1000);
  tally::inclusive_scan<double>(floats, out);
  tally::inclusive_scan(doubles, expected);
  EXPECT_TRUE(same_bits(out, expected));
  tally::exclusive_scan<double>(floats, out, 0);
  tally::exclusive_scan(doubles, expected, 0.0);
  EXPECT_TRUE(same_bits(out, expected));
}

TEST(accumulators, may_be_all_that_the_operator_takes_with_an_element)
{
  std::vector<std::string> const words{"a", "bcd", "ef"};
  auto const total = [](std::size_t sum, std::string const& word) { return sum + word.size(); };
  EXPECT_EQ(tally::reduce(words, std::size_t{0}, total), 6u);
}

TEST(transformations, may_change_the_type)
{
  std::vector<std::uint8_t> const x(1000, 200);
  auto const wide = [](std::uint8_t k) { return static_cast<std::uint32_t>(k) + 1; };
  EXPECT_EQ(tally::transform_reduce(x, 0u, plus{}, wide), 201000u);
  std::vector<std::uint32_t> out(1000);
  tally::transform_inclusive_scan(x, out, plus{}, wide);
  EXPECT_EQ(out[999], 201000u);
  tally::transform_exclusive_scan(x, out, 5u, plus{}, wide);
  EXPECT_EQ(out[999], 200804u);
}

TEST(transformations, round_before_they_are_added)
{
  // A fused multiply-add would not round the product.
  auto const a = make_data<float>(data::mixed_magnitudes, 20000, 1);
  auto const b = make_data<float>(data::distinct, 20000, 2);
  std::vector<float> products(a.size());
  for (std::size_t k = 0; k < a.size(); ++k) products[k] = a[k] * b[k];
  EXPECT_TRUE(same_value(tally::transform_reduce(a.begin(), a.end(), b.begin(), 0.5f), tally::reduce(products, 0.5f)));
}

/// A point whose members serve as transformations and operator.
struct step {
  long length;
  long twice() const { return 2 * length; }
  step then(step const& next) const { return {10 * length + next.length}; }
};

TEST(transformations, and_operators_are_members)
{
  std::vector<step> const x{{1}, {2}, {3}};
  EXPECT_EQ(tally::transform_reduce(x, 0L, plus{}, &step::length), 6);
  EXPECT_EQ(tally::transform_reduce(x, 0L, plus{}, &step::twice), 12);
  EXPECT_EQ(tally::reduce(x, step{0}, &step::then).length, 123);
  EXPECT_EQ(tally::transform_reduce(x.begin(), x.end(), x.begin(), step{0}, &step::then, &step::then).length, 1353);
  std::vector<long> out(3);
  tally::transform_inclusive_scan(x, out, plus{}, &step::length);
  EXPECT_EQ(out, (std::vector<long>{1, 3, 6}));
}

TEST(transformations, are_called_once_for_each_element)
{
  std::vector<int> const x(30000, 1);
  std::size_t calls = 0;
  auto const counted = [&calls](int k) {
    ++calls;
    return k;
  };
  EXPECT_EQ(tally::transform_reduce(x, 0, plus{}, counted), 30000);
  EXPECT_EQ(calls, x.size());
  std::vector<int> out(x.size());
  calls = 0;
  tally::transform_inclusive_scan(x, out, halve_and_add{}, counted);
  EXPECT_EQ(calls, x.size());
}

TEST(operators, of_the_standard_library_are_taken_as_tallys)
{
  auto const x = make_data<float>(data::mixed_magnitudes, 20000);
  EXPECT_TRUE(same_value(tally::reduce(x, std::plus<>{}), tally::reduce(x, plus{})));
  EXPECT_TRUE(same_value(tally::reduce(x, std::plus<float>{}), tally::reduce(x, plus{})));
  EXPECT_EQ(tally::reduce(std::vector<int>{}, std::multiplies<>{}), 1);
}

TEST(empty_ranges, give_the_initial_value_or_the_identity_or_an_unsigned_zero)
{
  std::vector<float> const none;
  EXPECT_TRUE(same_value(tally::reduce(none), 0.0f));
  EXPECT_TRUE(same_value(tally::reduce(cpu{.threads = 2}, none.begin(), none.end()), 0.0f));
  EXPECT_TRUE(same_value(tally::reduce<double>(none, std::plus<>{}), 0.0));
  EXPECT_TRUE(same_value(tally::reduce(std::vector<half>{}), half(0.0f)));
  EXPECT_TRUE(same_value(tally::reduce(none, -0.0f), -0.0f));
  EXPECT_TRUE(same_value(tally::reduce(std::vector<float>{-0.0f}), -0.0f));
  EXPECT_TRUE(same_value(tally::reduce(none, multiplies{}), 1.0f));
  EXPECT_TRUE(same_value(tally::reduce(none, maximum{}), -std::numeric_limits<float>::infinity()));
  EXPECT_TRUE(same_value(tally::reduce(none, 2.0f), 2.0f));
  EXPECT_TRUE(same_value(tally::transform_reduce(none, 2.0f, plus{}, std::identity{}), 2.0f));
  std::vector<float> out{-1.0f};
  EXPECT_EQ(tally::inclusive_scan(none.begin(), none.end(), out.begin()), out.begin());
  EXPECT_EQ(tally::exclusive_scan(none.begin(), none.end(), out.begin(), 2.0f), out.begin());
  EXPECT_EQ(out[0], -1.0f);
}

}  // namespace
}  // namespace tally::test
