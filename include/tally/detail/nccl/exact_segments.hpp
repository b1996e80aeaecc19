#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>

#include "tally/config.hpp"
#include "tally/detail/contract.hpp"
#include "tally/detail/nccl/call.hpp"
#include "tally/detail/nccl/exact_call.hpp"
#include "tally/detail/optional_value.hpp"
#include "tally/operators/traits.hpp"

/// Exact sums of segments that cross from device to device. Each rank shares the sum of its piece, and the initial
/// value if the segment begins there.
namespace tally::nccl_backend {

/// The sums that a rank shares: of the terms of its piece, and of the initial value.
template <class T>
struct exact_share {
  exact_sum<T> terms, initial;
};

/// The initial value of a segment as a sum: `initials(0)` where there is one.
template <class T, class Initials>
struct store_initial_sum {
  exact_sum<T>* to;
  Initials initials;
  bool has_one;

  TALLY_HD void operator()(std::size_t) const
  {
    *to = exact_sum<T>();
    if (has_one) to->add(as_term(static_cast<T>(initials(0))));
    *to = to->carried();
  }
};

/// Adds up the shares of `count` ranks, one behind the other in the order of the segment, and the initial value.
template <class T>
struct add_shares {
  exact_share<T> const* first;
  exact_share<T> const* with_initial;
  std::ptrdiff_t step;  ///< from one to the next, in bytes
  int count;

  TALLY_HD exact_sum<T> operator()() const
  {
    exact_sum<T> all = with_initial->initial;
    for (int k = 0; k < count; ++k)
      all.add(reinterpret_cast<exact_share<T> const*>(reinterpret_cast<std::byte const*>(first) + k * step)->terms);
    return all;
  }
};
template <class T>
struct store_shares {
  add_shares<T> shares;
  exact_sum<T>* to;
  TALLY_HD void operator()(std::size_t) const { *to = shares().carried(); }
};
/// Calls put(0, value) with the rounded sum.
template <class T, class Put>
struct put_nearest {
  add_shares<T> shares;
  Put put;
  TALLY_HD_AS_GIVEN
  TALLY_HD void operator()(std::size_t) const
  {
    T const nearest = shares().template nearest<T>();
    put(0, detail::optional_value<working_type<T>>{static_cast<working_type<T>>(nearest), true});
  }
};

/// An exact call on this rank's piece of a segment that crosses borders (call.hpp has that of the other operators).
template <class T, class Machine, class Line>
class exact_piece {
public:
  using work = typename Machine::work;

  exact_piece(group<Machine>& all, work& on, Line const& line) : all_(&all), work_(&on), line_(&line) {}

  /// The shares of all ranks, that of this one, the sum before its piece, and what a sum takes.
  std::size_t bytes() const { return (ranks() + 2) * each + work::template exact_scratch<T>(); }

  void share_totals()
  {
    exact_share<T>* const own = share_at(ranks());
    bool const has_initial = line_->has_init() && line_->begins_on(all_->ranks.by.rank());
    auto const initials = initials_of(*line_);
    using Initials = std::remove_const_t<decltype(initials)>;
    work_->template exact_total<T>(line_->first(0), line_->size(), &own->terms, work_->memory() + (ranks() + 2) * each,
                                   line_->transform());
    work_->for_each(1, store_initial_sum<T, Initials>{&own->initial, initials, has_initial});
    all_->ranks.by.gather(work_->memory() + ranks() * each, work_->memory(), each);
  }

  template <class Put>
  void reduce(Put const& put)
  {
    work_->for_each(1, put_nearest<T, Put>{shares(line_->last_place() + 1), put});
  }

  template <class Outs>
  void scan(Outs const& outs, detail::direction shift)
  {
    auto* const before = reinterpret_cast<exact_sum<T>*>(share_at(ranks() + 1));
    work_->for_each(1, store_shares<T>{shares(line_->rank_at(all_->ranks.by.rank())), before});
    work_->template exact_scan<T>(line_->first(0), line_->size(), outs(0), before, line_->transform(), shift);
  }

private:
  static constexpr std::size_t each = (sizeof(exact_share<T>) + 255) / 256 * 256;

  std::size_t ranks() const { return static_cast<std::size_t>(all_->ranks.by.size()); }
  exact_share<T>* share_at(std::size_t k) const
  {
    return reinterpret_cast<exact_share<T>*>(work_->memory() + k * each);
  }
  /// Those of the places of the segment before `end`.
  add_shares<T> shares(int end) const
  {
    int const first = line_->first_place();
    auto const at = [&](int place) { return share_at(static_cast<std::size_t>(line_->rank_at(place))); };
    auto const step = static_cast<std::ptrdiff_t>(each);
    return {at(first), at(line_->initial_place()), line_->goes_back() ? -step : step, end - first};
  }
  static auto initials_of(Line const& line)
  {
    if constexpr (requires { line.initials(); }) {
      return line.initials();
    } else {
      std::optional<T> const& init = line.init(0);
      return initial_value<T>{init ? static_cast<working_type<T>>(*init) : working_type<T>()};
    }
  }

  group<Machine>* all_;
  work* work_;
  Line const* line_;
};

}  // namespace tally::nccl_backend
