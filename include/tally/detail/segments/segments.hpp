#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "tally/detail/contract.hpp"
#include "tally/detail/path.hpp"
#include "tally/detail/segments/tuning.hpp"
#include "tally/detail/selection/selection.hpp"
#include "tally/for_each.hpp"
#include "tally/scan.hpp"
#include "tally/sequences.hpp"
#include "tally/temporary.hpp"

/// Segments of n elements on a CPU, each treated as if it were alone: short ones by the thread in whose block they
/// begin, long ones by all threads, one after another. So a segment's brackets are those of a call on it, wherever it
/// lies.
namespace tally::detail {

/// Bit i is byte i, each of which is 0 or 1.
inline std::uint64_t bits_of(unsigned char const* bytes)
{
  std::uint64_t bits = 0;
  if constexpr (std::endian::native == std::endian::little) {
    for (unsigned i = 0; i < 64; i += 8) {
      std::uint64_t eight;
      std::memcpy(&eight, bytes + i, sizeof(eight));
      // The product brings the eight bits together in its highest byte.
      bits |= (eight * 0x0102040810204080u >> 56) << i;
    }
  } else {
    for (unsigned i = 0; i < 64; ++i) bits |= std::uint64_t{bytes[i]} << i;
  }
  return bits;
}

/// Writes the distances from `begin` of those of [begin, end) that are chosen, at most a block of them. A branch a word
/// of 64, not one an element: what is chosen cannot be foreseen.
template <class Choice>
void find_chosen(Choice const& who, std::size_t begin, std::size_t end, std::uint32_t* found)
{
  at_hand<Choice> choice = who;
  unsigned char chosen[chosen_block];
  std::size_t const size = end - begin;
  std::size_t i = 0;
  if constexpr (Choice::first)
    if (begin == 0) chosen[i++] = 1;
  for (; i < size; ++i) chosen[i] = static_cast<unsigned char>(choice(begin + i));
  std::size_t const padded = (size + 63) / 64 * 64;
  std::memset(chosen + size, 0, padded - size);
  for (std::size_t word = 0; word < padded; word += 64)
    for (std::uint64_t bits = bits_of(chosen + word); bits != 0; bits &= bits - 1)
      *found++ = static_cast<std::uint32_t>(word) + static_cast<std::uint32_t>(std::countr_zero(bits));
}

struct long_segment {
  std::size_t ordinal;
  std::size_t begin;
};

/// Where segments begin and end, and those that are put off because they are long.
template <class Choice>
struct segment_blocks {
  counted_blocks<Choice> heads;
  std::size_t blocks;
  long_segment* put_off;
  std::atomic<std::size_t>* count_put_off;

  /// The first head in block b or later, n if there is none; n + 1 if there is none in `most` blocks.
  std::size_t head_from(std::size_t b, std::size_t most) const
  {
    for (; b < blocks; ++b) {
      if (heads(b) != 0) {
        std::size_t k = heads.begin(b);
        while (!is_chosen(*heads.choice, k)) ++k;
        return k;
      }
      if (most-- == 0) return heads.n + 1;
    }
    return heads.n;
  }

