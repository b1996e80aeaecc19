#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/detail/at_index.hpp"
#include "tally/detail/cuda/asynchronous.cuh"
#include "tally/detail/cuda/batch/warp_parts.cuh"
#include "tally/detail/cuda/batch/warp_reduction.cuh"
#include "tally/detail/cuda/handover.hpp"
#include "tally/detail/cuda/left_operand.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/order.hpp"

/// Reductions of very short segments: a lane has some segments of its own, straight from memory.
///
/// The instructions for each segment limit these, not memory. So nothing is shared: neighbouring lanes have
/// neighbouring segments, and the caches make whole lines of what they read. The offsets of the next segments are on
/// their way meanwhile.
namespace tally::cuda_backend {

/// The reduction of a call by lanes, for a commutative operator with an identity.
template <class P>
class lane_reduction {
public:
  using T = typename P::element;
  using W = working_type<T>;
  using Op = typename P::operation;
  using shape = warp_shape<P>;
  using left = left_operand<W, Op>;
  static constexpr int group = shape::group;
  static constexpr int each = 4;                    ///< segments of a lane at a time
  static constexpr int chunk = each * warp_lanes;   ///< of a warp
  static constexpr int most_by_lanes = 9 * group;   ///< elements of a segment
  static constexpr std::size_t ticket = 8 * chunk;  ///< segments whose elements are counted before the work begins
  static_assert(chunk <= shape::block);

  __device__ lane_reduction(P const& problem, warp_reduction_memory<P>& own, warp_tickets const& tickets, Op& op)
      : problem_(problem),
        own_(own),
        tickets_(tickets),
        op_(op),
        lane_(static_cast<int>(threadIdx.x) % warp_lanes),
        base_(static_cast<std::uint32_t>(problem.offset(0))),
        none_(left::absent(op, W()).value),
        start_(problem.init.is_present ? left::present(problem.init.value) : left::absent(op, W())),
        nothing_(problem.of_nothing(problem.init)),
        elements_(problem.in + problem.offset(0))
  {
  }

  /// Reduces all segments, by all warps of a grid, unless a word in memory calls for the general kernel.
  __device__ __forceinline__ void work(std::uint64_t const* general_word, std::uint32_t epoch)
  {
    std::size_t const step = static_cast<std::size_t>(gridDim.x) * shape::warps * chunk;
    std::size_t first = (static_cast<std::size_t>(blockIdx.x) * shape::warps + threadIdx.x / warp_lanes) * chunk;
    std::uint64_t general = 0;
    std::uint32_t begins[each] = {}, ends[each] = {};
    if (is_whole(first)) load(first, begins, ends);
#pragma unroll 1
    for (unsigned turn = 0; first < problem_.segments; first += step, ++turn) {
      if (static_cast<std::uint32_t>(general >> 32) == epoch) return;
      if (turn % 16 == 0) general = load_relaxed(general_word);
      bool const whole = is_whole(first);
      int sizes[each], most = 0;
      T const* at[each];
#pragma unroll
      for (int e = 0; e < each; ++e) {
        sizes[e] = static_cast<int>(ends[e] - begins[e]);
        at[e] = elements_ + (begins[e] - base_);
        most = max(most, sizes[e]);
      }
      if (is_whole(first + step)) load(first + step, begins, ends);
      if (!whole || __any_sync(whole_warp, most > most_by_lanes))
        by_parts(first, whole ? chunk : static_cast<int>(problem_.segments - first));
      else
        reduce(first, at, sizes, most);
    }
  }

private:
  __device__ __forceinline__ bool is_whole(std::size_t first) const { return first + chunk <= problem_.segments; }
  __device__ __forceinline__ std::uint32_t low_word(std::size_t segment) const
  {
    return static_cast<std::uint32_t>(problem_.offsets[static_cast<std::ptrdiff_t>(segment)]);
  }
  __device__ __forceinline__ void load(std::size_t first, std::uint32_t (&begins)[each], std::uint32_t (&ends)[each])
  {
    auto const* const own = problem_.offsets + first + lane_;
#pragma unroll
    for (int e = 0; e < each; ++e) {
      begins[e] = static_cast<std::uint32_t>(own[e * warp_lanes]);
      ends[e] = static_cast<std::uint32_t>(own[e * warp_lanes + 1]);
    }
  }

