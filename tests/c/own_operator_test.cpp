#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "tally.h"
#include "tests/c/arrays.hpp"

namespace {

/// Elements of `bytes` bytes: a sequence of letters, of which the first and the last count, and how many there are.
/// `a op b` has the first of a, the last of b, and a check that a's last and b's first are neighbours: an operator
/// that finds any wrong order or missing element.
struct letters {
  std::size_t bytes;
  int calls = 0;

  static void combine(void* context, void const* left, void const* right, void* result)
  {
    auto& self = *static_cast<letters*>(context);
    auto const* const a = static_cast<unsigned char const*>(left);
    auto const* const b = static_cast<unsigned char const*>(right);
    std::vector<unsigned char> both(self.bytes, static_cast<unsigned char>(self.bytes));
    bool const known = a[0] != 255 && b[0] != 255;
    bool const adjacent = static_cast<unsigned char>((a[1] + 1) % 251) == b[0];
    both[0] = known && adjacent ? a[0] : 255;
    both[1] = b[1];
    for (std::size_t k = 2; k < self.bytes; ++k)
      if (a[k] != static_cast<unsigned char>(self.bytes) || b[k] != a[k]) both[0] = 255;
    std::memcpy(result, both.data(), self.bytes);
    ++self.calls;
  }
};

class c_own_operator : public testing::TestWithParam<int> {};

TEST_P(c_own_operator, combines_neighbours_in_order_whatever_their_size)
{
  auto const bytes = static_cast<std::size_t>(GetParam());
  letters context{bytes};
  tally_operation const op = {sizeof op, letters::combine, &context, nullptr, 0};
  for (std::size_t const n : {1u, 2u, 3u, 17u, 300u, 5000u}) {
    SCOPED_TRACE(n);
    std::vector<unsigned char> values(n * bytes, static_cast<unsigned char>(bytes)), results(n * bytes);
    for (std::size_t k = 0; k < n; ++k) values[k * bytes] = values[k * bytes + 1] = static_cast<unsigned char>(k % 251);
    std::int64_t const shape[] = {static_cast<std::int64_t>(n)};
    tally_array const in = {values.data(), {TALLY_CPU, 0}, 1, TALLY_BYTES(static_cast<std::uint16_t>(bytes)),
                            shape,         nullptr,        0};
    tally_array out = in;
    out.data = results.data();
    ASSERT_EQ(tally_scan(&in, 0, &out, &op, nullptr), TALLY_OK) << tally_last_message();
    for (std::size_t k = 0; k < n; ++k) {
      ASSERT_EQ(results[k * bytes], 0) << k;
      ASSERT_EQ(results[k * bytes + 1], k % 251) << k;
      ASSERT_EQ(results[k * bytes + bytes - 1], bytes > 2 ? bytes % 256 : k % 251) << k;
    }
    std::vector<unsigned char> total(bytes), last(bytes);
    tally_array sum = in;
    sum.ndim = 0;
    sum.data = total.data();
    ASSERT_EQ(tally_reduce(&in, 0, &sum, &op, nullptr), TALLY_OK) << tally_last_message();
    EXPECT_EQ(std::memcmp(total.data(), results.data() + (n - 1) * bytes, bytes), 0);
    // An exclusive scan behind an element that comes before the first, in place.
    std::vector<unsigned char> before(bytes, static_cast<unsigned char>(bytes));
    before[0] = before[1] = 250;
    tally_array initial = sum, end = sum;
    initial.data = before.data();
    end.data = last.data();
    tally_options options = tally_c_test::options_with(TALLY_EXCLUSIVE, &initial, &end);
    std::vector<unsigned char> in_place = values;
    tally_array same = in;
    same.data = in_place.data();
    ASSERT_EQ(tally_scan(&same, 0, &same, &op, &options), TALLY_OK) << tally_last_message();
    EXPECT_EQ(std::memcmp(in_place.data(), before.data(), bytes), 0);
    for (std::size_t k = 1; k < n; ++k) {
      ASSERT_EQ(in_place[k * bytes], 250) << k;
      ASSERT_EQ(in_place[k * bytes + 1], (k - 1) % 251) << k;
    }
    EXPECT_EQ(last[0], 250);
    EXPECT_EQ(last[1], (n - 1) % 251);
  }
  EXPECT_GT(context.calls, 5000);
}

/// The bytes of an identity have the size of an element, whether the operator has an identity or not: the address
/// sanitizer sees it if not.
TEST_P(c_own_operator, has_an_identity_of_the_size_of_an_element_or_none)
{
  auto const bytes = static_cast<std::size_t>(GetParam());
  letters context{bytes};
  std::vector<unsigned char> const identity(bytes, 7);
  std::vector<unsigned char> values(2 * bytes, 3), results(3 * bytes), last(bytes);
  std::int64_t const two = 2, none = 0;
  auto const array = [&](std::vector<unsigned char>& of, std::int64_t const* shape) {
    return tally_array{of.data(), {TALLY_CPU, 0}, 1, TALLY_BYTES(static_cast<std::uint16_t>(bytes)), shape, nullptr, 0};
  };
  tally_array end = array(last, &none);
  end.ndim = 0;
  for (bool const has_identity : {true, false}) {
    tally_operation const op = {sizeof op, letters::combine, &context, has_identity ? identity.data() : nullptr, 0};
    for (std::int64_t const* const n : {&two, &none})
      for (auto const flag : {TALLY_EXCLUSIVE, TALLY_INCLUDE_INITIAL}) {
        std::int64_t const more = *n + 1;
        tally_array const in = array(values, n), out = array(results, flag == TALLY_EXCLUSIVE ? n : &more);
        tally_options const options = tally_c_test::options_with(flag, nullptr, &end);
        std::int32_t const status = tally_scan(&in, 0, &out, &op, &options);
        ASSERT_EQ(status, has_identity ? TALLY_OK : TALLY_WRONG_ARGUMENT) << tally_last_message();
        if (!has_identity) continue;
        bool const has_first = flag == TALLY_INCLUDE_INITIAL || n == &two;
        EXPECT_TRUE(!has_first || std::memcmp(results.data(), identity.data(), bytes) == 0);
        EXPECT_TRUE(n != &none || std::memcmp(last.data(), identity.data(), bytes) == 0);
      }
    tally_array const in = array(values, &none);
    EXPECT_EQ(tally_reduce(&in, 0, &end, &op, nullptr), has_identity ? TALLY_OK : TALLY_WRONG_ARGUMENT);
    tally_array const out = array(results, &two), both = array(values, &two);
    tally_options const with_last = tally_c_test::options_with(0, nullptr, &end);
    EXPECT_EQ(tally_scan(&both, 0, &out, &op, &with_last), TALLY_OK) << tally_last_message();
  }
}

INSTANTIATE_TEST_SUITE_P(sizes, c_own_operator, testing::Values(2, 3, 8, 12, 16, 17, 64, 100, 256, 257, 1000),
                         [](auto const& each) { return std::to_string(each.param) + "_bytes"; });

/// Sums of pairs of doubles along both axes, on several threads.
TEST(c_own_operator_on_axes, takes_rows_and_columns)
{
  using pair = double[2];
  tally_operation const op = {sizeof op,
                              [](void*, void const* left, void const* right, void* result) {
                                double a[2], b[2];
                                std::memcpy(a, left, sizeof a);
                                std::memcpy(b, right, sizeof b);
                                double const both[2] = {a[0] + b[0], a[1] > b[1] ? a[1] : b[1]};
                                std::memcpy(result, both, sizeof both);
                              },
                              nullptr, nullptr, TALLY_ON_THREADS};
  constexpr int rows = 40, columns = 30;
  std::vector<double> values(rows * columns * 2), scans(values.size());
  std::mt19937 random(3);
  for (double& value : values) value = static_cast<double>(random() % 1000);
  std::int64_t const shape[] = {rows, columns};
  tally_array const in = {values.data(), {TALLY_CPU, 0}, 2, {TALLY_FLOAT, 64, 2}, shape, nullptr, 0};
  tally_array out = in;
  out.data = scans.data();
  auto const* const from = reinterpret_cast<pair const*>(values.data());
  auto const* const to = reinterpret_cast<pair const*>(scans.data());
  for (int axis = 0; axis < 2; ++axis) {
    ASSERT_EQ(tally_scan(&in, axis, &out, &op, nullptr), TALLY_OK) << tally_last_message();
    for (int i = 0; i < (axis == 0 ? columns : rows); ++i) {
      double sum = 0, most = -1;
      for (int k = 0; k < (axis == 0 ? rows : columns); ++k) {
        int const place = axis == 0 ? k * columns + i : i * columns + k;
        sum += from[place][0];
        most = std::max(most, from[place][1]);
        ASSERT_EQ(to[place][0], sum);
        ASSERT_EQ(to[place][1], most);
      }
    }
  }
}

}  // namespace
