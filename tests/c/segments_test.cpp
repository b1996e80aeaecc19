#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tally.h"
#include "tests/c/arrays.hpp"
#include "tests/support/sizes.hpp"

namespace {

using tally_c_test::load;
using tally_c_test::store;
using tally_c_test::test_array;

/// Composition of the maps x -> a*x + b modulo 2^8: associative, and not commutative. An element has `bytes` bytes, of
/// which the first two are the map.
void compose(void* bytes, void const* left, void const* right, void* result)
{
  unsigned char f[2], g[2];
  std::memcpy(f, left, 2);
  std::memcpy(g, right, 2);
  unsigned char const both[2] = {static_cast<unsigned char>(f[0] * g[0]),
                                 static_cast<unsigned char>(g[0] * f[1] + g[1])};
  std::memset(result, 0, *static_cast<std::size_t*>(bytes));
  std::memcpy(result, both, 2);
}

std::vector<std::int64_t> drawn_offsets(std::mt19937& random, std::int64_t values)
{
  std::vector<std::int64_t> offsets(1 + random() % 12);
  for (auto& offset : offsets) offset = static_cast<std::int64_t>(random() % static_cast<unsigned>(values + 1));
  std::sort(offsets.begin(), offsets.end());
  return offsets;
}

/// One call on segments with arguments drawn at random, and every place of its output.
void try_one(std::mt19937& random)
{
  tally_type const types[] = {TALLY_INT8,    TALLY_UINT16,  TALLY_INT32,  TALLY_INT64,
                              TALLY_FLOAT32, TALLY_FLOAT64, TALLY_FLOAT16};
  tally_type const from = types[random() % 4], to = types[random() % std::size(types)];
  tally_type const place_types[] = {TALLY_INT64, TALLY_INT32, TALLY_UINT8};
  tally_type const place = place_types[random() % 3];
  std::int64_t const n = random() % 200;
  auto const places = drawn_offsets(random, n);
  auto const segments = static_cast<std::int64_t>(places.size()) - 1;
  bool const reduces = random() % 2 == 0, reverse = random() % 3 == 0, exclusive = !reduces && random() % 2 == 0;
  int const given = static_cast<int>(random() % 3);
  bool const wants_last = !reduces && random() % 2 == 0, copies_others = !reduces && random() % 2 == 0;
  test_array values(from, {n}, random), offsets(place, {segments + 1}, random),
      out(to, {reduces ? segments : n}, random),
      initial(to, given == 2 ? std::vector<std::int64_t>{segments} : std::vector<std::int64_t>{}, random),
      last(to, {segments}, random);
  for (std::int64_t k = 0; k < n; ++k) store(from, values.at({k}), static_cast<std::int64_t>(random() % 2));
  for (std::int64_t s = 0; s <= segments; ++s) store(place, offsets.at({s}), places[static_cast<std::size_t>(s)]);
  if (given == 1) store(to, initial.at({}), 3);
  for (std::int64_t s = 0; given == 2 && s < segments; ++s) store(to, initial.at({s}), s % 5);
  if (!reduces)
    for (std::int64_t k = 0; k < n; ++k) store(to, out.at({k}), 77);

  tally_array const v = values.view(), o = offsets.view(), r = out.view(), i = initial.view(), l = last.view();
  tally_options options = tally_c_test::options_with(
      static_cast<std::uint32_t>((reverse ? 1 : 0) + (exclusive ? 2 : 0) + (copies_others ? 16 : 0)),
      given == 0 ? nullptr : &i, wants_last ? &l : nullptr);
  auto const call = reduces ? tally_reduce_segments : tally_scan_segments;
  ASSERT_EQ(call(&v, &o, &r, TALLY_PLUS, &options), TALLY_OK) << tally_last_message();

  std::vector<std::int64_t> expected(static_cast<std::size_t>(n), 77);
  for (std::int64_t k = 0; copies_others && k < n; ++k)
    expected[static_cast<std::size_t>(k)] = load(from, values.at({k}));
  for (std::int64_t s = 0; s < segments; ++s) {
    std::int64_t const begin = places[static_cast<std::size_t>(s)], end = places[static_cast<std::size_t>(s) + 1];
    std::int64_t sum = given == 0 ? 0 : given == 1 ? 3 : s % 5;
    for (std::int64_t k = 0; k < end - begin; ++k) {
      std::int64_t const at = reverse ? end - 1 - k : begin + k, before = sum;
      sum += load(from, values.at({at}));
      expected[static_cast<std::size_t>(at)] = exclusive ? before : sum;
    }
    if (reduces) {
      ASSERT_EQ(load(to, out.at({s})), sum) << "segment " << s;
    }
    if (wants_last) {
      ASSERT_EQ(load(to, last.at({s})), sum) << "segment " << s;
    }
  }
  for (std::int64_t k = 0; !reduces && k < n; ++k)
    ASSERT_EQ(load(to, out.at({k})), expected[static_cast<std::size_t>(k)]) << "place " << k;
}

TEST(c_segments, calls_drawn_at_random_agree_with_loops)
{
  std::mt19937 random(5);
  for (std::size_t k = 0; k < tally::test::some_of(3000) && !HasFatalFailure(); ++k) {
    SCOPED_TRACE("call " + std::to_string(k));
    try_one(random);
  }
}

TEST(c_segments, an_operation_of_the_caller_s_keeps_the_order)
{
  std::mt19937 random(6);
  for (std::size_t bytes : {2u, 8u, 12u, 40u, 200u}) {
    SCOPED_TRACE(bytes);
    std::vector<unsigned char> const identity = [&] {
      std::vector<unsigned char> e(bytes);
      e[0] = 1;
      return e;
    }();
    tally_operation const op = {sizeof op, compose, &bytes, identity.data(), 0};
    constexpr std::int64_t n = 500;
    std::vector<unsigned char> values(n * bytes);
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t byte = 0; byte < 2; ++byte) values[k * bytes + byte] = static_cast<unsigned char>(random());
    auto const places = drawn_offsets(random, n);
    auto const segments = places.size() - 1;
    std::int64_t const shape[] = {n}, offset_shape[] = {static_cast<std::int64_t>(segments + 1)},
                       segment_shape[] = {static_cast<std::int64_t>(segments)};
    std::vector<unsigned char> sums(segments * bytes + 1), scans(n * bytes);
    tally_type const type = TALLY_BYTES(static_cast<std::uint16_t>(bytes));
    tally_array const v = {values.data(), {TALLY_CPU, 0}, 1, type, shape, nullptr, 0};
    tally_array const o = {
        const_cast<std::int64_t*>(places.data()), {TALLY_CPU, 0}, 1, TALLY_INT64, offset_shape, nullptr, 0};
    tally_array const r = {sums.data(), {TALLY_CPU, 0}, 1, type, segment_shape, nullptr, 0};
    tally_array const w = {scans.data(), {TALLY_CPU, 0}, 1, type, shape, nullptr, 0};
    ASSERT_EQ(tally_reduce_segments(&v, &o, &r, &op, nullptr), TALLY_OK) << tally_last_message();
    ASSERT_EQ(tally_scan_segments(&v, &o, &w, &op, nullptr), TALLY_OK) << tally_last_message();
    for (std::size_t s = 0; s < segments; ++s) {
      unsigned a = 1, b = 0;
      for (auto k = static_cast<std::size_t>(places[s]); k < static_cast<std::size_t>(places[s + 1]); ++k) {
        unsigned const factor = values[k * bytes], term = values[k * bytes + 1];
        a = a * factor % 256;
        b = (factor * b + term) % 256;
        ASSERT_EQ(scans[k * bytes], a) << k;
        ASSERT_EQ(scans[k * bytes + 1], b) << k;
      }
      ASSERT_EQ(sums[s * bytes], a) << s;
      ASSERT_EQ(sums[s * bytes + 1], b) << s;
    }
  }
}

