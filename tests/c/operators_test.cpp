#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tally.h"
#include "tally/exact.hpp"
#include "tally/half.hpp"
#include "tally/reduce.hpp"
#include "tally/scan.hpp"
#include "tests/c/arrays.hpp"

/// Operators without kernels: exact sums, sums of exponentials, complex numbers; and exact sums that are not finished.
namespace {

template <class T>
constexpr tally_type type_of = {};
template <>
constexpr tally_type type_of<float> = TALLY_FLOAT32;
template <>
constexpr tally_type type_of<double> = TALLY_FLOAT64;
template <>
constexpr tally_type type_of<tally::half> = TALLY_FLOAT16;
template <>
constexpr tally_type type_of<std::int32_t> = TALLY_INT32;
template <>
constexpr tally_type type_of<std::int64_t> = TALLY_INT64;
template <>
constexpr tally_type type_of<std::complex<float>> = TALLY_COMPLEX64;
template <>
constexpr tally_type type_of<std::complex<double>> = TALLY_COMPLEX128;

template <class T>
tally_array described(std::vector<T> const& values, std::vector<std::int64_t> const& shape)
{
  return {const_cast<T*>(values.data()),
          {TALLY_CPU, 0},
          static_cast<std::int32_t>(shape.size()),
          type_of<T>,
          shape.data(),
          nullptr,
          0};
}

/// Multiples of 2^-60 below 2^3 in magnitude, so that an integer of 128 bits holds all of their sums.
std::vector<double> drawn(std::size_t n, std::mt19937_64& random)
{
  std::vector<double> values(n);
  for (double& x : values)
    x = std::ldexp(static_cast<double>(static_cast<std::int64_t>(random()) >> (11 + random() % 40)), -52);
  return values;
}
__extension__ typedef __int128 wide;
wide units(double x)
{
  return static_cast<wide>(std::ldexp(x, 60));
}
/// The double nearest to sum * 2^-60. Long doubles have 64 bits: the sum is cut to them, with the rest in its last bit.
double nearest(wide sum)
{
  wide magnitude = sum < 0 ? -sum : sum;
  int shift = 0;
  bool rest = false;
  for (; magnitude >> 63 != 0; ++shift) {
    rest = rest || (magnitude & 1) != 0;
    magnitude >>= 1;
  }
  auto const cut = static_cast<std::uint64_t>(magnitude) | (rest ? 1u : 0u);
  auto const rounded = static_cast<double>(cut);
  return std::ldexp(sum < 0 ? -rounded : rounded, shift - 60);
}

TEST(c_exact, sums_scans_and_segments_are_rounded_once)
{
  std::mt19937_64 random(21);
  for (std::size_t const n : {1u, 2u, 100u, 5000u}) {
    SCOPED_TRACE(n);
    auto const values = drawn(3 * n, random);
    std::vector<double> sums(3, 7), scans(3 * n, 7);
    std::vector<std::int64_t> const shape = {3, static_cast<std::int64_t>(n)}, rows = {3},
                                    flat = {static_cast<std::int64_t>(3 * n)}, bounds = {4};
    tally_array const in = described(values, shape), out = described(sums, rows), running = described(scans, shape);
    ASSERT_EQ(tally_reduce(&in, 1, &out, TALLY_EXACT_PLUS, nullptr), TALLY_OK) << tally_last_message();
    ASSERT_EQ(tally_scan(&in, 1, &running, TALLY_EXACT_PLUS, nullptr), TALLY_OK) << tally_last_message();
    for (std::size_t row = 0; row < 3; ++row) {
      wide sum = 0;
      for (std::size_t k = 0; k < n; ++k) {
        sum += units(values[row * n + k]);
        ASSERT_EQ(scans[row * n + k], nearest(sum)) << "row " << row << ", element " << k;
      }
      ASSERT_EQ(sums[row], nearest(sum)) << "row " << row;
    }
    std::vector<std::int64_t> const offsets = {0, static_cast<std::int64_t>(n), static_cast<std::int64_t>(n),
                                               static_cast<std::int64_t>(3 * n)};
    std::vector<double> of_segments(3, 7);
    tally_array const all = described(values, flat), o = described(offsets, bounds), r = described(of_segments, rows);
    ASSERT_EQ(tally_reduce_segments(&all, &o, &r, TALLY_EXACT_PLUS, nullptr), TALLY_OK) << tally_last_message();
    wide rest = 0;
    for (std::size_t k = n; k < 3 * n; ++k) rest += units(values[k]);
    EXPECT_EQ(of_segments, (std::vector<double>{sums[0], 0, nearest(rest)}));
  }
  // Halves are rounded from the sum, which is below the middle of 2050 and 2052, and not from a float, which is the
  // middle.
  std::vector<tally::half> halves;
  for (float const x : {2048.0f, 2.0f, 1.0f, -0x1p-14f}) halves.push_back(tally::half(x));
  std::vector<tally::half> sum(1);
  std::vector<std::int64_t> const four = {4}, none;
  tally_array const in = described(halves, four), out = described(sum, none);
  ASSERT_EQ(tally_reduce(&in, 0, &out, TALLY_EXACT_PLUS, nullptr), TALLY_OK) << tally_last_message();
  EXPECT_EQ(static_cast<float>(sum[0]), 2050.0f);
  EXPECT_EQ(tally_reduce(&in, 0, &out, TALLY_LOG_SUM_EXP, nullptr), TALLY_OK) << tally_last_message();
}

TEST(c_exact, unfinished_sums_are_added_merged_saved_and_rounded)
{
  std::mt19937_64 random(22);
  auto const values = drawn(3000, random);
  std::vector<std::int64_t> const all = {3000}, half = {1500}, none;
  tally_array const in = described(values, all);
  tally_array first = described(values, half), second = first;
  std::vector<std::int64_t> const every_other = {2};
  first.strides = second.strides = every_other.data();
  second.byte_offset = sizeof(double);
  std::vector<double> result(1);
  tally_array const out = described(result, none);
  wide sum = 0;
  for (double const x : values) sum += units(x);

  tally_exact_sum* const whole = tally_exact_sum_create();
  tally_exact_sum* const part = tally_exact_sum_create();
  ASSERT_EQ(tally_exact_sum_round(whole, &out), TALLY_OK);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(result[0]), 0u);
  ASSERT_EQ(tally_exact_sum_add(whole, &second), TALLY_OK) << tally_last_message();
  ASSERT_EQ(tally_exact_sum_add(part, &first), TALLY_OK) << tally_last_message();
  ASSERT_EQ(tally_exact_sum_merge(whole, part), TALLY_OK) << tally_last_message();
  ASSERT_EQ(tally_exact_sum_round(whole, &out), TALLY_OK);
  EXPECT_EQ(result[0], nearest(sum));

