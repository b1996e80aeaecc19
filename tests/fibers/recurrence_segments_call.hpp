#pragma once

#include "fibers.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "../cuda/batch/recurrence_cases.hpp"
#include "../support/bits.hpp"
#include "../support/generator.hpp"
#include "../support/guarded.hpp"
#include "barriers.hpp"
#include "tally/detail/cuda/recurrence/segments_kernel.cuh"
#include "tally/detail/cuda/recurrence/segments_list.cuh"
#include "tally/detail/cuda/recurrence/words_kernel.cuh"
#include "tally/half.hpp"

/// A call of the kernels for linear recurrences of segments on fibers: those that list long segments and chunks of the
/// others, those that take them, a row a lane or by words, and that which goes on as the plain loop.
namespace tally::test {

using namespace cuda_backend;
inline constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

struct segments_call {
  std::size_t a = 0, b = 0, out = 0;  ///< the first elements, behind a line of memory
  std::size_t longest = never;        ///< of the segments that are not listed
  std::size_t chunk = 0;              ///< places of a listed chunk; 0: chunks are found by a search,
  std::size_t least_chunk = 1024;     ///< and have so many
  bool is_constant = false, is_in_place = false, has_befores = false;
  unsigned blocks = 1;
  kind what = kind::ordinary;
  std::size_t infinite = never, infinities = 1;  ///< the place of a term that is, and how many are
  bool by_words = false;
  bool are_wide = false;  ///< offsets of 8 bytes

