// Compaction of a block, compiled once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/cpu/compress.cpp"
#include <hwy/foreach_target.h>
// Highway wants its own header after foreach_target.
#include <hwy/highway.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "src/cpu/vectors-inl.hpp"
#include "tally/detail/cpu/compress.hpp"
#include "tally/detail/path.hpp"

HWY_BEFORE_NAMESPACE();
namespace tally::cpu_backend::HWY_NAMESPACE {

std::size_t pack(std::uint8_t const* flags, std::size_t size, std::uint64_t* bits)
{
  vector_tag<std::uint8_t> d;
  auto const zero = hn::Zero(d);
  std::size_t count = 0;
  for (std::size_t w = 0; w < size / flags_a_word; ++w) {
    std::uint8_t bytes[sizeof(std::uint64_t)];
    for (std::size_t k = 0; k < flags_a_word; k += lanes<std::uint8_t>)
      hn::StoreMaskBits(d, hn::Ne(hn::LoadU(d, flags + w * flags_a_word + k), zero), bytes + k / 8);
    std::uint64_t word;
    std::memcpy(&word, bytes, sizeof word);
    bits[w] = word;
    count += static_cast<std::size_t>(std::popcount(word));
  }
  return count;
}

/// The bits of the elements of a word that differ from the ones before them.
template <class T>
HWY_INLINE void changes_of_word(T const* in, std::uint8_t* bytes)
{
  vector_tag<T> d;
  constexpr std::size_t vector = lanes<T>;
  if constexpr (vector >= 8) {
    for (std::size_t k = 0; k < flags_a_word; k += vector)
      hn::StoreMaskBits(d, hn::Ne(hn::LoadU(d, in + k - 1), hn::LoadU(d, in + k)), bytes + k / 8);
  } else {
    for (std::size_t byte = 0; byte < sizeof(std::uint64_t); ++byte) {
      std::uint32_t all = 0;
      for (std::size_t k = 0; k < 8; k += vector) {
        T const* const at = in + byte * 8 + k;
        std::uint8_t some[8];
        hn::StoreMaskBits(d, hn::Ne(hn::LoadU(d, at - 1), hn::LoadU(d, at)), some);
        all |= (some[0] & ((1U << vector) - 1)) << k;
      }
      bytes[byte] = static_cast<std::uint8_t>(all);
    }
  }
}

/// The distance of prefetching: 16 KiB are the next block's keys. Without it reductions by key took a seventh longer.
inline constexpr std::size_t bytes_ahead = std::size_t{16} << 10;

template <class T>
HWY_INLINE std::size_t find_changes_of(std::byte const* in, std::size_t size, std::uint64_t* bits)
{
  auto const* const elements = reinterpret_cast<T const*>(in);
  std::size_t const words = size / flags_a_word;
  for (std::size_t w = 0; w < words; ++w) {
    for (std::size_t byte = 0; byte < flags_a_word * sizeof(T); byte += 64)
      __builtin_prefetch(in + w * flags_a_word * sizeof(T) + byte + bytes_ahead, 0, 2);
    changes_of_word(elements + w * flags_a_word, reinterpret_cast<std::uint8_t*>(bits + w));
  }
  // Later, so that no word is read while its bytes are being written.
  std::size_t count = 0;
  for (std::size_t w = 0; w < words; ++w) count += static_cast<std::size_t>(std::popcount(bits[w]));
  return count;
}

std::size_t find_changes_1(std::byte const* in, std::size_t size, std::uint64_t* bits)
{
  return find_changes_of<std::uint8_t>(in, size, bits);
}
std::size_t find_changes_2(std::byte const* in, std::size_t size, std::uint64_t* bits)
{
  return find_changes_of<std::uint16_t>(in, size, bits);
}
std::size_t find_changes_4(std::byte const* in, std::size_t size, std::uint64_t* bits)
{
  return find_changes_of<std::uint32_t>(in, size, bits);
}
std::size_t find_changes_8(std::byte const* in, std::size_t size, std::uint64_t* bits)
{
  return find_changes_of<std::uint64_t>(in, size, bits);
}

/// Moves the elements of a vector at `in` whose bit is set to `to`, and returns their number. A whole vector is
/// written; what follows these elements is arbitrary.
template <class T>
HWY_INLINE std::size_t compress_vector(std::byte const* in, std::uint32_t wanted, std::byte* to)
{
  vector_tag<T> d;
  hn::Repartition<std::uint8_t, decltype(d)> d8;
  std::uint8_t const bits[8] = {static_cast<std::uint8_t>(wanted), static_cast<std::uint8_t>(wanted >> 8)};
  auto const all = hn::BitCast(d, hn::LoadU(d8, reinterpret_cast<std::uint8_t const*>(in)));
  hn::StoreU(hn::BitCast(d8, hn::CompressBits(all, bits)), d8, reinterpret_cast<std::uint8_t*>(to));
  return static_cast<std::size_t>(std::popcount(wanted));
}

/// The same for the elements of a word. Up to a whole vector is written beyond the last of them.
template <class T>
HWY_INLINE std::size_t compress_word(std::byte const* in, std::uint64_t word, std::byte* to)
{
  constexpr std::uint64_t vector = lanes<T>, ones = (std::uint64_t{1} << vector) - 1;
  std::size_t moved = 0;
  for (std::size_t k = 0; k < flags_a_word; k += vector)
    moved +=
        compress_vector<T>(in + k * sizeof(T), static_cast<std::uint32_t>(word >> k & ones), to + moved * sizeof(T));
  return moved;
}

template <class T>
HWY_INLINE void compress_block(compress_job const& job)
{
  constexpr std::size_t bytes = sizeof(T);
  // Copies: writes to the output cannot change them.
  std::byte const* const in = job.in;
  std::uint64_t const* const bits = job.bits;
  std::byte* const out = job.out;
  std::size_t const size = job.size, room = job.room, words = size / flags_a_word;
  std::size_t w = 0, moved = 0;
  for (; w < words && moved + flags_a_word <= room; ++w)
    moved += compress_word<T>(in + w * flags_a_word * bytes, bits[w], out + moved * bytes);
  if (w > 0) detail::took("compress: words to the output");
  // Fewer than 64 selected elements are left. They are gathered in a buffer with room for a whole vector behind them.
  std::byte last[(flags_a_word + lanes<T>)*bytes];
  std::size_t held = 0;
  for (; w < words && moved + held < room; ++w)
    held += compress_word<T>(in + w * flags_a_word * bytes, bits[w], last + held * bytes);
  if (held > 0) detail::took("compress: last words beside it");
  if (moved + held < room) detail::took("compress: elements behind the words");
  for (std::size_t k = w * flags_a_word; moved + held < room; ++k)
    if ((bits[k / flags_a_word] >> k % flags_a_word & 1) != 0)
      std::memcpy(last + held++ * bytes, in + k * bytes, bytes);
  std::memcpy(out + moved * bytes, last, held * bytes);
}

void compress_4(compress_job const& job)
{
  compress_block<std::uint32_t>(job);
}
void compress_8(compress_job const& job)
{
  compress_block<std::uint64_t>(job);
}

}  // namespace tally::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tally::cpu_backend {

