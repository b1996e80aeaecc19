// Scans and reductions of many sequences, on fibers: each has the results of the order, by an implementation of their
// own, wherever it lies.
#include "fibers.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../order/reference.hpp"
#include "../support/bits.hpp"
#include "../support/generator.hpp"
#include "../support/guarded.hpp"
#include "barriers.hpp"
#include "tally/detail/batch/layout.hpp"
#include "tally/detail/cuda/batch/batch_problem.cuh"
#include "tally/detail/cuda/batch/sequence_tiles.cuh"
#include "tally/detail/cuda/ring.cuh"
#include "tally/operators/arithmetic.hpp"

namespace {

using namespace tally::cuda_backend;
using tally::test::guarded;
using tally::test::random_bits;
using tally::test::same;

/// How a batch lies: the first elements behind a line of memory, the gap behind each sequence, forward or backward. And
/// what else differs from call to call.
struct call {
  std::size_t in = 0, out = 0, gap = 0;
  int in_step = 1, out_step = 1;
  work what = work::inclusive_scan;
  bool has_init = false, has_inits = false, has_lasts = false;
  unsigned blocks = 1;

  std::string text() const
  {
    return std::string(what == work::reduce           ? "reduced"
                       : what == work::inclusive_scan ? "inclusive"
                                                      : "exclusive") +
           ", first elements " + std::to_string(in) + ", " + std::to_string(out) + ", gap " + std::to_string(gap) +
           ", steps " + std::to_string(in_step) + ", " + std::to_string(out_step) +
           (has_init ? ", with an initial value" : "") + (has_inits ? ", with initial values" : "") +
           (has_lasts ? ", with last values" : "") + ", blocks: " + std::to_string(blocks);
  }
};

/// The place of element k of sequence s.
std::size_t place_in(std::size_t s, std::size_t k, std::size_t n, std::size_t gap, int step)
{
  return s * (n + gap) + (step > 0 ? k : n - 1 - k);
}

template <class T>
T element(std::uint64_t stream, std::size_t k)
{
  std::uint64_t const random = random_bits(stream, k);
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(random);
  else
    return static_cast<T>(static_cast<double>(random >> 11) * 0x1p-52 - 1);
}

/// Whether groups are aligned in sequences that begin (or end, if they go backward) here and so far from each other.
template <class T>
bool are_groups(T const* first, std::size_t across)
{
  return reinterpret_cast<std::uintptr_t>(first) % 16 == 0 && across * sizeof(T) % 16 == 0;
}

/// The kernels. Each runs a grid of some blocks.
struct by_ring {
  template <class P>
  void operator()(P const& given, unsigned blocks) const
  {
    using ring = ring_memory<P>;
    tally::test::forget_barriers();
    tally::test::run_grid(blocks, ring::shape::threads, sizeof(ring), [&] {
      scan_by_ring(*reinterpret_cast<ring*>(tally::test::grid::current()->memory()), given);
    });
  }
};
constexpr unsigned warps_of_block = reduce_threads / warp_lanes;
template <int Rows>
struct by_warps {
  template <class P>
  void operator()(P const& given, unsigned) const
  {
    auto const blocks = static_cast<unsigned>((given.sequences - 1) / warps_of_block + 1);
    tally::test::run_grid(blocks, reduce_threads, 0, [&] { scan_by_warps_kernel<P, Rows, 1>(given); });
  }
};
/// One block: its shared memory is that of all blocks here.
struct reduced_by_warps {
  template <class P>
  void operator()(P const& given, unsigned) const
  {
    if (given.sequences > warps_of_block) throw std::invalid_argument("a block has a warp for each sequence");
    tally::test::run_grid(1, reduce_threads, 0, [&] { reduce_by_warps_kernel<P, 1>(given); });
  }
};
/// One block goes through all sequences.
template <int Rows>
struct by_a_block {
  template <class P>
  void operator()(P const& given, unsigned) const
  {
    constexpr std::size_t rows = Rows * tally::order::row<typename P::element>;
    auto const warps = static_cast<unsigned>((given.size - 1) / rows + 1);
    tally::test::run_grid(1, warps * warp_lanes, 0, [&] { sequence_tiles_kernel<P, Rows, 1>(given); });
  }
};

/// `P` is a batch_problem, or one that knows more of where the sequences lie.
template <class T, class Op, class P, class Run>
void check(std::size_t sequences, std::size_t n, call const& how, Run const& run)
{
  SCOPED_TRACE(std::to_string(sequences) + " sequences of " + std::to_string(n) + ", " + how.text());
  std::size_t const all = sequences * (n + how.gap);
  guarded<T> const in(all, how.in), out(all, how.out);
  std::vector<T> inits, lasts(sequences, T(7)), expected_lasts, expected(all);
  for (std::size_t k = 0; k < all; ++k) {
    in.data()[k] = element<T>(1, k);
    expected[k] = out.data()[k] = T(7);
  }
  T const init = element<T>(2, n);
  for (std::size_t s = 0; s < sequences; ++s) {
    inits.push_back(element<T>(3, s));
    std::vector<T> own;
    for (std::size_t k = 0; k < n; ++k) own.push_back(in.data()[place_in(s, k, n, how.gap, how.in_step)]);
    auto const results = tally::test::reference::scan(own, Op{},
                                                      how.has_inits  ? std::optional<T>(inits[s])
                                                      : how.has_init ? std::optional<T>(init)
                                                                     : std::nullopt);
    if (how.what == work::reduce) {
      expected[place_in(s, 0, n, how.gap, how.out_step)] = *results.reduced;
    } else {
      for (std::size_t k = 0; k < n; ++k)
        expected[place_in(s, k, n, how.gap, how.out_step)] =
            how.what == work::inclusive_scan ? results.inclusive[k] : results.exclusive[k];
    }
    expected_lasts.push_back(how.has_lasts ? results.inclusive.back() : T(7));
  }

  auto const across = static_cast<std::ptrdiff_t>(n + how.gap);
  tally::detail::batch::layout where;
  where.along = {n, {how.in_step, how.out_step, 0, 0, 0}};
  where.across[where.dimensions++] = {sequences, {across, across, 1, 1, 0}};
  std::size_t const tiles_each = (n - 1) / tally::order::tile<T> + 1;
  std::vector<std::uint64_t> words(sequences * tiles_each * words_of<tally::working_type<T>>);
  control shared{};
  batch_problem<T, Op, T, T> const problem{
      .in = in.data() + (how.in_step > 0 ? 0 : n - 1),
      .out = out.data() + (how.out_step > 0 ? 0 : n - 1),
      .size = n,
      .sequences = sequences,
      .in_step = how.in_step,
      .out_step = how.out_step,
      .where = batch_places(where),
      .aligned_in = are_groups(in.data() + (how.in_step > 0 ? 0 : n), n + how.gap),
      .aligned_out = are_groups(out.data() + (how.out_step > 0 ? 0 : n), n + how.gap),
      .init = {how.has_init, static_cast<tally::working_type<T>>(init), static_cast<tally::carry_type<Op, T>>(init)},
      .initials = how.has_inits ? inits.data() : nullptr,
      .lasts = how.has_lasts ? lasts.data() : nullptr,
      .tiles_each = static_cast<std::uint32_t>(tiles_each),
      .folded_by_a_warp = false,
      .op = {},
      .transform = {},
      .what = how.what,
      .in_begin = in.begin(),
      .in_end = in.end(),
      .shared = &shared,
      .words = words.data(),
      .capacity = words.size()};
  run(P{problem}, how.blocks);
  EXPECT_TRUE(in.guards_intact());
  EXPECT_TRUE(out.guards_intact());
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < all; ++k)
    if (!same(out.data()[k], expected[k]) && ++wrong == 1)
      ADD_FAILURE() << "the first wrong byte or result is at " << k << " of " << all;
  EXPECT_EQ(wrong, 0u);
  for (std::size_t s = 0; s < sequences; ++s) EXPECT_TRUE(same(lasts[s], expected_lasts[s])) << "last of " << s;
}

