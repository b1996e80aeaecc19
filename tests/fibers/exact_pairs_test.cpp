// The kernels of exact scans and sums by pairs, on fibers: their results are those of an accumulator.
#include "barriers.hpp"
#include "fibers.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "../support/bits.hpp"
#include "../support/generator.hpp"
#include "../support/guarded.hpp"
#include "tally/detail/cuda/exact/pair_carries.cuh"
#include "tally/detail/cuda/exact/pair_kernel.cuh"
#include "tally/detail/cuda/exact/pair_repair.cuh"
#include "tally/exact_accumulator.hpp"
#include "tally/half.hpp"

// The functions that kernels have from a GPU.
namespace tally::cuda_backend {

template <>
exact::carries_block& shared_by_block<exact::carries_block>()
{
  return *reinterpret_cast<exact::carries_block*>(test::grid::current()->memory());
}
unsigned char* memory_of_block()
{
  return test::grid::current()->memory();
}

}  // namespace tally::cuda_backend

namespace {

using namespace tally::cuda_backend::exact;
using tally::test::guarded;
using tally::test::random_bits;
using tally::test::run_grid;
using tally::test::same;

constexpr std::size_t tile = pair_tile;

enum class terms {
  fractions,
  zeros,
  whole_numbers,
  few,        ///< ones of both signs among zeros of -0
  wide,       ///< of sizes whose sums are not exact in doubles, but in pairs
  lost_ones,  ///< whole numbers, and behind six tiles ones among larger terms that cancel
  inexact,    ///< behind a term that pairs drop: the bound of what they drop tells all results
  near_ties   ///< eights with a sum that a pair does not tell, in every third tile
};

template <class T>
T term(terms kind, std::size_t k)
{
  std::uint64_t const random = random_bits(static_cast<std::uint64_t>(kind), k);
  double const fraction = static_cast<double>(random >> 11) * 0x1p-53 - 0.5;
  switch (kind) {
    case terms::fractions: return static_cast<T>(fraction);
    case terms::zeros: return static_cast<T>(random % 3 == 0 ? -0.0 : 0.0);
    case terms::whole_numbers: return static_cast<T>(static_cast<double>(random % 13) - 6);
    case terms::few: return static_cast<T>(random % 5 == 0 ? 1.0 : random % 5 == 1 ? -1.0 : -0.0);
    case terms::wide:
      return static_cast<T>(std::ldexp(fraction, static_cast<int>(random % (sizeof(T) == 2 ? 12 : 24))));
    case terms::inexact:
      return k == 8 && sizeof(T) > 2 ? static_cast<T>(sizeof(T) == 8 ? 0x1p-600 : 0x1p-140) : term<T>(terms::wide, k);
    case terms::near_ties: {
      constexpr double eights[] = {1, 0x1p-24, 0x1p-60, 0x1p-120, -0x1p-60, -2, 5, 7};
      constexpr double of_doubles[] = {1, 0x1p-53, 0x1p-120, 0x1p-200, 3, -2, 5, 7};
      // Zeros of -0 around the begin of such a tile.
      if ((k + 64) / tile % 3 == 1 && (k + 64) % tile < 80) return static_cast<T>(-0.0);
      if (k / tile % 3 != 1) return term<T>(terms::whole_numbers, k);
      return static_cast<T>((sizeof(T) == 8 ? of_doubles : eights)[k % 8]);
    }
    case terms::lost_ones: {
      constexpr double ones[] = {0x1p200, 0x1p100, 1, -0x1p200, -0x1p100};
      return k < 6 * tile ? term<T>(terms::whole_numbers, k) : static_cast<T>(ones[k % 5]);
    }
  }
  return T{};
}

/// A call: the terms, how sequences begin, the blocks.
struct call {
  terms kind = terms::fractions;
  bool is_exclusive = false, has_init = false;
  unsigned blocks = 1;
  std::size_t shift = 0;  ///< elements from aligned memory

