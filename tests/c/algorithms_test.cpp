#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "tally.h"
#include "tests/c/arrays.hpp"
#include "tests/support/sizes.hpp"

/// Keys, selection, sorts and histograms, against loops over integers. Outputs are longer than necessary, and keep what
/// lies behind the results.
namespace {

using tally_c_test::load;
using tally_c_test::store;
using tally_c_test::test_array;

constexpr tally_type all_types[] = {TALLY_INT8,    TALLY_UINT8,    TALLY_INT16,   TALLY_UINT16,
                                    TALLY_INT32,   TALLY_UINT32,   TALLY_INT64,   TALLY_UINT64,
                                    TALLY_FLOAT16, TALLY_BFLOAT16, TALLY_FLOAT32, TALLY_FLOAT64};
constexpr std::int64_t poison = 77;

tally_type drawn_type(std::mt19937& random)
{
  return all_types[random() % std::size(all_types)];
}

/// Small integers that the type holds.
std::vector<std::int64_t> fill(test_array& array, std::int64_t n, unsigned kinds, std::mt19937& random)
{
  bool const is_signed = array.type().code != TALLY_UINT && array.type().code != TALLY_BOOL;
  std::vector<std::int64_t> values(static_cast<std::size_t>(n));
  for (std::int64_t k = 0; k < n; ++k) {
    std::int64_t const value = static_cast<std::int64_t>(random() % kinds) - (is_signed ? kinds / 2 : 0);
    values[static_cast<std::size_t>(k)] = value;
    store(array.type(), array.at({k}), value);
  }
  return values;
}

void expect_values(test_array& out, std::vector<std::int64_t> const& expected, char const* name)
{
  for (std::int64_t k = 0; k < out.shape()[0]; ++k) {
    auto const at = static_cast<std::size_t>(k);
    ASSERT_EQ(load(out.type(), out.at({k})), at < expected.size() ? expected[at] : poison) << name << ", place " << k;
  }
}

test_array poisoned(tally_type type, std::int64_t n, std::mt19937& random)
{
  test_array out(type, {n}, random);
  for (std::int64_t k = 0; k < n; ++k) store(type, out.at({k}), poison);
  return out;
}

TEST(c_by_key, runs_drawn_at_random_agree_with_loops)
{
  std::mt19937 random(11);
  for (std::size_t call = 0; call < tally::test::some_of(2000) && !HasFatalFailure(); ++call) {
    SCOPED_TRACE("call " + std::to_string(call));
    std::int64_t const n = random() % 3 == 0 ? random() % 6000 : random() % 100;
    tally_type const key_type = drawn_type(random), value_type = TALLY_INT16, sum_type = TALLY_INT64;
    test_array keys(key_type, {n}, random), values(value_type, {n}, random);
    auto const key = fill(keys, n, 1 + random() % 4, random), value = fill(values, n, 9, random);
    std::vector<std::int64_t> run_keys, sums, lengths, running;
    std::int64_t const start = static_cast<std::int64_t>(random() % 5);
    for (std::size_t k = 0; k < key.size(); ++k) {
      if (k == 0 || key[k] != key[k - 1]) {
        run_keys.push_back(key[k]);
        sums.push_back(start);
        lengths.push_back(0);
      }
      sums.back() += value[k];
      running.push_back(sums.back());
      ++lengths.back();
    }
    auto const room = static_cast<std::int64_t>(sums.size() + random() % 3);
    test_array keys_out = poisoned(key_type, room, random), out = poisoned(sum_type, room, random),
               unique_out = poisoned(key_type, room, random), lengths_out = poisoned(TALLY_INT64, room, random),
               scans = poisoned(sum_type, n, random), initial(sum_type, {}, random);
    store(sum_type, initial.at({}), start);
    tally_array const k = keys.view(), v = values.view(), ko = keys_out.view(), o = out.view(), s = scans.view(),
                      u = unique_out.view(), l = lengths_out.view(), i = initial.view();
    tally_options const options = tally_c_test::options_with(0, &i);
    std::int64_t runs = -1;
    ASSERT_EQ(tally_reduce_by_key(&k, &v, &ko, &o, &runs, TALLY_PLUS, &options), TALLY_OK) << tally_last_message();
    EXPECT_EQ(runs, static_cast<std::int64_t>(sums.size()));
    expect_values(keys_out, run_keys, "keys");
    expect_values(out, sums, "sums");
    runs = -1;
    ASSERT_EQ(tally_unique(&k, &u, &l, &runs, nullptr), TALLY_OK) << tally_last_message();
    EXPECT_EQ(runs, static_cast<std::int64_t>(sums.size()));
    expect_values(unique_out, run_keys, "unique");
    expect_values(lengths_out, lengths, "lengths");
    ASSERT_EQ(tally_scan_by_key(&k, &v, &s, nullptr, &options), TALLY_OK) << tally_last_message();
    expect_values(scans, running, "scans");
  }
}

TEST(c_compact, selections_drawn_at_random_agree_with_loops)
{
  std::mt19937 random(12);
  tally_type const masks[] = {TALLY_BOOL8, TALLY_INT8, TALLY_UINT16, TALLY_INT64};
  for (std::size_t call = 0; call < tally::test::some_of(2000) && !HasFatalFailure(); ++call) {
    SCOPED_TRACE("call " + std::to_string(call));
    std::int64_t const n = random() % 3 == 0 ? random() % 9000 : random() % 100;
    tally_type const type = drawn_type(random);
    test_array in(type, {n}, random), mask(masks[random() % 4], {n}, random);
    auto const values = fill(in, n, 100, random);
    std::vector<std::int64_t> expected;
    unsigned const some = 1 + random() % 4;
    for (std::int64_t k = 0; k < n; ++k) {
      bool const is_selected = random() % some == 0;
      store(mask.type(), mask.at({k}), is_selected);
      if (is_selected) expected.push_back(values[static_cast<std::size_t>(k)]);
    }
    test_array out = poisoned(type, static_cast<std::int64_t>(expected.size() + random() % 3), random);
    tally_array const i = in.view(), m = mask.view(), o = out.view();
    std::int64_t count = -1;
    ASSERT_EQ(tally_compact(&i, &m, &o, &count, nullptr), TALLY_OK) << tally_last_message();
    EXPECT_EQ(count, static_cast<std::int64_t>(expected.size()));
    expect_values(out, expected, "selected");
    count = -1;
    ASSERT_EQ(tally_compact(&i, &m, nullptr, &count, nullptr), TALLY_OK) << tally_last_message();
    EXPECT_EQ(count, static_cast<std::int64_t>(expected.size()));
  }
}

TEST(c_compact, elements_of_every_size)
{
  std::mt19937 random(13);
  for (std::size_t bytes : {1u, 2u, 3u, 4u, 8u, 12u, 16u, 24u}) {
    SCOPED_TRACE(bytes);
    constexpr std::int64_t n = 1000;
    std::vector<std::uint64_t> const room(n * bytes / 8 + 4);
    std::vector<unsigned char> in(n * bytes), out(n * bytes, 0x5a), expected;
    std::vector<unsigned char> mask(n);
    for (std::size_t k = 0; k < n; ++k) {
      mask[k] = static_cast<unsigned char>(random() % 2 * (random() % 2 == 0 ? 1 : 0x80));
      for (std::size_t b = 0; b < bytes; ++b) in[k * bytes + b] = static_cast<unsigned char>(random());
      if (mask[k] != 0) expected.insert(expected.end(), &in[k * bytes], &in[k * bytes] + bytes);
    }
    std::int64_t const shape[] = {n};
    tally_type const type = TALLY_BYTES(static_cast<std::uint16_t>(bytes));
    tally_array const i = {in.data(), {TALLY_CPU, 0}, 1, type, shape, nullptr, 0},
                      m = {mask.data(), {TALLY_CPU, 0}, 1, TALLY_UINT8, shape, nullptr, 0},
                      o = {out.data(), {TALLY_CPU, 0}, 1, type, shape, nullptr, 0};
    std::int64_t count = 0;
    ASSERT_EQ(tally_compact(&i, &m, &o, &count, nullptr), TALLY_OK) << tally_last_message();
    ASSERT_EQ(static_cast<std::size_t>(count) * bytes, expected.size());
    EXPECT_EQ(std::memcmp(out.data(), expected.data(), expected.size()), 0);
    EXPECT_TRUE(std::all_of(out.begin() + static_cast<std::ptrdiff_t>(expected.size()), out.end(),
                            [](unsigned char byte) { return byte == 0x5a; }));
  }
}

TEST(c_sort, sequences_drawn_at_random_are_stable_permutations)
{
  std::mt19937 random(14);
  for (std::size_t call = 0; call < tally::test::some_of(1500) && !HasFatalFailure(); ++call) {
    SCOPED_TRACE("call " + std::to_string(call));
    tally_type const type = drawn_type(random);
    bool const is_long = random() % 8 == 0;
    std::vector<std::int64_t> const shape = {static_cast<std::int64_t>(random() % 5),
                                             static_cast<std::int64_t>(is_long ? 200 + random() % 200 : random() % 20),
                                             static_cast<std::int64_t>(random() % 4)};
    auto const axis = static_cast<std::int32_t>(random() % 3);
    bool const descending = random() % 2 == 0, in_place = random() % 3 == 0;
    test_array in(type, shape, random), out(type, shape, random), places(TALLY_INT64, shape, random);
    unsigned const kinds = random() % 2 == 0 ? 5 : 100;
    std::int64_t const least = type.code == TALLY_UINT ? 0 : -static_cast<std::int64_t>(kinds / 2);
    std::vector<std::int64_t> before;
    test_array::for_each_index(shape, [&](std::vector<std::int64_t> const& index) {
      before.push_back(static_cast<std::int64_t>(random() % kinds) + least);
      store(type, in.at(index), before.back());
    });
    auto const value_before = [&](std::vector<std::int64_t> const& i) {
      return before[static_cast<std::size_t>((i[0] * shape[1] + i[1]) * shape[2] + i[2])];
    };
    tally_array const i = in.view(), o = in_place ? i : out.view(), p = places.view();
    test_array& sorted = in_place ? in : out;
    tally_options const options = tally_c_test::options_with(descending ? 8u : 0u);
    ASSERT_EQ(tally_sort(&i, axis, &o, &p, &options), TALLY_OK) << tally_last_message();
    auto const along = static_cast<std::size_t>(axis);
    test_array::for_each_index(shape, [&](std::vector<std::int64_t> index) {
      if (index[along] != 0 || HasFatalFailure()) return;
      std::vector<std::int64_t> order(static_cast<std::size_t>(shape[along]));
      std::iota(order.begin(), order.end(), 0);
      auto const value = [&](std::int64_t k) {
        index[along] = k;
        return value_before(index);
      };
      std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
        return descending ? value(a) > value(b) : value(a) < value(b);
      });
      for (std::int64_t k = 0; k < shape[along]; ++k) {
        std::int64_t const from = order[static_cast<std::size_t>(k)], expected = value(from);
        index[along] = k;
        ASSERT_EQ(load(TALLY_INT64, places.at(index)), from) << "place " << k;
        ASSERT_EQ(load(type, sorted.at(index)), expected) << "place " << k;
      }
    });
  }
}