HWY_EXPORT(pack);
HWY_EXPORT(find_changes_1);
HWY_EXPORT(find_changes_2);
HWY_EXPORT(find_changes_4);
HWY_EXPORT(find_changes_8);
HWY_EXPORT(compress_4);
HWY_EXPORT(compress_8);

std::size_t pack_flags(std::uint8_t const* flags, std::size_t size, std::uint64_t* bits)
{
  return HWY_DYNAMIC_DISPATCH(pack)(flags, size, bits);
}
template <>
std::size_t find_changes<1>(std::byte const* in, std::size_t size, std::uint64_t* bits)
{
  return HWY_DYNAMIC_DISPATCH(find_changes_1)(in, size, bits);
}
template <>
std::size_t find_changes<2>(std::byte const* in, std::size_t size, std::uint64_t* bits)
{
  return HWY_DYNAMIC_DISPATCH(find_changes_2)(in, size, bits);
}
template <>
std::size_t find_changes<4>(std::byte const* in, std::size_t size, std::uint64_t* bits)
{
  return HWY_DYNAMIC_DISPATCH(find_changes_4)(in, size, bits);
}
template <>
std::size_t find_changes<8>(std::byte const* in, std::size_t size, std::uint64_t* bits)
{
  return HWY_DYNAMIC_DISPATCH(find_changes_8)(in, size, bits);
}
template <>
void compress<4>(compress_job const& job)
{
  HWY_DYNAMIC_DISPATCH(compress_4)(job);
}
template <>
void compress<8>(compress_job const& job)
{
  HWY_DYNAMIC_DISPATCH(compress_8)(job);
}

}  // namespace tally::cpu_backend
#endif
