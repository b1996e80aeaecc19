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
#include <cstring>
#include <type_traits>
#include <utility>

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

/// Lanes [first, last) of a vector, where the others' memory must not be touched.
template <class D, class T = hn::TFromD<D>>
class some_lanes {
  static constexpr D d{};

public:
  HWY_INLINE some_lanes(std::size_t first, std::size_t last) : first_(first), last_(last)
  {
    if constexpr (has_masks<T>) {
      mask_ = hn::FirstN(d, last);
      if (first != 0) mask_ = hn::AndNot(hn::FirstN(d, first), mask_);
    }
  }

  /// The other lanes are `other`.
  HWY_INLINE hn::Vec<D> load(T const* from, T other) const
  {
    if constexpr (has_masks<T>) {
      return hn::IfThenElse(mask_, hn::MaskedLoad(mask_, d, from), hn::Set(d, other));
    } else {
      HWY_ALIGN T buffer[hn::MaxLanes(D{})];
      hn::Store(hn::Set(d, other), d, buffer);
      for (std::size_t k = first_; k < last_; ++k) buffer[k] = from[k];
      return hn::Load(d, buffer);
    }
  }
  HWY_INLINE void store(hn::Vec<D> v, T* to) const
  {
    if constexpr (has_masks<T>) {
      hn::BlendedStore(v, mask_, d, to);
    } else {
      HWY_ALIGN T buffer[hn::MaxLanes(D{})];
      hn::Store(v, d, buffer);
      for (std::size_t k = first_; k < last_; ++k) to[k] = buffer[k];
    }
  }

private:
  std::size_t first_;
  std::size_t last_;
  std::conditional_t<has_masks<T>, hn::Mask<D>, char> mask_;
};

inline constexpr std::size_t line_bytes = 64;

/// Copies around the cache: whole lines of `to`, and the parts of lines at both ends through it.
template <class T>
void copy_around_cache(T const* from, T* to, std::size_t size)
{
  hn::ScalableTag<std::uint8_t> d8;
  auto const* source = reinterpret_cast<std::uint8_t const*>(from);
  auto* target = reinterpret_cast<std::uint8_t*>(to);
  std::size_t bytes = size * sizeof(T);
  std::size_t const phase = reinterpret_cast<std::uintptr_t>(to) % line_bytes;
  std::size_t const head = phase == 0 ? 0 : std::min(bytes, line_bytes - phase);
  std::memcpy(target, source, head);
  source += head;
  target += head;
  bytes -= head;
  for (; bytes >= line_bytes; bytes -= line_bytes, source += line_bytes, target += line_bytes)
    for (std::size_t lane = 0; lane < line_bytes; lane += hn::MaxLanes(d8))
      hn::Stream(hn::LoadU(d8, source + lane), d8, target + lane);
  std::memcpy(target, source, bytes);
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
    if (job_.first == 0) for_each_vector([&](auto lanes) HWY_ATTR { lanes.begin_tile(); });
    std::size_t const end = job_.first + job_.size;
    for (std::size_t k = job_.first; k < end; k += group) {
      std::size_t const g = k / group % order::row_groups;
      std::size_t const present = std::min(group, end - k);
      bool const last = k + group >= end;
      if (job_.out == nullptr)
        take_groups<false>(g, k - job_.first, present, last);
      else
        take_groups<true>(g, k - job_.first, present, last);
      if (job_.stage != nullptr) write_stage(k - job_.first, present, last);
      if (g == order::row_groups - 1) end_row(k);
    }
  }

