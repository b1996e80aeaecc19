// Exact sums on a GPU: of arrays, along axes, of segments, by key. Each is that of an accumulator of its terms, which
// tests/exact compares with whole numbers of any size.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <ranges>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../exact/terms.hpp"
#include "../support/bits.hpp"
#include "../support/generator.hpp"
#include "device_array.hpp"
#include "tally/cuda.hpp"
#include "tally/tally.hpp"

namespace tally::test {
namespace {

/// A tuning in use, changed as long as this lives.
template <class Tuning>
class tuned {
public:
  template <class F>
  tuned(Tuning& in_use, F change) : in_use_(in_use),
                                    before_(in_use)
  {
    change(in_use);
  }
  ~tuned() { in_use_ = before_; }
  tuned(tuned const&) = delete;

private:
  Tuning& in_use_;
  Tuning before_;
};

template <class T>
T sum_of(std::vector<T> const& x, std::size_t begin, std::size_t end, std::size_t step = 1)
{
  exact_accumulator<T> sum;
  for (std::size_t k = begin; k < end; k += step) sum.add(x[k]);
  return begin < end ? sum.round() : static_cast<T>(0.0);
}

/// The scan of x[begin + k * step] for k below n, to the same places of `to`. Returns the last sum.
template <class T>
T scan_of(std::vector<T> const& x, std::size_t begin, std::size_t n, std::size_t step, T const* init, bool exclusive,
          std::vector<T>& to, bool backwards = false)
{
  exact_accumulator<T> sum;
  if (init != nullptr) sum.add(*init);
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t const k = begin + (backwards ? n - 1 - i : i) * step;
    if (exclusive) to[k] = sum.round();
    sum.add(x[k]);
    if (!exclusive) to[k] = sum.round();
  }
  return n == 0 && init == nullptr ? static_cast<T>(0.0) : sum.round();
}

template <class T>
void expect_same(std::vector<T> const& got, std::vector<T> const& expected, std::string const& what)
{
  ASSERT_EQ(got.size(), expected.size()) << what;
  for (std::size_t k = 0; k < got.size(); ++k)
    ASSERT_TRUE(same(got[k], expected[k]))
        << what << ": " << k << " is " << shown(got[k]) << ", expected " << shown(expected[k]);
}

template <class T>
class cuda_exact : public testing::Test {
protected:
  stream on_;
  cuda::workspace space_;
  cuda gpu() { return {on_, space_}; }
};
using all_types = testing::Types<float, double, half, bfloat16>;
TYPED_TEST_SUITE(cuda_exact, all_types);

template <class T>
struct twice_less_one {
  __host__ __device__ T operator()(T x) const { return static_cast<T>(2.0 * static_cast<double>(x) - 1.0); }
};

TYPED_TEST(cuda_exact, of_an_array)
{
  using T = TypeParam;
  // A block's piece has 4096 elements, or 2048 doubles.
  for (std::size_t const n : {1u,    2u,    3u,    7u,    8u,    9u,    31u,     255u,    257u,     2047u,
                              2048u, 2049u, 4095u, 4096u, 4097u, 4105u, 12'288u, 20'000u, 300'001u, 1'048'576u}) {
    for (int kind = 0; kind < kinds_of_terms; ++kind) {
      if (n > 20'000 && kind % 3 != 0) continue;
      auto const x = terms<T>(terms_of(kind), n, n + static_cast<std::size_t>(kind));
      device_array<T> const in(x), out(1);
      T const init = static_cast<T>(-0.75);
      for (std::size_t const skip : {0, 1, 3}) {
        if (skip >= n) continue;
        T const all = sum_of(x, skip, n);
        exact_accumulator<T> on_init(init);
        for (std::size_t k = skip; k < n; ++k) on_init.add(x[k]);
        for (int const blocks : {0, 1, 3}) {
          std::string const what = std::to_string(n) + " of kind " + std::to_string(kind) + " from " +
                                   std::to_string(skip) + ", " + std::to_string(blocks) + " blocks";
          this->space_.prefer(cuda::workspace::path::automatic, blocks);
          EXPECT_TRUE(same(reduce(this->gpu(), std::ranges::subrange(in.begin() + skip, in.end()), exact_plus{}), all))
              << what;
          reduce_into(this->gpu(), in.begin() + skip, in.end(), out.begin(), init, exact_plus{});
          EXPECT_TRUE(same(out.values()[0], on_init.round())) << what;
        }
      }
    }
  }
}

TYPED_TEST(cuda_exact, scans_of_an_array)
{
  using T = TypeParam;
  // By pairs; or with a warp's chunk of 256 elements, and pieces of a long scan of 4096, or 300.
  for (int const way : {0, 1, 2}) {
    bool const small_pieces = way == 2;
    tuned const by_pairs(cuda_backend::exact::pairs_tuning_in_use(), [&](auto& all) { all.scans = way == 0; });
    tuned const changed(cuda_backend::tuning_in_use(), [&](auto& all) {
      if (!small_pieces) return;
      all.exact_terms_alone = 3;
      all.exact_piece_of_scans = 300;
    });
    for (std::size_t const n :
         {1u, 2u, 7u, 8u, 9u, 31u, 32u, 33u, 255u, 256u, 257u, 300u, 301u, 600u, 4095u, 4096u, 4097u, 8200u, 77'000u}) {
      for (int kind = 0; kind < kinds_of_terms; ++kind) {
        auto const x = terms<T>(terms_of(kind), n, n + static_cast<std::size_t>(kind));
        T const init = static_cast<T>(-0.75);
        std::vector<T> inclusive(n), on_init(n), exclusive(n);
        scan_of(x, 0, n, 1, static_cast<T const*>(nullptr), false, inclusive);
        scan_of(x, 0, n, 1, &init, false, on_init);
        scan_of(x, 0, n, 1, &init, true, exclusive);
        std::string const what =
            std::to_string(n) + " of kind " + std::to_string(kind) + ", way " + std::to_string(way);
        device_array<T> const in(x), out(n);
        inclusive_scan(this->gpu(), in, out.begin(), exact_plus{});
        expect_same(out.values(), inclusive, what);
        inclusive_scan(this->gpu(), in, out.begin(), exact_plus{}, init);
        expect_same(out.values(), on_init, what + " on an initial value");
        exclusive_scan(this->gpu(), in, out.begin(), init, exact_plus{});
        expect_same(out.values(), exclusive, what + " exclusive");
        exclusive_scan(this->gpu(), in, in.begin(), init, exact_plus{});
        expect_same(in.values(), exclusive, what + " exclusive, in place");
      }
    }
    // Sums that grow beyond the terms by more than a double has bits, and cancel.
    std::size_t const n = 20'000;
    std::vector<T> x(n), expected(n);
    for (std::size_t k = 0; k < n; ++k)
      x[k] = number_at<T>(random_bits(5, k), static_cast<int>(k / 700) * (k % 1400 < 700 ? 2 : -2) % 12);
    for (std::size_t k = 0; k < 3000; ++k) x[n - 1 - k] = static_cast<T>(-static_cast<double>(x[k]));
    scan_of(x, 0, n, 1, static_cast<T const*>(nullptr), false, expected);
    device_array<T> const in(x), out(n);
    inclusive_scan(this->gpu(), in, out.begin(), exact_plus{});
    expect_same(out.values(), expected, "growing and cancelling");
  }
}

TYPED_TEST(cuda_exact, of_other_iterators_and_counts)
{
  using T = TypeParam;
  for (std::size_t const n : {0u, 1u, 300u, 4097u, 70'000u}) {
    auto const x = terms<T>(terms_of::one_size, n + 1, n);
    device_array<T> const in(x), out(1);
    device_array<std::uint64_t> const count(std::vector<std::uint64_t>{n});
    exact_accumulator<T> plain, changed;
    for (std::size_t k = 0; k < n; ++k) {
      plain.add(x[k]);
      changed.add(twice_less_one<T>{}(x[k]));
    }
    auto const end = in.begin() + n;
    T const init = static_cast<T>(0.5);
    plain.add(init);
    changed.add(init);
    EXPECT_TRUE(
        same(transform_reduce(this->gpu(), in.begin(), end, init, exact_plus{}, twice_less_one<T>{}), changed.round()))
        << n;
    EXPECT_TRUE(same(reduce(this->gpu(), std::make_reverse_iterator(end), std::make_reverse_iterator(in.begin()), init,
                            exact_plus{}),
                     plain.round()))
        << n;
    EXPECT_TRUE(
        same(reduce(this->gpu(), counted(in, count_at(count.begin(), n + 1)), init, exact_plus{}), plain.round()))
        << n;
    plain.subtract(init);
    T const without = reduce(this->gpu(), counted(in, count_at(count.begin(), n + 1)), exact_plus{});
    EXPECT_TRUE(same(without, n == 0 ? static_cast<T>(0.0) : plain.round())) << n;
  }
  {
    std::size_t const most = 9000, n = 5001;
    auto const x = terms<T>(terms_of::near_sizes, most, 4);
    std::vector<T> changed(x), expected(most, static_cast<T>(7.0)), all(most);
    for (T& each : changed) each = twice_less_one<T>{}(each);
    device_array<T> const in(x), out(expected);
    device_array<std::uint32_t> const count(std::vector<std::uint32_t>{static_cast<std::uint32_t>(n)});
    scan_of(x, 0, n, 1, static_cast<T const*>(nullptr), false, expected);
    inclusive_scan(this->gpu(), counted(in, count_at(count.begin(), most)), out.begin(), exact_plus{});
    expect_same(out.values(), expected, "counted");
    T const init = static_cast<T>(0.5);
    scan_of(changed, 0, most, 1, &init, true, all);
    transform_exclusive_scan(this->gpu(), in.begin(), in.end(), out.begin(), init, exact_plus{}, twice_less_one<T>{});
    expect_same(out.values(), all, "transformed");
    scan_of(x, 0, most, 1, static_cast<T const*>(nullptr), false, all, true);
    inclusive_scan(this->gpu(), std::make_reverse_iterator(in.end()), std::make_reverse_iterator(in.begin()),
                   std::make_reverse_iterator(out.end()), exact_plus{});
    expect_same(out.values(), all, "from the end");
  }
  // Elements of another type than the sum's.
  auto const x = terms<T>(terms_of::near_sizes, 5000, 1);
  device_array<T> const in(x);
  exact_accumulator<double> wide;
  for (T const each : x) wide.add(static_cast<double>(each));
  EXPECT_TRUE(same(reduce<double>(this->gpu(), in.begin(), in.end(), 0.0, exact_plus{}), wide.round()));
}

/// An array whose sums are taken along an axis: [planes][rows][columns], with gaps between rows.
struct shape {
  std::size_t planes, rows, columns, gap;
};

TYPED_TEST(cuda_exact, along_axes)
{
  using T = TypeParam;
  shape const shapes[] = {{1, 1, 1, 0},    {1, 3, 5, 0},     {2, 33, 32, 1},   {1, 70, 33, 0},  {3, 5, 700, 3},
                          {1, 1, 5000, 0}, {1, 2, 4097, 0},  {1, 2100, 3, 0},  {1, 900, 40, 2}, {40, 3, 9, 0},
                          {5, 64, 64, 0},  {1, 129, 257, 5}, {1, 4100, 33, 0}, {17, 1, 31, 0}};
  for (int const way : {0, 1, 2, 3}) {
    bool const small_pieces = way % 2 != 0, by_pairs = way / 2 != 0;
    tuned const columns(cuda_backend::exact::pairs_tuning_in_use(),
                        [&](auto& all) { all.least_in_columns = by_pairs ? 0 : ~std::size_t{0}; });
    tuned const changed(cuda_backend::tuning_in_use(), [&](auto& all) {
      if (!small_pieces) return;
      all.exact_terms_alone = 3;
      all.exact_piece = 130;
      all.exact_column_piece = 7;
      all.exact_piece_of_scans = 300;
      all.exact_columns_scanned = 40;
    });
    for (auto const& [planes, rows, columns, gap] : shapes) {
      for (int kind = 0; kind < kinds_of_terms; ++kind) {
        std::size_t const stride = columns + gap, n = planes * rows * stride;
        auto const x = terms<T>(terms_of(kind), n, n + static_cast<std::size_t>(kind));
        device_array<T> const in(x);
        auto const step = [](std::size_t s) { return static_cast<std::ptrdiff_t>(s); };
        array_view<T const> const array(in.begin(), {planes, rows, columns}, {step(rows * stride), step(stride), 1});
        std::size_t const extents[] = {planes, rows, columns}, strides[] = {rows * stride, stride, 1};
        for (int const axis : {0, 1, 2}) {
          int const outer = axis == 0 ? 1 : 0, inner = axis == 2 ? 1 : 2;
          std::size_t const sequences = extents[outer] * extents[inner];
          std::vector<T> plain, on_each, starts;
          for (std::size_t i = 0; i < extents[outer]; ++i) {
            for (std::size_t j = 0; j < extents[inner]; ++j) {
              std::size_t const begin = i * strides[outer] + j * strides[inner];
              exact_accumulator<T> sum;
              for (std::size_t k = 0; k < extents[axis]; ++k) sum.add(x[begin + k * strides[axis]]);
              plain.push_back(sum.round());
              starts.push_back(static_cast<T>(static_cast<double>(starts.size() % 7) - 3.0));
              sum.add(starts.back());
              on_each.push_back(sum.round());
            }
          }
          std::string const what = std::to_string(planes) + " x " + std::to_string(rows) + " x " +
                                   std::to_string(columns) + " along " + std::to_string(axis) + ", kind " +
                                   std::to_string(kind) + (small_pieces ? ", small pieces" : "") +
                                   (by_pairs ? ", columns by pairs" : "");
          device_array<T> const out(sequences), initial(starts);
          reduce(this->gpu(), along(axis, array), out.begin(), exact_plus{});
          expect_same(out.values(), plain, what);
          reduce(this->gpu(), along(axis, array), out.begin(), each(initial.begin()), exact_plus{});
          expect_same(out.values(), on_each, what + " on initial values");
          // The memory between rows stays as it was.
          std::vector<T> scanned(n, static_cast<T>(7.0)), lasts(sequences);
          device_array<T> const results(scanned), ends(sequences);
          array_view<T> const to(results.begin(), {planes, rows, columns}, {step(rows * stride), step(stride), 1});
          for (bool const exclusive : {false, true}) {
            for (std::size_t s = 0; s < sequences; ++s)
              lasts[s] = scan_of(x, s / extents[inner] * strides[outer] + s % extents[inner] * strides[inner],
                                 extents[axis], strides[axis], &starts[s], exclusive, scanned);
            if (exclusive)
              exclusive_scan(this->gpu(), along(axis, array), along(axis, to), each(initial.begin()), exact_plus{},
                             last_to(ends.begin()));
            else
              inclusive_scan(this->gpu(), along(axis, array), along(axis, to), exact_plus{}, each(initial.begin()),
                             last_to(ends.begin()));
            expect_same(results.values(), scanned, what + (exclusive ? ", exclusive scan" : ", scan"));
            expect_same(ends.values(), lasts, what + ", last sums");
          }
        }
      }
    }
  }
}

TYPED_TEST(cuda_exact, of_segments)
{
  using T = TypeParam;
  for (bool const small_pieces : {false, true}) {
    tuned const changed(cuda_backend::tuning_in_use(), [&](auto& all) {
      if (!small_pieces) return;
      all.exact_terms_alone = 3;
      all.exact_piece = 100;
      all.exact_piece_of_scans = 300;
    });
    for (std::size_t const most : {1u, 3u, 40u, 300u, 40'000u}) {
      std::vector<std::uint32_t> offsets{5};
      std::size_t const segments = most > 1000 ? 40 : 500;
      for (std::size_t s = 0; s < segments; ++s)
        offsets.push_back(offsets.back() + static_cast<std::uint32_t>(random_bits(most, s) % (most + 1)));
      for (int kind = 0; kind < kinds_of_terms; ++kind) {
        auto const x = terms<T>(terms_of(kind), offsets.back() + 9, most + static_cast<std::size_t>(kind));
        std::vector<T> expected, on_init;
        T const init = static_cast<T>(1.5);
        for (std::size_t s = 0; s < segments; ++s) {
          expected.push_back(sum_of(x, offsets[s], offsets[s + 1]));
          exact_accumulator<T> sum(init);
          for (std::size_t k = offsets[s]; k < offsets[s + 1]; ++k) sum.add(x[k]);
          on_init.push_back(sum.round());
        }
        std::string const what = "segments of up to " + std::to_string(most) + ", kind " + std::to_string(kind) +
                                 (small_pieces ? ", small pieces" : "");
        device_array<T> const in(x), out(segments);
        device_array<std::uint32_t> const between(offsets);
        reduce(this->gpu(), tally::segments(in, between), out.begin(), exact_plus{});
        expect_same(out.values(), expected, what);
        reduce(this->gpu(), tally::segments(in, between), out.begin(), init, exact_plus{});
        expect_same(out.values(), on_init, what + " on an initial value");
        reduce(this->gpu(), reversed(tally::segments(in, between)), out.begin(), exact_plus{});
        expect_same(out.values(), expected, what + " from the end");
        for (bool const backwards : {false, true}) {
          std::vector<T> scanned(x.size(), static_cast<T>(7.0)), lasts(segments);
          device_array<T> const results(scanned), ends(segments);
          for (std::size_t s = 0; s < segments; ++s)
            lasts[s] = scan_of(x, offsets[s], offsets[s + 1] - offsets[s], 1, static_cast<T const*>(nullptr), false,
                               scanned, backwards);
          if (backwards)
            inclusive_scan(this->gpu(), reversed(tally::segments(in, between)), results.begin(), exact_plus{},
                           last_to(ends.begin()));
          else
            inclusive_scan(this->gpu(), tally::segments(in, between), results.begin(), exact_plus{},
                           last_to(ends.begin()));
          expect_same(results.values(), scanned, what + ", scans");
          expect_same(ends.values(), lasts, what + ", last sums");
        }
      }
    }
  }
}

/// Terms whose sums two doubles hold, or nearly so: pairs tell all results, and no kernel behind has work.
template <class T>
bool has_near_terms(terms_of kind)
{
  return kind == terms_of::one_size || kind == terms_of::near_sizes || kind == terms_of::zeros ||
         kind == terms_of::minus_zeros || kind == terms_of::smallest;
}

TYPED_TEST(cuda_exact, scans_by_pairs_alone)
{
  using T = TypeParam;
  tuned const alone(cuda_backend::exact::pairs_tuning_in_use(), [](auto& all) { all.falls_back = false; });
  std::size_t differ = 0;
  // A thread has 16 terms, a warp 512, a tile 4096.
  for (std::size_t const n : {1u, 15u, 16u, 17u, 511u, 512u, 513u, 4095u, 4096u, 4097u, 70'000u, 300'000u}) {
    for (int kind = 0; kind < kinds_of_terms; ++kind) {
      auto const x = terms<T>(terms_of(kind), n, n + static_cast<std::size_t>(kind));
      std::vector<T> expected(n);
      scan_of(x, 0, n, 1, static_cast<T const*>(nullptr), false, expected);
      // With one block, or with three, each block finishes a tile while it adds up the next one.
      for (int const blocks : {0, 1, 3}) {
        this->space_.prefer(cuda::workspace::path::automatic, blocks);
        std::string const what =
            std::to_string(n) + " of kind " + std::to_string(kind) + ", " + std::to_string(blocks) + " blocks";
        device_array<T> const in(x), out(std::vector<T>(n, static_cast<T>(7.0)));
        inclusive_scan(this->gpu(), in, out.begin(), exact_plus{});
        if (has_near_terms<T>(terms_of(kind))) {
          expect_same(out.values(), expected, what);
          inclusive_scan(this->gpu(), in, in.begin(), exact_plus{});
          expect_same(in.values(), expected, what + ", in place");
        } else {
          auto const got = out.values();
          for (std::size_t k = 0; k < n; ++k) differ += same(got[k], expected[k]) ? 0 : 1;
          // In place nothing is written unless all results are known.
          inclusive_scan(this->gpu(), in, in.begin(), exact_plus{});
          auto const in_place = in.values();
          bool const is_kept = std::ranges::equal(in_place, x, same<T>);
          if (!is_kept) expect_same(in_place, expected, what + ", in place");
        }
      }
    }
  }
  // The kernels behind are needed: for infinities, at least.
  EXPECT_GT(differ, 0u);
}

TYPED_TEST(cuda_exact, of_rows_side_by_side)
{
  using T = TypeParam;
  for (bool const alone : {false, true}) {
    tuned const by_pairs(cuda_backend::exact::pairs_tuning_in_use(), [&](auto& all) {
      all.falls_back = !alone;
      all.most_terms = std::size_t{1} << 20;
    });
    for (std::size_t const length :
         {1u, 2u, 3u, 7u, 15u, 16u, 17u, 33u, 100u, 511u, 512u, 4095u, 4096u, 4097u, 9000u}) {
      std::size_t const rows = length > 4000 ? 3 : length == 100 ? 200 : 9001 / length, n = rows * length;
      for (int kind = 0; kind < kinds_of_terms; ++kind) {
        if (alone && !has_near_terms<T>(terms_of(kind))) continue;
        auto const x = terms<T>(terms_of(kind), n, n + static_cast<std::size_t>(kind));
        T const init = static_cast<T>(-0.75);
        std::vector<T> plain(n), on_init(n), exclusive(n), sums, sums_on_init;
        for (std::size_t r = 0; r < rows; ++r) {
          sums.push_back(scan_of(x, r * length, length, 1, static_cast<T const*>(nullptr), false, plain));
          sums_on_init.push_back(scan_of(x, r * length, length, 1, &init, false, on_init));
          scan_of(x, r * length, length, 1, &init, true, exclusive);
        }
        per_axis const extents{static_cast<std::ptrdiff_t>(rows), static_cast<std::ptrdiff_t>(length)};
        for (int const blocks : {0, 1, 3}) {
          this->space_.prefer(cuda::workspace::path::automatic, blocks);
          std::string const what = std::to_string(rows) + " rows of " + std::to_string(length) + ", kind " +
                                   std::to_string(kind) + (alone ? ", alone, " : ", ") + std::to_string(blocks) +
                                   " blocks";
          device_array<T> const in(x), out(std::vector<T>(n, static_cast<T>(7.0))), totals(rows);
          auto const from = along(1, array_view<T const>(in.begin(), extents));
          auto const to = along(1, array_view<T>(out.begin(), extents));
          reduce(this->gpu(), from, totals.begin(), exact_plus{});
          expect_same(totals.values(), sums, what + ", sums");
          reduce(this->gpu(), from, totals.begin(), init, exact_plus{});
          expect_same(totals.values(), sums_on_init, what + ", sums on an initial value");
          inclusive_scan(this->gpu(), from, to, exact_plus{});
          expect_same(out.values(), plain, what);
          inclusive_scan(this->gpu(), from, to, exact_plus{}, init);
          expect_same(out.values(), on_init, what + " on an initial value");
          exclusive_scan(this->gpu(), from, to, init, exact_plus{});
          expect_same(out.values(), exclusive, what + ", exclusive");
          exclusive_scan(this->gpu(), from, along(1, array_view<T>(in.begin(), extents)), init, exact_plus{});
          expect_same(in.values(), exclusive, what + ", exclusive, in place");
        }
      }
    }
  }
}

/// A pair does not tell the fifth sum of these floats, and the fourth one of these doubles, so no tile is written by
/// pairs. They tell all sums of the other types.
TYPED_TEST(cuda_exact, tiles_that_scans_in_place_leave_are_repaired)
{
  using T = TypeParam;
  tuned const alone(cuda_backend::exact::pairs_tuning_in_use(), [](auto& all) { all.falls_back = false; });
  double const tie = std::ldexp(1.0, -std::numeric_limits<T>::digits),
               small = sizeof(T) == 2   ? 0.0
                       : sizeof(T) == 4 ? 0x1p-60
                                        : 0x1p-120,
               smaller = small * (sizeof(T) == 4 ? small : 0x1p-80);
  double const eight[] = {1, tie, small, smaller, -small, -2, 5, 7};
  std::size_t const length = 8, rows = 3001, n = rows * length;
  std::vector<T> x(n), expected(n);
  for (std::size_t k = 0; k < n; ++k) x[k] = static_cast<T>(eight[k % length]);
  T const init = static_cast<T>(0.25);
  per_axis const extents{static_cast<std::ptrdiff_t>(rows), static_cast<std::ptrdiff_t>(length)};
  for (bool const is_exclusive : {false, true}) {
    for (std::size_t r = 0; r < rows; ++r)
      scan_of(x, r * length, length, 1, is_exclusive ? &init : nullptr, is_exclusive, expected);
    for (int const blocks : {0, 1}) {
      this->space_.prefer(cuda::workspace::path::automatic, blocks);
      device_array<T> const in(x);
      auto const from = along(1, array_view<T const>(in.begin(), extents));
      auto const to = along(1, array_view<T>(in.begin(), extents));
      if (is_exclusive)
        exclusive_scan(this->gpu(), from, to, init, exact_plus{});
      else
        inclusive_scan(this->gpu(), from, to, exact_plus{});
      expect_same(in.values(), expected, std::to_string(blocks) + (is_exclusive ? " blocks, exclusive" : " blocks"));
    }
  }
}

TYPED_TEST(cuda_exact, scans_of_segments_by_pairs)
{
  using T = TypeParam;
  for (bool const alone : {false, true}) {
    tuned const by_pairs(cuda_backend::exact::pairs_tuning_in_use(), [&](auto& all) {
      all.falls_back = !alone;
      all.most_terms = std::size_t{1} << 20;
    });
    // Lengths up to `most`; with 0 there are only empty segments, with 1 many of them.
    for (std::size_t const most : {0u, 1u, 3u, 40u, 300u, 20'000u}) {
      std::vector<std::uint32_t> offsets{5};
      std::size_t const segments = most > 1000 ? 9 : most < 2 ? 30'000 : 700;
      for (std::size_t s = 0; s < segments; ++s)
        offsets.push_back(offsets.back() + static_cast<std::uint32_t>(random_bits(most + 3, s) % (most + 1)));
      // Empty ones at the end.
      for (int k = 0; k < 300; ++k) offsets.push_back(offsets.back());
      std::size_t const count = offsets.size() - 1;
      for (int kind = 0; kind < kinds_of_terms; ++kind) {
        if (alone && !has_near_terms<T>(terms_of(kind))) continue;
        auto const x = terms<T>(terms_of(kind), offsets.back() + 9, most + static_cast<std::size_t>(kind));
        T const init = static_cast<T>(1.5);
        std::vector<T> plain(x.size(), static_cast<T>(7.0)), exclusive(plain), in_place(x), sums, sums_on_init;
        for (std::size_t s = 0; s < count; ++s) {
          std::size_t const begin = offsets[s], n = offsets[s + 1] - begin;
          sums.push_back(scan_of(x, begin, n, 1, static_cast<T const*>(nullptr), false, plain));
          sums_on_init.push_back(scan_of(x, begin, n, 1, &init, true, exclusive));
          scan_of(x, begin, n, 1, &init, false, in_place);
        }
        for (int const blocks : {0, 1, 3}) {
          this->space_.prefer(cuda::workspace::path::automatic, blocks);
          std::string const what = "segments of up to " + std::to_string(most) + ", kind " + std::to_string(kind) +
                                   (alone ? ", alone, " : ", ") + std::to_string(blocks) + " blocks";
          std::vector<T> const poison(x.size(), static_cast<T>(7.0));
          device_array<T> const in(x), out(poison), totals(count);
          device_array<std::uint32_t> const between(offsets);
          reduce(this->gpu(), tally::segments(in, between), totals.begin(), exact_plus{});
          expect_same(totals.values(), sums, what + ", sums");
          reduce(this->gpu(), tally::segments(in, between), totals.begin(), init, exact_plus{});
          expect_same(totals.values(), sums_on_init, what + ", sums on an initial value");
          inclusive_scan(this->gpu(), tally::segments(in, between), out.begin(), exact_plus{});
          expect_same(out.values(), plain, what);
          exclusive_scan(this->gpu(), tally::segments(in, between), out.begin(), init, exact_plus{});
          expect_same(out.values(), exclusive, what + ", exclusive");
          inclusive_scan(this->gpu(), tally::segments(in, between), in.begin(), exact_plus{}, init);
          expect_same(in.values(), in_place, what + ", in place");
        }
      }
    }
  }
}

TYPED_TEST(cuda_exact, in_graphs)
{
  using T = TypeParam;
  std::size_t const n = 100'000;
  auto const x = terms<T>(terms_of::near_sizes, n, 3);
  device_array<T> const in(x), out(2 + 100);
  static_cast<void>(reduce(this->gpu(), in, exact_plus{}));  // the workspace grows
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t runs = nullptr;
  check_cuda(cudaStreamBeginCapture(this->on_, cudaStreamCaptureModeThreadLocal));
  reduce_into(this->gpu(), in, out.begin(), static_cast<T>(0.0), exact_plus{});
  reduce(this->gpu(), along(1, array_view<T const>(in.begin(), {100, 1000})), out.begin() + 2, exact_plus{});
  check_cuda(cudaStreamEndCapture(this->on_, &graph));
  check_cuda(cudaGraphInstantiate(&runs, graph, 0));
  for (int round = 0; round < 3; ++round) {
    check_cuda(cudaMemsetAsync(out.begin(), 0xA5, out.size() * sizeof(T), this->on_));
    check_cuda(cudaGraphLaunch(runs, this->on_));
    auto const got = out.values();
    EXPECT_TRUE(same(got[0], sum_of(x, 0, n)));
    for (std::size_t s = 0; s < 100; ++s) EXPECT_TRUE(same(got[2 + s], sum_of(x, s * 1000, (s + 1) * 1000))) << s;
  }
  cudaGraphExecDestroy(runs);
  cudaGraphDestroy(graph);
}

/// Calls of other kinds share the workspace: neither's words look published to the other.
TYPED_TEST(cuda_exact, between_other_calls)
{
  using T = TypeParam;
  std::size_t const n = 60'000;
  auto const x = terms<T>(terms_of::near_sizes, n, 8);
  device_array<T> const in(x), out(n);
  T const all = sum_of(x, 0, n), ordinary = reduce(this->gpu(), in, plus{});
  for (int round = 0; round < 20; ++round) {
    EXPECT_TRUE(same(reduce(this->gpu(), in, exact_plus{}), all));
    inclusive_scan(this->gpu(), in, out.begin(), plus{});
    EXPECT_TRUE(same(reduce(this->gpu(), in, plus{}), ordinary));
    EXPECT_TRUE(same(out.values().back(), ordinary));
  }
}

/// A workspace of the caller's that has room for one block's sum, or none.
TYPED_TEST(cuda_exact, in_little_memory)
{
  using T = TypeParam;
  std::size_t const n = 200'000;
  auto const x = terms<T>(terms_of::near_sizes, n, 9);
  device_array<T> const in(x);
  for (std::size_t const room : {8u, 3000u}) {
    std::size_t const bytes = cuda::workspace::header_bytes + room;
    device_array<char> const memory(bytes);
    cuda::workspace small(memory.begin(), bytes);
    EXPECT_TRUE(same(reduce(cuda{this->on_, small}, in, exact_plus{}), sum_of(x, 0, n))) << room;
  }
}

}  // namespace
}  // namespace tally::test
