#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tally/detail/backends.hpp"
#include "tally/detail/path.hpp"
#include "tally/temporary.hpp"

/// What a scan on a CPU takes for its elements when some of n are chosen: blocks, of which it is found out once how
/// many, or which, are chosen.
namespace tally::detail {

/// Elements of a block. Their bits and count are 3% of the memory that is read of four bytes each, and a block of eight
/// bytes each is in every second-level cache.
inline constexpr std::size_t chosen_block = 4096;

inline std::size_t blocks_of(std::size_t n)
{
  return n / chosen_block + (n % chosen_block != 0);
}

/// What a loop keeps at hand: a copy, which its stores cannot change, where copies are bytes.
template <class T>
using at_hand = std::conditional_t<std::is_trivially_copyable_v<T> && sizeof(T) <= 64, T const, T const&>;

/// How many of [begin, end) are chosen.
template <class Choice>
std::size_t count_chosen(Choice const& who, std::size_t begin, std::size_t end)
{
  at_hand<Choice> choice = who;
  // Narrow, so that a vector has many of them; a block is no longer than that.
  std::uint32_t count = 0;
  if constexpr (Choice::first)
    if (begin == 0 && end != 0) {
      ++count;
      ++begin;
    }
  for (std::size_t k = begin; k < end; ++k) count += static_cast<std::uint32_t>(choice(k));
  return count;
}

/// Counts of blocks, each found once: a scan asks for an element when it totals a tile, and again when it writes the
/// tile's results.
template <class Choice>
struct counted_blocks {
  Choice const* choice;
  std::size_t n;
  std::uint32_t* counts;  // one more than the count, or 0: not yet known

  static constexpr auto relaxed = std::memory_order_relaxed;  // a value that anyone may find, and finds the same

  std::size_t begin(std::size_t b) const { return b * chosen_block; }
  std::size_t end(std::size_t b) const { return n - begin(b) < chosen_block ? n : begin(b) + chosen_block; }
  std::size_t operator()(std::size_t b) const
  {
    std::atomic_ref<std::uint32_t> const place(counts[b]);
    std::uint32_t count = place.load(relaxed);
    if (count == 0) {
      count = static_cast<std::uint32_t>(count_chosen(*choice, begin(b), end(b))) + 1;
      place.store(count, relaxed);
    }
    return count - 1;
  }
};

/// The counts' memory, of which nothing is known yet.
template <class P>
void forget(temporary<std::uint32_t, P> const& counts)
{
  for (std::uint32_t& count : counts) count = 0;
}

/// Which elements of a block are chosen: a bit for each.
struct block_bits {
  static constexpr std::size_t words = chosen_block / cpu_backend::flags_a_word;
  std::uint64_t word[words];

  block_bits complement() const
  {
    block_bits others;
    for (std::size_t w = 0; w < words; ++w) others.word[w] = ~word[w];
    return others;
  }
};

/// Finds which of [begin, end) are chosen, and returns how many.
template <class Choice>
std::size_t find_bits(Choice const& who, std::size_t begin, std::size_t end, block_bits& bits)
{
  at_hand<Choice> choice = who;
  // As bytes first: of such a loop a compiler makes vector instructions, if the choice lets it.
  alignas(64) std::uint8_t flags[chosen_block];
  std::size_t const size = end - begin;
  std::size_t k = 0;
  if constexpr (Choice::first)
    if (begin == 0 && size != 0) flags[k++] = 1;
  for (; k < size; ++k) flags[k] = static_cast<std::uint8_t>(choice(begin + k));
  took(size % cpu_backend::flags_a_word == 0 ? "compact: bits of whole words" : "compact: bits of a short word");
  for (; k % cpu_backend::flags_a_word != 0; ++k) flags[k] = 0;
  return cpu_backend::pack_flags(flags, k, bits.word);
}

/// As counted_blocks, but with a block's count its bits are kept too: whoever moves it need not ask again.
template <class Choice>
struct chosen_blocks : counted_blocks<Choice> {
  std::uint64_t* words;  // block_bits::words for each block

  std::size_t operator()(std::size_t b) const
  {
    std::atomic_ref<std::uint32_t> const place(this->counts[b]);
    std::uint32_t count = place.load(std::memory_order_acquire);
    if (count == 0) {
      block_bits own;
      count = static_cast<std::uint32_t>(find_bits(*this->choice, this->begin(b), this->end(b), own)) + 1;
      for (std::size_t w = 0; w < words_of(b); ++w) word(b, w).store(own.word[w], this->relaxed);
      place.store(count, std::memory_order_release);
    }
    return count - 1;
  }

  /// Requires  the block has been counted.
  block_bits bits(std::size_t b) const
  {
    block_bits own;
    for (std::size_t w = 0; w < words_of(b); ++w) own.word[w] = word(b, w).load(this->relaxed);
    return own;
  }

private:
  std::size_t words_of(std::size_t b) const
  {
    return (this->end(b) - this->begin(b) + cpu_backend::flags_a_word - 1) / cpu_backend::flags_a_word;
  }
  /// Atomic, as two threads may find the same at once.
  std::atomic_ref<std::uint64_t> word(std::size_t b, std::size_t w) const
  {
    return std::atomic_ref<std::uint64_t>(words[b * block_bits::words + w]);
  }
};

}  // namespace tally::detail
