#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tally/detail/cuda/asynchronous.cuh"
#include "tally/detail/cuda/batch/column_piece.cuh"
#include "tally/detail/cuda/batch/columns_problem.cuh"
#include "tally/detail/cuda/elements.cuh"
#include "tally/detail/cuda/warp.cuh"

/// Copies of the pieces of columns to and from shared memory. A thread alone would touch a line of memory with each of
/// its accesses; the copies touch whole stretches.
///
/// Columns that are enough side by side are copied element by element along them: element j of thread t's row is at
/// j * column_threads + t in shared memory, so that the lanes of a warp meet different banks.
///
/// Of few columns side by side without a gap, the rows are one stretch of memory each. It is copied as it is, and after
/// each stretch there is a gap of as many elements as the columns are, rounded up to 16 bytes: rows then lie in
/// different banks if the columns take a multiple of 16 bytes, else two in one.
namespace tally::cuda_backend {

/// The widest words of `Element`s by which memory at `bits` can be copied, an or of addresses and distances in bytes.
template <class Element, class Copy>
__device__ __forceinline__ void by_widest_words(std::uintptr_t bits, Copy const& copy)
{
  if (sizeof(Element) < 16 && 16 % sizeof(Element) == 0 && bits % 16 == 0)
    copy(std::type_identity<uint4>{});
  else if (sizeof(Element) < 8 && 8 % sizeof(Element) == 0 && bits % 8 == 0)
    copy(std::type_identity<uint2>{});
  else
    copy(std::type_identity<Element>{});
}

/// The distance of rows in shared memory that are `inner` columns of `length` elements each, stretches of memory.
template <class Element>
__host__ __device__ constexpr int stretch_pitch(int length, int inner)
{
  constexpr int unit = sizeof(Element) < 16 && 16 % sizeof(Element) == 0 ? 16 / static_cast<int>(sizeof(Element)) : 1;
  return length * inner + (inner + unit - 1) / unit * unit;
}
/// The bytes that a block needs.
template <class Element>
constexpr std::size_t piece_bytes(int length, int inner, bool are_stretches)
{
  int const elements =
      are_stretches ? column_threads / inner * stretch_pitch<Element>(length, inner) : column_threads * length;
  return static_cast<std::size_t>(elements) * sizeof(Element);
}

/// Where a group of columns begins, in elements of the arrays: its first column, and if rows are stretches, the first
/// column of each stretch.
struct stretch_origins {
  std::ptrdiff_t in[column_threads / 2];
  std::ptrdiff_t out[column_threads / 2];

