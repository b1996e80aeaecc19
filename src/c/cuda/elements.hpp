#pragma once

#include <cstddef>
#include <cstdint>

#include "src/c/gpu.hpp"
#include "tally/config.hpp"
#include "tally/half.hpp"

/// Elements of a type that is known when a kernel runs: one kernel serves all types, and is compiled once.
namespace tally::c {

/// Returns `use(T())` for the type of elements that are compared. Others are refused before (by_type.hpp).
template <class Use>
TALLY_HD auto with_element_type(tally_type type, Use const& use)
{
  switch (type.code * 1000 + type.bits) {
    case TALLY_INT * 1000 + 8: return use(std::int8_t());
    case TALLY_INT * 1000 + 16: return use(std::int16_t());
    case TALLY_INT * 1000 + 32: return use(std::int32_t());
    case TALLY_INT * 1000 + 64: return use(std::int64_t());
    case TALLY_UINT * 1000 + 16: return use(std::uint16_t());
    case TALLY_UINT * 1000 + 32: return use(std::uint32_t());
    case TALLY_UINT * 1000 + 64: return use(std::uint64_t());
    case TALLY_FLOAT * 1000 + 16: return use(half());
    case TALLY_BFLOAT * 1000 + 16: return use(bfloat16());
    case TALLY_FLOAT * 1000 + 32: return use(float());
    case TALLY_FLOAT * 1000 + 64: return use(double());
    default: return use(std::uint8_t());  // bools too
  }
}

/// Copies an element.
TALLY_HD inline void copy_element(std::byte* to, std::byte const* from, words_of_element const& words)
{
  auto const copy = [&](auto word) {
    using W = decltype(word);
    for (std::size_t w = 0; w < words.count; ++w) reinterpret_cast<W*>(to)[w] = reinterpret_cast<W const*>(from)[w];
  };
  switch (words.bytes) {
    case 1: return copy(std::uint8_t());
    case 2: return copy(std::uint16_t());
    case 4: return copy(std::uint32_t());
    default: return copy(std::uint64_t());
  }
}

}  // namespace tally::c
