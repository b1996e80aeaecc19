#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tally/detail/cuda/asynchronous.cuh"
#include "tally/detail/cuda/batch/lone_fold.cuh"
#include "tally/detail/cuda/batch/segment_lists.cuh"
#include "tally/detail/cuda/batch/segment_problem.cuh"
#include "tally/detail/cuda/batch/segment_rows.cuh"
#include "tally/detail/cuda/batch/segment_search.cuh"
#include "tally/detail/cuda/batch/segment_stages.cuh"
#include "tally/detail/cuda/batch/segment_staging.cuh"
#include "tally/detail/cuda/carry_fold.cuh"
#include "tally/detail/cuda/handover.hpp"
#include "tally/detail/cuda/left_operand.cuh"
#include "tally/detail/cuda/problem.cuh"
#include "tally/detail/cuda/rows.cuh"
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
/// A chunk's elements come to shared memory, are replaced there by results, and leave in order. Segments of a strip at
/// most are put into lists by their lengths, and each is the work of a lane or of a warp (segment_rows.cuh). The warps
/// of a block share a longer piece by strips. The tiles of one segment hand over their totals as those of an array do
/// (handover.hpp, carry_fold.cuh).
namespace tally::cuda_backend {

/// The sizes of the kernel for segments. A scan that `Overlaps` publishes the total of the next stage before it waits
/// for the carry of the present one, and has both in shared memory. So a block that waits keeps nobody waiting; but
/// fewer blocks share a multiprocessor.
template <class P, bool Overlaps>
struct segment_shape {
  using T = typename P::element;
  using W = working_type<T>;
  static constexpr bool narrow = sizeof(T) <= 8 && words_of<W> <= 2;
  static constexpr bool small_stages = narrow && sizeof(T) >= 4;
  static constexpr bool overlaps = Overlaps;
  static_assert(!overlaps || (small_stages && !P::reduces));
  /// Stages in shared memory: a reduction needs the elements of one for so short that the next one is on its way.
  static constexpr int buffers = small_stages && (P::reduces || overlaps) ? 2 : 1;
  static constexpr int warps = small_stages && buffers == 1 ? 6 : 8, workers = warps * warp_lanes;
  static constexpr int threads = workers + warp_lanes;                         ///< and the scout
  static constexpr int blocks_a_processor = !narrow ? 1 : warps == 6 ? 4 : 3;  ///< with 72 registers a thread
  static constexpr int unit = static_cast<int>(order::tile<T>);                ///< units of a chunk
  static constexpr int strip = static_cast<int>(order::strip<T>), row = static_cast<int>(order::row<T>);
  static constexpr int group = static_cast<int>(order::group<T>);
  /// The fewest segments that a warp takes a lane each, if there are no more.
  static constexpr int enough_lanes = 10;
  /// Elements and segments of a stage: a chunk, and a short segment that begins at its end.
  static constexpr int room = sizeof(T) > 64 ? unit : buffers == 2 ? unit + 2 * row : unit + strip;
  static constexpr int most_pieces = room / strip + 3;            ///< longer than a strip, or with a carry
  static constexpr int most_strips = room / strip + most_pieces;  ///< in these pieces
  static constexpr std::size_t stage_bytes =
      (std::max(segment_slots<T>::bytes(room), static_cast<std::size_t>(room) * sizeof(std::uint32_t)) + 31) / 16 * 16;
  static constexpr std::size_t bytes = buffers * stage_bytes;
  static_assert(bytes <= most_shared_bytes);
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

/// The pieces of a stage, and what their scans begin with.
template <class Shape, class W, class Left>
struct stage_pieces {
  uninitialized<W> row_totals[Shape::most_strips][order::strip_rows];
  uninitialized<Left> last_before[Shape::most_pieces];  ///< see total_last_row
  uninitialized<W> last_own[Shape::most_pieces];
  shared_piece pieces[Shape::most_pieces];
  uninitialized<W> lead_total;
  int count;
};

/// Six or eight warps work, and one more, the scout, finds what their next stage is, and folds carries.
template <class P, bool Overlaps>
__global__ void __launch_bounds__(segment_shape<P, Overlaps>::threads, segment_shape<P, Overlaps>::blocks_a_processor)
    segments_kernel(__grid_constant__ P const given)
{
  using T = typename P::element;
  using W = working_type<T>;
  using Op = typename P::operation;
  using shape = segment_shape<P, Overlaps>;
  using left = left_operand<W, Op>;
  using rows = segment_rows<T, Op>;
  using prefix = strip_prefix<T, Op>;
  using fold = carry_fold<T, Op, (words_of<W> <= 2 ? (P::reduces ? 4 : 5) : 1)>;
  using search_type = segment_search<P, shape::unit>;
  constexpr bool reduces = P::reduces;
  constexpr bool overlaps = shape::overlaps;
  constexpr int stages_ahead = overlaps ? 1 : shape::buffers;  // of those that are worked on
  constexpr unsigned sides = overlaps ? 2 : 1;
  // Barriers. The scout and the workers meet at places of their own, where __syncthreads is not allowed.
  constexpr int totalled = 2, carried = 3, staged = 4;
  auto const& problem = at_its_turn(given);

  extern __shared__ __align__(16) unsigned char room[];
  __shared__ stage_pieces<shape, W, left> both_sides[sides];
  __shared__ uninitialized<W> strip_lasts[shape::most_strips];  // of an exclusive scan
  __shared__ segment_lists<shape> lists;
  __shared__ uninitialized<typename fold::shared> fold_memory;
  __shared__ uninitialized<typename fold::before> before_lead;
  __shared__ deferred_reductions<W> deferred;
  __shared__ uninitialized<lone_fold<T, Op>> lone;
  __shared__ segment_stage stages[4];
  __shared__ drawing drawn;
  __shared__ std::uint32_t all_chunks;

  Op op = problem.op;
  int const lane = static_cast<int>(threadIdx.x) % warp_lanes, warp = static_cast<int>(threadIdx.x) / warp_lanes;
  std::size_t const base = problem.offset(0);
  std::size_t const units = problem.offset(problem.segments) - base + problem.segments;
  if (threadIdx.x == 0) {
    std::uint64_t const ticket = draw_unseen(*problem.shared);
    all_chunks = problem.is_called_for(static_cast<std::uint32_t>(ticket >> 32) + 1)
                     ? static_cast<std::uint32_t>((units + shape::unit - 1) / shape::unit)
                     : 0;
    drawn = resolve(*problem.shared, ticket, tickets_of_scan(all_chunks, gridDim.x));
  }
  __syncthreads();
  std::uint32_t const epoch = drawn.epoch, chunks = all_chunks;
  // Without room for the totals of all chunks each segment is the work of the block in whose chunk it begins.
  bool const shared_out = chunks <= problem.chunks_with_words;
  search_type const search{problem, base, chunks};
  std::uint64_t* const first_words = problem.words + problem.chunks_with_words * words_of<W>;
  if (shared_out) search.publish_all(first_words, epoch, warp, shape::warps + 1);

  auto const strips_of = [](int size) { return (size + shape::strip - 1) / shape::strip; };
  auto const side_of = [&](unsigned number) -> auto& { return both_sides[number % sides]; };
  auto const totals_of = [](auto& side, int first_strip) -> auto& {
    return reinterpret_cast<uninitialized<W>(&)[order::tile_strips][order::strip_rows]>(side.row_totals[first_strip]);
  };
  auto const start_of = [&](std::size_t segment) {
    auto const init = problem.init_of(segment);
    return init.is_present ? left::present(init.value) : left::absent(op, init.value);
  };
  // The value of a piece's last element, without the carry.
  auto const last_of = [&](auto& side, int piece, int first_strip, int size) {
    return shuffle_from(prefix(totals_of(side, first_strip), static_cast<std::size_t>(size), op)
                            .last(*side.last_before[piece], *side.last_own[piece], op),
                        warp_lanes - 1);
  };
  auto const words_of_chunk = [&](std::size_t chunk) { return problem.words + chunk * words_of<W>; };

  if (warp == shape::warps) {
    typename search_type::scout scout(search, first_words, epoch, shared_out, drawn.tile);
    stages_of_chunk<shape> chunk;
    constexpr bool looks_ahead = reduces && stages_ahead > 1;
    if constexpr (looks_ahead) scout.look_ahead(lane);
    bool is_done = false;
    auto const put_stage = [&](unsigned number) {
      segment_stage stage{};
      if (!is_done && chunk.has_more()) {
        stage = chunk.next(shared_out);
      } else if (!is_done) {
        auto const header = looks_ahead ? scout.next_of_many(lane) : scout.next_alone(lane);
        is_done = header.chunk >= chunks;
        if (!is_done) stage = chunk.begin(header, base, shared_out);
      }
      if (lane == 0) stages[number % 4] = stage;
      __syncwarp();
    };
    for (unsigned k = 0; k < stages_ahead; ++k) put_stage(k);
    meet<staged, shape::threads>();
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
        meet<staged, shape::threads>();
      }
    };
    // The total of the lead, published if other tiles follow it.
    auto const total_of_lead = [&](segment_stage const& stage) {
      meet<totalled, shape::threads>();
      W const total = last_of(both_sides[0], 0, 0, stage.lead_size);
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
      auto const settle = [&]<class Fold>(std::type_identity<Fold>, typename Fold::shared& memory) {
        unsigned const k = settled++ % later::most;
        Fold own(problem.init_of(deferred.segment[k]), op);
        auto const before = own.advance(deferred.tile[k], words_of_chunk(deferred.chunk[k]), epoch, memory, op);
        if (lane == 0) problem.put_reduced(deferred.segment[k], before.carry.before(*deferred.total[k], op));
        __syncwarp();
      };
      scout_stages([&](segment_stage const& stage, unsigned number, bool hands_over) {
        while (settled != put_off && number - deferred.stage[settled % later::most] >= later::stages)
          settle(std::type_identity<fold>{}, *fold_memory);
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
      // The workers have ended, and their memory is free.
      using last_fold = carry_fold<T, Op, (words_of<W> <= 2 ? 32 : 1), (words_of<W> <= 2 ? 4 : 1)>;
      static_assert(sizeof(typename last_fold::shared) <= shape::bytes);
      while (settled != put_off)
        settle(std::type_identity<last_fold>{}, reinterpret_cast<typename last_fold::shared&>(room));
    } else {
      fold carries(problem.init, op);
      std::size_t folded_segment = problem.segments;  // whose totals `carries` has; none yet
      auto const carry_of_lead = [&](segment_stage const& stage) {
        if (stage.lead_segment != folded_segment) {
          carries = fold(problem.init_of(stage.lead_segment), op);
          folded_segment = stage.lead_segment;
        }
        auto const before = carries.advance(static_cast<std::uint32_t>(stage.lead_tile),
                                            words_of_chunk(stage.lead_chunk), epoch, *fold_memory, op);
        if (lane == 0) *before_lead = before;
      };
      if constexpr (overlaps) {
        for (unsigned number = 0;; ++number) {
          bool const more = stages[number % 4].exists;
          if (number > 0) {
            segment_stage const& stage = stages[(number - 1) % 4];
            if (stage.hands_over()) {
              if (stage.lead_alone)
                before_alone(stage, *side_of(number - 1).lead_total);
              else
                carry_of_lead(stage);
              if (stage.waits()) meet<carried, shape::threads>();
            }
          }
          if (more) put_stage(number + 1);
          meet<staged, shape::threads>();
          if (!more) break;
        }
      } else {
        scout_stages([&](segment_stage const& stage, unsigned, bool hands_over) {
          if (!hands_over) return;
          W const total = total_of_lead(stage);
          if (stage.lead_alone)
            before_alone(stage, total);
          else
            carry_of_lead(stage);
          meet<carried, shape::threads>();
        });
      }
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
    end_copy_group();
  };
  // Strips are numbered over all pieces of a stage; strip `item` is in the piece that `locate` finds.
  auto const strips_in = [&](auto const& side) {
    int items = 0;
    for (int p = 0; p < side.count; ++p) items += strips_of(side.pieces[p].size);
    return items;
  };
  auto const locate = [&](auto const& side, int item, int& piece, int& first_strip) {
    piece = first_strip = 0;
    for (int strips; item - first_strip >= (strips = strips_of(side.pieces[piece].size)); ++piece)
      first_strip += strips;
  };
  auto const segment_of = [](segment_stage const& stage, auto const& side, int p) {
    return p == 0 && stage.lead_size > 0 ? stage.lead_segment : stage.first + side.pieces[p].segment;
  };

  // Results of short segments, and the totals of the others.
  auto const work_on = [&](unsigned number) {
    segment_stage const& stage = stages[number % 4];
    segment_slots<T> const slots{memory_of(number)};
    auto& side = side_of(number);
    int const lead_size = stage.lead_size;
    bool const hands_over = stage.hands_over();

    // The strips of the lead come first: other blocks wait for its total.
    int const lead_strips = hands_over ? strips_of(lead_size) : 0;
    for (int item = warp; item < lead_strips; item += shape::warps) {
      rows::total_strip(slots, 0, lead_size, item, side.row_totals[item], lane, op);
      if (item == lead_strips - 1)
        rows::total_last_row(slots, 0, lead_size, side.last_before[0], side.last_own[0], lane, op);
    }
    if constexpr (!overlaps) {
      if (hands_over) announce<totalled, shape::threads>();
    } else if (hands_over && (stage.lead_alone || !stage.lead_ends)) {
      meet<1, shape::workers>();
      if (warp == 0) {
        W const total = last_of(side, 0, 0, lead_size);
        if (lane == 0) {
          if (stage.lead_alone)
            *side.lead_total = total;
          else
            publish(words_of_chunk(stage.lead_chunk) + stage.lead_tile * words_of<W>, total, epoch);
        }
      }
    }

    // Segments of a strip at most: those of one group at once, the others by lists.
    if (int const all = stage.segments; all > 0) {
      std::uint32_t const* const begins = begins_of(number);
      std::uint32_t const from = problem.base_word(stage.from);
      std::size_t const first = stage.first;
      int const share = min((all + shape::warps - 1) / shape::warps, warp_lanes);
      for (int some = warp * share; some < all; some += shape::warps * share) {
        int const k = some + lane;
        bool const mine = lane < share && k < all;
        int const begin = mine ? P::relative(begins[k], from) : 0;
        int const size = mine ? P::relative(begins[k + 1], from) - begin : shape::group + 1;
        std::size_t const segment = first + static_cast<std::size_t>(k);
        if (__all_sync(whole_warp, !mine || (size > 2 * shape::group && size <= 4 * shape::group))) {
          if (mine) rows::template do_lane<3, 4>(problem, slots, begin, size, segment, op);
          continue;
        }
        if (size > shape::strip) side.pieces[atomicAdd(&side.count, 1)] = {begin, size, static_cast<std::uint32_t>(k)};
        lists.append(k, mine ? size : 0, lane);
        if (size <= shape::group) rows::do_group(problem, slots, begin, size, segment, op);
      }
      meet<1, shape::workers>();

      auto const at_list = [&](int list, int at, auto const& work) {
        int const k = lists.segment(list, at), begin = P::relative(begins[k], from);
        work(begin, P::relative(begins[k + 1], from) - begin, first + static_cast<std::size_t>(k));
      };
      for (int at = warp; at < lists.count(5); at += shape::warps)
        at_list(5, at, [&](int begin, int size, std::size_t segment) {
          rows::do_strip(problem, slots, begin, size, segment, lane, op);
        });
      // The others are items for warps, which take turns. A lane takes a segment where there are enough of them for
      // most lanes; else a warp takes as many side by side as it has lanes for.
      int turn = warp;
#pragma unroll 1
      for (int list = 4; list >= 2; --list) {
        int const groups = 2 << list, together = 16 >> list, count = lists.count(list);
        constexpr int most_by_lanes = reduces ? rows::most_groups_reduced : rows::most_groups_scanned;
        int const by_lanes = groups <= most_by_lanes ? (count + warp_lanes - shape::enough_lanes) / warp_lanes : 0;
        int const items = by_lanes + ((max(count - by_lanes * warp_lanes, 0) + together - 1) >> (4 - list));
        for (; turn < items; turn += shape::warps) {
          bool const alone = turn < by_lanes;
          int const at = alone ? turn * warp_lanes + lane
                               : by_lanes * warp_lanes + (turn - by_lanes) * together + (lane >> (list + 1));
          bool const is_there = at < count;
          at_list(list, min(at, count - 1), [&](int begin, int size, std::size_t segment) {
            if (!alone) {
              rows::do_row(problem, slots, begin, is_there ? size : 0, groups, segment, lane, op);
            } else if constexpr (rows::by_lanes) {
              if constexpr (reduces) {
                if (is_there) rows::reduce_lane(problem, slots, begin, size, groups / 8, segment, op);
              } else {
                if (is_there) rows::template do_lane<5, 8>(problem, slots, begin, size, segment, op);
              }
            }
          });
        }
        turn -= items;
      }
      auto const by_lanes = [&](int list, auto const& work) {
        int const count = lists.count(list), items = (count + warp_lanes - 1) / warp_lanes;
        for (; turn < items; turn += shape::warps)
          if (int const at = turn * warp_lanes + lane; at < count) at_list(list, at, work);
        turn -= items;
      };
      by_lanes(1, [&](int begin, int size, std::size_t segment) {
        rows::template do_lane<3, 4>(problem, slots, begin, size, segment, op);
      });
      by_lanes(0, [&](int begin, int size, std::size_t segment) {
        rows::template do_lane<2, 2>(problem, slots, begin, size, segment, op);
      });
    }

    int const items = strips_in(side);
    for (int item = lead_strips + warp; item < items; item += shape::warps) {
      int p, first_strip;
      locate(side, item, p, first_strip);
      shared_piece const piece = side.pieces[p];
      rows::total_strip(slots, piece.begin, piece.size, item - first_strip, side.row_totals[item], lane, op);
      if (reduces && item - first_strip == strips_of(piece.size) - 1)
        rows::total_last_row(slots, piece.begin, piece.size, side.last_before[p], side.last_own[p], lane, op);
    }
    if constexpr (reduces) {
      if (!hands_over || side.count > 1) {
        meet<1, shape::workers>();
        for (int p = warp + hands_over; p < side.count; p += shape::warps) {
          int first_strip = 0;
          for (int k = 0; k < p; ++k) first_strip += strips_of(side.pieces[k].size);
          W const total = last_of(side, p, first_strip, side.pieces[p].size);
          std::size_t const segment = segment_of(stage, side, p);
          if (lane == 0) problem.put_reduced(segment, start_of(segment).before(total, op));
        }
      }
    }
  };
  // Results of the pieces, which replace their elements.
  auto const scan_pieces = [&](unsigned number) {
    segment_stage const& stage = stages[number % 4];
    segment_slots<T> const slots{memory_of(number)};
    auto& side = side_of(number);
    int const lead_size = stage.lead_size;
    bool const waits = overlaps ? stage.waits() : stage.hands_over();
    if (side.count == 0) return;
    if (waits)
      meet<carried, shape::threads>();
    else
      meet<1, shape::workers>();
    int const items = strips_in(side);
    for (int item = warp; item < items; item += shape::warps) {
      int p, first_strip;
      locate(side, item, p, first_strip);
      shared_piece const piece = side.pieces[p];
      int const strip = item - first_strip;
      std::size_t const segment = segment_of(stage, side, p);
      prefix const all(totals_of(side, first_strip), static_cast<std::size_t>(piece.size), op);
      left const strips = shuffle_from(all.strips_before(), strip);
      left carry = start_of(segment);
      left previous = carry;
      if (p == 0 && waits) {
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
        locate(side, item, p, first_strip);
        if (item > first_strip)
          slots[side.pieces[p].begin + (item - first_strip) * shape::strip] = static_cast<T>(*strip_lasts[item - 1]);
      }
    }
  };

  auto const begin_stage = [&](unsigned number) {
    segment_stage const& stage = stages[number % 4];
    if (threadIdx.x == 0) {
      side_of(number).count = stage.lead_size > 0;
      side_of(number).pieces[0] = {0, stage.lead_size, 0};
    }
    lists.clear();
  };
  auto const finish_stage = [&](unsigned number) {
    scan_pieces(number);
    meet<1, shape::workers>();
    stage_out<shape::workers>(problem, segment_slots<T>{memory_of(number)}, stages[number % 4].from,
                              stages[number % 4].count);
  };
  meet<staged, shape::threads>();
  if constexpr (stages_ahead > 1) stage_all(0);
  for (unsigned number = 0;; ++number) {
    bool const more = stages[number % 4].exists;
    if (!overlaps && !more) break;
    if (more) {
      stage_all(number + stages_ahead - 1);
      begin_stage(number);
      await_copy_groups<stages_ahead - 1>();
      meet<1, shape::workers>();
      work_on(number);
    }
    if constexpr (overlaps) {
      if (number > 0) finish_stage(number - 1);
    } else if constexpr (!reduces) {
      finish_stage(number);
    }
    meet<staged, shape::threads>();
    if (!more) break;
  }
}

}  // namespace tally::cuda_backend
