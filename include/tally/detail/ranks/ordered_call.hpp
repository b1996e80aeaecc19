#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "tally/detail/batch/host.hpp"
#include "tally/detail/cpu/backend.hpp"
#include "tally/detail/ranks/division.hpp"
#include "tally/detail/ranks/lines.hpp"
#include "tally/detail/ranks/session.hpp"
#include "tally/detail/ranks/totals.hpp"
#include "tally/detail/ranks/wire.hpp"
#include "tally/order.hpp"

namespace tally::ranks_backend {

/// Reductions or scans in the order of docs/order.md, of sequences whose parts lie on ranks (lines.hpp).
/// docs/distributed.md describes the protocol. Every rank runs the same steps, also after a failure of its own.
///
/// Messages and shared values of several sequences lie one sequence after the other.
template <class T, transport Transport, class Lines, class Op>
class ordered_call {
public:
  using held = cpu_backend::held<T>;
  using carry = cpu_backend::held_carry<T, Op>;
  using working = typename carry::working;
  using wide = typename carry::wide;
  using I = typename Lines::iterator;
  static_assert(std::is_trivially_copyable_v<cpu_backend::unheld_t<wide>>,
                "tally: totals travel between ranks as bytes: the operator's carry type must be trivially copyable");

  /// A tile has `tile` elements.
  ordered_call(session<Transport>& session, Lines const& lines, Op& op, std::size_t tile)
      : session_(&session),
        lines_(&lines),
        op_(&op),
        tile_(tile)
  {
  }

  /// Shares the totals of all ranks' tiles: two rounds, or three where the totals do not fit into the second. A tile
  /// that crosses a border is computed by its holder, from the heads that later ranks send. Several sequences take one
  /// round more if tiles cross borders.
  void share_totals(bool may_fail)
  {
    session<Transport>& by = *session_;
    int const rank = by.rank();
    std::size_t const size = lines_->size(), count = lines_->count();
    if constexpr (requires { lines_->divide(by.ranks(), tile_); }) {
      lines_->divide(by.ranks(), tile_);
    } else {
      if constexpr (!Lines::several) reserve();
      divide(by.meet({.elements = size}));
    }
    division const parts = this->parts();
    std::size_t const head = parts.head(rank), tail = parts.tail(rank);
    if constexpr (Lines::several) {
      if (has_heads(parts)) {
        detail::took("ranks: memory for the tiles that cross borders, of several sequences");
        by.attempt([&] {
          if (tail > 0) border_ = memory<T>(count * parts.border_tile(rank));
          if (tail > 0) line_ = memory<T>(parts.border_tile(rank));
          head_ = memory<T>(count * head);
        });
        by.meet({});
      }
    }

    parts.for_each_contributor(rank, [&](int r, std::size_t elements, std::size_t place) {
      by.by().receive(r, border_.bytes() + place * count * sizeof(T), elements * count, sizeof(T));
    });
    if (head > 0) {
      detail::took("ranks: a head for an earlier rank");
      by.attempt([&] {
        for (std::size_t s = 0; s < count; ++s) copy(lines_->first(s), head, head_.get() + s * head);
      });
      by.by().send(parts.holder_of_head(rank), head_.bytes(), by.failed() ? 0 : head * count, sizeof(T));
    }

    shared_totals const own = parts.totals(rank);
    std::span<std::size_t const> const counts = by.ranks().counts;
    std::size_t const most = *std::max_element(counts.begin(), counts.end());
    in_report_ = most * slot <= report::value_bytes;
    report second{.may_fail = may_fail};
    std::byte* slots = second.value;
    std::uint64_t const values = values_of(parts, rank);
    by.attempt([&] {
      if (!in_report_) allocate_slots(count * values);
      if (!in_report_) slots = own_slots_.get();
      for_each_line([&](std::optional<cpu> const& on, std::size_t s) {
        std::byte* const of_line = slots + s * values * slot;
        if (has_init(rank)) store(of_line, working(*lines_->init(s)));
        total_tiles(on, s, head, size - tail, own, of_line + has_init(rank) * slot);
        if (tail > 0) copy(std::next(lines_->first(s), distance(size - tail)), tail, border_.get() + s * tail);
      });
    });
    bool const all_came = by.by().wait();  // else another rank has failed, and the round says so
    if (tail > 0 && all_came)
      by.attempt([&] {
        detail::took("ranks: a tile that crosses a border");
        for (std::size_t s = 0; s < count; ++s)
          store(slots + ((s + 1) * values - 1) * slot, total_of_border(border_line(parts, s), parts.border_tile(rank)));
      });
    by.meet(second);
    if (!in_report_) {
      detail::took("ranks: totals in a round of their own");
      by.by().allgather(own_slots_.get(), all_slots_.get(), counts, slot);
    }
  }

