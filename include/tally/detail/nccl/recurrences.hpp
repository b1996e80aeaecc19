#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

#include "tally/config.hpp"
#include "tally/detail/atomic.hpp"
#include "tally/detail/batch/ends.hpp"
#include "tally/detail/batch/host_recurrences.hpp"
#include "tally/detail/batch/layout.hpp"
#include "tally/detail/function_iterator.hpp"
#include "tally/detail/nccl/batches.hpp"
#include "tally/detail/nccl/call.hpp"
#include "tally/detail/nccl/plain_array.hpp"
#include "tally/detail/optional_value.hpp"
#include "tally/detail/path.hpp"
#include "tally/detail/ranks/recurrences.hpp"
#include "tally/detail/recurrence/steps.hpp"
#include "tally/detail/recurrence/steps_in_order.hpp"
#include "tally/detail/results.hpp"
#include "tally/operators/affine.hpp"

/// Linear recurrences whose steps are divided among GPUs: totals of tiles are maps, as on one.
namespace tally::nccl_backend {

namespace recurrence = detail::recurrence;

/// The steps of a recurrence as maps.
template <class T, class A, class B>
struct steps_on_device {
  A a;
  B b;
  std::ptrdiff_t a_first, a_step, b_first, b_step;

  TALLY_HD_AS_GIVEN
  TALLY_HD T factor(std::size_t k) const
  {
    return static_cast<T>(a[a_first + static_cast<std::ptrdiff_t>(k) * a_step]);
  }
  TALLY_HD_AS_GIVEN
  TALLY_HD T term(std::size_t k) const { return static_cast<T>(b[b_first + static_cast<std::ptrdiff_t>(k) * b_step]); }
  TALLY_HD affine<T> operator()(std::size_t k) const { return {factor(k), term(k)}; }
};

/// The maps that recurrences begin with.
template <class T>
struct maps_before {
  T value;
  T const* each;
  batch::layout where;

  TALLY_HD T state(std::size_t s) const { return each == nullptr ? value : each[where.place(s).initial]; }
  TALLY_HD working_type<affine<T>> operator()(std::size_t s) const
  {
    return static_cast<working_type<affine<T>>>(recurrence::beginning_with(state(s)));
  }
};

/// Recurrences as sequences of maps.
template <class T, class A, class B>
struct recurrences_on_device {
  static constexpr bool several = true;
  using steps = steps_on_device<T, A, B>;
  using iterator = detail::function_iterator<steps>;

  batch::layout where;
  std::size_t sequences;
  batch::ends<T> ends;
  A a;
  B b;

  std::size_t count() const { return sequences; }
  std::size_t size() const { return where.along.extent; }
  TALLY_HD steps steps_of(std::size_t s) const
  {
    batch::distances const at = where.place(s);
    return {a, b, at.coefficients, where.along.step.coefficients, at.in, where.along.step.in};
  }
  TALLY_HD iterator first(std::size_t s) const { return iterator(steps_of(s), 0); }
  bool has_init() const { return true; }
  maps_before<T> initials() const { return {ends.initial ? *ends.initial : T(), ends.initials, where}; }
};

inline constexpr std::uint64_t no_step = ~std::uint64_t{0};

/// The end of a rank's part of a recurrence. Without steps, the state before all on rank 0.
template <class T>
struct end_of_part {
  std::uint64_t first_bad;  ///< the first step whose state is not finite, or no_step
  std::uint64_t steps;
  T last;    ///< the state after the last step
  T stored;  ///< the same, as it is stored
};
/// The end of the last part before that of rank `rank` that has steps, or rank 0's. `ends` are those of all ranks, one
/// rank after the other.
template <class T>
TALLY_HD end_of_part<T> const& end_before(int rank, end_of_part<T> const* ends, std::size_t sequences, std::size_t s)
{
  auto const end = [&](int r) -> end_of_part<T> const& { return ends[static_cast<std::size_t>(r) * sequences + s]; };
  do --rank;
  while (rank > 0 && end(rank).steps == 0);
  return end(rank);
}

/// The results of a scan of maps that are stored: all, none, or those before the plain loop takes over.
template <class T, class Out>
struct state_writer {
  Out out;
  std::ptrdiff_t first, step;
  end_of_part<T>* end;         ///< takes what a scan finds, unless null
  std::uint64_t const* up_to;  ///< results that are stored, or null: all
  bool stores;

