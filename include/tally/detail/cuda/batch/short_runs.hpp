#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <limits>
#include <type_traits>

#include "tally/cuda_execution.hpp"
#include "tally/detail/batch/marked_heads.hpp"
#include "tally/detail/contract.hpp"
#include "tally/detail/cuda/backend.hpp"
#include "tally/detail/cuda/call.hpp"
#include "tally/detail/cuda/tuning.hpp"
#include "tally/detail/path.hpp"

#ifdef __CUDACC__
#include "tally/detail/cuda/batch/short_runs.cuh"
#include "tally/detail/cuda/launch.cuh"
#include "tally/detail/cuda/maps.cuh"
#endif

/// Reductions and scans of short segments on a GPU, whose heads are bits.
namespace tally::cuda_backend {

/// The longest mean length that is short, of a scan and of a reduction.
inline std::size_t most_mean_of_scanned_runs(execution const& /*on*/)
{
  return tuning_in_use().short_runs;
}
inline std::size_t most_mean_of_reduced_runs(execution const& /*on*/)
{
  return tuning_in_use().short_runs_reduced;
}

#ifdef __CUDACC__
/// Marks heads by a team for each block of elements. Teams are many and do not stay.
template <class Work>
__global__ void __launch_bounds__(Work::team_size, 5)
    mark_heads_kernel(__grid_constant__ team_problem<Work> const problem)
{
  typename Work::memory none;
  std::size_t const begin = blockIdx.x * problem.block, n = problem.n;
  problem.work(block_team<Work::team_size>{}, none, begin, n - begin < problem.block ? n : begin + problem.block);
}
#endif

/// Calls work(team, memory, begin, end) for blocks of `Work::rows` parts. Found by argument-dependent lookup on the
/// execution argument.
template <class Work>
void backend_mark_heads(execution const& on, std::size_t n, Work const& work)
{
#ifdef __CUDACC__
  prepared_call const call(on, "tally: marking heads");
  constexpr std::size_t block = Work::size * Work::rows;
  launch(call, mark_heads_kernel<Work>, team_problem<Work>{work, n, block},
         static_cast<unsigned>((n + block - 1) / block), Work::team_size, 0, 1, turn::at_the_end);
#else
  static_assert(never<Work>, "tally: a call on segments on a GPU must be compiled by nvcc, in a .cu file");
#endif
}

#ifdef __CUDACC__
/// Of `most` elements at most.
template <class P>
void launch_short_runs(prepared_call const& call, std::size_t most, P const& problem)
{
  using shape = short_runs_shape<typename P::element>;
  // A table that is not const, as in launch.cuh: only it names the kernel.
  static std::array<void (*)(P const), 1> entry{short_runs_kernel<P>};
  static known_kernels known{};
  int const at_once = blocks_at_a_time(call, entry[0], shape::threads, 0, known);
  auto const resident =
      static_cast<std::size_t>(call.most_blocks() > 0 ? std::min(at_once, call.most_blocks()) : at_once);
  std::size_t const stretches = (most + shape::stretch - 1) / shape::stretch;
  launch(call, entry[0], problem, static_cast<unsigned>(std::min(resident, stretches)), shape::threads, 0, 1,
         turn::at_the_end);
}

template <segment_work What, class T, class Values, class Out, class Head, class Op>
bool try_short_runs(execution const& on, char const* name, detail::batch::marked_heads const& heads,
                    Values const& values, Out const& out, Head const& head, T const* init, Op const& op,
                    detail::direction shift)
{
  static_assert(std::is_trivially_copyable_v<T>, "tally: a call on a GPU takes values that can be copied as bytes");
  static_assert(std::is_convertible_v<std::iter_reference_t<Values>, T>,
                "tally: a call on a GPU takes elements that convert to the accumulator's type");
  using shape = short_runs_shape<T>;
  std::size_t const most_mean =
      What == segment_work::reduce ? most_mean_of_reduced_runs(on) : most_mean_of_scanned_runs(on);
  if constexpr (shape::is_possible) {
    if (most_mean == 0 || heads.n > std::numeric_limits<std::uint32_t>::max()) return false;
    prepared_call const call(on, name);
    auto const in = device_iterator(values);
    auto const to = device_iterator(out);
    using problem =
        short_runs_problem<What, T, Op, std::remove_const_t<decltype(in)>, std::remove_const_t<decltype(to)>, Head>;
    launch_short_runs(
        call, heads.n,
        problem{in, to, head, {heads, most_mean}, initial<T, Op>(init), op, shift == detail::direction::exclusive});
    return true;
  } else {
    return false;
  }
}
#endif

/// Reduces each segment if all are short, and returns whether that was tried. The heads are those of all segments.
/// Found by argument-dependent lookup on the execution argument.
template <class T, class Values, class Out, class Head, class Op>
bool backend_reduce_short_runs(execution const& on, detail::batch::marked_heads const& heads, Values values, Out out,
                               Head const& head, Op const& op)
{
#ifdef __CUDACC__
  return try_short_runs<segment_work::reduce, T>(on, "tally::reduce of short segments", heads, values, out, head,
                                                 static_cast<T const*>(nullptr), op, detail::direction::inclusive);
#else
  static_assert(never<Op>, "tally: a call on segments on a GPU must be compiled by nvcc, in a .cu file");
  return false;
#endif
}

/// The same for a scan of each segment.
template <class T, class Values, class Out, class Head, class Op>
bool backend_scan_short_runs(execution const& on, detail::batch::marked_heads const& heads, Values values, Out out,
                             Head const& head, T const* init, Op const& op, detail::direction shift)
{
#ifdef __CUDACC__
  return try_short_runs<segment_work::scan, T>(on, "tally::scan of short segments", heads, values, out, head, init, op,
                                               shift);
#else
  static_assert(never<Op>, "tally: a call on segments on a GPU must be compiled by nvcc, in a .cu file");
  return false;
#endif
}

}  // namespace tally::cuda_backend