private:
  void end_row(std::size_t k)
  {
    if constexpr (!exactly_associative<Op, T>)
      for_each_vector([&](auto lanes) HWY_ATTR { lanes.end_row(k / order::row<T>); });
  }

  template <class Call>
  HWY_INLINE void for_each_vector(Call&& call)
  {
    for (std::size_t c = 0; c < job_.width; c += lanes<T>) call(lane_order<Op, T>(job_.state + c, job_.stride));
  }

  template <bool Results>
  HWY_INLINE void take_groups(std::size_t g, std::size_t k, std::size_t present, bool last)
  {
    bool const streams = job_.to == stores::streaming && job_.stage == nullptr;
    T* out = nullptr;
    std::ptrdiff_t out_step = job_.out_step;
    if constexpr (Results) {
      out = job_.out + static_cast<std::ptrdiff_t>(k) * out_step;
      if (job_.stage != nullptr) {
        out = job_.stage + staged_;
        out_step = static_cast<std::ptrdiff_t>(job_.width);
      }
    }
    std::size_t c = 0;
    if (present == group) {
      for (; c + lanes<T> <= job_.width; c += lanes<T>)
        take<Results, true, true>(g, k, present, c, lanes<T>, last, out, out_step, streams);
      if (c < job_.width) take<Results, false, true>(g, k, present, c, job_.width - c, last, out, out_step, streams);
    } else {
      for (; c < job_.width; c += lanes<T>)
        take<Results, false, false>(g, k, present, c, std::min(lanes<T>, job_.width - c), last, out, out_step, streams);
    }
  }

  /// Takes a group of sequences [c, c + count), of which `present` elements are there. `WholeLanes`, `WholeGroup`: all
  /// of them.
  template <bool Results, bool WholeLanes, bool WholeGroup>
  HWY_INLINE void take(std::size_t g, std::size_t k, std::size_t present, std::size_t c, std::size_t count, bool last,
                       T* out, std::ptrdiff_t out_step, bool streams)
  {
    T const* const in = job_.in + static_cast<std::ptrdiff_t>(k) * job_.in_step + c;
    some_lanes<vector_tag<T>> const there(0, WholeLanes ? lanes<T> : count);
    vec value[group];
    HWY_UNROLL(16)
    for (std::size_t m = 0; m < group; ++m) {
      T const* const from = in + static_cast<std::ptrdiff_t>(m) * job_.in_step;
      if constexpr (WholeLanes)
        value[m] = hn::LoadU(d, from);
      else if (WholeGroup || m < present)
        value[m] = there.load(from, Op::template identity<T>());
      else
        value[m] = hn::Set(d, Op::template identity<T>());
      if (WholeGroup && job_.ahead != 0)
        __builtin_prefetch(from + static_cast<std::ptrdiff_t>(job_.ahead) * job_.in_step, 0, 2);
    }
    T* const previous = job_.state + lane_slot::previous * job_.stride + c;
    vec const before = hn::LoadU(d, previous);
    lane_order<Op, T> order(job_.state + c, job_.stride);
    vec const local = order.template take<Results>(g, value);
    if (last) order.end_tile(local);
    if constexpr (Results) {
      if (job_.shift == direction::exclusive) shift_results<T>(previous, before, value);
      HWY_UNROLL(16)
      for (std::size_t m = 0; m < group; ++m) {
        T* const to = out + static_cast<std::ptrdiff_t>(m) * out_step + c;
        if constexpr (!WholeGroup)
          if (m >= present) break;
        if (WholeGroup && job_.out_ahead != 0)
          __builtin_prefetch(to + static_cast<std::ptrdiff_t>(job_.out_ahead) * out_step, 1, 3);
        if constexpr (!WholeLanes)
          there.store(value[m], to);
        else if (streams)
          hn::Stream(value[m], d, to);
        else
          hn::StoreU(value[m], d, to);
      }
    }
  }

  /// Writes the results of a group from the stage around the cache. Where nothing lies between the rows of the output
  /// they are collected first, so that few lines are written in parts.
  void write_stage(std::size_t k, std::size_t present, bool last)
  {
    if (job_.out_step != static_cast<std::ptrdiff_t>(job_.width)) {
      for (std::size_t m = 0; m < present; ++m)
        copy_around_cache(job_.stage + m * job_.width, job_.out + static_cast<std::ptrdiff_t>(k + m) * job_.out_step,
                          job_.width);
      return;
    }
    staged_ += present * job_.width;
    if (!last && staged_ + group * job_.width <= job_.stage_size) return;
    copy_around_cache(job_.stage, job_.out + (k + present) * job_.width - staged_, staged_);
    staged_ = 0;
  }

  column_job<T> const& job_;
  std::size_t staged_ = 0;  // elements in the stage
};

template <class Op, class T>
void scan_columns(column_job<T> const& job)
{
  column_scan<Op, T>(job).run();
}

}  // namespace tally::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
