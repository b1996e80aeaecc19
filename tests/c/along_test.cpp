#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <vector>

#include "tally.h"
#include "tally/config.hpp"
#include "tally/reduce.hpp"
#include "tally/scan.hpp"
#include "tests/c/arrays.hpp"
#include "tests/support/sizes.hpp"

namespace {

using tally_c_test::load;
using tally_c_test::store;
using tally_c_test::test_array;

constexpr tally_type types[] = {TALLY_INT8,    TALLY_INT16,   TALLY_INT32,  TALLY_INT64,   TALLY_UINT8,
                                TALLY_UINT16,  TALLY_UINT32,  TALLY_UINT64, TALLY_FLOAT16, TALLY_BFLOAT16,
                                TALLY_FLOAT32, TALLY_FLOAT64, TALLY_BOOL8};

bool is_float(tally_type type)
{
  return type.code == TALLY_FLOAT || type.code == TALLY_BFLOAT;
}

/// The operators as loops over 64 bits, which share nothing with the library.
std::int64_t combined(std::size_t op, bool bools, std::int64_t a, std::int64_t b)
{
  switch (op) {
    case 1: return bools ? (a | b) : a + b;
    case 2: return a * b;
    case 3: return std::min(a, b);
    case 4: return std::max(a, b);
    case 5: return a & b;
    case 6: return a | b;
    default: return a ^ b;
  }
}

std::vector<std::int64_t> without(std::vector<std::int64_t> shape, std::size_t axis)
{
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  return shape;
}

/// One call with arguments drawn at random, and every value that it writes.
void try_one(std::mt19937& random)
{
  auto const below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  tally_type const from = types[below(std::size(types))];
  tally_type to = types[below(std::size(types))];
  bool const allowed = from.code == TALLY_BOOL || is_float(to) || (!is_float(from) && to.code != TALLY_BOOL) ||
                       (from.code == to.code && from.bits == to.bits);
  if (!allowed) to = from;
  std::size_t op = 1 + below(is_float(to) ? 4 : 7);
  std::size_t const rank = 1 + below(3), axis = below(rank);
  std::vector<std::int64_t> shape(rank);
  for (auto& extent : shape) extent = static_cast<std::int64_t>(below(6) == 0 ? below(2) : 1 + below(7));
  if (below(2) == 0) shape[axis] = static_cast<std::int64_t>(below(50));
  bool const reduces = below(3) == 0, reverse = below(3) == 0;
  int const form = reduces ? 0 : static_cast<int>(below(3));  // inclusive, exclusive, with the initial value
  int const given = static_cast<int>(below(3));               // initial values: none, one, one each
  std::int64_t const n = shape[axis], more = form == 2 ? 1 : 0;
  // Without an initial value the identity is written, of which the loops know nothing but zero and one.
  bool const writes_identity = given == 0 && (n == 0 || form != 0);
  if (writes_identity) op = 1 + op % 2;
  bool const bools = to.code == TALLY_BOOL;

  test_array in(from, shape, random);
  bool const negative = from.code == TALLY_INT || is_float(from);
  bool const signs = negative && (to.code == TALLY_INT || is_float(to));
  auto const drawn = [&](tally_type type) -> std::int64_t {
    if (type.code == TALLY_BOOL || bools) return static_cast<std::int64_t>(below(2));
    if (op == 2) return signs && below(2) == 0 ? -1 : 1;
    return static_cast<std::int64_t>(below(3)) - (signs ? 1 : 0);
  };
  test_array::for_each_index(shape, [&](auto const& index) { store(from, in.at(index), drawn(from)); });
  std::vector<std::int64_t> const across = without(shape, axis);
  std::vector<std::int64_t> results = shape;
  results[axis] += more;
  test_array out(to, reduces ? across : results, random), last(to, across, random);
  test_array initial(to, given == 2 ? across : std::vector<std::int64_t>(), random);
  if (given == 1) store(to, initial.at({}), drawn(from));
  if (given == 2) test_array::for_each_index(across, [&](auto const& i) { store(to, initial.at(i), drawn(from)); });

  tally_array in_view = in.view(), out_view = out.view(), last_view = last.view(), initial_view = initial.view();
  tally_options options{};
  options.size = sizeof options;
  options.flags = static_cast<std::uint32_t>((reverse ? TALLY_REVERSE : 0) | (form == 1 ? TALLY_EXCLUSIVE : 0) |
                                             (form == 2 ? TALLY_INCLUDE_INITIAL : 0));
  options.threads = static_cast<std::int32_t>(below(3));
  bool const wants_last = !reduces && below(2) == 0;
  if (wants_last) options.last = &last_view;
  // An array of no axes is one value for all, also where there is one sequence.
  if (given != 0) options.initial = &initial_view;
  auto const* const operation = reinterpret_cast<tally_operation const*>(op);
  std::int32_t const named = static_cast<std::int32_t>(axis) - (below(2) == 0 ? static_cast<std::int32_t>(rank) : 0);
  auto const call = reduces ? tally_reduce : tally_scan;
  ASSERT_EQ(call(&in_view, named, &out_view, operation, &options), TALLY_OK) << tally_last_message();

  test_array::for_each_index(across, [&](std::vector<std::int64_t> const& sequence) {
    auto const place = [&](std::int64_t k, std::int64_t length) {
      auto index = sequence;
      index.insert(index.begin() + static_cast<std::ptrdiff_t>(axis), reverse ? length - 1 - k : k);
      return index;
    };
    std::optional<std::int64_t> value;
    if (given != 0) value = load(to, initial.at(given == 1 ? std::vector<std::int64_t>() : sequence));
    std::int64_t const nothing = op == 2 ? 1 : 0;
    if (form == 2) {
      ASSERT_EQ(load(to, out.at(place(0, n + 1))), value.value_or(nothing));
    }
    for (std::int64_t k = 0; k < n; ++k) {
      std::int64_t const element = load(from, in.at(place(k, n)));
      if (form == 1) {
        ASSERT_EQ(load(to, out.at(place(k, n))), value.value_or(nothing));
      }
      value = value ? combined(op, bools, *value, element) : element;
      if (!reduces && form != 1) {
        ASSERT_EQ(load(to, out.at(place(k + more, n + more))), *value);
      }
    }
    if (reduces) {
      ASSERT_EQ(load(to, out.at(sequence)), value.value_or(nothing));
    }
    if (wants_last) {
      ASSERT_EQ(load(to, last.at(sequence)), value.value_or(nothing));
    }
  });
}

TEST(c_along, calls_drawn_at_random_agree_with_loops)
{
  std::mt19937 random(20261124);
  for (std::size_t k = 0; k < tally::test::some_of(6000) && !HasFatalFailure(); ++k) {
    SCOPED_TRACE("call " + std::to_string(k));
    try_one(random);
  }
}

TEST(c_along, a_long_sequence_has_the_bits_of_the_cpp_library)
{
  std::vector<float> values(200'000), scans(values.size()), expected(values.size());
  std::mt19937 random(7);
  for (float& value : values) value = static_cast<float>(random()) * 0x1p-32f - 0.3f;
  std::int64_t const shape[] = {static_cast<std::int64_t>(values.size())};
  tally_array const in = {values.data(), {TALLY_CPU, 0}, 1, TALLY_FLOAT32, shape, nullptr, 0};
  tally_array out = in, sum = in;
  out.data = scans.data();
  float total = 0;
  sum.data = &total;
  sum.ndim = 0;
  ASSERT_EQ(tally_scan(&in, 0, &out, TALLY_PLUS, nullptr), TALLY_OK) << tally_last_message();
  tally::inclusive_scan(values, expected);
  EXPECT_EQ(scans, expected);
  ASSERT_EQ(tally_reduce(&in, 0, &sum, TALLY_PLUS, nullptr), TALLY_OK) << tally_last_message();
  EXPECT_EQ(total, tally::reduce(values));

  // In place, as sums of double.
  std::vector<double> wide(values.size()), expected_wide(values.size());
  tally_array to = {wide.data(), {TALLY_CPU, 0}, 1, TALLY_FLOAT64, shape, nullptr, 0};
  ASSERT_EQ(tally_scan(&in, -1, &to, TALLY_PLUS, nullptr), TALLY_OK) << tally_last_message();
  tally::inclusive_scan<double>(values, expected_wide);
  EXPECT_EQ(wide, expected_wide);
  ASSERT_EQ(tally_scan(&out, 0, &out, TALLY_PLUS, nullptr), TALLY_OK) << tally_last_message();
  tally::inclusive_scan(expected, expected);
  EXPECT_EQ(scans, expected);
}

/// Calls without options on a row go a short way (src/c/short_call.hpp); with options they go the general one.
TEST(c_along, a_call_without_options_has_the_bits_of_one_with_options)
{
  constexpr std::int64_t most = 3000;
  std::mt19937 random(8);
  std::vector<std::uint64_t> values(most), results(most + 1), expected(most + 1);
  tally_options options{};
  options.size = sizeof options;
  int compared = 0;
  for (tally_type const type : types)
    for (std::size_t op = 0; op <= 9; ++op)
      for (std::int64_t const n : {1, 2, 5, 8, 9, 100, 3000}) {
        std::size_t const bytes = type.bits / 8u * static_cast<std::size_t>(n);
        auto* const at = reinterpret_cast<std::uint8_t*>(values.data());
        for (std::size_t b = 0; b < bytes; ++b) {
          // The top byte of a float of 0x3f or 0xbf lets no sum be infinite or NaN.
          bool const is_top = is_float(type) && b % (type.bits / 8u) == type.bits / 8u - 1;
          at[b] = static_cast<std::uint8_t>(is_top ? 0x3f | (random() & 0x80) : random());
          if (type.code == TALLY_BOOL) at[b] &= 1;
        }
        tally_array const in = {values.data(), {TALLY_CPU, 0}, 1, type, &n, nullptr, 0};
        for (bool const reduces : {false, true}) {
          std::fill(results.begin(), results.end(), 0x5a5a5a5a5a5a5a5au);
          expected = results;
          tally_array out = in, general = in;
          out.data = results.data();
          general.data = expected.data();
          if (reduces) out.ndim = general.ndim = 0;
          auto const call = reduces ? tally_reduce : tally_scan;
          auto const* const operation = reinterpret_cast<tally_operation const*>(op);
          std::int32_t const status = call(&in, 0, &out, operation, nullptr);
          ASSERT_EQ(status, call(&in, 0, &general, operation, &options)) << op;
          ASSERT_EQ(results, expected) << "operator " << op << ", " << n << " elements of " << int{type.bits}
                                       << " bits";
          if (status == TALLY_OK) ++compared;
        }
      }
  EXPECT_GT(compared, 700);
}

TEST(c_along, the_sum_of_nothing_is_positive_zero)
{
  std::int64_t const none[] = {0}, one[] = {1};
  float value = -0.0f, result = 7;
  tally_array in = {&value, {TALLY_CPU, 0}, 1, TALLY_FLOAT32, none, nullptr, 0}, out = in;
  out.data = &result;
  out.ndim = 0;
  ASSERT_EQ(tally_reduce(&in, 0, &out, nullptr, nullptr), TALLY_OK);
  EXPECT_FALSE(std::signbit(result));
  in.shape = out.shape = one;
  ASSERT_EQ(tally_reduce(&in, 0, &out, nullptr, nullptr), TALLY_OK);
  EXPECT_TRUE(std::signbit(result));
  out.ndim = 1;
  tally_options exclusive{};
  exclusive.size = sizeof exclusive;
  exclusive.flags = TALLY_EXCLUSIVE;
  ASSERT_EQ(tally_scan(&in, 0, &out, nullptr, &exclusive), TALLY_OK);
  EXPECT_FALSE(std::signbit(result));
}

}  // namespace
