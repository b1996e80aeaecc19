#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tally/config.hpp"
#include "tally/detail/contract.hpp"
#include "tally/detail/exact/fixed_point.hpp"
#include "tally/detail/nccl/call.hpp"
#include "tally/detail/optional_value.hpp"
#include "tally/detail/ranks/lines.hpp"
#include "tally/operators/exact_plus.hpp"
#include "tally/operators/traits.hpp"

/// Exact sums of sequences whose parts lie in the memory of several devices. Each rank shares the sums of its parts
/// whole. Every rank adds up those that it needs, and rounds once.
namespace tally::nccl_backend {

template <class T>
using exact_sum = detail::exact::sum_of<T>;

template <class T>
TALLY_HD double as_term(T const& value)
{
  return static_cast<double>(static_cast<working_type<T>>(value));
}

/// Adds the initial value of each sequence to its sum.
template <class T, class Initials>
struct add_initials {
  exact_sum<T>* to;
  Initials initials;
  TALLY_HD void operator()(std::size_t s) const { to[s].add(as_term(static_cast<T>(initials(s)))); }
};
/// Stores it as a sum; without one, the sum of nothing.
template <class T, class Initials>
struct store_initials {
  exact_sum<T>* to;
  Initials initials;
  bool has_one;

  TALLY_HD void operator()(std::size_t s) const
  {
    exact_sum<T> sum;
    if (has_one) sum.add(as_term(static_cast<T>(initials(s))));
    to[s] = sum.carried();
  }
};

/// Adds up the sums of several ranks, one behind the other in the order of the sequence.
template <class T>
struct add_sums {
  exact_sum<T> const* first;    ///< those of the first rank
  exact_sum<T> const* initial;  ///< the initial value of a single sequence, or null
  std::ptrdiff_t step;          ///< from rank to rank, in bytes
  int ranks;

  TALLY_HD exact_sum<T> operator()(std::size_t s) const
  {
    exact_sum<T> all;
    if (initial != nullptr) all = *initial;
    auto const* const from = reinterpret_cast<std::byte const*>(first + s);
    for (int k = 0; k < ranks; ++k) all.add(*reinterpret_cast<exact_sum<T> const*>(from + k * step));
    return all;
  }
};
template <class T>
struct store_sums {
  add_sums<T> sums;
  exact_sum<T>* to;
  TALLY_HD void operator()(std::size_t s) const { to[s] = sums(s).carried(); }
};
/// Calls put(s, value) with the rounded sum of each sequence, or with none.
template <class T, class Put>
struct put_nearest {
  add_sums<T> sums;
  bool has_value;
  Put put;

  TALLY_HD_AS_GIVEN
  TALLY_HD void operator()(std::size_t s) const
  {
    T const nearest = sums(s).template nearest<T>();
    put(s, detail::optional_value<working_type<T>>{static_cast<working_type<T>>(nearest), has_value});
  }
};

/// An exact call on all ranks, from the sizes of all parts on. It takes the lines that a `call` (call.hpp) takes, and
/// has the same functions. There are no tiles, so nothing but sums crosses a border.
template <class T, class Machine, class Lines>
class exact_call {
public:
  using work = typename Machine::work;

  /// A scan takes memory, and may get none.
  static constexpr bool scan_may_fail = true;

  exact_call(group<Machine>& all, work& on, Lines const& lines, exact_plus const&)
      : all_(&all),
        work_(&on),
        lines_(&lines),
        count_(lines.count()),
        block_bytes_(aligned((count_ + (shares_initial() ? 1 : 0)) * sizeof(sum)))
  {
  }

  /// The blocks of all ranks, that of this one, the sums before its parts, and what sums take.
  std::size_t bytes() const { return (ranks() + 1) * block_bytes_ + before_bytes() + scratch_bytes(); }

