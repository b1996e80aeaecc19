// A row of the order of each of several recurrences, one recurrence in each lane.
#if defined(TALLY_CPU_RECURRENCE_ROWS_IN_LANES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TALLY_CPU_RECURRENCE_ROWS_IN_LANES_INL
#undef TALLY_CPU_RECURRENCE_ROWS_IN_LANES_INL
#else
#define TALLY_CPU_RECURRENCE_ROWS_IN_LANES_INL
#endif

#include <cstddef>
#include <utility>

#include "src/cpu/recurrence/maps-inl.hpp"
#include "tally/order.hpp"

HWY_BEFORE_NAMESPACE();
namespace tally::cpu_backend::HWY_NAMESPACE {

/// The lanes whose row is the first one of its tile: nothing comes before it.
enum class nothing_before { none, all, first_lane };

/// All brackets of a row are plain vector operations here: none moves numbers between lanes. Kogge and Stone's rounds
/// of strides 1, 2 and 4 are computed as the groups arrive; those of strides 8 and 16 then take four groups at a time.
template <class S>
class rows_in_lanes {
  using T = state<S>;
  using vec = vector<T>;
  static constexpr vector_tag<T> d{};
  static constexpr std::size_t members = step_members<S>;
  static constexpr std::size_t groups = order::row_groups;
  static constexpr std::size_t chunk = 4;  // groups that arrive together
  static constexpr std::size_t quarter = groups / 4;

public:
  static constexpr std::size_t row = groups * members;

  /// Room for the scanned totals of groups, at a multiple of a vector's size.
  static constexpr std::size_t room = 2 * groups * lanes<T>;

  /// The coefficients of step k are the vector at a + k * lanes<T>, at a multiple of its size; the terms likewise. Both
  /// are used as room too. An object is local: its members are registers then.
  HWY_INLINE rows_in_lanes(T* a, T* b, T* prefixes) : a_(a), b_(b), prefixes_(prefixes) {}

  /// Takes `size` steps, 1 to `row`: combines their groups and scans the totals.
  HWY_INLINE void take(std::size_t size)
  {
    constexpr std::size_t all = chunk * members;
    window before;
    if (size < all) {
      take_groups<true, false>(0, size, before);
      return;
    }
    take_groups<true, true>(0, all, before);
    std::size_t k = all;
    for (; k + all <= size; k += all) take_groups<false, true>(k, all, before);
    if (k < size) take_groups<false, false>(k, size - k, before);
    if (size < row && size > quarter * members) far_rounds_of(prefixes_, (size - 1) / members + 1);
  }

  /// The total of a whole row.
  HWY_INLINE maps<T> total() const { return last_far_round(quarter - 1); }

  /// Calls `write(k, results of step k)` for the steps of the row that was taken, in any order. `base`: the rows before
  /// it. Returns whether all results are finite when they are stored. `write` may use the room of step k.
  ///
  /// Requires  the scales of `base` are 1 in lanes that have nothing before them.
  template <nothing_before Nothing, class Write>
  HWY_INLINE bool results(maps<T> const& base, vec carry, std::size_t size, Write const& write)
  {
    watch<S> seen;
    maps<T> const last_step = value(size - 1);
    auto const step = [&](std::size_t k, maps<T> const& local) HWY_ATTR {
      vec const result = hn::Add(hn::Mul(local.scale, carry), local.offset);
      seen.look(result);
      write(k, result);
    };
    // Group g, behind the group whose scanned total is `scanned`.
    auto const group = [&](std::size_t g, maps<T> const& scanned, std::size_t present) HWY_ATTR {
      maps<T> const upto = behind<Nothing>(base, scanned);
      HWY_UNROLL(4)
      for (std::size_t m = 0; m < members; ++m)
        if (m == 0 || m < present) step(g * members + m, then<T>(upto, value(g * members + m)));
    };
    HWY_UNROLL(4)
    for (std::size_t m = 0; m < members; ++m)
      if (m == 0 || m < size) step(m, behind<Nothing>(base, value(m)));
    if (size == row) {
      for (std::size_t j = 0; j < quarter; ++j) {
        far_rounds(j, [&](std::size_t q, maps<T> const& scanned) HWY_ATTR {
          if (q < 3 || j + 1 < quarter) group(q * quarter + j + 1, scanned, members);
        });
      }
      set_last(then<T>(behind<Nothing>(base, last_far_round(quarter - 2)), last_step));
      return seen.all_finite();
    }
    for (std::size_t g = 1; g * members < size; ++g) group(g, prefix(prefixes_, g - 1), size - g * members);
    std::size_t const g = (size - 1) / members;
    if (g == 0)
      set_last(behind<Nothing>(base, last_step));
    else
      set_last(then<T>(behind<Nothing>(base, prefix(prefixes_, g - 1)), last_step));
    return seen.all_finite();
  }

  /// The tile-local map of the last result.
  HWY_INLINE maps<T> last() const { return {last_.scale, last_.offset}; }

  /// The same of a whole row that was taken, and has no results. `base`: the rows before it, in all lanes.
  HWY_INLINE maps<T> last_without_results(maps<T> const& base) const
  {
    return then<T>(then<T>(base, last_far_round(quarter - 2)), value(row - 1));
  }

private:
  /// The operands of Kogge and Stone's first rounds that the next groups need.
  struct window {
    maps<T> one[1], two[2], four[4];
  };

