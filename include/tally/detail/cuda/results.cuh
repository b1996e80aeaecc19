#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/detail/cuda/elements.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/order.hpp"

/// The results of a scan for one lane's group, from the elements to memory.
namespace tally::cuda_backend {

/// The general case: the operator's values, one after the other.
template <class T, class Stored, class Op, class Transform, bool = sums_packed_bytes<T, Stored, Op, Transform>>
class group_results {
public:
  using W = working_type<T>;
  static constexpr int group = static_cast<int>(order::group<T>);
  static constexpr int registers = group * static_cast<int>((sizeof(W) + 3) / 4);

  /// Scans the group's elements on top of `before`.
  template <class Left>
  __device__ __forceinline__ void scan(packed_group<Stored, group> const& elements, Left const& before,
                                       Transform& transform, Op& op)
  {
    values_[0] = element_of<T>(elements.get(0), transform);
#pragma unroll
    for (int j = 1; j < group; ++j)
      values_[j] = static_cast<W>(op(values_[j - 1], element_of<T>(elements.get(j), transform)));
    precede(before, op);
  }
  template <class Left>
  __device__ __forceinline__ void precede(Left const& before, Op& op)
  {
#pragma unroll
    for (int j = 0; j < group; ++j) values_[j] = before.before(values_[j], op);
  }
  __device__ __forceinline__ W last() const { return values_[group - 1]; }
  /// The value of element k, which need not be a constant.
  __device__ __forceinline__ W at(int k) const
  {
    W value = values_[0];
#pragma unroll
    for (int j = 1; j < group; ++j) value = select(j == k, values_[j], value);
    return value;
  }
  /// Moves all values up by one place; `first` becomes the first.
  __device__ __forceinline__ void shift(W const& first)
  {
#pragma unroll
    for (int j = group - 1; j > 0; --j) values_[j] = values_[j - 1];
    values_[0] = first;
  }
  template <class OutStored>
  __device__ __forceinline__ packed_group<OutStored, group> packed() const
  {
    packed_group<OutStored, group> result;
#pragma unroll
    for (int j = 0; j < group; ++j) result.set(j, static_cast<OutStored>(static_cast<T>(values_[j])));
    return result;
  }
  __device__ __forceinline__ T get(int j) const { return static_cast<T>(values_[j]); }

private:
  W values_[group];
};

/// Sums of bytes, which stay packed four to a register. Even and odd bytes are added as pairs of 16 bits, which 4 * 255
/// and a carry do not overflow.
template <class T, class Stored, class Op, class Transform>
class group_results<T, Stored, Op, Transform, true> {
public:
  using W = T;
  static constexpr int group = static_cast<int>(order::group<T>);
  static constexpr int parts = group / 4;
  static constexpr int registers = parts;

  template <class Left>
  __device__ __forceinline__ void scan(packed_group<Stored, group> const& elements, Left const& before, Transform&, Op&)
  {
    std::uint32_t carry = static_cast<std::uint8_t>(before.value) * 0x00010001u;  // in both halves
#pragma unroll
    for (int k = 0; k < parts; ++k) {
      std::uint32_t const even = elements.part(k) & 0x00ff00ffu;
      std::uint32_t const odd = elements.part(k) >> 8 & 0x00ff00ffu;
      std::uint32_t const pairs = even + odd;
      std::uint32_t const to_odd = pairs + (pairs << 16) + carry;  // up to bytes 1 and 3
      std::uint32_t const to_even = to_odd - odd;                  // up to bytes 0 and 2
      bytes_.set_part(k, __byte_perm(to_even, to_odd, 0x6240));
      carry = __byte_perm(to_odd, 0, 0x4242);
    }
  }
  template <class Left>
  __device__ __forceinline__ void precede(Left const& before, Op&)
  {
#pragma unroll
    for (int k = 0; k < parts; ++k)
      bytes_.set_part(k, __vadd4(bytes_.part(k), static_cast<std::uint8_t>(before.value) * 0x01010101u));
  }
  __device__ __forceinline__ W last() const { return static_cast<T>(bytes_.part(parts - 1) >> 24); }
  __device__ __forceinline__ W at(int k) const
  {
    std::uint32_t part = bytes_.part(0);
#pragma unroll
    for (int j = 1; j < parts; ++j) part = j == k / 4 ? bytes_.part(j) : part;
    return static_cast<T>(part >> (k % 4 * 8));
  }
  __device__ __forceinline__ void shift(W const& first)
  {
#pragma unroll
    for (int k = parts - 1; k > 0; --k) bytes_.set_part(k, __byte_perm(bytes_.part(k - 1), bytes_.part(k), 0x6543));
    bytes_.set_part(0, __byte_perm(static_cast<std::uint8_t>(first), bytes_.part(0), 0x6540));
  }
  template <class OutStored>
  __device__ __forceinline__ packed_group<OutStored, group> packed() const
  {
    if constexpr (std::is_same_v<OutStored, T>) {
      return bytes_;
    } else {
      packed_group<OutStored, group> result;
#pragma unroll
      for (int j = 0; j < group; ++j) result.set(j, static_cast<OutStored>(bytes_.get(j)));
      return result;
    }
  }
  __device__ __forceinline__ T get(int j) const { return bytes_.get(j); }

private:
  packed_group<T, group> bytes_;
};

/// The output of a scan, and its end.
template <class T, class Out>
struct destination {
  Out out;
  std::size_t end;
  bool aligned;
  bool exclusive;

