#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include "tally/detail/cuda/asynchronous.cuh"
#include "tally/detail/cuda/batch/segment_problem.cuh"
#include "tally/detail/cuda/batch/segment_staging.cuh"
#include "tally/detail/cuda/batch/segment_tickets.cuh"
#include "tally/detail/cuda/batch/segment_trees.cuh"
#include "tally/detail/cuda/elements.cuh"
#include "tally/detail/cuda/handover.hpp"
#include "tally/detail/cuda/warp.cuh"
#include "tally/order.hpp"

/// How warps that each work alone, without a barrier of a block, come to the elements of segments that they reduce.
///
/// A warp has tickets (segment_tickets.cuh). Their offsets come to shared memory in *blocks*, their elements in
/// *parts*, which are as many whole segments as there is room for, or a strip of a longer segment. The next part and
/// the block behind it are on their way while the warp works on a part.
namespace tally::cuda_backend {

/// Whether a kind of problem can be reduced by warps.
template <class P>
inline constexpr bool fits_warps = [] {
  using T = typename P::element;
  using Op = typename P::operation;
  if constexpr (P::reduces && !P::from_back && is_plain<typename P::input> && is_plain<typename P::offset_iterator> &&
                has_identity<Op, T> && commutative<Op, T>)
    return std::is_same_v<std::remove_cv_t<std::iter_value_t<typename P::input>>, T> &&
           std::is_same_v<working_type<T>, T> && (sizeof(T) == 4 || sizeof(T) == 8) && alignof(T) == sizeof(T) &&
           (sizeof(std::iter_value_t<typename P::offset_iterator>) == 4 ||
            sizeof(std::iter_value_t<typename P::offset_iterator>) == 8);
  else
    return false;
}();

/// The sizes of the kernels for warps that work alone.
template <class P>
struct warp_shape {
  using T = typename P::element;
  static constexpr int group = static_cast<int>(order::group<T>), row = static_cast<int>(order::row<T>);
  static constexpr int tile = static_cast<int>(order::tile<T>);
  static constexpr int tree = 8 * group;                          ///< elements of a lane's tree
  static constexpr int room = static_cast<int>(order::strip<T>);  ///< elements of a part
  static constexpr int block = 256;                               ///< most segments of a block
  static constexpr int warps = 6, blocks_a_processor = 3, threads = warps * warp_lanes;
  static constexpr int ticket = 4 * room, least_ticket = room / 2;  ///< see segment_tickets
  static constexpr int most_in_ticket = 32 * room, least_in_ticket = 16 * room;
  static constexpr std::size_t least_mean_of_8 = 16;  ///< elements of 8 segments; else the call is the general kernel's
  /// Reductions of fewer elements a segment are by lanes (lane_segments.cuh).
  static constexpr std::size_t mean_by_lanes = 3;
};

/// The segments of a call, shared out in tickets of whole blocks.
struct warp_tickets : segment_tickets {
  int block = 1;          ///< segments of a block
  bool by_lanes = false;  ///< a lane has whole segments; these tickets are only looked at

  template <class Shape>
  __device__ __forceinline__ static warp_tickets of(std::size_t elements, std::size_t segments, Shape shape)
  {
    constexpr int room = Shape::room, most = Shape::block;
    warp_tickets result{segment_tickets::of(elements, segments, shape)};
    // Blocks fill whole parts, but for a fifth of the last one.
    float const mean = static_cast<float>(elements) / static_cast<float>(segments);
    float const parts = fmaxf(1.0f, floorf(most * mean / room));
    float const block = fminf(static_cast<float>(most), (parts - 0.2f) * (room - mean / 2) / fmaxf(mean, 0.001f));
    result.block = block < 1.0f ? 1 : static_cast<int>(block);
    if (result.segments < static_cast<std::size_t>(result.block)) result.block = static_cast<int>(result.segments);
    std::size_t const blocks = result.segments / static_cast<std::size_t>(result.block);
    result.template share_out<Shape>(segments, blocks * static_cast<std::size_t>(result.block));
    return result;
  }
};

/// The shared memory of a warp for offsets and elements.
template <class P>
struct warp_room {
  using shape = warp_shape<P>;

