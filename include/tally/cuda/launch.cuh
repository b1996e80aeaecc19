#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <cuda_runtime.h>

#include "tally/cuda/call.hpp"
#include "tally/cuda/problem.cuh"
#include "tally/cuda/reduce_kernel.cuh"
#include "tally/cuda/register_kernels.cuh"
#include "tally/cuda/ring_kernel.cuh"
#include "tally/error.hpp"
#include "tally/order.hpp"

/// Which kernel a call becomes, and its launch.
namespace tally::cuda_backend {

/// From how many bytes of input on the ring is quicker than tiles in registers: on an H200 it takes 7.0 us where they take 6.5 for 8 MiB,
/// and 10.6 where they take 11.7 for 16 MiB.
inline constexpr std::size_t ring_from_bytes = std::size_t(1) << 24;

/// Whether the ring can take this kind of problem: elements that lie in memory, in tiles of which it can hold some.
template <class P>
inline constexpr bool fits_ring = [] {
  if constexpr (is_plain<typename P::input>)
    return ring_memory<P>::tile_bytes <= 65536 && sizeof(ring_memory<P>) <= 225 * 1024;
  else
    return false;
}();

/// Launches a kernel in such a way that it may begin while the one before it in the stream ends (take_turn).
template <class P>
void launch(prepared_call const& call, void (*kernel)(P const), P const& problem, unsigned blocks, int threads,
            std::size_t shared_bytes = 0)
{
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = shared_bytes;
  config.stream = call.stream();
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  config.attrs = &early;
  config.numAttrs = call.facts().compute_capability >= 90 ? 1 : 0;
  check_cuda(cudaLaunchKernelEx(&config, kernel, problem), "launching a kernel");
}

/// How many blocks of a kernel run at a time on the call's device; asked once for each kernel and device.
template <class P>
int blocks_at_a_time(prepared_call const& call, void (*kernel)(P const), int threads, std::size_t shared_bytes,
                     std::array<std::atomic<int>, 64>& known)
{
  std::atomic<int>& blocks = known[static_cast<std::size_t>(call.device())];
  if (int const before = blocks.load(std::memory_order_relaxed); before != 0) return before;
  if (shared_bytes > 48 * 1024)
    check_cuda(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes)),
        "asking for shared memory");
  int a_processor = 0;
  check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a_processor, kernel, threads, shared_bytes),
             "asking how many blocks run at a time (was the code compiled for this device?)");
  int const all = std::max(1, a_processor * call.facts().processors);
  blocks.store(all, std::memory_order_relaxed);
  return all;
}

/// Launches what `problem` asks for. Its words and control are filled in here.
template <class P>
void run(prepared_call& call, P problem)
{
  using T = typename P::element;
  using W = working_type<T>;
  // Several blocks a multiprocessor hide each other's waits; groups that are wide in registers need those of more than one.
  constexpr bool narrow = std::is_arithmetic_v<W> && order::group<T> * words_of<W> <= 4;
  constexpr int tile_threads = static_cast<int>(order::tile_strips) * warp_lanes;
  if (problem.size == 0) {
    if (problem.what == work::reduce) launch(call, nothing_kernel<P>, problem, 1, 1);
    return;
  }
  if (problem.size / order::tile<T> >= 0xffff0000u)
    throw usage_error("tally: a call on a GPU takes fewer than 2^32 tiles of 32 KiB");
  std::uint32_t const tiles = problem.tiles();
  call.reserve_words(tiles * words_of<W>);
  problem.shared = call.shared();
  problem.words = call.words();
  problem.capacity = call.capacity();
  auto const most = [&](int blocks) {
    std::uint32_t const wished = call.most_blocks() > 0 ? std::min(blocks, call.most_blocks()) : blocks;
    return std::min(tiles, wished);
  };
  bool const automatic = call.path() == execution::workspace::path::automatic;
  if (tiles == 1 && automatic) {
    if (problem.size <= order::strip<T>)
      launch(call, one_tile_kernel<P, 8, 1>, problem, 1, 8 * warp_lanes);
    else if (problem.size <= 4 * order::strip<T>)
      launch(call, one_tile_kernel<P, 16, 2>, problem, 1, 16 * warp_lanes);
    else
      launch(call, one_tile_kernel<P, 8, 8>, problem, 1, 8 * warp_lanes);
    return;
  }
  if (problem.what == work::reduce) {
    constexpr auto kernel = reduce_kernel < P, narrow ? 3 : 2 > ;
    static std::array<std::atomic<int>, 64> known{};
    int const blocks = blocks_at_a_time(call, kernel, reduce_threads, 0, known);
    launch(call, kernel, problem, most(std::max(1, blocks - 1)) + 1, reduce_threads);
    return;
  }
  if constexpr (fits_ring<P>) {
    bool const aligned = reinterpret_cast<std::uintptr_t>(problem.in) % 16 == 0;
    bool const large = problem.size * sizeof(*problem.in) >= ring_from_bytes;
    bool const wished = automatic ? large : call.path() == execution::workspace::path::ring;
    if (aligned && wished && call.facts().compute_capability >= 90) {
      static std::array<std::atomic<int>, 64> known{};
      constexpr std::size_t bytes = sizeof(ring_memory<P>);
      int const blocks = blocks_at_a_time(call, ring_kernel<P>, ring_threads<W>, bytes, known);
      launch(call, ring_kernel<P>, problem, most(blocks), ring_threads<W>, bytes);
      return;
    }
  }
  constexpr auto kernel = tiles_kernel < P, narrow ? 2 : 1 > ;
  static std::array<std::atomic<int>, 64> known{};
  launch(call, kernel, problem, most(blocks_at_a_time(call, kernel, tile_threads, 0, known)), tile_threads);
}

template <class T, class Op>
initial_value<T, Op> initial(T const* value)
{
  initial_value<T, Op> result;
  std::memset(static_cast<void*>(&result), 0, sizeof result);
  if (value == nullptr) return result;
  result.there = true;
  result.value = static_cast<working_type<T>>(*value);
  result.wide = static_cast<carry_type<Op, T>>(result.value);
  return result;
}

/// Every call that is compiled where it is made.
template <class T, class In, class Out, class Op, class Transform>
void run(prepared_call& call, work what, In in, std::size_t size, Out out, T const* init, Op const& op,
         Transform const& transform)
{
  run(call, problem<T, Op, In, Out, Transform>{in, out, size, initial<T, Op>(init), op, transform, what, nullptr,
                                               nullptr, 0});
}

}  // namespace tally::cuda_backend
