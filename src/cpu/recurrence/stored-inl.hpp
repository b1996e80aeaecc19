// States of recurrences in vectors, and the elements in memory from which they are made: the same type, or two bytes
// that are widened to float and rounded again.
#if defined(TALLY_CPU_RECURRENCE_STORED_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TALLY_CPU_RECURRENCE_STORED_INL
#undef TALLY_CPU_RECURRENCE_STORED_INL
#else
#define TALLY_CPU_RECURRENCE_STORED_INL
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "src/cpu/some_lanes-inl.hpp"
#include "src/cpu/vectors-inl.hpp"
#include "tally/half.hpp"
#include "tally/operators/traits.hpp"

HWY_BEFORE_NAMESPACE();
namespace tally::cpu_backend::HWY_NAMESPACE {

/// The type in which recurrences of stored type S are computed.
template <class S>
using state = working_type<S>;
template <class S>
inline constexpr bool is_narrow = !std::is_same_v<S, state<S>>;

/// How Highway names stored elements: those of two bytes by their bits.
template <class S>
using raw = std::conditional_t<is_narrow<S>, std::uint16_t, S>;
/// The stored elements of a vector of states, in a vector of as many lanes.
template <class S>
using stored_tag = hn::Rebind<raw<S>, vector_tag<state<S>>>;

template <class S>
HWY_INLINE raw<S> const* raw_at(S const* at)
{
  return reinterpret_cast<raw<S> const*>(at);
}
template <class S>
HWY_INLINE raw<S>* raw_at(S* at)
{
  return reinterpret_cast<raw<S>*>(at);
}

/// Bits of stored elements of two bytes in lanes of four bytes, as states and back, with the bits of half.hpp.
template <class S>
class narrow_lanes {
  static constexpr vector_tag<float> d{};
  static constexpr hn::RebindToUnsigned<vector_tag<float>> d32{};
  static constexpr hn::RebindToSigned<vector_tag<float>> signed32{};
  using vec = vector<float>;
  static constexpr bool is_half = std::is_same_v<S, half>;
  static constexpr std::uint32_t rebias = 112u << 23;

public:
  using bits = hn::Vec<hn::RebindToUnsigned<vector_tag<float>>>;

  /// Elements in the low halves of lanes, whose high halves are zeros.
  static HWY_INLINE vec widened(bits x)
  {
    if constexpr (!is_half) {
      return hn::BitCast(d, hn::ShiftLeft<16>(x));
    } else {
      bits const magnitude = hn::And(x, set(0x7fff)), sign = hn::ShiftLeft<16>(hn::Xor(x, magnitude));
      bits result = hn::Add(hn::ShiftLeft<13>(magnitude), set(rebias));
      result = hn::Add(result, hn::IfThenElseZero(greater(magnitude, 0x7bff), set(rebias)));
      result = hn::Or(result, hn::IfThenElseZero(greater(magnitude, 0x7c00), set(1u << 22)));
      vec const subnormal = hn::Mul(hn::ConvertTo(d, hn::BitCast(signed32, magnitude)), hn::Set(d, 0x1p-24f));
      result = hn::IfThenElse(greater(magnitude, 0x3ff), result, hn::BitCast(d32, subnormal));
      return hn::BitCast(d, hn::Or(result, sign));
    }
  }
  /// Elements in the low halves of lanes, and in the high halves.
  static HWY_INLINE vec widened_low(bits x)
  {
    if constexpr (!is_half) return widened(x);
    return widened(hn::And(x, set(0xffff)));
  }
  static HWY_INLINE vec widened_high(bits x)
  {
    if constexpr (!is_half) return hn::BitCast(d, hn::And(x, set(0xffff0000)));
    return widened(hn::ShiftRight<16>(x));
  }

