// Elements of two bytes, widened to float and rounded again, in the order of lanes.
#if defined(TALLY_CPU_RECURRENCE_NARROW_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TALLY_CPU_RECURRENCE_NARROW_INL
#undef TALLY_CPU_RECURRENCE_NARROW_INL
#else
#define TALLY_CPU_RECURRENCE_NARROW_INL
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "src/cpu/recurrence/columns-inl.hpp"
#include "src/cpu/recurrence/narrow.hpp"
#include "src/cpu/vectors-inl.hpp"
#include "tally/half.hpp"

HWY_BEFORE_NAMESPACE();
namespace tally::cpu_backend::HWY_NAMESPACE {

/// Conversions of vectors, with the bits of half.hpp.
template <class S, class D>
class narrow_vectors {
  static constexpr D d{};
  static constexpr hn::RebindToUnsigned<D> d32{};
  static constexpr hn::RebindToSigned<D> signed32{};
  static constexpr hn::Rebind<std::uint16_t, D> d16{};
  using vec = hn::Vec<D>;
  using bits = hn::Vec<hn::RebindToUnsigned<D>>;
  static constexpr bool is_half = std::is_same_v<S, half>;
  static constexpr std::uint32_t rebias = 112u << 23;

  static HWY_INLINE bits set(std::uint32_t x) { return hn::Set(d32, x); }
  /// x / 2^Shift, rounded to nearest, ties to even.
  template <int Shift>
  static HWY_INLINE bits shifted(bits x)
  {
    bits const odd = hn::And(hn::ShiftRight<Shift>(x), set(1));
    return hn::ShiftRight<Shift>(hn::Add(x, hn::Add(odd, set((1u << (Shift - 1)) - 1))));
  }
  static HWY_INLINE auto greater(bits x, std::uint32_t than)
  {
    return hn::RebindMask(d32, hn::Gt(hn::BitCast(signed32, x), hn::Set(signed32, static_cast<std::int32_t>(than))));
  }

public:
  static HWY_INLINE vec load(S const* from)
  {
    bits const x = hn::PromoteTo(d32, hn::LoadU(d16, reinterpret_cast<std::uint16_t const*>(from)));
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

  static HWY_INLINE void store(vec v, S* to)
  {
    bits const x = hn::BitCast(d32, v), magnitude = hn::And(x, set(0x7fffffff));
    bits const sign = hn::ShiftRight<16>(hn::Xor(x, magnitude));
    bits result, nan;
    if constexpr (!is_half) {
      result = shifted<16>(magnitude);
      nan = hn::Or(hn::And(hn::ShiftRight<16>(magnitude), set(0x3f)), set(0x7fc0));
    } else {
      result = hn::Min(shifted<13>(hn::Sub(magnitude, set(rebias))), set(0x7c00));
      // Below the least normal number: 1/2 has the unit of the subnormal ones.
      vec const added = hn::Add(hn::BitCast(d, magnitude), hn::Set(d, 0.5f));
      bits const subnormal = hn::Sub(hn::BitCast(d32, added), set(126u << 23));
      result = hn::IfThenElse(greater(magnitude, (113u << 23) - 1), result, subnormal);
      nan = hn::Or(hn::And(hn::ShiftRight<13>(magnitude), set(0x1ff)), set(0x7e00));
    }
    result = hn::IfThenElse(greater(magnitude, 255u << 23), nan, result);
    hn::StoreU(hn::DemoteTo(d16, hn::BitCast(signed32, hn::Or(result, sign))), d16,
               reinterpret_cast<std::uint16_t*>(to));
  }

  /// The least magnitude that is rounded to infinity, as bits.
  static constexpr std::uint32_t infinite = is_half ? 0x477ff000 : 0x7f7f8000;
  static HWY_INLINE bits magnitude(vec v) { return hn::And(hn::BitCast(d32, v), set(0x7fffffff)); }
};

using widened_tag = hn::CappedTag<float, narrow_lanes>;
using four_tag = hn::FixedTag<float, 4>;
using four = hn::Vec<four_tag>;

/// Element i of vector j becomes element j of vector i.
HWY_INLINE void transpose_four(four (&v)[4])
{
  four_tag const d;
  four const a = hn::InterleaveLower(d, v[0], v[1]), b = hn::InterleaveLower(d, v[2], v[3]);
  four const c = hn::InterleaveUpper(d, v[0], v[1]), e = hn::InterleaveUpper(d, v[2], v[3]);
  v[0] = hn::ConcatLowerLower(d, b, a);
  v[1] = hn::ConcatUpperUpper(d, b, a);
  v[2] = hn::ConcatLowerLower(d, e, c);
  v[3] = hn::ConcatUpperUpper(d, e, c);
}

/// Steps by which elements are fetched ahead where those of a step are neighbours: two pages, or eight steps. A step
/// that is alone may be at no distance from the next one.
HWY_INLINE std::size_t fetched_ahead(std::ptrdiff_t step)
{
  std::size_t const bytes = 2 * static_cast<std::size_t>(step < 0 ? -step : step);
  return bytes == 0 ? 0 : std::max<std::size_t>(8, 8192 / bytes);
}

/// Four steps of one recurrence, `step` from each other: 1 or -1.
template <class S>
HWY_INLINE four load_four(S const* at, std::ptrdiff_t step)
{
  using vectors = narrow_vectors<S, four_tag>;
  return step == 1 ? vectors::load(at) : hn::Reverse(four_tag{}, vectors::load(at - 3));
}
template <class S>
HWY_INLINE void store_four(four value, S* at, std::ptrdiff_t step)
{
  using vectors = narrow_vectors<S, four_tag>;
  if (step == 1)
    vectors::store(value, at);
  else
    vectors::store(hn::Reverse(four_tag{}, value), at - 3);
}
/// The same, of which so many are there. Others are zeros.
template <class S>
HWY_INLINE four load_some(S const* at, std::ptrdiff_t step, std::size_t there)
{
  if (there == 4) return load_four(at, step);
  if (there == 0) return hn::Zero(four_tag{});
  S some[4] = {};
  for (std::size_t j = 0; j < there; ++j) some[j] = at[static_cast<std::ptrdiff_t>(j) * step];
  return narrow_vectors<S, four_tag>::load(some);
}
template <class S>
HWY_INLINE void store_some(four value, S* at, std::ptrdiff_t step, std::size_t there)
{
  if (there == 4) return store_four(value, at, step);
  S some[4];
  narrow_vectors<S, four_tag>::store(value, some);
  for (std::size_t j = 0; j < there; ++j) at[static_cast<std::ptrdiff_t>(j) * step] = some[j];
}

/// The steps of recurrence c from step k on, at most `most`.
template <class S>
HWY_INLINE std::size_t steps_there(narrow_elements<S> const& those, std::size_t c, std::size_t k, std::size_t most)
{
  if (those.sizes == nullptr) return most;
  return those.sizes[c] <= k ? 0 : std::min(those.sizes[c] - k, most);
}

template <class S>
void widen_lanes(narrow_elements<S const> const& from, std::size_t first, std::size_t steps, float* to)
{
  widened_tag const d;
  using vectors = narrow_vectors<S, widened_tag>;
  std::size_t const end = first + steps;
  auto const at = [&](std::size_t k) { return static_cast<std::ptrdiff_t>(k) * from.step; };
  if (from.step == 0) {  // one step for all
    for (std::size_t c = 0; c < narrow_lanes; ++c) to[c] = static_cast<float>(*from.at[c]);
    for (std::size_t k = 1; k < steps; ++k) std::copy_n(to, narrow_lanes, to + k * narrow_lanes);
  } else if (from.neighbours) {
    S lanes_there[narrow_lanes] = {};
    std::size_t const ahead = fetched_ahead(from.step);
    for (std::size_t k = first; k < end; ++k, to += narrow_lanes) {
      __builtin_prefetch(from.at[0] + at(k + ahead), 0, 2);
      S const* those = from.at[0] + at(k);
      if (from.width < narrow_lanes) those = std::copy_n(those, from.width, lanes_there) - from.width;
      for (std::size_t c = 0; c < narrow_lanes; c += hn::Lanes(d)) hn::Store(vectors::load(those + c), d, to + c);
    }
  } else {
    std::size_t k = first;
    if (from.step == 1 || from.step == -1) {
      auto const four_steps = [&](auto const& of_lane) HWY_ATTR {
        for (std::size_t c = 0; c < narrow_lanes; c += 4) {
          four value[4];
          HWY_UNROLL(4)
          for (std::size_t i = 0; i < 4; ++i) value[i] = of_lane(c + i);
          transpose_four(value);
          HWY_UNROLL(4)
          for (std::size_t i = 0; i < 4; ++i) hn::Store(value[i], four_tag{}, to + i * narrow_lanes + c);
        }
      };
      for (; k + 4 <= end; k += 4, to += 4 * narrow_lanes) {
        if (from.sizes == nullptr)
          four_steps([&](std::size_t c) HWY_ATTR { return load_four(from.at[c] + at(k), from.step); });
        else
          four_steps([&](std::size_t c)
                         HWY_ATTR { return load_some(from.at[c] + at(k), from.step, steps_there(from, c, k, 4)); });
      }
    }
    for (; k < end; ++k, to += narrow_lanes)
      for (std::size_t c = 0; c < narrow_lanes; ++c)
        to[c] = steps_there(from, c, k, 1) == 1 ? static_cast<float>(from.at[c][at(k)]) : 0.0f;
  }
}

template <class S>
void narrow_lanes_again(float const* from, narrow_elements<S> const& to, std::size_t first, std::size_t steps)
{
  widened_tag const d;
  using vectors = narrow_vectors<S, widened_tag>;
  std::size_t const end = first + steps;
  auto const at = [&](std::size_t k) { return static_cast<std::ptrdiff_t>(k) * to.step; };
  if (to.neighbours) {
    S lanes_there[narrow_lanes];
    std::size_t const ahead = fetched_ahead(to.step);
    for (std::size_t k = first; k < end; ++k, from += narrow_lanes) {
      __builtin_prefetch(to.at[0] + at(k + ahead), 1, 3);
      S* const those = to.width < narrow_lanes ? lanes_there : to.at[0] + at(k);
      for (std::size_t c = 0; c < narrow_lanes; c += hn::Lanes(d)) vectors::store(hn::Load(d, from + c), those + c);
      if (to.width < narrow_lanes) std::copy_n(lanes_there, to.width, to.at[0] + at(k));
    }
  } else {
    std::size_t k = first;
    if (to.step == 1 || to.step == -1) {
      auto const four_steps = [&](auto const& put) HWY_ATTR {
        for (std::size_t c = 0; c < to.width; c += 4) {
          four value[4];
          HWY_UNROLL(4)
          for (std::size_t i = 0; i < 4; ++i) value[i] = hn::Load(four_tag{}, from + i * narrow_lanes + c);
          transpose_four(value);
          for (std::size_t i = 0; i < 4 && c + i < to.width; ++i) put(c + i, value[i]);
        }
      };
      for (; k + 4 <= end; k += 4, from += 4 * narrow_lanes) {
        if (to.sizes == nullptr)
          four_steps([&](std::size_t c, four value) HWY_ATTR { store_four(value, to.at[c] + at(k), to.step); });
        else
          four_steps([&](std::size_t c, four value)
                         HWY_ATTR { store_some(value, to.at[c] + at(k), to.step, steps_there(to, c, k, 4)); });
      }
    }
    for (; k < end; ++k, from += narrow_lanes)
      for (std::size_t c = 0; c < to.width; ++c)
        if (steps_there(to, c, k, 1) == 1) to.at[c][at(k)] = static_cast<S>(from[c]);
  }
}

template <class S>
bool are_finite_when_narrow(float const* from, std::size_t size)
{
  widened_tag const d;
  using vectors = narrow_vectors<S, widened_tag>;
  auto most = vectors::magnitude(hn::Zero(d));
  for (std::size_t k = 0; k < size; k += hn::Lanes(d)) most = hn::Max(most, vectors::magnitude(hn::Load(d, from + k)));
  hn::RebindToUnsigned<widened_tag> const d32;
  return hn::GetLane(hn::MaxOfLanes(d32, most)) < vectors::infinite;
}

inline void run_columns_of_narrow(recurrence_columns_job<float> const& job)
{
  static_assert(order::group<affine<half>> == order::group<affine<bfloat16>>);
  recurrence_columns<float, order::group<affine<half>>, narrow_lanes>(job).run();
}

}  // namespace tally::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