  /// Takes the memory for heads and for the tile that crosses the end of this part, before a round.
  void reserve()
  {
    session_->attempt([&] {
      if (session_->by().size() == 1) return;
      border_ = memory<T>(tile_);
      head_ = memory<T>(std::min(tile_, lines_->size()));
    });
  }

  /// The carry of a sequence before the first tile that this rank begins.
  carry before_own(std::size_t s = 0) const { return before(session_->rank(), s); }
  /// The carry after all elements.
  carry after_all(std::size_t s = 0) const { return before(session_->by().size(), s); }

  /// Writes all results of this part. `out(s)` is the place of those of sequence s.
  /// Returns   the end of those of a single sequence.
  template <class Outs>
  auto scan(Outs const& out, detail::direction shift)
  {
    return scan(out, shift,
                [&](std::optional<cpu> const& on, std::size_t s, std::size_t begin, std::size_t end, auto to,
                    carry& before_tiles) {
                  I const first = std::next(lines_->first(s), distance(begin));
                  return cpu_backend::scan<T>(on, first, std::next(first, distance(end - begin)), std::move(to),
                                              lines_->transform(), *op_, before_tiles, shift);
                });
  }
  /// The same with other code for the tiles that lie in the part: `scan_tiles(threads, s, begin, end, to, carry)`
  /// writes the results of elements [begin, end) of sequence s, at least one, and returns their end.
  template <class Outs, class ScanTiles>
  auto scan(Outs const& out, detail::direction shift, ScanTiles const& scan_tiles)
  {
    using Out = std::decay_t<std::invoke_result_t<Outs const&, std::size_t>>;
    session<Transport>& by = *session_;
    division const parts = this->parts();
    int const rank = by.rank();
    std::size_t const head = parts.head(rank), tail = parts.tail(rank), size = lines_->size(), count = lines_->count();
    carries_before at(*this);
    scan_borders(parts, at, shift);
    if (head > 0) by.by().receive(parts.holder_of_head(rank), head_.bytes(), head * count, sizeof(T));
    auto const scan_own = [&](std::optional<cpu> const& on, std::size_t s, Out to) {
      if (head + tail == size) return to;  // there may be no carry either, on a rank that has no part of the line
      return scan_tiles(on, s, head, size - tail, std::move(to), at[s]);
    };
    if constexpr (std::random_access_iterator<Out>) {
      using place = std::iter_difference_t<Out>;
      by.attempt([&] {
        for_each_line(
            [&](std::optional<cpu> const& on, std::size_t s) { scan_own(on, s, out(s) + static_cast<place>(head)); });
      });
      if (by.by().wait())
        by.attempt([&] {
          for (std::size_t s = 0; s < count; ++s) {
            write(head_.get() + s * head, head, out(s));
            write(border_.get() + s * tail, tail, out(s) + static_cast<place>(size - tail));
          }
        });
      if constexpr (!Lines::several) return out(0) + static_cast<place>(size);
    } else {
      static_assert(!Lines::several);
      Out to = out(0);
      if (by.by().wait())
        by.attempt([&] {
          to = write(head_.get(), head, std::move(to));
          to = scan_own(by.ranks().on, 0, std::move(to));
          to = write(border_.get(), tail, std::move(to));
        });
      return to;
    }
  }

private:
  static constexpr std::size_t slot = slot_size<carry>;
  static constexpr std::size_t slot_alignment =
      std::max({alignof(cpu_backend::unheld_t<wide>), alignof(cpu_backend::unheld_t<working>), std::size_t{16}});

  /// The carries before this rank's tiles: of a single sequence without memory on the heap.
  class carries_before {
  public:
    explicit carries_before(ordered_call& call)
    {
      call.session_->attempt([&] {
        if constexpr (Lines::several) {
          all_.reserve(call.lines_->count());
          for (std::size_t s = 0; s < call.lines_->count(); ++s) all_.push_back(call.before_own(s));
        } else {
          all_ = call.before_own();
        }
      });
    }
    carry& operator[]([[maybe_unused]] std::size_t s)
    {
      if constexpr (Lines::several)
        return all_[s];
      else
        return all_;
    }

  private:
    std::conditional_t<Lines::several, std::vector<carry>, carry> all_;
  };

  /// Whether the lines have code of their own for the totals of whole tiles.
  static constexpr bool has_code_for_tiles =
      requires(Lines const& lines, std::size_t s, std::size_t begin) { lines.total_of_tile(s, begin); };