  alignas(16) typename P::element elements[2][shape::room + 2 * shape::group];
  std::uint32_t offsets[3][shape::block + 4];
};

/// Elements in shared memory.
struct warp_part {
  std::size_t first;      ///< its first segment
  std::size_t at;         ///< the number of its first element, of all that there are
  std::uint32_t from;     ///< the low word of the offset of its first element
  std::int16_t segments;  ///< whole ones; none if it is a strip
  std::int16_t begin;     ///< number of the first segment in its block
  std::int16_t place;     ///< of its first element
  std::int16_t count;     ///< elements
  std::int8_t block;      ///< place of its offsets
  bool continues;         ///< the first segment has strips before in its tile
  bool has_tiles;         ///< the first segment has tiles before
  bool ends_tile;         ///< only the tile ends, not its segment
  bool exists;
};

/// Segments whose offsets are in shared memory, and which of them come next.
struct warp_block {
  std::size_t first, base;  ///< its first segment, and the number of that one's first element, of all that there are
  int segments;
  int place;  ///< of its offsets
  int k;      ///< the next segment
  int done;   ///< elements of that one

  __device__ __forceinline__ bool has_more() const { return k < segments; }
  /// The elements of the next segment.
  template <class P>
  __device__ __forceinline__ std::uint32_t elements_of_next(warp_room<P> const& room) const
  {
    return room.offsets[place][k + 1] - room.offsets[place][k];
  }
  /// Begins to copy the next part to a buffer. There is one.
  template <class P>
  __device__ __forceinline__ warp_part next(P const& problem, warp_room<P>& memory, int side, int lane)
  {
    using T = typename P::element;
    using shape = warp_shape<P>;
    constexpr std::uint32_t room = shape::room;
    std::uint32_t const* const offsets = memory.offsets[place];
    auto const before = static_cast<std::uint32_t>(done);
    std::uint32_t const start = offsets[k], rest = offsets[k + 1] - start - before;
    warp_part result;
    result.first = first + static_cast<std::size_t>(k);
    result.begin = static_cast<std::int16_t>(k);
    result.block = static_cast<std::int8_t>(place);
    result.from = start + before;
    result.continues = before % shape::tile != 0;
    result.has_tiles = before >= shape::tile;
    result.ends_tile = false;
    result.exists = true;
    int count = shape::room;
    if (rest > room) {
      result.ends_tile = (before + room) % shape::tile == 0;
      result.segments = result.ends_tile ? 1 : 0;
      done += shape::room;
    } else {
      auto const fits = [&](int end) { return end <= segments && offsets[min(end, segments)] - result.from <= room; };
      int some = 8 * __popc(__ballot_sync(whole_warp, fits(k + 8 * (lane + 1))));
      some += __popc(__ballot_sync(whole_warp, lane < 8 && fits(k + some + lane + 1)));
      result.segments = static_cast<std::int16_t>(some);
      k += some;
      done = 0;
      count = static_cast<int>(offsets[k] - result.from);
    }
    result.count = static_cast<std::int16_t>(count);
    result.at = base + (result.from - offsets[0]);
    T const* const in = problem.in + result.at;
    result.place = static_cast<std::int16_t>(reinterpret_cast<std::uintptr_t>(in) % 16 / sizeof(T));
    char const* const from = reinterpret_cast<char const*>(in - result.place) + 16 * lane;
    std::uint32_t const to = shared_address(memory.elements[side]) + 16 * lane;
    int const bytes = (count + result.place) * static_cast<int>(sizeof(T)), whole = bytes / 512;
#pragma unroll
    for (int j = 0; j < shape::room * static_cast<int>(sizeof(T)) / 512; ++j)
      if (j < whole) copy_16(to + 512 * j, from + 512 * j);
    int const left_over = bytes - whole * 512 - 16 * lane;
    if (left_over > 0) copy_some_of_16(to + 512 * whole, from + 512 * whole, min(16, left_over));
    return result;
  }
};

/// The parts of a warp.
template <class P>
class warp_parts {
public:
  using T = typename P::element;
  using shape = warp_shape<P>;
  using part = warp_part;

  __device__ warp_parts(P const& problem, warp_room<P>& room, warp_tickets const& tickets, std::uint64_t* ticket_word,
                        std::uint64_t const* general_word, std::uint32_t epoch)
      : problem_(problem),
        room_(room),
        tickets_(tickets),
        own_tickets_(tickets, ticket_word, epoch),
        general_word_(general_word),
        epoch_(epoch),
        lane_(static_cast<int>(threadIdx.x) % warp_lanes),
        elements_(room.elements[0])
  {
  }

