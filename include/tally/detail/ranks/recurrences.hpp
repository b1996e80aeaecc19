#pragma once

#include <algorithm>
#include <atomic>
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

#include "tally/detail/batch/ends.hpp"
#include "tally/detail/batch/host_recurrences.hpp"
#include "tally/detail/batch/layout.hpp"
#include "tally/detail/batch/segments_between.hpp"
#include "tally/detail/cpu/recurrence_tiles.hpp"
#include "tally/detail/path.hpp"
#include "tally/detail/ranks/backend.hpp"
#include "tally/detail/ranks/batches.hpp"
#include "tally/detail/ranks/lines.hpp"
#include "tally/detail/ranks/session.hpp"
#include "tally/detail/ranks/wire.hpp"
#include "tally/detail/recurrence/calls.hpp"
#include "tally/detail/recurrence/steps_in_order.hpp"
#include "tally/operators/affine.hpp"
#include "tally/order.hpp"
#include "tally/sequences.hpp"

/// Linear recurrences whose steps are divided among ranks: totals of tiles are maps, as on one machine, and ranks share
/// them as those of a scan.
namespace tally::ranks_backend {

namespace recurrence = detail::recurrence;

/// Whether recurrences of these coefficients have compiled kernels, where their results lie in memory too. On ranks
/// those of half and bfloat16 are computed step after step.
template <class T, class A, class B>
inline constexpr bool has_kernels_for_steps =
    std::is_same_v<T, working_type<T>> && cpu_backend::has_recurrence_kernels_for<T, A, B, T*>;

/// Steps [begin, end) of a recurrence, as kernels take them.
template <class T, class A, class B>
cpu_backend::recurrence_in_memory<T> steps_in_memory(cpu_backend::map_of_step<T, A, B> const& steps, std::size_t begin,
                                                     std::size_t end)
{
  auto const at = [&](auto const& places) { return places.first + static_cast<std::ptrdiff_t>(begin) * places.step; };
  cpu_backend::recurrence_in_memory<T> part{};
  if constexpr (std::is_same_v<A, recurrence::constant<T>>) {
    part.a = &steps.a.array.value;
  } else {
    part.a = steps.a.array + at(steps.a);
    part.a_step = steps.a.step;
  }
  part.b = steps.b.array + at(steps.b);
  part.b_step = steps.b.step;
  part.size = end - begin;
  return part;
}
template <class T, class A, class B>
affine<T> total_of_steps(cpu_backend::map_of_step<T, A, B> const& steps, std::size_t begin)
{
  return cpu_backend::total_of_recurrence_tile(steps_in_memory(steps, begin, begin + order::tile<affine<T>>));
}

/// Makes the maps of a recurrence's steps.
template <class T, class A, class B>
struct maps_of_steps {
  A a;
  B b;
  std::ptrdiff_t a_step, b_step;

  cpu_backend::map_of_step<T, A, B> steps(batch::distances const& at) const
  {
    return {{a, at.coefficients, a_step}, {b, at.in, b_step}};
  }
  auto operator()(batch::distances const& at) const { return elements_from(steps(at)); }
};

/// Recurrences as sequences of maps (lines.hpp), which begin with a constant one. Besides,
///
///     steps(s)            the maps by their numbers
///     results(out, s)     the places of the states of sequence s
template <class T, class A, class B>
struct recurrence_lines : batch_lines<T, maps_of_steps<T, A, B>, std::identity> {
  std::optional<affine<T>> init(std::size_t s) const
  {
    return recurrence::beginning_with(*batch_lines<T, maps_of_steps<T, A, B>, std::identity>::init(s));
  }
  cpu_backend::map_of_step<T, A, B> steps(std::size_t s) const { return this->make.steps(this->where.place(s)); }
  template <class Out>
  cpu_backend::places_along<Out> results(Out const& out, std::size_t s) const
  {
    return {out, this->where.place(s).out, this->where.along.step.out};
  }
  affine<T> total_of_tile(std::size_t s, std::size_t begin) const
    requires has_kernels_for_steps<T, A, B>
  {
    return total_of_steps(steps(s), begin);
  }
};

/// The states of recurrences on this rank, written to `Out`, or first to memory of their own where they could replace
/// coefficients that are still needed: from the first state on that is not finite, states are those of the plain loop.
template <class T, transport Transport, class Lines, class Out>
class recurrences {
  static constexpr bool may_overflow = recurrence::may_overflow<T>;
  static constexpr bool has_order = recurrence::has_order<T>;
  static constexpr bool to_function = detail::takes_results<Out>;
  struct kept_value {
    using type = T;
  };
  template <class I>
  struct value_of_iterator {
    using type = std::iter_value_t<I>;
  };
  using stored = typename std::conditional_t<to_function, kept_value, value_of_iterator<Out>>::type;
  using outcome = cpu_backend::recurrence_outcome<T>;
  static constexpr bool has_kernels =
      std::is_same_v<Out, T*> &&
      requires(Lines const& lines, std::size_t s, std::size_t begin) { lines.total_of_tile(s, begin); };

public:
  recurrences(session<Transport>& by, Lines const& lines, Out out, bool in_place)
      : by_(&by),
        lines_(&lines),
        out_(std::move(out)),
        keeps_(may_overflow && (in_place || to_function))
  {
  }