  void share_totals()
  {
    if (count_ == 0) return;  // on all ranks
    auto const initials = initials_of<T>(*lines_);
    using Initials = std::remove_const_t<decltype(initials)>;
    sum* const own = sums_of(ranks());
    work_->template exact_totals<T>(*lines_, own, memory() + bytes() - scratch_bytes());
    if (shares_initial())
      work_->for_each(1, store_initials<T, Initials>{own + count_, initials, own_place() == places().initial});
    else if (begins_here())
      work_->for_each(count_, add_initials<T, Initials>{own, initials});
    all_->ranks.by.gather(memory() + ranks() * block_bytes_, memory(), block_bytes_);
  }

  /// The elements of all parts of a sequence.
  std::uint64_t elements() const { return all_->ranks.offsets.back(); }

  /// Calls put(s, value) for each sequence, where calls run, with the value of the whole if there is one.
  template <class Put>
  void reduce(Put const& put)
  {
    work_->for_each(count_, put_nearest<T, Put>{sums_before(places().last + 1), has_value(), put});
  }

  /// Writes the results of this part: those of sequence s to outs(s). It may be called again.
  template <class Outs>
  void scan(Outs const& outs, detail::direction shift)
  {
    if (lines_->size() == 0) return;
    sum* const before = sums_of(ranks() + 1);
    auto const initials = initials_of<T>(*lines_);
    if (own_place() == places().first && !shares_initial())
      work_->for_each(count_,
                      store_initials<T, std::remove_const_t<decltype(initials)>>{before, initials, lines_->has_init()});
    else
      work_->for_each(count_, store_sums<T>{sums_before(own_place()), before});
    work_->template exact_scans<T>(*lines_, outs, before, shift);
  }

private:
  using sum = exact_sum<T>;

  static constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 255) / 256 * 256; }
  std::size_t before_bytes() const { return aligned(count_ * sizeof(sum)); }
  std::size_t scratch_bytes() const { return work::template exact_scratch<T>(count_); }

  std::byte* memory() const { return work_->memory(); }
  std::size_t ranks() const { return static_cast<std::size_t>(all_->ranks.by.size()); }
  /// The sums of a rank's block; behind those of all and of this one lie the sums before its parts.
  sum* sums_of(std::size_t block) const { return reinterpret_cast<sum*>(memory() + block * block_bytes_); }

  // Places are those of ranks in the order of the sequence (ranks/lines.hpp).
  ranks_backend::rank_places places() const { return ranks_backend::places_of(*lines_, all_->ranks.by.size()); }
  int own_place() const { return places().rank_at(all_->ranks.by.rank()); }

  /// The rank at the first place adds the initial value to its sum. Where another rank has the value, that one shares
  /// it behind its sum.
  bool shares_initial() const { return places().goes_back && lines_->has_init(); }
  bool begins_here() const { return own_place() == places().initial && lines_->has_init(); }
  bool has_value() const
  {
    return ranks_backend::goes_either_way<Lines> || lines_->has_init() || elements() > 0;  // pieces have elements
  }
  /// The sums of the places before `end`, with the initial value.
  add_sums<T> sums_before(int end) const
  {
    ranks_backend::rank_places const places = this->places();
    auto const block_at = [&](int place) { return sums_of(static_cast<std::size_t>(places.rank_at(place))); };
    auto const each = static_cast<std::ptrdiff_t>(block_bytes_);
    return {block_at(places.first), shares_initial() ? block_at(places.initial) + count_ : nullptr,
            places.goes_back ? -each : each, end - places.first};
  }

  group<Machine>* all_;
  work* work_;
  Lines const* lines_;
  std::size_t count_, block_bytes_;
};

/// The call under an operator.
template <class T, class Op, class Machine, class Lines>
using call_under = std::conditional_t<is_exact_sum<Op>, exact_call<T, Machine, Lines>, call<T, Op, Machine, Lines>>;

/// Scans by a call. Ranks agree on whether it has failed, if it may.
template <class Machine, class Call, class Outs>
void scan_by(group<Machine>& all, ranks_backend::session<typename Machine::transport>& by, Call& call, Outs const& outs,
             detail::direction shift)
{
  if constexpr (Call::scan_may_fail) {
    by.attempt([&] { call.scan(outs, shift); });
    agree(all, by);
  } else {
    call.scan(outs, shift);
  }
}

}  // namespace tally::nccl_backend