  std::string text() const
  {
    return "terms " + std::to_string(static_cast<int>(kind)) + (is_exclusive ? ", exclusive" : "") +
           (has_init ? ", with an initial value" : "") + ", blocks: " + std::to_string(blocks) +
           ", shift: " + std::to_string(shift);
  }
};

std::vector<call> all_calls()
{
  std::vector<call> all;
  for (unsigned blocks : {1u, 3u})
    for (bool is_exclusive : {false, true})
      all.push_back({terms::fractions, is_exclusive, true, blocks, blocks == 3 ? std::size_t{1} : 0});
  all.push_back({terms::zeros, false, false, 2});
  all.push_back({terms::few, false, false, 2, 3});
  all.push_back({terms::few, false, true, 1});
  all.push_back({terms::wide, false, true, 2});
  all.push_back({terms::wide, true, true, 1});
  all.push_back({terms::whole_numbers, false, true, 3, 2});
  all.push_back({terms::whole_numbers, true, true, 2});
  return all;
}

/// The results of a call, one sequence after the other. Sequence s is [offsets[s], offsets[s + 1]).
template <class T, bool Reduces>
std::vector<T> expected_results(T const* x, std::vector<std::uint32_t> const& offsets, call const& how, double init)
{
  std::vector<T> all;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    tally::exact_accumulator<T> sum;
    if (how.has_init) sum.add(static_cast<T>(init));
    for (std::size_t k = offsets[s]; k < offsets[s + 1]; ++k) {
      if (!Reduces && how.is_exclusive) all.push_back(sum.round());
      sum.add(x[k]);
      if (!Reduces && !how.is_exclusive) all.push_back(sum.round());
    }
    if (Reduces) all.push_back(offsets[s] == offsets[s + 1] ? static_cast<T>(how.has_init ? init : 0.0) : sum.round());
  }
  return all;
}

/// How a call has ended.
struct outcome {
  bool is_told;     ///< its results are there
  bool is_inexact;  ///< a sum before a tile was not exact
  bool has_left;    ///< tiles were left to the repair
};

/// Runs the kernels of a call, apart or in place. If its results are told they must be right.
template <class T, class Ends, bool Reduces>
outcome run_call(std::vector<std::uint32_t> const& offsets, Ends ends, call const& how, bool in_place)
{
  using problem = pairs_problem<T, T const*, T*, std::identity, Ends, Reduces>;
  std::size_t const first = offsets.front(), n = offsets.back() - first;
  std::size_t const tiles = std::max<std::size_t>((n + tile - 1) / tile, 1);
  double const init = how.has_init ? -0.75 : -0.0;

  guarded<T> const in(offsets.back(), how.shift), apart(Reduces ? offsets.size() - 1 : offsets.back(), how.shift);
  for (std::size_t k = 0; k < offsets.back(); ++k) in.data()[k] = term<T>(how.kind, k);
  std::vector<T> const expected = expected_results<T, Reduces>(in.data(), offsets, how, init);
  guarded<T> const& out = in_place ? in : apart;

  pair_counters counters{};
  std::vector<std::uint64_t> states(groups_of_tiles(tiles) * pair_states::words);
  guarded<tile_sum> const sums(tiles);
  guarded<tile_sum> const up_to_ends(Reduces ? tiles : 0);
  guarded<sequences_of_tile> const ended(tiles);
  guarded<std::uint16_t> const bits(tiles * tally::cuda_backend::warp_lanes);
  problem given{in.data(),
                out.data(),
                {},
                ends,
                init,
                static_cast<T>(how.has_init ? init : 0.0),
                how.is_exclusive,
                in_place ? pair_results::look_at : pair_results::write,
                {&counters, states.data(), sums.data(), up_to_ends.data()}};
  auto const blocks_for = [&](std::size_t count, std::size_t of_block) {
    return static_cast<unsigned>((count + of_block - 1) / of_block);
  };
  if constexpr (Ends::has_bits) {
    for (sequences_of_tile& of : ended) of = {};
    given.ends.ended = ended.data();
    given.ends.bits = bits.data();
    constexpr unsigned counts[] = {1, 4, 256};
    given.ends.ends_of_thread = counts[how.blocks % 3];
    run_grid(
        blocks_for(std::max<std::size_t>(offsets.size() - 1, 1), std::size_t{pair_threads} * given.ends.ends_of_thread),
        pair_threads, 0, [&] { ends_of_tiles_kernel<Ends>(given.ends); });
    if (!Reduces)
      run_grid(blocks_for(tiles, pair_warps * tiles_of_warp), pair_threads, pair_warps * elements_of_warp,
               [&] { mark_ends_kernel<Ends>(given.ends); });
  }
  auto const scan_sums = [&] {
    run_grid(static_cast<unsigned>(groups_of_tiles(tiles)), carries_threads, sizeof(carries_block),
             [&] { sums_before_tiles_kernel<problem>(given); });
  };
  if constexpr (!Reduces) {
    run_grid(blocks_for(tiles, pair_warps * tiles_of_warp), pair_threads, 0, [&] { tile_sums_kernel<problem>(given); });
    scan_sums();
  }
  constexpr std::size_t shared_bytes = pair_warps * sizeof(warp_memory<problem>);
  run_grid(how.blocks, pair_threads, shared_bytes, [&] { pairs_kernel<problem>(given); });
  if constexpr (Reduces) {
    scan_sums();
  } else if (in_place) {
    for (std::size_t k = 0; k < in.values().size(); ++k)
      EXPECT_TRUE(same(in.data()[k], term<T>(how.kind, k))) << "a look at the results has changed a term";
    given.results = pair_results::replace;
    run_grid(how.blocks, pair_threads, shared_bytes, [&] { pairs_kernel<problem>(given); });
    run_grid(how.blocks, pair_threads, 0, [&] { repair_tiles_kernel<problem>(given); });
  }
  EXPECT_TRUE(sums.guards_intact());
  EXPECT_TRUE(up_to_ends.guards_intact());
  EXPECT_TRUE(ended.guards_intact());
  EXPECT_TRUE(bits.guards_intact());
  EXPECT_TRUE(in.guards_intact());
  EXPECT_TRUE(apart.guards_intact());
  outcome const end{counters.failed == 0, counters.is_inexact != 0, counters.has_left_tiles != 0};
  if (!end.is_told) return end;
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    T const result = out.data()[k + (Reduces ? 0 : first)];
    if (!same(result, expected[k]) && ++wrong == 1)
      ADD_FAILURE() << "result " << k << " is " << static_cast<double>(result) << " for "
                    << static_cast<double>(expected[k]);
  }
  EXPECT_EQ(wrong, 0u) << "results of " << expected.size();
  return end;
}

