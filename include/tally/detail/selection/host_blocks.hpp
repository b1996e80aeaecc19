#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <type_traits>

#include "tally/detail/backends.hpp"
#include "tally/detail/path.hpp"
#include "tally/detail/selection/criteria.hpp"
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

/// Whether elements are integers or the like in memory, which are equal if their bytes are.
template <class I>
inline constexpr bool is_whole_number_in_memory = [] {
  using value = std::iter_value_t<I>;
  return (std::is_integral_v<value> || std::is_enum_v<value>) && sizeof(value) <= 8 &&
         std::is_same_v<std::remove_cvref_t<std::iter_reference_t<I>>, value> &&
         !std::is_volatile_v<std::remove_reference_t<std::iter_reference_t<I>>>;
}();

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

/// Criteria of elements in memory, whose bits compiled kernels find: `words_of(criterion, begin, size, bits)` sets
/// those of [begin, begin + size), a multiple of 64, and returns their number. It reads the element before `begin`.
template <class Criterion>
inline constexpr bool has_bits_in_memory = false;
template <std::contiguous_iterator I>
inline constexpr bool has_bits_in_memory<by_change<I, equal_values>> = is_whole_number_in_memory<I>;
template <std::contiguous_iterator I>
inline constexpr bool has_bits_in_memory<by_flag<I>> =
    is_whole_number_in_memory<I> && sizeof(std::iter_value_t<I>) == 1;

template <class I>
std::size_t words_of(by_change<I, equal_values> const& criterion, std::size_t begin, std::size_t size,
                     std::uint64_t* bits)
{
  return cpu_backend::find_changes<sizeof(std::iter_value_t<I>)>(
      reinterpret_cast<std::byte const*>(std::to_address(criterion.values) + begin), size, bits);
}
template <class I>
std::size_t words_of(by_flag<I> const& criterion, std::size_t begin, std::size_t size, std::uint64_t* bits)
{
  return cpu_backend::pack_flags(reinterpret_cast<std::uint8_t const*>(std::to_address(criterion.flags) + begin), size,
                                 bits);
}

/// Sets the bits of the selected elements of [begin, end), which are `size` at most, and returns their number. Bits
/// behind `end` are 0 in the last word that it begins.
template <std::size_t Size, class Criterion>
std::size_t find_bits_by_flags(Criterion const& criterion, std::size_t begin, std::size_t end, std::uint64_t* words)
{
  loop_copy<Criterion> selects = criterion;
  // Bytes first: compilers make vector instructions of this loop, if the criterion lets them.
  alignas(64) std::uint8_t flags[Size];
  std::size_t const size = end - begin;
  std::size_t k = 0;
  if constexpr (Criterion::always_first)
    if (begin == 0 && size != 0) flags[k++] = 1;
  for (; k < size; ++k) flags[k] = static_cast<std::uint8_t>(selects(begin + k));
  took(size % cpu_backend::flags_a_word == 0 ? "compact: bits of whole words" : "compact: bits of a short word");
  for (; k % cpu_backend::flags_a_word != 0; ++k) flags[k] = 0;
  return cpu_backend::pack_flags(flags, k, words);
}

/// Sets the bits of the selected elements of [begin, end), a block at most, and returns their number. Bits behind `end`
/// are 0 in the last word that it begins.
template <class Criterion>
std::size_t find_bits(Criterion const& criterion, std::size_t begin, std::size_t end, block_bits& bits)
{
  if constexpr (has_bits_in_memory<Criterion>) {
    constexpr std::size_t word = cpu_backend::flags_a_word;
    // The first element of all has none before it, and the last word may be short.
    std::size_t const first = begin == 0 ? std::min(word, end) : begin;
    std::size_t const last = first + (end - first) / word * word;
    std::size_t count = 0;
    if (first > begin) count += find_bits_by_flags<word>(criterion, begin, first, bits.word);
    if (last > first) {
      took("compact: bits by a kernel");
      count += words_of(criterion, first, last - first, bits.word + (first - begin) / word);
    }
    if (end > last) count += find_bits_by_flags<word>(criterion, last, end, bits.word + (last - begin) / word);
    return count;
  } else {
    return find_bits_by_flags<block_size>(criterion, begin, end, bits.word);
  }
}

/// Counts the selected elements of [begin, end), a block at most.
template <class Criterion>
std::size_t count_between(Criterion const& criterion, std::size_t begin, std::size_t end)
{
  if constexpr (has_bits_in_memory<Criterion>) {
    block_bits bits;
    return find_bits(criterion, begin, end, bits);
  }
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

  /// Sets the bits of block b, and returns their number.
  std::size_t find(std::size_t b, block_bits& bits) const
  {
    std::size_t const count = find_bits(*criterion, begin(b), end(b), bits);
    std::atomic_ref<std::uint32_t>(counts[b]).store(static_cast<std::uint32_t>(count) + 1, relaxed);
    return count;
  }
};

/// Marks all blocks as not yet counted.
template <class P>
void mark_uncounted(temporary<std::uint32_t, P> const& counts)
{
  for (std::uint32_t& count : counts) count = 0;
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

  /// Sets the bits of block b, and returns their number.
  std::size_t find(std::size_t b, block_bits& to) const
  {
    std::size_t const count = (*this)(b);
    to = bits(b);
    return count;
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