  /// Computes the states by a call (ordered_call, exact_call) on the maps. Afterwards the rank may fail.
  /// `put_last(s, state)` takes the last state of each sequence, on the ranks that `take` it.
  template <class Call, class PutLast>
  void run(Call& call, bool take, PutLast const& put_last)
  {
    std::size_t const count = lines_->count(), n = lines_->size();
    by_->attempt([&] {
      outcomes_ = std::make_unique<outcome[]>(count);
      if constexpr (has_order && Lines::several) lasts_ = memory<T>(count);
      if constexpr (may_overflow)
        if (keeps_) {
          detail::took("ranks: states in memory of their own");
          kept_ = memory<stored>(count * n);
        }
    });
    call.share_totals(true);
    if constexpr (may_overflow && goes_either_way<Lines>)
      if (lines_->is_here()) start_.emplace(affine<T>(cpu_backend::value_of<affine<T>>(call.initial())).offset);
    auto const scan_to = [&](auto const& places) {
      auto const results_of = [&](std::size_t s) { return results(places(s), s); };
      if constexpr (has_kernels) {
        detail::took("ranks: recurrences by the kernels", "floats or doubles in memory");
        call.scan(results_of, detail::direction::inclusive,
                  [&](std::optional<cpu> const& on, std::size_t s, std::size_t begin, std::size_t end, auto to,
                      auto const& before) {
                    scan_by_kernels(on, s, begin, end, places(s), before);
                    return to + static_cast<std::ptrdiff_t>(end - begin);
                  });
      } else {
        call.scan(results_of, detail::direction::inclusive);
      }
    };
    auto const own_places = [&](std::size_t s) { return own(s); };
    if constexpr (may_overflow) {
      if (keeps_)
        scan_to([&](std::size_t s) { return kept(s); });
      else
        scan_to(own_places);
    } else {
      scan_to(own_places);
    }
    if (take && (!has_order || by_->ranks().offsets.back() == 0))
      by_->attempt([&] {
        for (std::size_t s = 0; s < count; ++s)
          put_last(s, affine<T>(cpu_backend::value_of<affine<T>>(*call.after_all(s).last())).offset);
      });
    if constexpr (may_overflow) {
      report mine{.has_value = take};
      for (std::size_t s = 0; s < count && !by_->failed(); ++s)
        mine.elements += outcomes_[s].first_bad != outcome::none;
      if constexpr (has_order && !Lines::several)
        if (!by_->failed()) std::memcpy(mine.value, &outcomes_[0].last, sizeof(T));
      auto const reports = by_->meet(mine);
      auto const is_bad = [](report const& each) { return each.elements != 0; };
      auto const takes = [](report const& each) { return each.has_value != 0; };
      bool const some_are_bad = std::any_of(reports.begin(), reports.end(), is_bad);
      if constexpr (has_order)
        if (std::any_of(reports.begin(), reports.end(), takes)) put_stored(take, reports, put_last);
      if (some_are_bad) go_on(take, put_last);
      if (keeps_) by_->attempt([&] { put_kept(); });
    }
  }