template <class T, class Ends>
void check(std::string const& what, std::vector<std::uint32_t> const& offsets, Ends ends, call const& how)
{
  SCOPED_TRACE(what + ": " + how.text());
  EXPECT_TRUE((run_call<T, Ends, false>(offsets, ends, how, false).is_told)) << "apart: a pair does not tell a result";
  if (how.blocks > 1) {
    outcome const end = run_call<T, Ends, false>(offsets, ends, how, true);
    EXPECT_TRUE(end.is_told) << "in place: a pair does not tell a result";
    EXPECT_FALSE(end.has_left) << "in place: a pair does not tell a result";
  }
  if constexpr (Ends::has_ends) {
    if (how.is_exclusive) return;
    EXPECT_TRUE((run_call<T, Ends, true>(offsets, ends, how, false).is_told)) << "sums: a pair does not tell a result";
  }
}

template <class T>
class exact_pairs : public testing::Test {};
using all_types = testing::Types<float, double, tally::half>;
TYPED_TEST_SUITE(exact_pairs, all_types);

TYPED_TEST(exact_pairs, of_one_sequence)
{
  for (call const& how : all_calls()) {
    std::vector<std::size_t> sizes = {1, 5 * tile + 77, 27 * tile + 400};
    if (how.blocks == 1) sizes.insert(sizes.end(), {15, 16, 17, tile - 1, tile, tile + 1, 8 * tile, 9 * tile - 3});
    for (std::size_t n : sizes)
      check<TypeParam>("of " + std::to_string(n), {0, static_cast<std::uint32_t>(n)}, one_sequence{{n, {}}}, how);
  }
}

/// Warps take several tiles of each block, one behind the other.
TEST(exact_pairs_of_floats, of_one_sequence_of_many_tiles)
{
  std::size_t const n = 301 * tile + 5;
  check<float>("of many tiles", {0, static_cast<std::uint32_t>(n)}, one_sequence{{n, {}}},
               {terms::whole_numbers, false, true, 4});
}

