// Lane movements and operators on vectors, for one instruction set: Highway includes this file once for each.
#if defined(TALLY_CPU_VECTORS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TALLY_CPU_VECTORS_INL
#undef TALLY_CPU_VECTORS_INL
#else
#define TALLY_CPU_VECTORS_INL
#endif

#include <hwy/highway.h>

#include <bit>
#include <cstddef>
#include <type_traits>

#include "tally/operators/arithmetic.hpp"

HWY_BEFORE_NAMESPACE();
namespace tally::cpu_backend::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Instruction sets without a fixed vector length are used 16 bytes at a time.
#if HWY_HAVE_SCALABLE
template <class T>
using vector_tag = hn::FixedTag<T, 16 / sizeof(T)>;
#else
template <class T>
using vector_tag = hn::ScalableTag<T>;
#endif

template <class T>
using vector = hn::Vec<vector_tag<T>>;

// A row, and its pieces. Other work is done between the pieces.
inline constexpr std::size_t row_bytes = 512;
inline constexpr std::size_t piece_bytes = 128;
inline constexpr std::size_t pieces = row_bytes / piece_bytes;

template <class T>
inline constexpr std::size_t lanes = hn::MaxLanes(vector_tag<T>{});
template <class T>
inline constexpr std::size_t lanes_per_block = 16 / sizeof(T);
template <class T>
inline constexpr std::size_t blocks = lanes<T> / lanes_per_block<T>;

/// log2 of a power of two.
template <std::size_t N>
inline constexpr std::size_t log2_of = 1 + log2_of<N / 2>;
template <>
inline constexpr std::size_t log2_of<1> = 0;

/// Blocks `Odd`, `Odd` + 2, ... of `a`, then those of `b`.
template <std::size_t Odd, class T>
HWY_INLINE vector<T> alternate_blocks(vector<T> a, vector<T> b)
{
  vector_tag<T> d;
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  hn::Repartition<double, decltype(d)> pairs;
  auto const x = hn::BitCast(pairs, a);
  auto const y = hn::BitCast(pairs, b);
  return hn::BitCast(d, hn::Vec<decltype(pairs)>{_mm512_shuffle_f64x2(x.raw, y.raw, Odd == 0 ? 0x88 : 0xDD)});
#else
  static_assert(blocks<T> == 2);
  return Odd == 0 ? hn::ConcatLowerLower(d, b, a) : hn::ConcatUpperUpper(d, b, a);
#endif
}

/// In each block lanes `Odd`, `Odd` + 2, ... of `a`, then those of `b`.
template <std::size_t Odd, class T>
HWY_INLINE vector<T> alternate_in_blocks(vector<T> a, vector<T> b)
{
  vector_tag<T> d;
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  if constexpr (sizeof(T) == 8)
    return Odd == 0 ? hn::InterleaveLower(d, a, b) : hn::InterleaveUpper(d, a, b);
  else if constexpr (blocks<T> == 1)
    return Odd == 0 ? hn::ConcatEven(d, b, a) : hn::ConcatOdd(d, b, a);
  else {
    hn::Repartition<float, decltype(d)> floats;
    auto const x = hn::BitCast(floats, a);
    auto const y = hn::BitCast(floats, b);
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
    return hn::BitCast(d, hn::Vec<decltype(floats)>{_mm512_shuffle_ps(x.raw, y.raw, Odd == 0 ? 0x88 : 0xDD)});
#elif HWY_TARGET <= HWY_AVX2 && HWY_ARCH_X86
    return hn::BitCast(d, hn::Vec<decltype(floats)>{_mm256_shuffle_ps(x.raw, y.raw, Odd == 0 ? 0x88 : 0xDD)});
#else
    auto const low = hn::InterleaveLower(floats, x, y);
    auto const high = hn::InterleaveUpper(floats, x, y);
    return hn::BitCast(d, Odd == 0 ? hn::InterleaveLower(floats, low, high) : hn::InterleaveUpper(floats, low, high));
#endif
  }
}

