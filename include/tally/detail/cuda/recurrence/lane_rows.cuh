#pragma once

#include <cstdint>

#include "tally/detail/cuda/groups.cuh"
#include "tally/detail/cuda/recurrence/maps_in_rows.cuh"
#include "tally/detail/cuda/recurrence/repair_sequence.cuh"
#include "tally/detail/cuda/recurrence/row_tree.cuh"
#include "tally/detail/cuda/shifted_rows.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/order.hpp"

/// Rows of the order in shared memory, one for each lane: nothing in a row needs a shuffle. A row has 256 bytes of each
/// array, whatever the states' type.
namespace tally::cuda_backend {

struct lane_rows {
  static constexpr int bytes = 256;         ///< of a row of one array
  static constexpr int words = bytes / 16;  ///< of 16 bytes: a group each
  /// A row has room for a word more, since it may begin anywhere in a word. And lanes that each read the same word of
  /// their own row then meet different banks.
  static constexpr int pitch = bytes + 16;
};

/// Fills a lane's row with one value.
template <class S>
__device__ __forceinline__ void fill_row(unsigned char* memory, S const& value)
{
  constexpr int in_word = 16 / static_cast<int>(sizeof(S));
  packed_group<S, in_word> all;
#pragma unroll
  for (int j = 0; j < in_word; ++j) all.set(j, value);
#pragma unroll 4
  for (int w = 0; w < lane_rows::words; ++w) all.write_aligned(reinterpret_cast<S*>(memory) + w * in_word);
}

/// Loads groups of elements of two bytes that begin `bytes` behind the aligned word at `word`. By selections: rows of
/// lanes begin at different places in a word.
template <class S, int Count, int Groups>
__device__ __forceinline__ void load_moved(packed_group<S, Count> (&groups)[Groups], S const* word, int bytes)
{
  static_assert(sizeof(S) == 2 && Count == 8);
  constexpr int parts = 4 * Groups;  // of four bytes
  std::uint32_t x[parts + 4];
#pragma unroll
  for (int w = 0; w <= Groups; ++w) {
    packed_group<S, Count> own;
    own.load_aligned(word + w * Count);
#pragma unroll
    for (int k = 0; k < 4; ++k) x[4 * w + k] = own.part(k);
  }
#pragma unroll
  for (int k = 0; k < parts + 3; ++k) x[k] = (bytes & 4) != 0 ? x[k + 1] : x[k];
#pragma unroll
  for (int k = 0; k <= parts; ++k) x[k] = (bytes & 8) != 0 ? x[k + 2] : x[k];
#pragma unroll
  for (int k = 0; k < parts; ++k) groups[k / 4].set_part(k % 4, part_after(x[k], x[k + 1], bytes % 4, false));
}

/// The steps of a lane's row, a group a word. Those of two bytes begin some bytes behind a word.
template <class P>
struct lane_steps {
  using S = typename P::stored;
  using W = typename P::W;
  static constexpr int group = P::group;
  static_assert(sizeof(S) * group == 16 && order::recurrence::row_groups == lane_rows::words);
  S const* a;
  S const* b;
  int a_bytes, b_bytes;

  /// In registers: results may replace terms from then on.
  struct part {
    packed_group<S, group> a[part_groups], b[part_groups];

    __device__ __forceinline__ part(lane_steps const& row, int q)
    {
      if constexpr (sizeof(S) == 2) {
        load_moved(a, row.a + q * part_groups * group, row.a_bytes);
        load_moved(b, row.b + q * part_groups * group, row.b_bytes);
      } else {
#pragma unroll
        for (int g = 0; g < part_groups; ++g) {
          a[g].load_aligned(row.a + (q * part_groups + g) * group);
          b[g].load_aligned(row.b + (q * part_groups + g) * group);
        }
      }
    }
    __device__ __forceinline__ affine<W> step(int g, int j) const
    {
      return {static_cast<W>(a[g].get(j)), static_cast<W>(b[g].get(j))};
    }
  };
};

/// Writes the results of a lane's row to `to`, those of the first `parts` parts at least. Returns 0 if all of these are
/// finite, else NaN.
template <class P>
__device__ __forceinline__ typename P::W put_results(row_in_lane<lane_steps<P>> const& row, typename P::W const& state,
                                                     int parts, typename P::stored* to)
{
  using S = typename P::stored;
  using T = typename P::T;
  using W = typename P::W;
  W bad(0);
  row.for_each_group(state, parts, [&](int first, int g, auto const& steps, W y) {
    packed_group<S, P::group> results;
#pragma unroll
    for (int j = 0; j < P::group; ++j) {
      y = steps.step(g, j)(y);
      auto const result = static_cast<T>(y);
      results.set(j, static_cast<S>(result));
      bad = marked_if_not_finite(bad, static_cast<W>(result));
    }
    results.write_aligned(to + (first + g) * P::group);
  });
  return bad;
}

}  // namespace tally::cuda_backend
