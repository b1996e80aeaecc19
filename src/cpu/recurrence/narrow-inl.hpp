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
#include <cstring>
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

/// Steps by which elements are fetched ahead where those of a step are neighbours: two pages, or eight steps.
HWY_INLINE std::size_t fetched_ahead(std::ptrdiff_t step)
{
  std::size_t const bytes = 2 * static_cast<std::size_t>(step < 0 ? -step : step);
  return std::max<std::size_t>(8, 8192 / bytes);
}

/// The first step, if any, that some recurrence does not have.
template <class S>
std::size_t all_have_to(narrow_elements<S> const& those)
{
  if (those.sizes == nullptr) return static_cast<std::size_t>(-1);
  return *std::min_element(those.sizes, those.sizes + those.width);
}

template <class S>
void widen_lanes(narrow_elements<S const> const& from, std::size_t first, std::size_t steps, float* to)
{
  widened_tag const d;
  using vectors = narrow_vectors<S, widened_tag>;
  auto const lane = [&](std::size_t c) { return from.at[std::min(c, from.width - 1)]; };
  auto const at = [&](std::size_t k, std::size_t c) { return lane(c) + static_cast<std::ptrdiff_t>(k) * from.step; };
  std::size_t const end = first + steps;
  if (from.step == 0) {  // one step for all
    for (std::size_t c = 0; c < narrow_lanes; ++c) to[c] = static_cast<float>(*lane(c));
    for (std::size_t k = 1; k < steps; ++k) std::copy_n(to, narrow_lanes, to + k * narrow_lanes);
  } else if (from.neighbours) {
    S lanes_there[narrow_lanes] = {};
    std::size_t const ahead = fetched_ahead(from.step);
    for (std::size_t k = first; k < end; ++k, to += narrow_lanes) {
      __builtin_prefetch(at(k + ahead, 0), 0, 2);
      S const* those = at(k, 0);
      if (from.width < narrow_lanes) those = std::copy_n(those, from.width, lanes_there) - from.width;
      for (std::size_t c = 0; c < narrow_lanes; c += hn::Lanes(d)) hn::Store(vectors::load(those + c), d, to + c);
    }
  } else {
    bool const backward = from.step == -1;
    std::size_t k = first;
    if (from.step == 1 || backward) {
      std::size_t const whole = std::min(end, all_have_to(from));
      for (; k + 4 <= whole; k += 4, to += 4 * narrow_lanes) {
        for (std::size_t c = 0; c < narrow_lanes; c += 4) {
          four value[4];
          HWY_UNROLL(4)
          for (std::size_t i = 0; i < 4; ++i) {
            value[i] = narrow_vectors<S, four_tag>::load(at(backward ? k + 3 : k, c + i));
            if (backward) value[i] = hn::Reverse(four_tag{}, value[i]);
          }
          transpose_four(value);
          HWY_UNROLL(4)
          for (std::size_t i = 0; i < 4; ++i) hn::Store(value[i], four_tag{}, to + i * narrow_lanes + c);
        }
      }
    }
    for (; k < end; ++k, to += narrow_lanes) {
      for (std::size_t c = 0; c < narrow_lanes; ++c) {
        bool const is_there = c < from.width && (from.sizes == nullptr || k < from.sizes[c]);
        to[c] = is_there ? static_cast<float>(*at(k, c)) : 0.0f;
      }
    }
  }
}

template <class S>
void narrow_lanes_again(float const* from, narrow_elements<S> const& to, std::size_t first, std::size_t steps)
{
  widened_tag const d;
  using vectors = narrow_vectors<S, widened_tag>;
  auto const at = [&](std::size_t k, std::size_t c) { return to.at[c] + static_cast<std::ptrdiff_t>(k) * to.step; };
  std::size_t const end = first + steps;
  if (to.neighbours) {
    S lanes_there[narrow_lanes];
    std::size_t const ahead = fetched_ahead(to.step);
    for (std::size_t k = first; k < end; ++k, from += narrow_lanes) {
      __builtin_prefetch(at(k + ahead, 0), 1, 3);
      S* const those = to.width < narrow_lanes ? lanes_there : at(k, 0);
      for (std::size_t c = 0; c < narrow_lanes; c += hn::Lanes(d)) vectors::store(hn::Load(d, from + c), those + c);
      if (to.width < narrow_lanes) std::copy_n(lanes_there, to.width, at(k, 0));
    }
  } else {
    bool const backward = to.step == -1;
    std::size_t k = first;
    if (to.step == 1 || backward) {
      std::size_t const whole = std::min(end, all_have_to(to));
      for (; k + 4 <= whole; k += 4, from += 4 * narrow_lanes) {
        for (std::size_t c = 0; c < to.width; c += 4) {
          four value[4];
          HWY_UNROLL(4)
          for (std::size_t i = 0; i < 4; ++i) value[i] = hn::Load(four_tag{}, from + i * narrow_lanes + c);
          transpose_four(value);
          for (std::size_t i = 0; i < 4 && c + i < to.width; ++i) {
            four const row = backward ? hn::Reverse(four_tag{}, value[i]) : value[i];
            narrow_vectors<S, four_tag>::store(row, at(backward ? k + 3 : k, c + i));
          }
        }
      }
    }
    for (; k < end; ++k, from += narrow_lanes)
      for (std::size_t c = 0; c < to.width; ++c)
        if (to.sizes == nullptr || k < to.sizes[c]) *at(k, c) = static_cast<S>(from[c]);
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
  recurrence_columns<float, order::group<affine<half>>, narrow_lanes>(job).run();
}

}  // namespace tally::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
