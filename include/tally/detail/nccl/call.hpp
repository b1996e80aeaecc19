#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>

#include "tally/config.hpp"
#include "tally/detail/contract.hpp"
#include "tally/detail/nccl/carries.hpp"
#include "tally/detail/nccl/execution.hpp"
#include "tally/detail/nccl/recurrence_rows.hpp"
#include "tally/detail/path.hpp"
#include "tally/detail/ranks/division.hpp"
#include "tally/detail/ranks/lines.hpp"
#include "tally/detail/ranks/session.hpp"
#include "tally/detail/recurrence/steps_in_order.hpp"
#include "tally/operators/traits.hpp"
#include "tally/order.hpp"

/// A call on a sequence whose parts lie in the memory of several devices: the steps of each rank, for any kind of
/// device and any transport. docs/distributed.md describes them.
namespace tally::nccl_backend {

/// The part of one rank among the tiles of the whole sequence.
struct rank_part {
  std::size_t head = 0;          ///< elements of a tile that an earlier rank holds
  int holder = 0;                ///< that rank, if there is a head
  std::size_t tail = 0;          ///< elements of the last tile, if later ranks have others of it
  std::size_t border = 0;        ///< all elements of that tile
  std::uint64_t first_tile = 0;  ///< the number of the rank's first tile
  std::uint64_t tiles = 0;       ///< that the rank holds
};

/// Elements of several sequences in one array, each in the rank's part of them: place k is element k % each of sequence
/// k / each.
template <class T, class Lines>
struct copy_from_lines {
  Lines lines;
  std::size_t skip, each;  ///< elements of a sequence, from `skip` on
  T* to;
  std::size_t stride;  ///< between the copies of sequences

  TALLY_HD_AS_GIVEN
  TALLY_HD void operator()(std::size_t k) const
  {
    std::size_t const s = k / each, j = k - s * each;
    to[s * stride + j] = static_cast<T>(lines.first(s)[static_cast<std::ptrdiff_t>(skip + j)]);
  }
};
template <class T, class Outs>
struct copy_to_lines {
  T const* from;
  std::size_t stride, each;
  Outs outs;
  std::size_t skip;

  TALLY_HD_AS_GIVEN
  TALLY_HD void operator()(std::size_t k) const
  {
    std::size_t const s = k / each, j = k - s * each;
    outs(s)[static_cast<std::ptrdiff_t>(skip + j)] = from[s * stride + j];
  }
};
/// Copies pieces of sequences from one distance between sequences to another.
template <class T>
struct copy_pieces {
  T const* from;
  std::size_t from_stride;
  T* to;
  std::size_t to_stride, each;

  TALLY_HD void operator()(std::size_t k) const
  {
    std::size_t const s = k / each, j = k - s * each;
    to[s * to_stride + j] = from[s * from_stride + j];
  }
};

/// The elements of several sequences from `skip` on, as kernels take them: an iterator for each.
template <class Lines>
struct inputs_of_lines {
  Lines lines;
  std::size_t skip;
  TALLY_HD_AS_GIVEN
  TALLY_HD auto operator()(std::size_t s) const { return lines.first(s) + static_cast<std::ptrdiff_t>(skip); }
};
template <class Outs>
struct outputs_of_lines {
  Outs outs;
  std::size_t skip;
  TALLY_HD_AS_GIVEN
  TALLY_HD auto operator()(std::size_t s) const { return outs(s) + static_cast<std::ptrdiff_t>(skip); }
};
/// Sequences one after the other in memory of the call's own.
template <class T>
struct lines_in_memory {
  T* first;
  std::size_t each;
  TALLY_HD T* operator()(std::size_t s) const { return first + s * each; }
};

/// The place of the results of a single sequence.
template <class Out>
struct one_output {
  Out out;
  Out operator()(std::size_t) const { return out; }
};

/// The initial values of sequences: a function of their numbers, which kernels call.
template <class T, class Lines>
auto initials_of(Lines const& lines)
{
  using W = working_type<T>;
  if constexpr (requires { lines.initials(); }) {
    return lines.initials();
  } else if constexpr (Lines::several) {
    return initial_values<T>{lines.ends.initial ? static_cast<W>(*lines.ends.initial) : W(), lines.ends.initials,
                             lines.where};
  } else {
    std::optional<T> const& init = lines.init(0);
    return initial_value<T>{init ? static_cast<W>(*init) : W()};
  }
}

/// The rows of recurrences in memory, with those of the rank's tile `tile` in front; nothing of other calls.
struct no_rows {};
template <class T, class Op>
auto rows_in_memory([[maybe_unused]] std::byte* memory, [[maybe_unused]] std::size_t tile_steps,
                    [[maybe_unused]] std::uint64_t tile, [[maybe_unused]] std::uint64_t tiles_each,
                    [[maybe_unused]] std::size_t size)
{
  if constexpr (detail::recurrence::is_in_order<Op, T>) {
    using rows = rows_of_sequences<detail::recurrence::state_of<T>>;
    rows all{size, tile_steps, reinterpret_cast<row_of_steps<detail::recurrence::state_of<T>>*>(memory), tiles_each};
    all.rows = all.of_tile(0, tile);
    return all;
  } else {
    return no_rows{};
  }
}

/// A call on all ranks, from the sizes of all parts on. Every rank makes it with the same sizes, so all need the same
/// memory. Several sequences (ranks/lines.hpp) are divided in one way; their heads and shared values lie one sequence
/// after the other.
template <class T, class Op, class Machine, class Lines>
class call {
public:
  using W = working_type<T>;
  using C = carry_type<Op, T>;
  using work = typename Machine::work;