  /// The end of a call on nothing else.
  void finish()
  {
    if constexpr (!may_overflow)
      by_->finish();
    else if constexpr (!std::contiguous_iterator<Out>)
      by_->meet({});
  }

private:
  /// Puts the last states: those of the rank that has the last step, if there is one. All ranks call it.
  template <class PutLast>
  void put_stored(bool take, [[maybe_unused]] std::span<report const> reports, PutLast const& put_last)
  {
    rank_places const places = places_of(*lines_, by_->by().size());
    std::vector<std::uint64_t> const& offsets = by_->ranks().offsets;
    int place = places.is_here ? places.last : 0;
    auto const is_empty = [&](auto r) { return offsets[r] == offsets[r + 1]; };
    while (place > 0 && is_empty(static_cast<std::size_t>(place))) --place;
    int const rank = places.rank_at(place);
    std::size_t const count = lines_->count();
    T of_one{};
    T* lasts = &of_one;
    if constexpr (Lines::several) {
      detail::took("ranks: last states in a round of their own");
      lasts = lasts_.get();
      for (std::size_t s = 0; s < count; ++s) std::construct_at(lasts + s, outcomes_[s].last);
      by_->by().broadcast(lasts_.bytes(), count * sizeof(T), rank);
    } else {
      std::memcpy(&of_one, reports[static_cast<std::size_t>(rank)].value, sizeof(T));
    }
    if (!take || offsets.back() == 0) return;
    for (std::size_t s = 0; s < count; ++s) put_last(s, lasts[s]);
  }

  /// The end of a rank's part of a recurrence.
  struct end_of_part {
    std::uint64_t first_bad;  ///< the first step whose state is not finite
    std::uint64_t steps;
    T last;  ///< the state after the last step, or the initial one before the first of all
  };

  /// The state before a sequence, on the rank that has its first step.
  T start(std::size_t s) const
  {
    if constexpr (goes_either_way<Lines>)
      return *start_;
    else
      return lines_->init(s)->offset;
  }

  cpu_backend::places_along<Out> own(std::size_t s) const { return lines_->results(out_, s); }
  cpu_backend::places_along<stored*> kept(std::size_t s) const { return {kept_.get() + s * lines_->size(), 0, 1}; }
  template <class Places>
  auto results(Places const& to, std::size_t s) const
  {
    using enum cpu_backend::results_are;
    using iterator = std::remove_cvref_t<decltype(to.array)>;
    return results_to(cpu_backend::state_writer<stored_by_several, T, iterator>{to, lines_->size(), &outcomes_[s]});
  }

  /// Writes the states of steps [begin, end), which are not none and lie in tiles of this part.
  template <class Places, class Carry>
  void scan_by_kernels(std::optional<cpu> const& on, std::size_t s, std::size_t begin, std::size_t end,
                       Places const& to, Carry const& before)
  {
    std::size_t const n = lines_->size();
    auto const steps = lines_->steps(s);
    auto part = steps_in_memory(steps, begin, end);
    part.out = to.array + to.first + static_cast<std::ptrdiff_t>(begin) * to.step;
    part.out_step = to.step;
    part.around = !keeps_ && cpu_backend::goes_around_cache<T>(n, n * lines_->count());
    part.threads = on ? on->threads : 0;
    std::size_t const bad = cpu_backend::scan_recurrence_tiles(part, before);
    if (end == n) outcomes_[s].last = part.out[static_cast<std::ptrdiff_t>(end - begin - 1) * to.step];
    if (bad >= end - begin) return;
    std::atomic<std::size_t>& first_bad = outcomes_[s].first_bad;
    if (begin + bad < first_bad.load()) first_bad.store(begin + bad);
  }

  T stored_at(std::size_t s, std::size_t k) const
  {
    if constexpr (to_function)
      return static_cast<T>(kept(s)[k]);
    else
      return keeps_ ? static_cast<T>(kept(s)[k]) : static_cast<T>(own(s)[k]);
  }

