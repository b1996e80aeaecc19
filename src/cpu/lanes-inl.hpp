// The order of docs/order.md with a sequence in each lane: element k of all sequences is one vector. All brackets are
// then plain vector operations, without lane moves, some 4.5 an element.
#if defined(TALLY_CPU_LANES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TALLY_CPU_LANES_INL
#undef TALLY_CPU_LANES_INL
#else
#define TALLY_CPU_LANES_INL
#endif

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "src/cpu/vectors-inl.hpp"
#include "tally/detail/cpu/kernels.hpp"
#include "tally/order.hpp"

HWY_BEFORE_NAMESPACE();
namespace tally::cpu_backend::HWY_NAMESPACE {

/// The elements of groups that follow each other, each of all sequences.
template <class T, std::size_t Groups>
using group_values = vector<T>[Groups * order::group<T>];

/// The state of a vector of sequences, in memory: slot s of sequence c is state[s * stride + c].
template <class Op, class T>
class ordered_lanes {
  using vec = vector<T>;
  using dom = domain<Op, T>;
  static constexpr vector_tag<T> d{};
  static constexpr std::size_t group = order::group<T>;

public:
  HWY_INLINE ordered_lanes(T* state, std::size_t stride) : state_(state), stride_(stride) {}

  /// Begins a tile, on top of the slots `carry` and `previous`.
  HWY_INLINE void begin_tile()
  {
    vec const identity = hn::Set(d, Op::template identity<T>());
    for (std::size_t slot : {lane_slot::groups, lane_slot::rows, lane_slot::strips, lane_slot::base})
      hn::StoreU(identity, d, at(slot));
  }

  /// Takes `Groups` groups of a row from group `g` on, a multiple of `Groups`. Absent elements are identities. With
  /// `Results`, `value` becomes the inclusive results. Returns the tile-local value of the last element.
  template <bool Results, std::size_t Groups>
  HWY_INLINE vec take(std::size_t g, group_values<T, Groups>& value)
  {
    vec sum[Groups];
    HWY_UNROLL(16)
    for (std::size_t i = 0; i < Groups; ++i) {
      HWY_UNROLL(16)
      for (std::size_t m = i * group + 1; m < (i + 1) * group; ++m) value[m] = dom::op(value[m - 1], value[m]);
      sum[i] = value[(i + 1) * group - 1];
    }
    round<1>(g, sum);
    vec const base = hn::LoadU(d, at(lane_slot::base));
    vec before = dom::op(base, hn::LoadU(d, at(lane_slot::groups)));
    hn::StoreU(sum[Groups - 1], d, at(lane_slot::groups));
    vec const carry = hn::LoadU(d, at(lane_slot::carry));
    vec local = before;
    HWY_UNROLL(16)
    for (std::size_t i = 0; i < Groups; ++i) {
      if (i > 0) before = dom::op(base, sum[i - 1]);
      local = dom::op(before, value[(i + 1) * group - 1]);
      if constexpr (Results) {
        HWY_UNROLL(16)
        for (std::size_t m = i * group; m < (i + 1) * group; ++m) value[m] = dom::op(carry, dom::op(before, value[m]));
      }
    }
    return local;
  }

  /// Ends row r of the tile.
  HWY_INLINE void end_row(std::size_t r)
  {
    vec const identity = hn::Set(d, Op::template identity<T>());
    vec strips = hn::LoadU(d, at(lane_slot::strips));
    vec rows = dom::op(hn::LoadU(d, at(lane_slot::rows)), hn::LoadU(d, at(lane_slot::groups)));
    if (r % order::strip_rows == order::strip_rows - 1) {
      strips = dom::op(strips, rows);
      rows = identity;
      hn::StoreU(strips, d, at(lane_slot::strips));
    }
    hn::StoreU(rows, d, at(lane_slot::rows));
    hn::StoreU(dom::op(strips, rows), d, at(lane_slot::base));
    hn::StoreU(identity, d, at(lane_slot::groups));
  }

