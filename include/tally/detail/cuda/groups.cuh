#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

/// The groups of the order as they are stored in memory, and as a lane holds them.
namespace tally::cuda_backend {

/// The widest word that divides a group of `Bytes` bytes.
template <std::size_t Bytes>
using widest_word = std::conditional_t<
    Bytes % 16 == 0, uint4,
    std::conditional_t<Bytes % 8 == 0, uint2,
                       std::conditional_t<Bytes % 4 == 0, std::uint32_t,
                                          std::conditional_t<Bytes % 2 == 0, std::uint16_t, std::uint8_t>>>>;

/// On fibers: fails unless a word's place is aligned, as a GPU does.
#ifdef __CUDACC__
__device__ __forceinline__ void check_word(void const*, std::size_t) {}
#else
void check_word(void const* place, std::size_t bytes);  // tests/fibers defines it
#endif

/// A store that the compiler does not move, so that a warp's lines are written one after the other. Measured: .977 of
/// the copy at 2^28 floats, where stores that the compiler arranges reach .945.
template <class Word>
__device__ __forceinline__ void store_in_order(Word* to, Word const& word)
{
  check_word(to, sizeof(Word));
#ifdef __CUDACC__
  if constexpr (sizeof(Word) == 16)
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(word.x), "r"(word.y), "r"(word.z),
                 "r"(word.w)
                 : "memory");
  else
#endif
    *to = word;
}

/// The elements of one group as they are stored, packed into registers: sixteen bytes take four registers, not sixteen.
template <class S, int Count>
class packed_group {
public:
  static constexpr std::size_t bytes = sizeof(S) * Count;
  using word = widest_word<bytes>;

  /// `from` is aligned to `word`.
  __device__ __forceinline__ void load_aligned(S const* from)
  {
    check_word(from, sizeof(word));
    word pieces[bytes / sizeof(word)];
#pragma unroll
    for (std::size_t k = 0; k < bytes / sizeof(word); ++k) pieces[k] = reinterpret_cast<word const*>(from)[k];
    memcpy(parts_, pieces, bytes);
  }
  __device__ __forceinline__ void store_aligned(S* to) const
  {
    word pieces[bytes / sizeof(word)];
    memcpy(pieces, parts_, bytes);
#pragma unroll
    for (std::size_t k = 0; k < bytes / sizeof(word); ++k) store_in_order(reinterpret_cast<word*>(to) + k, pieces[k]);
  }
  /// Where stores need no order: to shared memory.
  __device__ __forceinline__ void write_aligned(S* to) const
  {
    check_word(to, sizeof(word));
    word pieces[bytes / sizeof(word)];
    memcpy(pieces, parts_, bytes);
#pragma unroll
    for (std::size_t k = 0; k < bytes / sizeof(word); ++k) reinterpret_cast<word*>(to)[k] = pieces[k];
  }
  /// `value` is a copy: of a reference to memory, the bytes would be loaded one by one.
  __device__ __forceinline__ void set(int k, S value)
  {
    if constexpr (sizeof(S) < 4 && 4 % sizeof(S) == 0) {
      constexpr int per_part = 4 / sizeof(S);
      std::conditional_t<sizeof(S) == 1, std::uint8_t, std::uint16_t> bits;
      memcpy(&bits, &value, sizeof(S));
      int const shift = k % per_part * 8 * static_cast<int>(sizeof(S));
      std::uint32_t const own = static_cast<std::uint32_t>(bits) << shift;
      parts_[k / per_part] = k % per_part == 0 ? own : parts_[k / per_part] | own;
    } else {
      memcpy(reinterpret_cast<char*>(parts_) + k * sizeof(S), &value, sizeof(S));
    }
  }
  __device__ __forceinline__ S get(int k) const
  {
    S value;
    if constexpr (sizeof(S) < 4 && 4 % sizeof(S) == 0) {
      constexpr int per_part = 4 / sizeof(S);
      using bits_of = std::conditional_t<sizeof(S) == 1, std::uint8_t, std::uint16_t>;
      auto const bits = static_cast<bits_of>(parts_[k / per_part] >> (k % per_part * 8 * static_cast<int>(sizeof(S))));
      memcpy(&value, &bits, sizeof(S));
    } else {
      memcpy(&value, reinterpret_cast<char const*>(parts_) + k * sizeof(S), sizeof(S));
    }
    return value;
  }
  /// Hides the elements' values from the compiler. It would otherwise keep each element unpacked in a register of its
  /// own from the first use to the last.
  __device__ __forceinline__ void keep_packed()
  {
#pragma unroll
    for (std::uint32_t& part : parts_) asm volatile("" : "+r"(part));
  }

  /// The same elements, from the last to the first if `backwards`. Selections: a branch between the loads of several
  /// groups would have each wait for the one before.
  __device__ __forceinline__ packed_group reversed_if(bool backwards) const
  {
    packed_group result = *this;
    if constexpr (sizeof(S) < 4 && bytes % 4 == 0 && 4 % sizeof(S) == 0) {
      unsigned const selector = !backwards ? 0x3210 : sizeof(S) == 1 ? 0x0123 : 0x1032;
#pragma unroll
      for (std::size_t k = 0; k < bytes / 4; ++k)
        result.parts_[k] = __byte_perm(backwards ? parts_[bytes / 4 - 1 - k] : parts_[k], 0, selector);
    } else if constexpr (Count > 1) {
      packed_group turned;
#pragma unroll
      for (int k = 0; k < Count; ++k) turned.set(k, get(Count - 1 - k));
      result.assign_if(backwards, turned);
    }
    return result;
  }

  __device__ __forceinline__ std::uint32_t part(int k) const { return parts_[k]; }
  __device__ __forceinline__ void set_part(int k, std::uint32_t value) { parts_[k] = value; }

  /// Assigns `other` if `condition`: a selection that leaves both in registers.
  __device__ __forceinline__ void assign_if(bool condition, packed_group const& other)
  {
#pragma unroll
    for (std::size_t k = 0; k < (bytes + 3) / 4; ++k) parts_[k] = condition ? other.parts_[k] : parts_[k];
  }

private:
  std::uint32_t parts_[(bytes + 3) / 4];
};

}  // namespace tally::cuda_backend