  /// The plain loop of this rank's part of a recurrence, from step k on. Returns the last state.
  T loop(std::size_t s, std::size_t k, T y) const
  {
    auto const steps = lines_->steps(s);
    for (; k < lines_->size(); ++k) {
      y = recurrence::step(static_cast<T>(steps.a[k]), y, static_cast<T>(steps.b[k]));
      if (keeps_)
        cpu_backend::put_state(kept(s), k, y);
      else
        cpu_backend::put_state(own(s), k, y);
    }
    return y;
  }

  /// One rank after the other goes on as the plain loop does, from the first state on that is not finite.
  template <class PutLast>
  void go_on(bool take, PutLast const& put_last)
  {
    detail::took("ranks: recurrences go on as the plain loop");
    Transport& transport = by_->by();
    rank_places const places = places_of(*lines_, transport.size());
    int const own_place = places.rank_at(transport.rank()), first = places.first, last = places.last;
    std::size_t const count = lines_->count(), n = lines_->size();
    memory<end_of_part> mine, all;
    memory<T> states;
    by_->attempt([&] {
      mine = memory<end_of_part>(count);
      all = memory<end_of_part>(count * static_cast<std::size_t>(places.ranks));
      states = memory<T>(count);
    });
    by_->meet({});
    for (std::size_t s = 0; s < count; ++s) {
      auto const bad = static_cast<std::uint64_t>(outcomes_[s].first_bad.load());
      bool const begins = places.is_here && own_place == first;
      T const state = n > 0 ? stored_at(s, n - 1) : begins ? start(s) : T{};
      std::construct_at(mine.get() + s, end_of_part{bad, n, state});
      std::construct_at(states.get() + s, T{});
    }
    transport.allgather(mine.bytes(), all.bytes(), count * sizeof(end_of_part));
    auto const end_of = [&](int place, std::size_t s) -> end_of_part const& {
      return all.get()[static_cast<std::size_t>(places.rank_at(place)) * count + s];
    };
    // The first place of a sequence that has such a state; behind the last one if there is none.
    auto const first_with = [&](std::size_t s) {
      int place = first;
      while (place <= last && end_of(place, s).first_bad == outcome::none) ++place;
      return place;
    };
    // The state before the part at a place, if all states before it are finite.
    auto const state_before = [&](int place, std::size_t s) {
      if (place == first) return start(s);
      do --place;
      while (place > first && end_of(place, s).steps == 0);
      return end_of(place, s).last;
    };
    for (int place = 0; place < places.ranks; ++place) {
      if (place == own_place && places.is_here)
        for (std::size_t s = 0; s < count; ++s) {
          int const first_bad = first_with(s);
          if (first_bad < place) states.get()[s] = loop(s, 0, states.get()[s]);
          if (first_bad != place) continue;
          auto const bad = static_cast<std::size_t>(end_of(place, s).first_bad);
          states.get()[s] = loop(s, bad, bad > 0 ? stored_at(s, bad - 1) : state_before(place, s));
        }
      transport.broadcast(states.bytes(), count * sizeof(T), places.rank_at(place));
      if (!take || place != last) continue;
      for (std::size_t s = 0; s < count; ++s)
        if (first_with(s) <= place) put_last(s, states.get()[s]);
    }
  }

  void put_kept() const
  {
    for (std::size_t s = 0; s < lines_->count(); ++s)
      for (std::size_t k = 0; k < lines_->size(); ++k) cpu_backend::put_state(own(s), k, static_cast<T>(kept(s)[k]));
  }