/// The sums before tiles, by groups that look back at each other, 32 at a time. Of sums of sequences, those that end
/// first in a tile: here sequence `tile`, in place `tile`.
template <bool Reduces>
struct sums_alone {
  using element = double;
  static constexpr bool reduces = Reduces;
  struct all_ends {
    std::size_t count;
    std::size_t tiles() const { return count; }
    sequences_of_tile of_tile(std::size_t tile) const { return {tile, tile + 1}; }
    std::ptrdiff_t out(std::size_t sequence) const { return static_cast<std::ptrdiff_t>(sequence); }
  } ends;
  double initial;
  pair_states states;
  double* results;
  void put(std::size_t k, double result) const { results[k] = result; }
};

template <bool Reduces>
void check_groups(std::size_t tiles, unsigned mean)
{
  SCOPED_TRACE(std::to_string(tiles) + " tiles, mean " + std::to_string(mean) + (Reduces ? ", sums" : ""));
  pair_counters counters{};
  std::vector<std::uint64_t> words(groups_of_tiles(tiles) * pair_states::words);
  guarded<tile_sum> const sums(tiles), up_to_ends(tiles);
  guarded<double> const results(tiles);
  std::vector<double> before, first_sums;
  double sum = 5;
  for (std::size_t k = 0; k < tiles; ++k) {
    before.push_back(sum);
    double const own = static_cast<double>(random_bits(1, k) % 1000) - 500;
    double const up_to_end = static_cast<double>(random_bits(3, k) % 1000) - 500;
    bool const has_end = mean != 0 && random_bits(2, k) % mean == 0;
    // Without an end, and in the first tile, there is none, and its place stays as it is.
    first_sums.push_back(has_end && k > 0 ? sum + up_to_end : results.data()[k]);
    if (has_end && k > 0) up_to_ends.data()[k] = {{up_to_end, 0, 0}, 1};
    sums.data()[k] = {{own, 0, 0}, has_end ? 1u : 0u};
    sum = has_end ? own : sum + own;
  }
  sums_alone<Reduces> const given{
      {tiles}, 5, {&counters, words.data(), sums.data(), up_to_ends.data()}, results.data()};
  run_grid(static_cast<unsigned>(groups_of_tiles(tiles)), carries_threads, sizeof(carries_block),
           [&] { sums_before_tiles_kernel<sums_alone<Reduces>>(given); });
  EXPECT_TRUE(sums.guards_intact());
  EXPECT_TRUE(results.guards_intact());
  EXPECT_EQ(counters.failed, 0u);
  EXPECT_EQ(counters.is_inexact, 0u);
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < tiles; ++k) {
    pair_sum const& found = sums.data()[k].sum;
    bool const is_right =
        Reduces ? same(results.data()[k], first_sums[k]) : found.high + found.low == before[k] && found.lost == 0;
    if (!is_right) ++wrong;
  }
  EXPECT_EQ(wrong, 0u);
}

