// The scan of large arrays by the ring, on fibers: its results are those of the order, by an implementation of its own.
#include "fibers.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../order/reference.hpp"
#include "../support/bits.hpp"
#include "../support/generator.hpp"
#include "../support/guarded.hpp"
#include "barriers.hpp"
#include "tally/detail/cuda/ring.cuh"
#include "tally/operators/affine.hpp"
#include "tally/operators/arithmetic.hpp"

namespace {

using namespace tally::cuda_backend;
using tally::affine;
using tally::test::guarded;
using tally::test::random_bits;
using tally::test::same;

template <class T>
T element(std::size_t k)
{
  std::uint64_t const random = random_bits(1, k);
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(random);
  else if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(static_cast<double>(random >> 11) * 0x1p-52 - 1);
  else  // a map: maps do not commute
    return {static_cast<float>(random % 1000) / 512 - 1, static_cast<float>(random >> 40) / 1024};
}

template <class T, class Op>
void check(std::size_t n, work what, bool has_init, unsigned blocks)
{
  SCOPED_TRACE(std::to_string(n) + " elements, " + (what == work::inclusive_scan ? "inclusive" : "exclusive") +
               (has_init ? ", with an initial value" : "") + ", blocks: " + std::to_string(blocks));
  using P = problem<T, Op, T const*, T*, std::identity>;
  guarded<T> const in(n), out(n);
  for (std::size_t k = 0; k < n; ++k) in.data()[k] = element<T>(k);
  T const init = element<T>(n + 7);
  auto const expected = tally::test::reference::scan(std::vector<T>(in.begin(), in.end()), Op{},
                                                     has_init ? std::optional<T>(init) : std::nullopt);
  std::vector<T> const& results = what == work::inclusive_scan ? expected.inclusive : expected.exclusive;

  std::size_t const tiles = (n - 1) / tally::order::tile<T> + 1;
  std::vector<std::uint64_t> words(tiles * words_of<tally::working_type<T>>);
  control shared{};
  P const given{in.data(),
                out.data(),
                n,
                {has_init, static_cast<tally::working_type<T>>(init), static_cast<tally::carry_type<Op, T>>(init)},
                Op{},
                {},
                what,
                &shared,
                words.data(),
                words.size(),
                false};
  using ring = ring_memory<P>;
  tally::test::forget_barriers();
  tally::test::run_grid(blocks, ring::shape::threads, sizeof(ring),
                        [&] { scan_by_ring(*reinterpret_cast<ring*>(tally::test::grid::current()->memory()), given); });
  EXPECT_TRUE(in.guards_intact());
  EXPECT_TRUE(out.guards_intact());
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < n; ++k)
    if (!same(out.data()[k], results[k]) && ++wrong == 1) ADD_FAILURE() << "the first wrong result is at " << k;
  EXPECT_EQ(wrong, 0u);
}

template <class T, class Op>
void check_sizes()
{
  constexpr std::size_t group = tally::order::group<T>, row = tally::order::row<T>, strip = tally::order::strip<T>,
                        tile = tally::order::tile<T>;
  std::uint64_t draws = 0;
  auto const draw = [&](std::size_t below) { return static_cast<std::size_t>(random_bits(2, ++draws) >> 11) % below; };
  std::vector<std::size_t> sizes = {1, group + 1, row, strip + 1, 2 * strip - 1, tile - 1, tile, tile + 1};
  sizes.insert(sizes.end(), {2 * tile + 3 * strip + row + 1, 3 * tile});
  for (int k = 0; k < 8; ++k) sizes.push_back(1 + draw(4 * tile));
  for (std::size_t n : sizes) {
    bool const has_init = draw(2) == 0;
    check<T, Op>(n, work::inclusive_scan, has_init, static_cast<unsigned>(1 + draw(3)));
    check<T, Op>(n, work::exclusive_scan, true, static_cast<unsigned>(1 + draw(3)));
    if (testing::Test::HasFailure()) return;
  }
}

TEST(ring_on_fibers, sums_of_floats)
{
  check_sizes<float, tally::plus>();
}
TEST(ring_on_fibers, sums_of_doubles)
{
  check_sizes<double, tally::plus>();
}
TEST(ring_on_fibers, sums_of_bytes)
{
  check_sizes<std::uint8_t, tally::plus>();
}
TEST(ring_on_fibers, products_of_integers)
{
  check_sizes<std::uint32_t, tally::multiplies>();
}
TEST(ring_on_fibers, maps)
{
  check_sizes<affine<float>, tally::compose>();
}
/// More tiles than a span has.
TEST(ring_on_fibers, of_many_tiles)
{
  constexpr std::size_t tile = tally::order::tile<float>;
  check<float, tally::plus>(35 * tile + 5, work::inclusive_scan, true, 2);
  check<float, tally::plus>(33 * tile, work::exclusive_scan, true, 3);
}

}  // namespace
