#pragma once

#include <cstddef>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>

#include "tally/detail/cpu/backend.hpp"
#include "tally/detail/ranks/lines.hpp"
#include "tally/detail/ranks/session.hpp"
#include "tally/detail/ranks/wire.hpp"

namespace tally::ranks_backend {

/// Reductions or scans under an operator that is exactly associative, of sequences whose parts lie on ranks
/// (lines.hpp): each rank shares the totals of its parts. They need no tiles.
template <class T, transport Transport, class Lines, class Op>
class exact_call {
public:
  using carry = cpu_backend::held_carry<T, Op>;
  using working = typename carry::working;
  /// An exact sum travels whole: it is rounded once, at the end.
  using total = std::conditional_t<is_exact_sum<Op>, carry, working>;

  /// There are no tiles.
  exact_call(session<Transport>& session, Lines const& lines, Op& op, std::size_t)
      : session_(&session),
        lines_(&lines),
        op_(&op),
        values_(lines.count() + (shares_initial() ? 1 : 0))
  {
  }

  /// Takes no memory before a round: `share_totals` does.
  void reserve() const {}

  /// Shares the totals of all parts in one round, or two for totals of more than report::value_bytes.
  void share_totals(bool may_fail)
  {
    session<Transport>& by = *session_;
    auto const ranks = static_cast<std::size_t>(by.by().size());
    in_report_ = values_ * size <= report::value_bytes;
    report first{.may_fail = may_fail};
    by.attempt([&] {
      if (!in_report_) {
        own_ = memory<std::byte>(values_ * size, alignof(value));
        all_ = memory<std::byte>(ranks * values_ * size, alignof(value));
      }
      auto const share = [&](std::size_t number, carry const& sum) {
        std::byte* const to = (is_in_report() ? first.value : own_.get()) + number * size;
        if constexpr (is_exact_sum<Op>)
          store(to, sum);
        else
          store(to, *sum.last());
      };
      if (shares_initial() && own_place() == places().initial)
        share(lines_->count(), cpu_backend::begin_with<T, Op>(lines_->init(0)));
      for (std::size_t s = 0; s < lines_->count(); ++s) {
        carry sum = before_first(s);
        auto const begin = lines_->first(s);
        cpu_backend::reduce<T>(by.ranks().on, begin, std::next(begin, distance(lines_->size())), lines_->transform(),
                               *op_, sum);
        if (!sum.last()) return;  // nor has another sequence any elements
        first.has_value = 1;
        share(s, sum);
      }
    });
    by.meet(first);
    if (!in_report_) {
      detail::took("ranks: large totals in a round of their own");
      by.by().allgather(own_.get(), all_.get(), values_ * size);
    }
  }

  /// The carry of a sequence before this part.
  carry before_own(std::size_t s = 0) const
  {
    return has_first() && !shares_initial() ? before_first(s) : before(own_place(), s);
  }
  /// The carry after all elements.
  carry after_all(std::size_t s = 0) const { return before(places().last + 1, s); }

  /// Writes all results of this part. `out(s)` is the place of those of sequence s.
  /// Returns   the end of those of a single sequence.
  template <class Outs>
  auto scan(Outs const& out, detail::direction shift)
  {
    auto const scan_line = [&](std::size_t s, auto to) {
      if (lines_->size() == 0) return to;  // there may be no carry either, on a rank that has no part of the line
      carry at = before_own(s);
      auto const begin = lines_->first(s);
      return cpu_backend::scan<T>(session_->ranks().on, begin, std::next(begin, distance(lines_->size())),
                                  std::move(to), lines_->transform(), *op_, at, shift);
    };
    if constexpr (Lines::several) {
      session_->attempt([&] {
        for (std::size_t s = 0; s < lines_->count(); ++s) scan_line(s, out(s));
      });
    } else {
      auto end = out(0);
      session_->attempt([&] { end = scan_line(0, std::move(end)); });
      return end;
    }
  }

private:
  using value = cpu_backend::unheld_t<total>;
  static constexpr std::size_t size = sizeof(value);
  static_assert(std::is_trivially_copyable_v<value>);

  /// Whether the totals travel with the report: never where a single one is too large.
  bool is_in_report() const { return size <= report::value_bytes && in_report_; }

  static auto distance(std::size_t n) { return static_cast<std::iter_difference_t<typename Lines::iterator>>(n); }

  rank_places places() const { return places_of(*lines_, session_->by().size()); }
  int own_place() const { return places().rank_at(session_->rank()); }
  bool has_first() const { return own_place() == places().first; }
  /// The rank at the first place begins with the initial value, so its total contains it. If another rank has the
  /// value, that one shares it behind its total.
  bool shares_initial() const { return places().goes_back && lines_->has_init(); }
  carry before_first(std::size_t s) const
  {
    bool const begins = has_first() && lines_->has_init() && !shares_initial();
    return begins ? cpu_backend::begin_with<T, Op>(lines_->init(s)) : carry();
  }
  carry before(int end, std::size_t s) const
  {
    rank_places const places = this->places();
    if (!places.is_here) return carry();
    auto&& op = cpu_backend::hold_operator<T>(*op_);
    std::optional<total> sum;
    auto const add = [&](std::size_t rank, std::size_t number) {
      total const next = load<total>(is_in_report() ? session_->ranks().reports[rank].value + number * size
                                                    : all_.get() + (rank * values_ + number) * size);
      if (!sum)
        sum.emplace(next);
      else if constexpr (is_exact_sum<Op>)
        sum->terms().add(next.terms());
      else
        sum.emplace(static_cast<total>(op(*sum, next)));
    };
    if (shares_initial()) add(static_cast<std::size_t>(places.rank_at(places.initial)), lines_->count());
    for (int place = places.first; place < end; ++place) {
      auto const rank = static_cast<std::size_t>(places.rank_at(place));
      if (session_->ranks().reports[rank].has_value != 0) add(rank, s);
    }
    return sum ? carry(*sum) : carry();
  }

  session<Transport>* session_;
  Lines const* lines_;
  Op* op_;
  std::size_t values_;  // that a rank shares
  memory<std::byte> own_, all_;
  bool in_report_ = true;
};

}  // namespace tally::ranks_backend