  unsigned char bytes[TALLY_EXACT_SUM_BYTES], same[TALLY_EXACT_SUM_BYTES];
  ASSERT_EQ(tally_exact_sum_save(whole, bytes), TALLY_OK);
  tally_exact_sum* const copy = tally_exact_sum_create();
  ASSERT_EQ(tally_exact_sum_add(copy, &in), TALLY_OK);
  ASSERT_EQ(tally_exact_sum_save(copy, same), TALLY_OK);
  EXPECT_EQ(std::memcmp(bytes, same, sizeof bytes), 0);
  ASSERT_EQ(tally_exact_sum_subtract(copy, &in), TALLY_OK);
  ASSERT_EQ(tally_exact_sum_round(copy, &out), TALLY_OK);
  EXPECT_EQ(result[0], 0);
  ASSERT_EQ(tally_exact_sum_load(copy, bytes), TALLY_OK);
  ASSERT_EQ(tally_exact_sum_merge(copy, copy), TALLY_OK);
  ASSERT_EQ(tally_exact_sum_round(copy, &out), TALLY_OK);
  EXPECT_EQ(result[0], nearest(2 * sum));
  ASSERT_EQ(tally_exact_sum_remove(copy, whole), TALLY_OK);
  std::vector<float> narrow(1);
  tally_array const narrow_out = described(narrow, none);
  ASSERT_EQ(tally_exact_sum_round(copy, &narrow_out), TALLY_OK);
  EXPECT_EQ(narrow[0], tally::exact_accumulator<double>::from_bytes(std::as_bytes(std::span(bytes))).round<float>());

