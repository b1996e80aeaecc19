#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

/// The compiled kernels of compaction: which elements of a block are wanted, as bits, and these moved side by side.
namespace tally::cpu_backend {

/// Flags that become one word of bits.
inline constexpr std::size_t flags_a_word = 64;

/// Bit k of `bits`, 64 in a word from the lowest up, is set if flag k is not 0. Returns how many are.
///
/// Requires  `size` is a multiple of 64.
std::size_t pack_flags(std::uint8_t const* flags, std::size_t size, std::uint64_t* bits);

/// Elements, of which those with a bit are wanted.
struct compress_job {
  std::byte const* in;
  std::uint64_t const* bits;  ///< bits behind the last element may be anything
  std::size_t size;           ///< elements
  std::byte* out;             ///< overlaps nothing that is read
  std::size_t
      room;  ///< how many are wanted: nothing is written beyond them, where another thread may write at the same time
};

/// Moves those that are wanted to `out`, in their order. Elements are of 4 or 8 bytes, of any alignment.
template <std::size_t Bytes>
void compress(compress_job const& job);
template <>
void compress<4>(compress_job const& job);
template <>
void compress<8>(compress_job const& job);

/// From I to Out elements go as bytes, by a kernel.
template <class I, class Out>
inline constexpr bool compressible = false;
template <std::contiguous_iterator I, std::contiguous_iterator Out>
  requires std::same_as<std::iter_value_t<I>, std::iter_value_t<Out>>
inline constexpr bool compressible<I, Out> =
    (sizeof(std::iter_value_t<I>) == 4 || sizeof(std::iter_value_t<I>) == 8) &&
    std::is_trivially_copyable_v<std::iter_value_t<I>> && std::is_trivially_copy_assignable_v<std::iter_value_t<I>> &&
    std::is_same_v<std::iter_reference_t<Out>, std::iter_value_t<Out>&> &&
    !std::is_volatile_v<std::remove_reference_t<std::iter_reference_t<I>>>;

}  // namespace tally::cpu_backend
