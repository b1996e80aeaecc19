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
#include "src/cpu/recurrence/tile-inl.hpp"
#include "src/cpu/recurrence/transposed-inl.hpp"
#include "tally/detail/cpu/recurrences.hpp"
#include "tally/detail/path.hpp"
#include "tally/detail/recurrence/steps.hpp"

HWY_BEFORE_NAMESPACE();
namespace tally::cpu_backend::HWY_NAMESPACE {

/// Runs recurrences of at most a tile, a vector of them at a time.
template <class S>
class several_recurrences {
  using T = state<S>;
  using vec = vector<T>;
  static constexpr vector_tag<T> d{};
  using rows = rows_in_lanes<S>;
  static constexpr std::size_t row = rows::row;
  using lane = recurrence_lane<S>;

public:
  several_recurrences(std::ptrdiff_t step, bool repeats_a) : step_(step), repeats_a_(repeats_a) {}

  /// Recurrences at regular places.
  void run(recurrence_rows_job<S> const& job)
  {
    std::size_t s = 0;
    if (job.size <= row) {
      detail::took("recurrence: short rows, several at once");
      if (step_ > 0)
        s = run_short<1>(job);
      else
        s = run_short<-1>(job);
    } else {
      detail::took("recurrence: rows, several at once");
    }
    for (; s < job.count; s += lanes<T>) {
      lane of[lanes<T>];
      std::size_t const count = std::min(lanes<T>, job.count - s);
      if (job.ahead && s + lanes<T> < job.count) {
        if (step_ > 0)
          fetch_next<1>(job, s + lanes<T>);
        else
          fetch_next<-1>(job, s + lanes<T>);
      }
      for (std::size_t i = 0; i < count; ++i) of[i] = lane_of(job, s + i);
      run(of, count);
      if (job.lasts == nullptr) continue;
      for (std::size_t i = 0; i < count; ++i) at(job.lasts, s + i, job.last_row) = of[i].last;
    }
  }

  /// Up to lanes<T> recurrences, of any sizes. Sets their last states.
  void run(lane* of, std::size_t count)
  {
    if (step_ > 0)
      run_lanes<1>(of, count);
    else
      run_lanes<-1>(of, count);
  }

private:
  static lane lane_of(recurrence_rows_job<S> const& job, std::size_t s)
  {
    return {&at(job.a, s, job.a_row),           &at(job.b, s, job.b_row),
            &at(job.out, s, job.out_row),       job.size,
            at(job.befores, s, job.before_row), S()};
  }

  /// Whole vectors of recurrences of at most a row of the order. Returns how many have been done.
  template <int Step>
  std::size_t run_short(recurrence_rows_job<S> const& job)
  {
    std::size_t const n = job.size;
    std::size_t s = 0;
    for (; s + lanes<T> <= job.count; s += lanes<T>) {
      S const* const b = &at(job.b, s, job.b_row);
      S* const out = &at(job.out, s, job.out_row);
      if (job.ahead) fetch_next<Step>(job, s + lanes<T>);
      if (repeats_a_)
        repeat(n, [&](std::size_t i) { return static_cast<T>(at(job.a, s + i, job.a_row)); });
      else
        read_equal<Step>(regular_places<S const>{&at(job.a, s, job.a_row), job.a_row}, n, a_);
      read_equal<Step>(regular_places<S const>{b, job.b_row}, n, b_);
      vec carry = hn::Set(d, static_cast<T>(*job.befores));
      if (job.before_row != 0)
        carry = gathered([&](std::size_t i) { return static_cast<T>(at(job.befores, s + i, job.before_row)); });
      rows of(a_, b_, prefixes_);
      of.take(n);
      if (HWY_UNLIKELY(!of.template results<nothing_before::all>({carry, carry}, carry, n, put()))) {
        for (std::size_t i = 0; i < lanes<T>; ++i) {
          lane own = lane_of(job, s + i);
          if (!write_one(own, 0, i)) own.last = last_of(n, i);
          if (job.lasts != nullptr) at(job.lasts, s + i, job.last_row) = own.last;
        }
        continue;
      }
      write_equal<Step>(regular_places<S>{out, job.out_row}, n, b_);
      if (job.lasts != nullptr)
        for (std::size_t i = 0; i < lanes<T>; ++i) at(job.lasts, s + i, job.last_row) = last_of(n, i);
    }
    return s;
  }

