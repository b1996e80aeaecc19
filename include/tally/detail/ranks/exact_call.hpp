#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "tally/detail/cpu/backend.hpp"
#include "tally/detail/ranks/session.hpp"
#include "tally/detail/ranks/wire.hpp"

namespace tally::ranks_backend {

/// A reduction or scan under an operator that is exactly associative, of a sequence whose parts lie on ranks: each rank
/// shares the total of its part. It needs no tiles.
template <class T, transport Transport, class I, class Op, class Transform>
class exact_call {
public:
  using carry = cpu_backend::held_carry<T, Op>;
  using working = typename carry::working;
  /// An exact sum travels whole: it is rounded once, at the end.
  using total = std::conditional_t<is_exact_sum<Op>, carry, working>;

  exact_call(session<Transport>& session, I first, I last, std::optional<T> const& init, Op& op, Transform& transform)
      : session_(&session),
        first_(std::move(first)),
        last_(std::move(last)),
        init_(&init),
        op_(&op),
        transform_(&transform)
  {
  }

  /// Shares the totals of all parts in one round, or two for totals of more than report::value_bytes.
  void share_totals(bool may_fail)
  {
    session<Transport>& by = *session_;
    auto const ranks = static_cast<std::size_t>(by.by().size());
    report first{.may_fail = may_fail};
    by.attempt([&] {
      if constexpr (!in_report) {
        own_ = memory<std::byte>(size, alignof(value));
        all_ = memory<std::byte>(ranks * size, alignof(value));
      }
      carry sum = before_first();
      cpu_backend::reduce<T>(by.ranks().on, first_, last_, *transform_, *op_, sum);
      if (!sum.last()) return;
      first.has_value = 1;
      if constexpr (is_exact_sum<Op>)
        store(in_report ? first.value : own_.get(), sum);
      else
        store(in_report ? first.value : own_.get(), *sum.last());
    });
    by.meet(first);
    if constexpr (!in_report) {
      detail::took("ranks: large totals in a round of their own");
      by.by().allgather(own_.get(), all_.get(), size);
    }
  }

  /// The carry before this part.
  carry before_own() const { return session_->rank() == 0 ? before_first() : before(session_->rank()); }
  /// The carry after all elements.
  carry after_all() const { return before(session_->by().size()); }

  template <class Out>
  Out scan(Out out, detail::direction shift)
  {
    session_->attempt([&] {
      carry at = before_own();
      out = cpu_backend::scan<T>(session_->ranks().on, first_, last_, std::move(out), *transform_, *op_, at, shift);
    });
    return out;
  }

private:
  using value = cpu_backend::unheld_t<total>;
  static constexpr std::size_t size = sizeof(value);
  static constexpr bool in_report = size <= report::value_bytes;
  static_assert(std::is_trivially_copyable_v<value>);

  /// Rank 0 begins with the initial value, so its total contains it.
  carry before_first() const { return session_->rank() == 0 ? cpu_backend::begin_with<T, Op>(*init_) : carry(); }
  carry before(int rank) const
  {
    auto&& op = cpu_backend::hold_operator<T>(*op_);
    std::optional<total> sum;
    for (std::size_t r = 0; r < static_cast<std::size_t>(rank); ++r) {
      report const& from = session_->ranks().reports[r];
      if (from.has_value == 0) continue;
      total const next = load<total>(in_report ? from.value : all_.get() + r * size);
      if (!sum)
        sum.emplace(next);
      else if constexpr (is_exact_sum<Op>)
        sum->terms().add(next.terms());
      else
        sum.emplace(static_cast<total>(op(*sum, next)));
    }
    return sum ? carry(*sum) : carry();
  }

  session<Transport>* session_;
  I first_, last_;
  std::optional<T> const* init_;
  Op* op_;
  Transform* transform_;
  memory<std::byte> own_, all_;
};

}  // namespace tally::ranks_backend
