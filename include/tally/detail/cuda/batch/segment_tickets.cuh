#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/detail/cuda/handover.hpp"
#include "tally/detail/cuda/problem.cuh"
#include "tally/detail/cuda/warp.cuh"

/// How warps that each work alone share out the segments of a call.
///
/// A warp takes *tickets*, some segments one after the other with some thousand elements together. Most tickets are
/// dealt out beforehand, and the last ones are drawn.
///
/// A ticket with very many elements would keep one warp busy while the others have ended. If one is too large, the
/// general kernel behind in the stream does the whole call (segments.cuh). A reduction looks at the sizes of all
/// tickets as it begins, and its warps leave when they see that. A scan may overwrite its elements, so a kernel of its
/// own looks ahead of it. Or warps leave out the long segments of a scan, and the ring scans those (segment_tiles.cuh).
namespace tally::cuda_backend {

/// Words behind those of the general kernel: of the tickets, and in another line of memory the one that calls for that
/// kernel.
inline constexpr std::size_t words_by_warps = 32, word_of_shares = 8, word_of_call = 16;
template <class P>
__host__ __device__ __forceinline__ std::uint64_t* words_of_tickets(P const& problem)
{
  return problem.words + problem.capacity - words_by_warps;
}

__device__ __forceinline__ std::uint64_t add_unseen(std::uint64_t* word)
{
#ifdef __CUDA_ARCH__
  std::uint64_t before;
  asm volatile("atom.relaxed.gpu.global.add.u64 %0, [%1], 1;" : "=l"(before) : "l"(word) : "memory");
  return before;
#else
  return (*word)++;
#endif
}

template <class P>
__device__ __forceinline__ std::uint32_t epoch_of(P const& problem)
{
  return static_cast<std::uint32_t>(load_relaxed(&problem.shared->next) >> 32) + 1;
}

/// The segments of a call, shared out in tickets.
struct segment_tickets {
  std::size_t count = 0;
  std::size_t dealt = 0;     ///< tickets that are dealt out beforehand, in turns of all warps; the others are drawn
  std::size_t segments = 1;  ///< of a ticket
  std::uint32_t most = 0;    ///< elements of a ticket, if the call is not the general kernel's

  /// Shares out the segments of a grid. `Shape` has the numbers of elements: `ticket` of a ticket on average, at most,
  /// and `least_ticket` at least. A single one may have a warp's share of all, but at most `most_in_ticket`, and
  /// `least_in_ticket` always.
  template <class Shape>
  __device__ __forceinline__ static segment_tickets of(std::size_t elements, std::size_t segments, Shape)
  {
    segment_tickets result;
    float const workers = static_cast<float>(workers_of_grid<Shape>());
    float const mean = static_cast<float>(elements) / static_cast<float>(segments);
    // An empty segment counts like an element.
    float const target =
        fminf(static_cast<float>(Shape::ticket), fmaxf(static_cast<float>(Shape::least_ticket),
                                                       static_cast<float>(elements + segments) / (8.0f * workers)));
    float const share = target / (mean + 1.0f);
    float const share_of_all = static_cast<float>(elements) / workers;
    result.most = static_cast<std::uint32_t>(fminf(fmaxf(share_of_all, static_cast<float>(Shape::least_in_ticket)),
                                                   static_cast<float>(Shape::most_in_ticket)));
    result.share_out<Shape>(segments, share < 1.0f ? 1 : static_cast<std::size_t>(share));
    return result;
  }

  /// Makes tickets of `each` segments.
  template <class Shape>
  __device__ __forceinline__ void share_out(std::size_t all, std::size_t each)
  {
    std::size_t const workers = workers_of_grid<Shape>();
    segments = each;
    count = (all + each - 1) / each;
    // The fewer segments a warp has, the more its share of elements differs from the mean.
    float const differs = 4 * rsqrtf(static_cast<float>(all) / static_cast<float>(workers) + 1.0f);
    dealt = static_cast<std::size_t>(static_cast<float>(count) * (1.0f - fminf(differs, 0.4f))) / workers * workers;
  }

  template <class Shape>
  __device__ __forceinline__ static std::size_t workers_of_grid()
  {
    return static_cast<std::size_t>(gridDim.x) * Shape::warps;
  }
};

/// The tickets of a warp, one after the other. The next one is drawn ahead.
template <class Shape>
class tickets_of_warp {
public:
  __device__ __forceinline__ tickets_of_warp(segment_tickets const& tickets, std::uint64_t* word, std::uint32_t epoch)
      : tickets_(tickets),
        word_(word),
        epoch_(epoch),
        lane_(static_cast<int>(threadIdx.x) % warp_lanes),
        dealt_(static_cast<std::size_t>(threadIdx.x / warp_lanes) * gridDim.x + blockIdx.x)
  {
    if (dealt_ >= tickets_.dealt) draw_first();
  }

  /// The next ticket, or a number that no ticket has.
  __device__ __forceinline__ std::size_t take()
  {
    std::size_t const own = dealt_;
    if (dealt_ < tickets_.dealt) {
      dealt_ += segment_tickets::workers_of_grid<Shape>();
      if (dealt_ >= tickets_.dealt) draw_first();
      return own;
    }
    std::uint64_t ticket = 0;
    if (lane_ == 0) {
      ticket = tickets_.dealt + static_cast<std::uint32_t>(drawn_);
      if (ticket < tickets_.count) drawn_ = add_unseen(word_);
    }
    return __shfl_sync(whole_warp, static_cast<unsigned long long>(ticket), 0);
  }

private:
  __device__ __forceinline__ void draw_first()
  {
    if (lane_ == 0) drawn_ = count_at(word_, epoch_) - 1;
  }

  segment_tickets const& tickets_;
  std::uint64_t* word_;
  std::uint32_t epoch_;
  int lane_;
  std::size_t dealt_;
  std::uint64_t drawn_ = 0;  ///< as it was read; the one of lane 0
};

template <class P>
__device__ __forceinline__ bool is_too_large(segment_tickets const& tickets, P const& problem, std::size_t k)
{
  std::size_t const first = k * tickets.segments;
  std::size_t const end = first + tickets.segments < problem.segments ? first + tickets.segments : problem.segments;
  return problem.offset(end) - problem.offset(first) > tickets.most;
}

/// Whether a reduction goes by trees (tree_segments.cuh).
template <class P>
__device__ __forceinline__ bool is_reduced_by_trees(P const& problem)
{
  return (problem.offset(problem.segments) - problem.offset(0)) / problem.segments >= problem.reduced_by_trees;
}

/// Calls for the general kernel if a ticket is too large, or if there are none, by all threads of a grid.
template <class P>
__device__ __forceinline__ void look_at(segment_tickets const& tickets, P const& problem, std::uint32_t epoch)
{
  std::uint64_t* const word = words_of_tickets(problem) + word_of_call;
  if (tickets.count == 0 && blockIdx.x == 0 && threadIdx.x == 0) store_relaxed(word, tagged(1, epoch));
  for (std::size_t k = blockIdx.x + static_cast<std::size_t>(threadIdx.x) * gridDim.x; k < tickets.count;
       k += static_cast<std::size_t>(gridDim.x) * blockDim.x)
    if (is_too_large(tickets, problem, k)) store_relaxed(word, tagged(1, epoch));
}

}  // namespace tally::cuda_backend
