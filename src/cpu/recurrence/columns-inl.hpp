// Recurrences side by side, one in each lane.
#if defined(TALLY_CPU_RECURRENCE_COLUMNS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TALLY_CPU_RECURRENCE_COLUMNS_INL
#undef TALLY_CPU_RECURRENCE_COLUMNS_INL
#else
#define TALLY_CPU_RECURRENCE_COLUMNS_INL
#endif

#include <algorithm>
#include <cstddef>

#include "src/cpu/recurrence/maps-inl.hpp"
#include "src/cpu/some_lanes-inl.hpp"
#include "tally/detail/cpu/recurrences.hpp"
#include "tally/detail/path.hpp"

HWY_BEFORE_NAMESPACE();
namespace tally::cpu_backend::HWY_NAMESPACE {

/// The order with a recurrence in each lane: all brackets are plain vector operations. The state of a vector of them
/// lies in memory, as recurrence_slot says.
template <class T>
class recurrence_lanes {
  using vec = vector<T>;
  static constexpr vector_tag<T> d{};
  static constexpr std::size_t members = step_members<T>;

public:
  HWY_INLINE recurrence_lanes(T* state, std::size_t stride) : state_(state), stride_(stride) {}

  /// Takes `Groups` groups from group g of row r on; g is a multiple of `Groups`. `value` becomes the tile-local maps.
  template <std::size_t Groups>
  HWY_INLINE void take(std::size_t r, std::size_t g, maps<T> (&value)[Groups * members])
  {
    maps<T> total[Groups];
    HWY_UNROLL(4)
    for (std::size_t i = 0; i < Groups; ++i) {
      HWY_UNROLL(2)
      for (std::size_t m = i * members + 1; m < (i + 1) * members; ++m) value[m] = then<T>(value[m - 1], value[m]);
      total[i] = value[(i + 1) * members - 1];
    }
    round<1>(g, total);
    HWY_UNROLL(4)
    for (std::size_t i = 0; i < Groups; ++i) {
      if (r == 0 && g + i == 0) continue;  // nothing before it in the tile
      maps<T> before;
      if (g + i == 0) {
        before = load(recurrence_slot::base);
      } else {
        before = i > 0 ? total[i - 1] : load(recurrence_slot::groups);
        if (r != 0) before = then<T>(load(recurrence_slot::base), before);
      }
      HWY_UNROLL(2)
      for (std::size_t m = i * members; m < (i + 1) * members; ++m) value[m] = then<T>(before, value[m]);
    }
    store(recurrence_slot::groups, total[Groups - 1]);
  }

  /// Ends row r of the tile.
  HWY_INLINE void end_row(std::size_t r)
  {
    maps<T> rows = load(recurrence_slot::groups);
    if (r % order::strip_rows != 0) rows = then<T>(load(recurrence_slot::rows), rows);
    if (r % order::strip_rows + 1 != order::strip_rows) {
      store(recurrence_slot::rows, rows);
      store(recurrence_slot::base, r < order::strip_rows ? rows : then<T>(load(recurrence_slot::strips), rows));
      return;
    }
    maps<T> const strips = r < order::strip_rows ? rows : then<T>(load(recurrence_slot::strips), rows);
    store(recurrence_slot::strips, strips);
    store(recurrence_slot::base, strips);
  }

  HWY_INLINE void end_tile(maps<T> const& local) { store(recurrence_slot::total, local); }
  HWY_INLINE vec carry() const { return hn::LoadU(d, state_ + recurrence_slot::carry * stride_); }
  /// Not a number for recurrences that have had a result that is not finite.
  HWY_INLINE vec odd() const { return hn::LoadU(d, state_ + recurrence_slot::odd * stride_); }
  HWY_INLINE void set_odd(vec odd) { hn::StoreU(odd, d, state_ + recurrence_slot::odd * stride_); }

private:
  HWY_INLINE maps<T> load(std::size_t slot) const
  {
    return {hn::LoadU(d, state_ + slot * stride_), hn::LoadU(d, state_ + (slot + 1) * stride_)};
  }
  HWY_INLINE void store(std::size_t slot, maps<T> const& m)
  {
    hn::StoreU(m.scale, d, state_ + slot * stride_);
    hn::StoreU(m.offset, d, state_ + (slot + 1) * stride_);
  }

  /// Kogge and Stone's steps in the order in which groups arrive: a round keeps its last `Stride` operands in a ring.
  template <std::size_t Stride, std::size_t Groups>
  HWY_INLINE void round(std::size_t g, maps<T> (&total)[Groups])
  {
    if constexpr (Stride < order::row_groups) {
      constexpr std::size_t kept = std::min(Stride, Groups);
      std::size_t const ring = recurrence_slot::rings + 2 * (Stride - 1 + g % Stride);
      maps<T> operand[Groups];
      HWY_UNROLL(4)
      for (std::size_t i = 0; i < Groups; ++i) operand[i] = total[i];
      if (g >= Stride) {
        HWY_UNROLL(4)
        for (std::size_t i = 0; i < kept; ++i) total[i] = then<T>(load(ring + 2 * i), operand[i]);
      }
      HWY_UNROLL(4)
      for (std::size_t i = Stride; i < Groups; ++i) total[i] = then<T>(operand[i - Stride], operand[i]);
      if (g + std::max(Stride, Groups) < order::row_groups) {
        constexpr std::size_t first = Groups - kept;
        HWY_UNROLL(4)
        for (std::size_t i = first; i < Groups; ++i) store(ring + 2 * (i - first), operand[i]);
      }
      round<2 * Stride>(g, total);
    }
  }

