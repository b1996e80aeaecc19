#pragma once

#include <cstdint>
#include <cstring>

/// Operations of a warp's lanes on values of any trivially copyable type.
namespace tally::cuda_backend {

inline constexpr unsigned whole_warp = 0xffffffff;
inline constexpr int warp_lanes = 32;

/// Applies `shuffle` to each four bytes of a value.
template <class V, class Shuffle>
__device__ __forceinline__ V by_words(V const& value, Shuffle shuffle)
{
  std::uint32_t words[(sizeof(V) + 3) / 4];
  words[sizeof(words) / 4 - 1] = 0;
  memcpy(words, &value, sizeof(V));
#pragma unroll
  for (std::uint32_t& word : words) word = shuffle(word);
  V result = value;
  memcpy(&result, words, sizeof(V));
  return result;
}

template <class V>
__device__ __forceinline__ V shuffle_up(V const& value, int lanes)
{
  return by_words(value, [=](std::uint32_t word) { return __shfl_up_sync(whole_warp, word, lanes); });
}

template <class V>
__device__ __forceinline__ V shuffle_down(V const& value, int lanes)
{
  return by_words(value, [=](std::uint32_t word) { return __shfl_down_sync(whole_warp, word, lanes); });
}

template <class V>
__device__ __forceinline__ V shuffle_xor(V const& value, int mask)
{
  return by_words(value, [=](std::uint32_t word) { return __shfl_xor_sync(whole_warp, word, mask); });
}

template <class V>
__device__ __forceinline__ V shuffle_from(V const& value, int lane)
{
  return by_words(value, [=](std::uint32_t word) { return __shfl_sync(whole_warp, word, lane); });
}

/// The largest value of a lane, and the bits that any has; on sm_80 and later.
__device__ __forceinline__ unsigned most_of_lanes(unsigned own)
{
#if !defined(__CUDACC__) || __CUDA_ARCH__ >= 800
  return __reduce_max_sync(whole_warp, own);
#else
  return own;
#endif
}
__device__ __forceinline__ unsigned bits_of_lanes(unsigned own)
{
#if !defined(__CUDACC__) || __CUDA_ARCH__ >= 800
  return __reduce_or_sync(whole_warp, own);
#else
  return own;
#endif
}

/// The number of the highest bit, or any number if there is none.
__device__ __forceinline__ unsigned highest_bit(unsigned bits)
{
  return static_cast<unsigned>(31 - __clz(static_cast<int>(bits)));
}

/// The value of a lane, of whose number the lower five bits count.
__device__ __forceinline__ int value_of_lane(int value, unsigned lane)
{
#ifdef __CUDA_ARCH__
  return __shfl_sync(whole_warp, value, static_cast<int>(lane));
#else
  return __shfl_sync(whole_warp, value, static_cast<int>(lane % warp_lanes));
#endif
}

/// The sum of a lane's value and of those before it.
__device__ __forceinline__ int scan_of_lanes(int value)
{
#pragma unroll
  for (int stride = 1; stride < warp_lanes; stride *= 2) {
#ifdef __CUDA_ARCH__
    // The shuffle tells whether there is such a lane.
    asm volatile("{ .reg .pred exists; .reg .s32 before; shfl.sync.up.b32 before|exists, %0, %1, 0, 0xffffffff; "
                 "@exists add.s32 %0, %0, before; }"
                 : "+r"(value)
                 : "r"(stride));
#else
    int const before = __shfl_up_sync(whole_warp, value, static_cast<unsigned>(stride));
    if (static_cast<int>(threadIdx.x) % warp_lanes >= stride) value += before;
#endif
  }
  return value;
}

/// first ? a : b, by values. With references the compiler would select an address, and put both values into memory.
template <class V>
__device__ __forceinline__ V select(bool first, V a, V b)
{
  std::uint32_t words[2][(sizeof(V) + 3) / 4] = {};
  memcpy(words[0], &a, sizeof(V));
  memcpy(words[1], &b, sizeof(V));
#pragma unroll
  for (std::size_t k = 0; k < sizeof(words[0]) / 4; ++k) words[0][k] = first ? words[0][k] : words[1][k];
  memcpy(&a, words[0], sizeof(V));
  return a;
}

/// Shared memory for a V, which CUDA does not construct.
template <class V>
struct uninitialized {
  alignas(V) unsigned char bytes[sizeof(V)];

  __device__ V& operator*() { return reinterpret_cast<V&>(bytes); }
  __device__ V* operator->() { return &**this; }
};

/// The inclusive scans of `Count` values of each lane, each scan over the lanes.
/// Kogge & Stone (1973): 5 steps; lane 31 gets the balanced tree over all 32. The scans go step by step together: a
/// shuffle takes some 25 cycles, and the compiler keeps shuffles in the order in which they are written.
/// `reach(k)` is the most lanes to the left that value k takes in.
template <int Count, class V, class Reach, class Op>
__device__ __forceinline__ void kogge_stone_scan(V (&values)[Count], Reach reach, Op& op)
{
#pragma unroll
  for (int stride = 1; stride < warp_lanes; stride *= 2) {
    V left[Count];
#pragma unroll
    for (int k = 0; k < Count; ++k) left[k] = shuffle_up(values[k], stride);
#pragma unroll
    for (int k = 0; k < Count; ++k)
      values[k] = select(stride <= reach(k), static_cast<V>(op(left[k], values[k])), values[k]);
  }
}
template <int Count, class V, class Op>
__device__ __forceinline__ void kogge_stone_scan(V (&values)[Count], int lane, Op& op)
{
  kogge_stone_scan(values, [lane](int) { return lane; }, op);
}

}  // namespace tally::cuda_backend
