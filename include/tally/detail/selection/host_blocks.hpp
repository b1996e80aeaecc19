#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tally/detail/backends.hpp"
#include "tally/detail/path.hpp"
#include "tally/temporary.hpp"

/// Blocks of elements. A selection on a CPU scans the number of selected elements of each block. A scan asks for an
/// element twice: when it totals a tile, and when it writes the tile's results. So the answers are kept: each block is
/// counted once.
namespace tally::detail::selection {

/// Elements of a block. The bits and the count of a block take 3 % of the memory of its elements, if these have four
/// bytes each. A block of elements of eight bytes fits into every second-level cache.
inline constexpr std::size_t block_size = 4096;

inline std::size_t block_count(std::size_t n)
{
  return n / block_size + (n % block_size != 0);
}

/// A loop's own copy of a function object, which the loop's stores cannot change. A reference, if the object is large
/// or cannot be copied as bytes.
template <class T>
using loop_copy = std::conditional_t<std::is_trivially_copyable_v<T> && sizeof(T) <= 64, T const, T const&>;

/// Counts the selected elements of [begin, end).
template <class Criterion>
std::size_t count_between(Criterion const& criterion, std::size_t begin, std::size_t end)
{
  loop_copy<Criterion> selects = criterion;
  // Narrow, so that a vector holds many counts; a block's count fits.
  std::uint32_t count = 0;
  if constexpr (Criterion::always_first)
    if (begin == 0 && end != 0) {
      ++count;
      ++begin;
    }
  for (std::size_t k = begin; k < end; ++k) count += static_cast<std::uint32_t>(selects(k));
  return count;
}

/// The number of selected elements of each block. Calls of any thread count a block if none has before.
template <class Criterion>
struct block_counts {
  Criterion const* criterion;
  std::size_t n;
  std::uint32_t* counts;  // the count + 1, or 0 as long as the block has not been counted

  static constexpr auto relaxed = std::memory_order_relaxed;  // two threads that count a block find the same

  std::size_t begin(std::size_t b) const { return b * block_size; }
  std::size_t end(std::size_t b) const { return n - begin(b) < block_size ? n : begin(b) + block_size; }
  std::size_t operator()(std::size_t b) const
  {
    std::atomic_ref<std::uint32_t> const place(counts[b]);
    std::uint32_t count = place.load(relaxed);
    if (count == 0) {
      count = static_cast<std::uint32_t>(count_between(*criterion, begin(b), end(b))) + 1;
      place.store(count, relaxed);
    }
    return count - 1;
  }
};

/// Marks all blocks as not yet counted.
template <class P>
void mark_uncounted(temporary<std::uint32_t, P> const& counts)
{
  for (std::uint32_t& count : counts) count = 0;
}

/// A bit for each element of a block, set if the element is selected.
struct block_bits {
  static constexpr std::size_t words = block_size / cpu_backend::flags_a_word;
  std::uint64_t word[words];

  block_bits complement() const
  {
    block_bits others;
    for (std::size_t w = 0; w < words; ++w) others.word[w] = ~word[w];
    return others;
  }
};

/// Sets the bits of the selected elements of [begin, end), and returns their number. Bits behind `end` are 0 in the
/// last word that it begins.
template <class Criterion>
std::size_t find_bits(Criterion const& criterion, std::size_t begin, std::size_t end, block_bits& bits)
{
  loop_copy<Criterion> selects = criterion;
  // Bytes first: compilers make vector instructions of this loop, if the criterion lets them.
  alignas(64) std::uint8_t flags[block_size];
  std::size_t const size = end - begin;
  std::size_t k = 0;
  if constexpr (Criterion::always_first)
    if (begin == 0 && size != 0) flags[k++] = 1;
  for (; k < size; ++k) flags[k] = static_cast<std::uint8_t>(selects(begin + k));
  took(size % cpu_backend::flags_a_word == 0 ? "compact: bits of whole words" : "compact: bits of a short word");
  for (; k % cpu_backend::flags_a_word != 0; ++k) flags[k] = 0;
  return cpu_backend::pack_flags(flags, k, bits.word);
}

/// The number of selected elements of each block, and their bits too: a move of the block need not ask again.
template <class Criterion>
struct block_selections : block_counts<Criterion> {
  std::uint64_t* words;  // block_bits::words for each block

  std::size_t operator()(std::size_t b) const
  {
    std::atomic_ref<std::uint32_t> const place(this->counts[b]);
    std::uint32_t count = place.load(std::memory_order_acquire);
    if (count == 0) {
      block_bits own;
      count = static_cast<std::uint32_t>(find_bits(*this->criterion, this->begin(b), this->end(b), own)) + 1;
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
  /// Atomic, as two threads may write the same word at once.
  std::atomic_ref<std::uint64_t> word(std::size_t b, std::size_t w) const
  {
    return std::atomic_ref<std::uint64_t>(words[b * block_bits::words + w]);
  }
};

}  // namespace tally::detail::selection
