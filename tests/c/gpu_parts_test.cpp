// The parts of libtally_cuda.so.1 whose code a processor can run too: operators and types that are chosen when a call
// is made, and the sort by places. On a GPU the same calls are tested through Python (tests/python/test_gpu.py).
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "src/c/cuda/chosen_operator.hpp"
#include "src/c/cuda/selection.hpp"
#include "src/c/cuda/sort_by_places.hpp"
#include "tally.h"
#include "tally/half.hpp"

namespace tally::test {
namespace {

template <class T>
std::vector<T> hostile_values()
{
  std::vector<T> values;
  for (int k = -3; k <= 3; ++k) values.push_back(static_cast<T>(k));
  if constexpr (detail::is_floating<T>) {
    for (double x : {-0.0, 0.5, -1e30, 1e30, std::numeric_limits<double>::infinity(),
                     -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
      values.push_back(static_cast<T>(x));
  } else {
    values.push_back(std::numeric_limits<T>::min());
    values.push_back(std::numeric_limits<T>::max());
    values.push_back(static_cast<T>(std::numeric_limits<T>::max() / 3));
  }
  return values;
}

template <class T>
bool same_bits(T a, T b)
{
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

template <class Stored, class T, class Op>
void expect_operator(std::size_t number, Op op)
{
  auto const chosen = c::chosen_operator<Stored>::of(number, std::is_signed_v<T>);
  EXPECT_TRUE(same_bits(static_cast<T>(chosen.template identity<Stored>()), identity_of<T>(op))) << number;
  for (T const a : hostile_values<T>())
    for (T const b : hostile_values<T>())
      EXPECT_TRUE(
          same_bits(static_cast<T>(chosen(static_cast<Stored>(a), static_cast<Stored>(b))), static_cast<T>(op(a, b))))
          << number << " of " << +a << " and " << +b;
}

template <class Stored, class T>
void expect_operators()
{
  expect_operator<Stored, T>(2, multiplies{});
  expect_operator<Stored, T>(3, minimum{});
  expect_operator<Stored, T>(4, maximum{});
  if constexpr (std::is_integral_v<T>) {
    expect_operator<Stored, T>(1, plus{});
    expect_operator<Stored, T>(5, bit_and{});
    expect_operator<Stored, T>(6, bit_or{});
    expect_operator<Stored, T>(7, bit_xor{});
  }
}

TEST(chosen_operator, is_the_operator_of_its_number)
{
  expect_operators<float, float>();
  expect_operators<double, double>();
  expect_operators<std::uint64_t, std::int64_t>();
  expect_operators<std::uint64_t, std::uint64_t>();
}

/// Places that a selection chooses, one by one, as a thread of a GPU does.
template <class Criterion, class Move>
std::vector<std::int64_t> selected(Criterion const& by, Move move, std::size_t n)
{
  std::vector<std::int64_t> places(n + 1, -7);
  move.places = places.data();
  std::size_t count = 0;
  for (std::size_t k = 0; k < n; ++k) {
    bool const is_selected = detail::selection::is_selected(by, k);
    move.one(k, count, is_selected, move.take(k));
    count += is_selected;
  }
  EXPECT_EQ(places[std::min(count, move.room)], -7) << "an element behind the room is written";
  places.resize(std::min(count, move.room));
  return places;
}

template <class T>
void expect_selection(tally_type type)
{
  std::mt19937 random(5);
  auto const hostile = hostile_values<T>();
  std::size_t const n = 200;
  std::vector<T> spread(3 * n), out(2 * n, T(77));
  for (T& x : spread) x = hostile[random() % hostile.size()];
  for (std::size_t k = 1; k < n; ++k)
    if (random() % 2 == 0) spread[3 * k] = spread[3 * (k - 1)];
  c::row_on_gpu const row{reinterpret_cast<std::byte*>(spread.data()), 3 * sizeof(T)},
      to{reinterpret_cast<std::byte*>(out.data()), 2 * sizeof(T)};
  auto const at = [&](std::size_t k) { return spread[3 * k]; };
  std::vector<std::int64_t> changes, set;
  for (std::size_t k = 0; k < n; ++k) {
    if (k == 0 || !(at(k - 1) == at(k))) changes.push_back(static_cast<std::int64_t>(k));
    if (!(at(k) == T(0))) set.push_back(static_cast<std::int64_t>(k));
  }
  c::words_of_element const words{sizeof(T), 1};
  using by = c::criterion;
  using move = c::move_selected_elements;
  EXPECT_EQ(selected(by{row, type, true}, move{row, to, words, nullptr, n}, n), changes);
  for (std::size_t r = 0; r < changes.size(); ++r)
    EXPECT_TRUE(same_bits(out[2 * r], at(static_cast<std::size_t>(changes[r]))));
  EXPECT_TRUE(same_bits(out[1], T(77)) && same_bits(out[2 * changes.size()], T(77)));
  EXPECT_EQ(selected(by{row, type, false}, move{row, to, words, nullptr, n}, n), set);
  changes.resize(3);
  EXPECT_EQ(selected(by{row, type, true}, move{row, {}, words, nullptr, 3}, n), changes);
}

/// Elements side by side, at an address and with flags that may have a kernel of their own.
template <class T>
void expect_selection_side_by_side(tally_type type)
{
  std::mt19937 random(6);
  auto const hostile = hostile_values<T>();
  std::size_t const n = 203;
  for (std::size_t const moved : {0u, 1u}) {
    std::vector<T> in(n + 1), out(n + 2, T(77));
    alignas(8) std::uint8_t flags[n + 1]{};
    std::vector<std::int64_t> changes, set;
    for (std::size_t k = 0; k < n; ++k) {
      in[k + moved] = k > 0 && random() % 2 == 0 ? in[k + moved - 1] : hostile[random() % hostile.size()];
      if (k == 0 || !(in[k + moved - 1] == in[k + moved])) changes.push_back(static_cast<std::int64_t>(k));
      flags[k + moved] = static_cast<std::uint8_t>(random() % 2 * (random() % 2 == 0 ? 1 : 0x80));
      if (flags[k + moved] != 0) set.push_back(static_cast<std::int64_t>(k));
    }
    c::row_on_gpu const from{reinterpret_cast<std::byte*>(&in[moved]), sizeof(T)},
        to{reinterpret_cast<std::byte*>(&out[1]), sizeof(T)};
    c::words_of_element const words{sizeof(T), 1};
    auto const expect = [&](auto const& by, auto move, std::vector<std::int64_t> const& places) {
      std::fill(out.begin(), out.end(), T(77));
      move.room = n;
      EXPECT_EQ(selected(by, move, n), places);
      for (std::size_t r = 0; r < places.size(); ++r)
        EXPECT_TRUE(same_bits(out[r + 1], in[static_cast<std::size_t>(places[r]) + moved]));
      EXPECT_TRUE(same_bits(out[0], T(77)) && same_bits(out[places.size() + 1], T(77)));
    };
    c::selection_call flagged{{reinterpret_cast<std::byte*>(flags) + moved, 1}, TALLY_BOOL8, n, from, to, words, n, {}};
    int calls = 0;
    bool by_bytes = false;
    c::with_flags(flagged, [&](auto const& by, auto const& move) {
      ++calls;
      by_bytes = std::is_same_v<std::remove_cvref_t<decltype(by)>, c::is_set_byte>;
      expect(by, move, set);
    });
    EXPECT_EQ(by_bytes, moved == 0 && sizeof(T) >= 4);
    c::runs_call runs;
    runs.keys = from;
    runs.type = type;
    runs.size = n;
    runs.keys_out = to;
    runs.words = words;
    c::with_keys(runs, [&](auto const& by, auto const& move) {
      ++calls;
      expect(by, move, changes);
    });
    EXPECT_EQ(calls, 2);
    std::size_t counted = 0;
    c::set_bytes_of_word const eight{flags, n + moved};
    for (std::size_t w = 0; w * 8 < n + moved; ++w) counted += eight(w);
    EXPECT_EQ(counted, set.size());
  }
}

TEST(selection_on_a_gpu, has_kernels_of_its_own_for_words)
{
  expect_selection_side_by_side<std::int8_t>(TALLY_INT8);
  expect_selection_side_by_side<std::int32_t>(TALLY_INT32);
  expect_selection_side_by_side<std::uint32_t>(TALLY_UINT32);
  expect_selection_side_by_side<std::int64_t>(TALLY_INT64);
  expect_selection_side_by_side<half>(TALLY_FLOAT16);
  expect_selection_side_by_side<float>(TALLY_FLOAT32);
  expect_selection_side_by_side<double>(TALLY_FLOAT64);
}

TEST(selection_on_a_gpu, is_by_flags_and_changes_of_all_types)
{
  expect_selection<std::int8_t>(TALLY_INT8);
  expect_selection<std::uint8_t>(TALLY_BOOL8);
  expect_selection<std::int16_t>(TALLY_INT16);
  expect_selection<std::uint32_t>(TALLY_UINT32);
  expect_selection<std::int64_t>(TALLY_INT64);
  expect_selection<half>(TALLY_FLOAT16);
  expect_selection<float>(TALLY_FLOAT32);
  expect_selection<double>(TALLY_FLOAT64);
}

TEST(copy_element, copies_all_words_and_no_more)
{
  alignas(8) std::byte from[40], to[40];
  for (std::size_t bytes : {1u, 2u, 3u, 4u, 6u, 8u, 12u, 16u, 24u})
    for (std::size_t word : {1u, 2u, 4u, 8u}) {
      if (bytes % word != 0) continue;
      for (std::size_t b = 0; b < sizeof from; ++b) from[b] = std::byte(b + 1);
      std::memset(to, 0, sizeof to);
      c::copy_element(to, from, {word, bytes / word});
      EXPECT_EQ(std::memcmp(to, from, bytes), 0);
      EXPECT_EQ(to[bytes], std::byte{0});
    }
}

/// Sorts two sequences whose elements lie `step` apart, in place, and compares with std::stable_sort.
template <class Bits, class T>
void expect_sort(tally_type type, std::size_t n, std::size_t sequences, bool descends)
{
  std::mt19937_64 random(n);
  auto const hostile = hostile_values<T>();
  std::size_t const step = 2;
  std::vector<T> keys(n * sequences * step);
  std::vector<std::int64_t> places(n * sequences, -1);
  std::vector<std::uint16_t> values(n * sequences), values_out(n * sequences);
  std::iota(values.begin(), values.end(), std::uint16_t{});
  for (T& x : keys)
    x = random() % 3 == 0 ? static_cast<T>(static_cast<int>(random() % 100)) : hostile[random() % hostile.size()];
  auto const given = keys;
  c::sorts_call call;
  auto const bytes = static_cast<std::ptrdiff_t>(step * sizeof(T));
  auto const length = static_cast<std::ptrdiff_t>(n);
  call.where.along = {n, {bytes, bytes, 8, 2, 2}};
  if (sequences > 1) {
    call.where.dimensions = 1;
    call.where.across[0] = {sequences, {length * bytes, length * bytes, 8 * length, 2 * length, 2 * length}};
  }
  call.type = type;
  call.in = reinterpret_cast<std::byte const*>(keys.data());
  call.out = reinterpret_cast<std::byte*>(keys.data());
  call.places = reinterpret_cast<std::byte*>(places.data());
  call.words = {sizeof(T), 1};
  call.values = reinterpret_cast<std::byte const*>(values.data());
  call.values_out = reinterpret_cast<std::byte*>(values_out.data());
  call.words_of_value = {2, 1};
  call.descends = descends;
  c::sort_by_places<Bits>(cpu{2}, call);
  for (std::size_t s = 0; s < sequences; ++s) {
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{});
    auto const key = [&](std::size_t k) { return given[(s * n + k) * step]; };
    auto const before = [&](std::size_t a, std::size_t b) {
      bool const a_is_no_number = !(key(a) == key(a)), b_is_no_number = !(key(b) == key(b));
      if (a_is_no_number || b_is_no_number) return !a_is_no_number && b_is_no_number;
      if (key(a) == key(b)) {
        if constexpr (detail::is_floating<T>) {
          bool const first = detail::sign_bit(key(a)), second = detail::sign_bit(key(b));
          return descends ? second && !first : first && !second;
        }
        return false;
      }
      return descends ? key(b) < key(a) : key(a) < key(b);
    };
    std::stable_sort(order.begin(), order.end(), before);
    for (std::size_t k = 0; k < n; ++k) {
      std::size_t const at = s * n + k;
      ASSERT_EQ(places[at], static_cast<std::int64_t>(order[k])) << n << " of sequence " << s << ", place " << k;
      ASSERT_TRUE(same_bits(keys[at * step], key(order[k])));
      ASSERT_TRUE(same_bits(keys[at * step + 1], given[at * step + 1])) << "an element between is written";
      ASSERT_EQ(values_out[at], values[s * n + order[k]]);
    }
  }
}

template <class T>
void expect_sorts(tally_type type)
{
  using bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  for (std::size_t const n : {0u, 1u, 2u, 300u, 5000u})
    for (std::size_t const sequences : {1u, 2u, 7u})
      for (bool const descends : {false, true}) expect_sort<bits, T>(type, n, sequences, descends);
}

TEST(sort_by_places, sorts_sequences_of_all_types)
{
  expect_sorts<std::int8_t>(TALLY_INT8);
  expect_sorts<std::uint8_t>(TALLY_UINT8);
  expect_sorts<std::int16_t>(TALLY_INT16);
  expect_sorts<std::uint16_t>(TALLY_UINT16);
  expect_sorts<std::int32_t>(TALLY_INT32);
  expect_sorts<std::uint32_t>(TALLY_UINT32);
  expect_sorts<std::int64_t>(TALLY_INT64);
  expect_sorts<std::uint64_t>(TALLY_UINT64);
  expect_sorts<half>(TALLY_FLOAT16);
  expect_sorts<bfloat16>(TALLY_BFLOAT16);
  expect_sorts<float>(TALLY_FLOAT32);
  expect_sorts<double>(TALLY_FLOAT64);
}

}  // namespace
}  // namespace tally::test