/// All 16-byte blocks of `current`, moved up by `Count` blocks; the topmost blocks of `previous` fill the lowest.
template <std::size_t Count, class T>
HWY_INLINE vector<T> shift_in_blocks(vector<T> previous, vector<T> current)
{
  if constexpr (Count == 0) {
    return current;
  } else if constexpr (Count >= blocks<T>) {
    static_assert(Count == blocks<T>);
    return previous;
  } else {
    vector_tag<T> d;
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
    hn::RebindToUnsigned<decltype(d)> du;
    hn::Repartition<std::uint64_t, decltype(du)> d64;
    auto const moved =
        _mm512_alignr_epi64(hn::BitCast(d64, current).raw, hn::BitCast(d64, previous).raw, 8 - 2 * Count);
    return hn::BitCast(d, hn::Vec<decltype(d64)>{moved});
#else
    return hn::ConcatLowerUpper(d, current, previous);
#endif
  }
}

/// Every 16-byte block of `current`, moved up by `Count` lanes and filled with the topmost lanes of the same block of
/// `previous`. Three units of Zen 4 take a shuffle of 8 bytes, and two take a shift of bytes, whose result comes a
/// cycle later.
template <std::size_t Count, class T>
HWY_INLINE vector<T> shift_in_each_block(vector<T> previous, vector<T> current)
{
  constexpr std::size_t bytes = Count * sizeof(T);
  static_assert(bytes < 16);
  vector_tag<T> d;
#if HWY_ARCH_X86
  if constexpr (bytes == 8) {
    hn::Repartition<double, decltype(d)> pairs;
    auto const x = hn::BitCast(pairs, previous);
    auto const y = hn::BitCast(pairs, current);
#if HWY_TARGET <= HWY_AVX3
    return hn::BitCast(d, hn::Vec<decltype(pairs)>{_mm512_shuffle_pd(x.raw, y.raw, 0x55)});
#elif HWY_TARGET <= HWY_AVX2
    return hn::BitCast(d, hn::Vec<decltype(pairs)>{_mm256_shuffle_pd(x.raw, y.raw, 5)});
#else
    return hn::BitCast(d, hn::Vec<decltype(pairs)>{_mm_shuffle_pd(x.raw, y.raw, 1)});
#endif
  }
#endif
  hn::Repartition<std::uint8_t, decltype(d)> d8;
  return hn::BitCast(d,
                     hn::CombineShiftRightBytes<16 - bytes>(d8, hn::BitCast(d8, current), hn::BitCast(d8, previous)));
}

/// All lanes of `current`, moved up by `Count` lanes; the topmost lanes of `previous` fill the lowest.
template <std::size_t Count, class T>
HWY_INLINE vector<T> shift_in(vector<T> previous, vector<T> current)
{
  constexpr std::size_t bytes = Count * sizeof(T);
  if constexpr (bytes % 16 == 0) {
    return shift_in_blocks<bytes / 16, T>(previous, current);
  } else {
    static_assert(bytes < 16);
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
    if constexpr (sizeof(T) >= 4) {
      vector_tag<T> d;
      hn::Repartition<std::uint32_t, decltype(d)> d32;
      auto const moved =
          _mm512_alignr_epi32(hn::BitCast(d32, current).raw, hn::BitCast(d32, previous).raw, 16 - bytes / 4);
      return hn::BitCast(d, hn::Vec<decltype(d32)>{moved});
    }
#endif
    return shift_in_each_block<Count, T>(shift_in_blocks<1, T>(previous, current), current);
  }
}

