#pragma once

#include <cstdint>

#include "tally/detail/cuda/warp.cuh"

namespace tally::cuda_backend {

/// The segments of a stage that have more than one group and a strip at most, in lists by their lengths: list l has
/// those of up to 2^(l + 1) groups, and the last one those of more than a row.
template <class Shape>
class segment_lists {
public:
  static constexpr int lists = 6;

  /// Empties all lists.
  __device__ __forceinline__ void clear()
  {
    if (threadIdx.x < lists) counts_[threadIdx.x] = 0;
  }
  /// Appends segment k to its list, by a whole warp.
  __device__ __forceinline__ void append(int k, int size, int lane)
  {
    bool const is_listed = size > Shape::group && size <= Shape::strip;
    unsigned const listed = __ballot_sync(whole_warp, is_listed);
    if (listed == 0) return;
    int const list = min(31 - __clz((size - 1) / Shape::group), lists - 1);
    unsigned alike = listed;  // the lanes with segments of the same list
#pragma unroll
    for (int bit = 1; bit < 8; bit *= 2) {
      unsigned const set = __ballot_sync(whole_warp, (list & bit) != 0);
      alike &= (list & bit) != 0 ? set : ~set;
    }
    int const before = __popc(alike & ((1u << lane) - 1));
    int base = 0;
    if (is_listed && before == 0) base = atomicAdd(&counts_[list], __popc(alike));
    base = __shfl_sync(whole_warp, base, __ffs(static_cast<int>(alike)) - 1);
    if (is_listed) segments_[place(list, base + before)] = static_cast<std::uint16_t>(k);
  }
  __device__ __forceinline__ int count(int list) const { return counts_[list]; }
  /// Segment k of a list.
  __device__ __forceinline__ int segment(int list, int k) const { return segments_[place(list, k)]; }
private:
  // Two lists fill an array from its two ends.
  static constexpr int first = Shape::room / (Shape::group + 2) + 1;
  static constexpr int second = Shape::room / (4 * Shape::group + 2) + 1;
  static constexpr int third = Shape::room / (16 * Shape::group + 2) + 1;
  static_assert(Shape::room < 65536);

  __device__ __forceinline__ static int place(int list, int k)
  {
    int const begin = list < 2 ? 0 : list < 4 ? first : first + second;
    int const end = list < 2 ? first : list < 4 ? first + second : first + second + third;
    return (list & 1) != 0 ? end - 1 - k : begin + k;
  }

  std::uint16_t segments_[first + second + third];
  int counts_[lists];
};

}  // namespace tally::cuda_backend