TEST(exact_pair_carries, of_many_groups)
{
  for (std::size_t tiles : {std::size_t{1}, std::size_t{9}, std::size_t{tiles_of_group},
                            3 * std::size_t{tiles_of_group} + 7, 35 * std::size_t{tiles_of_group} - 1})
    for (unsigned mean : {0u, 2u, 500u, 70'000u}) {
      check_groups<false>(tiles, mean);
      if (tiles < 4 * std::size_t{tiles_of_group}) check_groups<true>(tiles, mean);
    }
}

/// Blocks that wait for each other all go on where only sums that end first in a tile are not told, and all leave where
/// others are not.
TEST(exact_pair_carries, of_groups_behind_a_failure)
{
  for (auto const failure : {pair_states::in_tile, pair_states::across_tiles}) {
    std::size_t const tiles = 3 * std::size_t{tiles_of_group}, groups = groups_of_tiles(tiles);
    pair_counters counters{};
    counters.failed = failure;
    std::vector<std::uint64_t> words(groups * pair_states::words);
    guarded<tile_sum> const sums(tiles);
    for (std::size_t k = 0; k < tiles; ++k) sums.data()[k] = {{1, 0, 0}, 0};
    sums_alone<true> const given{{tiles}, 5, {&counters, words.data(), sums.data(), nullptr}, nullptr};
    run_grid(static_cast<unsigned>(groups), carries_threads, sizeof(carries_block),
             [&] { sums_before_tiles_kernel<sums_alone<true>>(given); });
    EXPECT_EQ(counters.ticket, failure == pair_states::across_tiles ? groups : 0);
    EXPECT_EQ(counters.failed, static_cast<unsigned>(failure));
  }
}

/// An end at each place of a tile: what is before it, and what is behind.
TEST(exact_pairs_of_floats, with_an_end_at_each_place)
{
  using ends = sequences_between<std::uint32_t const*>;
  for (std::uint32_t end = 1; end <= tile; ++end) {
    std::vector<std::uint32_t> const offsets{0, end, 2 * tile + 9};
    check<float>("an end at " + std::to_string(end), offsets, ends{offsets.data(), {2, {}}, nullptr, nullptr},
                 {terms::fractions, false, true, 1, end % 5 == 0});
  }
}

TEST(exact_pair_ends, of_a_thread)
{
  EXPECT_EQ(ends_for_thread(0, 1), 1u);
  EXPECT_EQ(ends_for_thread(1000, 1000), 1u);
  EXPECT_EQ(ends_for_thread(3999, 1000), 1u);
  EXPECT_EQ(ends_for_thread(4000, 1000), 2u);
  EXPECT_EQ(ends_for_thread(32'000, 1000), 16u);
  EXPECT_EQ(ends_for_thread(512'000, 1000), 256u);
  EXPECT_EQ(ends_for_thread(9'000'000, 1000), 256u);
}

TYPED_TEST(exact_pairs, of_sequences_of_one_length)
{
  for (call const& how : all_calls())
    for (std::size_t length : {std::size_t{7}, std::size_t{100}, std::size_t{5000}}) {
      std::size_t const rows = 13000 / length;
      std::vector<std::uint32_t> offsets;
      for (std::size_t r = 0; r <= rows; ++r) offsets.push_back(static_cast<std::uint32_t>(r * length));
      check<TypeParam>("rows of " + std::to_string(length), offsets, sequences_of_one_length{length, rows, 1}, how);
    }
}

/// Segments of no, few and many terms, with empty ones among them and at the end, that do not begin at the first term.
TYPED_TEST(exact_pairs, of_segments)
{
  for (call const& how : all_calls())
    for (unsigned most : {0u, 3u, 300u, 9000u}) {
      std::vector<std::uint32_t> offsets{5};
      for (std::size_t s = 0; offsets.back() < 13000 && offsets.size() < 9000; ++s)
        offsets.push_back(offsets.back() + static_cast<std::uint32_t>(random_bits(most, s) % (most + 1)));
      for (int k = 0; k < 50; ++k) offsets.push_back(offsets.back());
      using ends = sequences_between<std::uint32_t const*>;
      check<TypeParam>("segments of up to " + std::to_string(most), offsets,
                       ends{offsets.data(), {offsets.size() - 1, {}}, nullptr, nullptr}, how);
    }
}

/// A pair that does not tell a result ends the call in every warp: those that begin behind it, and those that look at
/// it between their tiles.
TEST(exact_pairs_of_doubles, that_do_not_tell_a_result)
{
  std::size_t const n = 60 * tile + 1;
  std::vector<std::uint32_t> const offsets{0, static_cast<std::uint32_t>(n)};
  // Many runs: in few of them some lanes of a warp read the flag before it is set, and others behind.
  for (unsigned run = 0; run < 64; ++run)
    EXPECT_FALSE(
        (run_call<double, one_sequence, false>(offsets, one_sequence{{n, {}}},
                                               {terms::lost_ones, false, false, run % 2 == 0 ? 1u : 6u}, run % 8 == 1)
             .is_told));
}

template <class T>
class exact_pairs_of_wide_types : public testing::Test {};
using wide_types = testing::Types<float, double>;
TYPED_TEST_SUITE(exact_pairs_of_wide_types, wide_types);

/// Results replace terms: where a sum before a tile is not exact, after a look at all results; otherwise at once, and
/// tiles whose results pairs do not tell are repaired.
TYPED_TEST(exact_pairs_of_wide_types, in_place_behind_a_sum_that_is_not_exact)
{
  for (bool const is_exclusive : {false, true}) {
    std::size_t const n = 20 * tile + 33;
    outcome const end = run_call<TypeParam, one_sequence, false>(
        {0, static_cast<std::uint32_t>(n)}, one_sequence{{n, {}}}, {terms::inexact, is_exclusive, true, 3}, true);
    EXPECT_TRUE(end.is_told);
    EXPECT_TRUE(end.is_inexact);
    EXPECT_FALSE(end.has_left);
  }
}

TYPED_TEST(exact_pairs_of_wide_types, do_not_tell_sums_near_ties)
{
  std::vector<std::uint32_t> offsets{0};
  for (std::uint32_t k = 0; k < 3 * tile; k += 8) {
    offsets.push_back(k + (sizeof(TypeParam) == 8 ? 4 : 5));  // its sum is the one that a pair does not tell
    offsets.push_back(k + 8);
  }
  std::size_t const count = offsets.size() - 1;
  sequences_between<std::uint32_t const*> const ends{offsets.data(), {count, {}}, nullptr, nullptr};
  EXPECT_FALSE((run_call<TypeParam, sequences_between<std::uint32_t const*>, true>(
                    offsets, ends, {terms::near_ties, false, false, 1}, false)
                    .is_told));
}

/// Sums of tiles in which pairs drop something, and tell all results.
TYPED_TEST(exact_pairs_of_wide_types, add_up_inexact_terms)
{
  for (std::size_t length : {3u, 17u, 600u}) {
    std::vector<std::uint32_t> offsets{0};
    std::size_t const rows = 3000 / length;
    for (std::size_t r = 1; r <= rows; ++r) offsets.push_back(static_cast<std::uint32_t>(r * length));
    for (bool has_init : {false, true})
      for (std::size_t shift : {0u, 1u}) {
        call const how{terms::inexact, false, has_init, 2, shift};
        SCOPED_TRACE("length " + std::to_string(length) + ", " + how.text());
        EXPECT_TRUE(
            (run_call<TypeParam, sequences_of_one_length, true>(offsets, {length, rows, 1}, how, false).is_told));
      }
  }
}

TYPED_TEST(exact_pairs_of_wide_types, in_place_tiles_are_repaired)
{
  for (bool const is_exclusive : {false, true})
    for (std::size_t shift : {0u, 1u}) {
      call const how{terms::near_ties, is_exclusive, is_exclusive, 3, shift};
      auto const check = [&](std::string const& what, outcome const& end) {
        SCOPED_TRACE(what + ", " + how.text());
        EXPECT_TRUE(end.is_told);
        EXPECT_FALSE(end.is_inexact);
        EXPECT_TRUE(end.has_left);
      };
      for (std::size_t length : {8u, 32u, 512u}) {
        std::vector<std::uint32_t> offsets{0};
        std::size_t const rows = (13 * tile + 264) / length;
        for (std::size_t r = 1; r <= rows; ++r) offsets.push_back(static_cast<std::uint32_t>(r * length));
        check("rows of " + std::to_string(length),
              run_call<TypeParam, sequences_of_one_length, false>(offsets, {length, rows, 1}, how, true));
      }
      // Segments of many lengths cross the begins and ends of the tiles that are repaired.
      std::vector<std::uint32_t> offsets{0};
      while (offsets.back() < 13 * tile) {
        std::size_t const begin = offsets.back();
        std::size_t length = 1 + random_bits(21, offsets.size()) % 60;
        // A sum that is not exact does not leave its tile.
        if (begin / tile % 3 == 1) length = std::min(length, tile - begin % tile);
        offsets.push_back(static_cast<std::uint32_t>(begin + length));
      }
      using ends = sequences_between<std::uint32_t const*>;
      check("segments", run_call<TypeParam, ends, false>(
                            offsets, ends{offsets.data(), {offsets.size() - 1, {}}, nullptr, nullptr}, how, true));
    }
}

}  // namespace