/// Element i of block j of each 16 bytes becomes element j of block i: its own inverse.
template <class T>
HWY_INLINE void transpose(vector<T> (&v)[lanes_per_block<T>])
{
  vector_tag<T> d;
  if constexpr (lanes_per_block<T> == 2) {
    auto const low = hn::InterleaveLower(d, v[0], v[1]);
    v[1] = hn::InterleaveUpper(d, v[0], v[1]);
    v[0] = low;
  } else {
    static_assert(lanes_per_block<T> == 4);
    hn::Repartition<double, decltype(d)> pairs;
    auto const a = hn::BitCast(pairs, hn::InterleaveLower(d, v[0], v[1]));
    auto const b = hn::BitCast(pairs, hn::InterleaveLower(d, v[2], v[3]));
    auto const c = hn::BitCast(pairs, hn::InterleaveUpper(d, v[0], v[1]));
    auto const e = hn::BitCast(pairs, hn::InterleaveUpper(d, v[2], v[3]));
    v[0] = hn::BitCast(d, hn::InterleaveLower(pairs, a, b));
    v[1] = hn::BitCast(d, hn::InterleaveUpper(pairs, a, b));
    v[2] = hn::BitCast(d, hn::InterleaveLower(pairs, c, e));
    v[3] = hn::BitCast(d, hn::InterleaveUpper(pairs, c, e));
  }
}

/// The last lane of each block, in all lanes of the block.
template <class T>
HWY_INLINE vector<T> broadcast_in_blocks(vector<T> v)
{
  vector_tag<T> d;
  if constexpr (sizeof(T) == 8) {
    return hn::InterleaveUpper(d, v, v);
  } else if constexpr (sizeof(T) == 4) {
    hn::Repartition<std::uint32_t, decltype(d)> d32;
    return hn::BitCast(d, hn::Broadcast<3>(hn::BitCast(d32, v)));
  } else {
    hn::Repartition<std::uint8_t, decltype(d)> d8;
    alignas(16) static constexpr std::uint8_t last_lane[2][16] = {
        {15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15},
        {14, 15, 14, 15, 14, 15, 14, 15, 14, 15, 14, 15, 14, 15, 14, 15},
    };
    return hn::BitCast(d, hn::TableLookupBytes(hn::BitCast(d8, v), hn::LoadDup128(d8, last_lane[sizeof(T) - 1])));
  }
}

/// Lane i of the result is lane `Pick{}(i)` of `v`.
template <class T, class Pick>
HWY_INLINE vector<T> permute(vector<T> v)
{
  vector_tag<T> d;
  using index = hwy::MakeUnsigned<T>;
  struct table {
    alignas(64) index of[lanes<T>];
  };
  static constexpr table from = [] {
    table t{};
    for (std::size_t i = 0; i < lanes<T>; ++i) t.of[i] = static_cast<index>(Pick::lane(i));
    return t;
  }();
  return hn::TableLookupLanes(v, hn::SetTableIndices(d, from.of));
}

template <class T>
struct pick_last {
  static constexpr std::size_t lane(std::size_t) { return lanes<T> - 1; }
};

/// The last lane, in all lanes.
template <class T>
HWY_INLINE vector<T> broadcast_last(vector<T> v)
{
  if constexpr (sizeof(T) >= 4) {
    return permute<T, pick_last<T>>(v);
  } else {
    vector_tag<T> d;
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
    if constexpr (sizeof(T) == 2)
      return vector<T>{_mm512_permutexvar_epi16(_mm512_set1_epi16(static_cast<short>(lanes<T> - 1)), v.raw)};
#endif
    auto const in_blocks = broadcast_in_blocks<T>(v);
    if constexpr (blocks<T> == 1) {
      return in_blocks;
    } else if constexpr (blocks<T> == 2) {
      return hn::ConcatUpperUpper(d, in_blocks, in_blocks);
    } else {
      hn::Repartition<std::uint64_t, decltype(d)> d64;
      return hn::BitCast(d, broadcast_last<std::uint64_t>(hn::BitCast(d64, in_blocks)));
    }
  }
}

// The operators of tally/operators/arithmetic.hpp on vectors.

