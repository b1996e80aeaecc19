#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <cuda_runtime.h>

#include "tally/detail/cuda/call.hpp"
#include "tally/detail/cuda/check.cuh"
#include "tally/detail/cuda/choice.hpp"
#include "tally/detail/cuda/own_reduction.cuh"
#include "tally/detail/cuda/problem.cuh"
#include "tally/detail/cuda/reduce_kernel.cuh"
#include "tally/detail/cuda/register_kernels.cuh"
#include "tally/detail/cuda/ring.cuh"
#include "tally/detail/cuda/striped.cuh"
#include "tally/detail/cuda/tuning.hpp"
#include "tally/detail/path.hpp"
#include "tally/error.hpp"
#include "tally/order.hpp"

/// The kernels of a call, and their launch. choice.hpp chooses among them.
namespace tally::cuda_backend {

/// Whether the ring can take this kind of problem: elements in memory, in tiles of which the ring can hold some.
template <class P>
inline constexpr bool fits_ring = [] {
  if constexpr (is_plain<typename P::input>)
    return ring_memory<P>::tile_bytes <= most_ring_tile_bytes && sizeof(ring_memory<P>) <= most_shared_bytes;
  else
    return false;
}();

/// Whether this kind of problem needs the striped kernel, which alone gives steps.
template <class P>
inline constexpr bool needs_stripes = detail::takes_steps<typename P::output>;
/// Whether the striped kernel can take this kind of problem: the operator is exactly associative, and a function gives
/// elements or takes results.
template <class P>
inline constexpr bool fits_stripes = exactly_associative<typename P::operation, typename P::element> &&
                                     !(is_plain<typename P::input> && is_plain<typename P::output>);

/// The start of a kernel: early, while the kernel ahead of it in the stream ends, and then it waits (take_turn); or
/// after that kernel has ended.
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

/// The occupancy of a kernel on a device. It names its kernel: every object file that launches a kernel template has a
/// kernel of its own, but static variables in templates are shared by all.
struct known_kernel {
  std::atomic<void const*> kernel;
  std::atomic<int> blocks;  ///< that run at once on a multiprocessor
};
using known_kernels = std::array<known_kernel, 64>;

/// Shared memory and the cache of a multiprocessor divide the same memory. Without a preference a kernel may run with
/// the division that the kernels around it need.
enum class cache_share { any, large };

/// The number of blocks of a kernel that run at a time on the call's device. CUDA is asked once for each kernel and
/// device. A kernel with a `large` share of the cache leaves it what its blocks do not need.
template <class P>
int blocks_at_a_time(prepared_call const& call, void (*kernel)(P const), int threads, std::size_t shared_bytes,
                     known_kernels& known, cache_share cache = cache_share::any)
{
  known_kernel& here = known[static_cast<std::size_t>(call.device())];
  auto const* const key = reinterpret_cast<void const*>(kernel);
  auto const on_all = [&](int a_processor) { return std::max(1, a_processor * call.processors()); };
  // Acquire and release: a thread that finds the kernel also sees its blocks and its attribute.
  if (here.kernel.load(std::memory_order_acquire) == key) return on_all(here.blocks.load(std::memory_order_relaxed));
  if (shared_bytes > 32 * 1024)  // with a kernel's static variables it may exceed the 48 KiB that need no attribute
    check_cuda(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes)),
        "asking for shared memory");
  int a_processor = 0;
  check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a_processor, kernel, threads, shared_bytes),
             "asking how many blocks run at a time (was the code compiled for this device?)");
  if (cache == cache_share::large) {
    int all = 0, of_block = 0;
    check_cuda(cudaDeviceGetAttribute(&all, cudaDevAttrMaxSharedMemoryPerMultiprocessor, call.device()),
               "asking for the size of shared memory");
    check_cuda(cudaDeviceGetAttribute(&of_block, cudaDevAttrReservedSharedMemoryPerBlock, call.device()),
               "asking for the shared memory of a block");
    int const needed = a_processor * (static_cast<int>(shared_bytes) + of_block);
    check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                    std::min(100, (100 * needed + all - 1) / all)),
               "preferring a size of shared memory");
  }
  here.blocks.store(a_processor, std::memory_order_relaxed);
  here.kernel.store(key, std::memory_order_release);
  return on_all(a_processor);
}

