#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "tally/detail/cpu/backend.hpp"
#include "tally/detail/ranks/division.hpp"
#include "tally/detail/ranks/session.hpp"
#include "tally/detail/ranks/totals.hpp"
#include "tally/detail/ranks/wire.hpp"
#include "tally/order.hpp"

namespace tally::ranks_backend {

/// A reduction or scan in the order of docs/order.md, of a sequence whose parts lie on ranks. docs/distributed.md
/// describes the protocol. Every rank runs the same steps, also after a failure of its own.
template <class T, transport Transport, class I, class Op, class Transform>
class ordered_call {
public:
  using held = cpu_backend::held<T>;
  using carry = cpu_backend::held_carry<T, Op>;
  using working = typename carry::working;
  using wide = typename carry::wide;
  static_assert(std::is_trivially_copyable_v<cpu_backend::unheld_t<wide>>,
                "tally: totals travel between ranks as bytes: the operator's carry type must be trivially copyable");

  /// [first, first + size) is this rank's part. A tile has `tile` elements.
  ordered_call(session<Transport>& session, I first, std::size_t size, std::optional<T> const& init, Op& op,
               Transform& transform, std::size_t tile)
      : session_(&session),
        first_(std::move(first)),
        size_(size),
        init_(&init),
        op_(&op),
        transform_(&transform),
        tile_(tile)
  {
  }

  /// Shares the totals of all ranks' tiles: two rounds, or three where the totals do not fit into the second. A tile
  /// that crosses a border is computed by its holder, from the heads that later ranks send.
  void share_totals(bool may_fail)
  {
    session<Transport>& by = *session_;
    int const rank = by.rank(), ranks = by.by().size();
    by.attempt([&] {
      if (ranks == 1) return;
      border_ = memory<T>(tile_);
      head_ = memory<T>(std::min(tile_, size_));
    });
    divide(by.meet({.elements = size_}));
    division const parts = this->parts();

    std::size_t const head = parts.head(rank), tail = parts.tail(rank);
    parts.for_each_contributor(rank, [&](int r, std::size_t count, std::size_t place) {
      by.by().receive(r, border_.bytes() + place * sizeof(T), count, sizeof(T));
    });
    if (head > 0) {
      detail::took("ranks: a head for an earlier rank");
      by.attempt([&] { copy(first_, head, head_.get()); });
      by.by().send(parts.holder_of_head(rank), head_.bytes(), by.failed() ? 0 : head, sizeof(T));
    }

    shared_totals const own = parts.totals(rank);
    std::uint64_t const values = own.values() + has_init(rank);
    std::uint64_t most = 0;
    for (int r = 0; r < ranks; ++r) most = std::max(most, parts.totals(r).values() + has_init(r));
    in_report_ = most * slot <= report::value_bytes;
    report second{.may_fail = may_fail};
    std::byte* slots = second.value;
    by.attempt([&] {
      if (!in_report_) allocate_slots(values);
      if (!in_report_) slots = own_slots_.get();
      if (has_init(rank)) store(slots, working(**init_));
      std::byte* const totals = slots + has_init(rank) * slot;
      total_tiles(head, size_ - tail, own, totals);
      if (tail > 0) copy(std::next(first_, distance(size_ - tail)), tail, border_.get());
    });
    bool const all_came = by.by().wait();  // else another rank has failed, and the round says so
    if (tail > 0 && all_came)
      by.attempt([&] {
        detail::took("ranks: a tile that crosses a border");
        store(slots + (values - 1) * slot, total_of_border(parts.border_tile(rank)));
      });
    by.meet(second);
    if (!in_report_) {
      detail::took("ranks: totals in a round of their own");
      for (int r = 0; r < ranks; ++r)
        by.ranks().counts[static_cast<std::size_t>(r)] =
            static_cast<std::size_t>(parts.totals(r).values() + has_init(r));
      by.by().allgather(own_slots_.get(), all_slots_.get(), by.ranks().counts, slot);
    }
  }

  /// The carry before the first tile that this rank begins.
  carry before_own() const { return before(session_->rank()); }
  /// The carry after all elements.
  carry after_all() const { return before(session_->by().size()); }

  /// Scans the tile that crosses the end of this part, and begins to send the results of other parts.
  void scan_border(carry at, detail::direction shift)
  {
    session<Transport>& by = *session_;
    division const parts = this->parts();
    int const rank = by.rank();
    if (parts.tail(rank) == 0) return;
    by.attempt([&] {
      auto&& op = cpu_backend::hold_operator<T>(*op_);
      shared_totals const own = parts.totals(rank);
      push_shared(at, own, own.values() - 1, slots_of(rank) + has_init(rank) * slot, op);
      std::identity same;
      cpu_backend::scan<T>(cpu{1}, border_.get(), border_.get() + parts.border_tile(rank), border_.get(), same, *op_,
                           at, shift);
    });
    parts.for_each_contributor(rank, [&](int r, std::size_t count, std::size_t place) {
      by.by().send(r, border_.bytes() + place * sizeof(T), by.failed() ? 0 : count, sizeof(T));
    });
  }