TEST(c_segments, arrays_of_a_call_lie_on_one_device)
{
  float values[4] = {1, 2, 3, 4}, results[2] = {};
  std::int64_t places[3] = {0, 2, 4};
  std::int64_t const four[] = {4}, three[] = {3}, two[] = {2};
  tally_array const values_on_cpu = {values, {TALLY_CPU, 0}, 1, TALLY_FLOAT32, four, nullptr, 0};
  tally_array const offsets_on_cpu = {places, {TALLY_CPU, 0}, 1, TALLY_INT64, three, nullptr, 0};
  tally_array const out_on_cpu = {results, {TALLY_CPU, 0}, 1, TALLY_FLOAT32, two, nullptr, 0};
  tally_options options{};
  options.size = sizeof options;
  auto const refused = [&](tally_array const& v, tally_array const& o, tally_array const& r, std::int32_t status,
                           char const* message) {
    EXPECT_EQ(tally_reduce_segments(&v, &o, &r, nullptr, &options), status);
    EXPECT_NE(std::strstr(tally_last_message(), message), nullptr) << tally_last_message();
  };
  tally_array v = values_on_cpu, o = offsets_on_cpu, r = out_on_cpu;
  v.device = o.device = r.device = {TALLY_CUDA, 0};
  refused(v, offsets_on_cpu, r, TALLY_WRONG_ARGUMENT, "offsets lies in the memory of the CPU");
  refused(v, o, out_on_cpu, TALLY_WRONG_ARGUMENT, "out lies in the memory of the CPU");
  refused(values_on_cpu, o, out_on_cpu, TALLY_WRONG_ARGUMENT, "offsets lies in the memory of GPU 0");
  options.flags = TALLY_REVERSE;
  refused(v, o, r, TALLY_NOT_SUPPORTED, "TALLY_REVERSE");
  options.flags = 0;
  options.stream = &options;
  refused(values_on_cpu, offsets_on_cpu, out_on_cpu, TALLY_WRONG_ARGUMENT, "are for arrays on a GPU");
}

