#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <type_traits>

#include "tally/detail/at_index.hpp"
#include "tally/detail/batch/ends.hpp"
#include "tally/detail/batch/gradients.hpp"
#include "tally/detail/batch/host.hpp"
#include "tally/detail/batch/layout.hpp"
#include "tally/detail/cpu/backend.hpp"
#include "tally/detail/cpu/execution.hpp"
#include "tally/detail/cpu/recurrence_gradients.hpp"
#include "tally/detail/cpu/recurrences.hpp"
#include "tally/detail/cpu/team.hpp"
#include "tally/detail/cpu/tuning.hpp"
#include "tally/detail/path.hpp"
#include "tally/detail/recurrence/steps.hpp"
#include "tally/order.hpp"
#include "tally/sequences.hpp"

/// Linear recurrences on a CPU, for any type and any iterators: scans of maps that are made where they are read, and
/// whose offsets are stored. Tiles of floating-point states have an order of their own (recurrence/steps_in_order.hpp).
namespace tally::cpu_backend {

namespace recurrence = detail::recurrence;

/// The elements or results of one sequence: number k lies at first + k * step of an array.
template <class I>
struct places_along {
  I array;
  std::ptrdiff_t first, step;

  decltype(auto) operator[](std::size_t k) const { return array[first + static_cast<std::ptrdiff_t>(k) * step]; }
};

/// Step k as a map.
template <class T, class A, class B>
struct map_of_step {
  places_along<A> a;
  places_along<B> b;

  affine<T> operator()(std::size_t k) const { return {static_cast<T>(a[k]), static_cast<T>(b[k])}; }
};

template <class Out, class T>
void put_state(places_along<Out> const& out, std::size_t k, T const& state)
{
  if constexpr (detail::takes_results<Out>)
    out[k] = state;
  else if constexpr (requires { out[k].put(state); })
    out[k].put(state);
  else
    out[k] = static_cast<std::iter_value_t<Out>>(state);
}

/// The uses of the results of a scan of maps.
enum class results_are {
  stored_in_order,    ///< up to the first that is not finite: one thread
  stored_by_several,  ///< all of them
  only_looked_at      ///< for the first that is not finite
};

/// The first result of a scan that is not finite, and the state after its last step.
template <class T>
struct recurrence_outcome {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  T last;
  std::atomic<std::size_t> first_bad = none;
};

/// Takes the results of a scan of maps of n steps.
template <results_are Are, class T, class Out>
struct state_writer {
  places_along<Out> out;
  std::size_t n;
  recurrence_outcome<T>* outcome;

  void operator()(std::size_t k, affine<T> const& all) const
  {
    constexpr bool in_order = Are == results_are::stored_in_order;
    if constexpr (recurrence::may_overflow<T>) {
      std::atomic<std::size_t>& bad = outcome->first_bad;
      if (in_order && bad.load(std::memory_order_relaxed) < k) return;
      if (!recurrence::is_finite(all.offset)) {
        std::size_t now = bad.load(std::memory_order_relaxed);
        while (k < now && !bad.compare_exchange_weak(now, k, std::memory_order_relaxed)) {}
        if (in_order) return;
      }
    }
    if constexpr (Are != results_are::only_looked_at) {
      if (in_order || k + 1 == n) outcome->last = all.offset;
      put_state(out, k, all.offset);
    }
  }
};

/// Whether elements, or one number as all coefficients, and results of type T are in memory.
template <class T, class A, class B, class Out>
inline constexpr bool are_recurrences_in_memory =
    (std::is_same_v<A, T const*> || std::is_same_v<A, T*> || std::is_same_v<A, recurrence::constant<T>>) &&
    (std::is_same_v<B, T const*> || std::is_same_v<B, T*>) && std::is_same_v<Out, T*>;
/// Whether recurrences of these are compiled.
template <class T, class A, class B, class Out>
inline constexpr bool has_recurrence_kernels_for = has_recurrence_kernels<T> && are_recurrences_in_memory<T, A, B, Out>;

/// The place of coefficient `number` of an array, or of the one number.
template <class T>
T const* address_of(recurrence::constant<T> const& all, std::ptrdiff_t = 0)
{
  return &all.value;
}
template <class T>
T const* address_of(T* a, std::ptrdiff_t number = 0)
{
  return a + number;
}

/// One recurrence of n > 0 steps from the state `before`. The results are offsets of a scan of maps, and the plain
/// loop's from the first one on that is not finite.
template <class T, class A, class B, class Out>
struct one_recurrence {
  map_of_step<T, A, B> steps;
  places_along<Out> out;
  std::size_t n;
  T before;
  bool in_place;  ///< whether results may have the places of elements
  bool around;    ///< whether all results of the call are more than the cache holds, and those of this one are some KiB

