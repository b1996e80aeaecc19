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
  /// Where stores need no order: to shared memory.
  __device__ __forceinline__ void write_aligned(S* to) const
  {
    word pieces[bytes / sizeof(word)];
    memcpy(pieces, parts_, bytes);
#pragma unroll
    for (std::size_t k = 0; k < bytes / sizeof(word); ++k) reinterpret_cast<word*>(to)[k] = pieces[k];
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

/// Elements along an axis of an array: element k lies k * step from the first.
template <class S>
struct strided {
  using value_type = std::remove_const_t<S>;
  using difference_type = std::ptrdiff_t;
  using reference = S&;

  S* first;
  std::ptrdiff_t step;

  __host__ __device__ S& operator[](std::ptrdiff_t k) const { return first[k * step]; }
  __host__ __device__ S& operator*() const { return *first; }
};

template <class I>
inline constexpr bool is_strided = false;
template <class S>
inline constexpr bool is_strided<strided<S>> = std::is_trivially_copyable_v<S>;

/// Whether a lane may read and write a group of the iterator's elements at a time, where they are aligned.
template <class I>
inline constexpr bool has_groups = is_plain<I> || is_strided<I>;

/// The place in memory of the group that begins at element `first`, where groups are aligned.
template <int Count, class S>
__device__ __forceinline__ S* place_of_group(strided<S> const& elements, std::size_t first)
{
  auto const k = static_cast<std::ptrdiff_t>(first);
  return elements.first + (elements.step > 0 ? k : -k - (Count - 1));
}
template <class S, int Count, class I>
__device__ __forceinline__ void store_group(packed_group<S, Count> const& group, I const& to, std::size_t first)
{
  if constexpr (is_plain<I>)
    group.store_aligned(to + first);
  else
    group.reversed_if(to.step < 0).store_aligned(place_of_group<Count>(to, first));
}

/// Whether elements lie in memory in groups aligned to be read and written whole. False for iterators that are read
/// element by element.
template <class T, class I>
__host__ __device__ inline bool aligned_for_groups(I const& i)
{
  if constexpr (has_groups<I>) {
    constexpr int group = static_cast<int>(order::group<T>);
    using word = typename packed_group<std::remove_cv_t<std::iter_value_t<I>>, group>::word;
    auto const aligned = [](auto const* p) { return reinterpret_cast<std::uintptr_t>(p) % alignof(word) == 0; };
    if constexpr (is_plain<I>)
      return aligned(i);
    else
      return i.step == 1 ? aligned(i.first) : i.step == -1 && aligned(i.first + 1);
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

/// The elements of a group, combined from the left.
template <class T, class Stored, int Count, class Transform, class Op>
__device__ __forceinline__ working_type<T> group_total(packed_group<Stored, Count> const& group, Transform& transform,
                                                       Op& op)
{
  if constexpr (sums_packed_bytes<T, Stored, Op, Transform>) {
    return total_of_bytes<T>(group);
  } else {
    auto result = element_of<T>(group.get(0), transform);
#pragma unroll
    for (int j = 1; j < Count; ++j)
      result = static_cast<working_type<T>>(op(result, element_of<T>(group.get(j), transform)));
    return result;
  }
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
      if constexpr (is_strided<In>) {
        auto const* const at = place_of_group<group>(in, first);
        std::ptrdiff_t const row =
            in.step < 0 ? -static_cast<std::ptrdiff_t>(order::row<T>) : static_cast<std::ptrdiff_t>(order::row<T>);
#pragma unroll
        for (int r = 0; r < Rows; ++r) groups_[r].load_aligned(at + r * row);
#pragma unroll
        for (int r = 0; r < Rows; ++r) groups_[r] = groups_[r].reversed_if(in.step < 0);
      } else if constexpr (is_plain<In>) {
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
    return group_total<T>(groups_[row], transform, op);
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