  static auto distance(std::size_t n) { return static_cast<std::iter_difference_t<I>>(n); }

  division parts() const { return {session_->ranks().offsets, tile_, order::span_tiles}; }
  /// The rank whose part a sequence begins with: rank 0, unless sequences are divided among some ranks only.
  int first_rank() const
  {
    if constexpr (requires { lines_->first_rank(); })
      return lines_->first_rank();
    else
      return 0;
  }
  /// That rank shares the initial value in front of its totals.
  std::size_t has_init(int rank) const { return rank == first_rank() && lines_->has_init() ? 1 : 0; }
  /// The values that a rank shares for each sequence.
  std::uint64_t values_of(division const& parts, int rank) const
  {
    return parts.totals(rank).values() + has_init(rank);
  }
  static bool has_heads(division const& parts)
  {
    for (int r = 0; r < parts.ranks(); ++r)
      if (parts.head(r) > 0) return true;
    return false;
  }

  void divide(std::span<report const> reports)
  {
    std::vector<std::uint64_t>& offsets = session_->ranks().offsets;
    for (std::size_t r = 0; r < reports.size(); ++r) offsets[r + 1] = offsets[r] + reports[r].elements;
    for (std::size_t r = 0; r < reports.size(); ++r)
      session_->ranks().counts[r] = lines_->count() * static_cast<std::size_t>(values_of(parts(), static_cast<int>(r)));
  }

  /// Calls `work(threads, s)` for each sequence: threads share many sequences, else they share each of them.
  template <class Work>
  void for_each_line(Work const& work)
  {
    std::optional<cpu> const& on = session_->ranks().on;
    if constexpr (Lines::several) {
      std::size_t const count = lines_->count(), bytes = std::max<std::size_t>(32, sizeof(T)) * lines_->size();
      int const members = cpu_backend::team_size(cpu_backend::threads_for_batch<Op, T>(on), count * bytes, count);
      if (members > 1 && count >= 4 * static_cast<std::size_t>(members)) {
        detail::took("ranks: sequences shared by threads");
        cpu_backend::draw_blocks(count, 1, members, [&](std::size_t begin, std::size_t end) {
          for (std::size_t s = begin; s < end; ++s) work(cpu{1}, s);
        });
        return;
      }
      for (std::size_t s = 0; s < count; ++s) work(on, s);
    } else {
      work(on, std::size_t{0});
    }
  }

  /// Constructs `count` elements from those at `from`.
  void copy(I from, std::size_t count, T* to)
  {
    for (std::size_t k = 0; k < count; ++k, ++from)
      std::construct_at(to + k, static_cast<T>(lines_->transform()(*from)));
  }
  template <class Out>
  static Out write(T const* from, std::size_t count, Out out)
  {
    for (std::size_t k = 0; k < count; ++k, ++out) *out = from[k];
    return out;
  }

  void total_tiles(std::optional<cpu> const& on, std::size_t s, std::size_t begin, std::size_t end,
                   shared_totals const& own, std::byte* slots)
  {
    I const first = std::next(lines_->first(s), distance(begin));
    I const last = std::next(first, distance(end - begin));
    if constexpr (has_code_for_tiles) {
      if (begin == end) return;
      std::size_t const tiles = (end - begin - 1) / tile_ + 1;
      auto const total = [&](std::uint64_t k) -> T {
        std::size_t const place = static_cast<std::size_t>(k) * tile_;
        if (begin + place + tile_ <= end) return lines_->total_of_tile(s, begin + place);
        carry all;
        cpu_backend::reduce<T>(cpu{1}, std::next(first, distance(place)), last, lines_->transform(), *op_, all);
        return *all.last();
      };
      share_totals_of<carry>(tiles, own, slots, total, *op_,
                             cpu_backend::team_size(on ? on->threads : 0, (end - begin) * sizeof(T), own.values()));
    } else if constexpr (cpu_backend::large<T>) {
      using transform = std::remove_reference_t<decltype(lines_->transform())>;
      cpu_backend::to_heap<T, transform> elements{&lines_->transform()};
      auto op = cpu_backend::hold_operator<T>(*op_);
      total_own_tiles<held>(on, first, last, end - begin, tile_, own, slots, elements, op);
    } else {
      total_own_tiles<T>(on, first, last, end - begin, tile_, own, slots, lines_->transform(), *op_);
    }
  }