  TALLY_HD_AS_GIVEN
  TALLY_HD void operator()(std::size_t k, affine<T> const& all) const
  {
    using stored = std::iter_value_t<Out>;
    auto const state = static_cast<stored>(all.offset);
    if (end != nullptr) {
      if (!recurrence::is_finite(all.offset)) detail::lower_atomically(&end->first_bad, std::uint64_t{k});
      if (k + 1 == end->steps) {
        end->last = all.offset;
        end->stored = static_cast<T>(state);
      }
    }
    if (stores && (up_to == nullptr || k < *up_to)) out[first + static_cast<std::ptrdiff_t>(k) * step] = state;
  }
};
template <class T, class Out>
struct state_writers {
  batch::layout where;
  Out out;
  end_of_part<T>* ends;
  std::uint64_t const* up_to;
  bool stores;

  TALLY_HD auto operator()(std::size_t s) const
  {
    using writer = state_writer<T, Out>;
    writer const own{out,
                     where.place(s).out,
                     where.along.step.out,
                     ends == nullptr ? nullptr : ends + s,
                     up_to == nullptr ? nullptr : up_to + s,
                     stores};
    return detail::function_iterator<detail::place_of<writer>>(detail::place_of<writer>{own}, 0);
  }
};

/// Puts the last state of a recurrence: that of the last part that has steps.
template <class T>
struct put_last_state {
  batch::layout where;
  end_of_part<T> const* ends;
  int ranks;
  std::size_t sequences;
  T* lasts;
  TALLY_HD void operator()(std::size_t s) const
  {
    lasts[where.place(s).last] = end_before(ranks, ends, sequences, s).last;
  }
};
/// Puts the last state of a scan of maps.
template <class T>
struct put_last_offset {
  batch::layout where;
  T* lasts;
  TALLY_HD void operator()(std::size_t s, detail::optional_value<working_type<affine<T>>> const& last) const
  {
    lasts[where.place(s).last] = static_cast<affine<T>>(last.value).offset;
  }
};

/// Clears what a scan finds.
template <class T>
struct clear_ends {
  end_of_part<T>* ends;
  std::uint64_t steps;
  std::uint64_t* found;
  maps_before<T> before;
  bool is_first;  ///< rank 0, whose initial states are those of the call
  TALLY_HD void operator()(std::size_t s) const
  {
    T const state = is_first ? before.state(s) : T();
    ends[s] = {no_step, steps, state, state};
    if (s == 0) *found = 0;
  }
};
/// Whether some state of a rank's part is not finite.
template <class T>
struct find_bad {
  end_of_part<T> const* ends;
  std::uint64_t* found;
  TALLY_HD void operator()(std::size_t s) const
  {
    if (ends[s].first_bad != no_step) *found = 1;
  }
};

struct copy_number {
  std::uint64_t const* from;
  std::uint64_t* to;
  TALLY_HD void operator()(std::size_t) const { *to = *from; }
};

/// The plain loop, on from the first state that is not finite: what a rank does for each recurrence.
template <class T, class A, class B, class Out>
struct plain_loop {
  recurrences_on_device<T, A, B> lines;
  maps_before<T> before;
  Out out;
  end_of_part<T> const* ends;  ///< of all ranks, one rank after the other
  int rank, ranks;
  T* states;             ///< after the rank before, and then after this one
  std::uint64_t* up_to;  ///< takes the step at which the loop begins

  TALLY_HD end_of_part<T> const& end(int r, std::size_t s) const
  {
    return ends[static_cast<std::size_t>(r) * lines.sequences + s];
  }
  /// The rank that has the first state that is not finite.
  TALLY_HD int first_rank(std::size_t s) const
  {
    int r = 0;
    while (r < ranks && end(r, s).first_bad == no_step) ++r;
    return r;
  }
  TALLY_HD std::uint64_t begin(std::size_t s) const
  {
    int const first = first_rank(s);
    return first < rank ? 0 : first == rank ? end(rank, s).first_bad : end(rank, s).steps;
  }
  TALLY_HD_AS_GIVEN
  TALLY_HD void operator()(std::size_t s) const
  {
    int const first = first_rank(s);
    if (first > rank) return;
    std::ptrdiff_t const to = lines.where.place(s).out, step = lines.where.along.step.out;
    auto const place = [&](std::uint64_t k) { return to + static_cast<std::ptrdiff_t>(k) * step; };
    std::uint64_t k = begin(s);
    T y = states[s];
    if (first == rank) y = k > 0 ? static_cast<T>(out[place(k - 1)]) : state_before(s);
    auto const steps = lines.steps_of(s);
    for (; k < end(rank, s).steps; ++k) {
      y = recurrence::step(steps.factor(k), y, steps.term(k));
      out[place(k)] = static_cast<std::iter_value_t<Out>>(y);
    }
    states[s] = y;
  }