  /// The rounded elements in the low halves of lanes, whose high halves are zeros.
  static HWY_INLINE bits rounded(vec v)
  {
    if constexpr (!is_half) return hn::ShiftRight<16>(with_carry(v));
    bits const x = hn::BitCast(d32, v), magnitude = hn::And(x, set(0x7fffffff));
    bits const sign = hn::ShiftRight<16>(hn::Xor(x, magnitude));
    bits result = hn::Min(shifted<13>(hn::Sub(magnitude, set(rebias))), set(0x7c00));
    // Below the least normal number: 1/2 has the unit of the subnormal ones.
    vec const added = hn::Add(hn::BitCast(d, magnitude), hn::Set(d, 0.5f));
    bits const subnormal = hn::Sub(hn::BitCast(d32, added), set(126u << 23));
    result = hn::IfThenElse(greater(magnitude, (113u << 23) - 1), result, subnormal);
    bits const nan = hn::Or(hn::And(hn::ShiftRight<13>(magnitude), set(0x1ff)), set(0x7e00));
    return hn::Or(hn::IfThenElse(greater(magnitude, 255u << 23), nan, result), sign);
  }
  /// The rounded elements of `low` in the low halves of lanes, and those of `high` in the high halves.
  static HWY_INLINE bits rounded(vec low, vec high)
  {
    if constexpr (!is_half) return hn::Or(rounded(low), hn::And(with_carry(high), set(0xffff0000)));
    return hn::Or(rounded(low), hn::ShiftLeft<16>(rounded(high)));
  }

  static HWY_INLINE bits magnitude(vec v) { return hn::And(hn::BitCast(d32, v), set(0x7fffffff)); }
  /// Whether all magnitudes are rounded to finite elements.
  static HWY_INLINE bool are_finite(bits magnitudes)
  {
    constexpr std::uint32_t least_infinite = is_half ? 0x477ff000 : 0x7f7f8000;
    return hn::AllFalse(signed32, hn::RebindMask(signed32, greater(magnitudes, least_infinite - 1)));
  }

private:
  static HWY_INLINE bits set(std::uint32_t x) { return hn::Set(d32, x); }
  static HWY_INLINE auto greater(bits x, std::uint32_t than)
  {
    return hn::RebindMask(d32, hn::Gt(hn::BitCast(signed32, x), hn::Set(signed32, static_cast<std::int32_t>(than))));
  }
  /// x / 2^Shift, rounded to nearest, ties to even.
  template <int Shift>
  static HWY_INLINE bits shifted(bits x)
  {
    bits const odd = hn::And(hn::ShiftRight<Shift>(x), set(1));
    return hn::ShiftRight<Shift>(hn::Add(x, hn::Add(odd, set((1u << (Shift - 1)) - 1))));
  }
  /// Numbers whose high halves are rounded bfloat16. A NaN here was made by the processor or of a bfloat16, so its low
  /// half is 0 and nothing is carried into its sign.
  static HWY_INLINE bits with_carry(vec v)
  {
    bits const x = hn::BitCast(d32, v), odd = hn::And(hn::ShiftRight<16>(x), set(1));
    return hn::Add(hn::Add(x, set(0x7fff)), odd);
  }
};

/// The states of stored elements.
template <class S>
HWY_INLINE vector<state<S>> widened(hn::Vec<stored_tag<S>> v)
{
  if constexpr (is_narrow<S>)
    return narrow_lanes<S>::widened(hn::PromoteTo(hn::RebindToUnsigned<vector_tag<float>>{}, v));
  else
    return v;
}
template <class S>
HWY_INLINE hn::Vec<stored_tag<S>> rounded(vector<state<S>> v)
{
  if constexpr (is_narrow<S>)
    return hn::TruncateTo(stored_tag<S>{}, narrow_lanes<S>::rounded(v));
  else
    return v;
}
template <class S>
HWY_INLINE vector<state<S>> load_states(S const* from)
{
  return widened<S>(hn::LoadU(stored_tag<S>{}, raw_at(from)));
}
template <class S>
HWY_INLINE void store_states(vector<state<S>> v, S* to)
{
  hn::StoreU(rounded<S>(v), stored_tag<S>{}, raw_at(to));
}

/// Up to four elements of two bytes as one word, and back, where there are no masks for them: by way of memory a load
/// would wait for the stores of single elements. Element k is `step` * k places from the first one.
template <class S>
HWY_INLINE std::uint64_t word_of(S const* from, std::ptrdiff_t step, std::size_t count)
{
  std::uint64_t word = 0;
  for (std::size_t k = 0; k < count; ++k)
    word |= std::uint64_t{*raw_at(from + static_cast<std::ptrdiff_t>(k) * step)} << (16 * k);
  return word;
}
template <class S>
HWY_INLINE void store_word(std::uint64_t word, S* to, std::ptrdiff_t step, std::size_t count)
{
  for (std::size_t k = 0; k < count; ++k, word >>= 16)
    *raw_at(to + static_cast<std::ptrdiff_t>(k) * step) = static_cast<std::uint16_t>(word);
}

/// The first states of a vector, where the others' memory must not be touched.
template <class S>
class first_states {
  using T = state<S>;
  static constexpr bool by_words = is_narrow<S> && !has_masks<raw<S>>;
  static constexpr hn::FixedTag<std::uint64_t, 1> one_word{};
  static constexpr hn::FixedTag<raw<S>, 8 / sizeof(raw<S>)> in_word{};

public:
  HWY_INLINE explicit first_states(std::size_t count) : count_(count), some_(0, count) {}