  T* state_;
  std::size_t stride_;
};

/// Recurrences whose elements of one index are neighbours in memory, some groups of all of them at a time.
template <class T>
class recurrence_columns {
  using vec = vector<T>;
  static constexpr vector_tag<T> d{};
  static constexpr std::size_t members = step_members<T>;
  static constexpr std::size_t several = 4 / members;  // groups at once: of the lines of memory, four steps

public:
  explicit recurrence_columns(recurrence_columns_job<T> const& job) : job_(job) {}

  void run()
  {
    for (std::size_t k = 0; k < job_.size;) {
      std::size_t const left = job_.size - k;
      if (left >= several * members) {
        take_all<several>(k, several * members);
        k += several * members;
      } else {
        take_all<1>(k, std::min(left, members));
        k += std::min(left, members);
      }
    }
  }

private:
  template <std::size_t Groups>
  HWY_INLINE void take_all(std::size_t k, std::size_t present)
  {
    std::size_t c = 0;
    for (; c + lanes<T> <= job_.width; c += lanes<T>) take<Groups, true>(k, present, c);
    if (c < job_.width) take<Groups, false>(k, present, c);
    if ((k + present) % order::row<affine<T>> == 0)
      for (c = 0; c < job_.width; c += lanes<T>)
        recurrence_lanes<T>(job_.state + c, job_.stride).end_row(k / order::row<affine<T>>);
  }

  template <std::size_t Groups, bool Whole>
  HWY_INLINE void take(std::size_t k, std::size_t present, std::size_t c)
  {
    constexpr std::size_t size = Groups * members;
    constexpr std::size_t row = order::row<affine<T>>;
    some_lanes<vector_tag<T>> const there(0, Whole ? lanes<T> : job_.width - c);
    auto const at = [](auto* first, std::ptrdiff_t step, std::size_t i) {
      return first + static_cast<std::ptrdiff_t>(i) * step;
    };
    maps<T> value[size];
    HWY_UNROLL(4)
    for (std::size_t m = 0; m < size; ++m) {
      T const* const a = at(job_.a, job_.a_step, k + m);
      T const* const b = at(job_.b, job_.b_step, k + m) + c;
      if (Groups == 1 && m >= present) {
        value[m] = {hn::Zero(d), hn::Zero(d)};
      } else {
        if (!job_.a_across)
          value[m].scale = hn::Set(d, *a);
        else
          value[m].scale = Whole ? hn::LoadU(d, a + c) : there.load(a + c, T(0));
        value[m].offset = Whole ? hn::LoadU(d, b) : there.load(b, T(0));
        if (job_.ahead != 0) {
          __builtin_prefetch(b + static_cast<std::ptrdiff_t>(job_.ahead) * job_.b_step, 0, 2);
          if (job_.a_across && job_.a_step != 0)
            __builtin_prefetch(a + c + static_cast<std::ptrdiff_t>(job_.ahead) * job_.a_step, 0, 2);
        }
      }
    }
    recurrence_lanes<T> order(job_.state + c, job_.stride);
    order.template take<Groups>(k / row, k % row / members, value);
    vec const carry = order.carry();
    vec odd = order.odd();
    vec result[size];
    HWY_UNROLL(4)
    for (std::size_t m = 0; m < size; ++m) {
      result[m] = hn::Add(hn::Mul(value[m].scale, carry), value[m].offset);
      if (Groups > 1 || m < present) odd = hn::MulAdd(result[m], hn::Zero(d), odd);
      if (k + m + 1 == job_.size) order.end_tile(value[m]);
    }
    if (HWY_UNLIKELY(!hn::AllFalse(d, hn::IsNaN(odd)))) {
      store_finite(result, k, present, c);
      return;
    }
    HWY_UNROLL(4)
    for (std::size_t m = 0; m < size; ++m) {
      if (Groups == 1 && m >= present) break;
      T* const to = at(job_.out, job_.out_step, k + m) + c;
      if constexpr (!Whole)
        there.store(result[m], to);
      else if (job_.to == stores::streaming)
        hn::Stream(result[m], d, to);
      else
        hn::StoreU(result[m], d, to);
    }
  }

  /// Stores the results of recurrences that have had finite ones alone, and notes which others begin here.
  HWY_NOINLINE void store_finite(vec const* result, std::size_t k, std::size_t present, std::size_t c)
  {
    detail::took("recurrence: a column with a result that is not finite");
    HWY_ALIGN T states[lanes<T>];
    std::size_t const count = std::min(lanes<T>, job_.width - c);
    T* const odd = job_.state + recurrence_slot::odd * job_.stride + c;
    for (std::size_t m = 0; m < present; ++m) {
      hn::Store(result[m], d, states);
      T* const to = job_.out + static_cast<std::ptrdiff_t>(k + m) * job_.out_step + c;
      for (std::size_t i = 0; i < count; ++i) {
        if (odd[i] != odd[i]) continue;
        if (states[i] - states[i] == 0) {
          to[i] = states[i];
        } else {
          odd[i] = states[i] - states[i];
          job_.bad[c + i] = job_.first + k + m;
        }
      }
    }
  }

  recurrence_columns_job<T> const& job_;
};

template <class T>
void run_columns_of_recurrences(recurrence_columns_job<T> const& job)
{
  recurrence_columns<T>(job).run();
}

}  // namespace tally::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
