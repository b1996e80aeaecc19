#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include "tally/detail/cuda/asynchronous.cuh"
#include "tally/detail/cuda/batch/lone_fold.cuh"
#include "tally/detail/cuda/batch/segment_problem.cuh"
#include "tally/detail/cuda/batch/segment_rows.cuh"
#include "tally/detail/cuda/batch/segment_trees.cuh"
#include "tally/detail/cuda/elements.cuh"
#include "tally/detail/cuda/handover.hpp"
#include "tally/detail/cuda/problem.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/order.hpp"

/// The reduction of short segments by warps that each work alone, without a barrier of a block.
///
/// A warp takes *tickets*, some segments one after the other with some thousand elements together. Most tickets are
/// dealt out beforehand, and the last ones are drawn. Their offsets come to shared memory in *blocks*, their elements
/// in *parts*: as many whole segments as there is room for, or a strip of a longer segment. The next part and the block
/// behind it are on their way while the warp works on a part.
///
/// A ticket with very many elements would keep one warp busy while the others have ended. The first warps look at the
/// sizes of all tickets; if one is too large, all warps leave, and the general kernel behind in the stream does the
/// whole call (segments.cuh).
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

template <class P>
struct warp_shape {
  using T = typename P::element;
  static constexpr int group = static_cast<int>(order::group<T>), row = static_cast<int>(order::row<T>);
  static constexpr int tile = static_cast<int>(order::tile<T>);
  static constexpr int tree = 8 * group;                          ///< elements of a lane's tree
  static constexpr int room = static_cast<int>(order::strip<T>);  ///< elements of a part
  static constexpr int block = 256;                               ///< most segments of a block
  static constexpr int most_trees = 2 * warp_lanes;               ///< of 32 segments of a part
  static constexpr int warps = 6, blocks_a_processor = 3, threads = warps * warp_lanes;
  static constexpr int ticket = 4 * room;           ///< elements of a ticket on average, at most
  static constexpr int most_in_ticket = 32 * room;  ///< else the call is the general kernel's
};

/// The shared memory of a warp.
template <class P>
struct warp_memory {
  using shape = warp_shape<P>;
  using T = typename P::element;

  /// The trees of a segment: those of whole rows begin at the first element, those of its last row end at its last
  /// group.
  struct trees {
    int begin, right;                    ///< places of tree 0, by the one and by the other
    int first;                           ///< number of its first tree, of all
    std::uint32_t count_whole_and_last;  ///< trees, trees of whole rows, groups before the last one in its row
  };

  alignas(16) T elements[2][shape::room + 2 * shape::group];
  trees of_segment[warp_lanes];
  T totals[shape::most_trees];
  std::uint32_t offsets[3][shape::block + 4];
  uninitialized<lone_fold<T, typename P::operation>> lone;
};

template <class P>
inline constexpr std::size_t warps_bytes = warp_shape<P>::warps * sizeof(warp_memory<P>);

