// reduce, the scans, running and batches with exact_plus: each result is that of an accumulator of its own terms.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include "../support/bits.hpp"
#include "../support/generator.hpp"
#include "../support/sizes.hpp"
#include "../support/tuning.hpp"
#include "tally/tally.hpp"
#include "terms.hpp"

namespace {

using tally::along;
using tally::array_view;
using tally::exact_accumulator;
using tally::exact_plus;
using tally::test::kinds_of_terms;
using tally::test::same;
using tally::test::terms;
using tally::test::terms_of;

template <class T>
class exact_calls : public testing::Test {};
using all_types = testing::Types<float, double, tally::half, tally::bfloat16>;
TYPED_TEST_SUITE(exact_calls, all_types);

template <class T>
T sum_of(std::vector<T> const& x, std::size_t begin, std::size_t end, std::size_t step = 1)
{
  exact_accumulator<T> sum;
  for (std::size_t k = begin; k < end; k += step) sum.add(x[k]);
  return sum.round();
}

template <class T>
void expect_same(std::vector<T> const& got, std::vector<T> const& expected, std::string const& what)
{
  ASSERT_EQ(got.size(), expected.size()) << what;
  for (std::size_t k = 0; k < got.size(); ++k)
    ASSERT_TRUE(same(got[k], expected[k])) << what << ": " << k << " is " << tally::test::shown(got[k]) << ", expected "
                                           << tally::test::shown(expected[k]);
}

/// Sizes around the blocks of a scan, and from which threads share.
constexpr std::size_t sizes[] = {0, 1, 2, 3, 511, 512, 513, 1025, 3000, 40'000};

TYPED_TEST(exact_calls, of_one_sequence)
{
  using T = TypeParam;
  tally::test::tuned const changed([](tally::cpu_backend::tuning& all) {
    all.serial_bytes = 0;
    all.bytes_a_thread = 1;
  });
  for (std::size_t const n : sizes) {
    for (int kind = 0; kind < kinds_of_terms; ++kind) {
      if (n > 10'000 && kind % 3 != 0) continue;
      auto const x = terms<T>(terms_of(kind), n, n + static_cast<std::size_t>(kind));
      T const init = static_cast<T>(0.25);
      exact_accumulator<T> all, on_init(init);
      std::vector<T> inclusive, on_top, exclusive;
      for (T const& each : x) {
        exclusive.push_back(on_init.round());
        all.add(each);
        on_init.add(each);
        inclusive.push_back(all.round());
        on_top.push_back(on_init.round());
      }
      std::string const what = std::to_string(n) + " of kind " + std::to_string(kind);
      for (int const threads : {1, 3}) {
        tally::cpu const on{threads};
        EXPECT_TRUE(same(tally::reduce(on, x, exact_plus{}), n == 0 ? static_cast<T>(0.0) : all.round())) << what;
        EXPECT_TRUE(same(tally::reduce(on, x, init, exact_plus{}), on_init.round())) << what;
        std::vector<T> out(n, static_cast<T>(7.0));
        tally::inclusive_scan(on, x, out, exact_plus{});
        expect_same(out, inclusive, what);
        tally::inclusive_scan(on, x, out, exact_plus{}, init);
        expect_same(out, on_top, what);
        out = x;
        tally::exclusive_scan(on, out, out, init, exact_plus{});
        expect_same(out, exclusive, what + " in place");
        std::list<T> const list(x.begin(), x.end());
        std::vector<T> from_list(n);
        tally::inclusive_scan(on, list.begin(), list.end(), from_list.begin(), exact_plus{});
        expect_same(from_list, inclusive, what + " of a list");
      }
      tally::running<T, exact_plus> sums, total;
      std::vector<T> out(n);
      for (std::size_t at = 0, piece = 1; at < n; at += piece, piece = piece * 7 % 701 + 1) {
        std::size_t const size = std::min(piece, n - at);
        sums.inclusive_scan(x.data() + at, out.data() + at, size);
        total.reduce(x.data() + at, size);
      }
      expect_same(out, inclusive, what + " in pieces");
      ASSERT_EQ(total.value().has_value(), n > 0);
      EXPECT_TRUE(n == 0 || same(*total.value(), all.round())) << what;
    }
  }
}

TYPED_TEST(exact_calls, of_batches)
{
  using T = TypeParam;
  for (std::size_t const rows : {1u, 3u, 40u}) {
    for (std::size_t const columns : {1u, 5u, 130u, 700u}) {
      for (int kind = 0; kind < kinds_of_terms; ++kind) {
        std::size_t const n = rows * columns;
        auto const x = terms<T>(terms_of(kind), n, n + static_cast<std::size_t>(kind));
        array_view<T const> const matrix(x.data(), {rows, columns});
        std::string const what =
            std::to_string(rows) + " x " + std::to_string(columns) + " of kind " + std::to_string(kind);
        for (int const axis : {0, 1}) {
          std::size_t const sequences = axis == 0 ? columns : rows, size = axis == 0 ? rows : columns;
          std::size_t const step = axis == 0 ? columns : 1, apart = axis == 0 ? 1 : columns;
          std::vector<T> sums(sequences), expected, out(n), results(n);
          for (std::size_t s = 0; s < sequences; ++s) {
            expected.push_back(sum_of(x, s * apart, s * apart + (size - 1) * step + 1, step));
            exact_accumulator<T> sum;
            for (std::size_t k = 0; k < size; ++k) {
              sum.add(x[s * apart + k * step]);
              results[s * apart + k * step] = sum.round();
            }
          }
          tally::reduce(tally::cpu{2}, along(axis, matrix), sums, exact_plus{});
          expect_same(sums, expected, what);
          tally::inclusive_scan(tally::cpu{2}, along(axis, matrix),
                                along(axis, array_view<T>(out.data(), {rows, columns})), exact_plus{});
          expect_same(out, results, what + " scanned");
        }
        std::vector<std::size_t> offsets{0};
        while (offsets.back() < n)
          offsets.push_back(std::min(n, offsets.back() + tally::test::random_bits(n, offsets.size()) % 90));
        std::vector<T> sums(offsets.size() - 1), expected;
        for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
          expected.push_back(offsets[s] == offsets[s + 1] ? static_cast<T>(0.0)
                                                          : sum_of(x, offsets[s], offsets[s + 1]));
        tally::reduce(tally::segments(x, offsets), sums, exact_plus{});
        expect_same(sums, expected, what + " by offset");
      }
    }
  }
}

/// Sums that a pair of doubles does not tell: the test of a result fails, or its bound decides.
TEST(exact_scans, round_from_the_whole_sum_where_a_pair_does_not_tell)
{
  std::vector<double> x;
  for (int k = 0; k < 600; ++k) {
    x.push_back(std::ldexp(1.0, k % 50));
    x.push_back(std::ldexp(1.0, k % 50 - 53));    // a tie
    x.push_back(std::ldexp(k % 3 - 1.0, -1000));  // that a term far below decides
    x.push_back(-x[x.size() - 3]);
  }
  std::vector<double> got(x.size()), expected;
  tally::inclusive_scan(x, got, exact_plus{});
  exact_accumulator<double> sum;
  for (double const each : x) {
    sum.add(each);
    expected.push_back(sum.round());
  }
  expect_same(got, expected, "ties");
}

}  // namespace
