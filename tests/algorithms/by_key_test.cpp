// Every segment by key, by flag and by offset has the bits of tally::reduce and of the scans of it alone.
#include <cmath>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "../support/generator.hpp"
#include "../support/in_order.hpp"
#include "../support/sizes.hpp"
#include "tally/algorithms/by_flag.hpp"
#include "tally/algorithms/by_key.hpp"
#include "tally/algorithms/by_offset.hpp"
#include "tally/detail/segments/begins.hpp"
#include "tally/half.hpp"
#include "tally/operators.hpp"

namespace {

using tally::test::random_bits;

/// Divisions of n elements into segments, each as the places where segments begin, and n: segments of one element, one
/// segment, lengths around groups, rows and tiles, heads at and beside the ends of blocks, a segment that is long
/// enough to be deferred between short ones.
std::vector<std::vector<std::size_t>> divisions(std::size_t n)
{
  std::vector<std::vector<std::size_t>> all;
  auto const by = [&](auto const& length) {
    std::vector<std::size_t> begins;
    for (std::size_t k = 0, s = 0; k < n; k += length(s++)) begins.push_back(k);
    begins.push_back(n);
    all.push_back(begins);
  };
  by([](std::size_t) { return std::size_t{1}; });
  by([n](std::size_t) { return n; });
  by([](std::size_t s) { return s % 40 + 1; });
  by([](std::size_t s) { return random_bits(5, s) % (random_bits(6, s) % 10'000 + 1) + 1; });
  by([](std::size_t) { return std::size_t{4096}; });
  by([](std::size_t s) { return s == 0 ? std::size_t{4095} : s % 2 == 1 ? std::size_t{2} : std::size_t{4094}; });
  by([](std::size_t s) { return s == 3 ? std::size_t{270'001} : std::size_t{7}; });
  return all;
}

/// Values whose sums depend on their brackets.
template <class T>
std::vector<T> numbers(std::size_t n)
{
  std::vector<T> values(n);
  for (std::size_t k = 0; k < n; ++k) {
    std::uint64_t const bits = random_bits(7, k);
    if constexpr (std::is_integral_v<T>)
      values[k] = static_cast<T>(bits);
    else
      values[k] =
          static_cast<T>(static_cast<double>(static_cast<std::int64_t>(bits)) * ((bits & 7) == 0 ? 0x1p-50 : 0x1p-60));
  }
  return values;
}

template <class T>
bool same_bits(std::vector<T> const& a, std::vector<T> const& b)
{
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// Composition of x -> a x + b modulo 2^64: associative, not commutative, and Tally knows no identity of it.
struct map {
  std::uint64_t a, b;
};
struct then {
  template <class Map>
  Map operator()(Map const& f, Map const& g) const
  {
    return {f.a * g.a, g.a * f.b + g.b};
  }
};
/// The same modulo 2^32: of 8 bytes, so that there are two in a group.
struct small_map {
  std::uint32_t a, b;
};
/// Maps that have inverses: no element's part in a composition is lost, however many follow.
template <class Map>
std::vector<Map> maps(std::size_t n)
{
  using number = decltype(Map::a);
  std::vector<Map> all(n);
  for (std::size_t k = 0; k < n; ++k)
    all[k] = {static_cast<number>(random_bits(9, k) | 1), static_cast<number>(random_bits(10, k))};
  return all;
}

template <class Call>
void every_way(Call call)
{
  call(tally::detail::automatic{});
  for (int const threads : {0, 1, 3}) call(tally::cpu{threads});
}

/// All calls against calls on each segment.
template <class T, class Op>
void expect_segments_alone(std::vector<T> const& values, std::vector<std::size_t> const& begins, Op op, T init)
{
  std::size_t const n = values.size(), segments = begins.size() - 1;
  T poison;
  std::memset(static_cast<void*>(&poison), 0xA5, sizeof(T));
  std::vector<T> sums(segments, poison), from(segments, poison), inclusive(n, poison), exclusive(n, poison);
  std::vector<int> keys(n), key_of(segments);
  std::vector<char> flags(n);
  for (std::size_t s = 0; s < segments; ++s) {
    T const* const first = values.data() + begins[s];
    T const* const last = values.data() + begins[s + 1];
    tally::inclusive_scan(tally::cpu{1}, first, last, inclusive.data() + begins[s], op);
    sums[s] = inclusive[begins[s + 1] - 1];
    from[s] = tally::reduce(tally::cpu{1}, first, last, init, op);
    tally::exclusive_scan(tally::cpu{1}, first, last, exclusive.data() + begins[s], init, op);
    key_of[s] = static_cast<int>(random_bits(8, s) % 1000 * 2 + s % 2);
    flags[begins[s]] = s != 0;  // the first is not read
    for (std::size_t k = begins[s]; k < begins[s + 1]; ++k) keys[k] = key_of[s];
  }
  every_way([&](auto on) {
    std::string const where = std::to_string(n) + " in " + std::to_string(segments);
    std::vector<T> out(segments, poison), all(n, poison);
    std::vector<int> keys_out(segments, -1);
    EXPECT_EQ(tally::reduce_by_key(on, keys.begin(), keys.end(), values.begin(), keys_out.begin(), out.begin(), op),
              segments);
    EXPECT_EQ(keys_out, key_of) << where;
    EXPECT_TRUE(same_bits(out, sums)) << where;
    out.assign(segments, poison);
    EXPECT_EQ(tally::reduce_by_flag(on, values.begin(), values.end(), flags.begin(), out.begin(), op), segments);
    EXPECT_TRUE(same_bits(out, sums)) << where;
    out.assign(segments, poison);
    EXPECT_EQ(tally::reduce_by_offset(on, values.begin(), begins.begin(), begins.end(), out.begin(), init, op),
              out.end());
    EXPECT_TRUE(same_bits(out, from)) << where;

    EXPECT_EQ(tally::inclusive_scan_by_key(on, keys.begin(), keys.end(), values.begin(), all.begin(), op), all.end());
    EXPECT_TRUE(same_bits(all, inclusive)) << where;
    all.assign(n, poison);
    tally::inclusive_scan_by_flag(on, values.begin(), values.end(), flags.begin(), all.begin(), op);
    EXPECT_TRUE(same_bits(all, inclusive)) << where;
    all = values;  // in place
    tally::inclusive_scan_by_offset(on, all.begin(), begins.begin(), begins.end(), all.begin(), op);
    EXPECT_TRUE(same_bits(all, inclusive)) << where;

    all = values;  // in place
    EXPECT_EQ(tally::exclusive_scan_by_key(on, keys.begin(), keys.end(), all.begin(), all.begin(), init, op),
              all.end());
    EXPECT_TRUE(same_bits(all, exclusive)) << where;
    all.assign(n, poison);
    tally::exclusive_scan_by_flag(on, values.begin(), values.end(), flags.begin(), all.begin(), init, op);
    EXPECT_TRUE(same_bits(all, exclusive)) << where;
    all.assign(n, poison);
    tally::exclusive_scan_by_offset(on, values.begin(), begins.begin(), begins.end(), all.begin(), init, op);
    EXPECT_TRUE(same_bits(all, exclusive)) << where;
  });
}

std::vector<std::size_t> const sizes = tally::test::tidy({1, 2, 17, 4097, 300'000});

template <class T, class Op>
void expect_all_divisions(Op op, T init, std::size_t most = 300'000)
{
  for (std::size_t n : sizes) {
    n = std::min(n, most);
    for (std::vector<std::size_t> const& begins : divisions(n)) expect_segments_alone(numbers<T>(n), begins, op, init);
  }
}

TEST(by_key, sums_of_floats)
{
  expect_all_divisions<float>(tally::plus{}, 0.1F);
}
TEST(by_key, sums_of_doubles)
{
  expect_all_divisions<double>(std::plus<>{}, 0.1);
}
TEST(by_key, sums_of_halves)
{
  expect_all_divisions<tally::half>(tally::plus{}, tally::half(0.1F), 40'000);
}
TEST(by_key, sums_of_bytes)
{
  expect_all_divisions<std::uint8_t>(tally::plus{}, std::uint8_t{3}, 40'000);
}
TEST(by_key, greatest_of_integers)
{
  expect_all_divisions<std::int64_t>(tally::maximum{}, std::int64_t{-5});
}

TEST(by_key, an_operator_whose_order_matters)
{
  for (std::size_t const n : {std::size_t{1}, std::size_t{4097}, std::size_t{50'000}}) {
    for (std::vector<std::size_t> const& begins : divisions(n)) {
      expect_segments_alone(maps<map>(n), begins, then{}, map{3, 5});
      expect_segments_alone(maps<small_map>(n), begins, then{}, small_map{3, 5});
    }
  }
}

/// A type that has neither a default constructor nor an identity.
struct word {
  explicit word(std::string letters) : text(std::move(letters)) {}
  bool operator==(word const&) const = default;
  std::string text;
};
TEST(by_key, values_without_a_default_constructor)
{
  auto const joined = [](word const& a, word const& b) { return word(a.text + b.text); };
  std::vector<word> const values = {word("a"), word("b"), word("c"), word("d"), word("e")};
  std::vector<int> const keys = {1, 1, 1, 2, 2};
  std::vector<word> sums(2, word("")), all(5, word(""));
  std::vector<int> keys_out(2);
  every_way([&](auto on) {
    EXPECT_EQ(
        tally::reduce_by_key(on, keys.begin(), keys.end(), values.begin(), keys_out.begin(), sums.begin(), joined), 2u);
    EXPECT_EQ(sums, (std::vector<word>{word("abc"), word("de")}));
    tally::inclusive_scan_by_key(on, keys.begin(), keys.end(), values.begin(), all.begin(), joined);
    EXPECT_EQ(all, (std::vector<word>{word("a"), word("ab"), word("abc"), word("d"), word("de")}));
    tally::exclusive_scan_by_key(on, keys.begin(), keys.end(), values.begin(), all.begin(), word("-"), joined);
    EXPECT_EQ(all, (std::vector<word>{word("-"), word("-a"), word("-ab"), word("-"), word("-d")}));
  });
}

TEST(by_key, nothing_and_empty_segments)
{
  std::vector<int> const none;
  std::vector<std::size_t> const offsets = {2, 2, 2, 5, 5, 6, 6};
  std::vector<int> const values = {100, 100, 1, 2, 3, 4, 100};
  std::vector<int> const expected = {10, 10, 16, 10, 14, 10};
  every_way([&](auto on) {
    std::vector<int> out(6);
    EXPECT_EQ(tally::reduce_by_key(on, none.begin(), none.end(), none.begin(), out.begin(), out.begin()), 0u);
    EXPECT_EQ(tally::inclusive_scan_by_key(on, none.begin(), none.end(), none.begin(), out.begin()), out.begin());
    EXPECT_EQ(tally::reduce_by_offset(on, none.begin(), offsets.begin(), offsets.begin(), out.begin()), out.begin());
    EXPECT_EQ(tally::reduce_by_offset(on, none.begin(), offsets.begin(), offsets.begin() + 1, out.begin()),
              out.begin());
    EXPECT_EQ(tally::reduce_by_offset(on, values.begin(), offsets.begin(), offsets.end(), out.begin(), 10), out.end());
    EXPECT_EQ(out, expected);
    std::vector<int> all(7, -1);
    tally::inclusive_scan_by_offset(on, values.begin(), offsets.begin(), offsets.end(), all.begin());
    EXPECT_EQ(all, (std::vector<int>{-1, -1, 1, 3, 6, 4, -1}));
  });
  std::vector<double> sum(1, -1.0);
  std::vector<double> const no_values;
  tally::reduce_by_offset(no_values.begin(), offsets.begin(), offsets.begin() + 2, sum.begin());
  EXPECT_TRUE(sum[0] == 0 && !std::signbit(sum[0])) << "the empty sum is +0.0, as that of tally::reduce";
  std::vector<std::size_t> const empty(1'000'001, 0);
  std::vector<int> many(1'000'000, -1);
  tally::reduce_by_offset(tally::cpu{3}, values.begin(), empty.begin(), empty.end(), many.begin());
  EXPECT_EQ(many, std::vector<int>(1'000'000, 0));
}

TEST(by_key, keys_by_an_equality_and_sums_in_a_named_type)
{
  std::vector<std::string> const names = {"a", "A", "b", "a", "a"};
  std::vector<std::uint8_t> const values = {200, 100, 7, 255, 255};
  auto const same = [](std::string const& a, std::string const& b) { return (a[0] | 32) == (b[0] | 32); };
  every_way([&](auto on) {
    std::vector<std::string> keys(3);
    std::vector<int> sums(3);
    EXPECT_EQ(tally::reduce_by_key<int>(on, names.begin(), names.end(), values.begin(), keys.begin(), sums.begin(),
                                        tally::plus{}, same),
              3u);
    EXPECT_EQ(keys, (std::vector<std::string>{"a", "b", "a"}));
    EXPECT_EQ(sums, (std::vector<int>{300, 7, 510}));
  });
}

/// The order of one thread is that of the calls.
template <class T, class Op>
void expect_the_order(std::vector<T> const& values, Op op, T init)
{
  std::size_t const n = values.size();
  for (bool const with_init : {false, true}) {
    std::vector<T> expected(n), walked(n);
    if (with_init)
      tally::inclusive_scan(tally::cpu{1}, values.begin(), values.end(), expected.begin(), op, init);
    else
      tally::inclusive_scan(tally::cpu{1}, values.begin(), values.end(), expected.begin(), op);
    auto const start = with_init ? tally::detail::optional_value<T>{init, true} : tally::detail::optional_value<T>{};
    tally::test::scan_in_order<T>([&](std::size_t k) { return values[k]; }, n, start, op,
                                  [&](std::size_t k, auto const& result) { walked[k] = static_cast<T>(result); });
    EXPECT_TRUE(same_bits(walked, expected)) << n << (with_init ? " with" : " without");
  }
}
// The passes by which a GPU finds where segments begin, here by teams of one thread.
TEST(begins_by_teams, are_those_of_the_heads)
{
  namespace segments = tally::detail::segments;
  // Both ways to write heads for each, and the choice between them.
  int const few_in_a_word = segments::tuning_in_use.few_in_a_word;
  for (std::size_t const n : {1, 31, 32, 33, 1023, 1024, 1025, 32'768, 32'769, 100'001})
    for (auto const& begins : divisions(n)) {
      std::vector<std::uint32_t> keys(n);
      for (std::size_t s = 0; s + 1 < begins.size(); ++s)
        std::fill(keys.begin() + static_cast<std::ptrdiff_t>(begins[s]),
                  keys.begin() + static_cast<std::ptrdiff_t>(begins[s + 1]), static_cast<std::uint32_t>(s % 3));
      for (int const few : {-1, few_in_a_word, 32}) {
        segments::tuning_in_use.few_in_a_word = few;
        std::vector<std::uint32_t> kept(begins.size(), 99);
        std::vector<std::size_t> found;
        std::size_t const count = segments::with_begins(
            tally::cpu{3}, n,
            tally::detail::selection::by_change<std::uint32_t const*, tally::detail::selection::equal_values>{
                keys.data(), {}},
            segments::keep_key<std::uint32_t const*, std::uint32_t*>{keys.data(), kept.data()},
            [&](auto const* from, std::size_t size) { found.assign(from, from + size + 1); });
        EXPECT_EQ(count, begins.size() - 1) << n;
        EXPECT_EQ(found, begins) << n;
        EXPECT_EQ(kept.back(), 99u) << n;
        for (std::size_t s = 0; s + 1 < begins.size(); ++s) EXPECT_EQ(kept[s], s % 3) << n << ", " << s;
      }
    }
  segments::tuning_in_use.few_in_a_word = few_in_a_word;
}
TEST(in_order, is_the_order_of_the_calls)
{
  for (std::size_t const n :
       tally::test::tidy({0, 1, 4, 5, 9, 127, 128, 129, 1024, 8191, 8192, 8193, 16'500, 262'143, 262'145, 530'001})) {
    expect_the_order(numbers<float>(n), tally::plus{}, 0.1F);
    expect_the_order(numbers<double>(n), tally::plus{}, 0.1);
    expect_the_order(maps<map>(n), then{}, map{3, 5});
    expect_the_order(maps<small_map>(n), then{}, small_map{3, 5});
    expect_the_order(numbers<tally::half>(n), tally::plus{}, tally::half(0.1F));
  }
}

}  // namespace
