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

#include "src/cpu/some_lanes-inl.hpp"
#include "src/cpu/vectors-inl.hpp"
#include "tally/detail/cpu/recurrences.hpp"

HWY_BEFORE_NAMESPACE();
namespace tally::cpu_backend::HWY_NAMESPACE {

/// Sixteen bytes of one sequence: some steps of it.
template <class T>
inline constexpr std::size_t block_steps = lanes_per_block<T>;
template <class T>
using block_tag = hn::FixedTag<T, block_steps<T>>;
template <class T>
using block = hn::Vec<block_tag<T>>;

/// The vector whose 16-byte blocks are load(i), load(i + block_steps), ...: those of lanes i, i + block_steps, ...
template <class T, class Load>
HWY_INLINE vector<T> blocks_of_lanes(std::size_t i, Load const& load)
{
  vector_tag<T> d;
  constexpr std::size_t next = block_steps<T>;
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  (void)d;
  if constexpr (sizeof(T) == 4) {
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
  if constexpr (blocks<T> == 1) {
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
template <class T, class Store>
HWY_INLINE void store_blocks(std::size_t i, vector<T> v, Store const& store)
{
  constexpr std::size_t next = block_steps<T>;
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  if constexpr (sizeof(T) == 4) {
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
  if constexpr (blocks<T> == 1) {
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
template <int Step, class T>
HWY_INLINE block<T> load_some_steps(T const* from, std::size_t present)
{
  block_tag<T> d;
  constexpr std::size_t size = block_steps<T>;
  if constexpr (has_masks<T>) {
    if constexpr (Step > 0) return hn::MaskedLoad(hn::FirstN(d, present), d, from);
    return hn::MaskedLoad(hn::Not(hn::FirstN(d, size - present)), d, from - (size - 1));
  } else {
    HWY_ALIGN T buffer[size] = {};
    for (std::size_t k = 0; k < present; ++k)
      buffer[Step > 0 ? k : size - 1 - k] = from[Step * static_cast<std::ptrdiff_t>(k)];
    return hn::Load(d, buffer);
  }
}
template <int Step, class T>
HWY_INLINE void store_some_steps(block<T> v, T* to, std::size_t present)
{
  block_tag<T> d;
  constexpr std::size_t size = block_steps<T>;
  if constexpr (has_masks<T>) {
    if constexpr (Step > 0)
      hn::BlendedStore(v, hn::FirstN(d, present), d, to);
    else
      hn::BlendedStore(v, hn::Not(hn::FirstN(d, size - present)), d, to - (size - 1));
  } else {
    HWY_ALIGN T buffer[size];
    hn::Store(v, d, buffer);
    for (std::size_t k = 0; k < present; ++k)
      to[Step * static_cast<std::ptrdiff_t>(k)] = buffer[Step > 0 ? k : size - 1 - k];
  }
}

/// The memory at which a block begins whose first step is at `first`.
template <int Step, class T>
HWY_INLINE T* begin_of_block(T* first)
{
  return Step > 0 ? first : first - (block_steps<T> - 1);
}

/// The first steps of sequences at regular distances.
template <class T>
struct regular_places {
  T* first;
  std::ptrdiff_t distance;

  HWY_INLINE T* operator[](std::size_t lane) const { return first + static_cast<std::ptrdiff_t>(lane) * distance; }
};

/// Sequences of any sizes at any places.
template <class T>
struct lane_places {
  T const* a[lanes<T>];
  T const* b[lanes<T>];
  T* out[lanes<T>];
  std::size_t size[lanes<T>];
  std::size_t shortest = static_cast<std::size_t>(-1);

  void set(std::size_t i, recurrence_lane<T> const& of, std::size_t own_size)
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
    return std::min(size[i] > k ? size[i] - k : 0, block_steps<T>);
  }
};

/// Reads a block of each lane from `load(lane)` and stores its steps one after the other.
template <int Step, class T, class Load>
HWY_INLINE void read_blocks(T* to, Load const& load)
{
  vector_tag<T> d;
  constexpr std::size_t size = block_steps<T>;
  vector<T> v[size];
  HWY_UNROLL(4)
  for (std::size_t i = 0; i < size; ++i) v[i] = blocks_of_lanes<T>(i, load);
  transpose<T>(v);
  HWY_UNROLL(4)
  for (std::size_t i = 0; i < size; ++i) hn::Store(v[Step > 0 ? i : size - 1 - i], d, to + i * lanes<T>);
}
template <int Step, class T, class Store>
HWY_INLINE void write_blocks(T const* from, Store const& store)
{
  vector_tag<T> d;
  constexpr std::size_t size = block_steps<T>;
  vector<T> v[size];
  HWY_UNROLL(4)
  for (std::size_t i = 0; i < size; ++i) v[Step > 0 ? i : size - 1 - i] = hn::Load(d, from + i * lanes<T>);
  transpose<T>(v);
  HWY_UNROLL(4)
  for (std::size_t i = 0; i < size; ++i) store_blocks<T>(i, v[i], store);
}

/// `size` steps of sequences that have as many: those of step k become the vector at to + k * lanes<T>. `to` has room
/// for whole blocks.
template <int Step, class T>
HWY_INLINE void read_equal(regular_places<T const> from, std::size_t size, T* to)
{
  block_tag<T> d;
  constexpr std::size_t steps = block_steps<T>;
  std::size_t k = 0;
  for (; k + steps <= size; k += steps) {
    std::ptrdiff_t const offset = Step * static_cast<std::ptrdiff_t>(k);
    read_blocks<Step, T>(to + k * lanes<T>, [&](std::size_t lane) HWY_ATTR {
      return hn::LoadU(d, begin_of_block<Step>(from[lane] + offset));
    });
  }
  if (k == size) return;
  std::ptrdiff_t const offset = Step * static_cast<std::ptrdiff_t>(k);
  read_blocks<Step, T>(to + k * lanes<T>, [&](std::size_t lane) HWY_ATTR {
    return load_some_steps<Step, T>(from[lane] + offset, size - k);
  });
}
template <int Step, class T>
HWY_INLINE void write_equal(regular_places<T> to, std::size_t size, T const* from)
{
  block_tag<T> d;
  constexpr std::size_t steps = block_steps<T>;
  std::size_t k = 0;
  for (; k + steps <= size; k += steps) {
    std::ptrdiff_t const offset = Step * static_cast<std::ptrdiff_t>(k);
    write_blocks<Step, T>(from + k * lanes<T>, [&](std::size_t lane, block<T> v) HWY_ATTR {
      hn::StoreU(v, d, begin_of_block<Step>(to[lane] + offset));
    });
  }
  if (k == size) return;
  std::ptrdiff_t const offset = Step * static_cast<std::ptrdiff_t>(k);
  write_blocks<Step, T>(from + k * lanes<T>, [&](std::size_t lane, block<T> v) HWY_ATTR {
    store_some_steps<Step, T>(v, to[lane] + offset, size - k);
  });
}

/// Steps [first, first + size) of sequences of any sizes. Those that a sequence does not have are zeros.
template <int Step, class T>
HWY_INLINE void read_any(T const* const* from, lane_places<T> const& places, std::size_t first, std::size_t size, T* to)
{
  block_tag<T> d;
  constexpr std::size_t steps = block_steps<T>;
  for (std::size_t k = 0; k < size; k += steps) {
    std::ptrdiff_t const offset = Step * static_cast<std::ptrdiff_t>(first + k);
    if (first + k + steps <= places.shortest) {
      read_blocks<Step, T>(to + k * lanes<T>, [&](std::size_t lane) HWY_ATTR {
        return hn::LoadU(d, begin_of_block<Step>(from[lane] + offset));
      });
    } else {
      read_blocks<Step, T>(to + k * lanes<T>, [&](std::size_t lane) HWY_ATTR {
        return load_some_steps<Step, T>(from[lane] + offset, places.present(lane, first + k));
      });
    }
  }
}
template <int Step, class T>
HWY_INLINE void write_any(lane_places<T> const& places, std::size_t first, std::size_t size, T const* from)
{
  block_tag<T> d;
  constexpr std::size_t steps = block_steps<T>;
  for (std::size_t k = 0; k < size; k += steps) {
    std::ptrdiff_t const offset = Step * static_cast<std::ptrdiff_t>(first + k);
    if (first + k + steps <= places.shortest) {
      write_blocks<Step, T>(from + k * lanes<T>, [&](std::size_t lane, block<T> v) HWY_ATTR {
        hn::StoreU(v, d, begin_of_block<Step>(places.out[lane] + offset));
      });
    } else {
      write_blocks<Step, T>(from + k * lanes<T>, [&](std::size_t lane, block<T> v) HWY_ATTR {
        store_some_steps<Step, T>(v, places.out[lane] + offset, places.present(lane, first + k));
      });
    }
  }
}

}  // namespace tally::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