  /// Ends the tile: `local` is the tile-local value of each sequence's last element.
  HWY_INLINE void end_tile(vec local)
  {
    hn::StoreU(local, d, at(lane_slot::total));
    hn::StoreU(with_carry(local), d, at(lane_slot::previous));
  }

  HWY_INLINE vec with_carry(vec local) const { return dom::op(hn::LoadU(d, at(lane_slot::carry)), local); }

private:
  HWY_INLINE T* at(std::size_t slot) const { return state_ + slot * stride_; }

  /// Kogge-Stone in the order in which groups arrive: a round combines a value with the one `Stride` groups before, so
  /// it keeps its last `Stride` operands, in a ring.
  template <std::size_t Stride, std::size_t Groups>
  HWY_INLINE void round(std::size_t g, vec (&sum)[Groups])
  {
    if constexpr (Stride < order::row_groups) {
      constexpr std::size_t kept = std::min(Stride, Groups);  // in the ring
      T* const ring = at(lane_slot::rings + Stride - 1 + g % Stride);
      vec operand[Groups];
      HWY_UNROLL(16)
      for (std::size_t i = 0; i < Groups; ++i) operand[i] = sum[i];
      if (g >= Stride) {
        HWY_UNROLL(16)
        for (std::size_t i = 0; i < kept; ++i) sum[i] = dom::op(hn::LoadU(d, ring + i * stride_), operand[i]);
      }
      HWY_UNROLL(16)
      for (std::size_t i = Stride; i < Groups; ++i) sum[i] = dom::op(operand[i - Stride], operand[i]);
      if (g + std::max(Stride, Groups) < order::row_groups) {
        constexpr std::size_t first = Groups - kept;
        HWY_UNROLL(16)
        for (std::size_t i = first; i < Groups; ++i) hn::StoreU(operand[i], d, ring + (i - first) * stride_);
      }
      round<2 * Stride>(g, sum);
    }
  }

  T* state_;
  std::size_t stride_;
};

/// The same for an operator that is exactly associative. The running value is the slot `previous`.
template <class Op, class T>
class exact_lanes {
  using vec = vector<T>;
  using dom = domain<Op, T>;
  static constexpr vector_tag<T> d{};
  static constexpr std::size_t group = order::group<T>;

public:
  HWY_INLINE exact_lanes(T* state, std::size_t stride) : running_(state + lane_slot::previous * stride) {}

  HWY_INLINE void begin_tile() {}
  template <bool Results, std::size_t Groups>
  HWY_INLINE vec take(std::size_t, group_values<T, Groups>& value)
  {
    vec running = dom::enter(hn::LoadU(d, running_));
    HWY_UNROLL(16)
    for (std::size_t m = 0; m < Groups * group; ++m) {
      running = dom::op(running, dom::enter(value[m]));
      if constexpr (Results) value[m] = dom::leave(running);
    }
    running = dom::leave(running);
    hn::StoreU(running, d, running_);
    return running;
  }
  HWY_INLINE void end_row(std::size_t) {}
  HWY_INLINE void end_tile(vec) {}
  HWY_INLINE vec with_carry(vec local) const { return local; }

private:
  T* running_;
};

template <class Op, class T>
using lane_order = std::conditional_t<exactly_associative<Op, T>, exact_lanes<Op, T>, ordered_lanes<Op, T>>;

/// An exclusive scan gives each sequence's results one place later. `previous` is the slot of that name.
template <std::size_t Groups, class T>
HWY_INLINE void shift_results(T* previous, vector<T> before, group_values<T, Groups>& value)
{
  vector_tag<T> d;
  hn::StoreU(value[Groups * order::group<T> - 1], d, previous);
  HWY_UNROLL(16)
  for (std::size_t m = Groups * order::group<T> - 1; m > 0; --m) value[m] = value[m - 1];
  value[0] = before;
}

}  // namespace tally::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
