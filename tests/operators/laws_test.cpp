#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tally/laws.hpp"

// Each law is broken on purpose; the checker must find the violation and make it small.
namespace tally {
namespace {

template <class T>
void expect_only(law_report<T> const& report, law broken, std::vector<T> const& operands, std::string const& message)
{
  ASSERT_EQ(report.violations.size(), 1u) << report.message();
  EXPECT_FALSE(report);
  EXPECT_EQ(report.violations[0].broken, broken);
  EXPECT_EQ(report.violations[0].operands, operands);
  EXPECT_EQ(report.message(), message);
}

TEST(laws, subtraction_is_not_associative)
{
  expect_only(check_laws(std::minus<>{}, {0, 1, 2, 3}), law::associativity, {0, 0, 1},
              "associativity: (a op b) op c = -1, a op (b op c) = 1 at a = 0, b = 0, c = 1");
}

TEST(laws, the_smallest_samples_are_reported_whatever_is_found_first)
{
  // Associative, except where all three operands are at least 5.
  auto const op = [](int a, int b) { return a >= 5 && b >= 5 ? a - b + 100 : 0; };
  auto const report = check_laws(op, {0, 1, 2, 9, 5, 7, 6});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.violations[0].operands, (std::vector<int>{9, 9, 9})) << "9 comes before 5 in the list";
}

TEST(laws, generated_values_are_shrunk)
{
  auto const op = [](int a, int b) { return a >= 5 && b >= 5 ? a - b + 100 : 0; };
  auto const report = check_laws(op, [](auto& random) { return static_cast<int>(random() % 1000); }, 40, 1);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.violations[0].operands, (std::vector<int>{5, 5, 5}));
}

struct wrong_identity {
  int identity() const { return 0; }
  int operator()(int a, int b) const { return a < b ? b : a; }
};

TEST(laws, zero_is_not_the_identity_of_the_maximum)
{
  expect_only(check_laws(wrong_identity{}, {0, 1, 2, -1, -2}), law::identity, {-1},
              "identity: e op a = 0, a op e = 0 with the identity e = 0 at a = -1");
}

struct positive_zero_identity {
  static double identity() { return 0.0; }
  double operator()(double a, double b) const { return a + b; }
};

TEST(laws, zero_is_not_the_identity_of_float_addition)
{
  expect_only(check_laws(positive_zero_identity{}, {0.0, 1.0, -0.0}), law::identity, {-0.0},
              "identity: e op a = 0, a op e = 0 with the identity e = 0 at a = -0");
}

struct one_sided_identity {
  static int identity() { return 0; }
  int operator()(int, int b) const { return b; }
};

TEST(laws, an_identity_holds_on_both_sides)
{
  expect_only(check_laws(one_sided_identity{}, {0, 1, 2}), law::identity, {1},
              "identity: e op a = 1, a op e = 0 with the identity e = 0 at a = 1");
}

struct second {
  static constexpr bool exactly_associative = true;
  static constexpr bool commutative = true;
  int operator()(int, int b) const { return b; }
};

TEST(laws, a_false_claim_of_commutativity)
{
  expect_only(check_laws(second{}, {4, 7, 9}), law::commutativity, {7, 4},
              "commutativity: a op b = 4, b op a = 7 at a = 7, b = 4");
}

struct exact_sum {
  static constexpr bool exactly_associative = true;
  double operator()(double a, double b) const { return a + b; }
};

TEST(laws, a_false_claim_of_exactness)
{
  EXPECT_TRUE(check_laws(plus{}, {1.0, 0x1p53, -0x1p53}));
  expect_only(check_laws(exact_sum{}, {1.0, 0x1p53, -0x1p53}), law::associativity, {0x1p53, 1.0, 1.0},
              "associativity: (a op b) op c = 9007199254740992, a op (b op c) = 9007199254740994"
              " at a = 9007199254740992, b = 1, c = 1");
}

TEST(laws, an_average_is_not_associative_by_much_more_than_rounding)
{
  auto const average = [](double a, double b) { return (a + b) / 2; };
  expect_only(check_laws(
                  average, [](auto& random) { return static_cast<double>(random() % 10000) / 7; }, 20, 3),
              law::associativity, {0, 0, 1},
              "associativity: (a op b) op c = 0.5, a op (b op c) = 0.25 at a = 0, b = 0, c = 1");
}

TEST(laws, the_tolerance_is_the_callers)
{
  auto const sloppy = [](double a, double b) { return (a + b) * (1 + 1e-10); };
  EXPECT_FALSE(check_laws(sloppy, {1.0, 2.0, 3.0}));
  EXPECT_TRUE(check_laws(sloppy, {1.0, 2.0, 3.0}, {.tolerance = 1e7}));
  EXPECT_FALSE(check_laws(plus{}, {0.1, 0.2, 0.3}, {.tolerance = 0}));
}

