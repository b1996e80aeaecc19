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
#include "tally/cuda/striped_kernel.cuh"
#include "tally/error.hpp"
#include "tally/order.hpp"

/// Which kernel a call becomes, and its launch.
namespace tally::cuda_backend {

/// Whether the ring can take this kind of problem: elements that lie in memory, in tiles of which it can hold some.
template <class P>
inline constexpr bool fits_ring = [] {
  if constexpr (is_plain<typename P::input>)
    return ring_memory<P>::tile_bytes <= 65536 && sizeof(ring_memory<P>) <= 225 * 1024;
  else
    return false;
}();

/// Whether the striped kernel takes this kind of problem: where brackets may be any, and a function gives elements or
/// takes results.
template <class P>
inline constexpr bool needs_stripes = detail::takes_steps<typename P::output>;
template <class P>
inline constexpr bool fits_stripes = exactly_associative<typename P::operation, typename P::element> &&
                                     !(is_plain<typename P::input> && is_plain<typename P::output>);

/// When a kernel begins: while the one before it in the stream ends, and then it waits (take_turn); or after it.
enum class turn { early, at_the_end };

template <class P>
void launch(prepared_call const& call, void (*kernel)(P const), P const& problem, unsigned blocks, int threads,
            std::size_t shared_bytes = 0, unsigned cluster = 1, turn begin = turn::early)
{
  cudaLaunchAttribute attributes[2]{};
  attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[0].val.programmaticStreamSerializationAllowed = begin == turn::early;
  attributes[1].id = cudaLaunchAttributeClusterDimension;
  attributes[1].val.clusterDim.x = cluster;
  attributes[1].val.clusterDim.y = attributes[1].val.clusterDim.z = 1;
  unsigned const count = call.facts().compute_capability < 90 ? 0 : cluster > 1 ? 2 : 1;
  cudaLaunchConfig_t const config{
      dim3(blocks), dim3(static_cast<unsigned>(threads)), shared_bytes, call.stream(), attributes, count};
  check_cuda(cudaLaunchKernelEx(&config, kernel, problem), "launching a kernel");
}

/// What is known of a kernel on each device. Of which kernel, is kept with it: every object file that launches a kernel
/// template has a kernel of its own, but static variables in templates are one for all.
struct known_kernel {
  std::atomic<void const*> kernel;
  std::atomic<int> blocks;
};
using known_kernels = std::array<known_kernel, 64>;

/// How many blocks of a kernel run at a time on the call's device; asked once for each kernel and device.
template <class P>
int blocks_at_a_time(prepared_call const& call, void (*kernel)(P const), int threads, std::size_t shared_bytes,
                     known_kernels& known)
{
  known_kernel& here = known[static_cast<std::size_t>(call.device())];
  auto const* const key = reinterpret_cast<void const*>(kernel);
  // Acquire and release: who finds the kernel finds its blocks, and has its attribute set.
  if (here.kernel.load(std::memory_order_acquire) == key) return here.blocks.load(std::memory_order_relaxed);
  if (shared_bytes > 32 * 1024)  // with what a kernel has besides, it may be more than the 48 KiB that need no asking
    check_cuda(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes)),
        "asking for shared memory");
  int a_processor = 0;
  check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a_processor, kernel, threads, shared_bytes),
             "asking how many blocks run at a time (was the code compiled for this device?)");
  int const all = std::max(1, a_processor * call.facts().processors);
  here.blocks.store(all, std::memory_order_relaxed);
  here.kernel.store(key, std::memory_order_release);
  return all;
}

/// Whether what is read and what is written have no byte in common.
template <class I, class O>
bool apart(I const* in, O const* out, std::size_t n)
{
  auto const read = reinterpret_cast<std::uintptr_t>(in), written = reinterpret_cast<std::uintptr_t>(out);
  return read + n * sizeof(I) <= written || written + n * sizeof(O) <= read;
}

