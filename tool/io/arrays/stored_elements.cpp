#include "io/arrays/stored_elements.hpp"

#include <cstdint>
#include <cstring>

namespace tally::io {

namespace {

template <class Word>
Word load(void const* from, std::size_t index)
{
  Word word;
  std::memcpy(&word, static_cast<char const*>(from) + index * sizeof(Word), sizeof(Word));
  return word;
}

template <class Word>
Word swap_bytes(Word word)
{
  if constexpr (sizeof(Word) == 2) return __builtin_bswap16(word);
  if constexpr (sizeof(Word) == 4) return __builtin_bswap32(word);
  if constexpr (sizeof(Word) == 8) return __builtin_bswap64(word);
}

template <class Word>
void swap_all(void const* from, void* to, std::size_t count)
{
  for (std::size_t i = 0; i < count; ++i) {
    Word const swapped = swap_bytes(load<Word>(from, i));
    std::memcpy(static_cast<char*>(to) + i * sizeof(Word), &swapped, sizeof(Word));
  }
}

/// The bits of a half, shifted by 13, are those of a float 2^112 times smaller, denormals included. Only infinity and
/// NaN need the largest exponent restored.
float widen(std::uint16_t half)
{
  std::uint32_t const magnitude = std::uint32_t(half & 0x7fff) << 13;
  auto bits = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112f);
  if ((half & 0x7c00) == 0x7c00) bits = magnitude | 0x7f800000;
  return std::bit_cast<float>(bits | std::uint32_t(half & 0x8000) << 16);
}

void widen_all(bool swap, void const* from, float* to, std::size_t count)
{
  for (std::size_t i = 0; i < count; ++i) {
    auto const half = load<std::uint16_t>(from, i);
    to[i] = widen(swap ? swap_bytes(half) : half);
  }
}

}  // namespace

void to_values(stored_elements const& elements, void const* from, void* to, std::size_t count)
{
  using form = stored_elements::form;
  bool const swap = elements.order != std::endian::native;
  if (elements.stored_as == form::half) {
    widen_all(swap, from, static_cast<float*>(to), count);
  } else if (elements.stored_as == form::boolean) {
    for (std::size_t i = 0; i < count; ++i) static_cast<std::uint8_t*>(to)[i] = load<std::uint8_t>(from, i) != 0;
  } else if (elements.native()) {
    if (from != to) std::memcpy(to, from, count * elements.size());
  } else {
    switch (elements.size()) {
      case 2: swap_all<std::uint16_t>(from, to, count); break;
      case 4: swap_all<std::uint32_t>(from, to, count); break;
      case 8: swap_all<std::uint64_t>(from, to, count); break;
      default: break;
    }
  }
}

}  // namespace tally::io