  HWY_INLINE maps<T> value(std::size_t k) const
  {
    return {hn::Load(d, a_ + k * lanes<T>), hn::Load(d, b_ + k * lanes<T>)};
  }
  HWY_INLINE void set_last(maps<T> const& m)
  {
    last_.scale = m.scale;
    last_.offset = m.offset;
  }
  static HWY_INLINE maps<T> prefix(T const* all, std::size_t g)
  {
    return {hn::Load(d, all + 2 * g * lanes<T>), hn::Load(d, all + (2 * g + 1) * lanes<T>)};
  }
  /// The maps `later` behind `base`, or alone in the lanes that have nothing before their row.
  template <nothing_before Nothing>
  static HWY_INLINE maps<T> behind(maps<T> const& base, maps<T> const& later)
  {
    if constexpr (Nothing == nothing_before::all)
      return {later.scale, later.offset};
    else if constexpr (Nothing == nothing_before::none)
      return then<T>(base, later);
    else
      return then_unless<T>(hn::FirstN(d, 1), base, later);
  }
  static HWY_INLINE void set_prefix(T* all, std::size_t g, maps<T> const& m)
  {
    hn::Store(m.scale, d, all + 2 * g * lanes<T>);
    hn::Store(m.offset, d, all + (2 * g + 1) * lanes<T>);
  }

  template <bool First, bool Whole>
  HWY_INLINE void take_groups(std::size_t k, std::size_t present, window& before)
  {
    maps<T> total[chunk];
    HWY_UNROLL(4)
    for (std::size_t i = 0; i < chunk; ++i) {
      HWY_UNROLL(4)
      for (std::size_t m = 0; m < members; ++m) {
        std::size_t const at = i * members + m;
        maps<T> x{hn::Zero(d), hn::Zero(d)};
        if (Whole || at < present) x = value(k + at);
        if (m == 0) {
          total[i] = x;
        } else {
          total[i] = then<T>(total[i], x);
          hn::Store(total[i].scale, d, a_ + (k + at) * lanes<T>);
          hn::Store(total[i].offset, d, b_ + (k + at) * lanes<T>);
        }
      }
    }
    near_round<First>(before.one, total);
    near_round<First>(before.two, total);
    near_round<First>(before.four, total);
    HWY_UNROLL(4)
    for (std::size_t i = 0; i < chunk; ++i) set_prefix(prefixes_, k / members + i, total[i]);
  }

  template <bool First, std::size_t Stride>
  static HWY_INLINE void near_round(maps<T> (&before)[Stride], maps<T> (&total)[chunk])
  {
    maps<T> operand[chunk];
    HWY_UNROLL(4)
    for (std::size_t i = 0; i < chunk; ++i) operand[i] = total[i];
    HWY_UNROLL(4)
    for (std::size_t i = 0; i < chunk; ++i) {
      if (i >= Stride)
        total[i] = then<T>(operand[i - Stride], operand[i]);
      else if (!First)
        total[i] = then<T>(before[i], operand[i]);
    }
    HWY_UNROLL(4)
    for (std::size_t i = 0; i < Stride; ++i) before[i] = operand[chunk - Stride + i];
  }

  /// The rounds of strides 8 and 16 for the groups j, j + 8, ... of a whole row. Calls `use(q, total)` for each
  /// quarter.
  template <class Use>
  HWY_INLINE void far_rounds(std::size_t j, Use const& use) const
  {
    maps<T> const first = prefix(prefixes_, j), second = prefix(prefixes_, j + quarter);
    use(0, first);
    maps<T> const half = then<T>(first, second);
    use(1, half);
    maps<T> const third = prefix(prefixes_, j + 2 * quarter);
    use(2, then<T>(first, then<T>(second, third)));
    use(3, then<T>(half, then<T>(third, prefix(prefixes_, j + 3 * quarter))));
  }
  /// The last of them alone.
  HWY_INLINE maps<T> last_far_round(std::size_t j) const
  {
    return then<T>(then<T>(prefix(prefixes_, j), prefix(prefixes_, j + quarter)),
                   then<T>(prefix(prefixes_, j + 2 * quarter), prefix(prefixes_, j + 3 * quarter)));
  }
  /// The same for so many quarters of a row, in place.
  template <std::size_t Quarters>
  static HWY_INLINE void far_rounds(T* all, std::size_t j)
  {
    maps<T> const first = prefix(all, j), second = prefix(all, j + quarter);
    maps<T> const scanned = then<T>(first, second);
    set_prefix(all, j + quarter, scanned);
    if constexpr (Quarters > 2) {
      maps<T> const third = prefix(all, j + 2 * quarter);
      set_prefix(all, j + 2 * quarter, then<T>(first, then<T>(second, third)));
      if constexpr (Quarters > 3)
        set_prefix(all, j + 3 * quarter, then<T>(scanned, then<T>(third, prefix(all, j + 3 * quarter))));
    }
  }
  static HWY_NOINLINE void far_rounds_of(T* all, std::size_t present)
  {
    std::size_t const quarters = (present - 1) / quarter + 1, more = present - (quarters - 1) * quarter;
    for (std::size_t j = 0; j < quarter; ++j) {
      std::size_t const own = j < more ? quarters : quarters - 1;
      if (own == 4)
        far_rounds<4>(all, j);
      else if (own == 3)
        far_rounds<3>(all, j);
      else if (own == 2)
        far_rounds<2>(all, j);
    }
  }

  T* a_;
  T* b_;
  T* prefixes_;
  maps<T> last_;
};

}  // namespace tally::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
