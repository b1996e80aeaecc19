#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <type_traits>

#include "tally/detail/cuda/groups.cuh"
#include "tally/detail/cuda/shifted_rows.cuh"
#include "tally/operators/arithmetic.hpp"
#include "tally/order.hpp"

/// The groups of the order as the operator sees them, and the rows that a warp holds.
namespace tally::cuda_backend {

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

/// Neighbouring elements whose groups need not be aligned: a warp shifts them (shifted_rows.cuh).
template <class S>
struct unaligned {
  using value_type = std::remove_const_t<S>;
  using difference_type = std::ptrdiff_t;
  using reference = S&;

  S* first;

  __host__ __device__ S& operator[](std::ptrdiff_t k) const { return first[k]; }
  __host__ __device__ S& operator*() const { return *first; }
};
template <class I>
inline constexpr bool is_shifted = false;
template <class S>
inline constexpr bool is_shifted<unaligned<S>> = true;

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
  static constexpr int count = Rows;

  /// Loads the groups that begin at `first`, a row apart. Elements from `end` on do not exist: others stand for them,
  /// since the operator may be called with these. `aligned` says that groups are, or of `unaligned` elements that the
  /// memory before and behind them can be read too.
  __device__ __forceinline__ void load(In const& in, std::size_t first, std::size_t end, bool aligned)
  {
    if constexpr (is_shifted<In>) {
      if (!aligned) {
        std::size_t const before = first - first % order::row<T>;
        load_shifted(groups_, in.first + before, before, static_cast<std::ptrdiff_t>(end - before));
        return;
      }
    }
    if (aligned && first - first % order::row<T> + Rows * order::row<T> <= end) {
      if constexpr (is_shifted<In>) {
        load_whole_shifted(groups_, in.first + (first - first % order::row<T>));
      } else if constexpr (is_strided<In>) {
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
    for (auto& own : groups_) own.keep_packed();
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