  /// Writes `Rows` rows of results; those of the lane begin at `first`. In an exclusive scan each is written one place
  /// later, after `left_neighbour`.
  template <int Rows, class Results>
  __device__ __forceinline__ void store(std::size_t first, Results (&results)[Rows], typename Results::W left_neighbour,
                                        int lane) const
  {
    shift(results, left_neighbour, lane);
    if constexpr (is_shifted<Out>) {
      packed_group<std::iter_value_t<Out>, Results::group> groups[Rows];
#pragma unroll
      for (int r = 0; r < Rows; ++r) groups[r] = results[r].template packed<std::iter_value_t<Out>>();
      std::size_t const row = first - first % order::row<T>;
      store_shifted(groups, out.first + row, static_cast<std::ptrdiff_t>(end - row));
    } else {
      if constexpr (is_strided<Out>) {
        if (aligned && first - first % order::row<T> + Rows * order::row<T> <= end) {
          store_rows(first, results);
          return;
        }
      }
#pragma unroll
      for (int r = 0; r < Rows; ++r) store_group(first + r * order::row<T>, results[r]);
    }
  }

  /// Moves the results of an exclusive scan by one place.
  template <int Rows, class Results>
  __device__ __forceinline__ void shift(Results (&results)[Rows], typename Results::W left_neighbour, int lane) const
  {
    if (!exclusive) return;
    // Values move one lane to the right, and from the last lane to the first lane of the next row.
    typename Results::W neighbours[Rows];
#pragma unroll
    for (int r = 0; r < Rows; ++r) neighbours[r] = shuffle_from(results[r].last(), (lane + 31) % warp_lanes);
#pragma unroll
    for (int r = Rows - 1; r >= 0; --r)
      results[r].shift(select(lane == 0, r > 0 ? neighbours[r > 0 ? r - 1 : 0] : left_neighbour, neighbours[r]));
  }

  /// The left neighbour that `store` needs for the rows after these.
  template <int Rows, class Results>
  __device__ __forceinline__ typename Results::W last_of(Results const (&results)[Rows]) const
  {
    auto const last = results[Rows - 1].last();
    return exclusive ? shuffle_from(last, warp_lanes - 1) : last;
  }

private:
  /// Whole rows of a strided output. Everything is computed before the first store: the stores of a warp's lines follow
  /// each other (see store_in_order).
  template <int Rows, class Results>
  __device__ __forceinline__ void store_rows(std::size_t first, Results const (&results)[Rows]) const
  {
    using stored = std::iter_value_t<Out>;
    packed_group<stored, Results::group> groups[Rows];
#pragma unroll
    for (int r = 0; r < Rows; ++r) groups[r] = results[r].template packed<stored>().reversed_if(out.step < 0);
    stored* const at = place_of_group<Results::group>(out, first);
    std::ptrdiff_t const row =
        out.step < 0 ? -static_cast<std::ptrdiff_t>(order::row<T>) : static_cast<std::ptrdiff_t>(order::row<T>);
#pragma unroll
    for (int r = 0; r < Rows; ++r) groups[r].store_aligned(at + r * row);
  }

  /// One lane's group, which begins at `first`; results from `end` on are dropped.
  template <class Results>
  __device__ __forceinline__ void store_group(std::size_t first, Results const& results) const
  {
    if (aligned && first + Results::group <= end) {
      if constexpr (has_groups<Out>)
        cuda_backend::store_group(results.template packed<std::iter_value_t<Out>>(), out, first);
    } else {
#pragma unroll
      for (int j = 0; j < Results::group; ++j) {
        using distance = std::iter_difference_t<Out>;
        if (first + j < end) out[static_cast<distance>(first + j)] = results.get(j);
      }
    }
  }
};

}  // namespace tally::cuda_backend