  /// The other states are zeros.
  HWY_INLINE vector<T> load(S const* from) const
  {
    if constexpr (!by_words)
      return widened<S>(some_.load(raw_at(from), raw<S>(0)));
    else if constexpr (lanes<T> == 4)
      return widened<S>(word_at(from, 0));
    else
      return widened<S>(hn::Combine(stored_tag<S>{}, word_at(from, 4), word_at(from, 0)));
  }
  HWY_INLINE void store(vector<T> v, S* to) const
  {
    if constexpr (!by_words) {
      some_.store(rounded<S>(v), raw_at(to));
    } else if constexpr (lanes<T> == 4) {
      put_word(rounded<S>(v), to, 0);
    } else {
      auto const both = rounded<S>(v);
      put_word(hn::LowerHalf(in_word, both), to, 0);
      put_word(hn::UpperHalf(in_word, both), to, 4);
    }
  }

private:
  HWY_INLINE std::size_t in_word_at(std::size_t first) const
  {
    return count_ <= first ? 0 : count_ - first < 4 ? count_ - first : 4;
  }
  HWY_INLINE auto word_at(S const* from, std::size_t first) const
  {
    return hn::BitCast(in_word, hn::Set(one_word, word_of(from + first, 1, in_word_at(first))));
  }
  template <class V>
  HWY_INLINE void put_word(V v, S* to, std::size_t first) const
  {
    store_word(hn::GetLane(hn::BitCast(one_word, v)), to + first, 1, in_word_at(first));
  }

  std::size_t count_;
  some_lanes<stored_tag<S>> some_;
};

/// Looks through states for one that is not finite when it is stored.
template <class S>
class watch {
  using T = state<S>;
  using seen_tag = std::conditional_t<is_narrow<S>, hn::RebindToUnsigned<vector_tag<float>>, vector_tag<T>>;

public:
  HWY_INLINE watch() : seen_(hn::Zero(seen_tag{})) {}

  HWY_INLINE void look(vector<T> v)
  {
    if constexpr (is_narrow<S>)
      seen_ = hn::Max(seen_, narrow_lanes<S>::magnitude(v));
    else
      seen_ = hn::Or(seen_, hn::Sub(v, v));  // NaN for an infinity or a NaN
  }
  HWY_INLINE bool all_finite() const
  {
    if constexpr (is_narrow<S>)
      return narrow_lanes<S>::are_finite(seen_);
    else
      return hn::AllFalse(seen_tag{}, hn::IsNaN(seen_));
  }

private:
  hn::Vec<seen_tag> seen_;
};

}  // namespace tally::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
