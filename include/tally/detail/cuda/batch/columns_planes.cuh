#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tally/detail/cuda/asynchronous.cuh"
#include "tally/detail/cuda/batch/column_copy.cuh"
#include "tally/detail/cuda/batch/column_piece.cuh"
#include "tally/detail/cuda/batch/column_row.cuh"
#include "tally/detail/cuda/batch/columns_choice.hpp"
#include "tally/detail/cuda/batch/columns_problem.cuh"
#include "tally/detail/cuda/problem.cuh"
#include "tally/detail/cuda/warp.cuh"
#include "tally/order.hpp"

/// Scans and reductions of planes: columns of less than a row of the order that lie side by side without a gap, so that
/// all elements of neighbouring columns are one small stretch of memory. A block has `planes_bytes` of planes in shared
/// memory; its threads take the columns in turn.
namespace tally::cuda_backend {

/// Calls take(word in memory, word in shared memory) for each word of `planes` planes from plane `first` on.
template <std::ptrdiff_t detail::batch::distances::* Array, class P, class Element, class Take>
__device__ __forceinline__ void for_each_word_of_planes(P const& p, Element* in_memory, Element* shared,
                                                        std::ptrdiff_t step, std::size_t first, int planes,
                                                        Take const& take)
{
  int const inner = p.piece.inner;
  int const length = static_cast<int>(p.size) * inner;
  int const pitch = plane_pitch(length, inner, static_cast<int>(sizeof(Element)));
  // Planes in one dimension lie at one distance; only others need divisions.
  bool const at_one_distance = p.places.dimensions <= 2;
  std::ptrdiff_t const distance = p.places.dimensions < 2 ? 0 : p.places.steps[0].*Array;
  Element* const lowest = in_memory + (step < 0 ? static_cast<std::ptrdiff_t>(p.size - 1) * step : 0);
  std::uintptr_t bits =
      reinterpret_cast<std::uintptr_t>(lowest) | static_cast<std::uintptr_t>(length) * sizeof(Element);
  for (int d = 0; d < p.places.dimensions - 1; ++d)
    bits |= static_cast<std::uintptr_t>(p.places.steps[d].*Array) * sizeof(Element);
  by_widest_words<Element>(bits, [&]<class Word>(std::type_identity<Word>) {
    int const words = length / static_cast<int>(sizeof(Word) / sizeof(Element));
    // The lanes of a plane: a power of two, a warp's at most.
    int const lanes = words >= warp_lanes ? warp_lanes : 1 << (32 - __clz(words - 1));
    int const lane = static_cast<int>(threadIdx.x) % lanes;
    int const at_a_time = column_threads / lanes;
    if (lane >= words) return;
    int plane = static_cast<int>(threadIdx.x) / lanes;
    Element* from = lowest + static_cast<std::ptrdiff_t>(first + static_cast<std::size_t>(plane)) * distance;
    Element* to = shared + plane * pitch;
#pragma unroll 4
    for (; plane < planes; plane += at_a_time) {
      if (!at_one_distance)
        from = lowest +
               p.places.template in<Array>((first + static_cast<std::size_t>(plane)) * static_cast<std::size_t>(inner));
      for (int k = lane; k < words; k += lanes)
        take(reinterpret_cast<Word*>(from) + k, reinterpret_cast<Word*>(to) + k);
      from += at_a_time * distance;
      to += at_a_time * pitch;
    }
  });
}

/// Scans or reduces planes.
template <class P, int Groups, int Blocks>
__global__ void __launch_bounds__(column_threads, Blocks) planes_kernel(__grid_constant__ P const p)
{
  using T = typename P::element;
  using Op = typename P::operation;
  using In = typename P::input;
  using Out = typename P::output;
  using W = working_type<T>;
  using left = left_operand<W, Op>;
  using detail::batch::distances;
  extern __shared__ __align__(16) unsigned char piece_memory[];
  auto* const copied = reinterpret_cast<In*>(piece_memory);

  take_turn();
  Op op = p.op;
  int const inner = p.piece.inner;
  int const size = static_cast<int>(p.size);
  int const pitch = plane_pitch(size * inner, inner, static_cast<int>(sizeof(In)));
  int const most = p.piece.columns / inner;
  std::size_t const first = static_cast<std::size_t>(blockIdx.x) * static_cast<std::size_t>(most);
  std::size_t const rest = p.sequences / static_cast<std::size_t>(inner) - first;
  int const planes = rest < static_cast<std::size_t>(most) ? static_cast<int>(rest) : most;
  for_each_word_of_planes<&distances::in>(p, const_cast<In*>(p.in), copied, p.in_step, first, planes,
                                          [](auto const* from, auto* to) { copy_asynchronously(to, from); });
  await_copies();
  __syncthreads();
  bool const backwards = p.in_step < 0;
  bool const reduces = p.what == work::reduce;
  bool const exclusive = p.what == work::exclusive_scan;
#pragma unroll 1
  for (int k = static_cast<int>(threadIdx.x); k < planes * inner; k += column_threads) {
    auto const plane = static_cast<int>(static_cast<unsigned>(k) / static_cast<unsigned>(inner));
    std::size_t const sequence = first * static_cast<std::size_t>(inner) + static_cast<std::size_t>(k);
    In* const begin = copied + plane * pitch + (k - plane * inner);
    column_row<T, Op, In, Out, Groups, 0> elements(backwards ? begin + (size - 1) * inner : begin,
                                                   backwards ? -inner : inner, size);
    elements.fold(op);
    left const carry = carry_of_first_tile(initial_of_column(p, sequence), op);
    left const before = left::absent(op, elements.total());
    if (reduces) {
      p.out[p.places.template in<&distances::out>(sequence)] =
          static_cast<Out>(static_cast<T>(carry.before(elements.end(op).last(before, op), op)));
    } else {
      W const last = elements.write(carry, before, exclusive, carry.value, op);
      if (p.lasts != nullptr) p.lasts[p.places.template in<&distances::last>(sequence)] = static_cast<T>(last);
    }
  }
  if (reduces) return;
  __syncthreads();
  for_each_word_of_planes<&distances::out>(p, p.out, reinterpret_cast<Out*>(piece_memory), p.out_step, first, planes,
                                           [](auto* to, auto const* from) { *to = *from; });
}

}  // namespace tally::cuda_backend
