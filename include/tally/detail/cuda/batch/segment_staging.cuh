#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include "tally/detail/cuda/asynchronous.cuh"
#include "tally/detail/cuda/elements.cuh"

/// The elements and offsets of segments in shared memory: how they lie there, come there and leave.
namespace tally::cuda_backend {

/// Elements in shared memory. Lane k of a warp reads group k of a row element by element, since a segment may begin
/// anywhere. Four bytes of padding behind each 128 spread these accesses over all banks.
template <class T>
struct segment_slots {
  static constexpr bool padded = sizeof(T) <= 8 && (sizeof(T) & (sizeof(T) - 1)) == 0;
  static constexpr unsigned every = padded ? 128 / sizeof(T) : 0x40000000;
  static constexpr unsigned pad = !padded ? 0 : sizeof(T) < 4 ? 4 / sizeof(T) : 1;

  unsigned char* memory;

  __host__ __device__ static constexpr unsigned place(unsigned k) { return k + k / every * pad; }
  __host__ __device__ static constexpr std::size_t bytes(std::size_t count)
  {
    return place(static_cast<unsigned>(count)) * sizeof(T);
  }
  __device__ __forceinline__ T& operator[](int k) const
  {
    return reinterpret_cast<T*>(memory)[place(static_cast<unsigned>(k))];
  }
};

/// The thread's first element of a range whose first element is at `from`, such that the warps' accesses to memory
/// begin at lines.
template <int Threads, class I>
__device__ __forceinline__ int first_of_thread(I const& from)
{
  int first = static_cast<int>(threadIdx.x);
  if constexpr (is_plain<I>) {
    using element = std::iter_value_t<I>;
    first -= static_cast<int>(reinterpret_cast<std::uintptr_t>(from) % 128 / sizeof(element));
  }
  return first < 0 ? first + Threads : first;
}

/// Begins to copy `count` elements from element `from` on to the first slots, by a whole block.
template <int Threads, class P, class T>
__device__ __forceinline__ void stage_in(P const& problem, segment_slots<T> const& slots, std::size_t from, int count)
{
  using In = typename P::input;
  constexpr int threads = Threads;
  constexpr std::uint32_t place_step = static_cast<std::uint32_t>(segment_slots<T>::place(threads) * sizeof(T));
  In const in = problem.in + static_cast<std::iter_difference_t<In>>(problem.place(from));
  constexpr bool asynchronous = [] {
    if constexpr (is_plain<In>)
      return std::is_same_v<std::remove_cv_t<std::iter_value_t<In>>, T> &&
             (sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16) && alignof(T) == sizeof(T);
    else
      return false;
  }();
#if __CUDA_ARCH__ >= 800
  constexpr bool is_copied = asynchronous;
#else
  constexpr bool is_copied = false;
#endif
  if constexpr (is_copied) {
    constexpr int bytes = static_cast<int>(sizeof(T)), at_once = 8;
    int k = first_of_thread<Threads>(in);
    In const at_first = in + P::step * k;
    char const* at = reinterpret_cast<char const*>(at_first);
    std::uint32_t to = shared_address(&slots[k]);
    for (; k + (at_once - 1) * threads < count; k += at_once * threads) {
#pragma unroll
      for (int j = 0; j < at_once; ++j) copy_word<bytes>(to + j * place_step, at + j * P::step * threads * bytes);
      at += at_once * P::step * threads * bytes;
      to += at_once * place_step;
    }
#pragma unroll
    for (int j = 0; j < at_once - 1; ++j)
      if (k + j * threads < count) copy_word<bytes>(to + j * place_step, at + j * P::step * threads * bytes);
  } else {
#pragma unroll 4
    for (int k = first_of_thread<Threads>(in); k < count; k += threads)
      slots[k] = static_cast<T>(in[static_cast<std::iter_difference_t<In>>(P::step * k)]);
  }
}
/// Begins to copy the lower words of the offsets of segments [first, first + count) to `to`.
template <int Threads, class P>
__device__ __forceinline__ void stage_offsets(P const& problem, std::uint32_t* to, std::size_t first, int count)
{
  using Offsets = typename P::offset_iterator;
  constexpr bool asynchronous = [] {
    if constexpr (is_plain<Offsets>)
      return sizeof(std::iter_value_t<Offsets>) == 4 || sizeof(std::iter_value_t<Offsets>) == 8;
    else
      return false;
  }();
#if __CUDA_ARCH__ >= 800
  constexpr bool is_copied = asynchronous;
#else
  constexpr bool is_copied = false;
#endif
  int k = static_cast<int>(threadIdx.x);
  if constexpr (is_copied) {
    constexpr int bytes = static_cast<int>(sizeof(std::iter_value_t<Offsets>)), at_once = 4;
    char const* at =
        reinterpret_cast<char const*>(problem.offsets + problem.place_of_offset(first)) + P::step * k * bytes;
    std::uint32_t place = shared_address(to + k);
    for (; k + (at_once - 1) * Threads < count; k += at_once * Threads) {
#pragma unroll
      for (int j = 0; j < at_once; ++j) copy_word<4>(place + j * Threads * 4, at + j * P::step * Threads * bytes);
      at += at_once * P::step * Threads * bytes;
      place += at_once * Threads * 4;
    }
#pragma unroll
    for (int j = 0; j < at_once - 1; ++j)
      if (k + j * Threads < count) copy_word<4>(place + j * Threads * 4, at + j * P::step * Threads * bytes);
  } else {
    for (; k < count; k += Threads) to[k] = problem.low_word(first + static_cast<std::size_t>(k));
  }
}

/// Writes the first `count` slots to the output from element `from` on, by a whole block.
template <int Threads, class P, class T>
__device__ __forceinline__ void stage_out(P const& problem, segment_slots<T> const& slots, std::size_t from, int count)
{
  using Out = typename P::output;
  constexpr int at_once = sizeof(T) <= 4 ? 8 : sizeof(T) <= 8 ? 4 : 1, threads = Threads;
  constexpr int place_step = static_cast<int>(segment_slots<T>::place(threads));
  Out const first_out = problem.out + static_cast<std::iter_difference_t<Out>>(problem.place(from));
  int k = first_of_thread<Threads>(first_out);
  Out out = first_out + static_cast<std::iter_difference_t<Out>>(P::step * k);
  T const* slot = &slots[k];
  auto const some = [&](auto is_there) {
    T values[at_once];
#pragma unroll
    for (int j = 0; j < at_once; ++j)
      if (is_there(j)) values[j] = slot[j * place_step];
#pragma unroll
    for (int j = 0; j < at_once; ++j)
      if (is_there(j)) out[static_cast<std::iter_difference_t<Out>>(j * P::step * threads)] = values[j];
  };
  for (; k + (at_once - 1) * threads < count; k += at_once * threads) {
    some([](int) { return true; });
    slot += at_once * place_step;
    out += static_cast<std::iter_difference_t<Out>>(at_once * P::step * threads);
  }
  some([=](int j) { return k + j * threads < count; });
}

}  // namespace tally::cuda_backend