  // Integers and other widths add up with them.
  std::vector<std::int32_t> const integers(9000, 3);
  std::vector<tally::half> const halves(10, tally::half(0.5f));
  std::vector<std::int64_t> const nine_thousand = {9000}, ten = {10};
  tally_array const i = described(integers, nine_thousand), h = described(halves, ten);
  tally_exact_sum* const mixed = tally_exact_sum_create();
  ASSERT_EQ(tally_exact_sum_add(mixed, &i), TALLY_OK) << tally_last_message();
  ASSERT_EQ(tally_exact_sum_subtract(mixed, &h), TALLY_OK) << tally_last_message();
  ASSERT_EQ(tally_exact_sum_round(mixed, &out), TALLY_OK);
  EXPECT_EQ(result[0], 26995);

  auto const refused = [](std::int32_t status, char const* message) {
    EXPECT_EQ(status, TALLY_WRONG_ARGUMENT);
    EXPECT_NE(std::strstr(tally_last_message(), message), nullptr) << tally_last_message();
  };
  std::vector<std::int64_t> const longs(10, 3);
  tally_array const l = described(longs, ten);
  refused(tally_exact_sum_add(mixed, &l), "values has elements of type int64");
  refused(tally_exact_sum_add(nullptr, &in), "sum is a null pointer");
  refused(tally_exact_sum_merge(mixed, nullptr), "other is a null pointer");
  refused(tally_exact_sum_round(mixed, &in), "out has axes");
  bytes[0] = 99;
  refused(tally_exact_sum_load(mixed, bytes), "the format is 99");
  for (tally_exact_sum* const s : {whole, part, copy, mixed, static_cast<tally_exact_sum*>(nullptr)})
    tally_exact_sum_destroy(s);
}

template <class T>
void try_exponentials(double tolerance)
{
  std::mt19937_64 random(23);
  std::uniform_real_distribution<double> numbers(-300, 800);
  constexpr std::size_t rows = 3, n = 700;
  std::vector<T> values(rows * n), sums(rows), scans(rows * n), begin(rows), lasts(rows);
  for (T& x : values) x = static_cast<T>(numbers(random));
  values[5] = -std::numeric_limits<T>::infinity();
  for (std::size_t row = 0; row < rows; ++row) begin[row] = static_cast<T>(100 * row);
  std::vector<std::int64_t> const shape = {rows, n}, of_rows = {rows};
  tally_array const in = described(values, shape), out = described(sums, of_rows), running = described(scans, shape),
                    initial = described(begin, of_rows), last = described(lasts, of_rows);
  tally_options options = tally_c_test::options_with(0, &initial);
  ASSERT_EQ(tally_reduce(&in, 1, &out, TALLY_LOG_SUM_EXP, &options), TALLY_OK) << tally_last_message();
  options.last = &last;
  ASSERT_EQ(tally_scan(&in, 1, &running, TALLY_LOG_SUM_EXP, &options), TALLY_OK) << tally_last_message();
  EXPECT_EQ(lasts, sums);
  for (std::size_t row = 0; row < rows; ++row) {
    long double sum = std::exp(static_cast<long double>(begin[row]));
    for (std::size_t k = 0; k < n; ++k) {
      sum += std::exp(static_cast<long double>(values[row * n + k]));
      ASSERT_NEAR(scans[row * n + k], static_cast<double>(std::log(sum)), tolerance) << "row " << row << ", " << k;
    }
    EXPECT_EQ(sums[row], scans[row * n + n - 1]);
  }
  // Segments have the bits of rows; those from the back, of nothing, and exclusive ones.
  std::vector<std::int64_t> const offsets = {0, n, 2 * n, 2 * n, 3 * n}, bounds = {5}, flat = {rows * n}, four = {4};
  std::vector<T> of_segments(4), segment_scans(rows * n);
  tally_array const all = described(values, flat), o = described(offsets, bounds), r = described(of_segments, four),
                    w = described(segment_scans, flat);
  options = tally_c_test::options_with(0);
  ASSERT_EQ(tally_reduce(&in, 1, &out, TALLY_LOG_SUM_EXP, &options), TALLY_OK) << tally_last_message();
  ASSERT_EQ(tally_reduce_segments(&all, &o, &r, TALLY_LOG_SUM_EXP, &options), TALLY_OK) << tally_last_message();
  EXPECT_EQ(of_segments, (std::vector<T>{sums[0], sums[1], -std::numeric_limits<T>::infinity(), sums[2]}));
  options.flags = TALLY_REVERSE | TALLY_EXCLUSIVE;
  ASSERT_EQ(tally_scan_segments(&all, &o, &w, TALLY_LOG_SUM_EXP, &options), TALLY_OK) << tally_last_message();
  long double sum = 0;
  EXPECT_EQ(segment_scans[n - 1], -std::numeric_limits<T>::infinity());
  for (std::size_t k = n - 1; k-- > 0;) {
    sum += std::exp(static_cast<long double>(values[k + 1]));
    ASSERT_NEAR(segment_scans[k], static_cast<double>(std::log(sum)), tolerance) << k;
  }
}