  /// The last state of lane i, of n steps.
  S last_of(std::size_t n, std::size_t i) const { return static_cast<S>(b_[(n - 1) * lanes<T> + i]); }

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

  template <int Step>
  void run_lanes(lane* of, std::size_t count)
  {
    lane_places<S> places;
    std::size_t longest = 0;
    T befores[lanes<T>];
    for (std::size_t i = 0; i < lanes<T>; ++i) {
      lane const& own = of[i < count ? i : 0];
      places.set(i, own, i < count ? own.size : 0);
      befores[i] = static_cast<T>(own.before);
      longest = std::max(longest, places.size[i]);
    }
    vec const carry = hn::LoadU(d, befores);
    rows_before<T> before;
    for (std::size_t k = 0; k < longest; k += row) {
      std::size_t const size = std::min(row, longest - k);
      for (std::size_t i = 0; k + row < longest && i < count; ++i) {
        for (std::size_t next = k + row; next < std::min(places.size[i], k + 2 * row); next += line_bytes / sizeof(S)) {
          std::ptrdiff_t const offset = Step * static_cast<std::ptrdiff_t>(next);
          if (!repeats_a_) __builtin_prefetch(places.a[i] + offset);
          __builtin_prefetch(places.b[i] + offset);
          __builtin_prefetch(places.out[i] + offset, 1);
        }
      }
      if (repeats_a_)
        repeat(size, [&](std::size_t i) { return static_cast<T>(*places.a[i]); });
      else
        read_any<Step>(places.a, places, k, size, a_);
      read_any<Step>(places.b, places, k, size, b_);
      rows now(a_, b_, prefixes_);
      now.take(size);
      bool const finite = before.none() ? now.template results<nothing_before::all>({carry, carry}, carry, size, put())
                                        : now.template results<nothing_before::none>(before.base(), carry, size, put());
      if (HWY_UNLIKELY(!finite)) {
        for (std::size_t i = 0; i < count; ++i) {
          if (k < places.size[i] && write_one(of[i], k, i)) places.size[i] = places.shortest = 0;
        }
      } else {
        write_any<Step>(places, k, size, b_);
      }
      if (k + size < longest) before.push(now.total());
    }
    for (std::size_t i = 0; i < count; ++i)
      if (places.size[i] != 0) of[i].last = at(of[i].out, of[i].size - 1, step_);
  }

  HWY_INLINE auto put()
  {
    return [to = b_](std::size_t k, vec y) HWY_ATTR { hn::Store(y, vector_tag<T>(), to + k * lanes<T>); };
  }
  template <class Of>
  HWY_INLINE static vec gathered(Of const& of)
  {
    T all[lanes<T>];
    for (std::size_t i = 0; i < lanes<T>; ++i) all[i] = of(i);
    return hn::LoadU(d, all);
  }
  template <class Of>
  HWY_INLINE void repeat(std::size_t size, Of const& of)
  {
    vec const all = gathered(of);
    for (std::size_t k = 0; k < size; ++k) hn::Store(all, d, a_ + k * lanes<T>);
  }

  /// Writes the results from step k on of the recurrence in lane i that are finite. If there is one that is not, goes
  /// on as the plain loop and returns true.
  HWY_NOINLINE bool write_one(lane& of, std::size_t k, std::size_t i)
  {
    std::size_t const size = std::min(row, of.size - k);
    for (std::size_t j = 0; j < size; ++j) {
      auto const y = static_cast<S>(b_[j * lanes<T> + i]);
      if (!detail::recurrence::is_finite(y)) {
        detail::took("recurrence: one of several has a result that is not finite");
        std::ptrdiff_t const a_step = repeats_a_ ? 0 : step_;
        of.last = go_on(recurrence_in_memory<S>{of.a, a_step, of.b, step_, of.out, step_, of.size, of.before, false, 1},
                        k + j);
        return true;
      }
      at(of.out, k + j, step_) = y;
    }
    return false;
  }

  std::ptrdiff_t step_;
  bool repeats_a_;
  HWY_ALIGN T a_[row * lanes<T>];
  HWY_ALIGN T b_[row * lanes<T>];
  HWY_ALIGN T prefixes_[rows::room];
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