TEST(c_sort, infinities_zeros_and_nans)
{
  double const inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for (std::int64_t const repeats : {1, 100}) {
    std::vector<double> values;
    for (std::int64_t r = 0; r < repeats; ++r)
      for (double const x : {nan, 0.0, inf, -0.0, 3.0, -inf, -nan, -2.0}) values.push_back(x);
    auto const n = static_cast<std::int64_t>(values.size());
    std::vector<double> out(values.size());
    std::vector<std::int64_t> places(values.size());
    tally_array const in = {values.data(), {TALLY_CPU, 0}, 1, TALLY_FLOAT64, &n, nullptr, 0},
                      sorted = {out.data(), {TALLY_CPU, 0}, 1, TALLY_FLOAT64, &n, nullptr, 0},
                      where = {places.data(), {TALLY_CPU, 0}, 1, TALLY_INT64, &n, nullptr, 0};
    for (bool const descending : {false, true}) {
      tally_options const options = tally_c_test::options_with(descending ? 8u : 0u);
      ASSERT_EQ(tally_sort(&in, 0, &sorted, &where, &options), TALLY_OK) << tally_last_message();
      std::vector<double> const order = descending ? std::vector<double>{inf, 3, 0.0, -0.0, -2, -inf, nan, nan}
                                                   : std::vector<double>{-inf, -2, -0.0, 0.0, 3, inf, nan, nan};
      for (std::size_t k = 0; k < out.size(); ++k) {
        double const expected = order[std::min<std::size_t>(k / static_cast<std::size_t>(repeats), 7)];
        if (std::isnan(expected)) {
          ASSERT_TRUE(std::isnan(out[k]));
        } else {
          ASSERT_EQ(out[k], expected);
          ASSERT_EQ(std::signbit(out[k]), std::signbit(expected));
        }
        bool const follows = k % static_cast<std::size_t>(repeats) != 0 && !std::isnan(expected);
        if (follows || (k > out.size() - 2 * static_cast<std::size_t>(repeats))) {
          ASSERT_GT(places[k], places[k - 1]) << "stable at " << k;
        }
      }
    }
  }
}