  /// Writes all results of this part.
  template <class Out>
  Out scan(Out out, detail::direction shift)
  {
    session<Transport>& by = *session_;
    division const parts = this->parts();
    int const rank = by.rank();
    std::size_t const head = parts.head(rank), tail = parts.tail(rank);
    carry at;
    by.attempt([&] { at = before_own(); });
    scan_border(at, shift);
    if (head > 0) by.by().receive(parts.holder_of_head(rank), head_.bytes(), head, sizeof(T));
    auto const scan_own = [&](Out to) {
      I const begin = std::next(first_, distance(head));
      return cpu_backend::scan<T>(by.ranks().on, begin, std::next(begin, distance(size_ - tail - head)), std::move(to),
                                  *transform_, *op_, at, shift);
    };
    if constexpr (std::random_access_iterator<Out>) {
      using place = std::iter_difference_t<Out>;
      by.attempt([&] { scan_own(out + static_cast<place>(head)); });
      if (by.by().wait())
        by.attempt([&] {
          write(head_.get(), head, out);
          write(border_.get(), tail, out + static_cast<place>(size_ - tail));
        });
      return out + static_cast<place>(size_);
    } else {
      if (by.by().wait())
        by.attempt([&] {
          out = write(head_.get(), head, std::move(out));
          out = scan_own(std::move(out));
          out = write(border_.get(), tail, std::move(out));
        });
      return out;
    }
  }

private:
  static constexpr std::size_t slot = slot_size<carry>;
  static constexpr std::size_t slot_alignment =
      std::max({alignof(cpu_backend::unheld_t<wide>), alignof(cpu_backend::unheld_t<working>), std::size_t{16}});

  static auto distance(std::size_t n) { return static_cast<std::iter_difference_t<I>>(n); }

  division parts() const { return {session_->ranks().offsets, tile_, order::span_tiles}; }
  /// Rank 0 shares the initial value in front of its totals.
  std::size_t has_init(int rank) const { return rank == 0 && *init_ ? 1 : 0; }

  void divide(std::span<report const> reports)
  {
    std::vector<std::uint64_t>& offsets = session_->ranks().offsets;
    for (std::size_t r = 0; r < reports.size(); ++r) offsets[r + 1] = offsets[r] + reports[r].elements;
  }

  /// Constructs `count` elements from those at `from`.
  void copy(I from, std::size_t count, T* to)
  {
    for (std::size_t k = 0; k < count; ++k, ++from) std::construct_at(to + k, static_cast<T>((*transform_)(*from)));
  }
  template <class Out>
  static Out write(T const* from, std::size_t count, Out out)
  {
    for (std::size_t k = 0; k < count; ++k, ++out) *out = from[k];
    return out;
  }

  void total_tiles(std::size_t begin, std::size_t end, shared_totals const& own, std::byte* slots)
  {
    I const first = std::next(first_, distance(begin));
    I const last = std::next(first, distance(end - begin));
    if constexpr (cpu_backend::large<T>) {
      cpu_backend::to_heap<T, Transform> elements{transform_};
      auto op = cpu_backend::hold_operator<T>(*op_);
      total_own_tiles<held>(session_->ranks().on, first, last, end - begin, tile_, own, slots, elements, op);
    } else {
      total_own_tiles<T>(session_->ranks().on, first, last, end - begin, tile_, own, slots, *transform_, *op_);
    }
  }
  working total_of_border(std::size_t size)
  {
    carry none;
    std::identity same;
    cpu_backend::reduce<T>(cpu{1}, border_.get(), border_.get() + size, same, *op_, none);
    return *none.last();
  }

  void allocate_slots(std::uint64_t own)
  {
    division const parts = this->parts();
    std::uint64_t all = 0;
    for (int r = 0; r < parts.ranks(); ++r) all += parts.totals(r).values() + has_init(r);
    own_slots_ = memory<std::byte>(static_cast<std::size_t>(own) * slot, slot_alignment);
    all_slots_ = memory<std::byte>(static_cast<std::size_t>(all) * slot, slot_alignment);
  }
  /// The values that a rank shares.
  std::byte const* slots_of(int rank) const
  {
    if (in_report_) return session_->ranks().reports[static_cast<std::size_t>(rank)].value;
    std::byte const* at = all_slots_.get();
    for (int r = 0; r < rank; ++r) at += session_->ranks().counts[static_cast<std::size_t>(r)] * slot;
    return at;
  }
  carry before(int rank) const
  {
    auto&& op = cpu_backend::hold_operator<T>(*op_);
    division const parts = this->parts();
    carry sum;
    std::byte const* at = all_slots_.get();
    for (int r = 0; r < rank || (r == 0 && has_init(0)); ++r) {
      if (in_report_) at = slots_of(r);
      if (has_init(r)) sum = carry(load<working>(at));
      if (r == rank) break;
      shared_totals const shared = parts.totals(r);
      push_shared(sum, shared, shared.values(), at + has_init(r) * slot, op);
      at += (shared.values() + has_init(r)) * slot;
    }
    return sum;
  }

  session<Transport>* session_;
  I first_;
  std::size_t size_;
  std::optional<T> const* init_;
  Op* op_;
  Transform* transform_;
  std::size_t tile_;
  memory<T> border_;  // the tile that crosses the end of this part: its elements, and later its results
  memory<T> head_;    // likewise, of the head
  memory<std::byte> own_slots_, all_slots_;
  bool in_report_ = true;
};

}  // namespace tally::ranks_backend
