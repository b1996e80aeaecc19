// Maps x -> scale * x + offset in vectors: the steps of a recurrence, composed in the order of docs/order.md.
#if defined(TALLY_CPU_RECURRENCE_MAPS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TALLY_CPU_RECURRENCE_MAPS_INL
#undef TALLY_CPU_RECURRENCE_MAPS_INL
#else
#define TALLY_CPU_RECURRENCE_MAPS_INL
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "src/cpu/recurrence/stored-inl.hpp"
#include "src/cpu/vectors-inl.hpp"
#include "tally/operators/affine.hpp"
#include "tally/order.hpp"

HWY_BEFORE_NAMESPACE();
namespace tally::cpu_backend::HWY_NAMESPACE {

/// A map in each lane. Inner loops copy it by its two vectors: GCC copies the whole in pieces of 8 and 16 bytes, and
/// loads of vectors then wait for these stores.
template <class T>
struct maps {
  vector<T> scale;
  vector<T> offset;
};

/// `later` after `earlier`. The file is compiled without contraction.
template <class T>
HWY_INLINE maps<T> then(maps<T> const& earlier, maps<T> const& later)
{
  return {hn::Mul(later.scale, earlier.scale), hn::Add(hn::Mul(later.scale, earlier.offset), later.offset)};
}

/// The same, but for the lanes of `absent`, where there is no earlier map: its scale there must be 1. No offset would
/// leave every later one as it is in bits, whatever the later scale.
template <class T>
HWY_INLINE maps<T> then_unless(hn::Mask<vector_tag<T>> absent, maps<T> const& earlier, maps<T> const& later)
{
  vector_tag<T> d;
  auto const product = hn::IfThenElse(absent, hn::Set(d, T(-0.0)), hn::Mul(later.scale, earlier.offset));
  return {hn::Mul(later.scale, earlier.scale), hn::Add(product, later.offset)};
}

/// Scale 1 and offset -0.0 change no map that comes before them.
template <class T>
HWY_INLINE maps<T> nothing_later()
{
  vector_tag<T> d;
  return {hn::Set(d, T(1)), hn::Set(d, T(-0.0))};
}

template <std::size_t Count, class T>
HWY_INLINE maps<T> shift_in(maps<T> const& previous, maps<T> const& current)
{
  return {shift_in<Count, T>(previous.scale, current.scale), shift_in<Count, T>(previous.offset, current.offset)};
}

template <class T>
HWY_INLINE maps<T> broadcast_last(maps<T> const& m)
{
  return {broadcast_last<T>(m.scale), broadcast_last<T>(m.offset)};
}

template <class T>
HWY_INLINE maps<T> broadcast(affine<T> const& m)
{
  vector_tag<T> d;
  return {hn::Set(d, m.scale), hn::Set(d, m.offset)};
}

/// Elements of groups: element j of each group in vector j, and back. Of stored type S a group has eight bytes.
template <class S>
inline constexpr std::size_t step_members = order::group<affine<S>>;
/// Vectors of states that have one for each group of a row.
template <class S>
inline constexpr std::size_t group_vectors = order::row_groups / lanes<state<S>>;
/// Elements of the groups that such a vector stands for.
template <class S>
inline constexpr std::size_t step_set = step_members<S> * lanes<state<S>>;

/// Loads elements of groups. Only the first `size` are there, unless all are; the others are zeros.
template <bool Whole, class S>
HWY_INLINE void load_groups(S const* from, std::size_t size, vector<state<S>> (&value)[step_members<S>])
{
  if constexpr (is_narrow<S>) {
    // Each half of a group is one word of four bytes.
    static_assert(step_members<S> == 4);
    using word_tag = hn::RebindToUnsigned<vector_tag<float>>;
    word_tag d32;
    hn::Repartition<std::uint16_t, word_tag> d16;
    HWY_ALIGN std::uint16_t some[step_set<S>];
    std::uint16_t const* words = raw_at(from);
    if constexpr (!Whole) {
      std::memset(some, 0, sizeof(some));
      std::memcpy(some, words, std::min(size, step_set<S>) * sizeof(S));
      words = some;
    }
    auto const low = hn::BitCast(d32, hn::LoadU(d16, words));
    auto const high = hn::BitCast(d32, hn::LoadU(d16, words + step_set<S> / 2));
    auto const first = hn::ConcatEven(d32, high, low), second = hn::ConcatOdd(d32, high, low);
    value[0] = narrow_lanes<S>::widened_low(first);
    value[1] = narrow_lanes<S>::widened_high(first);
    value[2] = narrow_lanes<S>::widened_low(second);
    value[3] = narrow_lanes<S>::widened_high(second);
  } else {
    using T = S;
    vector_tag<T> d;
    auto const load = [&](std::size_t k) HWY_ATTR {
      if constexpr (Whole)
        return hn::LoadU(d, from + k);
      else
        return some_lanes<vector_tag<T>>(0, std::min(size > k ? size - k : 0, lanes<T>)).load(from + k, T(0));
    };
    if constexpr (step_members<T> == 1) {
      value[0] = load(0);
    } else {
      static_assert(step_members<T> == 2);
      auto const low = load(0), high = load(lanes<T>);
      value[0] = hn::ConcatEven(d, high, low);
      value[1] = hn::ConcatOdd(d, high, low);
    }
  }
}

/// Makes elements of groups vectors in the order of memory.
template <class T>
HWY_INLINE void interleave(vector<T> (&value)[2])
{
  static_assert(sizeof(T) == 4);
  vector_tag<T> d;
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  auto const lower = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  auto const upper = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  vector<T> const low{_mm512_permutex2var_ps(value[0].raw, lower, value[1].raw)};
  value[1] = vector<T>{_mm512_permutex2var_ps(value[0].raw, upper, value[1].raw)};
  value[0] = low;
#else
  auto const low = hn::InterleaveLower(d, value[0], value[1]), high = hn::InterleaveUpper(d, value[0], value[1]);
  if constexpr (blocks<T> == 1) {
    value[0] = low;
    value[1] = high;
  } else {
    static_assert(blocks<T> == 2);
    value[0] = hn::ConcatLowerLower(d, high, low);
    value[1] = hn::ConcatUpperUpper(d, high, low);
  }
#endif
  (void)d;
}

/// Stores states of groups: that of step j of each in vector j.
template <class S>
HWY_INLINE void store_groups(vector<state<S>> const (&value)[step_members<S>], S* to)
{
  using T = state<S>;
  vector_tag<T> d;
  if constexpr (is_narrow<S>) {
    hn::Repartition<std::uint16_t, vector_tag<float>> d16;
    vector<float> words[2] = {hn::BitCast(d, narrow_lanes<S>::rounded(value[0], value[1])),
                              hn::BitCast(d, narrow_lanes<S>::rounded(value[2], value[3]))};
    interleave<float>(words);
    hn::StoreU(hn::BitCast(d16, words[0]), d16, raw_at(to));
    hn::StoreU(hn::BitCast(d16, words[1]), d16, raw_at(to) + step_set<S> / 2);
  } else if constexpr (step_members<S> == 1) {
    hn::StoreU(value[0], d, to);
  } else {
    vector<T> both[2] = {value[0], value[1]};
    interleave<T>(both);
    hn::StoreU(both[0], d, to);
    hn::StoreU(both[1], d, to + lanes<T>);
  }
}

/// Loads the maps of groups, combined from the left: the last ones are the totals.
template <bool Whole, class S>
HWY_INLINE void load_maps(S const* a, S const* b, std::size_t size, maps<state<S>> (&value)[step_members<S>])
{
  using T = state<S>;
  vector<T> scale[step_members<S>], offset[step_members<S>];
  load_groups<Whole, S>(a, size, scale);
  load_groups<Whole, S>(b, size, offset);
  value[0] = {scale[0], offset[0]};
  HWY_UNROLL(4)
  for (std::size_t m = 1; m < step_members<S>; ++m) value[m] = then<T>(value[m - 1], {scale[m], offset[m]});
}

/// A step of Kogge and Stone over the totals of the groups of some rows, side by side.
template <class T, std::size_t Stride, std::size_t Rows, std::size_t Vectors>
HWY_INLINE void kogge_stone_step_of_maps(maps<T> (&total)[Rows][Vectors])
{
  vector_tag<T> d;
  if constexpr (Stride < lanes<T>) {
    auto const absent = hn::FirstN(d, Stride);
    HWY_UNROLL(16)
    for (std::size_t i = 0; i < Vectors; ++i) {
      std::size_t const v = Vectors - 1 - i;
      HWY_UNROLL(2)
      for (std::size_t r = 0; r < Rows; ++r) {
        maps<T> const now = total[r][v];
        if (v > 0)
          total[r][v] = then<T>(shift_in<Stride, T>(total[r][v - 1], now), now);
        else
          total[r][v] = then_unless<T>(absent, shift_in<Stride, T>(nothing_later<T>(), now), now);
      }
    }
  } else {
    constexpr std::size_t whole = Stride / lanes<T>;
    HWY_UNROLL(16)
    for (std::size_t i = 0; i < Vectors - whole; ++i) {
      std::size_t const v = Vectors - 1 - i;
      HWY_UNROLL(2)
      for (std::size_t r = 0; r < Rows; ++r) total[r][v] = then<T>(total[r][v - whole], total[r][v]);
    }
  }
}

/// All five steps. Calls `between(step)` before each one.
template <class T, std::size_t Step = 0, std::size_t Rows, std::size_t Vectors, class Between>
HWY_INLINE void kogge_stone_of_maps(maps<T> (&total)[Rows][Vectors], Between&& between)
{
  if constexpr (Step < 5) {
    between(std::integral_constant<std::size_t, Step>());
    kogge_stone_step_of_maps<T, std::size_t{1} << Step>(total);
    kogge_stone_of_maps<T, Step + 1>(total, between);
  }
}

}  // namespace tally::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