TEST(c_sort, values_move_with_their_keys)
{
  std::mt19937 random(15);
  for (std::size_t bytes : {1u, 2u, 4u, 5u, 8u, 16u}) {
    for (std::int64_t const n : {0, 1, 5, 256, 257, 3000}) {
      SCOPED_TRACE(std::to_string(bytes) + " bytes, " + std::to_string(n) + " keys");
      test_array keys(TALLY_INT16, {n}, random);
      auto const before = fill(keys, n, 50, random);
      auto const size = static_cast<std::size_t>(n);
      std::vector<unsigned char> values(size * bytes);
      for (auto& byte : values) byte = static_cast<unsigned char>(random());
      std::vector<std::int64_t> order(size);
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
        return before[static_cast<std::size_t>(a)] > before[static_cast<std::size_t>(b)];
      });
      tally_array const k = keys.view();
      std::vector<unsigned char> moved(values.size());
      tally_type const type = TALLY_BYTES(static_cast<std::uint16_t>(bytes));
      tally_array const v = {values.data(), {TALLY_CPU, 0}, 1, type, &n, nullptr, 0},
                        w = {moved.data(), {TALLY_CPU, 0}, 1, type, &n, nullptr, 0};
      tally_options const options = tally_c_test::options_with(TALLY_DESCENDING);
      ASSERT_EQ(tally_sort_by_key(&k, &v, &k, &w, &options), TALLY_OK) << tally_last_message();
      for (std::size_t at = 0; at < size; ++at) {
        auto const from = static_cast<std::size_t>(order[at]);
        ASSERT_EQ(load(TALLY_INT16, keys.at({static_cast<std::int64_t>(at)})), before[from]);
        ASSERT_EQ(std::memcmp(&moved[at * bytes], &values[from * bytes], bytes), 0) << "value " << at;
      }
    }
  }
}