  /// Operators in any order need no tiles that cross borders: each part has tiles and spans of its own.
  static constexpr bool in_any_order = exactly_associative<Op, T>;
  /// A scan has the memory that it needs.
  static constexpr bool scan_may_fail = false;

  call(group<Machine>& all, work& on, Lines const& lines, Op& op)
      : all_(&all),
        work_(&on),
        lines_(&lines),
        op_(&op),
        count_(lines.count()),
        size_(lines.size()),
        tile_(on.template tile<T>())
  {
    std::uint64_t most_tiles = 0, most_values = 0;
    std::size_t most_border = 0;
    auto const consider = [&](ranks_backend::division const& parts) {
      for (int r = 0; r < parts.ranks(); ++r) {
        rank_part const of = part(parts, r);
        most_tiles = std::max(most_tiles, of.tiles);
        most_values = std::max(most_values, header(of, r == 0).values());
        most_border = std::max({most_border, of.border, of.head});
      }
    };
    if constexpr (requires { lines.for_each_division(tile_, consider); })
      lines.for_each_division(tile_, consider);
    else
      consider(parts());
    if (!Lines::several) most_border = ranks() == 1 || in_any_order ? 0 : tile_;
    own_ = part(parts(), own_place());
    block_bytes_ = aligned(sizeof(shared_header) + most_values * count_ * sizeof(slot<T, Op>));
    auto const place = [&](std::size_t bytes) { return std::exchange(bytes_, bytes_ + aligned(bytes)); };
    all_blocks_ = place(block_bytes_ * static_cast<std::size_t>(ranks()));
    own_block_ = place(block_bytes_);
    totals_ = place(most_tiles * count_ * sizeof(W));
    state_ = place(count_ * sizeof(carry_state<T, Op>));
    starts_each_ = most_tiles / order::span_tiles + 2;
    starts_ = place(starts_each_ * count_ * sizeof(C));
    border_ = place(most_border * count_ * sizeof(T));
    border_results_ = place(most_border * count_ * sizeof(T));
    head_ = place(most_border * count_ * sizeof(T));
    if (Lines::several) pieces_ = place(most_border * count_ * sizeof(T));
    if constexpr (detail::recurrence::is_in_order<Op, T>) {
      using state = detail::recurrence::state_of<T>;
      rows_ = place(most_tiles * count_ * rows_of_sequences<state>::rows_of(tile_) * sizeof(row_of_steps<state>));
    }
  }

  /// The memory of the device that the call needs, on every rank.
  std::size_t bytes() const { return bytes_; }

