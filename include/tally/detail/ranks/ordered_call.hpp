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
    int const place = own_place();
    std::size_t const size = lines_->size(), count = lines_->count();
    if constexpr (requires { lines_->divide(by.ranks(), tile_); }) {
      lines_->divide(by.ranks(), tile_);
    } else {
      if constexpr (!Lines::several) reserve();
      divide(by.meet({.elements = size}));
    }
    division const parts = this->parts();
    std::size_t const head = parts.head(place), tail = parts.tail(place);
    if constexpr (Lines::several) {
      if (has_heads(parts)) {
        detail::took("ranks: memory for the tiles that cross borders, of several sequences");
        by.attempt([&] {
          if (tail > 0) border_ = memory<T>(count * parts.border_tile(place));
          if (tail > 0) line_ = memory<T>(parts.border_tile(place));
          head_ = memory<T>(count * head);
        });
        by.meet({});
      }
    }

    parts.for_each_contributor(place, [&](int from, std::size_t elements, std::size_t at) {
      by.by().receive(rank_at(from), border_.bytes() + at * count * sizeof(T), elements * count, sizeof(T));
    });
    if (head > 0) {
      detail::took("ranks: a head for an earlier rank");
      by.attempt([&] {
        for (std::size_t s = 0; s < count; ++s) copy(lines_->first(s), head, head_.get() + s * head);
      });
      by.by().send(rank_at(parts.holder_of_head(place)), head_.bytes(), by.failed() ? 0 : head * count, sizeof(T));
    }

    shared_totals const own = parts.totals(place);
    std::span<std::size_t const> const counts = by.ranks().counts;
    std::size_t const most = *std::max_element(counts.begin(), counts.end());
    in_report_ = most * slot <= report::value_bytes;
    report second{.may_fail = may_fail};
    std::byte* slots = second.value;
    std::uint64_t const values = values_of(parts, place);
    by.attempt([&] {
      if (!in_report_) allocate_slots(count * values);
      if (!in_report_) slots = own_slots_.get();
      for_each_line([&](std::optional<cpu> const& on, std::size_t s) {
        std::byte* const of_line = slots + s * values * slot;
        if (has_init(place)) store(of_line, working(*lines_->init(s)));
        total_tiles(on, s, head, size - tail, own, of_line + has_init(place) * slot);
        if (tail > 0) copy(std::next(lines_->first(s), distance(size - tail)), tail, border_.get() + s * tail);
      });
    });
    bool const all_came = by.by().wait();  // else another rank has failed, and the round says so
    if (tail > 0 && all_came)
      by.attempt([&] {
        detail::took("ranks: a tile that crosses a border");
        for (std::size_t s = 0; s < count; ++s)
          store(slots + ((s + 1) * values - 1) * slot,
                total_of_border(border_line(parts, s), parts.border_tile(place)));
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
  carry before_own(std::size_t s = 0) const { return before(own_place(), s); }
  /// The carry after all elements.
  carry after_all(std::size_t s = 0) const { return before(session_->by().size(), s); }
  /// The initial value, which a rank shares with its totals.
  working initial(std::size_t s = 0) const { return load<working>(slots_of(parts(), places().initial, s)); }

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
    int const place = own_place();
    std::size_t const head = parts.head(place), tail = parts.tail(place), size = lines_->size(),
                      count = lines_->count();
    carries_before at(*this);
    scan_borders(parts, at, shift);
    if (head > 0) by.by().receive(rank_at(parts.holder_of_head(place)), head_.bytes(), head * count, sizeof(T));
    auto const scan_own = [&](std::optional<cpu> const& on, std::size_t s, Out to) {
      if (head + tail == size) return to;  // there may be no carry either, on a rank that has no part of the line
      return scan_tiles(on, s, head, size - tail, std::move(to), at[s]);
    };
    if constexpr (std::random_access_iterator<Out>) {
      auto const behind = [&](std::size_t s, std::size_t k) {
        return out(s) + static_cast<std::iter_difference_t<Out>>(k);
      };
      by.attempt([&] {
        for_each_line([&](std::optional<cpu> const& on, std::size_t s) { scan_own(on, s, behind(s, head)); });
      });
      if (by.by().wait())
        by.attempt([&] {
          for (std::size_t s = 0; s < count; ++s) {
            write(head_.get() + s * head, head, out(s));
            write(border_.get() + s * tail, tail, behind(s, size - tail));
          }
        });
      if constexpr (!Lines::several) return behind(0, size);
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
  rank_places places() const { return places_of(*lines_, session_->by().size()); }
  int rank_at(int place) const { return places().rank_at(place); }
  int own_place() const { return rank_at(session_->rank()); }
  /// A rank shares the initial value in front of its totals.
  std::size_t has_init(int place) const { return place == places().initial && lines_->has_init() ? 1 : 0; }
  /// The values that the rank at a place shares for each sequence.
  std::uint64_t values_of(division const& parts, int place) const
  {
    return parts.totals(place).values() + has_init(place);
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
    int const place = own_place();
    f(parts.tail(place), 0);
    parts.for_each_contributor(place, [&](int, std::size_t elements, std::size_t at) { f(elements, at); });
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
    int const place = own_place();
    if (parts.tail(place) == 0) return;
    std::size_t const count = lines_->count();
    by.attempt([&] {
      auto&& op = cpu_backend::hold_operator<T>(*op_);
      shared_totals const own = parts.totals(place);
      for (std::size_t s = 0; s < count; ++s) {
        carry at = before_own[s];
        push_shared(at, own, own.values() - 1, slots_of(parts, place, s) + has_init(place) * slot, op);
        std::identity same;
        T* const line = border_line(parts, s);
        cpu_backend::scan<T>(cpu{1}, line, line + parts.border_tile(place), line, same, *op_, at, shift);
        put_border_line(parts, s);
      }
    });
    parts.for_each_contributor(place, [&](int to, std::size_t elements, std::size_t from) {
      by.by().send(rank_at(to), border_.bytes() + from * count * sizeof(T), by.failed() ? 0 : elements * count,
                   sizeof(T));
    });
  }

  void allocate_slots(std::uint64_t own)
  {
    std::span<std::size_t const> const counts = session_->ranks().counts;
    std::size_t const all = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
    own_slots_ = memory<std::byte>(static_cast<std::size_t>(own) * slot, slot_alignment);
    all_slots_ = memory<std::byte>(static_cast<std::size_t>(all) * slot, slot_alignment);
  }
  /// The values that a rank shares, of all sequences.
  std::byte const* slots_of_rank(int rank) const
  {
    if (in_report_) return session_->ranks().reports[static_cast<std::size_t>(rank)].value;
    std::span<std::size_t const> const counts = session_->ranks().counts;
    return all_slots_.get() + slot * std::accumulate(counts.begin(), counts.begin() + rank, std::size_t{0});
  }
  /// Those of the next rank, or of the one before.
  std::byte const* slots_beside(std::byte const* slots, int rank, int other) const
  {
    if (in_report_) return slots_of_rank(other);
    auto const bytes = [&](int of) { return session_->ranks().counts[static_cast<std::size_t>(of)] * slot; };
    return rank < other ? slots + bytes(rank) : slots - bytes(other);
  }
  /// The values that the rank at a place shares for a sequence.
  std::byte const* slots_of(division const& parts, int place, std::size_t s) const
  {
    return slots_of_rank(rank_at(place)) + s * values_of(parts, place) * slot;
  }
  carry before(int place, std::size_t s) const
  {
    auto&& op = cpu_backend::hold_operator<T>(*op_);
    division const parts = this->parts();
    int const first = places().first;
    carry sum;
    if (!places().is_here) return sum;
    if (lines_->has_init()) sum = carry(initial(s));
    std::byte const* slots = first < place ? slots_of_rank(rank_at(first)) : nullptr;
    for (int at = first; at < place; ++at) {
      if (at > first) slots = slots_beside(slots, rank_at(at - 1), rank_at(at));
      shared_totals const shared = parts.totals(at);
      push_shared(sum, shared, shared.values(), slots + (s * values_of(parts, at) + has_init(at)) * slot, op);
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
