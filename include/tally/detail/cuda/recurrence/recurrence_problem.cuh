#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/detail/cuda/batch/batch_problem.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/detail/recurrence/steps.hpp"
#include "tally/operators/affine.hpp"
#include "tally/order.hpp"

namespace tally::cuda_backend {

/// The results that a kernel stores. Several warps may only overwrite the input of a sequence once they know where the
/// plain loop takes over.
enum class results_stored { all, none, before_the_first_bad };

/// As distance_of, without a call: a kernel that is full of registers would spill them around it.
template <std::ptrdiff_t distances::* Array>
__device__ __forceinline__ std::ptrdiff_t near_distance_of(batch_places const& where, std::size_t s)
{
  if (where.dimensions <= 1) return static_cast<std::ptrdiff_t>(s) * (where.steps[0].*Array);
  std::ptrdiff_t distance = 0;
  auto rest = static_cast<std::uint32_t>(s);  // the launch sees to it that sequences are fewer than 2^31
#pragma unroll 1
  for (int d = where.dimensions - 1; d >= 0; --d) {
    auto const extent = static_cast<std::uint32_t>(where.extents[d]);
    std::uint32_t const before = rest / extent;
    distance += static_cast<std::ptrdiff_t>(rest - before * extent) * (where.steps[d].*Array);
    rest = before;
  }
  return distance;
}

/// The arguments of a kernel of recurrences: y[k] = a[k] * y[k-1] + b[k], for all sequences of a batch::layout. All
/// pointers are those of the first sequence.
template <class Value>
struct recurrence_problem {
  using T = Value;
  using stored = T;
  using W = working_type<T>;
  using C = carry_type<plus, T>;
  using operation = detail::recurrence::steps_in_turn;
  static constexpr bool is_gradient = false;
  static constexpr int group = static_cast<int>(order::recurrence::group<T>);
  static constexpr int row = static_cast<int>(order::recurrence::row<T>);
  /// Two rows: a group for each lane of a warp.
  static constexpr int line = warp_lanes * group;
  static_assert(line == 2 * row);
  /// Lines in the registers of a warp, as many as they hold with sixteen warps in a multiprocessor. Elements of two
  /// bytes are eight to a group, and doubles take two registers.
  static constexpr int slots = sizeof(T) == 4 ? 4 : 2;
  static constexpr std::size_t piece = static_cast<std::size_t>(slots * line);
  static constexpr std::size_t strip = order::recurrence::strip<T>;
  static constexpr std::size_t tile = order::recurrence::tile<T>;

  T const* a;  ///< null if all coefficients are `constant`
  T constant;
  T const* b;
  T* out;
  std::size_t size;                         ///< steps of a sequence, one at least
  std::size_t sequences;                    ///< one at least
  std::ptrdiff_t a_step, b_step, out_step;  ///< between steps; that of a is 0 if it is constant in a sequence
  batch_places where;
  /// Of the sequences that have the same indices but the innermost one: their number, and their distances.
  std::size_t neighbours;
  std::ptrdiff_t a_across, b_across, out_across, before_across;
  bool a_dense, b_dense, out_dense;            ///< these follow each other without a gap
  bool a_groups, b_groups, out_groups;         ///< groups of all sequences are aligned
  T const *a_begin, *a_end, *b_begin, *b_end;  ///< the memory of all sequences
  T before;
  T const* befores;  ///< or one of each sequence, if not null
  T* lasts;
  results_stored stores;
  unsigned long long* first_bad;  ///< of each sequence: the first step whose result is not finite

  __device__ __forceinline__ T before_of(std::size_t s) const
  {
    return befores == nullptr ? before : befores[near_distance_of<&distances::initial>(where, s)];
  }
  /// That of the neighbour `beyond` places after sequence s.
  __device__ __forceinline__ T before_of(std::size_t s, int beyond) const
  {
    if (befores == nullptr) return before;
    return befores[near_distance_of<&distances::initial>(where, s) + beyond * before_across];
  }
  __device__ __forceinline__ T const* a_of(std::size_t s) const
  {
    return a + near_distance_of<&distances::coefficients>(where, s);
  }
  __device__ __forceinline__ T const* b_of(std::size_t s) const
  {
    return b + near_distance_of<&distances::in>(where, s);
  }
  __device__ __forceinline__ T* out_of(std::size_t s) const
  {
    return out + near_distance_of<&distances::out>(where, s);
  }
  /// The coefficient of all steps of a sequence.
  __device__ __forceinline__ T constant_of(std::size_t s) const { return a == nullptr ? constant : *a_of(s); }
  __device__ __forceinline__ T constant_of(std::size_t s, int beyond) const
  {
    return a == nullptr ? constant : a_of(s)[beyond * a_across];
  }
  __device__ __forceinline__ void put_last(std::size_t s, T const& y) const
  {
    lasts[near_distance_of<&distances::last>(where, s)] = y;
  }
};

}  // namespace tally::cuda_backend
