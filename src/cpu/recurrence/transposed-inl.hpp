// Sequences in memory as lanes of vectors, and back.
#if defined(TALLY_CPU_RECURRENCE_TRANSPOSED_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TALLY_CPU_RECURRENCE_TRANSPOSED_INL
#undef TALLY_CPU_RECURRENCE_TRANSPOSED_INL
#else
#define TALLY_CPU_RECURRENCE_TRANSPOSED_INL
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "src/cpu/recurrence/stored-inl.hpp"
#include "src/cpu/some_lanes-inl.hpp"
#include "src/cpu/vectors-inl.hpp"
#include "tally/detail/cpu/recurrences.hpp"

HWY_BEFORE_NAMESPACE();
namespace tally::cpu_backend::HWY_NAMESPACE {

/// Some steps of one sequence: sixteen bytes of states.
template <class S>
inline constexpr std::size_t block_steps = lanes_per_block<state<S>>;
/// The elements in memory of which they are made.
template <class S>
using block_tag = hn::FixedTag<raw<S>, block_steps<S>>;
template <class S>
using block = hn::Vec<block_tag<S>>;

/// Blocks of elements of two bytes, side by side: load(i), load(i + block_steps), ...
template <class S, class Load>
HWY_INLINE hn::Vec<stored_tag<S>> narrow_blocks_of_lanes(std::size_t i, Load const& load)
{
  constexpr std::size_t next = block_steps<S>, count = blocks<state<S>>;
  if constexpr (count == 1) {
    return load(i);
  } else {
    hn::FixedTag<raw<S>, 2 * next> two;
    auto const low = hn::Combine(two, load(i + next), load(i));
    if constexpr (count == 2) {
      return low;
    } else {
      static_assert(count == 4);
      return hn::Combine(stored_tag<S>{}, hn::Combine(two, load(i + 3 * next), load(i + 2 * next)), low);
    }
  }
}
template <class S, class Store>
HWY_INLINE void store_narrow_blocks(std::size_t i, hn::Vec<stored_tag<S>> v, Store const& store)
{
  constexpr std::size_t next = block_steps<S>, count = blocks<state<S>>;
  block_tag<S> one;
  auto const store_two = [&](std::size_t first, auto both) HWY_ATTR {
    store(first, hn::LowerHalf(one, both));
    store(first + next, hn::UpperHalf(one, both));
  };
  if constexpr (count == 1) {
    store(i, v);
  } else if constexpr (count == 2) {
    store_two(i, v);
  } else {
    static_assert(count == 4);
    hn::FixedTag<raw<S>, 2 * next> two;
    store_two(i, hn::LowerHalf(two, v));
    store_two(i + 2 * next, hn::UpperHalf(two, v));
  }
}

/// The vector whose 16-byte blocks are load(i), load(i + block_steps), ...: those of lanes i, i + block_steps, ...
template <class S, class Load>
HWY_INLINE vector<state<S>> blocks_of_lanes(std::size_t i, Load const& load)
{
  using T = state<S>;
  vector_tag<T> d;
  constexpr std::size_t next = block_steps<T>;
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  (void)d;
  if constexpr (is_narrow<S>) {
    return widened<S>(narrow_blocks_of_lanes<S>(i, load));
  } else if constexpr (sizeof(T) == 4) {
    auto v = _mm512_castps128_ps512(load(i).raw);
    v = _mm512_insertf32x4(v, load(i + next).raw, 1);
    v = _mm512_insertf32x4(v, load(i + 2 * next).raw, 2);
    return vector<T>{_mm512_insertf32x4(v, load(i + 3 * next).raw, 3)};
  } else {
    auto v = _mm512_castpd128_pd512(load(i).raw);
    v = _mm512_insertf64x2(v, load(i + next).raw, 1);
    v = _mm512_insertf64x2(v, load(i + 2 * next).raw, 2);
    return vector<T>{_mm512_insertf64x2(v, load(i + 3 * next).raw, 3)};
  }
#else
  if constexpr (is_narrow<S>) {
    (void)d;
    (void)next;
    return widened<S>(narrow_blocks_of_lanes<S>(i, load));
  } else if constexpr (blocks<T> == 1) {
    (void)d;
    (void)next;
    return load(i);
  } else {
    static_assert(blocks<T> == 2);
    return hn::Combine(d, load(i + next), load(i));
  }
#endif
}

/// Calls store(lane, its block) for the lanes of these blocks.
template <class S, class Store>
HWY_INLINE void store_blocks(std::size_t i, vector<state<S>> v, Store const& store)
{
  using T = state<S>;
  constexpr std::size_t next = block_steps<T>;
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  if constexpr (is_narrow<S>) {
    (void)next;
    store_narrow_blocks<S>(i, rounded<S>(v), store);
  } else if constexpr (sizeof(T) == 4) {
    store(i, block<T>{_mm512_castps512_ps128(v.raw)});
    store(i + next, block<T>{_mm512_extractf32x4_ps(v.raw, 1)});
    store(i + 2 * next, block<T>{_mm512_extractf32x4_ps(v.raw, 2)});
    store(i + 3 * next, block<T>{_mm512_extractf32x4_ps(v.raw, 3)});
  } else {
    store(i, block<T>{_mm512_castpd512_pd128(v.raw)});
    store(i + next, block<T>{_mm512_extractf64x2_pd(v.raw, 1)});
    store(i + 2 * next, block<T>{_mm512_extractf64x2_pd(v.raw, 2)});
    store(i + 3 * next, block<T>{_mm512_extractf64x2_pd(v.raw, 3)});
  }
#else
  if constexpr (is_narrow<S>) {
    (void)next;
    store_narrow_blocks<S>(i, rounded<S>(v), store);
  } else if constexpr (blocks<T> == 1) {
    (void)next;
    store(i, v);
  } else {
    block_tag<T> half;
    store(i, hn::LowerHalf(half, v));
    store(i + next, hn::UpperHalf(half, v));
  }
#endif
}

/// The first `present` steps of a block, at most all, whose first step is at `from`; the others are zeros. No branch
/// depends on `present` where there are masks: sizes of neighbours are hard to predict.
template <int Step, class S>
HWY_INLINE block<S> load_some_steps(S const* from, std::size_t present)
{
  block_tag<S> d;
  constexpr std::size_t size = block_steps<S>;
  if constexpr (has_masks<raw<S>>) {
    if constexpr (Step > 0) return hn::MaskedLoad(hn::FirstN(d, present), d, raw_at(from));
    return hn::MaskedLoad(hn::Not(hn::FirstN(d, size - present)), d, raw_at(from - (size - 1)));
  } else if constexpr (is_narrow<S>) {
    hn::FixedTag<std::uint64_t, 1> one_word;
    std::uint64_t const word = word_of(from, Step, present);
    auto const first = hn::BitCast(d, hn::Set(one_word, word));
    return Step > 0 ? first : hn::Reverse(d, first);
  } else {
    HWY_ALIGN raw<S> buffer[size] = {};
    for (std::size_t k = 0; k < present; ++k)
      buffer[Step > 0 ? k : size - 1 - k] = *raw_at(from + Step * static_cast<std::ptrdiff_t>(k));
    return hn::Load(d, buffer);
  }
}
template <int Step, class S>
HWY_INLINE void store_some_steps(block<S> v, S* to, std::size_t present)
{
  block_tag<S> d;
  constexpr std::size_t size = block_steps<S>;
  if constexpr (has_masks<raw<S>>) {
    if constexpr (Step > 0)
      hn::BlendedStore(v, hn::FirstN(d, present), d, raw_at(to));
    else
      hn::BlendedStore(v, hn::Not(hn::FirstN(d, size - present)), d, raw_at(to - (size - 1)));
  } else if constexpr (is_narrow<S>) {
    hn::FixedTag<std::uint64_t, 1> one_word;
    store_word(hn::GetLane(hn::BitCast(one_word, Step > 0 ? v : hn::Reverse(d, v))), to, Step, present);
  } else {
    HWY_ALIGN raw<S> buffer[size];
    hn::Store(v, d, buffer);
    for (std::size_t k = 0; k < present; ++k)
      *raw_at(to + Step * static_cast<std::ptrdiff_t>(k)) = buffer[Step > 0 ? k : size - 1 - k];
  }
}

/// The memory at which a block begins whose first step is at `first`.
template <int Step, class S>
HWY_INLINE auto* begin_of_block(S* first)
{
  return raw_at(Step > 0 ? first : first - (block_steps<std::remove_const_t<S>> - 1));
}

/// Sequences of any sizes at any places.
template <class S>
struct lane_places {
  static constexpr std::size_t count = lanes<state<S>>;
  S const* a[count];
  S const* b[count];
  S* out[count];
  std::size_t size[count];
  std::size_t shortest = static_cast<std::size_t>(-1);

  void set(std::size_t i, recurrence_lane<S> const& of, std::size_t own_size)
  {
    a[i] = of.a;
    b[i] = of.b;
    out[i] = of.out;
    size[i] = own_size;
    shortest = std::min(shortest, own_size);
  }
  /// Steps of lane i in the block at step k.
  HWY_INLINE std::size_t present(std::size_t i, std::size_t k) const
  {
    return std::min(size[i] > k ? size[i] - k : 0, block_steps<S>);
  }
};

}  // namespace tally::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
