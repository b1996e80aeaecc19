#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "tally/detail/cuda/carry_fold.cuh"
#include "tally/detail/cuda/handover.hpp"
#include "tally/detail/cuda/left_operand.cuh"
#include "tally/detail/cuda/rows.cuh"
#include "tally/detail/cuda/segment_problem.cuh"
#include "tally/detail/cuda/segment_rows.cuh"
#include "tally/detail/cuda/segment_search.cuh"
#include "tally/detail/cuda/tuning.hpp"
#include "tally/detail/cuda/warp.cuh"
#include "tally/order.hpp"

/// The kernel for segments of any lengths: a reduction or a scan of each, in the order of docs/order.md.
///
/// A segment is as many *units* as it has elements, and one more, so that empty segments are work too. A *chunk* is as
/// many units as a tile has elements, and is shared out by tickets. Of each segment a chunk has the first tile if that
/// begins in it, and of a longer one the tile whose first element lies in it. So the tiles of a segment lie in
/// consecutive chunks, a chunk has at most one tile that continues a segment, and the work is even, whatever the
/// lengths.
///
/// A chunk's elements come to shared memory, are replaced there by results, and leave in order. A warp takes segments
/// of a strip at most alone (segment_rows.cuh). The warps of a block share a longer piece by strips. The tiles of one
/// segment hand over their totals as those of an array do (handover.hpp, carry_fold.cuh).
namespace tally::cuda_backend {

/// The sizes of the kernel for segments.
template <class P>
struct segment_shape {
  using T = typename P::element;
  using W = working_type<T>;
  static constexpr int warps = 8, workers = warps * warp_lanes;
  static constexpr int threads = workers + warp_lanes;  ///< and the scout
  static constexpr bool narrow = sizeof(T) <= 8 && words_of<W> <= 2;
  /// Stages in shared memory: a reduction needs the elements of one for so short that the next one is on its way.
  static constexpr int buffers = P::reduces && narrow && sizeof(T) >= 4 ? 2 : 1;
  /// Four blocks have 56 registers for a thread, and take up to a fifth longer.
  static constexpr int blocks_a_processor = narrow ? 3 : 1;
  static constexpr int unit = static_cast<int>(order::tile<T>);  ///< units of a chunk
  static constexpr int strip = static_cast<int>(order::strip<T>), row = static_cast<int>(order::row<T>);
  /// Elements and segments of a stage: a chunk, and a short segment that begins at its end.
  static constexpr int room = sizeof(T) > 64 ? unit : buffers == 2 ? unit + 2 * row : unit + strip;
  static constexpr int most_pieces = room / strip + 3;            ///< longer than a strip, or with a carry
  static constexpr int most_strips = room / strip + most_pieces;  ///< in these pieces
  static constexpr std::size_t stage_bytes =
      (std::max(segment_slots<T>::bytes(room), static_cast<std::size_t>(room) * sizeof(std::uint32_t)) + 31) / 16 * 16;
  static constexpr std::size_t bytes = buffers * stage_bytes;
  static_assert(bytes <= most_shared_bytes);
};

/// The work of a block between two exchanges of its shared memory: `count` elements from `from` on; segments
/// [first, first + segments), which begin there; and a lead, one of several tiles of a segment, or a segment for which
/// the stage before had no room.
struct segment_stage {
  std::size_t from, first;
  int count, segments;
  std::size_t lead_segment, lead_tile, lead_chunk;  ///< the chunk in which the lead's segment begins
  int lead_size;                                    ///< 0: there is none
  bool lead_ends;                                   ///< the lead is its segment's last tile
  bool lead_alone;                                  ///< this block has all tiles of the segment
  bool exists;

