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
#include <cstdint>
#include <type_traits>

#include "src/cpu/vectors-inl.hpp"
#include "tally/detail/cpu/kernels.hpp"
#include "tally/order.hpp"

HWY_BEFORE_NAMESPACE();
namespace tally::cpu_backend::HWY_NAMESPACE {

/// The elements of a group, each of all sequences.
template <class T>
using group_values = vector<T>[order::group<T>];

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

  /// Takes group `g` of a row, whose absent elements are identities. With `Results`, `value` becomes the inclusive
  /// results. Returns the tile-local value of the last element.
  ///
  /// Kogge-Stone in the order in which groups arrive: a round of stride d combines a value with the one d groups
  /// before, so it keeps its last d operands, in a ring.
  template <bool Results>
  HWY_INLINE vec take(std::size_t g, group_values<T>& value)
  {
    vec const before = dom::op(hn::LoadU(d, at(lane_slot::base)), hn::LoadU(d, at(lane_slot::groups)));
    vec sum = value[0];
    HWY_UNROLL(16)
    for (std::size_t m = 1; m < group; ++m) {
      vec const next = dom::op(sum, value[m]);
      if constexpr (Results) value[m - 1] = dom::op(before, sum);
      sum = next;
    }
    vec const local = dom::op(before, sum);
    if constexpr (Results) {
      value[group - 1] = local;
      vec const carry = hn::LoadU(d, at(lane_slot::carry));
      HWY_UNROLL(16)
      for (std::size_t m = 0; m < group; ++m) value[m] = dom::op(carry, value[m]);
    }
    HWY_UNROLL(5)
    for (std::size_t stride = 1; stride < order::row_groups; stride *= 2) {
      T* const ring = at(lane_slot::rings + stride - 1 + g % stride);
      vec const operand = sum;
      if (g >= stride) sum = dom::op(hn::LoadU(d, ring), sum);
      if (g + stride < order::row_groups) hn::StoreU(operand, d, ring);
    }
    hn::StoreU(sum, d, at(lane_slot::groups));
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
  template <bool Results>
  HWY_INLINE vec take(std::size_t, group_values<T>& value)
  {
    vec running = dom::enter(hn::LoadU(d, running_));
    HWY_UNROLL(16)
    for (std::size_t m = 0; m < group; ++m) {
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
template <class T>
HWY_INLINE void shift_results(T* previous, vector<T> before, group_values<T>& value)
{
  vector_tag<T> d;
  hn::StoreU(value[order::group<T> - 1], d, previous);
  HWY_UNROLL(16)
  for (std::size_t m = order::group<T> - 1; m > 0; --m) value[m] = value[m - 1];
  value[0] = before;
}

// Masks keep loads and stores within the elements that a call may touch, where the instruction set has them.
template <class T>
inline constexpr bool has_masks =
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
    true;
#elif HWY_TARGET == HWY_AVX2
    sizeof(T) >= 4;
#else
    false;
#endif

/// Lanes [first, last) of the vector at `from`; the others are `other`, and their memory is not touched.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> load_lanes(D d, T const* from, std::size_t first, std::size_t last, T other)
{
  if constexpr (has_masks<T>) {
    auto const mask = hn::AndNot(hn::FirstN(d, first), hn::FirstN(d, last));
    return hn::IfThenElse(mask, hn::MaskedLoad(mask, d, from), hn::Set(d, other));
  } else {
    HWY_ALIGN T buffer[hn::MaxLanes(D{})];
    hn::Store(hn::Set(d, other), d, buffer);
    for (std::size_t k = first; k < last; ++k) buffer[k] = from[k];
    return hn::Load(d, buffer);
  }
}
template <class D, class T = hn::TFromD<D>>
HWY_INLINE void store_lanes(hn::Vec<D> v, D d, T* to, std::size_t first, std::size_t last)
{
  if constexpr (has_masks<T>) {
    hn::BlendedStore(v, hn::AndNot(hn::FirstN(d, first), hn::FirstN(d, last)), d, to);
  } else {
    HWY_ALIGN T buffer[hn::MaxLanes(D{})];
    hn::Store(v, d, buffer);
    for (std::size_t k = first; k < last; ++k) to[k] = buffer[k];
  }
}

/// Sequences whose elements of one index are neighbours in memory: groups of elements of all sequences, in the order
/// of memory.
template <class Op, class T>
class column_scan {
  using vec = vector<T>;
  static constexpr vector_tag<T> d{};
  static constexpr std::size_t group = order::group<T>;

public:
  explicit column_scan(column_job<T> const& job) : job_(job) {}

  void run()
  {
    if (job_.first == 0) for_each_vector([&](auto lanes, std::size_t, std::size_t) HWY_ATTR { lanes.begin_tile(); });
    std::size_t const end = job_.first + job_.size;
    for (std::size_t k = job_.first; k < end; k += group) {
      std::size_t const g = k / group % order::row_groups;
      std::size_t const present = std::min(group, end - k);
      bool const last = k + group >= end;
      if (job_.out == nullptr)
        take_groups<false>(g, k - job_.first, present, last);
      else
        take_groups<true>(g, k - job_.first, present, last);
      if (g == order::row_groups - 1 && !last) end_row(k);
    }
    // The row of a part that ends with it. The tile's total has been taken.
    if (end % order::row<T> == 0) end_row(end - 1);
  }

private:
  void end_row(std::size_t k)
  {
    if constexpr (!exactly_associative<Op, T>)
      for_each_vector([&](auto lanes, std::size_t, std::size_t) HWY_ATTR { lanes.end_row(k / order::row<T>); });
  }

  template <class Call>
  HWY_INLINE void for_each_vector(Call&& call)
  {
    for (std::size_t c = 0; c < job_.width; c += lanes<T>)
      call(lane_order<Op, T>(job_.state + c, job_.stride), c, std::min(lanes<T>, job_.width - c));
  }

  template <bool Results>
  HWY_INLINE void take_groups(std::size_t g, std::size_t k, std::size_t present, bool last)
  {
    std::size_t c = 0;
    if (present == group)
      for (; c + lanes<T> <= job_.width; c += lanes<T>) take<Results, true>(g, k, present, c, lanes<T>, last);
    for (; c < job_.width; c += lanes<T>)
      take<Results, false>(g, k, present, c, std::min(lanes<T>, job_.width - c), last);
  }

  /// Takes a group, of which `present` elements are there, of sequences [c, c + count).
  template <bool Results, bool Whole>
  HWY_INLINE void take(std::size_t g, std::size_t k, std::size_t present, std::size_t c, std::size_t count, bool last)
  {
    T const* const in = job_.in + static_cast<std::ptrdiff_t>(k) * job_.in_step + c;
    vec value[group];
    HWY_UNROLL(16)
    for (std::size_t m = 0; m < group; ++m) {
      T const* const from = in + static_cast<std::ptrdiff_t>(m) * job_.in_step;
      if constexpr (Whole) {
        value[m] = hn::LoadU(d, from);
        if (job_.ahead != 0) __builtin_prefetch(from + static_cast<std::ptrdiff_t>(job_.ahead) * job_.in_step, 0, 2);
      } else {
        value[m] = m >= present      ? hn::Set(d, Op::template identity<T>())
                   : count == lanes<T> ? hn::LoadU(d, from)
                                       : load_lanes(d, from, 0, count, Op::template identity<T>());
      }
    }
    T* const previous = job_.state + lane_slot::previous * job_.stride + c;
    vec const before = hn::LoadU(d, previous);
    lane_order<Op, T> order(job_.state + c, job_.stride);
    vec const local = order.template take<Results>(g, value);
    if (last) order.end_tile(local);
    if constexpr (Results) {
      if (job_.shift == direction::exclusive) shift_results<T>(previous, before, value);
      T* const out = job_.out + static_cast<std::ptrdiff_t>(k) * job_.out_step + c;
      HWY_UNROLL(16)
      for (std::size_t m = 0; m < group; ++m) {
        T* const to = out + static_cast<std::ptrdiff_t>(m) * job_.out_step;
        if constexpr (Whole) {
          if (job_.to == stores::streaming)
            hn::Stream(value[m], d, to);
          else
            hn::StoreU(value[m], d, to);
        } else {
          if (m >= present) break;
          if (count == lanes<T>)
            hn::StoreU(value[m], d, to);
          else
            store_lanes(value[m], d, to, 0, count);
        }
      }
    }
  }

  column_job<T> const& job_;
};

template <class Op, class T>
void scan_columns(column_job<T> const& job)
{
  column_scan<Op, T>(job).run();
}

/// Sequences that are contiguous each, at any places. Sixteen bytes of each are loaded, which are a group, and
/// transposed.
template <class Op, class T>
class row_set_scan {
  using vec = vector<T>;
  static constexpr vector_tag<T> d{};
  static constexpr std::size_t group = order::group<T>;
  static constexpr hn::FixedTag<T, order::group<T>> block{};
  /// Whether groups are loaded straight into the lanes. The code for more than 16 lanes would be long, so they go
  /// through memory.
  static constexpr bool unrolled = sizeof(T) >= 4;

public:
  explicit row_set_scan(row_set_job<T> const& job) : job_(job) {}

  void run()
  {
    HWY_ALIGN T state[lane_slot::count * lanes<T>];
    T* const previous = state + lane_slot::previous * lanes<T>;
    vec const initial = hn::LoadU(d, job_.initial);
    hn::Store(initial, d, previous);
    hn::Store(initial, d, state + lane_slot::carry * lanes<T>);
    lane_order<Op, T> order(state, lanes<T>);
    order.begin_tile();
    vec last = initial;
    std::size_t least = job_.sizes[0];
    std::size_t most = least;
    for (std::size_t c = 1; c < lanes<T>; ++c) {
      least = std::min(least, job_.sizes[c]);
      most = std::max(most, job_.sizes[c]);
    }
    for (std::size_t k = 0; k < most; k += group) {
      vec value[group];
      bool const whole = unrolled && k + group <= least;
      whole ? load<unrolled>(k, value) : load<false>(k, value);
      transpose_blocks(value);
      if (job_.in_reversed) reverse(value);
      vec const before = hn::Load(d, previous);
      std::size_t const g = k / group % order::row_groups;
      vec const local = job_.out == nullptr ? order.template take<false>(g, value) : order.template take<true>(g, value);
      if (k + group >= least) last = ending(k, order.with_carry(local), last);
      if (job_.out != nullptr) {
        if (job_.shift == direction::exclusive) shift_results<T>(previous, before, value);
        if (job_.out_reversed) reverse(value);
        transpose_blocks(value);
        whole ? store<unrolled>(k, value) : store<false>(k, value);
      }
      if (g == order::row_groups - 1) order.end_row(k / order::row<T>);
    }
    hn::StoreU(last, d, job_.last);
  }

private:
  /// `value` where a sequence ends in the group at k, else `last`. An exact operator's running value does not change
  /// behind the end.
  HWY_INLINE vec ending(std::size_t k, vec value, vec last) const
  {
    if constexpr (exactly_associative<Op, T>) {
      return value;
    } else {
      HWY_ALIGN T ends[lanes<T>];
      for (std::size_t c = 0; c < lanes<T>; ++c) ends[c] = job_.sizes[c] > k && job_.sizes[c] <= k + group ? T(1) : T(0);
      return hn::IfThenElse(hn::Ne(hn::Load(d, ends), hn::Zero(d)), value, last);
    }
  }

  std::size_t present(std::size_t c, std::size_t k) const
  {
    return job_.sizes[c] > k ? std::min(group, job_.sizes[c] - k) : 0;
  }

  template <bool Whole>
  HWY_INLINE auto load_block(std::size_t c, std::size_t k) const
  {
    auto const distance = static_cast<std::ptrdiff_t>(k);
    T const* const from = job_.in[c] + (job_.in_reversed ? 1 - distance - static_cast<std::ptrdiff_t>(group) : distance);
    if constexpr (Whole) {
      return hn::LoadU(block, from);
    } else {
      std::size_t const count = present(c, k);
      std::size_t const first = job_.in_reversed ? group - count : 0;
      return load_lanes(block, from, first, first + count, Op::template identity<T>());
    }
  }

  template <bool Whole>
  HWY_INLINE void load(std::size_t k, group_values<T>& value) const
  {
    if constexpr (!unrolled) {
      HWY_ALIGN T gathered[group * lanes<T>];
      for (std::size_t c = 0; c < lanes<T>; ++c)
        hn::Store(load_block<Whole>(c, k), block, gathered + (c % group) * lanes<T> + c / group * group);
      for (std::size_t m = 0; m < group; ++m) value[m] = hn::Load(d, gathered + m * lanes<T>);
      return;
    }
    HWY_UNROLL(16)
    for (std::size_t m = 0; m < group; ++m) {
      if constexpr (blocks<T> == 1) {
        value[m] = load_block<Whole>(m, k);
      } else {
        hn::Half<vector_tag<T>> half;
        if constexpr (blocks<T> == 2) {
          value[m] = hn::Combine(d, load_block<Whole>(group + m, k), load_block<Whole>(m, k));
        } else {
          value[m] = hn::Combine(
              d, hn::Combine(half, load_block<Whole>(3 * group + m, k), load_block<Whole>(2 * group + m, k)),
              hn::Combine(half, load_block<Whole>(group + m, k), load_block<Whole>(m, k)));
        }
      }
    }
  }

  template <bool Whole, class Block>
  HWY_INLINE void store_block(std::size_t c, std::size_t k, Block value) const
  {
    auto const distance = static_cast<std::ptrdiff_t>(k);
    T* const to = job_.out[c] + (job_.out_reversed ? 1 - distance - static_cast<std::ptrdiff_t>(group) : distance);
    if constexpr (Whole) {
      hn::StoreU(value, block, to);
    } else {
      std::size_t const count = present(c, k);
      std::size_t const first = job_.out_reversed ? group - count : 0;
      store_lanes(value, block, to, first, first + count);
    }
  }

  template <bool Whole>
  HWY_INLINE void store(std::size_t k, group_values<T> const& value) const
  {
    if constexpr (!unrolled) {
      HWY_ALIGN T gathered[group * lanes<T>];
      for (std::size_t m = 0; m < group; ++m) hn::Store(value[m], d, gathered + m * lanes<T>);
      for (std::size_t c = 0; c < lanes<T>; ++c)
        store_block<Whole>(c, k, hn::Load(block, gathered + (c % group) * lanes<T> + c / group * group));
      return;
    }
    HWY_UNROLL(16)
    for (std::size_t m = 0; m < group; ++m) {
      if constexpr (blocks<T> == 1) {
        store_block<Whole>(m, k, value[m]);
      } else {
        hn::Half<vector_tag<T>> half;
        auto const low = hn::LowerHalf(half, value[m]);
        auto const high = hn::UpperHalf(half, value[m]);
        if constexpr (blocks<T> == 2) {
          store_block<Whole>(m, k, low);
          store_block<Whole>(group + m, k, high);
        } else {
          store_block<Whole>(m, k, hn::LowerHalf(block, low));
          store_block<Whole>(group + m, k, hn::UpperHalf(block, low));
          store_block<Whole>(2 * group + m, k, hn::LowerHalf(block, high));
          store_block<Whole>(3 * group + m, k, hn::UpperHalf(block, high));
        }
      }
    }
  }

  /// Transposes within blocks of 16 bytes; its own inverse. Lane i of block b of vector m is element m of sequence
  /// b * group + i afterwards.
  static HWY_INLINE void transpose_blocks(group_values<T>& value)
  {
    HWY_UNROLL(4)
    for (std::size_t rounds = 1; rounds < group; rounds *= 2) {
      vec from[group];
      HWY_UNROLL(16)
      for (std::size_t m = 0; m < group; ++m) from[m] = value[m];
      HWY_UNROLL(8)
      for (std::size_t m = 0; m < group / 2; ++m) {
        value[2 * m] = hn::InterleaveLower(d, from[m], from[m + group / 2]);
        value[2 * m + 1] = hn::InterleaveUpper(d, from[m], from[m + group / 2]);
      }
    }
  }

  static HWY_INLINE void reverse(group_values<T>& value)
  {
    HWY_UNROLL(8)
    for (std::size_t m = 0; m < group / 2; ++m) std::swap(value[m], value[group - 1 - m]);
  }

  row_set_job<T> const& job_;
};

template <class Op, class T>
void scan_row_set(row_set_job<T> const& job)
{
  row_set_scan<Op, T>(job).run();
}

}  // namespace tally::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
