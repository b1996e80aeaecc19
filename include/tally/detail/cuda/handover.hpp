#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "tally/config.hpp"

#ifndef __CUDA_ARCH__
#include <atomic>
#endif

/// Shares out the tiles of an array among the blocks of one launch, and passes the tiles' totals between them.
/// Everything in this file also compiles for the CPU, where it is tested under the thread sanitizer.
///
/// A worker (a block) draws a tile, computes its total, publishes it, and waits for the totals of the tiles before.
/// Tickets are drawn in order by workers that run, and totals wait for nothing. So every wait ends, however few workers
/// run at a time and in whatever order they begin.
///
/// Nothing is cleared between calls: each call has an epoch of its own, and a word that carries another epoch is not
/// published yet.
namespace tally::cuda_backend {

/// The state that passes from call to call in a workspace. One call at a time uses it. It begins as zeros, and so do
/// the words: the first epoch is 1, so that no word looks published.
struct control {
  std::uint64_t next;      ///< epochs that are over in the upper half, the next ticket in the lower
  std::uint32_t finished;  ///< workers that have finished, counted in the last epoch only
  std::uint32_t unused;
};

/// Totals of a reduction with a worker for each tile, each with an epoch of its own: nothing is drawn, and no worker
/// counts. A worker publishes its tile's total in the epoch after that of the words, which it alone writes. The worker
/// that folds finds the epoch of the last call in `taken`. It takes each total once, or computes one that is late
/// itself; the tile's worker will still publish that one, in this epoch and before the next call begins.
template <std::size_t Words>
struct own_totals {
  static constexpr std::size_t most_tiles = 512;

  std::uint64_t words[most_tiles * Words];
  std::uint32_t taken[most_tiles];
};

/// The begin of a workspace's memory; words follow.
struct workspace_header {
  control shared;
  alignas(128) own_totals<1> of_one_word;
  own_totals<2> of_two_words;
};

inline constexpr std::uint32_t last_epoch = 0xffffffff;

TALLY_HD inline std::uint64_t load_relaxed(std::uint64_t const* word)
{
#ifdef __CUDA_ARCH__
  std::uint64_t value;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
  return value;
#else
  return std::atomic_ref(*const_cast<std::uint64_t*>(word)).load(std::memory_order_relaxed);
#endif
}

TALLY_HD inline std::uint32_t load_relaxed(std::uint32_t const* word)
{
#ifdef __CUDA_ARCH__
  std::uint32_t value;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
  return value;
#else
  return std::atomic_ref(*const_cast<std::uint32_t*>(word)).load(std::memory_order_relaxed);
#endif
}

TALLY_HD inline void store_relaxed(std::uint64_t* word, std::uint64_t value)
{
#ifdef __CUDA_ARCH__
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
#else
  std::atomic_ref(*word).store(value, std::memory_order_relaxed);
#endif
}

TALLY_HD inline void store_relaxed(std::uint32_t* word, std::uint32_t value)
{
#ifdef __CUDA_ARCH__
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
#else
  std::atomic_ref(*word).store(value, std::memory_order_relaxed);
#endif
}

/// The words of a published total: each holds four bytes of the total and the epoch. A word of eight bytes is read and
/// written whole, so the words may arrive in any order and at different times: a reader has the value once all of them
/// have the epoch. Neither side needs a fence (relaxed), since nothing but the words is handed over.
template <class W>
inline constexpr std::size_t words_of = (sizeof(W) + 3) / 4;

/// A part of a total and the epoch in one word.
TALLY_HD inline std::uint64_t tagged(std::uint32_t part, std::uint32_t epoch)
{
#ifdef __CUDA_ARCH__
  // Padding bytes are undefined to the compiler. When it widened a part with padding it was seen to treat the whole
  // word as undefined: the epoch was lost, and all blocks waited for ever. The assembly hides the part from it.
  std::uint64_t word;
  asm("mov.b64 %0, {%1, %2};" : "=l"(word) : "r"(part), "r"(epoch));
  return word;
#else
  return static_cast<std::uint64_t>(epoch) << 32 | part;
#endif
}

template <class W>
TALLY_HD void publish(std::uint64_t* words, W const& value, std::uint32_t epoch)
{
  static_assert(std::is_trivially_copyable_v<W>);
  std::uint32_t parts[words_of<W>] = {};
  memcpy(parts, &value, sizeof(W));
  for (std::size_t k = 0; k < words_of<W>; ++k) store_relaxed(words + k, tagged(parts[k], epoch));
}

/// The words of a value as they were read. They are decoded later, so that a worker can have many on their way at once.
template <class W>
struct read_words {
  std::uint64_t words[words_of<W>];