  /// The state before this rank's part, if all before are finite.
  TALLY_HD T state_before(std::size_t s) const
  {
    return rank == 0 ? before.state(s) : end_before(rank, ends, lines.sequences, s).stored;
  }
};
template <class Loop>
struct find_begin {
  Loop loop;
  TALLY_HD void operator()(std::size_t s) const { loop.up_to[s] = loop.begin(s); }
};
/// Puts the last states of recurrences that went on in the plain loop.
template <class Loop, class T>
struct put_looped {
  Loop loop;
  T const* states;
  T* lasts;
  TALLY_HD void operator()(std::size_t s) const
  {
    if (loop.first_rank(s) < loop.ranks) lasts[loop.lines.where.place(s).last] = states[s];
  }
};

/// A call of recurrences on all ranks.
template <class T, class Machine, class A, class B, class Out>
class recurrences {
  using lines_type = recurrences_on_device<T, A, B>;
  using scan_of_maps = call<affine<T>, recurrence::steps_in_turn, Machine, lines_type>;
  using session = ranks_backend::session<typename Machine::transport>;
  using writers = state_writers<T, Out>;
  static constexpr bool has_order = recurrence::has_order<T>;
  static constexpr auto shift = detail::direction::inclusive;

public:
  recurrences(group<Machine>& all, typename Machine::work& work, session& by, lines_type const& lines, Out out)
      : all_(&all),
        work_(&work),
        by_(&by),
        lines_(lines),
        out_(std::move(out)),
        maps_(all, work, lines_, op_)
  {
    std::size_t const count = lines.sequences, ranks = static_cast<std::size_t>(all.ranks.by.size());
    bytes_ = maps_.bytes();
    auto const place = [&](std::size_t bytes) { return std::exchange(bytes_, bytes_ + (bytes + 255) / 256 * 256); };
    own_ = place(count * sizeof(end_of_part<T>));
    ends_ = place(ranks * count * sizeof(end_of_part<T>));
    states_ = place(count * sizeof(T));
    all_states_ = place(ranks * count * sizeof(T));
    up_to_ = place(count * sizeof(std::uint64_t));
    found_ = place(sizeof(std::uint64_t));
  }

  std::size_t bytes() const { return bytes_; }

  /// `in_place`: whether states may replace coefficients.
  void run(bool in_place)
  {
    T* const lasts = lines_.ends.lasts;
    maps_.share_totals();
    if constexpr (!recurrence::may_overflow<T>) {
      maps_.scan(writers{lines_.where, out_, nullptr, nullptr, true}, shift);
      if (lasts != nullptr) maps_.reduce(put_last_offset<T>{lines_.where, lasts});
    } else {
      std::size_t const count = lines_.sequences;
      auto* const own = at<end_of_part<T>>(own_);
      work_->for_each(
          count, clear_ends<T>{own, lines_.size(), at<std::uint64_t>(found_), lines_.initials(), by_->rank() == 0});
      if (in_place) detail::took("nccl: recurrences are looked through first");
      maps_.scan(writers{lines_.where, out_, own, nullptr, !in_place}, shift);
      if constexpr (!has_order)
        if (lasts != nullptr) maps_.reduce(put_last_offset<T>{lines_.where, lasts});
      found_on_ranks const found = share_found(lasts != nullptr);
      bool const gathers_ends = found.some_are_bad || (has_order && found.some_take_lasts);
      if (gathers_ends)
        all_->ranks.by.gather(at<std::byte>(own_), at<std::byte>(ends_), count * sizeof(end_of_part<T>));
      if constexpr (has_order)
        if (lasts != nullptr)
          work_->for_each(
              count, put_last_state<T>{lines_.where, at<end_of_part<T>>(ends_), all_->ranks.by.size(), count, lasts});
      if (!found.some_are_bad && in_place) maps_.scan(writers{lines_.where, out_, nullptr, nullptr, true}, shift);
      if (found.some_are_bad) go_on(in_place, lasts);
    }
  }

private:
  template <class V>
  V* at(std::size_t place) const
  {
    return reinterpret_cast<V*>(work_->memory() + place);
  }