/// One call on its way to a kernel.
template <class P>
class plan {
public:
  plan(prepared_call const& call, P const& problem)
      : call_(call),
        problem_(problem),
        tiles_(problem.tiles()),
        automatic_(call.path() == path::automatic)
  {
  }

  void launch_reduction() const
  {
    if (launch_one_tile() || launch_cluster()) return;
    // Found in trials: affine maps and argmin read at 0.75 and 0.84 of the limit with two, 0.97 with three; wider
    // values spill.
    constexpr auto kernel = reduce_kernel < P, words_of<W> <= 2 ? 3 : 2 > ;
    static known_kernels known{};
    int const blocks = blocks_at_a_time(call_, kernel, reduce_threads, 0, known);
    launch(call_, kernel, problem_, most(std::max(1, blocks - 1)) + 1, reduce_threads);
  }

  void launch_scan() const
  {
    if (!launch_one_tile() && !launch_cluster() && !launch_stripes() && !launch_own_tiles() && !launch_ring())
      launch_drawn_tiles();
  }

  bool launch_stripes() const
  {
    static_assert(fits_stripes<P> || !needs_stripes<P>, "tally: steps are of operators whose brackets may be any");
    if constexpr (fits_stripes<P>) {
      using shape = striped_shape<P>;
      constexpr std::size_t bytes = 2 * shape::kept_bytes;
      static_assert(bytes <= 225 * 1024,
                    "tally: on a GPU an element, with what its step takes, is too large for shared memory");
      // A workspace that cannot grow may have room for the totals of the order's larger tiles only.
      std::size_t const tiles = shape::tiles(problem_.size);
      if (!needs_stripes<P> && (!automatic_ || tiles >= folder_ticket || tiles * words_of<W> > call_.capacity()))
        return false;
      static known_kernels known{};
      int const blocks = blocks_at_a_time(call_, striped_kernel<P>, shape::threads, bytes, known);
      launch(call_, striped_kernel<P>, problem_,
             static_cast<unsigned>(std::min(tiles, static_cast<std::size_t>(wished(blocks)))), shape::threads, bytes);
      return true;
    } else {
      return false;
    }
  }

private:
  using path = execution::workspace::path;
  using T = typename P::element;
  using W = working_type<T>;
  // Several blocks a multiprocessor hide each other's waits; groups that are wide in registers need those of more than
  // one.
  static constexpr bool narrow = std::is_arithmetic_v<W> && order::group<T> * words_of<W> <= 4;

  /// Fewer warps are quicker to launch: 8 with 8 rows each take 1.79 us for a tile, 16 with 4 2.04, 32 with 2 2.26.
  bool launch_one_tile() const
  {
    if (tiles_ > 1 || !automatic_) return false;
    if (problem_.size <= order::strip<T>)
      launch(call_, one_tile_kernel<P, 8, 1>, problem_, 1, 8 * warp_lanes);
    else if (problem_.size <= 4 * order::strip<T>)
      launch(call_, one_tile_kernel<P, 8, 4>, problem_, 1, 8 * warp_lanes);
    else
      launch(call_, one_tile_kernel<P, 8, 8>, problem_, 1, 8 * warp_lanes);
    return true;
  }

  bool launch_cluster() const
  {
    if constexpr (sizeof(W) % 4 == 0) {
      if (tiles_ > most_cluster_tiles || !automatic_ || call_.facts().compute_capability < 90) return false;
      unsigned const blocks = tiles_ <= 2 ? 2 : tiles_ <= 4 ? 4 : 8;
      launch(call_, cluster_kernel<P, 16>, problem_, blocks, 16 * warp_lanes, 0, blocks);
      return true;
    } else {
      return false;
    }
  }

  bool launch_own_tiles() const
  {
    if constexpr (is_plain<typename P::input> && is_plain<typename P::output>) {
      bool const forced = call_.path() == path::own_tiles || call_.path() == path::backwards;
      if ((!automatic_ && !forced) || call_.most_blocks() > 0 || !apart(problem_.in, problem_.out, problem_.size))
        return false;
      // Two blocks a multiprocessor take 0.5 us longer than one where one would do, for they have half of the
      // registers.
      if (launch_own_tiles<1>(forced)) return true;
      if constexpr (narrow && words_of<W> == 1) return launch_own_tiles<2>(false);
    }
    return false;
  }

