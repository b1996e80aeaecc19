// Several recurrences at once whose steps are neighbours in memory: each has a lane of the vectors.
#if defined(TALLY_CPU_RECURRENCE_SEVERAL_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TALLY_CPU_RECURRENCE_SEVERAL_INL
#undef TALLY_CPU_RECURRENCE_SEVERAL_INL
#else
#define TALLY_CPU_RECURRENCE_SEVERAL_INL
#endif

#include <algorithm>
#include <cstddef>

#include "src/cpu/recurrence/plain_loop.hpp"
#include "src/cpu/recurrence/rows_in_lanes-inl.hpp"
#include "src/cpu/recurrence/transposed-inl.hpp"
#include "tally/detail/cpu/recurrences.hpp"
#include "tally/detail/path.hpp"
#include "tally/detail/recurrence/steps.hpp"

HWY_BEFORE_NAMESPACE();
namespace tally::cpu_backend::HWY_NAMESPACE {

/// Runs recurrences of at most a strip of the order, a vector of them at a time.
template <class S>
class several_recurrences {
  using T = state<S>;
  using vec = vector<T>;
  static constexpr vector_tag<T> d{};
  using group = group_in_lanes<S>;
  static constexpr std::size_t row_groups = order::recurrence::row_groups, row = row_groups * group::size;
  using rows = rows_in_lanes<T, log2_of<row_groups>>;
  using lane = recurrence_lane<S>;
  // Recurrences of at most so many steps are run one after the other. They are plain loops, of which the processor runs
  // several at once by itself; vectors would be made of single elements.
  static constexpr std::size_t few = is_narrow<S> ? 1 : group::size;

public:
  several_recurrences(std::ptrdiff_t step, bool repeats_a) : step_(step), repeats_a_(repeats_a) {}

  /// Recurrences at regular places.
  void run(recurrence_rows_job<S> const& job)
  {
    detail::took(job.size <= few   ? "recurrence: rows of few steps"
                 : job.size <= row ? "recurrence: short rows, several at once"
                                   : "recurrence: rows, several at once");
    if (step_ > 0)
      run_rows<1>(job);
    else
      run_rows<-1>(job);
  }

  /// Up to lanes<T> recurrences, of any sizes. Sets their last states.
  void run(lane* of, std::size_t count)
  {
    std::size_t longest = 0;
    for (std::size_t i = 0; i < count; ++i) longest = std::max(longest, of[i].size);
    if (step_ > 0)
      run<1>(of, count, longest);
    else
      run<-1>(of, count, longest);
  }

private:
  template <int Step>
  void run(lane* of, std::size_t count, std::size_t longest)
  {
    if (longest > few)
      run_lanes<Step>(of, count, 0);
    else if (repeats_a_)
      run_few_lanes<Step, true>(of, count);
    else
      run_few_lanes<Step, false>(of, count);
  }

  static lane lane_of(recurrence_rows_job<S> const& job, std::size_t s)
  {
    return {&at(job.a, s, job.a_row),           &at(job.b, s, job.b_row),
            &at(job.out, s, job.out_row),       job.size,
            at(job.befores, s, job.before_row), S()};
  }

  template <int Step>
  void run_rows(recurrence_rows_job<S> const& job)
  {
    std::size_t s = 0;
    if (job.size <= few) {
      if (repeats_a_)
        run_few_rows<Step, true>(job);
      else
        run_few_rows<Step, false>(job);
      return;
    }
    lane_places<S> places;
    places.shortest = job.size;
    for (; s + lanes<T> <= job.count; s += lanes<T>) {
      if (job.ahead) fetch_next<Step>(job, s + lanes<T>);
      for (std::size_t i = 0; i < lanes<T>; ++i) {
        places.a[i] = &at(job.a, s + i, job.a_row);
        places.b[i] = &at(job.b, s + i, job.b_row);
        places.out[i] = &at(job.out, s + i, job.out_row);
      }
      if (job.before_row == 0)
        row_.begin(hn::Set(d, static_cast<T>(*job.befores)));
      else
        row_.begin(gathered([&](std::size_t i) { return static_cast<T>(at(job.befores, s + i, job.before_row)); }));
      std::size_t const done = run_equal<Step>(places, job.size);
      if (HWY_UNLIKELY(done < job.size)) {
        run_some_rows<Step>(job, s, lanes<T>, done);
      } else if (job.lasts != nullptr) {
        for (std::size_t i = 0; i < lanes<T>; ++i)
          at(job.lasts, s + i, job.last_row) = at(places.out[i], job.size - 1, Step);
      }
    }
    if (s < job.count) run_some_rows<Step>(job, s, job.count - s, 0);
  }

