#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "tally/detail/backends.hpp"
#include "tally/detail/path.hpp"
#include "tally/detail/segments/tuning.hpp"
#include "tally/detail/selection/criteria.hpp"
#include "tally/detail/selection/host_blocks.hpp"
#include "tally/execution.hpp"
#include "tally/for_each.hpp"
#include "tally/scan.hpp"
#include "tally/sequences.hpp"
#include "tally/temporary.hpp"

/// The segments of n elements on a CPU, each worked on by itself: a short one by the thread in whose block it begins,
/// the long ones by all threads, one after another. So a segment's brackets are those of a call on it, wherever it
/// lies.
namespace tally::detail::segments {

/// Writes the places of a block's heads, of whose bits `size` have a meaning. The loop has a branch for each word of 64
/// elements, not for each element: where heads are cannot be predicted.
inline void find_heads(selection::block_bits const& heads, std::size_t size_of_block, std::uint32_t* found)
{
  constexpr auto size = static_cast<std::uint32_t>(cpu_backend::flags_a_word);
  auto const count = static_cast<std::uint32_t>(size_of_block);
  for (std::uint32_t at = 0; at < count; at += size)
    for (std::uint64_t word = heads.word[at / size]; word != 0; word &= word - 1)
      *found++ = at + static_cast<std::uint32_t>(std::countr_zero(word));
}

/// The place of a block's last head, of which there is one.
inline std::size_t last_of(selection::block_bits const& heads, std::size_t size_of_block)
{
  constexpr std::size_t size = cpu_backend::flags_a_word;
  std::size_t w = (size_of_block - 1) / size;
  while (heads.word[w] == 0) --w;
  return w * size + (size - 1 - static_cast<std::size_t>(std::countl_zero(heads.word[w])));
}

struct long_segment {
  std::size_t ordinal;
  std::size_t begin;
};

/// The segments that begin in each block. Long ones are deferred. `Heads`: block_counts, or block_selections if a block
/// is asked for its number of heads before its turn.
template <class Heads>
struct segment_blocks {
  Heads heads;
  std::size_t blocks;
  long_segment* deferred;
  std::atomic<std::size_t>* deferred_count;

  /// The first head in block b or later; n if there is none; n + 1 if there is none in the next `most` blocks.
  std::size_t head_from(std::size_t b, std::size_t most) const
  {
    for (; b < blocks; ++b) {
      if (heads(b) != 0) {
        std::size_t k = heads.begin(b);
        while (!selection::is_selected(*heads.criterion, k)) ++k;
        return k;
      }
      if (most-- == 0) return heads.n + 1;
    }
    return heads.n;
  }