  /// Shares the totals of all ranks' tiles. A tile that crosses a border is totalled by its holder, from the heads that
  /// later ranks send.
  void share_totals()
  {
    memory_ = work_->memory();
    if (own_.head > 0) {
      detail::took("nccl: a head for an earlier rank");
      copy_elements(0, own_.head, memory_of(head_), own_.head);
    }
    if (own_.tail > 0) copy_elements(size_ - own_.tail, own_.tail, memory_of(border_), own_.border);
    std::uint64_t const whole = own_.tiles - (own_.tail > 0);
    if (whole > 0) {
      std::size_t const elements = size_ - own_.head - own_.tail;
      if constexpr (Lines::several)
        work_->template total_lines<T>(inputs_of_lines<Lines>{*lines_, own_.head}, count_, elements, totals(),
                                       own_.tiles, *op_, rows(0, elements));
      else
        work_->template total<T>(at(own_.head), elements, totals(), *op_, lines_->transform());
    }
    std::size_t const from_others = Lines::several ? pieces_ : border_;
    for_each_contributor([&](int from, std::size_t count, std::size_t place) {
      by().receive(from, bytes_of(memory_of(from_others) + place * count_), count * count_ * sizeof(T));
    });
    if (own_.head > 0) by().send(rank_at(own_.holder), bytes_of(memory_of(head_)), own_.head * count_ * sizeof(T));
    if (own_.head > 0 || own_.tail > 0) by().exchange();
    if (own_.tail > 0) {
      detail::took("nccl: a tile that crosses a border");
      if constexpr (Lines::several) {
        for_each_contributor([&](int, std::size_t count, std::size_t place) {
          work_->for_each(count * count_, copy_pieces<T>{memory_of(pieces_) + place * count_, count,
                                                         memory_of(border_) + place, own_.border, count});
        });
        work_->template total_lines<T>(border_lines(), count_, own_.border, totals() + whole, own_.tiles, *op_,
                                       rows(whole, own_.border));
      } else {
        std::identity same;
        work_->template total<T>(static_cast<T const*>(memory_of(border_)), own_.border, totals() + whole, *op_, same);
      }
    }
    auto* const block = memory_ + own_block_;
    auto const inits = initials_of<T>(*lines_);
    work_->template share<T>(
        sharing<T, Op, decltype(inits)>{header(own_, own_place() == places().first), totals(), own_.tiles, inits,
                                        reinterpret_cast<slot<T, Op>*>(block + sizeof(shared_header)), *op_},
        reinterpret_cast<shared_header*>(block), count_);
    by().gather(block, memory_ + all_blocks_, block_bytes_);
  }

  /// The elements of all parts of a sequence.
  std::uint64_t elements() const { return parts().size(); }

  /// Calls put(s, value) for each sequence, where calls run, with the value of the whole if there is one.
  template <class Put>
  void reduce(Put const& put)
  {
    int const ranks_of_it = places().last - places().first + 1;
    work_->template fold<T>(blocks(), ranks_of_it, count_, put, *op_);
  }

  /// Writes the results of this part: those of sequence s to outs(s). It may be called again.
  template <class Outs>
  void scan(Outs const& outs, detail::direction shift)
  {
    if (size_ == 0) return;  // such a part has no head and no tile
    std::size_t const whole = size_ - own_.head - own_.tail;
    carries<T, Op> before;
    if (own_.tiles > 0) {
      before = {totals(),
                reinterpret_cast<carry_state<T, Op>*>(memory_ + state_),
                reinterpret_cast<C*>(memory_ + starts_),
                own_.first_tile,
                own_.tiles,
                starts_each_};
      bool to_span = false;
      if constexpr (!Lines::several)  // a tail is scanned first, and needs the spans before it
        to_span = own_.tail == 0 && work_->template goes_on_alone<T>(at(own_.head), whole, place(outs(0), own_.head),
                                                                     before, *op_, lines_->transform());
      work_->template find_carries<T>(blocks(), own_place() - places().first, count_, to_span, before, *op_);
    }
    std::identity same;
    if constexpr (Lines::several) {
      if (own_.tail > 0)
        work_->template scan_lines<T>(border_lines(), count_, own_.border, border_results(), before, own_.tiles - 1,
                                      *op_, shift, rows(own_.tiles - 1, own_.border));
      if (whole > 0)
        work_->template scan_lines<T>(inputs_of_lines<Lines>{*lines_, own_.head}, count_, whole,
                                      outputs_of_lines<Outs>{outs, own_.head}, before, 0, *op_, shift, rows(0, whole));
      for_each_contributor([&](int, std::size_t count, std::size_t place) {
        work_->for_each(count * count_, copy_pieces<T>{memory_of(border_results_) + place, own_.border,
                                                       memory_of(pieces_) + place * count_, count, count});
      });
    } else {
      if (own_.tail > 0)
        work_->template scan<T>(static_cast<T const*>(memory_of(border_)), own_.border, memory_of(border_results_),
                                before, own_.tiles - 1, *op_, same, shift);
      if (whole > 0)
        work_->template scan<T>(at(own_.head), whole, place(outs(0), own_.head), before, 0, *op_, lines_->transform(),
                                shift);
    }
    std::size_t const to_others = Lines::several ? pieces_ : border_results_;
    for_each_contributor([&](int to, std::size_t count, std::size_t place) {
      by().send(to, bytes_of(memory_of(to_others) + place * count_), count * count_ * sizeof(T));
    });
    if (own_.head > 0) by().receive(rank_at(own_.holder), bytes_of(memory_of(head_)), own_.head * count_ * sizeof(T));
    if (own_.head > 0 || own_.tail > 0) by().exchange();
    put_results(memory_of(head_), own_.head, own_.head, outs, 0);
    put_results(memory_of(border_results_), own_.border, own_.tail, outs, size_ - own_.tail);
  }

private:
  typename Machine::transport& by() const { return all_->ranks.by; }
  int rank() const { return by().rank(); }
  int ranks() const { return by().size(); }
  // Ranks have the places of a sequence in their order or, if it goes back, in the opposite one.
  ranks_backend::rank_places places() const { return ranks_backend::places_of(*lines_, ranks()); }
  int rank_at(int place) const { return places().rank_at(place); }
  int own_place() const { return rank_at(rank()); }