/// Copies `bytes` of 16 bytes, and zeros for the others.
__device__ __forceinline__ void copy_some_of_16(std::uint32_t to, char const* from, int bytes)
{
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
#endif
}
__device__ __forceinline__ void copy_16(std::uint32_t to, char const* from)
{
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
#endif
}
__device__ __forceinline__ void await_all_copies()
{
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}
__device__ __forceinline__ unsigned most_of_lanes(unsigned own)
{
#if __CUDA_ARCH__ >= 800
  return __reduce_max_sync(whole_warp, own);
#else
  return own;
#endif
}
__device__ __forceinline__ unsigned bits_of_lanes(unsigned own)
{
#if __CUDA_ARCH__ >= 800
  return __reduce_or_sync(whole_warp, own);
#else
  return own;
#endif
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

/// The segments of a call, shared out in tickets and blocks.
struct warp_tickets {
  std::size_t count;
  std::size_t dealt;     ///< tickets that are dealt out beforehand, in turns of all warps; the others are drawn
  std::size_t segments;  ///< of a ticket
  int block;             ///< segments of a block

  template <class Shape>
  __device__ __forceinline__ static warp_tickets of(std::size_t elements, std::size_t segments, Shape)
  {
    constexpr int room = Shape::room, most = Shape::block;
    std::size_t const workers = static_cast<std::size_t>(gridDim.x) * Shape::warps;
    // Blocks fill whole parts, but for a fifth of the last one.
    float const mean = static_cast<float>(elements) / static_cast<float>(segments);
    float const parts = fmaxf(1.0f, floorf(most * mean / room));
    float const block = fminf(static_cast<float>(most), (parts - 0.2f) * (room - mean / 2) / fmaxf(mean, 0.001f));
    // An empty segment counts like an element.
    float const target = fminf(static_cast<float>(Shape::ticket),
                               fmaxf(room / 2.0f, static_cast<float>(elements + segments) / (8.0f * workers)));
    float const share = target / (mean + 1.0f);
    warp_tickets result;
    result.block = block < 1.0f ? 1 : static_cast<int>(block);
    if (share < static_cast<float>(result.block)) result.block = share < 1.0f ? 1 : static_cast<int>(share);
    auto const blocks = static_cast<std::size_t>(share / static_cast<float>(result.block));
    result.segments = (blocks < 1 ? 1 : blocks) * static_cast<std::size_t>(result.block);
    result.count = (segments + result.segments - 1) / result.segments;
    // The fewer segments a warp has, the more its share of elements differs from the mean.
    float const differs = 4 * rsqrtf(static_cast<float>(segments) / static_cast<float>(workers) + 1.0f);
    float const dealt = 1.0f - fminf(differs, 0.4f);
    result.dealt = static_cast<std::size_t>(static_cast<float>(result.count) * dealt) / workers * workers;
    return result;
  }
};

template <class P>
class warp_of_segments {
public:
  using T = typename P::element;
  using W = working_type<T>;
  using Op = typename P::operation;
  using shape = warp_shape<P>;
  using memory = warp_memory<P>;
  using left = left_operand<W, Op>;
  using trees = segment_trees<T, Op>;

  __device__ warp_of_segments(P const& problem, memory& own, warp_tickets const& tickets, std::uint64_t* ticket_word,
                              std::uint64_t const* general_word, std::uint32_t epoch, Op& op)
      : problem_(problem),
        own_(own),
        tickets_(tickets),
        ticket_word_(ticket_word),
        general_word_(general_word),
        epoch_(epoch),
        op_(op),
        lane_(static_cast<int>(threadIdx.x) % warp_lanes),
        start_(problem.init.is_present ? left::present(problem.init.value) : left::absent(op, W())),
        elements_(own.elements[0]),
        nothing_(problem.of_nothing(problem.init)),
        strips_(left::absent(op, W()))
  {
    dealt_ = static_cast<std::size_t>(threadIdx.x / warp_lanes) * gridDim.x + blockIdx.x;
    if (dealt_ >= tickets_.dealt) draw_first();
  }

  __device__ __forceinline__ void run()
  {
    ask_block();
    await_all_copies();
    __syncwarp();
    part current = next(0);
    for (int side = 0; current.exists; side ^= 1) {
      await_all_copies();
      __syncwarp();
      part const later = next(side ^ 1);
      work_on(current, elements_ + side * (shape::room + 2 * shape::group));
      __syncwarp();
      current = later;
    }
  }

private:
  __device__ __forceinline__ void draw_first()
  {
    if (lane_ == 0) drawn_ = count_at(ticket_word_, epoch_) - 1;
  }

  /// Elements in shared memory.
  struct part {
    std::size_t first;      ///< its first segment
    std::uint32_t from;     ///< the low word of the offset of its first element
    std::int16_t segments;  ///< whole ones; none if it is a strip
    std::int16_t begin;     ///< number of the first segment in its block
    std::int16_t place;     ///< of its first element
    std::int8_t block;      ///< place of its offsets
    bool continues;         ///< the first segment has strips before in its tile
    bool has_tiles;         ///< the first segment has tiles before
    bool ends_tile;         ///< only the tile ends, not its segment
    bool exists;
  };

  /// Begins to copy the offsets of the block behind the last one.
  __device__ __forceinline__ void ask_block()
  {
    if (at_ == ticket_end_) {
      // A ticket that is too large is found at the beginning, but small tickets may all be done by then. Read before
      // each part, this word, which is one for all warps, costs a third.
      if (taken_ < 6 || taken_ % 16 == 0) general_ = load_relaxed(general_word_);
      ++taken_;
      std::size_t own = dealt_;
      if (dealt_ < tickets_.dealt) {
        dealt_ += static_cast<std::size_t>(gridDim.x) * shape::warps;
        if (dealt_ >= tickets_.dealt) draw_first();
      } else {
        std::uint64_t ticket = 0;
        if (lane_ == 0) {
          ticket = tickets_.dealt + static_cast<std::uint32_t>(drawn_);
          if (ticket < tickets_.count) drawn_ = add_unseen(ticket_word_);
        }
        own = __shfl_sync(whole_warp, static_cast<unsigned long long>(ticket), 0);
      }
      at_ = own * tickets_.segments;
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
    asked_block_ = asked_block_ == 2 ? 0 : asked_block_ + 1;
    using offset = std::iter_value_t<typename P::offset_iterator>;
    auto const* const offsets = problem_.offsets + asked_first_;
    asked_base_ = static_cast<std::size_t>(*offsets);
    char const* const from = reinterpret_cast<char const*>(offsets + lane_);
    std::uint32_t const to = shared_address(own_.offsets[asked_block_] + lane_);
    int const count = asked_segments_ + 1, whole = count / warp_lanes;
#pragma unroll
    for (int j = 0; j < shape::block / warp_lanes; ++j)
      if (j < whole) copy_element<4>(to + 4 * j * warp_lanes, from + j * warp_lanes * static_cast<int>(sizeof(offset)));
    if (lane_ < count % warp_lanes)
      copy_element<4>(to + 4 * whole * warp_lanes, from + whole * warp_lanes * static_cast<int>(sizeof(offset)));
  }

  /// Begins to copy the next part to a buffer. The offsets that were asked for are there.
  __device__ __forceinline__ part next(int side)
  {
    constexpr std::uint32_t room = shape::room;
    if (static_cast<std::uint32_t>(general_ >> 32) == epoch_) return {};
    if (k_ == segments_) {
      if (asked_segments_ == 0) return {};
      first_ = asked_first_;
      base_ = asked_base_;
      segments_ = asked_segments_;
      block_ = asked_block_;
      k_ = done_ = 0;
      ask_block();
    }
    std::uint32_t const* const offsets = own_.offsets[block_];
    auto const done = static_cast<std::uint32_t>(done_);
    std::uint32_t const start = offsets[k_], rest = offsets[k_ + 1] - start - done;
    if (rest + done > shape::most_in_ticket) return {};  // the call is the general kernel's
    part result;
    result.first = first_ + static_cast<std::size_t>(k_);
    result.begin = static_cast<std::int16_t>(k_);
    result.block = static_cast<std::int8_t>(block_);
    result.from = start + done;
    result.continues = done % shape::tile != 0;
    result.has_tiles = done >= shape::tile;
    result.ends_tile = false;
    result.exists = true;
    int count = shape::room;
    if (rest > room) {
      result.ends_tile = (done + room) % shape::tile == 0;
      result.segments = result.ends_tile ? 1 : 0;
      done_ += shape::room;
    } else {
      auto const fits = [&](int end) { return end <= segments_ && offsets[min(end, segments_)] - result.from <= room; };
      int some = 8 * __popc(__ballot_sync(whole_warp, fits(k_ + 8 * (lane_ + 1))));
      some += __popc(__ballot_sync(whole_warp, lane_ < 8 && fits(k_ + some + lane_ + 1)));
      result.segments = static_cast<std::int16_t>(some);
      k_ += some;
      done_ = 0;
      count = static_cast<int>(offsets[k_] - result.from);
    }
    T const* const in = problem_.in + base_ + (result.from - offsets[0]);
    result.place = static_cast<std::int16_t>(reinterpret_cast<std::uintptr_t>(in) % 16 / sizeof(T));
    char const* const from = reinterpret_cast<char const*>(in - result.place) + 16 * lane_;
    std::uint32_t const to = shared_address(own_.elements[side]) + 16 * lane_;
    int const bytes = (count + result.place) * static_cast<int>(sizeof(T)), whole = bytes / 512;
#pragma unroll
    for (int j = 0; j < shape::room * static_cast<int>(sizeof(T)) / 512; ++j)
      if (j < whole) copy_16(to + 512 * j, from + 512 * j);
    int const left_over = bytes - whole * 512 - 16 * lane_;
    if (left_over > 0) copy_some_of_16(to + 512 * whole, from + 512 * whole, min(16, left_over));
    return result;
  }

  __device__ __forceinline__ void work_on(part const& now, shared_place<T> elements)
  {
    if (!now.continues) strips_ = left::absent(op_, W());
    if (now.segments == 0) return append_strip(elements + now.place);
#pragma unroll 1
    for (int k = 0; k < now.segments; k += warp_lanes) reduce_32(now, k, elements);
  }

  /// Appends the total of a strip to the fold of those before.
  __device__ __forceinline__ void append_strip(shared_place<T> strip)
  {
    W total = trees{strip, left::absent(op_, W()).value}.template tree<8, false>(strip + lane_ * shape::tree, 0,
                                                                                 lane_ & 7, op_);
    total = static_cast<W>(op_(total, shuffle_xor(total, 1)));
    total = static_cast<W>(op_(total, shuffle_xor(total, 2)));
    W rows = shuffle_from(total, 0);
#pragma unroll
    for (int r = 1; r < static_cast<int>(order::strip_rows); ++r)
      rows = static_cast<W>(op_(rows, shuffle_from(total, 4 * r)));
    strips_ = left::present(strips_.before(rows, op_));
  }

  /// Reduces segments k to k + 31 of a part, a lane each.
  __device__ __forceinline__ void reduce_32(part const& now, int k, shared_place<T> elements)
  {
    constexpr int group = shape::group;
    W const none = left::absent(op_, W()).value;
    trees const folds{elements, none};
    std::uint32_t const* const offsets = own_.offsets[now.block] + now.begin;
    int const own = k + lane_;
    bool const mine = own < now.segments;
    int begin, size;
    if (now.ends_tile) {
      begin = now.place;
      size = mine ? shape::room : 0;
    } else {
      begin = max(static_cast<int>(offsets[min(own, static_cast<int>(now.segments))] - now.from), 0);
      size = static_cast<int>(offsets[min(own + 1, static_cast<int>(now.segments))] - now.from) - begin;
      begin += now.place;
    }
    int const most = static_cast<int>(most_of_lanes(static_cast<unsigned>(size)));
    int const before_last = max(size - 1, 0) / group;  // groups
    shared_place<T> const last = elements + begin + before_last * group;
    bool const aligned = __all_sync(whole_warp, size == 0 || begin % group == 0);
    W fold;
    if (most <= 9 * group) {
      if (!aligned)
        fold = folds.tree_before(last, before_last, (most - 1) / group, op_);
      else if (most <= group)
        fold = none;
      else if (most <= 5 * group)
        fold = folds.template tree<4, true>(last + -4 * group, 4 - before_last, lane_ / 2 & 3, op_);
      else
        fold = folds.template tree<8, true>(last + -8 * group, 8 - before_last, lane_ & 7, op_);
      if (k == 0 && now.continues) fold = lane_ == 0 ? strips_.before(fold, op_) : fold;
    } else {
      // Whole rows before the last one, and groups before the last one in its row.
      int const rows = before_last / 32, groups = before_last % 32;
      int const whole = 4 * rows, count = whole + (groups + 7) / 8;
      int end = count;
#pragma unroll
      for (int stride = 1; stride < warp_lanes; stride *= 2) {
        int const before = __shfl_up_sync(whole_warp, end, stride);
        if (lane_ >= stride) end += before;
      }
      int const all = __shfl_sync(whole_warp, end, warp_lanes - 1), first = end - count;
      unsigned const have = __ballot_sync(whole_warp, count > 0);
      if (count > 0)
        own_.of_segment[__popc(have & below())] = {begin, begin + before_last * group - count * shape::tree, first,
                                                   static_cast<std::uint32_t>(count | whole << 8 | groups << 16)};
      __syncwarp();
      for (int number = 0; number < all; number += warp_lanes) {
        W const total = aligned ? tree_of<true>(folds, elements, number, all, first, count)
                                : tree_of<false>(folds, elements, number, all, first, count);
        own_.totals[number + lane_] = total;
      }
      __syncwarp();
      T const* const totals = own_.totals + first;
      W row_totals = none;
      for (int e = 0; e < whole; e += 4)
        row_totals =
            static_cast<W>(op_(row_totals, static_cast<W>(op_(static_cast<W>(op_(totals[e], totals[e + 1])),
                                                              static_cast<W>(op_(totals[e + 2], totals[e + 3]))))));
      W last_trees[4];
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        last_trees[e] = none;
        if (count - 4 + e >= whole) last_trees[e] = totals[count - 4 + e];
      }
      W const last_row = static_cast<W>(
          op_(static_cast<W>(op_(last_trees[0], last_trees[1])), static_cast<W>(op_(last_trees[2], last_trees[3]))));
      if (k == 0 && now.continues) row_totals = lane_ == 0 ? strips_.before(row_totals, op_) : row_totals;
      fold = static_cast<W>(op_(row_totals, last_row));
      __syncwarp();
    }
    W value = none;
    if (size > 0) {
      int const there = size - before_last * group;
      value = aligned ? trees::template total_of_first<true>(last, there, op_)
                      : trees::template total_of_first<false>(last, there, op_);
    }
    value = static_cast<W>(op_(fold, value));
    finish(now, own, mine, size, value);
  }

  template <bool Aligned>
  __device__ __forceinline__ W tree_of(trees const& folds, shared_place<T> elements, int number, int all, int first,
                                       int count)
  {
    // Tree `number` + lane belongs to the last segment whose first tree is not behind it.
    bool const begins = count > 0 && first >= number && first < number + warp_lanes;
    unsigned const begun = bits_of_lanes(begins ? 1u << (first - number) : 0u);
    int const before = __popc(__ballot_sync(whole_warp, count > 0 && first < number));
    int const at = before + __popc(begun & (below() << 1 | 1u)) - 1;
    typename memory::trees const own = own_.of_segment[at];
    int const e = number + lane_ - own.first;
    int const own_count = own.count_whole_and_last & 255, whole = own.count_whole_and_last >> 8 & 255;
    int const groups = static_cast<int>(own.count_whole_and_last >> 16);
    bool const is_whole = e < whole;
    int const begin = (is_whole ? own.begin : own.right) + e * shape::tree;
    int const absent = number + lane_ >= all ? 8 : is_whole ? 0 : 8 * (own_count - e) - groups;
    return folds.template tree<8, Aligned>(elements + begin, absent, lane_ & 7, op_);
  }

  __device__ __forceinline__ void finish(part const& now, int k, bool mine, int size, W const& value)
  {
    std::size_t const segment = now.first + static_cast<std::size_t>(k);
    if (!now.has_tiles && !now.ends_tile && problem_.initials == nullptr) {
      if (mine) problem_.put_result(segment, size > 0 ? static_cast<T>(start_.before(value, op_)) : nothing_);
      return;
    }
    if (!mine) return;
    auto const init = problem_.init_of(segment);
    left start = init.is_present ? left::present(init.value) : left::absent(op_, init.value);
    if (k == 0 && (now.has_tiles || now.ends_tile)) {
      if (!now.has_tiles) own_.lone->begin(init, op_);
      start = own_.lone->carry(op_);
      if (now.ends_tile) return own_.lone->append(start, value, op_);
    }
    problem_.put_result(segment, size > 0 ? static_cast<T>(start.before(value, op_)) : problem_.of_nothing(init));
  }

  __device__ __forceinline__ unsigned below() const { return (1u << lane_) - 1; }

  P const& problem_;
  memory& own_;
  warp_tickets const& tickets_;
  std::uint64_t* ticket_word_;
  std::uint64_t const* general_word_;
  std::uint32_t epoch_;
  Op& op_;
  int lane_;

  std::uint64_t drawn_ = 0, general_ = 0;  // as they were read; the one of lane 0
  unsigned taken_ = 0;                     // tickets
  std::size_t dealt_;
  std::size_t at_ = 0, ticket_end_ = 0;  // the segments of the present ticket that are left
  // The block that is on its way.
  std::size_t asked_first_ = 0, asked_base_ = 0;
  int asked_segments_ = 0, asked_block_ = 2;
  // The block of the next part, its next segment, and the elements of that which are done.
  std::size_t first_ = 0, base_ = 0;
  int segments_ = 0, block_ = 0, k_ = 0, done_ = 0;
  left start_;
  shared_place<T> elements_;
  T nothing_;
  left strips_;  // the fold of the strips before in the tile
};

/// Words behind those of the general kernel: of the tickets, and in another line of memory the one that calls for that
/// kernel.
inline constexpr std::size_t words_by_warps = 32, word_of_call = 16;
template <class P>
__host__ __device__ __forceinline__ std::uint64_t* words_of_tickets(P const& problem)
{
  return problem.words + problem.capacity - words_by_warps;
}

template <class P>
__global__ void __launch_bounds__(warp_shape<P>::threads, warp_shape<P>::blocks_a_processor)
    warp_segments_kernel(__grid_constant__ P const given)
{
  using shape = warp_shape<P>;
  auto const& problem = at_its_turn(given);
  if (problem.segments == 0) return;
  extern __shared__ __align__(16) unsigned char room[];
  std::size_t const base = problem.offset(0), elements = problem.offset(problem.segments) - base;
  std::uint64_t* const words = words_of_tickets(problem);
  auto const epoch = static_cast<std::uint32_t>(load_relaxed(&problem.shared->next) >> 32) + 1;
  // Offsets in shared memory are words of four bytes.
  if (elements >> 31 != 0 || elements / shape::most_in_ticket >= problem.segments || elements / 2 < problem.segments) {
    if (blockIdx.x == 0 && threadIdx.x == 0) store_relaxed(words + word_of_call, tagged(1, epoch));
    return;
  }
  warp_tickets const tickets = warp_tickets::of(elements, problem.segments, shape{});
  for (std::size_t k = blockIdx.x + static_cast<std::size_t>(threadIdx.x) * gridDim.x; k < tickets.count;
       k += static_cast<std::size_t>(gridDim.x) * shape::threads) {
    std::size_t const first = k * tickets.segments;
    std::size_t const end = first + tickets.segments < problem.segments ? first + tickets.segments : problem.segments;
    if (problem.offset(end) - problem.offset(first) > shape::most_in_ticket)
      store_relaxed(words + word_of_call, tagged(1, epoch));
  }
  typename P::operation op = problem.op;
  warp_of_segments<P> own(problem, reinterpret_cast<warp_memory<P>*>(room)[threadIdx.x / warp_lanes], tickets, words,
                          words + word_of_call, epoch, op);
  own.run();
}

}  // namespace tally::cuda_backend