/// Draws calls of sequences of up to `most` elements. Groups may lie anywhere where `anywhere`, and are aligned
/// otherwise; sequences go either way where `turns`.
template <class T, class P, class Run>
void check_sizes(std::size_t most, bool anywhere, bool turns, Run const& run, bool reduces = false)
{
  constexpr std::size_t word = 16 / sizeof(T), row = tally::order::row<T>, strip = tally::order::strip<T>,
                        tile = tally::order::tile<T>;
  std::uint64_t draws = 0;
  auto const draw = [&](std::size_t below) { return static_cast<std::size_t>(random_bits(4, ++draws) >> 11) % below; };
  std::vector<std::size_t> sizes = {word, row + word, strip, tile - word, tile, tile + word, 2 * tile + strip + word};
  for (int k = 0; k < 10; ++k) sizes.push_back(1 + draw(most));
  for (std::size_t n : sizes) {
    if (draw(2) == 0) n += draw(word);
    if (n > most) continue;
    // Elements from the end of a sequence to the end of a word, from which backward sequences have their groups.
    std::size_t const rest = (word - n % word) % word;
    auto const step = [&] { return turns && draw(2) == 0 ? -1 : 1; };
    auto const first = [&](int of) { return anywhere ? draw(word) : of > 0 ? 0 : rest; };
    int const in_step = step(), out_step = step();
    bool const is_exclusive = !reduces && draw(2) == 0;
    check<T, tally::plus, P>(1 + draw(n >= 1000 ? 3
                                      : reduces ? warps_of_block
                                                : 20),
                             n,
                             {.in = first(in_step),
                              .out = first(out_step),
                              .gap = anywhere ? draw(9) : rest + draw(3) * word,
                              .in_step = in_step,
                              .out_step = out_step,
                              .what = reduces        ? work::reduce
                                      : is_exclusive ? work::exclusive_scan
                                                     : work::inclusive_scan,
                              .has_init = is_exclusive || draw(2) == 0,
                              .has_inits = draw(3) == 0,
                              .has_lasts = !reduces && draw(2) == 0,
                              .blocks = static_cast<unsigned>(1 + draw(3))},
                             run);
    if (testing::Test::HasFailure()) return;
  }
}