  /// Calls `work(ordinal, begin, end)` for the segments that begin in block b, before which `ordinal` did; puts off the
  /// last one if it is long.
  template <class Work>
  void work_on(std::size_t b, std::size_t ordinal, Work const& work) const
  {
    std::size_t const count = heads(b);
    took(count == 0 ? "segments: a block without a head" : "segments: a block with heads");
    if (count == 0) return;
    std::size_t const begin = heads.begin(b);
    std::uint32_t found[chosen_block];
    find_chosen(*heads.choice, begin, heads.end(b), found);
    for (std::size_t i = 0; i + 1 < count; ++i) work(ordinal + i, begin + found[i], begin + found[i + 1]);
    std::size_t const last = begin + found[count - 1];
    std::size_t const last_end = head_from(b + 1, segments::tuning_in_use.blocks_of_a_long_segment);
    if (last_end <= heads.n) {
      work(ordinal + count - 1, last, last_end);
      return;
    }
    took("segments: a long one is put off");
    put_off[count_put_off->fetch_add(1, std::memory_order_relaxed)] = {ordinal + count - 1, last};
  }
};

/// Calls `work(cpu, ordinal, begin, end)` for every segment of n elements; `choice` says where they begin. Segments are
/// numbered if `Numbered`. Returns how many there are, if they are.
template <bool Numbered, class P, class Choice, class Work>
std::size_t work_on_segments(P const& on, std::size_t n, std::size_t bytes, Choice const& choice, Work const& work)
{
  if (n == 0) return 0;
  std::size_t const blocks = blocks_of(n);
  temporary<std::uint32_t, P> const counts(on, blocks);
  forget(counts);
  temporary<long_segment, P> const put_off(on, blocks / segments::tuning_in_use.blocks_of_a_long_segment + 1);
  std::atomic<std::size_t> count_put_off{0};
  segment_blocks<Choice> const segments{{&choice, n, counts.data()}, blocks, put_off.data(), &count_put_off};
  auto const alone = [&work](std::size_t ordinal, std::size_t begin, std::size_t end) {
    work(cpu{1}, ordinal, begin, end);
  };
  std::size_t total = 0;
  took(Numbered ? "segments: numbered" : "segments: not numbered");
  if constexpr (Numbered) {
    auto const use = [all = &segments, to = &alone, sum = &total](std::size_t b, std::size_t upto) {
      all->work_on(b, upto - all->heads(b), *to);
      if (b + 1 == all->blocks) *sum = upto;
    };
    auto const elements = elements_from(segments.heads, chosen_block * bytes);
    tally::inclusive_scan(on, elements, elements + static_cast<std::ptrdiff_t>(blocks), results_to(use));
  } else {
    tally::for_each_block(on, n, chosen_block,
                          [&](std::size_t begin, std::size_t) { segments.work_on(begin / chosen_block, 0, alone); });
  }
  for (std::size_t i = 0; i < count_put_off; ++i) {
    long_segment const& each = put_off.data()[i];
    work(on, each.ordinal, each.begin, segments.head_from(each.begin / chosen_block + 1, blocks));
  }
  return total;
}

/// Segments that offsets give: segment s is [offsets[s], offsets[s + 1]). Calls `work(cpu, s, begin, end)` for each,
/// those that are empty too.
///
/// What is shared out is elements and segments together, so that neither many empty segments nor a few long ones are
/// one thread's.
template <class P, class Offsets, class Work>
void work_between_offsets(P const& on, Offsets offsets, std::size_t segments, Work const& work)
{
  if (segments == 0) return;
  auto const offset = [&](std::size_t s) {
    return static_cast<std::size_t>(offsets[static_cast<std::iter_difference_t<Offsets>>(s)]);
  };
  std::size_t const most = segments::tuning_in_use.blocks_of_a_long_segment * chosen_block;
  took("segments: between offsets");
  std::size_t const base = offset(0);
  std::size_t const units = offset(segments) - base + segments;
  temporary<std::size_t, P> const put_off(on, units / most + 1);
  std::atomic<std::size_t> count_put_off{0};
  tally::for_each_block(on, units, chosen_block, [&](std::size_t begin, std::size_t end) {
    // The first segment of the block: segment s begins at unit offset(s) - base + s.
    std::size_t s = 0;
    for (std::size_t size = segments; size > 0;) {
      std::size_t const half = size / 2;
      if (offset(s + half) - base + s + half < begin) {
        s += half + 1;
        size -= half + 1;
      } else {
        size = half;
      }
    }
    for (; s < segments && offset(s) - base + s < end; ++s) {
      if (offset(s + 1) - offset(s) < most) {
        work(cpu{1}, s, offset(s), offset(s + 1));
        continue;
      }
      took("segments: a long one between offsets is put off");
      put_off.data()[count_put_off.fetch_add(1, std::memory_order_relaxed)] = s;
    }
  });
  for (std::size_t i = 0; i < count_put_off; ++i) {
    std::size_t const s = put_off.data()[i];
    work(on, s, offset(s), offset(s + 1));
  }
}

}  // namespace tally::detail