  /// `count` rows from number s on, of which `done` steps have been run.
  template <int Step>
  HWY_NOINLINE void run_some_rows(recurrence_rows_job<S> const& job, std::size_t s, std::size_t count, std::size_t done)
  {
    lane of[lanes<T>];
    of[0] = lane_of(job, s);
    for (std::size_t i = 1; i < count; ++i) of[i] = lane_of(job, s + i);
    run_lanes<Step>(of, count, done);
    if (job.lasts == nullptr) return;
    for (std::size_t i = 0; i < count; ++i) at(job.lasts, s + i, job.last_row) = of[i].last;
  }

  /// Runs a recurrence of `Size` steps, a group at most, and returns its last state.
  template <int Step, bool RepeatsA, std::size_t Size>
  HWY_INLINE S run_few(S const* a, S const* b, S* out, S before) const
  {
    T states[Size];
    auto y = static_cast<T>(before);
    HWY_UNROLL(4)
    for (std::size_t k = 0; k < Size; ++k) {
      std::ptrdiff_t const offset = Step * static_cast<std::ptrdiff_t>(k);
      T const product = static_cast<T>(a[RepeatsA ? 0 : offset]) * y;
      y = product + static_cast<T>(b[offset]);
      states[k] = y;
    }
    // A state that is not finite stays so. The plain loop begins where the recurrence does: its states are the same.
    static_assert(!is_narrow<S> || Size == 1);
    auto const last = static_cast<S>(y);
    if (HWY_UNLIKELY(!detail::recurrence::is_finite(last))) return end_odd({a, b, out, Size, before, S()}, 0);
    HWY_UNROLL(4)
    for (std::size_t k = 0; k < Size; ++k) out[Step * static_cast<std::ptrdiff_t>(k)] = static_cast<S>(states[k]);
    return last;
  }
  template <int Step, bool RepeatsA, std::size_t Size = few>
  HWY_INLINE S run_few(S const* a, S const* b, S* out, std::size_t size, S before) const
  {
    if constexpr (Size > 1)
      if (size != Size) return run_few<Step, RepeatsA, Size - 1>(a, b, out, size, before);
    return run_few<Step, RepeatsA, Size>(a, b, out, before);
  }
  template <int Step, bool RepeatsA, std::size_t Size = few>
  void run_few_rows(recurrence_rows_job<S> const& job) const
  {
    if constexpr (Size > 1) {
      if (job.size != Size) {
        run_few_rows<Step, RepeatsA, Size - 1>(job);
        return;
      }
    }
    S const *a = job.a, *b = job.b, *before = job.befores;
    S *out = job.out, *lasts = job.lasts;
    std::size_t const count = job.count;
    std::ptrdiff_t const a_row = job.a_row, b_row = job.b_row, out_row = job.out_row, before_row = job.before_row,
                         last_row = job.last_row;
    for (std::size_t s = 0; s < count; ++s, a += a_row, b += b_row, out += out_row, before += before_row) {
      S const last = run_few<Step, RepeatsA, Size>(a, b, out, *before);
      if (lasts == nullptr) continue;
      *lasts = last;
      lasts += last_row;
    }
  }
  template <int Step, bool RepeatsA>
  void run_few_lanes(lane* of, std::size_t count) const
  {
    for (std::size_t i = 0; i < count; ++i)
      of[i].last = run_few<Step, RepeatsA>(of[i].a, of[i].b, of[i].out, of[i].size, of[i].before);
  }

  /// Recurrences of which `done` steps have been run: the states before the next one are in `row_` then.
  template <int Step>
  void run_lanes(lane* of, std::size_t count, std::size_t done)
  {
    lane_places<S> places;
    std::size_t longest = 0;
    for (std::size_t i = 0; i < lanes<T>; ++i) {
      places.set(i, of[i < count ? i : 0], i < count ? of[i].size : 0);
      longest = std::max(longest, places.size[i]);
    }
    if (done == 0) {
      row_.begin(gathered([&](std::size_t i) { return static_cast<T>(of[i < count ? i : 0].before); }));
      if (places.shortest == longest) done = run_equal<Step>(places, longest);
    }
    if (done < longest) run_any<Step>(of, count, places, longest, done);
    for (std::size_t i = 0; i < count; ++i)
      if (places.size[i] != 0) of[i].last = at(of[i].out, of[i].size - 1, step_);
  }

  vec first_a(lane_places<S> const& places) const
  {
    return repeats_a_ ? gathered([&](std::size_t i) { return static_cast<T>(*places.a[i]); }) : hn::Zero(d);
  }

  /// Recurrences of one size, from their beginning. Returns the step at which a group begins that has a state which is
  /// not finite: nothing is written from there on. Else at least the size.
  template <int Step>
  HWY_NOINLINE std::size_t run_equal(lane_places<S> const& places, std::size_t size)
  {
    return run_groups<Step, true>(places, first_a(places), size, 0,
                                  [](std::size_t, vec const(&)[group::size]) HWY_ATTR { return false; });
  }