template <class T>
using batch_of = batch_problem<T, tally::plus, T, T>;
template <class T>
constexpr std::size_t row = tally::order::row<T>;
template <class T>
constexpr std::size_t tile = tally::order::tile<T>;

template <class T>
class sequences_on_fibers : public testing::Test {};
using all_types = testing::Types<float, double, std::uint8_t>;
TYPED_TEST_SUITE(sequences_on_fibers, all_types);

TYPED_TEST(sequences_on_fibers, by_the_ring)
{
  using T = TypeParam;
  check_sizes<T, forward_problem<batch_of<T>>>(3 * tile<T>, false, false, by_ring{});
  check_sizes<T, shifted_problem<batch_of<T>>>(3 * tile<T>, true, false, by_ring{});
  check_sizes<T, batch_of<T>>(3 * tile<T>, false, true, by_ring{});
}
TYPED_TEST(sequences_on_fibers, by_warps)
{
  using T = TypeParam;
  check_sizes<T, shifted_problem<batch_of<T>>>(tile<T>, true, false, by_warps<4>{});
  check_sizes<T, batch_of<T>>(tile<T>, false, true, by_warps<8>{});
}
TYPED_TEST(sequences_on_fibers, by_a_block)
{
  using T = TypeParam;
  check_sizes<T, shifted_problem<batch_of<T>>>(32 * row<T>, true, false, by_a_block<4>{});
  check_sizes<T, batch_of<T>>(tile<T>, false, true, by_a_block<8>{});
  check_sizes<T, batch_of<T>>(8 * row<T>, true, true, by_a_block<1>{});
}
TYPED_TEST(sequences_on_fibers, reduced)
{
  using T = TypeParam;
  check_sizes<T, shifted_problem<batch_of<T>>>(tile<T>, true, false, reduced_by_warps{}, true);
  check_sizes<T, batch_of<T>>(tile<T>, false, true, reduced_by_warps{}, true);
  check_sizes<T, batch_of<T>>(tile<T>, true, true, by_a_block<8>{}, true);
}

}  // namespace
