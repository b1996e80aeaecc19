#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "tally.h"
#include "tally/algorithms/recurrence.hpp"
#include "tests/c/arrays.hpp"
#include "tests/support/sizes.hpp"

namespace {

using tally_c_test::load;
using tally_c_test::store;
using tally_c_test::test_array;

/// States of small integers: factors are -1, 0 and 1, so that every type holds them exactly.
void try_one(std::mt19937& random)
{
  tally_type const types[] = {TALLY_INT8, TALLY_INT32, TALLY_INT64, TALLY_FLOAT32, TALLY_FLOAT64};
  tally_type const to = types[random() % 5];
  tally_type const from = types[random() % (to.code == TALLY_FLOAT ? 5 : 3)];
  std::size_t const rank = 1 + random() % 3, axis = random() % rank;
  std::vector<std::int64_t> shape(rank);
  for (auto& extent : shape) extent = random() % 6;
  if (random() % 2 == 0) shape[axis] = random() % 40;
  std::vector<std::int64_t> across = shape;
  across.erase(across.begin() + static_cast<std::ptrdiff_t>(axis));
  bool const one_factor = random() % 4 == 0, reverse = random() % 3 == 0, wants_last = random() % 2 == 0;
  int const given = static_cast<int>(random() % 3);
  test_array a(from, one_factor ? std::vector<std::int64_t>() : shape, random), b(from, shape, random),
      out(to, shape, random), last(to, across, random),
      initial(to, given == 2 ? across : std::vector<std::int64_t>(), random);
  auto const small = [&] { return static_cast<std::int64_t>(random() % 3) - 1; };
  auto const fill = [&](test_array& array, tally_type type) {
    test_array::for_each_index(array.shape(), [&](auto const& index) { store(type, array.at(index), small()); });
  };
  fill(a, from);
  fill(b, from);
  fill(initial, to);
  tally_array const av = a.view(), bv = b.view(), ov = out.view(), iv = initial.view(), lv = last.view();
  tally_options options = tally_c_test::options_with(reverse ? static_cast<std::uint32_t>(TALLY_REVERSE) : 0u,
                                                     given == 0 ? nullptr : &iv, wants_last ? &lv : nullptr);
  ASSERT_EQ(tally_linear_recurrence(&av, &bv, static_cast<std::int32_t>(axis), &ov, &options), TALLY_OK)
      << tally_last_message();
  test_array::for_each_index(across, [&](std::vector<std::int64_t> const& sequence) {
    std::int64_t state = given == 0 ? 0 : load(to, initial.at(given == 1 ? std::vector<std::int64_t>() : sequence));
    for (std::int64_t k = 0; k < shape[axis]; ++k) {
      auto index = sequence;
      index.insert(index.begin() + static_cast<std::ptrdiff_t>(axis), reverse ? shape[axis] - 1 - k : k);
      state = load(from, a.at(one_factor ? std::vector<std::int64_t>() : index)) * state + load(from, b.at(index));
      ASSERT_EQ(load(to, out.at(index)), state);
    }
    if (wants_last) {
      ASSERT_EQ(load(to, last.at(sequence)), state);
    }
  });
}

TEST(c_recurrence, calls_drawn_at_random_agree_with_loops)
{
  std::mt19937 random(8);
  for (std::size_t k = 0; k < tally::test::some_of(3000) && !HasFatalFailure(); ++k) {
    SCOPED_TRACE("call " + std::to_string(k));
    try_one(random);
  }
}

TEST(c_recurrence, a_long_one_has_the_bits_of_the_cpp_library)
{
  std::vector<float> a(100'000), b(a.size()), out(a.size()), expected(a.size());
  std::mt19937 random(9);
  for (float& value : a) value = static_cast<float>(random()) * 0x1p-32f;
  for (float& value : b) value = static_cast<float>(random()) * 0x1p-32f - 0.5f;
  std::int64_t const shape[] = {static_cast<std::int64_t>(a.size())};
  tally_array const av = {a.data(), {TALLY_CPU, 0}, 1, TALLY_FLOAT32, shape, nullptr, 0};
  tally_array bv = av, ov = av;
  bv.data = b.data();
  ov.data = out.data();
  ASSERT_EQ(tally_linear_recurrence(&av, &bv, 0, &ov, nullptr), TALLY_OK) << tally_last_message();
  tally::linear_recurrence(a.begin(), a.end(), b.begin(), expected.begin(), 0.0f);
  EXPECT_EQ(out, expected);
}

TEST(c_recurrence, mistakes_are_refused)
{
  float values[4] = {};
  std::int64_t const shape[] = {4}, shorter[] = {3};
  tally_array const b = {values, {TALLY_CPU, 0}, 1, TALLY_FLOAT32, shape, nullptr, 0};
  tally_array a = b;
  a.shape = shorter;
  EXPECT_EQ(tally_linear_recurrence(&a, &b, 0, &b, nullptr), TALLY_WRONG_ARGUMENT);
  EXPECT_NE(std::strstr(tally_last_message(), "a is 3; it should be 4"), nullptr) << tally_last_message();
  tally_array half = b;
  half.dtype = TALLY_FLOAT16;
  tally_options options = tally_c_test::options_with(0, nullptr, nullptr, TALLY_FLOAT16);
  EXPECT_EQ(tally_linear_recurrence(&b, &b, 0, &half, &options), TALLY_NOT_SUPPORTED);
}

}  // namespace