  /// A chunk whose segments have nine groups at most: eight, a balanced tree that ends at the right, and the last one.
  __device__ __forceinline__ void reduce(std::size_t first, T const* const (&at)[each], int const (&sizes)[each],
                                         int most)
  {
    int last[each];  // the first element of the last group
    W values[each];
    T loaded[each][group];
#pragma unroll
    for (int e = 0; e < each; ++e) {
      last[e] = max(sizes[e] - 1, 0) & ~(group - 1);
#pragma unroll
      for (int j = 0; j < group; ++j) {
        loaded[e][j] = static_cast<T>(none_);
        if (j < sizes[e] - last[e]) loaded[e][j] = at[e][last[e] + j];
      }
    }
#pragma unroll
    for (int e = 0; e < each; ++e) {
      values[e] = static_cast<W>(loaded[e][0]);
#pragma unroll
      for (int j = 1; j < group; ++j)
        values[e] =
            select(j < sizes[e] - last[e], static_cast<W>(op_(values[e], static_cast<W>(loaded[e][j]))), values[e]);
    }
    if (__any_sync(whole_warp, most > group)) {
#pragma unroll
      for (int e = 0; e < each; ++e)
        if (__any_sync(whole_warp, last[e] > 0)) {
          W const fold = fold_before(at[e] + last[e], last[e] / group);
          values[e] = select(last[e] > 0, static_cast<W>(op_(fold, values[e])), values[e]);
        }
    }
#pragma unroll
    for (int e = 0; e < each; ++e)
      problem_.put_result(first + static_cast<std::size_t>(e * warp_lanes + lane_),
                          sizes[e] > 0 ? static_cast<T>(start_.before(values[e], op_)) : nothing_);
  }

  /// The fold of the `count` groups that end at `end`, as the brackets of Kogge and Stone's scan make it.
  __device__ __forceinline__ W fold_before(T const* end, int count)
  {
    auto const two = [&](int right) {  // counted from the right
      W const own = total(right <= count, end - right * group);
      return static_cast<W>(op_(total(right < count, end - (right + 1) * group), own));
    };
    W fold = two(1);
    if (__any_sync(whole_warp, count > 2)) fold = static_cast<W>(op_(two(3), fold));
    if (__any_sync(whole_warp, count > 4)) {
      W const right = two(5);
      fold = static_cast<W>(op_(static_cast<W>(op_(two(7), right)), fold));
    }
    return fold;
  }
  __device__ __forceinline__ W total(bool is_there, T const* at)
  {
    T const* const own = is_there ? at : elements_;  // the call has elements
    W result = static_cast<W>(own[0]);
#pragma unroll
    for (int j = 1; j < group; ++j) result = static_cast<W>(op_(result, static_cast<W>(own[is_there ? j : 0])));
    return select(is_there, result, none_);
  }

  /// Segments of any lengths by the warp together, in shared memory.
  __device__ __forceinline__ void by_parts(std::size_t first, int count)
  {
    std::uint32_t* const offsets = own_.room.offsets[0];
    for (int k = lane_; k <= count; k += warp_lanes) offsets[k] = low_word(first + static_cast<std::size_t>(k));
    __syncwarp();
    if (offsets[count] - offsets[0] > tickets_.most) return;  // the call is the general kernel's
    warp_block block{first, static_cast<std::size_t>(offsets[0] - base_) + problem_.offset(0), count, 0, 0, 0};
    warp_reduction<P> work(problem_, own_, op_);
    shared_place<T> const elements(own_.room.elements[0]);
    while (block.has_more()) {
      warp_part const part = block.next(problem_, own_.room, 0, lane_);
      await_copies();
      __syncwarp();
      work.work_on(part, elements);
      __syncwarp();
    }
  }

  P const& problem_;
  warp_reduction_memory<P>& own_;
  warp_tickets const& tickets_;
  Op& op_;
  int lane_;
  std::uint32_t base_;
  W none_;
  left start_;
  T nothing_;
  T const* elements_;
};

}  // namespace tally::cuda_backend
