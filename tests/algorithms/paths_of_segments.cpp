// Paths of reductions and scans by segments, and of histograms.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "../order/reference.hpp"
#include "../support/in_order.hpp"
#include "paths.hpp"
#include "tally/algorithms/by_flag.hpp"
#include "tally/algorithms/by_key.hpp"
#include "tally/algorithms/by_offset.hpp"
#include "tally/algorithms/histogram.hpp"
#include "tally/operators.hpp"

namespace tally::test {

namespace {

/// A matrix modulo 256: the product is associative, does not commute, and Tally knows neither of it.
struct matrix {
  std::array<std::uint8_t, 4> a;
  friend bool operator==(matrix const&, matrix const&) = default;
};
struct matrix_product {
  matrix operator()(matrix const& x, matrix const& y) const
  {
    auto const at = [&](int r, int c) {
      return static_cast<std::uint8_t>(x.a[static_cast<std::size_t>(2 * r)] * y.a[static_cast<std::size_t>(c)] +
                                       x.a[static_cast<std::size_t>(2 * r + 1)] * y.a[static_cast<std::size_t>(2 + c)]);
    };
    return {{at(0, 0), at(0, 1), at(1, 0), at(1, 1)}};
  }
};

template <class T>
std::vector<T> operands(std::size_t n)
{
  if constexpr (std::is_same_v<T, matrix>) {
    std::vector<matrix> all(n);
    for (std::size_t k = 0; k < n; ++k) {
      std::uint64_t const random = random_bits(11, k);
      // Of determinant 1, so that products stay apart from 0.
      auto const b = static_cast<std::uint8_t>(random), c = static_cast<std::uint8_t>(random >> 8);
      all[k] = random % 3 == 0 ? matrix{{1, b, 0, 1}} : matrix{{1, 0, c, 1}};
    }
    return all;
  } else {
    return random_values<T>(n, 12);
  }
}

/// The results of a single segment: by a loop, and for floating point by the text of docs/order.md.
template <class T, class Op>
struct single_segment {
  std::vector<T> inclusive, exclusive;
  T reduced, reduced_from_init;