  /// Calls `work(cpu{1}, ordinal, begin, end)` for the segments that begin in block b; the first of them has the given
  /// ordinal. If there is a `work.block` it is called once for all of them. Defers the last one if it is long.
  template <class Work>
  void work_on(std::size_t b, std::size_t ordinal, Work const& work) const
  {
    std::size_t const begin = heads.begin(b), size = heads.end(b) - begin;
    selection::block_bits bits;
    std::size_t const count = heads.find(b, bits);
    took(count == 0 ? "segments: a block without a head" : "segments: a block with heads");
    if (count == 0) return;
    std::size_t const last = begin + last_of(bits, size);
    std::size_t const last_end = head_from(b + 1, tuning_in_use.blocks_of_a_long_segment);
    bool const deferred_last = last_end > heads.n;
    if constexpr (requires { work.block(ordinal, cpu_backend::segments_of_block{}); }) {
      std::size_t const behind = deferred_last ? last : last_end;
      std::size_t const present = deferred_last ? count - 1 : count;
      if (present != 0)
        work.block(ordinal,
                   {begin, size, bits.word, present, behind, deferred_last ? heads.end(b) : last_end, heads.n});
    } else {
      std::uint32_t found[selection::block_size];
      find_heads(bits, size, found);
      for (std::size_t i = 0; i + 1 < count; ++i) work(cpu{1}, ordinal + i, begin + found[i], begin + found[i + 1]);
      if (!deferred_last) work(cpu{1}, ordinal + count - 1, last, last_end);
    }
    if (!deferred_last) return;
    took("segments: a long one is deferred");
    deferred[deferred_count->fetch_add(1, std::memory_order_relaxed)] = {ordinal + count - 1, last};
  }
};

/// Calls `visit(segments)`, which is to call segments.work_on(b, ordinal, work) for every block b; then calls `work(on,
/// ordinal, begin, end)` for every deferred segment.
template <class P, class Heads, class Work, class Visit>
void visit_blocks(P const& on, std::size_t n, Heads const& heads, Work const& work, Visit const& visit)
{
  std::size_t const blocks = selection::block_count(n);
  temporary<long_segment, P> const deferred(on, blocks / tuning_in_use.blocks_of_a_long_segment + 1);
  std::atomic<std::size_t> deferred_count{0};
  segment_blocks<Heads> const segments{heads, blocks, deferred.data(), &deferred_count};
  visit(segments);
  for (std::size_t i = 0; i < deferred_count; ++i) {
    long_segment const& each = deferred.data()[i];
    work(on, each.ordinal, each.begin, segments.head_from(each.begin / selection::block_size + 1, blocks));
  }
}

/// A function object of this type calls another one by pointers, once a block, so that the scan which calls it is
/// compiled once for all.
template <class Result, class... Args>
struct block_function {
  void const* function;
  Result (*call)(void const* function, Args... args);

  template <class F>
  explicit block_function(F const& f)
      : function(&f),
        call([](void const* of, Args... args) { return (*static_cast<F const*>(of))(args...); })
  {
  }
  Result operator()(Args... args) const { return call(function, args...); }
};

/// Calls `work(cpu, ordinal, begin, end)` for every segment of n elements, or `work.block` for many, and returns their
/// number. `criterion` selects the heads; an element reads `bytes`.
template <class P, class Criterion, class Work>
std::size_t for_each_numbered_segment(P const& on, std::size_t n, std::size_t bytes, Criterion const& criterion,
                                      Work const& work)
{
  if (n == 0) return 0;
  took("segments: numbered");
  std::size_t total = 0;
  std::size_t const blocks = selection::block_count(n);
  temporary<std::uint32_t, P> const counts(on, blocks);
  selection::mark_uncounted(counts);
  temporary<std::uint64_t, P> const words(on, blocks * selection::block_bits::words);
  selection::block_selections<Criterion> const heads{{&criterion, n, counts.data()}, words.data()};
  visit_blocks(on, n, heads, work, [&](auto const& segments) {
    auto const use = [&](std::size_t b, std::size_t upto) {
      segments.work_on(b, upto - segments.heads(b), work);
      if (b + 1 == segments.blocks) total = upto;
    };
    auto const elements =
        elements_from(block_function<std::size_t, std::size_t>(segments.heads), selection::block_size * bytes);
    tally::inclusive_scan(on, elements, elements + static_cast<std::ptrdiff_t>(segments.blocks),
                          results_to(block_function<void, std::size_t, std::size_t>(use)));
  });
  return total;
}

/// The same without numbers: each ordinal is any.
template <class P, class Criterion, class Work>
void for_each_segment(P const& on, std::size_t n, Criterion const& criterion, Work const& work)
{
  if (n == 0) return;
  took("segments: not numbered");
  temporary<std::uint32_t, P> const counts(on, selection::block_count(n));
  selection::mark_uncounted(counts);
  selection::block_counts<Criterion> const heads{&criterion, n, counts.data()};
  visit_blocks(on, n, heads, work, [&](auto const& segments) {
    tally::for_each_block(on, n, selection::block_size, [&](std::size_t begin, std::size_t) {
      segments.work_on(begin / selection::block_size, 0, work);
    });
  });
}

}  // namespace tally::detail::segments
