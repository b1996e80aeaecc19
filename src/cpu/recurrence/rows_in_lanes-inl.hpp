// A row of the order of each of several recurrences, one recurrence in each lane.
#if defined(TALLY_CPU_RECURRENCE_ROWS_IN_LANES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TALLY_CPU_RECURRENCE_ROWS_IN_LANES_INL
#undef TALLY_CPU_RECURRENCE_ROWS_IN_LANES_INL
#else
#define TALLY_CPU_RECURRENCE_ROWS_IN_LANES_INL
#endif

#include <bit>
#include <cstddef>

#include "src/cpu/recurrence/maps-inl.hpp"
#include "src/cpu/recurrence/stored-inl.hpp"
#include "tally/order.hpp"

HWY_BEFORE_NAMESPACE();
namespace tally::cpu_backend::HWY_NAMESPACE {

/// The place of a subtree in the tree of a row, whose leaves are 2^Levels subtrees.
template <std::size_t Levels>
struct leaf_of_row {
  std::size_t begins;  ///< the largest subtree that begins with it has 2^begins leaves
  std::size_t ends;    ///< and the largest one that ends with it 2^ends
  std::size_t whole;   ///< the `begins` of the first leaf of that one

  explicit leaf_of_row(std::size_t number)
      : begins(first_of(number)),
        ends(static_cast<std::size_t>(std::countr_zero(number + 1))),
        whole(first_of(number + 1 - (std::size_t{1} << ends)))
  {
  }
  bool ends_row() const { return ends == Levels; }

private:
  static std::size_t first_of(std::size_t number)
  {
    return number == 0 ? Levels : static_cast<std::size_t>(std::countr_zero(number));
  }
};

/// The tree of a row whose leaves come one after the other. The totals of left halves are the digits of a binary
/// counter, as in steps_in_order.hpp. All of it is in memory: a leaf reads about four vectors and writes three.
template <class T, std::size_t Levels>
class rows_in_lanes {
  using vec = vector<T>;
  static constexpr vector_tag<T> d{};

public:
  using leaf = leaf_of_row<Levels>;

  /// Begins a row with the states before it.
  HWY_INLINE void begin(vec state) { hn::Store(state, d, state_[Levels]); }

  /// The states before the row, and before a leaf.
  HWY_INLINE vec before() const { return hn::Load(d, state_[Levels]); }
  HWY_INLINE vec before(leaf const& of) const { return hn::Load(d, state_[of.begins]); }

  /// Takes the total of a leaf, and puts the states before the next one. Returns the total of the largest subtree that
  /// ends with it: behind the last leaf, that of the row.
  HWY_INLINE maps<T> end(leaf const& of, maps<T> const& total)
  {
    vec scale = total.scale, offset = total.offset;
    HWY_UNROLL(4)
    for (std::size_t level = 0; level < Levels; ++level) {
      if (level == of.ends) break;
      maps<T> const all = then<T>({hn::Load(d, left_[level].scale), hn::Load(d, left_[level].offset)}, {scale, offset});
      scale = all.scale;
      offset = all.offset;
    }
    if (!of.ends_row()) {
      hn::Store(scale, d, left_[of.ends].scale);
      hn::Store(offset, d, left_[of.ends].offset);
      hn::Store(applied<T>({scale, offset}, hn::Load(d, state_[of.whole])), d, state_[of.ends]);
    }
    return {scale, offset};
  }

private:
  struct half {
    HWY_ALIGN T scale[lanes<T>];
    HWY_ALIGN T offset[lanes<T>];
  };
  half left_[Levels];                        // the total of the last left half of 2^level leaves
  HWY_ALIGN T state_[Levels + 1][lanes<T>];  // before the last leaf that begins a subtree of 2^level ones
};

/// A group in each lane, whose steps come one after the other. An object is local, and its members are registers then.
template <class S>
class group_in_lanes {
  using T = state<S>;
  using vec = vector<T>;

public:
  static constexpr std::size_t size = order::recurrence::group<S>;

  HWY_INLINE explicit group_in_lanes(vec before) : scale_(before), offset_(before), state_(before) {}

  /// Composes step m with those before.
  HWY_INLINE void compose(std::size_t m, vec a, vec b)
  {
    if (m == 0) {
      scale_ = a;
      offset_ = b;
    } else {
      scale_ = hn::Mul(a, scale_);
      offset_ = hn::Add(hn::Mul(a, offset_), b);
    }
  }
  /// The states after the next step.
  HWY_INLINE vec apply(vec a, vec b)
  {
    state_ = hn::Add(hn::Mul(a, state_), b);
    return state_;
  }

  HWY_INLINE maps<T> total() const { return {scale_, offset_}; }

private:
  vec scale_, offset_, state_;
};

}  // namespace tally::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