  /// Finds them, by the whole block. A barrier follows.
  template <class P>
  __device__ __forceinline__ void find(P const& p, std::uint32_t group)
  {
    std::size_t const sequence =
        p.first_sequence(group) + static_cast<std::size_t>(threadIdx.x) * static_cast<std::size_t>(p.piece.inner);
    int const side_by_side = p.piece.inner > 1 ? p.piece.columns / p.piece.inner : 1;
    if (static_cast<int>(threadIdx.x) < side_by_side && sequence < p.sequences) {
      in[threadIdx.x] = p.places.template in<&detail::batch::distances::in>(sequence);
      out[threadIdx.x] = p.places.template in<&detail::batch::distances::out>(sequence);
    }
    __syncthreads();
  }
};

/// Calls take(word in memory, word in shared memory) for each word of a piece whose rows are stretches of memory.
template <class P, class Element, class Take>
__device__ __forceinline__ void for_each_word_of_stretches(P const& p, Element* in_memory, Element* shared,
                                                           std::ptrdiff_t const* origins, std::ptrdiff_t step,
                                                           std::uint32_t group, std::uint32_t first_row,
                                                           Take const& take)
{
  using T = typename P::element;
  constexpr int row_length = static_cast<int>(order::row<T>);
  int const inner = p.piece.inner;
  int const pitch = stretch_pitch<Element>(p.stretch_length, inner);
  auto const lane = static_cast<int>(threadIdx.x) % warp_lanes;
  std::size_t const first = static_cast<std::size_t>(first_row) * order::row<T>;
  std::size_t const left = p.size - first;
  int const whole = p.piece.rows * row_length;
  int const count = left < static_cast<std::size_t>(whole) ? static_cast<int>(left) : whole;
  int const rows = (count - 1) / row_length + 1;
  int const side_by_side = p.columns_of(group) / inner;
  std::ptrdiff_t const begin = static_cast<std::ptrdiff_t>(first) * step;
  std::ptrdiff_t const lowest_of_all = step < 0 ? begin + (count - 1) * step : begin;
  // Warps share out the rows, or the stretches side by side if rows are few.
  auto const warp = static_cast<int>(threadIdx.x) / warp_lanes;
  constexpr int warps = column_threads / warp_lanes;
  bool const by_rows = rows >= warps;
#pragma unroll 1
  for (int side = by_rows ? 0 : warp; side < side_by_side; side += by_rows ? 1 : warps) {
    Element* const origin = in_memory + origins[side];
    by_widest_words<Element>(reinterpret_cast<std::uintptr_t>(origin + lowest_of_all) |
                                 static_cast<std::uintptr_t>(count * inner) * sizeof(Element),
                             [&]<class Word>(std::type_identity<Word>) {
#pragma unroll 1
                               for (int row = by_rows ? warp : 0; row < rows; row += by_rows ? warps : 1) {
                                 int const rest = count - row * row_length;
                                 int const length = rest < row_length ? rest : row_length;
                                 int const lowest = step < 0 ? row * row_length + length - 1 : row * row_length;
                                 auto* const from = reinterpret_cast<Word*>(origin + (begin + lowest * step));
                                 auto* const to =
                                     reinterpret_cast<Word*>(shared + (row * (p.piece.columns / inner) + side) * pitch);
                                 int const words = length * inner / static_cast<int>(sizeof(Word) / sizeof(Element));
#pragma unroll 4
                                 for (int k = lane; k < words; k += warp_lanes) take(from + k, to + k);
                               }
                             });
  }
}

/// Calls take(word in memory, word in shared memory) for each word of a piece, element by element along the columns.
template <std::ptrdiff_t detail::batch::distances::* Array, class P, class Element, class Take>
__device__ __forceinline__ void for_each_word_of_elements(P const& p, Element* in_memory, Element* shared,
                                                          std::ptrdiff_t const* origins, std::ptrdiff_t step,
                                                          std::uint32_t group, std::uint32_t first_row,
                                                          Take const& take)
{
  using T = typename P::element;
  constexpr int row_length = static_cast<int>(order::row<T>);
  std::size_t const first = static_cast<std::size_t>(first_row) * order::row<T>;
  std::size_t const left = p.size - first;
  int const whole = p.piece.rows * row_length;
  int const count = left < static_cast<std::size_t>(whole) ? static_cast<int>(left) : whole;
  int const columns = p.columns_of(group);
  std::ptrdiff_t const across = p.places.across.*Array;
  Element* const from = in_memory + (origins[0] + static_cast<std::ptrdiff_t>(first) * step);
  std::uintptr_t const bits = across != 1
                                  ? 1
                                  : reinterpret_cast<std::uintptr_t>(from) |
                                        static_cast<std::uintptr_t>(step | columns | p.piece.columns) * sizeof(Element);
  by_widest_words<Element>(bits, [&]<class Word>(std::type_identity<Word>) {
    constexpr int in_word = static_cast<int>(sizeof(Word) / sizeof(Element));
    int const words = columns / in_word;  // of an element along the columns
    auto const t = static_cast<int>(threadIdx.x);
    int const at_a_time = column_threads / words;
    int const own = t / words;
    int const column = (t - own * words) * in_word;
    if (own >= at_a_time) return;
    std::ptrdiff_t const stride = at_a_time * step;
    Element* source = from + (own * step + column * (in_word > 1 ? 1 : across));
    Element* target = shared + (own * column_threads + column);
    for (int rest = count; rest > 0; rest -= row_length) {
      int const length = rest < row_length ? rest : row_length;
      Element* element = source;
      Element* to = target;
#pragma unroll 8
      for (int k = own; k < length; k += at_a_time) {
        take(reinterpret_cast<Word*>(element), reinterpret_cast<Word*>(to));
        element += stride;
        to += at_a_time * column_threads;
      }
      source += row_length * step;
      target += p.piece.columns;
    }
  });
}

/// Copies the piece of the input, and waits for it.
template <bool Stretches, class P>
__device__ __forceinline__ void copy_piece_in(P const& p, stretch_origins const& origins, typename P::input* shared,
                                              std::uint32_t group, std::uint32_t first_row)
{
  auto const copy = [](auto const* from, auto* to) { copy_asynchronously(to, from); };
  auto* const in = const_cast<typename P::input*>(p.in);
  if constexpr (Stretches)
    for_each_word_of_stretches(p, in, shared, origins.in, p.in_step, group, first_row, copy);
  else
    for_each_word_of_elements<&detail::batch::distances::in>(p, in, shared, origins.in, p.in_step, group, first_row,
                                                             copy);
  await_copies();
  __syncthreads();
}

template <bool Stretches, class P>
__device__ __forceinline__ void copy_piece_out(P const& p, stretch_origins const& origins, typename P::output* shared,
                                               std::uint32_t group, std::uint32_t first_row)
{
  __syncthreads();
  if constexpr (Stretches)
    for_each_word_of_stretches(p, p.out, shared, origins.out, p.out_step, group, first_row,
                               [](auto* to, auto const* from) { *to = *from; });
  else
    for_each_word_of_elements<&detail::batch::distances::out>(
        p, p.out, shared, origins.out, p.out_step, group, first_row,
        [](auto* to, auto const* from) { store_in_order(to, *from); });
}

/// Where a thread's row lies in a copied piece: the first element, and the distance to the next.
struct row_place {
  int first;
  int step;
};
template <bool Stretches, class Element, class P>
__device__ __forceinline__ row_place row_in_piece(P const& p, column_share<P> const& at)
{
  int const index = at.index(p);
  if constexpr (!Stretches) return {index, column_threads};
  int const inner = p.piece.inner;
  int const stretch = index / inner;
  int const first = stretch * stretch_pitch<Element>(p.stretch_length, inner) + (index - stretch * inner);
  return p.in_step < 0 ? row_place{first + (at.count - 1) * inner, -inner} : row_place{first, inner};
}

}  // namespace tally::cuda_backend