TEST(c_segments, wrong_offsets_are_refused_before_anything_is_written)
{
  float values[4] = {1, 2, 3, 4}, results[4] = {};
  std::int64_t const four[] = {4}, three[] = {3}, two[] = {2};
  std::int64_t decreasing[3] = {0, 3, 2}, beyond[3] = {0, 2, 5}, negative[3] = {-1, 2, 4};
  tally_array const v = {values, {TALLY_CPU, 0}, 1, TALLY_FLOAT32, four, nullptr, 0};
  tally_array const r = {results, {TALLY_CPU, 0}, 1, TALLY_FLOAT32, two, nullptr, 0};
  auto const refused = [&](std::int64_t* places, char const* message) {
    tally_array const o = {places, {TALLY_CPU, 0}, 1, TALLY_INT64, three, nullptr, 0};
    EXPECT_EQ(tally_reduce_segments(&v, &o, &r, nullptr, nullptr), TALLY_WRONG_ARGUMENT);
    EXPECT_NE(std::strstr(tally_last_message(), message), nullptr) << tally_last_message();
    for (float const result : results) EXPECT_EQ(result, 0);
  };
  refused(decreasing, "segment 1 is from 3 to 2");
  refused(beyond, "the last offset is 5, and there are 4 values");
  refused(negative, "offsets begin with -1");
  // Sums of nothing are +0.0.
  std::int64_t none[3] = {1, 1, 1};
  tally_array const o = {none, {TALLY_CPU, 0}, 1, TALLY_INT64, three, nullptr, 0};
  results[0] = results[1] = -1;
  ASSERT_EQ(tally_reduce_segments(&v, &o, &r, nullptr, nullptr), TALLY_OK) << tally_last_message();
  EXPECT_TRUE(results[0] == 0 && !std::signbit(results[0]) && results[1] == 0);
}

}  // namespace