/// Whether input and output have no byte in common.
template <class I, class O>
bool apart(I const* in, O const* out, std::size_t n)
{
  auto const read = reinterpret_cast<std::uintptr_t>(in), written = reinterpret_cast<std::uintptr_t>(out);
  return read + n * sizeof(I) <= written || written + n * sizeof(O) <= read;
}

/// The kernels of one kind of problem, and the properties of it that `choose` needs.
template <class P>
class plan {
public:
  using T = typename P::element;
  using W = working_type<T>;

  static void launch_selected(prepared_call const& call, P const& problem)
  {
    static_assert(fits_stripes<P> || !needs_stripes<P>,
                  "tally: an output that takes steps needs an exactly associative operator");
    auto const blocks_at_once = [&](kernel which) {
      static known_kernels known[resident_kernels]{};
      launchable const& of = launchable_of(which);
      return blocks_at_a_time(call, of.entry, of.threads, of.shared_bytes, known[static_cast<std::size_t>(which)]);
    };
    call_means const means{call.path(), call.most_blocks(), call.capacity(), call.facts().compute_capability,
                           call.processors()};
    choice const selected = choose(shape_of(problem), means, tuning_in_use(), blocks_at_once);
    detail::took(path_of(selected.which), selected.because);
    launchable const& of = launchable_of(selected.which);
    launch(call, of.entry, problem, selected.blocks, of.threads, of.shared_bytes,
           selected.which == kernel::cluster ? selected.blocks : 1);
  }

private:
  static constexpr bool in_memory = is_plain<typename P::input> && is_plain<typename P::output>;
  static constexpr bool whole_words = sizeof(W) % 4 == 0;
  // Several blocks on a multiprocessor hide each other's waits. Groups of few registers leave room for that.
  static constexpr bool narrow = std::is_arithmetic_v<W> && order::group<T> * words_of<W> <= 4;
  static constexpr int own_tile_warps = words_of<W> <= 2 ? 16 : 8;

  static call_shape shape_of(P const& problem)
  {
    call_shape shape{.size = problem.size,
                     .strip = order::strip<T>,
                     .tile = order::tile<T>,
                     .words = words_of<W>,
                     .reduces = problem.what == work::reduce,
                     .takes_steps = needs_stripes<P>,
                     .whole_words = whole_words,
                     .striped_tile = 0,
                     .most_own_tiles = 0,
                     .narrow = narrow && words_of<W> == 1,
                     .fits_ring = false};
    if constexpr (fits_stripes<P>) shape.striped_tile = striped_shape<P>::tile;
    if (shape.reduces) {
      if constexpr (fits_own_reduction<P>) shape.most_own_tiles = own_reduction_threads<P>;
    } else if constexpr (in_memory) {
      if (apart(problem.in, problem.out, problem.size))
        shape.most_own_tiles =
            own_tile_fold<T, typename P::operation, own_tile_warps>::template most_tiles<own_tile_warps>;
    }
    if constexpr (fits_ring<P>) shape.fits_ring = reinterpret_cast<std::uintptr_t>(problem.in) % 16 == 0;
    return shape;
  }