TEST(c_exponentials, sums_are_those_of_long_doubles)
{
  try_exponentials<double>(1e-12);
  try_exponentials<float>(1e-4);
}

/// Sums of complex numbers have the bits of the C++ library; these are within rounding of a loop.
template <class T>
void try_complex(std::size_t n)
{
  using C = std::complex<T>;
  std::mt19937_64 random(24);
  std::uniform_real_distribution<T> numbers(-1, 1);
  std::vector<C> values(n), scans(n), expected(n), sum(1), product(1);
  for (C& x : values) x = {numbers(random), numbers(random)};
  std::vector<std::int64_t> const shape = {static_cast<std::int64_t>(n)}, none;
  tally_array const in = described(values, shape), running = described(scans, shape), one = described(sum, none),
                    two = described(product, none);
  ASSERT_EQ(tally_scan(&in, 0, &running, TALLY_PLUS, nullptr), TALLY_OK) << tally_last_message();
  ASSERT_EQ(tally_reduce(&in, 0, &one, TALLY_PLUS, nullptr), TALLY_OK) << tally_last_message();
  tally::inclusive_scan(values, expected);
  EXPECT_EQ(scans, expected);
  EXPECT_EQ(sum[0], expected.back());
  C loop{};
  for (std::size_t k = 0; k < n; ++k) {
    loop += values[k];
    ASSERT_NEAR(std::abs(loop - scans[k]), 0, 1e-3) << k;
  }
  for (C& x : values) x /= std::abs(x);
  ASSERT_EQ(tally_reduce(&in, 0, &two, TALLY_TIMES, nullptr), TALLY_OK) << tally_last_message();
  loop = 1;
  for (C const& x : values) loop *= x;
  EXPECT_NEAR(std::abs(loop - product[0]), 0, 1e-2);
  EXPECT_EQ(tally_reduce(&in, 0, &two, TALLY_MAXIMUM, nullptr), TALLY_NOT_SUPPORTED);
}

TEST(c_complex, sums_and_products_are_those_of_the_library)
{
  for (std::size_t const n : {1u, 3u, 4096u, 20000u}) {
    SCOPED_TRACE(n);
    try_complex<float>(n);
    try_complex<double>(n);
  }
  // Real numbers convert.
  std::vector<std::int32_t> const integers = {1, 2, 3};
  std::vector<std::complex<double>> sum(1);
  std::vector<std::int64_t> const three = {3}, none;
  tally_array const in = described(integers, three), out = described(sum, none);
  ASSERT_EQ(tally_reduce(&in, 0, &out, nullptr, nullptr), TALLY_OK) << tally_last_message();
  EXPECT_EQ(sum[0], std::complex<double>(6));
}

}  // namespace
