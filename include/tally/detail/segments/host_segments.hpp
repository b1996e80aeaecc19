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

/// Writes the distances from `begin` of the heads in [begin, end), which are a block at most. The loop has a branch for
/// each word of 64 elements, not for each element: where heads are cannot be predicted.
template <class Criterion>
void find_heads(Criterion const& criterion, std::size_t begin, std::size_t end, std::uint32_t* found)
{
  selection::block_bits heads;
  selection::find_bits(criterion, begin, end, heads);
  constexpr auto size = static_cast<std::uint32_t>(cpu_backend::flags_a_word);
  auto const count = static_cast<std::uint32_t>(end - begin);
  for (std::uint32_t at = 0; at < count; at += size)
    for (std::uint64_t word = heads.word[at / size]; word != 0; word &= word - 1)
      *found++ = at + static_cast<std::uint32_t>(std::countr_zero(word));
}

struct long_segment {
  std::size_t ordinal;
  std::size_t begin;
};

/// The segments that begin in each block. Long ones are deferred.
template <class Criterion>
struct segment_blocks {
  selection::block_counts<Criterion> heads;
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

  /// Calls `work(ordinal, begin, end)` for the segments that begin in block b; the first of them has the given ordinal.
  /// Defers the last one if it is long.
  template <class Work>
  void work_on(std::size_t b, std::size_t ordinal, Work const& work) const
  {
    std::size_t const count = heads(b);
    took(count == 0 ? "segments: a block without a head" : "segments: a block with heads");
    if (count == 0) return;
    std::size_t const begin = heads.begin(b);
    std::uint32_t found[selection::block_size];
    find_heads(*heads.criterion, begin, heads.end(b), found);
    for (std::size_t i = 0; i + 1 < count; ++i) work(ordinal + i, begin + found[i], begin + found[i + 1]);
    std::size_t const last = begin + found[count - 1];
    std::size_t const last_end = head_from(b + 1, tuning_in_use.blocks_of_a_long_segment);
    if (last_end <= heads.n) {
      work(ordinal + count - 1, last, last_end);
      return;
    }
    took("segments: a long one is deferred");
    deferred[deferred_count->fetch_add(1, std::memory_order_relaxed)] = {ordinal + count - 1, last};
  }
};

/// Calls `visit(segments, work_on_thread)`, which is to call segments.work_on(b, ordinal, work_on_thread) for every
/// block b; then calls `work(on, ordinal, begin, end)` for every deferred segment.
template <class P, class Criterion, class Work, class Visit>
void visit_blocks(P const& on, std::size_t n, Criterion const& criterion, Work const& work, Visit const& visit)
{
  std::size_t const blocks = selection::block_count(n);
  temporary<std::uint32_t, P> const counts(on, blocks);
  selection::mark_uncounted(counts);
  temporary<long_segment, P> const deferred(on, blocks / tuning_in_use.blocks_of_a_long_segment + 1);
  std::atomic<std::size_t> deferred_count{0};
  segment_blocks<Criterion> const segments{{&criterion, n, counts.data()}, blocks, deferred.data(), &deferred_count};
  visit(segments,
        [&work](std::size_t ordinal, std::size_t begin, std::size_t end) { work(cpu{1}, ordinal, begin, end); });
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

/// Calls `work(cpu, ordinal, begin, end)` for every segment of n elements, and returns their number. `criterion`
/// selects the heads; an element reads `bytes`.
template <class P, class Criterion, class Work>
std::size_t for_each_numbered_segment(P const& on, std::size_t n, std::size_t bytes, Criterion const& criterion,
                                      Work const& work)
{
  if (n == 0) return 0;
  took("segments: numbered");
  std::size_t total = 0;
  visit_blocks(on, n, criterion, work, [&](auto const& segments, auto const& work_on_thread) {
    auto const use = [&](std::size_t b, std::size_t upto) {
      segments.work_on(b, upto - segments.heads(b), work_on_thread);
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
  visit_blocks(on, n, criterion, work, [&](auto const& segments, auto const& work_on_thread) {
    tally::for_each_block(on, n, selection::block_size, [&](std::size_t begin, std::size_t) {
      segments.work_on(begin / selection::block_size, 0, work_on_thread);
    });
  });
}

}  // namespace tally::detail::segments