  /// Calls f(elements, place) for each piece of the tile that crosses the end of this part: this rank's own first.
  template <class F>
  void for_each_piece(division const& parts, F const& f) const
  {
    int const rank = session_->rank();
    f(parts.tail(rank), 0);
    parts.for_each_contributor(rank, [&](int, std::size_t elements, std::size_t place) { f(elements, place); });
  }
  /// The elements of a sequence in the tile that crosses the end of this part, one after the other.
  T* border_line(division const& parts, [[maybe_unused]] std::size_t s)
  {
    if constexpr (!Lines::several) return border_.get();
    for_each_piece(parts, [&](std::size_t elements, std::size_t place) {
      std::memcpy(static_cast<void*>(line_.get() + place), of_piece(s, elements, place), elements * sizeof(T));
    });
    return line_.get();
  }
  /// Puts the results of a sequence where its elements were.
  void put_border_line(division const& parts, std::size_t s)
  {
    if constexpr (Lines::several)
      for_each_piece(parts, [&](std::size_t elements, std::size_t place) {
        std::memcpy(static_cast<void*>(of_piece(s, elements, place)), line_.get() + place, elements * sizeof(T));
      });
  }
  T* of_piece(std::size_t s, std::size_t elements, std::size_t place) const
  {
    return border_.get() + place * lines_->count() + s * elements;
  }
  working total_of_border(T const* elements, std::size_t size)
  {
    carry none;
    std::identity same;
    cpu_backend::reduce<T>(cpu{1}, elements, elements + size, same, *op_, none);
    return *none.last();
  }

  /// Scans the tiles that cross the end of this part, and begins to send the results of other parts.
  void scan_borders(division const& parts, carries_before& before_own, detail::direction shift)
  {
    session<Transport>& by = *session_;
    int const rank = by.rank();
    if (parts.tail(rank) == 0) return;
    std::size_t const count = lines_->count();
    by.attempt([&] {
      auto&& op = cpu_backend::hold_operator<T>(*op_);
      shared_totals const own = parts.totals(rank);
      for (std::size_t s = 0; s < count; ++s) {
        carry at = before_own[s];
        push_shared(at, own, own.values() - 1, slots_of(parts, rank, s) + has_init(rank) * slot, op);
        std::identity same;
        T* const line = border_line(parts, s);
        cpu_backend::scan<T>(cpu{1}, line, line + parts.border_tile(rank), line, same, *op_, at, shift);
        put_border_line(parts, s);
      }
    });
    parts.for_each_contributor(rank, [&](int r, std::size_t elements, std::size_t place) {
      by.by().send(r, border_.bytes() + place * count * sizeof(T), by.failed() ? 0 : elements * count, sizeof(T));
    });
  }

  void allocate_slots(std::uint64_t own)
  {
    std::span<std::size_t const> const counts = session_->ranks().counts;
    std::size_t const all = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
    own_slots_ = memory<std::byte>(static_cast<std::size_t>(own) * slot, slot_alignment);
    all_slots_ = memory<std::byte>(static_cast<std::size_t>(all) * slot, slot_alignment);
  }
  /// The values that a rank shares for a sequence.
  std::byte const* slots_of(division const& parts, int rank, std::size_t s) const
  {
    std::byte const* at = all_slots_.get();
    if (in_report_)
      at = session_->ranks().reports[static_cast<std::size_t>(rank)].value;
    else
      for (int r = 0; r < rank; ++r) at += session_->ranks().counts[static_cast<std::size_t>(r)] * slot;
    return at + s * values_of(parts, rank) * slot;
  }
  carry before(int rank, std::size_t s) const
  {
    auto&& op = cpu_backend::hold_operator<T>(*op_);
    division const parts = this->parts();
    carry sum;
    std::byte const* of_rank = all_slots_.get();
    int const begins = first_rank();
    for (int r = 0; r < rank || (r == begins && has_init(r)); ++r) {
      if (in_report_) of_rank = session_->ranks().reports[static_cast<std::size_t>(r)].value;
      shared_totals const shared = parts.totals(r);
      std::byte const* const at = of_rank + s * (shared.values() + has_init(r)) * slot;
      if (has_init(r)) sum = carry(load<working>(at));
      if (r == rank) break;
      push_shared(sum, shared, shared.values(), at + has_init(r) * slot, op);
      of_rank += session_->ranks().counts[static_cast<std::size_t>(r)] * slot;
    }
    return sum;
  }

  session<Transport>* session_;
  Lines const* lines_;
  Op* op_;
  std::size_t tile_;
  memory<T> border_;  // the tiles that cross the end of this part, in pieces: their elements, and later their results
  memory<T> line_;    // one of several
  memory<T> head_;    // likewise, of the heads
  memory<std::byte> own_slots_, all_slots_;
  bool in_report_ = true;
};

}  // namespace tally::ranks_backend