  /// The number of threads for it, of those that the call may use.
  int members(cpu on) const
  {
    constexpr std::size_t bytes = sizeof(affine<T>) < 32 ? 32 : sizeof(affine<T>);
    return team_size(on.threads, n * bytes, (n - 1) / order::tile<affine<T>> + 1);
  }

  template <results_are Are>
  void scan_maps(cpu on, std::size_t size, recurrence_outcome<T>& outcome) const
  {
    auto const values = elements_from(steps);
    auto const results = results_to(state_writer<Are, T, Out>{out, size, &outcome});
    recurrence::steps_in_turn op;
    scan_sequence<affine<T>>(on, values, 0, size, results, std::optional<affine<T>>(recurrence::beginning_with(before)),
                             nullptr, op, direction::inclusive);
  }

  /// The state after step k - 1, as it was stored.
  T stored_before(std::size_t k, recurrence_outcome<T> const& outcome) const
  {
    if (k == 0) return before;
    if constexpr (detail::takes_results<Out>)
      return outcome.last;
    else
      return static_cast<T>(out[k - 1]);
  }

  /// The plain loop from step k on, where y is the state before it.
  T go_on(std::size_t k, T y) const
  {
    detail::took("cpu: a recurrence goes on as the plain loop", "a result is not finite");
    for (; k < n; ++k) {
      y = recurrence::step(static_cast<T>(steps.a[k]), y, static_cast<T>(steps.b[k]));
      put_state(out, k, y);
    }
    return y;
  }

  /// Writes all states and returns the last one.
  T run(cpu on) const
  {
    if constexpr (has_recurrence_kernels_for<T, A, B, Out>) {
      recurrence_in_memory<T> one{};
      one.a = address_of(steps.a.array, steps.a.first);
      one.a_step = step_of_coefficients();
      one.b = steps.b.array + steps.b.first;
      one.b_step = steps.b.step;
      one.out = out.array + out.first;
      one.out_step = out.step;
      one.size = n;
      one.before = before;
      one.around = around;
      one.threads = on.threads;
      return recur_by_kernels(one);
    } else {
      return run_maps(on);
    }
  }

  std::ptrdiff_t step_of_coefficients() const { return std::is_pointer_v<A> ? steps.a.step : 0; }

  /// The same for any type.
  T run_maps(cpu on) const
  {
    using enum results_are;
    recurrence_outcome<T> outcome{before};
    bool const alone = members(on) == 1;
    if (alone) {
      scan_maps<stored_in_order>(cpu{1}, n, outcome);
    } else if (!recurrence::may_overflow<T> || (!in_place && !detail::takes_results<Out>)) {
      scan_maps<stored_by_several>(on, n, outcome);
    } else {
      // A result must not replace an element that the plain loop still needs. So the results are looked at first.
      detail::took("cpu: a recurrence looked through first", "in place on several threads");
      scan_maps<only_looked_at>(on, n, outcome);
      std::size_t const good = std::min(n, outcome.first_bad.load(std::memory_order_relaxed));
      if (good > 0) scan_maps<stored_by_several>(on, good, outcome);
    }
    std::size_t const bad = outcome.first_bad.load(std::memory_order_relaxed);
    return bad == outcome.none ? outcome.last : go_on(bad, stored_before(bad, outcome));
  }
};

/// Whether results of `size` steps, of `all` in the call, go around the cache. Those of few steps have parts of lines.
template <class T>
bool goes_around_cache(std::size_t size, std::size_t all)
{
  tuning const& sizes = tuning_in_use();
  return size * sizeof(T) >= sizes.streamed_recurrence_bytes && all * sizeof(T) >= sizes.streamed_bytes;
}

template <class I>
inline constexpr bool is_in_memory = std::contiguous_iterator<I>;
template <class T>
inline constexpr bool is_in_memory<recurrence::constant<T>> = true;

/// The threads of a recurrence: of numbers and without code of the caller's, all of them.
template <class T, class... Iterators>
cpu threads_for_recurrence(std::optional<cpu> const& on)
{
  if (on) return *on;
  constexpr bool own = detail::is_number<T> || recurrence::is_complex<T>;
  return cpu{own && (is_in_memory<Iterators> && ...) ? 0 : 1};
}

/// Whether memory that the results go to may be that of the elements, as far as iterators show.
template <class I, class Out>
bool may_be_same(I const& in, Out const& out)
{
  if constexpr (requires { out.replaces_elements(); })
    return out.replaces_elements();
  else if constexpr (std::contiguous_iterator<I> && std::contiguous_iterator<Out>)
    return static_cast<void const*>(std::to_address(in)) == static_cast<void const*>(std::to_address(out));
  else
    return true;
}
template <class T, class Out>
bool may_be_same(recurrence::constant<T> const&, Out const&)
{
  return false;
}

template <class T, class A, class B, class Out, class From>
struct recurrences_of_segments;

/// Short segments of one thread, which are collected, put in order by their sizes and run several at once: those of a
/// vector then have about one size.
template <class Segments>
class short_recurrences {
  using T = typename Segments::state;
  static constexpr std::size_t most = 512;  // that are collected
  static constexpr std::size_t longest = 2 * order::row<affine<T>>;