TEST(laws, a_result_must_be_an_element)
{
  auto const sum = [](int a, int b) { return a + b; };
  expect_only(check_laws(sum, std::vector<std::int8_t>{1, 50, 100}), law::closure, {100, 50},
              "closure: a op b = 150, which is not a value of the element type, at a = 100, b = 50");
  EXPECT_TRUE(check_laws(sum, std::vector<std::int8_t>{1, 2, 20}));
  EXPECT_FALSE(check_laws(std::plus<>{}, {false, true})) << "true + true is 2";
  auto const halves = [](int a, int b) { return (a + b) * 0.5; };
  EXPECT_EQ(check_laws(halves, {0, 2, 3}).violations[0].operands, (std::vector<int>{3, 0}));
  auto const huge = [](std::int64_t, std::int64_t) { return 0x1p63; };
  EXPECT_EQ(check_laws(huge, std::vector<std::int64_t>{0}).violations[0].broken, law::closure);
  auto const least = [](std::int64_t, std::int64_t) { return -0x1p63; };
  EXPECT_TRUE(check_laws(least, std::vector<std::int64_t>{0}));
  auto const not_a_number = [](int, int) { return std::nan(""); };
  EXPECT_EQ(check_laws(not_a_number, {0}).violations[0].broken, law::closure);
  auto const unsigned_difference = [](int a, int b) { return static_cast<unsigned>(a) - static_cast<unsigned>(b); };
  EXPECT_EQ(check_laws(unsigned_difference, {0, 1}).violations[0].broken, law::closure) << "2^32 - 1 is no int";
}

struct everything_wrong {
  static constexpr bool commutative = true;
  static int identity() { return 1; }
  int operator()(int a, int b) const { return a - b; }
};

TEST(laws, every_broken_law_is_reported_those_with_fewer_operands_first)
{
  auto const report = check_laws(everything_wrong{}, {0, 1, 2});
  ASSERT_EQ(report.violations.size(), 3u);
  EXPECT_EQ(report.violations[0].broken, law::identity);
  EXPECT_EQ(report.violations[1].broken, law::commutativity);
  EXPECT_EQ(report.violations[2].broken, law::associativity);
  std::ostringstream out;
  out << report;
  EXPECT_EQ(out.str(), "identity: e op a = 1, a op e = -1 with the identity e = 1 at a = 0\n"
                       "commutativity: a op b = 1, b op a = -1 at a = 1, b = 0\n"
                       "associativity: (a op b) op c = -1, a op (b op c) = 1 at a = 0, b = 0, c = 1");
}

TEST(laws, overflow_of_a_rounded_operator_is_no_violation)
{
  constexpr float most = std::numeric_limits<float>::max();
  EXPECT_TRUE(check_laws(plus{}, {most, -most, most / 2, std::numeric_limits<float>::infinity()}));
  EXPECT_TRUE(check_laws(multiplies{}, {most, 0.0f, 1 / most, -most}));
}

TEST(laws, strings_concatenate)
{
  auto const text = [](auto& random) { return std::string(random() % 4, static_cast<char>('a' + random() % 26)); };
  auto const report = check_laws(plus{}, text, 30, 5);
  EXPECT_TRUE(report);
  EXPECT_EQ(report.message(), "no law broken among 30 samples");
  auto const drops = [](std::string const& a, std::string const& b) { return a.size() == 2 ? b : a + b; };
  auto const broken = check_laws(drops, text, 30, 5);
  ASSERT_FALSE(broken);
  // Three operands of the smallest sizes that show it.
  std::size_t total = 0;
  for (std::string const& operand : broken.violations[0].operands) total += operand.size();
  EXPECT_LE(total, 3u) << broken;
}

TEST(laws, compound_values_shrink_part_by_part)
{
  // Composition in the wrong order is still associative; forgetting the later offset is not.
  auto const forgets = [](affine<int> const& f, affine<int> const& g) {
    return affine<int>{f.scale * g.scale, g.scale * f.offset + (g.offset > 3 ? 0 : g.offset)};
  };
  auto const generate = [](auto& random) {
    return affine<int>{static_cast<int>(random() % 20), static_cast<int>(random() % 20)};
  };
  auto const report = check_laws(forgets, generate, 30, 11);
  ASSERT_FALSE(report);
  for (affine<int> const& map : report.violations[0].operands) {
    EXPECT_LE(map.scale, 4) << report;
    EXPECT_LE(map.offset, 4) << report;
  }
}

TEST(laws, the_caller_may_shrink_in_a_way_of_his_own)
{
  // Only even numbers are in the domain.
  auto const op = [](int a, int b) { return a % 2 != 0 || b % 2 != 0 ? throw "odd" : (a - b); };
  auto const even = [](auto& random) { return 2 * static_cast<int>(random() % 100); };
  auto const halve = [](int x) { return x == 0 ? std::vector<int>{} : std::vector<int>{x / 4 * 2}; };
  auto const report = check_laws(op, even, 20, 1, {}, halve);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.violations[0].operands, (std::vector<int>{0, 0, 2}));
}

}  // namespace
}  // namespace tally