  static constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 255) / 256 * 256; }
  template <class J>
  static J place(J const& from, std::size_t k)
  {
    return from + static_cast<std::iter_difference_t<J>>(k);
  }
  auto at(std::size_t k) const { return place(lines_->first(0), k); }
  T* memory_of(std::size_t place) const { return reinterpret_cast<T*>(memory_ + place); }
  static std::byte* bytes_of(T* elements) { return reinterpret_cast<std::byte*>(elements); }
  W* totals() const { return reinterpret_cast<W*>(memory_ + totals_); }
  /// The rows of the rank's tiles from `tile` on, where sequences have `size` elements in them.
  auto rows(std::uint64_t tile, std::size_t size) const
  {
    return rows_in_memory<T, Op>(memory_ + rows_, tile_, tile, own_.tiles, size);
  }
  lines_in_memory<T const> border_lines() const { return {memory_of(border_), own_.border}; }
  lines_in_memory<T> border_results() const { return {memory_of(border_results_), own_.border}; }
  /// The blocks of the ranks that have parts.
  shared_blocks blocks() const
  {
    ranks_backend::rank_places const places = this->places();
    auto const each = static_cast<std::ptrdiff_t>(block_bytes_);
    return {memory_ + all_blocks_ + places.rank_at(places.first) * each, places.goes_back ? -each : each};
  }

  ranks_backend::division parts() const { return {all_->ranks.offsets, tile_, order::span_tiles}; }
  rank_part part(ranks_backend::division const& all, int r) const
  {
    std::uint64_t const size = all.end(r) - all.begin(r);
    if constexpr (in_any_order) return {.tiles = size / tile_ + (size % tile_ != 0)};
    rank_part of{.head = all.head(r), .tail = all.tail(r), .first_tile = all.first_tile(r), .tiles = all.tiles(r)};
    if (of.head > 0) of.holder = all.holder_of_head(r);
    if (of.tail > 0) of.border = all.border_tile(r);
    return of;
  }
  shared_header header(rank_part const& of, bool is_first) const
  {
    return {ranks_backend::shared_totals::of(of.tiles, of.first_tile, order::span_tiles), of.first_tile,
            is_first && lines_->has_init()};
  }
  template <class F>
  void for_each_contributor(F const& f) const
  {
    if (own_.tail == 0) return;
    parts().for_each_contributor(own_place(),
                                 [&](int at, std::size_t count, std::size_t place) { f(rank_at(at), count, place); });
  }

  /// Copies `count` elements of each sequence, from number `first` on.
  void copy_elements(std::size_t first, std::size_t count, T* to, [[maybe_unused]] std::size_t stride)
  {
    if constexpr (Lines::several)
      work_->for_each(count * count_, copy_from_lines<T, Lines>{*lines_, first, count, to, stride});
    else
      work_->template copy<T>(at(first), count, to, lines_->transform());
  }
  /// Writes results of each sequence to their places, from `first` on.
  template <class Outs>
  void put_results(T const* from, [[maybe_unused]] std::size_t stride, std::size_t count, Outs const& outs,
                   std::size_t first)
  {
    if (count == 0) return;
    std::identity same;
    if constexpr (Lines::several)
      work_->for_each(count * count_, copy_to_lines<T, Outs>{from, stride, count, outs, first});
    else
      work_->template copy<T>(from, count, place(outs(0), first), same);
  }

  group<Machine>* all_;
  work* work_;
  Lines const* lines_;
  Op* op_;
  std::size_t count_, size_;
  std::size_t tile_;
  rank_part own_;
  std::byte* memory_ = nullptr;
  std::size_t bytes_ = 0, block_bytes_ = 0, starts_each_ = 0;
  // Places in memory: the blocks of all ranks, that of this one, the totals of its tiles, the values before its first
  // tile and before its spans, the tile that crosses the end of its part and its results, its head, of several
  // sequences the pieces of other ranks, and the rows of recurrences.
  std::size_t all_blocks_ = 0, own_block_ = 0, totals_ = 0, state_ = 0, starts_ = 0, border_ = 0, border_results_ = 0,
              head_ = 0, pieces_ = 0, rows_ = 0;
};

}  // namespace tally::nccl_backend