  __device__ bool hands_over() const { return lead_size > 0 && (lead_tile > 0 || !lead_ends); }
};

/// The stages of a chunk, one after the other.
template <class Shape>
class stages_of_chunk {
public:
  /// Takes the next chunk.
  template <class Header>
  __device__ __forceinline__ segment_stage begin(Header const& header, std::size_t base, bool shared_out)
  {
    constexpr std::size_t unit = Shape::unit;
    auto const begun = static_cast<int>(header.last - header.first);
    std::size_t const first_begin = header.offsets[1];
    segment_stage stage{first_begin, header.first, 0, begun, 0, 0, header.chunk, 0, true, false, true};
    chunk_ = header.chunk;
    if (shared_out && header.first > 0) {
      std::size_t const begin = header.offsets[0], at = begin - base + header.first - 1;
      std::size_t const tile = (static_cast<std::size_t>(header.chunk) * unit - at + unit - 1) / unit;
      if (tile * unit < first_begin - begin) {
        stage.from = begin + tile * unit;
        stage.lead_segment = header.first - 1;
        stage.lead_tile = tile;
        stage.lead_chunk = at / unit;
        stage.lead_ends = first_begin - stage.from <= unit;
        stage.count = stage.lead_size = static_cast<int>(stage.lead_ends ? first_begin - stage.from : unit);
      }
    }
    size_ = tile_ = 0;
    if (begun > 0) {
      std::size_t const begin = header.offsets[2], size = header.offsets[3] - begin;
      if (size > unit || begin + size - stage.from + static_cast<std::size_t>(begun) > Shape::room) {
        // The last segment that begins here is a lead of its own.
        begin_ = begin;
        size_ = size;
        segment_ = header.last - 1;
        --stage.segments;
        stage.count = static_cast<int>(begin - stage.from);
        if (stage.count == 0 && stage.segments == 0) return next(shared_out);
      } else {
        stage.count = static_cast<int>(begin + size - stage.from);
      }
    }
    return stage;
  }
  __device__ __forceinline__ bool has_more() const { return size_ > 0; }
  __device__ __forceinline__ segment_stage next(bool shared_out)
  {
    constexpr std::size_t unit = Shape::unit;
    std::size_t const from = begin_ + tile_ * unit, rest = size_ - tile_ * unit;
    bool const ends = rest <= unit;
    int const count = static_cast<int>(ends ? rest : unit);
    if (ends || shared_out) size_ = 0;
    return {from, segment_, count, 0, segment_, tile_++, chunk_, count, ends, !shared_out, true};
  }

private:
  std::size_t chunk_ = 0, begin_ = 0, size_ = 0, tile_ = 0, segment_ = 0;
};

/// Barriers of some of a block's warps.
template <int Number, int Threads>
__device__ __forceinline__ void meet()
{
  asm volatile("bar.sync %0, %1;" ::"n"(Number), "n"(Threads) : "memory");
}
template <int Number, int Threads>
__device__ __forceinline__ void announce()
{
  asm volatile("bar.arrive %0, %1;" ::"n"(Number), "n"(Threads) : "memory");
}

/// Work that a warp cannot do alone: a segment longer than a strip, or one of several tiles of a segment.
struct shared_piece {
  int begin, size;        ///< elements in shared memory
  std::uint32_t segment;  ///< counted from the stage's first one
};

/// The reductions of segments of several tiles whose last tile a block has had: their totals are folded some stages
/// later. By then they are there. A block that waited would keep the chunks that it has drawn from others that wait
/// too.
template <class W>
struct deferred_reductions {
  static constexpr unsigned most = 8, stages = 4;

  std::size_t segment[most], chunk[most];
  std::uint32_t tile[most];
  unsigned stage[most];
  uninitialized<W> total[most];
};

/// The fold of the tiles of a segment by one block, which has them one after the other.
template <class T, class Op>
struct lone_fold {
  using W = working_type<T>;
  using C = carry_type<Op, T>;
  using left = left_operand<W, Op>;
  using wide_left = left_operand<C, Op>;

  wide_left spans, tiles;
  left previous;
  int count;