  /// Sizes of one kind are about the same.
  static constexpr std::size_t kind(std::size_t size) { return size <= 64 ? size - 1 : 63 + (size - 64) / 8; }

public:
  explicit short_recurrences(Segments const& all) : all_(all) {}

  void operator()(cpu on, std::size_t s, std::size_t begin, std::size_t end)
  {
    std::size_t const size = end - begin;
    if (size == 0 || size > longest) {
      all_(on, s, begin, end);
      return;
    }
    of_[count_] = {s, begin, size};
    if (++count_ == most) finish();
  }

  void finish()
  {
    if (count_ == 0) return;
    detail::took("batch: recurrences of short segments, several at once");
    run_in_lanes();
    count_ = 0;
  }

private:
  using segment = typename Segments::segment;

  void run_in_lanes()
  {
    for (std::size_t i = 0; i < count_; ++i) {
      all_.fetch(of_[i].begin, of_[i].begin + of_[i].size);
      ++ends_[kind(of_[i].size)];
    }
    std::size_t sum = 0;
    for (std::size_t& each : ends_) {
      std::size_t const own = each;
      each = sum;
      sum += own;
    }
    for (std::size_t i = 0; i < count_; ++i) order_[ends_[kind(of_[i].size)]++] = static_cast<std::uint16_t>(i);
    constexpr std::size_t together = 64;  // whole vectors of any instruction set
    recurrence_lane<T> lanes[together];
    for (std::size_t first = 0; first < count_; first += together) {
      std::size_t const count = count_ - first < together ? count_ - first : together;
      for (std::size_t i = 0; i < count; ++i) lanes[i] = all_.lane(of_[order_[first + i]]);
      kernels_of_recurrences<T>().several(lanes, count, Segments::step, Segments::repeats_a);
      if (all_.ends.lasts == nullptr) continue;
      for (std::size_t i = 0; i < count; ++i) all_.ends.lasts[of_[order_[first + i]].number] = lanes[i].last;
    }
    for (std::size_t& each : ends_) each = 0;
  }

  Segments const& all_;
  std::size_t count_ = 0;
  segment of_[most];
  std::uint16_t order_[most];
  std::size_t ends_[kind(longest) + 1] = {};
};

/// The recurrences of segments: what to do with one, or with those of a block.
template <class T, class A, class B, class Out, class From>
struct recurrences_of_segments {
  using state = T;
  static constexpr bool forward = std::is_same_v<From, detail::batch::from_front>;
  static constexpr std::ptrdiff_t step = forward ? 1 : -1;
  static constexpr bool repeats_a = std::is_same_v<A, recurrence::constant<T>>;
  struct segment {
    std::size_t number, begin, size;
  };

  A a;
  B b;
  Out out;
  detail::batch::ends<T> const& ends;
  bool in_place;