TEST(c_histogram, counts_and_weights_agree_with_loops)
{
  std::mt19937 random(16);
  for (std::size_t call = 0; call < tally::test::some_of(1000) && !HasFatalFailure(); ++call) {
    SCOPED_TRACE("call " + std::to_string(call));
    std::int64_t const n = random() % 3 == 0 ? random() % 9000 : random() % 50;
    tally_type const type = drawn_type(random);
    bool const weighted = random() % 2 == 0, by_edges = random() % 2 == 0;
    test_array values(type, {n}, random), weights(TALLY_INT32, {n}, random);
    auto const value = fill(values, n, 60, random), weight = fill(weights, n, 9, random);
    std::vector<std::int64_t> edges = {-20, -11, 0, 0, 7, 25};
    if (type.code == TALLY_UINT) edges = {1, 5, 5, 8, 30, 50};
    if (!by_edges) edges = {-16, -8, 0, 8, 16, 24};
    std::vector<std::int64_t> expected(5, 0);
    for (std::size_t k = 0; k < value.size(); ++k)
      for (std::size_t bin = 0; bin < 5; ++bin)
        if (edges[bin] <= value[k] && (value[k] < edges[bin + 1] || (bin == 4 && value[k] == edges[5])))
          expected[bin] += weighted ? weight[k] : 1;
    tally_type const double_type = TALLY_FLOAT64, count_type = TALLY_INT64,
                     edge_type = random() % 2 == 0 ? type : double_type;
    test_array borders(edge_type, {6}, random);
    for (std::int64_t k = 0; k < 6; ++k) store(edge_type, borders.at({k}), edges[static_cast<std::size_t>(k)]);
    test_array counts = poisoned(weighted ? double_type : count_type, 5, random);
    tally_array const v = values.view(), w = weights.view(), e = borders.view(), c = counts.view();
    tally_array const* const given = weighted ? &w : nullptr;
    ASSERT_EQ(by_edges ? tally_histogram_of_edges(&v, given, &e, &c, nullptr)
                       : tally_histogram(&v, given, -16, 24, &c, nullptr),
              TALLY_OK)
        << tally_last_message();
    expect_values(counts, expected, "counts");
  }
}

