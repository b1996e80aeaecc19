// Scans on a GPU whose elements a function gives and whose results a function takes, by operators whose brackets may be
// any, against a loop on the host.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "../../support/operators.hpp"
#include "../../support/sizes.hpp"
#include "../device_array.hpp"
#include "tally/cuda.hpp"
#include "tally/operators.hpp"
#include "tally/operators/numbered.hpp"

namespace tally::test {
namespace {

using path = cuda::workspace::path;
using pairs = numbered<std::uint32_t, std::uint32_t>;

/// Around rows, warps' rows and tiles of each width, around where one kernel follows another, and well beyond.
std::vector<std::size_t> const sizes = tidy({0, 1, 2, 31, 32, 33, 2047, 2049, 4095, 4096, 4097, 8191, 8192, 8193,
                                             8 * 8192 - 1, 8 * 8192, 8 * 8192 + 1, 100'003, 5'000'001});

TALLY_HD std::uint64_t scrambled(std::size_t k)
{
  std::uint64_t x = (k + 1) * 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  return x ^ (x >> 31);
}

/// Element k of a sequence that shows swapped operands, lost elements and ones taken twice.
template <class T>
struct element {
  TALLY_HD T operator()(std::size_t k) const
  {
    std::uint64_t const x = scrambled(k);
    auto const a = static_cast<std::uint32_t>(x), b = static_cast<std::uint32_t>(x >> 32);
    if constexpr (std::is_same_v<T, bool>)
      return x % 3 != 0 && k / 100'000 % 3 != 1;  // none for a while, too
    else if constexpr (std::is_same_v<T, affine<std::uint32_t>>)
      return {a | 1, b};
    else if constexpr (std::is_same_v<T, matrix>)
      return {a | 1, b, a & ~1u, b | 1};  // of an odd determinant: no product is zero
    else if constexpr (std::is_same_v<T, pairs>)
      return {k < 1'000'000 ? x % 29 == 0 : k % 300'000 == 7, b};
    else
      return static_cast<T>(k / 8 + a % 1000) - 500;  // ever new maxima
  }
};

template <class T>
struct put {
  T* to;
  std::uint32_t* times;

  TALLY_HD void operator()(std::size_t k, T const& value) const
  {
    to[k] = value;
    detail::add_atomically(times + k, std::uint32_t{1});
  }
};

/// The results of a loop.
template <class T>
struct expected_scans {
  std::vector<T> inclusive, from_init, exclusive;

  template <class F, class Op>
  expected_scans(std::size_t n, F element, T init, Op op) : inclusive(n),
                                                            from_init(n),
                                                            exclusive(n)
  {
    for (std::size_t k = 0; k < n; ++k) {
      auto const x = static_cast<T>(element(k));
      inclusive[k] = k == 0 ? x : static_cast<T>(op(inclusive[k - 1], x));
      exclusive[k] = init;
      init = from_init[k] = static_cast<T>(op(init, x));
    }
  }
};

/// The surroundings of a scan: so many blocks, or with 0 as many as run at a time; and memory that was handed over, no
/// more than that.
struct situation {
  char const* name;
  int blocks;
  bool handed_over;
};
constexpr situation situations[] = {
    {"all blocks", 0, false}, {"one block", 1, false}, {"three blocks", 3, false}, {"memory handed over", 0, true}};

/// Calls f(on, where) in each situation, `bytes` being what is handed over, and looks whether bytes behind memory that
/// was handed over are as they were.
template <class F>
void in_each_situation(std::size_t n, std::size_t bytes, F f)
{
  for (situation const& each : situations) {
    stream const on_stream;
    device_array<unsigned char> const memory(bytes + 64);
    cuda::workspace space = each.handed_over ? cuda::workspace(memory.begin(), bytes) : cuda::workspace();
    space.prefer(path::automatic, each.blocks);
    for (int call = 0; call < 2; ++call)  // the second finds what the first left in the workspace
      f(cuda{on_stream, space}, std::to_string(n) + " elements, " + each.name);
    std::vector<unsigned char> const after = memory.values();
    EXPECT_TRUE(std::all_of(after.begin() + static_cast<std::ptrdiff_t>(bytes), after.end(), [](unsigned char byte) {
      return byte == 0xA5;
    })) << n;
  }
}

/// From a function to a function.
template <class T, class Stored, class Op>
void expect_scans(Op op, T init)
{
  for (std::size_t const n : sizes) {
    auto const from = elements_from(element<Stored>{});
    auto const end = from + static_cast<std::ptrdiff_t>(n);
    expected_scans<T> const expected(n, element<Stored>{}, init, op);
    in_each_situation(n, cuda::workspace::bytes_for<T>(n), [&](cuda const& on, std::string const& where) {
      auto const expect = [&](std::vector<T> const& result, char const* which, auto scan) {
        device_array<T> const out(n);
        device_array<std::uint32_t> const times(std::vector<std::uint32_t>(n, 0));
        scan(results_to(put<T>{out.begin(), times.begin()}));
        EXPECT_TRUE(out.values() == result) << which << " of " << where;
        EXPECT_TRUE(same_bytes(times.values(), std::vector<std::uint32_t>(n, 1))) << which << " of " << where;
      };
      expect(expected.inclusive, "inclusive scan", [&](auto out) { inclusive_scan<T>(on, from, end, out, op); });
      expect(expected.from_init, "inclusive scan from init",
             [&](auto out) { inclusive_scan<T>(on, from, end, out, op, init); });
      expect(expected.exclusive, "exclusive scan", [&](auto out) { exclusive_scan<T>(on, from, end, out, init, op); });
    });
  }
}

TEST(cuda_striped_scan, of_votes_in_words)
{
  expect_scans<std::uint32_t, bool>(plus{}, 4'000'000'000u);
}
TEST(cuda_striped_scan, of_votes_in_two_words)
{
  expect_scans<std::uint64_t, bool>(plus{}, std::uint64_t{4'294'967'290u});
}
TEST(cuda_striped_scan, of_words)
{
  expect_scans<std::int32_t, std::int32_t>(maximum{}, std::int32_t{-5});
}
TEST(cuda_striped_scan, of_two_words_in_order)
{
  expect_scans<affine<std::uint32_t>, affine<std::uint32_t>>(compose{}, affine<std::uint32_t>{3, 5});
}
TEST(cuda_striped_scan, of_four_words_in_order)
{
  expect_scans<matrix, matrix>(exact_matrix_product{}, matrix{1, 2, 3, 4});
}
TEST(cuda_striped_scan, of_numbered_segments)
{
  expect_scans<pairs, pairs>(numbered_segments{plus{}}, pairs{7, 11});
}

/// From memory to a function, and from a function to memory.
TEST(cuda_striped_scan, with_one_end_in_memory)
{
  using T = affine<std::uint32_t>;
  for (std::size_t const n : sizes) {
    auto const from = elements_from(element<T>{});
    std::vector<T> values(n);
    for (std::size_t k = 0; k < n; ++k) values[k] = element<T>{}(k);
    device_array<T> const in(values);
    expected_scans<T> const expected(n, element<T>{}, T{3, 5}, compose{});
    in_each_situation(n, cuda::workspace::bytes_for<T>(n), [&](cuda const& on, std::string const& where) {
      device_array<T> const a(n), b(n);
      device_array<std::uint32_t> const times(std::vector<std::uint32_t>(n, 0));
      inclusive_scan(on, in.begin(), in.end(), results_to(put<T>{a.begin(), times.begin()}), compose{});
      exclusive_scan(on, from, from + static_cast<std::ptrdiff_t>(n), b.begin(), T{3, 5}, compose{});
      EXPECT_TRUE(a.values() == expected.inclusive) << where;
      EXPECT_TRUE(b.values() == expected.exclusive) << where;
      EXPECT_TRUE(same_bytes(times.values(), std::vector<std::uint32_t>(n, 1))) << where;
    });
  }
}

/// The values that a step takes with it: `Words` words that follow from k.
template <std::size_t Words>
struct taken_words {
  std::uint32_t words[Words];
};
/// Both results of each step, how often it was made, with the wrong things or not, and the end.
template <class T, std::size_t Words>
struct put_step {
  T* before;
  T* upto;
  T* total;
  std::uint32_t* times;  ///< of each step; then of the end, and of what was wrong

  std::size_t n;

  TALLY_HD taken_words<Words> take(std::size_t k) const
  {
    taken_words<Words> all;
    for (std::size_t w = 0; w < Words; ++w) all.words[w] = static_cast<std::uint32_t>(scrambled(k) >> w);
    return all;
  }
  TALLY_HD void operator()(std::size_t k, T const& exclusive, T const& inclusive, taken_words<Words> const& taken) const
  {
    before[k] = exclusive;
    upto[k] = inclusive;
    detail::add_atomically(times + k, std::uint32_t{1});
    for (std::size_t w = 0; w < Words; ++w)
      if (taken.words[w] != static_cast<std::uint32_t>(scrambled(k) >> w))
        detail::add_atomically(times + n + 1, std::uint32_t{1});
  }
  TALLY_HD void end(T const& all) const
  {
    *total = all;
    detail::add_atomically(times + n, std::uint32_t{1});
  }
};

/// Steps go through this kernel whatever their number is. The more they take, the shorter its tiles are, and the more
/// of these there are.
template <class T, class Stored, std::size_t Words, class Op>
void expect_steps(Op op)
{
  for (std::size_t const n : sizes) {
    if (n == 0) continue;
    auto const from = elements_from(element<Stored>{});
    expected_scans<T> const expected(n, element<Stored>{}, T{}, op);
    std::vector<std::uint32_t> expected_times(n + 1, 1);
    expected_times.push_back(0);
    in_each_situation(n, 4 * cuda::workspace::bytes_for<T>(n), [&](cuda const& on, std::string const& where) {
      device_array<T> const before(n), upto(n), total(1);
      device_array<std::uint32_t> const times(std::vector<std::uint32_t>(n + 2, 0));
      inclusive_scan<T>(
          on, from, from + static_cast<std::ptrdiff_t>(n),
          detail::steps_to(put_step<T, Words>{before.begin(), upto.begin(), total.begin(), times.begin(), n}), op);
      std::vector<T> const exclusive = before.values();
      EXPECT_TRUE(upto.values() == expected.inclusive) << where;
      // Of nothing before the first element nothing is said.
      EXPECT_TRUE(std::equal(exclusive.begin() + 1, exclusive.end(), expected.inclusive.begin())) << where;
      EXPECT_TRUE(total.values()[0] == expected.inclusive.back()) << where;
      EXPECT_TRUE(same_bytes(times.values(), expected_times)) << where;
    });
  }
}

TEST(cuda_striped_scan, hands_each_step_over)
{
  expect_steps<std::uint32_t, bool, 1>(plus{});
  expect_steps<pairs, pairs, 2>(numbered_segments{plus{}});
}
/// Steps that take more words than stay at hand until they are made.
TEST(cuda_striped_scan, hands_each_step_over_with_much_to_take)
{
  expect_steps<std::int32_t, std::int32_t, 25>(maximum{});
}

}  // namespace
}  // namespace tally::test
