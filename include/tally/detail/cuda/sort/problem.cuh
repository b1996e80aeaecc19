#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tally/detail/cuda/handover.hpp"
#include "tally/detail/radix_sort/ordered_bits.hpp"
#include "tally/detail/radix_sort/pass.hpp"

/// The arguments and the state that the kernels of a radix sort share.
namespace tally::cuda_backend::sorting {

using detail::radix_sort::digit_bits;
using detail::radix_sort::digit_of_key;
using detail::radix_sort::digits;
using detail::radix_sort::no_value;
using detail::radix_sort::ordered_bits;

inline constexpr int most_passes = 8;

/// The state of a sort in device memory. It begins as zeros, and so do the words of the tiles behind it, which a warp
/// reads by whole lines.
template <class Word>
struct alignas(128) sort_state {
  std::uint64_t in_some;      ///< bits that are 1 in some key
  std::uint64_t not_in_some;  ///< bits that are 0 in some key
  std::uint64_t disorder;     ///< whether some key comes before its predecessor
  control tickets[most_passes];
  Word counts[most_passes][digits];  ///< the keys of each digit of each pass
};

/// The arrays of a sort. Passes go from one pair of arrays to the other in turns, beginning with the caller's.
template <class Key, class Value, class Order, class Word>
struct sort_problem {
  using key_type = Key;
  using value_type = Value;
  using order_type = Order;
  using word_type = Word;
  using bits = typename ordered_bits<Key, Order>::bits;

  Key* keys[2];
  Value* values[2];
  sort_state<Word>* state;
  Word* words;  ///< 256 for each tile
  std::size_t n;
  int first_bit;
  int end_bit;
  int this_pass;  ///< of a launch that moves keys

  /// The bits of a key by which it is sorted.
  __device__ bits of(Key const& key) const
  {
    constexpr auto every = static_cast<bits>(~bits{0});
    auto const mask = static_cast<bits>(every >> (8 * static_cast<int>(sizeof(bits)) - (end_bit - first_bit)));
    return static_cast<bits>(static_cast<bits>(ordered_bits<Key, Order>{}(key) >> first_bit) & mask);
  }
  __host__ __device__ int passes() const { return (end_bit - first_bit + digit_bits - 1) / digit_bits; }
};

/// The passes that move keys: those in whose digits keys differ, and none if the keys are in order. Bit p stands for
/// pass p.
template <class Word>
__device__ __forceinline__ unsigned needed_passes(sort_state<Word> const& state)
{
  if (state.disorder == 0) return 0;
  std::uint64_t const differ = state.in_some & state.not_in_some;
  unsigned needed = 0;
#pragma unroll
  for (int p = 0; p < most_passes; ++p) needed |= ((differ >> (digit_bits * p)) & (digits - 1)) != 0 ? 1u << p : 0u;
  return needed;
}

}  // namespace tally::cuda_backend::sorting