  template <int BlocksPerProcessor>
  bool launch_own_tiles(bool forced) const
  {
    constexpr int warps = words_of<W> <= 2 ? 16 : 8;
    constexpr auto kernel = own_tiles_kernel<P, warps, BlocksPerProcessor>;
    static known_kernels known{};
    constexpr std::uint32_t most_tiles = own_tile_fold<T, typename P::operation, warps>::template most_tiles<warps>;
    int const blocks = std::min(blocks_at_a_time(call_, kernel, warps * warp_lanes, 0, known),
                                call_.facts().processors * BlocksPerProcessor);
    if (tiles_ > (forced ? most_tiles : std::min(most_tiles, static_cast<std::uint32_t>(blocks)))) return false;
    launch(call_, kernel, problem_, tiles_, warps * warp_lanes);
    return true;
  }

  bool launch_ring() const
  {
    if constexpr (fits_ring<P>) {
      if ((!automatic_ && call_.path() != path::ring) || call_.facts().compute_capability < 90 ||
          reinterpret_cast<std::uintptr_t>(problem_.in) % 16 != 0)
        return false;
      static known_kernels known{};
      constexpr std::size_t bytes = sizeof(ring_memory<P>);
      constexpr int threads = ring_memory<P>::shape::threads;
      int const blocks = blocks_at_a_time(call_, ring_kernel<P>, threads, bytes, known);
      launch(call_, ring_kernel<P>, problem_, most(blocks), threads, bytes);
      return true;
    } else {
      return false;
    }
  }

  void launch_drawn_tiles() const
  {
    constexpr int threads = static_cast<int>(order::tile_strips) * warp_lanes;
    constexpr auto kernel = drawn_tiles_kernel < P, narrow ? 2 : 1 > ;
    static known_kernels known{};
    launch(call_, kernel, problem_, most(blocks_at_a_time(call_, kernel, threads, 0, known)), threads);
  }

  int wished(int blocks) const { return call_.most_blocks() > 0 ? std::min(blocks, call_.most_blocks()) : blocks; }
  unsigned most(int blocks) const { return std::min(tiles_, static_cast<std::uint32_t>(wished(blocks))); }

  prepared_call const& call_;
  P const& problem_;
  std::uint32_t tiles_;
  bool automatic_;
};

/// Launches what `problem` asks for. Its words and control are filled in here.
template <class P>
void run(prepared_call& call, P problem)
{
  using T = typename P::element;
  using W = working_type<T>;
  static_assert(sizeof(W) <= 96,
                "tally: on a GPU an element is combined in at most 96 bytes: shared memory holds no more");
  if (problem.size == 0) {
    if constexpr (!needs_stripes<P>)
      if (problem.what == work::reduce) launch(call, nothing_kernel<P>, problem, 1, 1);
    return;
  }
  if (problem.size / (needs_stripes<P> ? striped_shape<P>::tile : order::tile<T>) >= folder_ticket - 1)
    throw usage_error("tally: a call on a GPU takes fewer than 2^31 tiles of 32 KiB");
  std::size_t words = problem.tiles() * words_of<W>;
  if constexpr (fits_stripes<P>)
    if (needs_stripes<P> || call.can_grow())
      words = std::max(words, striped_shape<P>::tiles(problem.size) * words_of<W>);
  call.reserve_words(words);
  problem.shared = call.shared();
  problem.words = call.words();
  problem.capacity = call.capacity();
  problem.backwards = call.path() == execution::workspace::path::backwards;
  plan<P> const here(call, problem);
  if constexpr (needs_stripes<P>)
    here.launch_stripes();
  else
    problem.what == work::reduce ? here.launch_reduction() : here.launch_scan();
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
                                               nullptr, 0, false});
}

}  // namespace tally::cuda_backend