  /// Calls work(part, place of its buffer) for all parts.
  template <class Work>
  __device__ __forceinline__ void for_each(Work const& work)
  {
    ask_block(0);
    await_copies();
    __syncwarp();
    part current = next(0);
    for (int side = 0; current.exists; side ^= 1) {
      await_copies();
      __syncwarp();
      part const later = next(side ^ 1);
      work(current, elements_ + side * (shape::room + 2 * shape::group));
      __syncwarp();
      current = later;
    }
  }

private:
  /// Begins to copy the offsets of the block behind the last one to a place.
  __device__ __forceinline__ void ask_block(int place)
  {
    if (at_ == ticket_end_) {
      // A ticket that is too large is found at the beginning, but small tickets may all be done by then. Read before
      // each part, this word, which is one for all warps, costs a third.
      if (taken_ < 6 || taken_ % 16 == 0) general_ = load_relaxed(general_word_);
      ++taken_;
      at_ = own_tickets_.take() * tickets_.segments;
      ticket_end_ = at_ + tickets_.segments < problem_.segments ? at_ + tickets_.segments : problem_.segments;
      if (at_ >= problem_.segments) {
        asked_segments_ = 0;
        at_ = ticket_end_ = 0;
        return;
      }
    }
    asked_first_ = at_;
    asked_segments_ = ticket_end_ - at_ < static_cast<std::size_t>(tickets_.block) ? static_cast<int>(ticket_end_ - at_)
                                                                                   : tickets_.block;
    at_ += static_cast<std::size_t>(asked_segments_);
    asked_block_ = place;
    using offset = std::iter_value_t<typename P::offset_iterator>;
    auto const* const offsets = problem_.offsets + asked_first_;
    asked_base_ = static_cast<std::size_t>(*offsets);
    char const* const from = reinterpret_cast<char const*>(offsets + lane_);
    std::uint32_t const to = shared_address(room_.offsets[asked_block_] + lane_);
    int const count = asked_segments_ + 1, whole = count / warp_lanes;
#pragma unroll
    for (int j = 0; j < shape::block / warp_lanes; ++j)
      if (j < whole) copy_word<4>(to + 4 * j * warp_lanes, from + j * warp_lanes * static_cast<int>(sizeof(offset)));
    if (lane_ < count % warp_lanes)
      copy_word<4>(to + 4 * whole * warp_lanes, from + whole * warp_lanes * static_cast<int>(sizeof(offset)));
  }

  /// Begins to copy the next part to a buffer. The offsets that were asked for are there.
  __device__ __forceinline__ part next(int side)
  {
    if (static_cast<std::uint32_t>(general_ >> 32) == epoch_) return {};
    if (!block_.has_more()) {
      if (asked_segments_ == 0) return {};
      // The last part may still be in work. If it is of this block, the third place is free, else this block's own.
      int const free = has_parts_ ? 3 - block_.place - asked_block_ : block_.place;
      has_parts_ = false;
      block_ = {asked_first_, asked_base_, asked_segments_, asked_block_, 0, 0};
      ask_block(free);
    }
    has_parts_ = true;
    // The call is the general kernel's.
    if (block_.elements_of_next(room_) > tickets_.most) return {};
    return block_.next(problem_, room_, side, lane_);
  }

  P const& problem_;
  warp_room<P>& room_;
  warp_tickets const& tickets_;
  tickets_of_warp<shape> own_tickets_;
  std::uint64_t const* general_word_;
  std::uint32_t epoch_;
  int lane_;
  shared_place<T> elements_;

  std::uint64_t general_ = 0;            // as it was read
  unsigned taken_ = 0;                   // tickets
  std::size_t at_ = 0, ticket_end_ = 0;  // the segments of the present ticket that are left
  // The block that is on its way.
  std::size_t asked_first_ = 0, asked_base_ = 0;
  int asked_segments_ = 0, asked_block_ = 0;
  warp_block block_{.first = 0, .base = 0, .segments = 0, .place = 1, .k = 0, .done = 0};  // of the next part
  bool has_parts_ = false;  // the last part is of that block
};

}  // namespace tally::cuda_backend