  std::string text() const
  {
    return "first elements " + std::to_string(a) + ", " + std::to_string(b) + ", " + std::to_string(out) +
           ", longest " + std::to_string(longest) + ", chunks of " + std::to_string(chunk != 0 ? chunk : least_chunk) +
           (by_words ? ", by words" : "") + (are_wide ? ", wide offsets" : "") +
           (is_constant ? ", one coefficient" : "") + (is_in_place ? ", in place" : "") +
           ", blocks: " + std::to_string(blocks);
  }
};

/// Every segment that is not long is in one chunk, and no other is in any.
inline void check_chunks(segment_chunks const& chunks, std::vector<std::size_t> const& lengths,
                         segments_call const& how)
{
  std::vector<int> times(lengths.size());
  for (std::size_t k = 0; k < *chunks.count; ++k) {
    segment_chunks::chunk const one = chunks.all[k];
    ASSERT_LT(one.first, one.end);
    ASSERT_LE(one.end, lengths.size());
    std::size_t places = 0;
    for (std::size_t s = one.first; s < one.end; ++s) {
      ++times[s];
      places += s + 1 < one.end ? lengths[s] + 1 : 0;
    }
    EXPECT_LT(places, how.chunk) << "without the last one, a chunk has no more";
  }
  for (std::size_t s = 0; s < lengths.size(); ++s) EXPECT_EQ(times[s], lengths[s] <= how.longest ? 1 : 0) << s;
}

template <class T>
void check(std::vector<std::size_t> const& lengths, segments_call const& how)
{
  using P = recurrence_segments_problem<T>;
  SCOPED_TRACE(std::to_string(lengths.size()) + " segments: " + how.text());
  std::vector<std::uint32_t> offsets{5};  // elements before the first offset belong to no segment
  std::size_t tiles = 0, in_long_ones = 0, chunks = 2 * lengths.size() + 2;
  for (std::size_t const n : lengths) {
    offsets.push_back(offsets.back() + static_cast<std::uint32_t>(n));
    if (n <= how.longest) continue;
    tiles += (n - 1) / P::tile + 1;
    in_long_ones += n;
  }
  std::size_t const all = offsets.back();
  std::vector<std::uint64_t> const wide(offsets.begin(), offsets.end());
  guarded<T> const a(all, how.a), b(all, how.b), apart(all, how.out);
  guarded<T> const& out = how.is_in_place ? b : apart;
  for (std::size_t k = 0; k < all; ++k) {
    a.data()[k] = coefficient<T>(how.what, random_bits(1, k));
    b.data()[k] = term<T>(how.what, random_bits(2, k));
    apart.data()[k] = static_cast<T>(7.0f);
  }
  for (std::size_t k = how.infinite; k < all && k - how.infinite < how.infinities; ++k)
    b.data()[k] = std::numeric_limits<T>::infinity();
  T const constant = static_cast<T>(0.75f);
  std::vector<T> befores, lasts(lengths.size(), static_cast<T>(7.0f)), expected_lasts;
  std::vector<T> expected(out.begin(), out.end());
  for (std::size_t s = 0; s < lengths.size(); ++s) {
    befores.push_back(term<T>(kind::ordinary, random_bits(3, s)));
    std::vector<T> own_a, own_b;
    for (std::size_t k = offsets[s]; k < offsets[s + 1]; ++k) {
      own_a.push_back(how.is_constant ? constant : a.data()[k]);
      own_b.push_back(b.data()[k]);
    }
    T const before = befores[how.has_befores ? s : 0];
    std::vector<T> const y = states(own_a, own_b, before);
    std::copy(y.begin(), y.end(), expected.begin() + offsets[s]);
    expected_lasts.push_back(y.empty() ? before : y.back());
  }

  // The lists have room for what is there alone.
  unsigned long long counters[3] = {};
  std::uint64_t drawn = 0;
  std::vector<unsigned long long> first_bad(tiles);
  std::vector<tiles_of_long_segments::tile> list(tiles);
  std::vector<segment_chunks::chunk> listed(chunks);
  P const problem{.a = how.is_constant ? nullptr : a.data(),
                  .constant = constant,
                  .b = b.data(),
                  .out = out.data(),
                  .offsets = how.are_wide ? static_cast<void const*>(wide.data()) : offsets.data(),
                  .are_wide = how.are_wide,
                  .segments = lengths.size(),
                  .before = befores[0],
                  .befores = how.has_befores ? befores.data() : nullptr,
                  .lasts = lasts.data(),
                  .least_chunk = how.least_chunk,
                  .longest = how.longest,
                  .longs = {&counters[0], &counters[1], first_bad.data(), list.data()},
                  .chunks = how.chunk == 0 ? segment_chunks{} : segment_chunks{&counters[2], listed.data()},
                  .drawn = &drawn};
  recurrence_lists_problem<T> const lists{problem, 32 + lengths.size() % 200, how.chunk};
  // The static shared memory of a block is that of all blocks here, so there is one, or they write the same.
  unsigned const listing = lengths.size() <= segment_tiles_threads ? how.blocks : 1;
  if (tiles > 0 || !how.by_words) run_grid(listing, segment_tiles_threads, 0, [&] { list_tiles_kernel(lists); });
  ASSERT_EQ(counters[0], tiles);
  ASSERT_EQ(counters[1], in_long_ones);
  if (how.chunk != 0) check_chunks(problem.chunks, lengths, how);

  forget_barriers();
  if (how.by_words) {
    using shape = recurrence_words_launch<P>;
    run_grid(how.blocks, shape::threads, shape::bytes, [&] {
      recur_by_words(reinterpret_cast<recurrence_words_memory<P>*>(grid::current()->memory()), problem);
    });
    unsigned const blocks = static_cast<unsigned>(lengths.size() / last_states_threads + 1);
    run_grid(blocks, last_states_threads, 0, [&] { put_last_states_kernel(problem); });
  } else {
    run_grid(how.blocks, segments_warps<P> * warp_lanes, segments_warps<P> * sizeof(recurrence_segments_memory), [&] {
      recur_segments(reinterpret_cast<recurrence_segments_memory*>(grid::current()->memory()), problem);
    });
  }
  if (tiles > 0) {
    control shared{};
    std::vector<std::uint64_t> words(tiles * words_of<affine<typename P::W>>);
    using L = long_segments_problem<T>;
    L const longs(problem, &shared, words.data(), words.size());
    auto const run_tiles = [&](auto const& given) {
      using memory_type = recurrence_tiles_memory<std::remove_cvref_t<decltype(given)>>;
      forget_barriers();
      run_grid(how.blocks, memory_type::shape::threads, sizeof(memory_type),
               [&] { recur_tiles(*reinterpret_cast<memory_type*>(grid::current()->memory()), given); });
    };
    if (problem.a != nullptr && begin_alike(problem.a, problem.b, problem.out))
      run_tiles(plain_from_anywhere<L>{longs});
    else
      run_tiles(longs);
    run_grid(2, warp_lanes, 0, [&] { repair_long_segments_kernel(problem); });
  }

  EXPECT_TRUE(a.guards_intact());
  EXPECT_TRUE(b.guards_intact());
  EXPECT_TRUE(apart.guards_intact());
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < all; ++k)
    if (!same(out.data()[k], expected[k]) && ++wrong == 1) ADD_FAILURE() << "the first wrong result is at " << k;
  EXPECT_EQ(wrong, 0u);
  for (std::size_t s = 0; s < lengths.size(); ++s)
    EXPECT_TRUE(same(lasts[s], expected_lasts[s])) << "the last result of segment " << s;
}

}  // namespace tally::test
