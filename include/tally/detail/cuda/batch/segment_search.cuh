#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/detail/cuda/awaited_totals.cuh"
#include "tally/detail/cuda/handover.hpp"
#include "tally/detail/cuda/warp.cuh"

namespace tally::cuda_backend {

/// The first segment that begins in each chunk of segments_kernel. All warps search at the beginning of the kernel and
/// publish what they find: a search is six or seven round trips to memory, one after the other, and would double a
/// chunk's time. A block that does not find what it needs searches for itself.
template <class P, int Unit, std::size_t ASegment = 1>
struct segment_search {
  P const& problem;
  std::size_t base;  ///< the first offset
  std::uint32_t chunks;

  /// Finds the first segment from whose beginning on `goals[i]` units lie before, for each i, by a warp.
  template <int Count>
  __device__ __forceinline__ void find(std::size_t const (&goals)[Count], std::size_t (&found)[Count]) const
  {
    int const lane = static_cast<int>(threadIdx.x) % warp_lanes;
    std::size_t ends[Count];
#pragma unroll
    for (int k = 0; k < Count; ++k) {
      found[k] = 0;
      ends[k] = problem.segments;
    }
    for (bool more = problem.segments > 0; more;) {
      // Each lane looks at the last segment of its share of those left.
      std::size_t share[Count], at[Count], units[Count];
#pragma unroll
      for (int k = 0; k < Count; ++k) {
        share[k] = (ends[k] - found[k] + warp_lanes - 1) / warp_lanes;
        at[k] = found[k] + static_cast<std::size_t>(lane + 1) * share[k] - 1;
        units[k] = at[k] < ends[k] ? problem.offset(at[k]) - base + ASegment * at[k] : goals[k];
      }
      more = false;
#pragma unroll
      for (int k = 0; k < Count; ++k) {
        unsigned const reached = __ballot_sync(whole_warp, units[k] >= goals[k]);
        int const first = reached == 0 ? warp_lanes : __ffs(static_cast<int>(reached)) - 1;
        std::size_t const end = found[k] + (static_cast<std::size_t>(first) + 1) * share[k] - 1;
        if (share[k] > 0) {
          found[k] += static_cast<std::size_t>(first) * share[k];
          ends[k] = end < ends[k] ? end : ends[k];
          if (found[k] > ends[k]) found[k] = ends[k];
        }
        more = more || found[k] < ends[k];
      }
    }
  }

  __device__ __forceinline__ void publish_all(std::uint64_t* words, std::uint32_t epoch, int warp, int warps) const
  {
    constexpr int at_once = 4;
    std::size_t const step = static_cast<std::size_t>(gridDim.x) * static_cast<std::size_t>(warps);
    for (std::size_t chunk = 1 + static_cast<std::size_t>(warp) * gridDim.x + blockIdx.x; chunk < chunks;
         chunk += at_once * step) {
      std::size_t goals[at_once], found[at_once];
#pragma unroll
      for (int k = 0; k < at_once; ++k) goals[k] = (chunk + static_cast<std::size_t>(k) * step) * Unit;
      find(goals, found);
      if (threadIdx.x % warp_lanes == 0) {
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
          std::size_t const own = chunk + static_cast<std::size_t>(k) * step;
          if (own < chunks) publish(words + own * words_of<std::size_t>, found[k], epoch);
        }
      }
    }
  }

  /// A chunk, and the segments that begin in it.
  struct header {
    std::uint32_t chunk;      ///< beyond the last one: there is none
    std::size_t first, last;  ///< [first, last)
    std::size_t offsets[4];   ///< of first - 1, first, last - 1 and last, where there are such
  };

  /// The chunks of a block, one after the other, for one warp. Three round trips to memory lie between a ticket and its
  /// header; `next` waits for one of them if the chunks behind are on their way, `look_ahead`.
  class scout {
  public:
    __device__ scout(segment_search const& all, std::uint64_t const* words, std::uint32_t epoch, bool is_published,
                     std::uint32_t first_chunk)
        : all_(all),
          words_(words),
          epoch_(epoch),
          is_published_(is_published),
          drawn_(first_chunk)
    {
    }

