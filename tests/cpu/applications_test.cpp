// The number of times that a call applies an operator and a transformation, as the contracts state it under Cost.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tally/tally.hpp"

namespace {

/// A value of `Bytes` bytes.
template <std::size_t Bytes>
struct value {
  std::array<std::uint8_t, Bytes> bytes{};
};

/// Returns the first operand, and counts its calls.
struct counted {
  std::atomic<long>* calls;
  template <class T>
  T operator()(T const& a, T const&) const
  {
    calls->fetch_add(1, std::memory_order_relaxed);
    return a;
  }
};

template <std::size_t Bytes>
class Applications {
public:
  using element = value<Bytes>;
  static constexpr std::size_t tile = tally::order::tile<element>;

  explicit Applications(std::size_t n) : x_(n), out_(n) {}

  long reduce(int threads = 1)
  {
    calls_ = 0;
    (void)tally::reduce(tally::cpu{threads}, x_, element{}, counted{&calls_});
    return calls_;
  }
  long scan(int threads = 1)
  {
    calls_ = 0;
    tally::inclusive_scan(tally::cpu{threads}, x_, out_, counted{&calls_});
    return calls_;
  }

private:
  std::vector<element> x_, out_;
  std::atomic<long> calls_{0};
};

/// A reduction of n elements and an initial value takes n applications, and three more for the carry of each tile after
/// the first.
template <std::size_t Bytes>
void expect_n_in_reductions()
{
  constexpr std::size_t tile = Applications<Bytes>::tile;
  for (std::size_t n = 0; n <= 700; ++n)
    ASSERT_EQ(Applications<Bytes>(n).reduce(), static_cast<long>(n)) << "of " << Bytes << " bytes";
  for (std::size_t const n : {tile / 8 - 1, tile / 8, tile / 8 + 1, tile - 1, tile}) {
    ASSERT_EQ(Applications<Bytes>(n).reduce(), static_cast<long>(n)) << "of " << Bytes << " bytes";
  }
  for (std::size_t const tiles : {2u, 3u, 33u}) {
    std::size_t const n = tiles * tile - 5;
    for (int const threads : {1, 2}) {
      long const calls = Applications<Bytes>(n).reduce(threads);
      ASSERT_GE(calls, static_cast<long>(n)) << tiles << " tiles of " << Bytes << " bytes on " << threads;
      ASSERT_LE(calls, static_cast<long>(n + 3 * tiles)) << tiles << " tiles of " << Bytes << " bytes on " << threads;
    }
  }
}

TEST(Applications, AreNInReductions)
{
  expect_n_in_reductions<1>();
  expect_n_in_reductions<2>();
  expect_n_in_reductions<4>();
  expect_n_in_reductions<8>();
  expect_n_in_reductions<16>();
  expect_n_in_reductions<40>();
}

TEST(Applications, AreNInReductionsOfStrings)
{
  for (std::size_t n = 1; n <= 100; ++n) {
    std::vector<std::string> const text(n, "a");
    std::atomic<long> calls{0};
    EXPECT_EQ(tally::reduce(text, std::string("b"), counted{&calls}), "b");
    EXPECT_EQ(calls, static_cast<long>(n));
  }
}

/// A scan of whole tiles takes at most `most` applications an element on one thread, and one more on several, for the
/// totals.
template <std::size_t Bytes>
void expect_in_scans(double most)
{
  std::size_t const n = 8 * Applications<Bytes>::tile;
  Applications<Bytes> all(n);
  double const one = static_cast<double>(all.scan()) / static_cast<double>(n);
  EXPECT_LE(one, most) << Bytes << " bytes";
  EXPECT_GE(one, most - 0.3) << Bytes << " bytes";
  double const two = static_cast<double>(all.scan(2)) / static_cast<double>(n);
  EXPECT_GE(two, most - 0.3) << Bytes << " bytes";
  // Some totals are computed twice.
  EXPECT_LE(two, most + 2.1) << Bytes << " bytes";
}

TEST(Applications, InScansDependOnTheSizeOfAnElement)
{
  expect_in_scans<1>(3.3);
  expect_in_scans<2>(3.6);
  expect_in_scans<4>(4.1);
  expect_in_scans<8>(5.1);
  expect_in_scans<16>(7.1);
  expect_in_scans<64>(7.1);
}

TEST(Applications, InScansOfFewElementsAreFewer)
{
  // For elements of 16 bytes: Kogge and Stone's steps over all groups but the last, and one for each element but the
  // first.
  auto const expected = [](std::size_t n) {
    long count = static_cast<long>(n) - 1;
    for (std::size_t stride = 1; stride + 1 < n; stride *= 2) count += static_cast<long>(n - 1 - stride);
    return count;
  };
  for (std::size_t n = 1; n <= 32; ++n) EXPECT_EQ(Applications<16>(n).scan(), expected(n)) << n;
  EXPECT_EQ(Applications<16>(2).scan(), 1);
  EXPECT_EQ(Applications<16>(8).scan(), 21);
  EXPECT_EQ(Applications<16>(32).scan(), 155);
}

TEST(Applications, OfATransformationAreOneAnElementButInScansOnSeveralThreads)
{
  std::size_t const n = 40 * tally::order::tile<std::int64_t>;
  std::vector<std::int64_t> const x(n, 1);
  std::vector<std::int64_t> out(n);
  std::atomic<std::size_t> calls{0};
  auto const same = [&calls](std::int64_t k) {
    calls.fetch_add(1, std::memory_order_relaxed);
    return k;
  };
  auto const add = [](std::int64_t a, std::int64_t b) { return a + b; };
  auto const counted_in = [&](auto const& call) {
    calls = 0;
    call();
    return calls.load();
  };
  for (int const threads : {1, 2, 3}) {
    tally::cpu const on{threads};
    EXPECT_EQ(counted_in([&] { (void)tally::transform_reduce(on, x, std::int64_t{0}, add, same); }), n);
    EXPECT_EQ(counted_in([&] { (void)tally::transform_reduce(on, x, std::int64_t{0}, tally::plus{}, same); }), n);
    std::size_t const in_a_scan = counted_in([&] { tally::transform_inclusive_scan(on, x, out, add, same); });
    std::size_t const by_kernels =
        counted_in([&] { tally::transform_inclusive_scan(on, x, out, tally::plus{}, same); });
    for (std::size_t const count : {in_a_scan, by_kernels}) {
      if (threads == 1) {
        EXPECT_EQ(count, n);
      } else {
        EXPECT_GE(count, 2 * n);
        EXPECT_LE(count, 4 * n) << "late totals are few";
      }
    }
  }
}

}  // namespace
