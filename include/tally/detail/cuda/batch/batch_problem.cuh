#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>

#include "tally/detail/batch/layout.hpp"
#include "tally/detail/cuda/carry_fold.cuh"
#include "tally/detail/cuda/elements.cuh"
#include "tally/detail/cuda/problem.cuh"
#include "tally/order.hpp"

namespace tally::cuda_backend {

using detail::batch::distances;

/// The dimensions of a batch::layout, for a kernel.
struct batch_places {
  int dimensions;  ///< with none, the first one's distances are 0
  std::size_t extents[detail::batch::most_dimensions];
  distances steps[detail::batch::most_dimensions];

  explicit batch_places(detail::batch::layout const& where) : dimensions(where.dimensions), extents{}, steps{}
  {
    for (int d = 0; d < dimensions; ++d) {
      extents[d] = where.across[d].extent;
      steps[d] = where.across[d].step;
    }
  }
};

/// The distance of sequence s from sequence 0 in one of the arrays, where sequences lie in several dimensions. A call:
/// its divisions would be compiled many times into each kernel.
template <std::ptrdiff_t distances::* Array>
__device__ __noinline__ std::ptrdiff_t distance_in_dimensions(batch_places const& where, std::size_t s)
{
  std::ptrdiff_t distance = 0;
#pragma unroll 1
  for (int d = where.dimensions - 1; d > 0; --d) {
    std::size_t const extent = where.extents[d];
    std::size_t before;
    if ((s | extent) >> 32 == 0)
      before = static_cast<std::uint32_t>(s) / static_cast<std::uint32_t>(extent);
    else
      before = s / extent;
    distance += static_cast<std::ptrdiff_t>(s - before * extent) * (where.steps[d].*Array);
    s = before;
  }
  return distance + static_cast<std::ptrdiff_t>(s) * (where.steps[0].*Array);
}

/// As a member of layout::place(s), but without a division where sequences lie in one dimension.
template <std::ptrdiff_t distances::* Array>
__device__ __forceinline__ std::ptrdiff_t distance_of(batch_places const& where, std::size_t s)
{
  if (where.dimensions <= 1) return static_cast<std::ptrdiff_t>(s) * (where.steps[0].*Array);
  return distance_in_dimensions<Array>(where, s);
}

/// The arguments of a batch's kernel. `in`, `out`, `initials` and `lasts` point to the first sequence's.
template <class T, class Op, class In, class Out>
struct batch_problem {
  using element = T;
  using operation = Op;
  using input = strided<In const>;
  using output = strided<Out>;
  using transformation = std::identity;
  static constexpr bool is_batch = true;

  In const* in;
  Out* out;
  std::size_t size;                  ///< elements of a sequence, one at least
  std::size_t sequences;             ///< one at least
  std::ptrdiff_t in_step, out_step;  ///< of `where.along`
  batch_places where;
  bool aligned_in, aligned_out;  ///< the groups of all sequences can be read whole, or written
  initial_value<T, Op> init;     ///< of all sequences
  T const* initials;             ///< of each
  T* lasts;
  std::uint32_t tiles_each;
  bool folded_by_a_warp;  ///< a reduction: the totals of a sequence, which are few
  Op op;
  std::identity transform;
  work what;
  In const* in_begin;  ///< the memory of all sequences, from its first element to behind its last one
  In const* in_end;
  control* shared;
  std::uint64_t* words;  ///< words_of<working_type<T>> for each tile; of a reduction, and one a sequence
  std::size_t capacity;

  __host__ __device__ std::uint32_t tiles() const { return static_cast<std::uint32_t>(sequences) * tiles_each; }

  __device__ tile_place place_of(std::uint32_t tile) const
  {
    std::uint32_t const sequence = tile / tiles_each, in_sequence = tile - sequence * tiles_each;
    std::size_t const begin = static_cast<std::size_t>(in_sequence) * order::tile<T>, rest = size - begin;
    return {sequence, in_sequence, begin, begin + (rest < order::tile<T> ? rest : order::tile<T>)};
  }
  __device__ input input_of(std::size_t sequence) const
  {
    return {in + distance_of<&distances::in>(where, sequence), in_step};
  }
  __device__ output output_of(std::size_t sequence) const
  {
    return {out + distance_of<&distances::out>(where, sequence), out_step};
  }
  __device__ initial_value<T, Op> initial_of(std::size_t sequence) const
  {
    if (initials == nullptr) return init;
    auto const value = static_cast<working_type<T>>(initials[distance_of<&distances::initial>(where, sequence)]);
    return {true, value, static_cast<carry_type<Op, T>>(value)};
  }
  __device__ cuda_backend::destination<T, output> destination_of(tile_place const& at) const
  {
    return {output_of(at.sequence), at.end, aligned_out, what == work::exclusive_scan};
  }
  /// Whether a byte lies in the memory of the input.
  __device__ bool has_in(unsigned char const* byte) const
  {
    return reinterpret_cast<unsigned char const*>(in_begin) <= byte &&
           byte < reinterpret_cast<unsigned char const*>(in_end);
  }
  __device__ void put_last(std::size_t sequence, working_type<T> const& value) const
  {
    lasts[distance_of<&distances::last>(where, sequence)] = static_cast<T>(value);
  }
  /// The result of a reduction.
  __device__ void put_result(std::size_t sequence, working_type<T> const& value) const
  {
    out[distance_of<&distances::out>(where, sequence)] = static_cast<Out>(static_cast<T>(value));
  }
};

/// A batch whose groups may lie anywhere in the memory of neighbouring elements. Shifts need elements that fill words.
template <class P>
struct shifted_problem : P {
  using input = unaligned<std::remove_pointer_t<decltype(P::in)>>;
  using output = unaligned<std::remove_pointer_t<decltype(P::out)>>;
  static constexpr bool aligned_in = false, aligned_out = false;  // hide what is known when the kernel runs

  __device__ input input_of(std::size_t sequence) const { return {P::input_of(sequence).first}; }
  __device__ output output_of(std::size_t sequence) const { return {P::output_of(sequence).first}; }
};

/// A batch of neighbouring elements, none backwards, whose groups are aligned.
template <class P>
struct forward_problem : P {
  using input = std::remove_pointer_t<decltype(P::in)>*;
  using output = std::remove_pointer_t<decltype(P::out)>*;

  __device__ input input_of(std::size_t sequence) const { return P::input_of(sequence).first; }
  __device__ output output_of(std::size_t sequence) const { return P::output_of(sequence).first; }
};

/// The initial value as the carry of a first tile.
template <class T, class Op>
__device__ __forceinline__ auto first_carry(initial_value<T, Op> const& init, Op const& op)
{
  using left = left_operand<working_type<T>, Op>;
  return init.is_present ? left::present(init.value) : left::absent(op, init.value);
}

}  // namespace tally::cuda_backend