    /// Every call of `next` then finds two further chunks on their way.
    __device__ __forceinline__ void look_ahead(int lane)
    {
      ask_firsts(lane);
      draw(lane);
      ask_offsets(lane);
      resolve_drawn(lane);
      ask_firsts(lane);
      draw(lane);
    }
    __device__ __forceinline__ header next_of_many(int lane)
    {
      header const result = take();
      ask_offsets(lane);
      resolve_drawn(lane);
      ask_firsts(lane);
      draw(lane);
      return result;
    }
    /// The same, one chunk at a time.
    __device__ __forceinline__ header next_alone(int lane)
    {
      if (!is_first_) {
        draw(lane);
        resolve_drawn(lane);
      }
      is_first_ = false;
      ask_firsts(lane);
      ask_offsets(lane);
      return take();
    }

  private:
    __device__ __forceinline__ void draw(int lane)
    {
      if (lane == 0 && drawn_ < all_.chunks) ticket_ = draw_unseen(*all_.problem.shared);
    }
    __device__ __forceinline__ void resolve_drawn(int lane)
    {
      if (drawn_ >= all_.chunks) return;
      if (lane == 0) drawn_ = resolve(*all_.problem.shared, ticket_, tickets_of_scan(all_.chunks, gridDim.x)).tile;
      drawn_ = __shfl_sync(whole_warp, drawn_, 0);
    }
    /// Lanes 0 and 1 ask for the first segments of the chunk and of the one behind it, where these are published.
    __device__ __forceinline__ void ask_firsts(int lane)
    {
      asked_ = drawn_;
      if (is_published_ && is_asked(lane)) read_.load(words_ + word_of(lane));
    }
    __device__ __forceinline__ void ask_offsets(int lane)
    {
      chunk_ = asked_;
      std::size_t own = asked_ + static_cast<std::uint32_t>(lane) == 0 ? 0 : all_.problem.segments;
      bool is_there = !is_asked(lane) || (is_published_ && read_.decode(own, epoch_));
      for (unsigned polls = is_published_ ? polls_before_standing_in : 0;
           polls > 0 && !__all_sync(whole_warp, is_there); --polls) {
        __nanosleep(64);
        if (is_asked(lane)) {
          read_.load(words_ + word_of(lane));
          is_there = read_.decode(own, epoch_);
        }
      }
      first_ = shuffle_from(own, 0);
      last_ = shuffle_from(own, 1);
      if (!__all_sync(whole_warp, is_there)) {
        std::size_t const goals[2] = {static_cast<std::size_t>(asked_) * Unit,
                                      (static_cast<std::size_t>(asked_) + 1) * Unit};
        std::size_t ends[2];
        all_.find(goals, ends);
        first_ = ends[0];
        last_ = ends[1];
      }
      std::size_t const at =
          lane < 2 ? first_ + static_cast<std::size_t>(lane) : last_ + static_cast<std::size_t>(lane) - 2;
      offset_ = lane < 4 && chunk_ < all_.chunks && at > 0 ? all_.problem.offset(at - 1) : 0;
    }
    __device__ __forceinline__ header take() const
    {
      return {chunk_,
              first_,
              last_,
              {shuffle_from(offset_, 0), shuffle_from(offset_, 1), shuffle_from(offset_, 2), shuffle_from(offset_, 3)}};
    }
    __device__ __forceinline__ bool is_asked(int lane) const
    {
      std::uint32_t const own = asked_ + static_cast<std::uint32_t>(lane);
      return lane < 2 && own > 0 && own < all_.chunks;
    }
    __device__ __forceinline__ std::size_t word_of(int lane) const
    {
      return (static_cast<std::size_t>(asked_) + static_cast<std::size_t>(lane)) * words_of<std::size_t>;
    }

    segment_search const& all_;
    std::uint64_t const* words_;
    std::uint32_t epoch_;
    bool is_published_, is_first_ = true;
    std::uint32_t drawn_, asked_ = 0, chunk_ = 0;  // the chunks of the three steps
    std::uint64_t ticket_ = 0;
    read_words<std::size_t> read_;
    std::size_t first_ = 0, last_ = 0, offset_ = 0;
  };
};

}  // namespace tally::cuda_backend