  struct found_on_ranks {
    bool some_are_bad = false;     ///< whether some state is not finite
    bool some_take_lasts = false;  ///< whether some rank takes last states
  };
  /// A round that tells what ranks have found.
  found_on_ranks share_found(bool takes_lasts)
  {
    std::size_t const count = lines_.sequences;
    work_->for_each(count, find_bad<T>{at<end_of_part<T>>(own_), at<std::uint64_t>(found_)});
    std::uint64_t found = 0;
    if (count > 0) {
      auto* const value = work_->template host_value<std::uint64_t>();
      work_->for_each(1, copy_number{at<std::uint64_t>(found_), value});
      all_->ranks.by.wait();
      found = *value;
    }
    found_on_ranks all;
    for (auto const& report : by_->meet({.elements = found, .has_value = takes_lasts})) {
      all.some_are_bad = all.some_are_bad || report.elements != 0;
      all.some_take_lasts = all.some_take_lasts || report.has_value != 0;
    }
    return all;
  }

  /// One rank after the other goes on as the plain loop does, once the ends of all parts are gathered.
  void go_on(bool in_place, T* lasts)
  {
    detail::took("nccl: recurrences go on as the plain loop");
    auto& by = all_->ranks.by;
    int const rank = by.rank(), ranks = by.size();
    std::size_t const count = lines_.sequences, bytes = count * sizeof(T);
    using loop = plain_loop<T, A, B, Out>;
    loop const of{lines_,         lines_.initials(),        out_, at<end_of_part<T>>(ends_), rank, ranks,
                  at<T>(states_), at<std::uint64_t>(up_to_)};
    if (in_place) {
      work_->for_each(count, find_begin<loop>{of});
      maps_.scan(writers{lines_.where, out_, nullptr, at<std::uint64_t>(up_to_), true}, shift);
    }
    if (rank > 0) {
      by.receive(rank - 1, at<std::byte>(states_), bytes);
      by.exchange();
    }
    work_->for_each(count, of);
    if (rank + 1 < ranks) {
      by.send(rank + 1, at<std::byte>(states_), bytes);
      by.exchange();
    }
    by.gather(at<std::byte>(states_), at<std::byte>(all_states_), bytes);
    if (lasts != nullptr)
      work_->for_each(count,
                      put_looped<loop, T>{of, at<T>(all_states_) + static_cast<std::size_t>(ranks - 1) * count, lasts});
  }

  group<Machine>* all_;
  typename Machine::work* work_;
  session* by_;
  lines_type lines_;
  Out out_;
  recurrence::steps_in_turn op_;
  scan_of_maps maps_;
  // Places in memory: the ends of this part and of all, the states of the plain loop here and on all ranks, the places
  // where it begins, and whether it does.
  std::size_t bytes_ = 0, own_ = 0, ends_ = 0, states_ = 0, all_states_ = 0, up_to_ = 0, found_ = 0;
};

/// The recurrences that `describe` describes within the call.
template <class T, class Machine, class GivenA, class GivenB, class GivenOut, class Describe>
void backend_recur(execution<Machine> const& on, ranks_backend::call_name const& name, std::size_t sequences,
                   GivenA given_a, GivenB given_b, GivenOut given_out, Describe const& describe)
{
  static_assert(
      !detail::takes_results<GivenOut>,
      "tally: a recurrence on several GPUs writes its states to memory, where a plain loop may go on from them");
  constexpr char const* call_text = "tally::linear_recurrence";
  auto const a = plain_array(given_a);
  auto const b = plain_array(given_b);
  auto const out = plain_array(given_out);
  using A = std::remove_const_t<decltype(a)>;
  using B = std::remove_const_t<decltype(b)>;
  using Out = std::remove_const_t<decltype(out)>;
  group<Machine>& all = on.all();
  typename Machine::work work(all.machine, call_text);
  ranks_backend::session<typename Machine::transport> by(all.ranks, name);
  batch::layout where;
  batch::ends<T> ends;
  begin_sequences<affine<T>>(all, by, work, call_text, sequences, where, ends, describe, a, b, out);
  bool const in_place = cpu_backend::may_be_same(given_a, given_out) || cpu_backend::may_be_same(given_b, given_out);
  recurrences<T, Machine, A, B, Out> own(all, work, by, {where, sequences, ends, a, b}, out);
  take_memory(all, by, work, own.bytes());
  own.run(in_place);
}

}  // namespace tally::nccl_backend
