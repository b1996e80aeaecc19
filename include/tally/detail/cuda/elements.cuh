#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <type_traits>

#include "tally/operators/arithmetic.hpp"
#include "tally/order.hpp"

/// Reads and writes the groups of the order: as they are stored in memory, as a lane holds them, and as the operator
/// sees them.
namespace tally::cuda_backend {

/// The widest word that divides a group of `Bytes` bytes.
template <std::size_t Bytes>
using widest_word = std::conditional_t<
    Bytes % 16 == 0, uint4,
    std::conditional_t<Bytes % 8 == 0, uint2,
                       std::conditional_t<Bytes % 4 == 0, std::uint32_t,
                                          std::conditional_t<Bytes % 2 == 0, std::uint16_t, std::uint8_t>>>>;

/// A store that the compiler does not move, so that a warp's lines are written one after the other. Measured: .977 of
/// the copy at 2^28 floats, where stores that the compiler arranges reach .945.
template <class Word>
__device__ __forceinline__ void store_in_order(Word* to, Word const& word)
{
  if constexpr (sizeof(Word) == 16)
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(word.x), "r"(word.y), "r"(word.z),
                 "r"(word.w)
                 : "memory");
  else
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
  __device__ __forceinline__ void set(int k, S const& value)
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

/// A stored element as the operator sees it: transformed, converted to T, and widened to the type in which T is
/// combined.
template <class T, class Transform, class Stored>
__device__ __forceinline__ working_type<T> element_of(Stored const& stored, Transform& transform)
{
  if constexpr (std::is_same_v<Transform, std::identity>)
    return static_cast<working_type<T>>(static_cast<T>(stored));
  else
    return static_cast<working_type<T>>(static_cast<T>(transform(stored)));
}

/// Whether a lane may read and write several elements of the iterator at a time.
template <class I>
inline constexpr bool is_plain = std::is_pointer_v<I> && std::is_trivially_copyable_v<std::iter_value_t<I>>;

/// Whether a pointer is aligned for whole groups. False for other iterators, which are read element by element.
template <class T, class I>
__host__ __device__ inline bool aligned_for_groups(I const& i)
{
  if constexpr (is_plain<I>) {
    using word = typename packed_group<std::iter_value_t<I>, static_cast<int>(order::group<T>)>::word;
    return reinterpret_cast<std::uintptr_t>(i) % alignof(word) == 0;
  } else {
    return false;
  }
}

/// Whether the bytes of a group are added up without unpacking them. Their sums wrap, so any bracketing has the same
/// bits.
template <class T, class Stored, class Op, class Transform>
inline constexpr bool sums_packed_bytes = sizeof(T) == 1 && std::is_integral_v<T> && std::is_same_v<T, Stored> &&
                                          std::is_same_v<Op, plus> && std::is_same_v<Transform, std::identity>;

template <class T, int Count>
__device__ __forceinline__ T total_of_bytes(packed_group<T, Count> const& bytes)
{
  std::uint32_t sum = 0;
#pragma unroll
  for (int k = 0; k < Count / 4; ++k) sum = __dp4a(bytes.part(k), 0x01010101u, sum);
  return static_cast<T>(sum);
}

/// One lane's groups of `Rows` rows, as they are stored. They can be read more than once.
template <class T, class In, int Rows>
class stored_rows {
public:
  using element = T;
  using stored = std::remove_cv_t<std::iter_value_t<In>>;
  static constexpr int group = static_cast<int>(order::group<T>);

  /// Loads the groups that begin at `first`, a row apart. Elements from `end` on do not exist: the last element stands
  /// for them, since the operator may be called with it.
  __device__ __forceinline__ void load(In const& in, std::size_t first, std::size_t end, bool aligned)
  {
    if (aligned && first - first % order::row<T> + Rows * order::row<T> <= end) {
      if constexpr (is_plain<In>) {
#pragma unroll
        for (int r = 0; r < Rows; ++r) groups_[r].load_aligned(in + first + r * order::row<T>);
      }
    } else {
#pragma unroll
      for (int r = 0; r < Rows; ++r) {
#pragma unroll
        for (int j = 0; j < group; ++j) {
          std::size_t const k = first + r * order::row<T> + j;
          using distance = std::iter_difference_t<In>;
          groups_[r].set(j, static_cast<stored>(in[static_cast<distance>(k < end ? k : end - 1)]));
        }
      }
    }
  }

  template <class Transform>
  __device__ __forceinline__ working_type<T> get(int row, int k, Transform& transform) const
  {
    return element_of<T>(groups_[row].get(k), transform);
  }
  __device__ __forceinline__ void keep_packed()
  {
#pragma unroll
    for (auto& group : groups_) group.keep_packed();
  }

  __device__ __forceinline__ packed_group<stored, group> const& packed(int row) const { return groups_[row]; }
  /// The total of the lane's group in a row.
  template <class Op, class Transform>
  __device__ __forceinline__ working_type<T> total(int row, Transform& transform, Op& op) const
  {
    if constexpr (sums_packed_bytes<T, stored, Op, Transform>) {
      return total_of_bytes<T>(groups_[row]);
    } else {
      auto result = get(row, 0, transform);
#pragma unroll
      for (int j = 1; j < group; ++j) result = static_cast<working_type<T>>(op(result, get(row, j, transform)));
      return result;
    }
  }

  __device__ __forceinline__ packed_group<stored, group> last() const { return groups_[Rows - 1]; }
  /// The group of row `row`, which need not be a constant.
  __device__ __forceinline__ packed_group<stored, group> select(int row) const
  {
    packed_group<stored, group> selected = groups_[0];
#pragma unroll
    for (int r = 1; r < Rows; ++r) selected.assign_if(r == row, groups_[r]);
    return selected;
  }

private:
  packed_group<stored, group> groups_[Rows];
};

}  // namespace tally::cuda_backend