TEST(c_algorithms, mistakes_are_refused_and_named)
{
  float values[4] = {1, 2, 2, 3}, results[4] = {};
  std::int64_t places[4] = {}, count = -1;
  std::uint8_t flags[4] = {1, 1, 0, 1};
  std::int64_t const four[] = {4}, three[] = {3}, two[] = {2}, square[] = {2, 2};
  tally_array const in = {values, {TALLY_CPU, 0}, 1, TALLY_FLOAT32, four, nullptr, 0},
                    out = {results, {TALLY_CPU, 0}, 1, TALLY_FLOAT32, four, nullptr, 0},
                    mask = {flags, {TALLY_CPU, 0}, 1, TALLY_BOOL8, four, nullptr, 0},
                    numbers = {places, {TALLY_CPU, 0}, 1, TALLY_INT64, four, nullptr, 0};
  auto const with = [](tally_array array, std::int64_t const* shape, std::int32_t axes = 1) {
    array.shape = shape;
    array.ndim = axes;
    return array;
  };
  auto const refused = [&](std::int32_t status, char const* message) {
    EXPECT_EQ(status, TALLY_WRONG_ARGUMENT);
    EXPECT_NE(std::strstr(tally_last_message(), message), nullptr) << tally_last_message();
    EXPECT_EQ(count, -1);
    for (float const result : results) EXPECT_EQ(result, 0);
  };
  tally_array const small = with(out, two), flat = with(out, square, 2), shorter = with(mask, three),
                    short_edges = with(in, three);
  refused(tally_compact(&in, &mask, &small, &count, nullptr), "out has room for 2 elements; there are 3");
  refused(tally_compact(&in, &mask, &flat, &count, nullptr), "out has 2 axes");
  refused(tally_compact(&in, &shorter, &out, &count, nullptr), "mask is 3; it should be 4");
  refused(tally_compact(&in, &in, &out, &count, nullptr), "mask has elements of type float32");
  refused(tally_compact(&in, &mask, &numbers, &count, nullptr),
          "out has elements of type int64; they should be float32");
  refused(tally_compact(&in, &mask, &out, nullptr, nullptr), "count is a null pointer");
  refused(tally_unique(&in, &small, nullptr, &count, nullptr), "out has room for 2 elements; there are 3 runs");
  refused(tally_reduce_by_key(&in, &in, nullptr, &small, &count, nullptr, nullptr), "there are 3 runs");
  refused(tally_reduce_by_key(&in, &short_edges, nullptr, &out, &count, nullptr, nullptr),
          "values is 3; it should be 4");
  refused(tally_sort(&in, 1, &out, nullptr, nullptr), "axis 1");
  refused(tally_sort(&in, 0, &numbers, nullptr, nullptr), "out has elements of type int64");
  refused(tally_sort(&in, 0, nullptr, &out, nullptr), "places has elements of type float32; they should be int64");
  refused(tally_histogram(&in, nullptr, 3, 3, &numbers, nullptr), "bins from 3 to 3");
  refused(tally_histogram(&in, nullptr, 0, 3, &out, nullptr), "counts has elements of type float32");
  refused(tally_histogram_of_edges(&in, nullptr, &in, &numbers, nullptr), "edges is 4; it should be 5");
  float falling[] = {1, 2, 1.5f};
  tally_array const edges = {falling, {TALLY_CPU, 0}, 1, TALLY_FLOAT32, three, nullptr, 0};
  tally_array const bins = with(numbers, two);
  refused(tally_histogram_of_edges(&in, nullptr, &edges, &bins, nullptr), "edge 2 is less");
  tally_array complex = in;
  complex.dtype = TALLY_COMPLEX64;
  complex.shape = two;
  EXPECT_EQ(tally_sort(&complex, 0, nullptr, nullptr, nullptr), TALLY_NOT_SUPPORTED);
  EXPECT_NE(std::strstr(tally_last_message(), "complex64"), nullptr) << tally_last_message();
}

}  // namespace