  session<Transport>* by_;
  Lines const* lines_;
  Out out_;
  bool keeps_;
  std::optional<T> start_;
  std::unique_ptr<outcome[]> outcomes_;
  memory<std::conditional_t<has_order && Lines::several, T, char>> lasts_;
  memory<std::conditional_t<may_overflow, stored, char>> kept_;
};

template <class T>
call_name name_of_recurrence(std::size_t sequences)
{
  return call_name("linear_recurrence of ", sequences, " sequences of ", type_name<T>(), " (", sizeof(T), " bytes)");
}

/// The recurrences that `describe` describes within the call: it sets the layout and the ends.
template <class T, transport Transport, class A, class B, class Out, class Describe>
void backend_recur(execution<Transport> const& on, call_name const& name, std::size_t sequences, A a, B b, Out out,
                   Describe const& describe)
{
  session<Transport> by(on.ranks(), name);
  batch::layout where;
  batch::ends<T> ends;
  by.attempt([&] { describe(where, ends); });
  std::identity same;
  batch::distances const& step = where.along.step;
  recurrence_lines<T, A, B> const lines{
      {where, by.failed() ? 0 : sequences, ends, {a, b, step.coefficients, step.in}, &same}};
  bool const in_place = cpu_backend::may_be_same(a, out) || cpu_backend::may_be_same(b, out);
  recurrences<T, Transport, recurrence_lines<T, A, B>, Out> all(by, lines, out, in_place);
  recurrence::steps_in_turn op;
  with_lines<affine<T>>(by, lines, tile_of<affine<T>>(lines.first(0)), op, [&](auto& call) {
    all.run(call, ends.lasts != nullptr, [&](std::size_t s, T const& last) { ends.lasts[where.place(s).last] = last; });
  });
  all.finish();
}

template <class T, on_ranks P, class A, class B, class Out, class Describe>
void recur(P const& on, std::size_t sequences, A a, B b, Out out, Describe const& describe)
{
  static_assert(std::is_trivially_copyable_v<affine<T>>,
                "tally: states travel between ranks as bytes: their type must be trivially copyable");
  backend_recur<T>(on, name_of_recurrence<T>(sequences), sequences, std::move(a), std::move(b), std::move(out),
                   describe);
}

template <on_ranks P, class A, class B, class Out, class T>
void recur_one(P const& on, A a, std::size_t n, B b, Out out, T const& before)
{
  recur<T>(on, 1, batch::place_of(a), batch::place_of(b), batch::place_of(out),
           [&](batch::layout& where, batch::ends<T>& ends) {
             where = {{n, {1, 1, 0, 0, 1}}, 0, {}};
             ends.initial.emplace(before);
           });
}

template <class Acc, on_ranks P, class A, class B, class Out, class... Rest>
void recur_along(P const& on, A const& a, batch::sequences<B> const& b, batch::sequences<Out> const& out, Rest... rest)
{
  using namespace batch;
  constexpr char const* call = "tally::linear_recurrence";
  auto const arguments = recurrence::told_apart(std::move(rest)...);
  using all = std::remove_const_t<decltype(arguments)>;
  using value = std::remove_const_t<B>;
  using T = accumulator_of_t<Acc, decltype(all::before), value>;
  recurrence::check_states<T, typename recurrence::element_of<A>::type, value>();
  detail::check_output<Out*, T>();
  static_assert(last_fits<decltype(all::last), T>, "tally: last_to(...) takes places of the states' type");
  recur<T>(on, sequences_of(b), recurrence::coefficients_of<T>(a), static_cast<value const*>(b.array.data_handle()),
           out.array.data_handle(), [&](layout& where, ends<T>& ends) {
             recurrence::check_same_shape(call, "b", b, "out", out);
             if constexpr (!recurrence::is_one_number<A>) recurrence::check_same_shape(call, "a", a, "out", out);
             other_axes const terms(b.array, {b.axis}), results(out.array, {out.axis});
             check_distinct(call, "output", out.array.shape(), out.array.strides());
             across_strides strides{terms.strides, results.strides, {}, {}, {}};
             dimension along{out.array.extent(out.axis), {b.array.stride(b.axis), out.array.stride(out.axis)}};
             if constexpr (!recurrence::is_one_number<A>) {
               strides.coefficients = other_axes(a.array, {a.axis}).strides;
               along.step.coefficients = a.array.stride(a.axis);
             }
             ends = recurrence::ends_of<T>(initial_of<T>(call, arguments.before, results.shape, strides.initial),
                                           arguments);
             if constexpr (is_present<decltype(all::last)> && last_fits<decltype(all::last), T>) {
               strides.last = arguments.last.at.strides_for(call, "last_to(...)", results.shape);
               check_distinct(call, "last_to(...)", results.shape, strides.last);
               ends.lasts = arguments.last.at.array.data_handle();
             }
             where = numbered_layout(call, along, results.shape, strides);
           });
}

}  // namespace tally::ranks_backend