  /// Runs steps [done, longest). Those of a recurrence with a state that is not finite end there, and it goes on as the
  /// plain loop.
  template <int Step>
  HWY_NOINLINE void run_any(lane* of, std::size_t count, lane_places<S>& places, std::size_t longest, std::size_t done)
  {
    auto const odd = [&](std::size_t k, vec const(&states)[group::size]) HWY_ATTR {
      HWY_ALIGN T each[group::size][lanes<T>];
      HWY_UNROLL(8)
      for (std::size_t m = 0; m < group::size; ++m) hn::Store(states[m], d, each[m]);
      for (std::size_t i = 0; i < count; ++i)
        if (k < places.size[i] && write_one(of[i], each, k, i)) places.size[i] = places.shortest = 0;
      return true;
    };
    run_groups<Step, false>(places, first_a(places), longest, done, odd);
  }

  /// Runs steps [k, size). Calls `odd(k, states)` in place of writing a group that has a state which is not finite;
  /// stops before it and returns its first step if the result is false.
  template <int Step, bool Equal, class Odd>
  HWY_INLINE std::size_t run_groups(lane_places<S> const& places, vec same_a, std::size_t size, std::size_t k,
                                    Odd const& odd)
  {
    for (; k < size; k += group::size) {
      bool const whole = k + group::size <= (Equal ? size : places.shortest), is_last = k + group::size >= size;
      vec a[group::size], b[group::size];
      if (repeats_a_) {
        HWY_UNROLL(8)
        for (std::size_t m = 0; m < group::size; ++m) a[m] = same_a;
      } else {
        read<Step, Equal>(places.a, places, whole, k, size, a);
      }
      read<Step, Equal>(places.b, places, whole, k, size, b);
      typename rows::leaf const place(k / group::size % row_groups);
      group steps(row_.before(place));
      vec states[group::size];
      HWY_UNROLL(8)
      for (std::size_t m = 0; m < group::size; ++m) {
        states[m] = steps.apply(a[m], b[m]);
        steps.compose(m, a[m], b[m]);
      }
      if (HWY_LIKELY(all_finite(states, size - k)))
        write<Step, Equal>(places, whole, k, size, states);
      else if (!odd(k, states))
        return k;
      if (is_last) continue;
      maps<T> const all = row_.end(place, steps.total());
      if (place.ends_row()) row_.begin(applied<T>(all, row_.before()));
    }
    return size;
  }

  /// Whether the states of a group are finite when they are stored; `present` steps are left. In one type a state that
  /// is not finite stays so to the end of the group, also in steps that are zeros.
  static HWY_INLINE bool all_finite(vec const (&states)[group::size], std::size_t present)
  {
    watch<S> seen;
    HWY_UNROLL(8)
    for (std::size_t m = 0; m < group::size; ++m) {
      bool const is_last = m + 1 == std::min(present, group::size);
      if (is_narrow<S> ? m < present : is_last) seen.look(states[m]);
    }
    return seen.all_finite();
  }

  /// Steps of a block that begins at step k.
  template <bool Equal>
  static HWY_INLINE std::size_t present(lane_places<S> const& places, std::size_t i, std::size_t k, std::size_t size)
  {
    if constexpr (Equal)
      return size > k ? std::min(size - k, block_steps<S>) : 0;
    else
      return places.present(i, k);
  }

