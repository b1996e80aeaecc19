#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

/// The compiled kernels of compaction: they pack the flags of a block's selected elements into bits, or find where
/// elements change, and move selected elements side by side.
namespace tally::cpu_backend {

/// Flags in one word of bits.
inline constexpr std::size_t flags_a_word = 64;

/// Sets bit k of `bits` if flag k is not 0; a word has 64 bits, from the lowest up. Returns the number of bits set.
///
/// Requires  `size` is a multiple of 64.
std::size_t pack_flags(std::uint8_t const* flags, std::size_t size, std::uint64_t* bits);

/// Sets bit k of `bits` if element k differs from the one before it, which element 0 has too. Elements are integers of
/// `Bytes` bytes and any alignment. Returns the number of bits set.
///
/// Requires  `size` is a multiple of 64.
template <std::size_t Bytes>
std::size_t find_changes(std::byte const* in, std::size_t size, std::uint64_t* bits);
template <>
std::size_t find_changes<1>(std::byte const* in, std::size_t size, std::uint64_t* bits);
template <>
std::size_t find_changes<2>(std::byte const* in, std::size_t size, std::uint64_t* bits);
template <>
std::size_t find_changes<4>(std::byte const* in, std::size_t size, std::uint64_t* bits);
template <>
std::size_t find_changes<8>(std::byte const* in, std::size_t size, std::uint64_t* bits);

/// Elements, of which those with a bit are selected.
struct compress_job {
  std::byte const* in;
  std::uint64_t const* bits;  ///< bits beyond the last element may be anything
  std::size_t size;           ///< elements
  std::byte* out;             ///< overlaps nothing that is read
  /// The number of selected elements. Nothing is written beyond them: another thread may be writing there.
  std::size_t room;
};

/// Moves the selected elements to `out`, in their order. Elements have 4 or 8 bytes and any alignment.
template <std::size_t Bytes>
void compress(compress_job const& job);
template <>
void compress<4>(compress_job const& job);
template <>
void compress<8>(compress_job const& job);

/// Whether the kernel can move elements from I to Out, as bytes.
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