  struct launchable {
    void (*entry)(P const);
    int threads;
    std::size_t shared_bytes;
  };
  /// The entry of a kernel in a table that all object files share. The kernel that is launched must be the one whose
  /// occupancy was asked and whose attribute was set. But every object file has kernels of its own, and which of them a
  /// function names depends on where it is inlined; so only this table names them. It is not const, or the compiler
  /// would look through it.
  static launchable const& launchable_of(kernel which)
  {
    static std::array<launchable, kernels> all = [] {
      std::array<launchable, kernels> entries{};
      for (std::size_t k = 0; k < kernels; ++k) entries[k] = compiled(static_cast<kernel>(k));
      return entries;
    }();
    return all[static_cast<std::size_t>(which)];
  }
  /// The entry for `which`. Only kernels that `shape_of` allows are compiled.
  static constexpr launchable compiled(kernel which)
  {
    if constexpr (fits_stripes<P>) {
      using shape = striped_shape<P>;
      static_assert(2 * shape::kept_bytes <= most_shared_bytes,
                    "tally: on a GPU an element, with what its step takes, is too large for shared memory");
      if (which == kernel::striped) return {striped_kernel<P>, shape::threads, 2 * shape::kept_bytes};
    }
    if constexpr (!needs_stripes<P>) {
      constexpr int tile_threads = static_cast<int>(order::tile_strips) * warp_lanes;
      if constexpr (in_memory) {
        constexpr int warps = own_tile_warps;
        if (which == kernel::own_tiles) return {own_tiles_kernel<P, warps, 1>, warps * warp_lanes, 0};
        if constexpr (narrow && words_of<W> == 1)
          if (which == kernel::own_tiles_in_pairs) return {own_tiles_kernel<P, warps, 2>, warps * warp_lanes, 0};
      }
      if constexpr (fits_ring<P>)
        if (which == kernel::ring) return {ring_kernel<P>, ring_memory<P>::shape::threads, sizeof(ring_memory<P>)};
      if constexpr (whole_words)
        if (which == kernel::cluster) return {cluster_kernel<P, 16>, 16 * warp_lanes, 0};
      // Found in trials: affine maps and argmin read at 0.75 and 0.84 of the limit with two blocks on a multiprocessor,
      // 0.97 with three; wider values spill.
      if (which == kernel::reduction) return {reduce_kernel < P, words_of<W> <= 2 ? 3 : 2 >, reduce_threads, 0};
      if constexpr (fits_own_reduction<P>)
        if (which == kernel::own_reduction) return {own_reduction_kernel<P>, own_reduction_threads<P>, 0};
      if (which == kernel::one_row) return {one_tile_kernel<P, 8, 1>, 8 * warp_lanes, 0};
      if (which == kernel::four_rows) return {one_tile_kernel<P, 8, 4>, 8 * warp_lanes, 0};
      if (which == kernel::eight_rows) return {one_tile_kernel<P, 8, 8>, 8 * warp_lanes, 0};
      if (which == kernel::drawn_tiles) return {drawn_tiles_kernel < P, narrow ? 2 : 1 >, tile_threads, 0};
    }
    return {};
  }
};

/// Launches the kernel for `problem`, after it has set the problem's words and control.
template <class P>
void run(prepared_call& call, P problem)
{
  using T = typename P::element;
  using W = working_type<T>;
  static_assert(sizeof(W) <= 96,
                "tally: on a GPU an element is combined in at most 96 bytes: shared memory holds no more");
  if (problem.size == 0) {
    detail::took(path_of(kernel::nothing));
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
  plan<P>::launch_selected(call, problem);
}

/// The initial value, or the value of nothing: the reduction of no elements writes it.
template <class T, class Op>
initial_value<T, Op> initial(T const* value, T const* nothing = nullptr)
{
  initial_value<T, Op> result;
  std::memset(static_cast<void*>(&result), 0, sizeof result);
  if (value == nullptr && nothing != nullptr) result.value = static_cast<working_type<T>>(*nothing);
  if (value == nullptr) return result;
  result.is_present = true;
  result.value = static_cast<working_type<T>>(*value);
  result.wide = static_cast<carry_type<Op, T>>(result.value);
  return result;
}

/// Runs a call whose kernel is compiled with the calling code.
template <class T, class In, class Out, class Op, class Transform>
void run(prepared_call& call, work what, In in, std::size_t size, Out out, beginning<T> const& from, Op const& op,
         Transform const& transform)
{
  run(call, problem<T, Op, In, Out, Transform>{in, out, size, initial<T, Op>(from.init, from.nothing), op, transform,
                                               what, nullptr, nullptr, 0, false});
}
/// The same with a count in memory.
template <class T, class In, class Out, class Op, class Transform>
void run(prepared_call& call, work what, In in, detail::element_count size, Out out, beginning<T> const& from,
         Op const& op, Transform const& transform)
{
  call.check_pointer(size.fewer.place, "count");
  using uncounted = problem<T, Op, In, Out, Transform>;
  run(call, counted_problem<uncounted>{{in, out, size.most, initial<T, Op>(from.init, from.nothing), op, transform,
                                        what, nullptr, nullptr, 0, false},
                                       size.fewer});
}

/// The definition of a compiled call with a count in memory, where there is one.
template <class Op, class T>
void run_if_compiled(prepared_call& call, work what, T const* in, detail::element_count size, T* out,
                     beginning<T> const& from)
{
  if constexpr (is_compiled_counted<Op, T>) run(call, what, in, size, out, from, Op{}, std::identity{});
}

}  // namespace tally::cuda_backend