  __device__ void begin(initial_value<T, Op> const& init, Op& op)
  {
    spans = init.is_present ? wide_left::present(init.wide) : wide_left::absent(op, init.wide);
    tiles = wide_left::absent(op, init.wide);
    previous = init.is_present ? left::present(init.value) : left::absent(op, init.value);
    count = 0;
  }
  /// The carry of the next tile.
  __device__ left carry(Op& op) const
  {
    if (count == 0) return previous;
    wide_left const all = spans.before(tiles, op);
    return left::present(static_cast<W>(all.value));
  }
  __device__ void append(left const& carry, W const& total, Op& op)
  {
    previous = left::present(carry.before(total, op));
    tiles = wide_left::present(tiles.before(static_cast<C>(total), op));
    if (++count % static_cast<int>(order::span_tiles) == 0) {
      spans = spans.before(tiles, op);
      tiles = wide_left::absent(op, tiles.value);
    }
  }
};

/// Eight warps work, and the ninth, the scout, finds what their next stage is, and hands over totals.
template <class P>
__global__ void __launch_bounds__(segment_shape<P>::threads, segment_shape<P>::blocks_a_processor)
    segments_kernel(__grid_constant__ P const given)
{
  using T = typename P::element;
  using W = working_type<T>;
  using Op = typename P::operation;
  using shape = segment_shape<P>;
  using left = left_operand<W, Op>;
  using rows = segment_rows<T, Op>;
  using prefix = strip_prefix<T, Op>;
  using fold = carry_fold<T, Op, (words_of<W> <= 2 ? (P::reduces ? 4 : 5) : 1)>;
  using search_type = segment_search<P, shape::unit>;
  constexpr bool reduces = P::reduces;
  constexpr int stages_ahead = shape::buffers;  // of those that are worked on
  constexpr int totalled = 2, carried = 3;      // barriers
  auto const& problem = at_its_turn(given);

  extern __shared__ __align__(16) unsigned char room[];
  __shared__ uninitialized<W> row_totals[shape::most_strips][order::strip_rows];
  __shared__ uninitialized<left> last_before[shape::most_pieces];  // see total_last_row
  __shared__ uninitialized<W> last_own[shape::most_pieces];
  __shared__ uninitialized<W> strip_lasts[shape::most_strips];  // of an exclusive scan
  __shared__ shared_piece pieces[shape::most_pieces];
  __shared__ std::uint32_t ordinals[shape::warps][warp_lanes];
  __shared__ uninitialized<typename fold::shared> fold_memory;
  __shared__ uninitialized<typename fold::before> before_lead;
  __shared__ deferred_reductions<W> deferred;
  __shared__ uninitialized<lone_fold<T, Op>> lone;
  __shared__ segment_stage stages[4];
  __shared__ drawing drawn;
  __shared__ int piece_count;

  Op op = problem.op;
  int const lane = static_cast<int>(threadIdx.x) % warp_lanes, warp = static_cast<int>(threadIdx.x) / warp_lanes;
  std::size_t const base = problem.offset(0);
  std::size_t const units = problem.offset(problem.segments) - base + problem.segments;
  auto const chunks = static_cast<std::uint32_t>((units + shape::unit - 1) / shape::unit);
  // Without room for the totals of all chunks each segment is the work of the block in whose chunk it begins.
  bool const shared_out = chunks <= problem.chunks_with_words;
  search_type const search{problem, base, chunks};
  std::uint64_t* const first_words = problem.words + problem.chunks_with_words * words_of<W>;

  if (threadIdx.x == 0)
    drawn = resolve(*problem.shared, draw_unseen(*problem.shared), tickets_of_scan(chunks, gridDim.x));
  __syncthreads();
  std::uint32_t const epoch = drawn.epoch;
  if (shared_out) search.publish_all(first_words, epoch, warp, shape::warps + 1);

  auto const strips_of = [](int size) { return (size + shape::strip - 1) / shape::strip; };
  auto const totals_of = [&](int first_strip) -> auto& {
    return reinterpret_cast<uninitialized<W>(&)[order::tile_strips][order::strip_rows]>(row_totals[first_strip]);
  };
  auto const start_of = [&](std::size_t segment) {
    auto const init = problem.init_of(segment);
    return init.is_present ? left::present(init.value) : left::absent(op, init.value);
  };
  // The value of a piece's last element, without the carry.
  auto const last_of = [&](int piece, int first_strip, int size) {
    return shuffle_from(prefix(totals_of(first_strip), static_cast<std::size_t>(size), op)
                            .last(*last_before[piece], *last_own[piece], op),
                        warp_lanes - 1);
  };

  if (warp == shape::warps) {
    typename search_type::scout scout(search, first_words, epoch, shared_out, drawn.tile);
    stages_of_chunk<shape> chunk;
    if constexpr (stages_ahead > 1) scout.look_ahead(lane);
    bool is_done = false;
    auto const put_stage = [&](unsigned number) {
      segment_stage stage{};
      if (!is_done && chunk.has_more()) {
        stage = chunk.next(shared_out);
      } else if (!is_done) {
        auto const header = stages_ahead > 1 ? scout.next_of_many(lane) : scout.next_alone(lane);
        is_done = header.chunk >= chunks;
        if (!is_done) stage = chunk.begin(header, base, shared_out);
      }
      if (lane == 0) stages[number % 4] = stage;
      __syncwarp();
    };
    for (unsigned k = 0; k < stages_ahead; ++k) put_stage(k);
    __syncthreads();
    auto const words_of_chunk = [&](std::size_t chunk) { return problem.words + chunk * words_of<W>; };
    auto const scout_stages = [&](auto const& hand_over) {
      for (unsigned number = 0; stages[number % 4].exists; ++number) {
        segment_stage const& stage = stages[number % 4];
        bool const hands_over = stage.hands_over();
        // A scan that waits for totals draws its next ticket afterwards: those who wait for its next chunk would wait
        // with it.
        bool const draws_late = !reduces && hands_over;
        if (!draws_late) put_stage(number + stages_ahead);
        hand_over(stage, number, hands_over);
        if (draws_late) put_stage(number + stages_ahead);
        __syncthreads();
      }
    };
    // The total of the lead, published if other tiles follow it.
    auto const total_of_lead = [&](segment_stage const& stage) {
      meet<totalled, shape::threads>();
      W const total = last_of(0, 0, stage.lead_size);
      if (!stage.lead_alone && !stage.lead_ends && lane == 0)
        publish(words_of_chunk(stage.lead_chunk) + stage.lead_tile * words_of<W>, total, epoch);
      return total;
    };
    // The fold before the next tile of a segment that this block has alone.
    auto const before_alone = [&](segment_stage const& stage, W const& total) {
      if (lane == 0) {
        if (stage.lead_tile == 0) lone->begin(problem.init_of(stage.lead_segment), op);
        left const carry = lone->carry(op);
        *before_lead = {carry, lone->previous};
        lone->append(carry, total, op);
      }
      __syncwarp();
      return *before_lead;
    };
    if constexpr (reduces) {
      using later = deferred_reductions<W>;
      unsigned settled = 0, put_off = 0;  // of `deferred`
      auto const settle = [&] {
        unsigned const k = settled++ % later::most;
        fold own(problem.init_of(deferred.segment[k]), op);
        auto const before = own.advance(deferred.tile[k], words_of_chunk(deferred.chunk[k]), epoch, *fold_memory, op);
        if (lane == 0) problem.put_reduced(deferred.segment[k], before.carry.before(*deferred.total[k], op));
        __syncwarp();
      };
      scout_stages([&](segment_stage const& stage, unsigned number, bool hands_over) {
        while (settled != put_off && number - deferred.stage[settled % later::most] >= later::stages) settle();
        if (!hands_over) return;
        W const total = total_of_lead(stage);
        if (stage.lead_alone) {
          auto const before = before_alone(stage, total);
          if (lane == 0 && stage.lead_ends) problem.put_reduced(stage.lead_segment, before.carry.before(total, op));
        } else if (stage.lead_ends) {
          unsigned const k = put_off++ % later::most;
          if (lane == 0) {
            deferred.segment[k] = stage.lead_segment;
            deferred.chunk[k] = stage.lead_chunk;
            deferred.tile[k] = static_cast<std::uint32_t>(stage.lead_tile);
            deferred.stage[k] = number;
            *deferred.total[k] = total;
          }
          __syncwarp();
        }
      });
      while (settled != put_off) settle();
    } else {
      fold carries(problem.init, op);
      std::size_t folded_segment = problem.segments;  // whose totals `carries` has; none yet
      scout_stages([&](segment_stage const& stage, unsigned, bool hands_over) {
        if (!hands_over) return;
        std::size_t const segment = stage.lead_segment;
        W const total = total_of_lead(stage);
        if (stage.lead_alone) {
          before_alone(stage, total);
        } else {
          if (segment != folded_segment) {
            carries = fold(problem.init_of(segment), op);
            folded_segment = segment;
          }
          auto const before = carries.advance(static_cast<std::uint32_t>(stage.lead_tile),
                                              words_of_chunk(stage.lead_chunk), epoch, *fold_memory, op);
          if (lane == 0) *before_lead = before;
        }
        meet<carried, shape::threads>();
      });
    }
    if (lane == 0) finish(*problem.shared, epoch, gridDim.x, problem.words, problem.capacity);
    return;
  }

  auto const memory_of = [&](unsigned number) { return room + number % shape::buffers * shape::stage_bytes; };
  auto const begins_of = [&](unsigned number) {
    return reinterpret_cast<std::uint32_t*>(memory_of(number) + shape::stage_bytes) - stages[number % 4].segments - 1;
  };
  auto const stage_all = [&](unsigned number) {
    segment_stage const& stage = stages[number % 4];
    if (stage.exists) {
      stage_in<shape::workers>(problem, segment_slots<T>{memory_of(number)}, stage.from, stage.count);
      if (stage.segments > 0)
        stage_offsets<shape::workers>(problem, begins_of(number), stage.first, stage.segments + 1);
    }
    end_of_stage();
  };
  __syncthreads();
  if constexpr (stages_ahead > 1) stage_all(0);
  for (unsigned number = 0; stages[number % 4].exists; ++number) {
    segment_stage const& stage = stages[number % 4];
    segment_slots<T> const slots{memory_of(number)};
    stage_all(number + stages_ahead - 1);
    int const lead_size = stage.lead_size;
    if (threadIdx.x == 0) {
      piece_count = lead_size > 0;
      pieces[0] = {0, lead_size, 0};
    }
    await_staged<stages_ahead - 1>();
    meet<1, shape::workers>();

    // Segments of a strip at most: an even share of all to each warp.
    if (int const all = stage.segments; all > 0) {
      std::uint32_t const* const begins = begins_of(number);
      std::uint32_t const from = problem.base_word(stage.from);
      std::size_t const first = stage.first;
      int const rounds = (all + shape::workers - 1) / shape::workers;
      int const share = (all + rounds * shape::warps - 1) / (rounds * shape::warps);
      for (int some = warp * share; some < all; some += shape::warps * share) {
        int const k = some + lane;
        bool const mine = lane < share && k < all;
        int const begin = mine ? P::relative(begins[k], from) : 0;
        int const size = mine ? P::relative(begins[k + 1], from) - begin : 0;
        if (mine && size > shape::strip)
          pieces[atomicAdd(&piece_count, 1)] = {begin, size, static_cast<std::uint32_t>(k)};
        if (mine && size == 0) problem.put_empty(first + static_cast<std::size_t>(k));
        rows::do_short(problem, slots, begin, size, first + static_cast<std::size_t>(some), ordinals[warp], lane, op);
      }
      meet<1, shape::workers>();
    }

    if (int const shared_pieces = piece_count; shared_pieces > 0) {
      // Strips are numbered over all pieces; strip `item` is in the piece that `locate` finds.
      bool const hands_over = stage.hands_over();
      int items = 0;
      for (int p = 0; p < shared_pieces; ++p) items += strips_of(pieces[p].size);
      auto const locate = [&](int item, int& piece, int& first_strip) {
        piece = first_strip = 0;
        for (int strips; item - first_strip >= (strips = strips_of(pieces[piece].size)); ++piece) first_strip += strips;
      };
      auto const segment_of = [&](int p) {
        return p == 0 && lead_size > 0 ? stage.lead_segment : stage.first + pieces[p].segment;
      };
      for (int item = warp; item < items; item += shape::warps) {
        int p, first_strip;
        locate(item, p, first_strip);
        shared_piece const piece = pieces[p];
        rows::total_strip(slots, piece.begin, piece.size, item - first_strip, row_totals[item], lane, op);
        if (item - first_strip == strips_of(piece.size) - 1 && (reduces || (p == 0 && hands_over)))
          rows::total_last_row(slots, piece.begin, piece.size, last_before[p], last_own[p], lane, op);
      }
      if (hands_over) announce<totalled, shape::threads>();
      if constexpr (reduces) {
        if (!hands_over || shared_pieces > 1) {
          meet<1, shape::workers>();
          for (int p = warp + hands_over; p < shared_pieces; p += shape::warps) {
            int first_strip = 0;
            for (int k = 0; k < p; ++k) first_strip += strips_of(pieces[k].size);
            W const total = last_of(p, first_strip, pieces[p].size);
            std::size_t const segment = segment_of(p);
            if (lane == 0) problem.put_reduced(segment, start_of(segment).before(total, op));
          }
        }
      } else {
        if (hands_over)
          meet<carried, shape::threads>();
        else
          meet<1, shape::workers>();
        for (int item = warp; item < items; item += shape::warps) {
          int p, first_strip;
          locate(item, p, first_strip);
          shared_piece const piece = pieces[p];
          int const strip = item - first_strip;
          std::size_t const segment = segment_of(p);
          prefix const all(totals_of(first_strip), static_cast<std::size_t>(piece.size), op);
          left const strips = shuffle_from(all.strips_before(), strip);
          left carry = start_of(segment);
          left previous = carry;
          if (p == 0 && hands_over) {
            carry = before_lead->carry;
            previous = before_lead->previous;
          }
          int const begin = piece.begin + strip * shape::strip;
          int const size = min(piece.size - strip * shape::strip, shape::strip);
          bool const ends = strip == strips_of(piece.size) - 1 && (p > 0 || lead_size == 0 || stage.lead_ends);
          auto const at_end = [&](W const& value) {
            if (problem.exclusive) *strip_lasts[item] = value;
            if (ends) problem.put_last(segment, value);
          };
          rows::scan_strip(slots, begin, size, strips, carry, previous.value, problem.exclusive, lane, op, at_end);
        }
        if (problem.exclusive) {  // a strip's first result is the one before, which another warp has
          meet<1, shape::workers>();
          if (auto const item = static_cast<int>(threadIdx.x); item < items) {
            int p, first_strip;
            locate(item, p, first_strip);
            if (item > first_strip)
              slots[pieces[p].begin + (item - first_strip) * shape::strip] = static_cast<T>(*strip_lasts[item - 1]);
          }
        }
      }
    }
    if constexpr (!reduces) {
      meet<1, shape::workers>();
      stage_out<shape::workers>(problem, slots, stage.from, stage.count);
    }
    __syncthreads();
  }
}

}  // namespace tally::cuda_backend