template <class T>
HWY_INLINE vector<T> apply(plus, vector<T> a, vector<T> b)
{
  return hn::Add(a, b);
}
template <class T>
HWY_INLINE vector<T> apply(multiplies, vector<T> a, vector<T> b)
{
  if constexpr (sizeof(T) > 1) {
    return hn::Mul(a, b);
  } else {
    // There is no product of bytes: even and odd bytes are the low halves of 16-bit products.
    vector_tag<T> d;
    hn::Repartition<std::uint16_t, decltype(d)> d16;
    auto const x = hn::BitCast(d16, a);
    auto const y = hn::BitCast(d16, b);
    auto const even = hn::And(hn::Mul(x, y), hn::Set(d16, std::uint16_t{0xFF}));
    auto const odd = hn::ShiftLeft<8>(hn::Mul(hn::ShiftRight<8>(x), hn::ShiftRight<8>(y)));
    return hn::BitCast(d, hn::Or(even, odd));
  }
}
template <class T>
HWY_INLINE vector<T> apply(bit_and, vector<T> a, vector<T> b)
{
  return hn::And(a, b);
}
template <class T>
HWY_INLINE vector<T> apply(bit_or, vector<T> a, vector<T> b)
{
  return hn::Or(a, b);
}
template <class T>
HWY_INLINE vector<T> apply(bit_xor, vector<T> a, vector<T> b)
{
  return hn::Xor(a, b);
}

/// The operator that a kernel applies, and how elements enter and leave its domain.
template <class Op, class T>
struct domain {
  static HWY_INLINE vector<T> enter(vector<T> v) { return v; }
  static HWY_INLINE vector<T> leave(vector<T> v) { return v; }
  static HWY_INLINE vector<T> op(vector<T> a, vector<T> b) { return apply<T>(Op{}, a, b); }
};

template <class T>
  requires std::is_integral_v<T>
struct domain<minimum, T> {
  static HWY_INLINE vector<T> enter(vector<T> v) { return v; }
  static HWY_INLINE vector<T> leave(vector<T> v) { return v; }
  static HWY_INLINE vector<T> op(vector<T> a, vector<T> b) { return hn::Min(a, b); }
};
template <class T>
  requires std::is_integral_v<T>
struct domain<maximum, T> {
  static HWY_INLINE vector<T> enter(vector<T> v) { return v; }
  static HWY_INLINE vector<T> leave(vector<T> v) { return v; }
  static HWY_INLINE vector<T> op(vector<T> a, vector<T> b) { return hn::Max(a, b); }
};
// The hardware's minimum gives its second operand if one is NaN or both are zeros. The bits of both orders of operands,
// or-ed, are the result of IEEE 754-2019: a NaN stays a NaN whatever is or-ed into it, and -0.0 | +0.0 = -0.0.
template <class T>
  requires std::is_floating_point_v<T>
struct domain<minimum, T> {
  static HWY_INLINE vector<T> enter(vector<T> v) { return v; }
  static HWY_INLINE vector<T> leave(vector<T> v) { return v; }
  static HWY_INLINE vector<T> op(vector<T> a, vector<T> b) { return hn::Or(hn::Min(a, b), hn::Min(b, a)); }
};
// max(a, b) = -min(-a, -b).
template <class T>
  requires std::is_floating_point_v<T>
struct domain<maximum, T> : domain<minimum, T> {
  static HWY_INLINE vector<T> enter(vector<T> v) { return hn::Xor(v, hn::SignBit(vector_tag<T>{})); }
  static HWY_INLINE vector<T> leave(vector<T> v) { return enter(v); }
};

/// The same as `domain<Op, T>::op`. A kernel does some of its sums so: AMD's processors have two units for sums and two
/// others for fused products, and a * 1 + b is rounded once, to the same value as a + b. With half of the sums of a
/// scan Zen 4 took a tenth to a fifth less time in the cache, and an Intel Xeon as much as before.
template <class Op, class T>
HWY_INLINE vector<T> apply_elsewhere(vector<T> a, vector<T> b)
{
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
  if constexpr (std::is_same_v<Op, plus> && std::is_floating_point_v<T>)
    return hn::MulAdd(a, hn::Set(vector_tag<T>{}, T{1}), b);
#endif
  return domain<Op, T>::op(a, b);
}

}  // namespace tally::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
