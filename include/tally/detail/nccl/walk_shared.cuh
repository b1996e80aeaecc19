#pragma once

#include <cstddef>
#include <cstdint>

#include "tally/detail/cuda/warp.cuh"
#include "tally/detail/nccl/carries.hpp"
#include "tally/detail/nccl/exact_chain.cuh"

/// The way of a block through the values that ranks share.
namespace tally::nccl_backend {

using cuda_backend::warp_lanes;

inline constexpr int threads = 256;

/// The values of a chain that a block takes together, at least. One thread takes 12 cycles a value, a block 1160 a
/// chain: so below some 100 values one thread is quicker, by less than half a microsecond.
inline constexpr std::uint64_t chain_worth_sharing = 64;

/// The shared memory of a block that goes through shared values.
template <class T, class Op>
struct walk_memory {
  using value = slot<T, Op>;
  static constexpr int piece = sizeof(value) <= 8 ? 1024 : sizeof(value) <= 128 ? 64 : 32;
  static constexpr bool may_add_together = adds_doubles<Op, carry_type<Op, T>> && piece % threads == 0;

  value pieces[2][piece];
  double sums_of_warps[threads / warp_lanes], spans_before;  ///< where a block adds spans up together
};

/// Goes through what `ranks` ranks have shared of a sequence, in order, by one block; of the last one's values through
/// at most `last_values`. Its first thread folds a piece of the values while the others fetch the next one, unless all
/// threads can add up a piece's spans together. Calls at_span(rank, header, tile, state) as shared_walk::take does, and
/// at_chained(rank, header, tile, spans) for the rest.
template <class T, class Op, class LastValues, class AtSpan, class AtChained>
__device__ __forceinline__ void walk_shared(walk_memory<T, Op>& memory, shared_blocks const& blocks, int ranks,
                                            std::size_t sequence, LastValues const& last_values,
                                            shared_walk<T, Op>& walk, Op& op, AtSpan const& at_span,
                                            AtChained const& at_chained)
{
  using memory_type = walk_memory<T, Op>;
  using value = typename memory_type::value;
  constexpr int piece = memory_type::piece;
  auto& pieces = memory.pieces;
  auto const thread = static_cast<int>(threadIdx.x);
  int const helper = thread - warp_lanes;
  bool adds_together = memory_type::may_add_together;  // until a piece's additions are not exact
  for (int r = 0; r < ranks; ++r) {
    std::byte const* const block = blocks.at(r);
    shared_header const header = *reinterpret_cast<shared_header const*>(block);
    auto const* const slots =
        reinterpret_cast<value const*>(block + sizeof(shared_header)) + sequence * header.values();
    std::uint64_t const values = r + 1 < ranks ? header.values() : last_values(header);
    auto const fetch = [&](std::uint64_t first, int half, int by, int all) {
      for (int k = by; k < piece && first + k < values; k += all) pieces[half][k] = slots[first + k];
    };
    auto const end = [&](std::uint64_t first) { return values - first < piece ? values : first + piece; };
    // A thread reads and writes the same places here as in `fetch`.
    auto const write_chained = [&](std::uint64_t first, int half, int by, int all) {
      places const of = walk.chained(header, first, end(first));
      for (int k = by; k < piece; k += all)
        if (first + k >= of.first && first + k < of.last)
          at_chained(r, header, walk.tile_of_span(header, first + k),
                     pieces[half][k].template load<carry_type<Op, T>>());
    };
    __syncthreads();
    fetch(0, 0, thread, threads);
    __syncthreads();
    int half = 0;
    std::uint64_t first = 0;
    for (; first < values; first += piece, half ^= 1) {
      places const chain = walk.chained(header, first, end(first));
      value* const chained = pieces[half] + (chain.first - first);
      auto const take = [&](std::uint64_t from, std::uint64_t to) {
        walk.take(header, pieces[half] + (from - first), from, to, op,
                  [&](std::uint64_t tile) { at_span(r, header, tile, walk.at); });
      };
      if (adds_together && chain.last - chain.first >= chain_worth_sharing) {
        if constexpr (memory_type::may_add_together) {
          constexpr int each = piece / threads;
          std::uint64_t const following = first + piece;
          value next[each];  // on their way while the block adds
#pragma unroll
          for (int j = 0; j < each; ++j)
            if (following + j * threads + thread < values) next[j] = slots[following + j * threads + thread];
          if (thread == 0) {
            if (first < chain.first) take(first, chain.first);
            memory.spans_before = walk.at.spans.value;
          }
          __syncthreads();
          double sum = memory.spans_before;
          adds_together = chain_exactly<threads, piece>(sum, chained, static_cast<int>(chain.last - chain.first),
                                                        memory.sums_of_warps);
          if (thread == 0) {
            if (adds_together)
              walk.at.spans.value = sum;
            else
              walk.take_chain(chained, chain, op);
            if (chain.last < end(first)) take(chain.last, end(first));
          }
          if (first > 0) write_chained(first - piece, half ^ 1, thread, threads);
#pragma unroll
          for (int j = 0; j < each; ++j)
            if (following + j * threads + thread < values) pieces[half ^ 1][j * threads + thread] = next[j];
        }
      } else if (thread == 0) {
        take(first, end(first));
      } else if (helper >= 0) {
        if (first > 0) write_chained(first - piece, half ^ 1, helper, threads - warp_lanes);
        fetch(first + piece, half ^ 1, helper, threads - warp_lanes);
      }
      __syncthreads();
    }
    if (values > 0) write_chained(first - piece, half ^ 1, thread, threads);
  }
}

}  // namespace tally::nccl_backend