  single_segment(std::vector<T> const& values, Op op, T init)
  {
    if constexpr (std::is_floating_point_v<T>) {
      auto const without = reference::scan<T>(values, op), with = reference::scan<T>(values, op, init);
      inclusive = without.inclusive;
      exclusive = with.exclusive;
      reduced = without.reduced.value_or(T());
      reduced_from_init = *with.reduced;
    } else {
      reduced_from_init = init;
      for (T const& each : values) {
        exclusive.push_back(reduced_from_init);
        reduced_from_init = static_cast<T>(op(reduced_from_init, each));
        inclusive.push_back(inclusive.empty() ? each : static_cast<T>(op(inclusive.back(), each)));
      }
      reduced = values.empty() ? T() : inclusive.back();
    }
  }
};

/// All calls on n values. Segments begin at `begins`, whose last element is n.
template <class T, class Op>
struct segment_calls {
  Op op;
  T init;
  std::vector<T> values;
  output<T> out{25'000};

  explicit segment_calls(Op by, T first) : op(by), init(first), values(operands<T>(25'000)) {}

  void run(std::vector<std::size_t> const& begins)
  {
    std::size_t const n = begins.back();
    std::vector<T> totals, inclusive, exclusive;
    std::vector<std::uint8_t> flags(n);
    std::vector<std::uint32_t> keys(n);
    for (std::size_t s = 0; s + 1 < begins.size(); ++s) {
      auto const at = values.begin() + static_cast<std::ptrdiff_t>(begins[s]);
      single_segment<T, Op> const own({at, values.begin() + static_cast<std::ptrdiff_t>(begins[s + 1])}, op, init);
      totals.push_back(own.reduced);
      inclusive.insert(inclusive.end(), own.inclusive.begin(), own.inclusive.end());
      exclusive.insert(exclusive.end(), own.exclusive.begin(), own.exclusive.end());
      flags[begins[s]] = 1;
      for (std::size_t k = begins[s]; k < begins[s + 1]; ++k) keys[k] = static_cast<std::uint32_t>(s * 7 % 5);
    }
    T const* const in = values.data();
    std::size_t const phase = n % 16;
    on_one_and_three([&](cpu on) {
      T* to = out.poisoned(totals.size(), phase);
      ASSERT_EQ(tally::reduce_by_flag(on, in, in + n, flags.begin(), to, op), totals.size());
      ASSERT_TRUE(out.is(totals)) << n << " in " << totals.size() << " on " << on.threads;
      to = out.poisoned(n, phase);
      tally::inclusive_scan_by_flag(on, in, in + n, flags.begin(), to, op);
      ASSERT_TRUE(out.is(inclusive)) << n << " in " << totals.size() << " on " << on.threads;
      to = out.poisoned(n, phase + 1);
      tally::exclusive_scan_by_flag(on, in, in + n, flags.begin(), to, init, op);
      ASSERT_TRUE(out.is(exclusive)) << n << " in " << totals.size() << " on " << on.threads;
      // In place, by keys.
      to = out.poisoned(n, phase + 2);
      std::copy(in, in + n, to);
      tally::inclusive_scan_by_key(on, keys.begin(), keys.end(), to, to, op);
      ASSERT_TRUE(out.is(inclusive)) << n << " in " << totals.size() << " on " << on.threads;
      std::vector<std::uint32_t> firsts(totals.size());
      to = out.poisoned(totals.size(), phase);
      ASSERT_EQ(tally::reduce_by_key(on, keys.begin(), keys.end(), in, firsts.begin(), to, op), totals.size());
      ASSERT_TRUE(out.is(totals)) << n << " in " << totals.size() << " on " << on.threads;
      for (std::size_t s = 0; s < firsts.size(); ++s) ASSERT_EQ(firsts[s], s * 7 % 5);
    });
  }

  /// The same by offset: some segments are empty, and the values before the first offset belong to none.
  void run_between(std::vector<std::size_t> const& offsets)
  {
    std::vector<T> totals, inclusive(offsets.back()), exclusive(offsets.back());
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      auto const at = values.begin() + static_cast<std::ptrdiff_t>(offsets[s]);
      single_segment<T, Op> const own({at, values.begin() + static_cast<std::ptrdiff_t>(offsets[s + 1])}, op, init);
      totals.push_back(own.reduced_from_init);
      std::copy(own.inclusive.begin(), own.inclusive.end(),
                inclusive.begin() + static_cast<std::ptrdiff_t>(offsets[s]));
      std::copy(own.exclusive.begin(), own.exclusive.end(),
                exclusive.begin() + static_cast<std::ptrdiff_t>(offsets[s]));
    }
    T const* const in = values.data();
    std::size_t const n = offsets.back(), phase = n % 16;
    on_one_and_three([&](cpu on) {
      T* to = out.poisoned(totals.size(), phase);
      tally::reduce_by_offset(on, in, offsets.begin(), offsets.end(), to, init, op);
      ASSERT_TRUE(out.is(totals)) << n << " in " << totals.size() << " on " << on.threads;
      to = out.poisoned(n, phase);
      std::copy(inclusive.begin(), inclusive.begin() + static_cast<std::ptrdiff_t>(offsets.front()), to);
      tally::inclusive_scan_by_offset(on, in, offsets.begin(), offsets.end(), to, op);
      ASSERT_TRUE(out.is(inclusive)) << n << " in " << totals.size() << " on " << on.threads;
      to = out.poisoned(n, phase);
      std::copy(exclusive.begin(), exclusive.begin() + static_cast<std::ptrdiff_t>(offsets.front()), to);
      tally::exclusive_scan_by_offset(on, in, offsets.begin(), offsets.end(), to, init, op);
      ASSERT_TRUE(out.is(exclusive)) << n << " in " << totals.size() << " on " << on.threads;
    });
  }
};

std::vector<std::size_t> begins_of(std::vector<std::uint8_t> const& heads)
{
  std::vector<std::size_t> begins;
  for (std::size_t k = 0; k < heads.size(); ++k)
    if (heads[k] != 0 || k == 0) begins.push_back(k);
  begins.push_back(heads.size());
  return begins;
}

template <class T, class Op>
void segments_all(Op op, T init)
{
  segment_calls<T, Op> calls(op, init);
  bool const brackets_show = std::is_floating_point_v<T>;
  // A segment of every length, alone and between others: on both sides of the longest that a loop combines.
  for (std::size_t const n : every_size(150)) {
    if (n > 0) calls.run({0, n});
    calls.run({0, 3, 3 + n + 1, 2 * n + 9});
    calls.run_between({n % 3, n % 3 + n, n % 3 + n, 2 * n + 4});
  }
  // The text of docs/order.md is slow: fewer divisions for it, and none with many segments.
  auto const divisions = [=](std::size_t n) {
    auto all = choices(n);
    return brackets_show ? std::vector<std::vector<std::uint8_t>>{all[0], all[2], all[7]} : all;
  };
  for (std::size_t const n : every_size(140)) {
    if (n == 0) continue;
    for (auto const& heads : divisions(n)) calls.run(begins_of(heads));
  }
  if (std::is_same_v<T, float>) return;
  // Sizes around blocks, and segments that continue through several: long ones are deferred.
  for (std::size_t const n : every_size(0, {4096, 8192, 20'480}, brackets_show ? 1 : 3)) {
    if (n == 0) continue;
    for (auto const& heads : divisions(n)) calls.run(begins_of(heads));
    for (std::size_t const at : {std::size_t{1}, std::size_t{4095}, std::size_t{4096}, std::size_t{8191}, n - 1}) {
      if (at >= n) continue;
      calls.run({0, at, n});
      calls.run_between({0, at, at, n});
      calls.run_between({at, at, n, n, n});
    }
    // The least length of a long segment between offsets, one less and one more.
    for (std::size_t const length : {4095, 4096, 4097})
      if (length + 2 < n) calls.run_between({2, 2 + length, n});
  }
}

/// The order by one thread, as a thread of a GPU follows it.
template <class T>
void in_order_all()
{
  std::vector<std::size_t> sizes =
      every_size(3 * order::row<T> + 2, {order::strip<T>, order::tile<T>, 2 * order::tile<T>}, 3);
  sizes.push_back(order::span<T> + order::tile<T> + 5);
  std::vector<T> const values = random_values<T>(sizes.back(), 13);
  for (std::size_t const n : sizes)
    for (bool const from_init : {false, true}) {
      std::optional<T> const init = from_init ? std::optional<T>(T(0.75)) : std::nullopt;
      auto const expected =
          reference::scan<T>({values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n)}, plus{}, init);
      std::vector<T> own(n);
      plus op;
      scan_in_order<T>([&](std::size_t k) { return values[k]; }, n,
                       init ? detail::optional_value<T>{*init, true} : detail::optional_value<T>{}, op,
                       [&](std::size_t k, auto const& result) { own[k] = static_cast<T>(result); });
      ASSERT_TRUE(own == expected.inclusive) << n;
    }
}

/// Values in quarters, so that bins of whole numbers are known without rounding; some outside, some no numbers.
template <class T>
std::vector<T> samples(std::size_t n, int bins)
{
  std::vector<T> all(n);
  for (std::size_t k = 0; k < n; ++k) {
    std::uint64_t const random = random_bits(14, k);
    // Chunks without a value outside, and others.
    bool const may_be_outside = k / 64 % 3 == 0;
    auto const in = static_cast<double>(random % static_cast<std::uint64_t>(4 * bins + 1)) / 4;
    double value =
        may_be_outside && random % 11 == 0 ? static_cast<double>(random % 40) - 20 + (random % 2 ? bins : 0) : in;
    if constexpr (std::is_floating_point_v<T>) {
      if (may_be_outside && random % 29 == 0) value = std::numeric_limits<double>::quiet_NaN();
    } else {
      double const least = static_cast<double>(std::numeric_limits<T>::min());
      double const most = std::min(static_cast<double>(std::numeric_limits<T>::max()), 1e9);
      value = std::clamp(std::floor(value), least, most);
    }
    all[k] = static_cast<T>(value);
  }
  return all;
}

/// Bins of width 1 from 0 on: the slot by comparison and rounding down.
template <class T>
std::size_t slot_of(T x, std::size_t bins)
{
  auto const value = static_cast<long double>(x);
  if (value != value) return bins + 2;
  if (value < 0) return bins;
  if (value > static_cast<long double>(bins)) return bins + 1;
  auto const k = static_cast<std::size_t>(value);
  return k == bins ? bins - 1 : k;
}

/// The same bins as a function of the caller's.
struct own_function {
  std::size_t bins;
  std::size_t slots() const { return bins + 3; }
  template <class T>
  std::size_t operator()(T const& x) const
  {
    return slot_of(x, bins);
  }
};

template <class T, class Bins>
void histogram_one(std::vector<T> const& all, std::size_t phase, std::size_t n, std::size_t count, Bins const& bins,
                   output<std::uint64_t>& out)
{
  T const* const values = all.data() + phase;
  std::vector<std::uint64_t> expected(count + 3);
  for (std::size_t k = 0; k < n; ++k) ++expected[slot_of(values[k], count)];
  on_one_and_three([&](cpu on) {
    std::uint64_t* const to = out.poisoned(count + 3, n % 8);
    tally::histogram(on, values, values + n, bins, to);
    ASSERT_TRUE(out.is(expected)) << n << " of " << sizeof(T) << " bytes in " << count << " bins on " << on.threads;
  });
}

template <class T>
void histogram_all()
{
  std::vector<T> const values = samples<T>(50'000, 100);
  output<std::uint64_t> out(2000);
  for (std::size_t const n : every_size(200))
    histogram_one(values, n % (64 / sizeof(T)), n, 100, even_bins(0, 100, 100), out);
  for (std::size_t phase = 0; phase < 64 / sizeof(T); ++phase)
    histogram_one(values, phase, 130, 100, even_bins(0, 100, 100), out);
  // Around parts, and how far ahead chunks are fetched.
  for (std::size_t const n : every_size(0, {8192 / sizeof(T), 16'384, 32'768}, 2))
    histogram_one(values, 1, n, 100, even_bins(0, 100, 100), out);
  // Around as many slots as leave room for four counters each, for three, two, one.
  for (std::size_t const slots : {511, 512, 513, 682, 683, 1024, 1025})
    for (std::size_t const n : {63, 64, 65, 700})
      histogram_one(values, 2, n, slots - 3, even_bins(0, static_cast<double>(slots - 3), slots - 3), out);
}

void histograms_of_other_bins()
{
  std::vector<double> const values = samples<double>(60'000, 50);
  output<std::uint64_t> out(4000);
  std::vector<double> edges(51);
  for (std::size_t k = 0; k < edges.size(); ++k) edges[k] = static_cast<double>(k);
  for (std::size_t const n : every_size(200, {16'384}, 2)) {
    histogram_one(values, n % 8, n, 50, edge_bins(edges.data(), edges.size()), out);
    histogram_one(values, n % 8, n, 50, own_function{50}, out);
  }
  for (std::size_t bins = 1; bins < 40; ++bins)
    histogram_one(values, 0, 500, bins, edge_bins(edges.data(), bins + 1), out);
  for (std::size_t const slots : {512, 513, 1024, 1025})
    for (std::size_t const n : {63, 64, 65, 700}) histogram_one(values, 2, n, slots - 3, own_function{slots - 3}, out);
  // Parts of eight values a slot, and so many values that parts are a sixty-fourth of them.
  for (std::size_t const n : {23'999, 24'000, 24'001, 48'000, 48'001})
    histogram_one(values, 0, n, 2997, own_function{2997}, out);
  std::vector<std::uint8_t> const many = samples<std::uint8_t>(std::size_t{64} * 16'384 + 70, 200);
  for (std::size_t const more : {0, 1, 63, 65})
    histogram_one(many, 3, std::size_t{64} * 16'384 + more, 200, even_bins(0, 200, 200), out);
}

/// Weights of floating point in the order of the contract: within a part, then part by part.
void histograms_by_weight()
{
  std::vector<double> const values = samples<double>(40'000, 20), weights = random_values<double>(40'000, 15);
  std::vector<std::uint32_t> const wholes = random_values<std::uint32_t>(40'000, 16);
  output<double> out(40);
  output<std::uint32_t> out_of_wholes(40);
  for (std::size_t const n : every_size(70, {16'384, 32'768}, 2)) {
    std::vector<double> expected;
    std::vector<std::uint32_t> of_wholes(23);
    for (std::size_t begin = 0; begin < n || begin == 0; begin += 16'384) {
      std::vector<double> part(23, -0.0);
      for (std::size_t k = begin; k < std::min(n, begin + 16'384); ++k) {
        part[slot_of(values[k], 20)] += weights[k];
        of_wholes[slot_of(values[k], 20)] += wholes[k];
      }
      if (begin == 0)
        expected = n == 0 ? std::vector<double>(23) : part;
      else
        for (std::size_t s = 0; s < part.size(); ++s) expected[s] += part[s];
    }
    auto const last = values.begin() + static_cast<std::ptrdiff_t>(n);
    on_one_and_three([&](cpu on) {
      double* const to = out.poisoned(23);
      tally::weighted_histogram(on, values.begin(), last, weights.begin(), even_bins(0, 20, 20), to);
      ASSERT_TRUE(out.is(expected)) << n;
      std::uint32_t* const to_wholes = out_of_wholes.poisoned(23);
      tally::weighted_histogram(on, values.begin(), last, wholes.begin(), own_function{20}, to_wholes);
      ASSERT_TRUE(out_of_wholes.is(of_wholes)) << n;
    });
  }
}

/// The device histogram, run by teams of one thread and by atomic additions.
void histograms_by_teams()
{
  std::vector<std::uint32_t> const values = random_values<std::uint32_t>(20'000, 17);
  struct remainder_bins {
    std::size_t count;
    std::size_t slots() const { return count; }
    std::size_t operator()(std::uint32_t x) const { return x % count; }
  };
  auto const one = [&](std::size_t n, std::size_t slots, auto const& by) {
    std::vector<std::uint32_t> expected(slots);
    for (std::size_t k = 0; k < n; ++k) ++expected[values[k] % slots];
    std::vector<std::uint32_t> own(slots + 1, 0xA5A5A5A5);
    std::vector<std::uint64_t> wide(slots + 1, 0xA5A5A5A5);
    by(remainder_bins{slots}, own.data());
    by(remainder_bins{slots}, wide.data());
    EXPECT_EQ(own.back(), 0xA5A5A5A5);
    EXPECT_EQ(wide.back(), 0xA5A5A5A5);
    own.pop_back();
    EXPECT_EQ(own, expected) << n << " in " << slots;
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), wide.begin())) << n << " in " << slots;
  };
  for (std::size_t const n : every_size(40, {8192, 16'384}, 1))
    for (std::size_t const slots :
         {std::size_t{1}, std::size_t{255}, std::size_t{256}, std::size_t{257}, std::size_t{1024}, std::size_t{1025},
          std::size_t{12'000}, std::size_t{12'001}, std::size_t{65'537}}) {
      if (slots > 1024 && n % 8 != 0) continue;
      one(n, slots, [&](auto bins, auto* to) {
        detail::histogram::sum_in_any_order<std::uint32_t>(cpu{3}, values.data(), n, detail::histogram::ones{}, bins,
                                                           to);
      });
    }
  for (std::size_t const slots : {std::size_t{1}, std::size_t{255}, std::size_t{257}})
    one(20'000, slots, [&](auto bins, auto* to) {
      detail::histogram::sum_by_atomics<std::uint32_t>(cpu{3}, values.data(), 20'000, detail::histogram::ones{}, bins,
                                                       to);
    });
  // More values than the blocks of the least size hold.
  std::size_t const n = 512 * 8192 + 3;
  std::vector<std::uint8_t> const many = random_values<std::uint8_t>(n, 18);
  std::vector<std::uint32_t> expected(256), own(256);
  for (std::uint8_t const each : many) ++expected[each];
  struct byte_bins {
    std::size_t slots() const { return 256; }
    std::size_t operator()(std::uint8_t x) const { return x; }
  };
  detail::histogram::sum_in_any_order<std::uint32_t>(cpu{3}, many.data(), n, detail::histogram::ones{}, byte_bins{},
                                                     own.data());
  EXPECT_EQ(own, expected);
}

/// Even bins as a GPU finds them: by floats where these hold the numbers, and tell most bins.
void even_bins_for_a_device()
{
  using namespace detail::histogram;
  std::vector<float> values;
  for (std::size_t k = 0; k < 20'000; ++k)
    values.push_back(static_cast<float>(static_cast<double>(random_bits(7, k) >> 11) * 0x1p-52 - 0.5));
  for (double const lower : {0.0, 1 - 0x1p-20}) {
    even_bins const bins(lower, 1, 200);
    std::vector<std::uint32_t> counts(bins.slots(), 77), expected(bins.slots());
    for (float const x : values) ++expected[static_cast<std::size_t>(bins(x))];
    with_bins_for_device<float>(bins, [&]<class Bins>(Bins const& own) {
      static_assert(std::is_same_v<Bins, float_bins>);
      EXPECT_EQ(own.are_sure(), lower == 0);
      sum_in_any_order<std::uint32_t>(cpu{2}, values.data(), values.size(), ones{}, own, counts.data());
    });
    EXPECT_EQ(counts, expected) << "from " << lower;
  }
  with_bins_for_device<double>(even_bins(0, 1, 2),
                               []<class Bins>(Bins const&) { static_assert(std::is_same_v<Bins, even_bins>); });
}

}  // namespace

TEST(paths_of_applications, segments)
{
  segments_all<std::uint32_t>(plus{}, 5u);
  segments_all<matrix>(matrix_product{}, matrix{{1, 3, 0, 1}});
  segments_all<double>(plus{}, 0.375);
  segments_all<float>(plus{}, 0.375f);
  in_order_all<double>();
  in_order_all<float>();
}

TEST(paths_of_applications, histograms)
{
  histogram_all<float>();
  histogram_all<double>();
  histogram_all<std::int8_t>();
  histogram_all<std::int16_t>();
  histogram_all<std::int32_t>();
  histogram_all<std::int64_t>();
  histogram_all<std::uint8_t>();
  histogram_all<std::uint16_t>();
  histogram_all<std::uint32_t>();
  histogram_all<std::uint64_t>();
  histograms_of_other_bins();
  histograms_by_weight();
  histograms_by_teams();
  even_bins_for_a_device();
}

}  // namespace tally::test