  /// The steps of a group; those that a recurrence does not have are zeros.
  template <int Step, bool Equal>
  static HWY_INLINE void read(S const* const* from, lane_places<S> const& places, bool whole, std::size_t k,
                              std::size_t size, vec (&value)[group::size])
  {
    block_tag<S> one;
    HWY_UNROLL(2)
    for (std::size_t j = 0; j < group::size; j += block_steps<S>) {
      std::ptrdiff_t const offset = Step * static_cast<std::ptrdiff_t>(k + j);
      vec some[block_steps<S>];
      if (HWY_LIKELY(whole)) {
        HWY_UNROLL(4)
        for (std::size_t i = 0; i < block_steps<S>; ++i)
          some[i] = blocks_of_lanes<S>(
              i, [&](std::size_t lane) HWY_ATTR { return hn::LoadU(one, begin_of_block<Step>(from[lane] + offset)); });
      } else {
        HWY_UNROLL(4)
        for (std::size_t i = 0; i < block_steps<S>; ++i)
          some[i] = blocks_of_lanes<S>(i, [&](std::size_t lane) HWY_ATTR {
            return load_some_steps<Step, S>(from[lane] + offset, present<Equal>(places, lane, k + j, size));
          });
      }
      transpose<T>(some);
      HWY_UNROLL(4)
      for (std::size_t i = 0; i < block_steps<S>; ++i) value[j + (Step > 0 ? i : block_steps<S> - 1 - i)] = some[i];
    }
  }
  template <int Step, bool Equal>
  static HWY_INLINE void write(lane_places<S> const& places, bool whole, std::size_t k, std::size_t size,
                               vec const (&value)[group::size])
  {
    block_tag<S> one;
    HWY_UNROLL(2)
    for (std::size_t j = 0; j < group::size; j += block_steps<S>) {
      std::ptrdiff_t const offset = Step * static_cast<std::ptrdiff_t>(k + j);
      vec some[block_steps<S>];
      HWY_UNROLL(4)
      for (std::size_t i = 0; i < block_steps<S>; ++i) some[i] = value[j + (Step > 0 ? i : block_steps<S> - 1 - i)];
      transpose<T>(some);
      if (HWY_LIKELY(whole)) {
        HWY_UNROLL(4)
        for (std::size_t i = 0; i < block_steps<S>; ++i)
          store_blocks<S>(i, some[i], [&](std::size_t lane, block<S> v) HWY_ATTR {
            hn::StoreU(v, one, begin_of_block<Step>(places.out[lane] + offset));
          });
      } else {
        HWY_UNROLL(4)
        for (std::size_t i = 0; i < block_steps<S>; ++i)
          store_blocks<S>(i, some[i], [&](std::size_t lane, block<S> v) HWY_ATTR {
            store_some_steps<Step, S>(v, places.out[lane] + offset, present<Equal>(places, lane, k + j, size));
          });
      }
    }
  }

  /// Fetches the next vector of recurrences: at most a row of the order of each.
  template <int Step>
  HWY_INLINE void fetch_next(recurrence_rows_job<S> const& job, std::size_t s) const
  {
    std::size_t const n = std::min(job.size, row);
    fetch<Step>(&at(job.b, s, job.b_row), job.b_row, n);
    fetch<Step>(&at(job.out, s, job.out_row), job.out_row, n);
    if (!repeats_a_) fetch<Step>(&at(job.a, s, job.a_row), job.a_row, n);
  }
  template <int Step>
  static HWY_INLINE void fetch(S const* first, std::ptrdiff_t distance, std::size_t n)
  {
    constexpr std::size_t line = line_bytes / sizeof(S);
    std::size_t const apart = static_cast<std::size_t>(distance < 0 ? -distance : distance);
    std::size_t const next = apart >= line || apart == 0 ? 1 : line / apart;
    for (std::size_t i = 0; i < lanes<T>; i += next)
      for (std::size_t k = 0; k < n; k += line)
        __builtin_prefetch(first + static_cast<std::ptrdiff_t>(i) * distance + Step * static_cast<std::ptrdiff_t>(k));
  }

  template <class Of>
  HWY_INLINE static vec gathered(Of const& of)
  {
    T all[lanes<T>];
    for (std::size_t i = 0; i < lanes<T>; ++i) all[i] = of(i);
    return hn::LoadU(d, all);
  }

  /// Writes the states of a group, from step k on, of the recurrence in lane i that are finite. If there is one that is
  /// not, goes on as the plain loop and returns true.
  HWY_NOINLINE bool write_one(lane& of, T const (*states)[lanes<T>], std::size_t k, std::size_t i)
  {
    for (std::size_t m = 0; m < group::size && k + m < of.size; ++m) {
      auto const y = static_cast<S>(states[m][i]);
      if (!detail::recurrence::is_finite(y)) {
        of.last = end_odd(of, k + m);
        return true;
      }
      at(of.out, k + m, step_) = y;
    }
    return false;
  }

  /// Goes on as the plain loop from step k on, whose result is not finite. Returns the last state.
  HWY_NOINLINE S end_odd(lane const& of, std::size_t k) const
  {
    detail::took("recurrence: one of several has a result that is not finite");
    std::ptrdiff_t const a_step = repeats_a_ ? 0 : step_;
    return go_on(recurrence_in_memory<S>{of.a, a_step, of.b, step_, of.out, step_, of.size, of.before, false, 1}, k);
  }

  std::ptrdiff_t step_;
  bool repeats_a_;
  rows row_;
};

template <class S>
void run_rows_of_recurrences(recurrence_rows_job<S> const& job)
{
  several_recurrences<S>(job.step, job.repeats_a).run(job);
}
template <class S>
void run_lanes_of_recurrences(recurrence_lane<S>* of, std::size_t count, std::ptrdiff_t step, bool repeats_a)
{
  constexpr std::size_t together = lanes<state<S>>;
  several_recurrences<S> all(step, repeats_a);
  for (std::size_t s = 0; s < count; s += together) all.run(of + s, std::min(together, count - s));
}

}  // namespace tally::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
