#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/// A word that tells which of 64 bytes have a property: bit i is byte i.
namespace tally::io {

#ifdef __SSE2__

namespace detail {

template <class Test>
std::uint64_t mask_of(char const* bytes, Test test)
{
  std::uint64_t mask = 0;
  for (int i = 0; i < 4; ++i) {
    __m128i const part = _mm_loadu_si128(reinterpret_cast<__m128i const*>(bytes + 16 * i));
    mask |= std::uint64_t(static_cast<unsigned>(_mm_movemask_epi8(test(part)))) << (16 * i);
  }
  return mask;
}

}  // namespace detail

inline std::uint64_t mask_equal(char const* bytes, char wanted)
{
  return detail::mask_of(bytes, [wanted](__m128i part) { return _mm_cmpeq_epi8(part, _mm_set1_epi8(wanted)); });
}

/// Space, \t, \n, \v, \f, \r.
inline std::uint64_t mask_space(char const* bytes)
{
  return detail::mask_of(bytes, [](__m128i part) {
    __m128i const from_tab = _mm_sub_epi8(part, _mm_set1_epi8('\t'));
    __m128i const control = _mm_cmpeq_epi8(_mm_min_epu8(from_tab, _mm_set1_epi8(4)), from_tab);
    return _mm_or_si128(control, _mm_cmpeq_epi8(part, _mm_set1_epi8(' ')));
  });
}

#else

inline std::uint64_t mask_equal(char const* bytes, char wanted)
{
  std::uint64_t mask = 0;
  for (int i = 0; i < 64; ++i) mask |= std::uint64_t(bytes[i] == wanted) << i;
  return mask;
}

inline std::uint64_t mask_space(char const* bytes)
{
  std::uint64_t mask = 0;
  for (int i = 0; i < 64; ++i) mask |= std::uint64_t(bytes[i] == ' ' || (bytes[i] >= '\t' && bytes[i] <= '\r')) << i;
  return mask;
}

#endif

/// Space, \t, \n, \v, \f, \r.
inline bool is_space(char c)
{
  return c == ' ' || (c >= '\t' && c <= '\r');
}

/// The number of bytes equal to `wanted`.
inline std::size_t count_bytes(char const* begin, char const* end, char wanted)
{
  std::size_t total = 0;
  while (end - begin >= 64) {
    // The count of each byte position stays below 256 for 255 rounds, so the compiler can add bytes.
    std::uint8_t counts[64] = {};
    for (int round = 0; round < 255 && end - begin >= 64; ++round, begin += 64) {
      for (int i = 0; i < 64; ++i) counts[i] = static_cast<std::uint8_t>(counts[i] + (begin[i] == wanted));
    }
    for (std::uint8_t const count : counts) total += count;
  }
  for (; begin != end; ++begin) total += *begin == wanted;
  return total;
}

/// Bit i of the result is the parity of bits 0 to i.
inline std::uint64_t running_parity(std::uint64_t bits)
{
  for (int shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}

}  // namespace tally::io