  void operator()(cpu threads, std::size_t s, std::size_t begin, std::size_t end) const
  {
    auto const own = static_cast<std::ptrdiff_t>(s);
    T last = *initial_at(ends, own);
    if (begin != end) {
      auto const first = static_cast<std::ptrdiff_t>(forward ? begin : end - 1);
      last =
          one_recurrence<T, A, B, Out>{
              {{a, first, step}, {b, first, step}},          {out, first, step}, end - begin, last, in_place,
              goes_around_cache<T>(end - begin, end - begin)}
              .run(threads);
    }
    if (ends.lasts != nullptr) ends.lasts[own] = last;
  }

  auto block() const
    requires has_recurrence_kernels_for<T, A, B, Out>
  {
    return short_recurrences<recurrences_of_segments>(*this);
  }
  /// Fetches a segment, which is run some time later, and out of turn.
  void fetch(std::size_t begin, std::size_t end) const
  {
    constexpr std::size_t line = 64 / sizeof(T);
    for (std::size_t k = begin; k < end; k += line) {
      if constexpr (!repeats_a) __builtin_prefetch(a + k);
      __builtin_prefetch(b + k);
      __builtin_prefetch(out + k, 1);
    }
  }
  recurrence_lane<T> lane(segment const& of) const
  {
    std::size_t const first = forward ? of.begin : of.begin + of.size - 1;
    T const* coefficients;
    if constexpr (repeats_a)
      coefficients = &a.value;
    else
      coefficients = a + first;
    T const before = ends.initials != nullptr ? ends.initials[of.number] : *ends.initial;
    return {coefficients, b + first, out + first, of.size, before, T()};
  }
};

}  // namespace tally::cpu_backend

namespace tally::detail {

template <class T, cpu_backend::cpu_execution P, class A, class B, class Out>
void backend_recur_sequences(P const& on, batch::layout const& where, A a, B const* b, Out* out,
                             batch::ends<T> const& ends)
{
  using namespace cpu_backend;
  std::size_t const n = where.along.extent;
  batch::distances const& along = where.along.step;
  auto const threads_wanted = threads_for_recurrence<T>(requested(on));
  if constexpr (has_recurrence_kernels_for<T, A, B const*, Out*>) {
    recurrences_in_memory<T> const all{address_of(a), b, out, where, ends, threads_wanted.threads};
    if (int const dimension = columns_of_recurrences(where); dimension >= 0) {
      recur_columns_by_kernels<T>(all, dimension);
      return;
    }
    if (has_rows_of_recurrences<T>(where)) {
      recur_rows_by_kernels<T>(all);
      return;
    }
  }
  bool const in_place = may_be_same(a, out) || may_be_same(b, out);
  bool const around = goes_around_cache<T>(n, n * where.sequences());
  auto const one = [&](cpu threads, batch::distances const& at) {
    one_recurrence<T, A, B const*, Out*> const sequence{
        {{a + at.coefficients, 0, along.coefficients}, {b + at.in, 0, along.in}},
        {out + at.out, 0, along.out},
        n,
        *initial_at(ends, at.initial),
        in_place,
        around};
    T const last = sequence.run(threads);
    if (ends.lasts != nullptr) ends.lasts[at.last] = last;
  };
  auto const neighbours = [&](sequence_cursor at, std::size_t count, auto&) {
    for (std::size_t s = 0; s < count; ++s, at.advance(1)) one(cpu{1}, *at);
  };
  for_each_sequence<recurrence::steps_in_turn, affine<T>>(threads_wanted, where, true, one, neighbours);
}

template <class T>
  requires cpu_backend::has_recurrence_kernels<T>
bool backend_gradients(cpu const& on, batch::gradients<T> const& given)
{
  cpu_backend::gradients_by_kernels(given, on.threads);
  return true;
}

template <class T, cpu_backend::cpu_execution P, class A, class B, class Offsets, class Out,
          class From = batch::from_front>
void backend_recur_segments(P const& on, A a, B b, Offsets offsets, std::size_t segments, Out out,
                            batch::ends<T> const& ends, From = {})
{
  using namespace cpu_backend;
  bool const in_place = may_be_same(a, out) || may_be_same(b, out);
  recurrences_of_segments<T, A, B, Out, From> const all{a, b, out, ends, in_place};
  for_each_segment<recurrence::steps_in_turn, affine<T>>(threads_for_recurrence<T, A, B, Out>(requested(on)), offsets,
                                                         segments, all);
}

}  // namespace tally::detail