  TALLY_HD void load(std::uint64_t const* from)
  {
    for (std::size_t k = 0; k < words_of<W>; ++k) words[k] = load_relaxed(from + k);
  }
  /// Whether the value was published.
  TALLY_HD bool has(std::uint32_t epoch) const
  {
    // No early return: one made columns of floats slower by a tenth.
    std::uint32_t differing = 0;
    for (std::uint64_t const word : words) differing |= static_cast<std::uint32_t>(word >> 32) ^ epoch;
    return differing == 0;
  }
  /// The same. `value` is not touched otherwise.
  TALLY_HD bool decode(W& value, std::uint32_t epoch) const
  {
    bool all = true;
    std::uint32_t parts[words_of<W>];
    for (std::size_t k = 0; k < words_of<W>; ++k) {
      all = all && static_cast<std::uint32_t>(words[k] >> 32) == epoch;
      parts[k] = static_cast<std::uint32_t>(words[k]);
    }
    if (all) memcpy(&value, parts, sizeof(W));
    return all;
  }
};

struct drawing {
  std::uint32_t epoch;
  std::uint32_t tile;  ///< beyond the last tile: the worker is done
};

/// Draws a tile: adds `count` to the counter of tickets. The sum that all workers of a call add is fixed beforehand.
/// The worker that completes it resets the counter for the next call (in `resolve`, as soon as it decodes its ticket).
/// No worker reads the counter after that within this call. Relaxed: nothing but the ticket is handed over.
TALLY_HD inline std::uint64_t draw_unseen(control& shared, std::uint32_t count = 1)
{
#ifdef __CUDA_ARCH__
  std::uint64_t drawn;
  asm volatile("atom.relaxed.gpu.global.add.u64 %0, [%1], %2;"
               : "=l"(drawn)
               : "l"(&shared.next), "l"(static_cast<std::uint64_t>(count))
               : "memory");
  return drawn;
#else
  return std::atomic_ref(shared.next).fetch_add(count, std::memory_order_relaxed);
#endif
}

TALLY_HD inline drawing resolve(control& shared, std::uint64_t drawn, std::uint32_t all, std::uint32_t count = 1)
{
  drawing const mine{static_cast<std::uint32_t>(drawn >> 32) + 1, static_cast<std::uint32_t>(drawn)};
  if (mine.tile + count == all && mine.epoch != last_epoch)
    store_relaxed(&shared.next, static_cast<std::uint64_t>(mine.epoch) << 32);
  return mine;
}

/// Counts this worker at a word, and returns the count in this epoch, with this worker. Words of earlier epochs are
/// less than any count of this one, so a maximum makes them a count of 0. Relaxed: only the count is handed over.
TALLY_HD inline std::uint32_t count_at(std::uint64_t* word, std::uint32_t epoch)
{
  std::uint64_t const none = static_cast<std::uint64_t>(epoch) << 32;
#ifdef __CUDA_ARCH__
  std::uint64_t before;
  asm volatile("red.relaxed.gpu.global.max.u64 [%0], %1;" ::"l"(word), "l"(none) : "memory");
  asm volatile("atom.relaxed.gpu.global.add.u64 %0, [%1], 1;" : "=l"(before) : "l"(word) : "memory");
#else
  std::atomic_ref const count(*word);
  std::uint64_t seen = count.load(std::memory_order_relaxed);
  while (seen < none && !count.compare_exchange_weak(seen, none, std::memory_order_relaxed)) {}
  std::uint64_t const before = count.fetch_add(1, std::memory_order_relaxed);
#endif
  return static_cast<std::uint32_t>(before) + 1;
}

/// The tickets of a scan. Its `workers` workers draw until there are no more tiles, so each draws one beyond the last
/// tile. Requires a sum below 2^32.
TALLY_HD inline std::uint32_t tickets_of_scan(std::uint32_t tiles, std::uint32_t workers)
{
  return tiles + workers;
}

/// The ticket of the worker that folds in a reduction. It draws no tile, but needs the epoch before the epoch is over,
/// so it adds this to the counter.
inline constexpr std::uint32_t folder_ticket = 0x80000000;

/// The tickets of a reduction. Its workers each begin with the tile of their own number, and then draw until there are
/// no more. Requires fewer than 2^31 tiles.
TALLY_HD inline std::uint32_t tickets_of_reduction(std::uint32_t tiles)
{
  return tiles + folder_ticket;
}

/// Called by each worker when it neither reads nor writes words any more. Epochs start again after 2^32 calls (two to
/// three hours of the shortest ones), when words of the first epochs may still be there. So in the last epoch the last
/// worker clears all words. Acquire and release: every read of a word by any worker comes before the clearing.
TALLY_HD inline void finish(control& shared, std::uint32_t epoch, std::uint32_t workers, std::uint64_t* words,
                            std::size_t capacity)
{
  if (epoch != last_epoch) return;
#ifdef __CUDA_ARCH__
  std::uint32_t before;
  asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;" : "=r"(before) : "l"(&shared.finished) : "memory");
#else
  std::uint32_t const before = std::atomic_ref(shared.finished).fetch_add(1, std::memory_order_acq_rel);
#endif
  if (before != workers - 1) return;
  shared.finished = 0;
  for (std::size_t k = 0; k < capacity; ++k) store_relaxed(words + k, 0);
  store_relaxed(&shared.next, 0);
}

}  // namespace tally::cuda_backend
