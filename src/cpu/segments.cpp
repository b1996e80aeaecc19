#include "tally/detail/cpu/segments.hpp"

#include <hwy/cache_control.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/cpu/batch_parts.hpp"
#include "src/cpu/short_blocks.hpp"
#include "tally/detail/cpu/compress.hpp"
#include "tally/detail/cpu/team.hpp"
#include "tally/detail/cpu/tuning.hpp"
#include "tally/detail/path.hpp"
#include "tally/error.hpp"

namespace tally::cpu_backend {

namespace {

[[noreturn]] void refuse(std::size_t s, std::size_t begin, std::size_t end)
{
  throw usage_error("tally: offsets do not decrease: segment " + std::to_string(s) + " is from " +
                    std::to_string(begin) + " to " + std::to_string(end));
}

/// Bounds of the sizes of some segments.
struct known_sizes {
  bool some_empty;
  std::size_t at_most = ~std::size_t{0};
};

/// Segments of one thread, whose offsets come some at a time.
template <class T, class Op>
class segments_of_thread {
  using carry = order::carry<T, Op>;

public:
  /// `end`: of the values that nothing writes to meanwhile, if the results lie elsewhere. `large`: the values are more
  /// than the cache holds.
  segments_of_thread(tile_kernels<T> const& kernels, segments_job<T> const& job, Op op, std::size_t end, bool large)
      : kernels_(kernels),
        job_(job),
        op_(op),
        end_(end),
        large_(large),
        shorts_(kernels)
  {
  }

  segments_of_thread(segments_of_thread const&) = delete;
  ~segments_of_thread()
  {
    if (around_cache_) hwy::FlushStream();
  }

  /// Results may be written as far as this place, which is the end of this thread's segments.
  void writable_to(std::size_t end)
  {
    if (job_.out != nullptr) writable_end_ = job_.out + end;
  }

  /// Takes segments [s, s + count): at most `most_in_block`, segment s + i is [offset[i], offset[i + 1]). Calls
  /// take_long(s, begin, end) for each one that has no place in a block.
  template <class TakeLong>
  void take(std::size_t s, std::size_t count, std::size_t const* offset, known_sizes sizes, TakeLong const& take_long)
  {
    bool const some_empty = sizes.some_empty;
    if (!some_empty && offset[count] - offset[0] == count && take_single_elements(s, count, offset[0])) return;
    constexpr std::size_t most = block_size<T>;
    if (sizes.at_most <= short_ && offset[count] - offset[0] <= most) return take_block(s, count, offset, some_empty);
    for (std::size_t i = 0; i < count;) {
      std::size_t const first = i, begin = offset[i];
      while (i < count && offset[i + 1] - offset[i] <= short_ && offset[i + 1] - begin <= most) ++i;
      if (i > first) take_block(s + first, i - first, offset + first, some_empty);
      if (i < count && offset[i + 1] - offset[i] > short_) {
        take_long(s + i, offset[i], offset[i + 1]);
        ++i;
      }
    }
  }

  /// A segment by itself, on at most `threads` threads.
  void take_alone(std::size_t s, std::size_t begin, std::size_t end, int threads)
  {
    std::size_t const size = end - begin;
    auto const init = job_.given.initials != nullptr ? std::optional<T>(job_.given.initials[s]) : job_.given.initial;
    carry before = init ? carry(*init) : carry();
    if (job_.from_back) {
      T* const out = job_.out == nullptr ? nullptr : job_.out + (end - 1);
      scan_strided(kernels_, op_, job_.values + (end - 1), -1, out, -1, size, before, job_.shift, threads);
    } else {
      T* const out = job_.out == nullptr ? nullptr : job_.out + begin;
      if (threads == 1)
        scan_row(kernels_, op_, job_.values + begin, out, size, before, job_.shift, stores_of(size), large_);
      else if (out == nullptr)
        reduce_by_kernels(kernels_, job_.values + begin, size, before, op_, threads);
      else
        scan_by_kernels(kernels_, job_.values + begin, out, size, before, op_, job_.shift, threads);
    }
    if (job_.given.lasts != nullptr) job_.given.lasts[s] = *before.last();
  }

  /// Elements [begin, end) of segment s, after `before` has been found of those before them.
  void go_on(std::size_t s, std::size_t begin, std::size_t end, T before)
    requires Op::exactly_associative
  {
    carry upto(before);
    T* const out = job_.out == nullptr ? nullptr : job_.out + begin;
    scan_row(kernels_, op_, job_.values + begin, out, end - begin, upto, job_.shift, stores_of(end - begin), large_);
    if (job_.given.lasts != nullptr) job_.given.lasts[s] = *upto.last();
  }

private:
  /// The results of a segment that is scanned by itself go around the cache where they have no room in it.
  stores stores_of(std::size_t size)
  {
    if (!large_ || !out_of_place_ || job_.out == nullptr || size * sizeof(T) < tuning_in_use().streamed_segment_bytes)
      return stores::cached;
    detail::took("batch: a segment around the cache");
    around_cache_ = true;
    return stores::streaming;
  }

  /// Takes segments of one element each, whose results are the elements, or their initial values.
  bool take_single_elements(std::size_t s, std::size_t count, std::size_t begin)
  {
    bool const starts = job_.given.initial.has_value() || job_.given.initials != nullptr;
    T* const lasts = job_.given.lasts;
    if (starts && (job_.shift == direction::inclusive || lasts != nullptr)) return false;
    detail::took("batch: segments of one element");
    T* const out = job_.out == nullptr ? nullptr : job_.out + begin;
    if (job_.shift == direction::exclusive) {
      if (job_.given.initials != nullptr)
        std::copy_n(job_.given.initials + s, count, out);
      else
        std::fill_n(out, count, *job_.given.initial);
      return true;
    }
    if (out != nullptr && out_of_place_) copy(job_.values + begin, out, count);
    if (lasts != nullptr) copy(job_.values + begin, lasts + s, count);
    return true;
  }

  void copy(T const* from, T* to, std::size_t count)
  {
    if (large_) {
      around_cache_ = true;
      kernels_.copy_around_cache(from, to, count);
    } else {
      std::copy_n(from, count, to);
    }
  }

  /// The longest segments that are scanned in a block with others. Kernels of exactly associative operators take any
  /// length that a block has.
  std::size_t short_bytes() const
  {
    return (Op::exactly_associative ? 2 : 1) * std::min(tuning_in_use().short_bytes, most_short_bytes);
  }

  /// Takes short segments.
  void take_block(std::size_t s, std::size_t count, std::size_t const* offset, bool some_empty)
  {
    std::size_t const begin = offset[0], size = offset[count] - begin;
    if (size == 0) return;
    short_block<T> those{job_.values, offset, offset, count};
    std::size_t last[most_in_block];  // the last elements of reversed segments
    those.adjacent = !job_.from_back;
    those.reversed = job_.from_back;
    those.some_empty = some_empty;
    if (job_.from_back) {
      for (std::size_t i = 0; i < count; ++i) last[i] = offset[i + 1] - 1;
      those.from = last;
    } else {
      those.readable_end = job_.values + (out_of_place_ ? end_ : offset[count]);
    }
    if (Op::exactly_associative && job_.out == nullptr && !job_.from_back &&
        size * sizeof(T) >= count * tuning_in_use().totalled_bytes) {
      detail::took("batch: totals of short segments");
      those.totals_alone = true;
    }
    those.initial = job_.given.initial.value_or(op_.identity);
    if (job_.given.initials != nullptr) those.initials = job_.given.initials + s;
    those.shift = job_.shift;
    T* const lasts = job_.given.lasts == nullptr ? nullptr : job_.given.lasts + s;
    if (job_.out != nullptr && out_of_place_ && !job_.from_back) {
      shorts_.scan(those, lasts, job_.out + begin, writable_end_);
      return;
    }
    T* const results = shorts_.scan(those, lasts);
    if (job_.out == nullptr) return;
    if (job_.from_back)
      for (std::size_t i = 0; i < count; ++i)
        std::reverse(results + (offset[i] - begin), results + (offset[i + 1] - begin));
    std::copy_n(results, size, job_.out + begin);
  }

  tile_kernels<T> const& kernels_;
  segments_job<T> const& job_;
  Op op_;
  std::size_t end_;
  bool large_;
  bool out_of_place_ = job_.out != job_.values;  // nothing else writes to the values meanwhile
  // The longest segment that is scanned in a block with others.
  std::size_t short_ = short_bytes() / sizeof(T);
  short_blocks<T> shorts_;
  T* writable_end_ = nullptr;  // the results of this thread's segments end there
  bool around_cache_ = false;
};

template <class T, class Op>
class segments_call {
public:
  segments_call(tile_kernels<T> const& kernels, segments_job<T> const& job, Op op)
      : kernels_(kernels),
        job_(job),
        op_(op),
        base_(job.offsets[0]),
        end_(job.offsets[job.offsets.segments])
  {
    if (end_ < base_) refuse(job.offsets.segments, base_, end_);
  }

  void run()
  {
    detail::took("batch: segments in memory");
    tuning const& sizes = tuning_in_use();
    std::size_t const units = end_ - base_ + job_.offsets.segments;
    constexpr std::size_t block = 4096;
    members_ = team_size(job_.threads, units * sizeof(T), (units - 1) / block + 1);
    large_ = (end_ - base_) * sizeof(T) >= sizes.streamed_bytes;
    // Threads share elements and segments together: a segment is as many units as it has elements, and one more. So
    // neither many empty segments nor a few long ones are left to one thread.
    std::size_t const share = units / (16 * static_cast<std::size_t>(members_));
    deferred_.resize(units / sizes.long_sequence + 1);
    share_units(units, std::clamp(share, block, 16 * block), members_, [&] { return worker(*this); });
    segments_of_thread<T, Op> all(kernels_, job_, op_, end_, large_);
    for (std::size_t i = 0; i < deferred_count_; ++i) {
      std::size_t const s = deferred_[i];
      all.take_alone(s, job_.offsets[s], job_.offsets[s + 1], job_.threads);
    }
  }

private:
  /// The share of one thread in the call.
  class worker {
  public:
    explicit worker(segments_call& call)
        : call_(call),
          segments_(call.kernels_, call.job_, call.op_, call.end_, call.large_)
    {
    }
    worker(worker const&) = delete;
    ~worker() = default;

    /// The segments that begin in units [first, end).
    void operator()(std::size_t first, std::size_t end)
    {
      offsets_of_segments const& offsets = call_.job_.offsets;
      std::size_t const behind = call_.first_from(end);
      segments_.writable_to(std::min(offsets[behind], call_.end_));
      std::size_t offset[most_in_block + 1];
      for (std::size_t s = call_.first_from(first), count; s < behind; s += count) {
        count = std::min(most_in_block, behind - s);
        std::size_t const* at = offset;
        if (offsets.in_memory != nullptr)
          at = offsets.in_memory + s;
        else
          offsets.read(offsets.offsets, s, count + 1, offset);
        known_sizes const sizes = call_.check(s, count, at);
        if (sizes.some_empty) call_.fill_lasts(s, count);  // those of segments that are not empty are written again
        segments_.take(s, count, at, sizes,
                       [this](std::size_t of, std::size_t from, std::size_t to) { take_long(of, from, to); });
      }
    }

  private:
    void take_long(std::size_t s, std::size_t begin, std::size_t end)
    {
      if (end - begin < tuning_in_use().long_sequence || call_.members_ == 1) {
        segments_.take_alone(s, begin, end, 1);
      } else {
        detail::took("batch: a long segment waits for all threads");
        call_.deferred_[call_.deferred_count_.fetch_add(1, std::memory_order_relaxed)] = s;
      }
    }

    segments_call& call_;
    segments_of_thread<T, Op> segments_;
  };

  /// The first segment that begins at unit `unit` or later. Segment s begins at unit offsets[s] - base + s.
  std::size_t first_from(std::size_t unit) const
  {
    std::size_t s = 0;
    for (std::size_t size = job_.offsets.segments; size > 0;) {
      std::size_t const half = size / 2;
      if (job_.offsets[s + half] - base_ + s + half < unit) {
        s += half + 1;
        size -= half + 1;
      } else {
        size = half;
      }
    }
    return s;
  }

  /// Throws    usage_error if offsets decrease.
  known_sizes check(std::size_t s, std::size_t count, std::size_t const* offset) const
  {
    // A size that is negative has its highest bit set, and so has one less than nothing. SSE2 has no comparison of 64
    // bits.
    std::size_t sizes = 0, less_one = 0;
    for (std::size_t i = 0; i < count; ++i) {
      std::size_t const size = offset[i + 1] - offset[i];
      sizes |= size;
      less_one |= size - 1;
    }
    constexpr std::size_t negative = ~(~std::size_t{0} >> 1);
    if (((sizes | offset[0] | offset[count]) & negative) == 0 && offset[0] >= base_ && offset[count] <= end_)
      return {(less_one & negative) != 0, sizes};
    for (std::size_t i = 0; i < count; ++i)
      if (offset[i + 1] < offset[i] || offset[i] < base_ || end_ < offset[i + 1])
        refuse(s + i, offset[i], offset[i + 1]);
    return {true};
  }

  /// Writes the last values of segments [first, first + count) as if they were empty.
  void fill_lasts(std::size_t first, std::size_t count) const
  {
    T* const lasts = job_.given.lasts;
    if (lasts == nullptr) return;
    if (job_.given.initials != nullptr)
      std::copy_n(job_.given.initials + first, count, lasts + first);
    else if (job_.given.initial)
      std::fill_n(lasts + first, count, *job_.given.initial);
    else if (job_.nothing != nullptr)
      std::fill_n(lasts + first, count, *job_.nothing);
  }

  tile_kernels<T> const& kernels_;
  segments_job<T> const& job_;
  Op op_;
  std::size_t base_;
  std::size_t end_;
  int members_ = 1;
  bool large_ = false;                 // more than the cache holds
  std::vector<std::size_t> deferred_;  // long segments
  std::atomic<std::size_t> deferred_count_{0};
};

}  // namespace

template <class T, class Op>
void scan_segments_by_kernels(tile_kernels<T> const& kernels, segments_job<T> const& job, Op op)
{
  segments_call<T, Op>(kernels, job, op).run();
}

namespace {

/// Where a block's heads are, some at a time.
class places_of_heads {
public:
  explicit places_of_heads(segments_of_block const& where) : where_(where), left_(where.heads[0]) {}

  /// Writes the places of the next `count` heads.
  void next(std::size_t count, std::size_t* place)
  {
    while (count > 0) {
      for (; left_ != 0 && count > 0; left_ &= left_ - 1, --count)
        *place++ = where_.begin + 64 * word_ + static_cast<std::size_t>(std::countr_zero(left_));
      if (left_ == 0 && count > 0) left_ = where_.heads[++word_];
    }
  }

private:
  segments_of_block const& where_;
  std::size_t word_ = 0;
  std::uint64_t left_;
};

/// All segments of a block at once, of an operator that is exactly associative.
template <class T, class Op>
class block_by_bits {
public:
  block_by_bits(tile_kernels<T> const& kernels, segments_job<T> const& job, segments_of_block const& where, Op op)
      : kernels_(kernels),
        job_(job),
        where_(where),
        op_(op)
  {
    std::size_t word = 0;
    while (where.heads[word] == 0) ++word;
    first_ = 64 * word + static_cast<std::size_t>(std::countr_zero(where.heads[word]));
    end_ = std::min(where.size, where.end - where.begin);
  }

  void run(segments_of_thread<T, Op>& segments)
  {
    T const initial = job_.given.initial.value_or(op_.identity);
    T last = initial;
    if (job_.out != nullptr)
      last = kernels_.scan_flagged({job_.values + where_.begin + first_, job_.out + where_.begin + first_, where_.heads,
                                    first_, end_ - first_, initial, initial, job_.shift});
    else
      last = reduce(initial);
    std::size_t const behind = where_.begin + end_;
    if (behind < where_.end) segments.go_on(where_.count - 1, behind, where_.end, last);
  }

private:
  /// Reduces the segments, of which the last may go on behind the block. Returns its reduction so far.
  T reduce(T initial) const
  {
    constexpr std::size_t piece = 1024;  // elements, whose results stay in the first cache
    T results[piece];
    T last = initial;
    T* to = job_.given.lasts;
    for (std::size_t k = first_; k < end_; k += piece) {
      std::size_t const size = std::min(piece, end_ - k);
      last = kernels_.scan_flagged(
          {job_.values + where_.begin + k, results, where_.heads, k, size, initial, last, direction::inclusive});
      // A segment ends before each head, and with the last element.
      std::uint64_t ends[piece / 64];
      std::size_t count = 0;
      for (std::size_t at = 0; at < size; at += 64) {
        std::size_t const first = k + at, next = first + 1;
        std::uint64_t word = next < end_ ? heads_from(where_.heads, next, std::min<std::size_t>(64, end_ - next)) : 0;
        if (end_ - first <= 64 && where_.begin + end_ >= where_.end) word |= std::uint64_t{1} << (end_ - 1 - first);
        ends[at / 64] = word;
        count += static_cast<std::size_t>(std::popcount(word));
      }
      take_ends(results, ends, size, to, count);
      to += count;
    }
    return last;
  }

  /// Copies the results at the bits set in `ends`, `count` of them.
  static void take_ends(T const* results, std::uint64_t const* ends, std::size_t size, T* to, std::size_t count)
  {
    if constexpr (sizeof(T) >= 4) {
      if (count != 0)
        compress<sizeof(T)>(
            {reinterpret_cast<std::byte const*>(results), ends, size, reinterpret_cast<std::byte*>(to), count});
    } else {
      for (std::size_t at = 0; at < size; at += 64)
        for (std::uint64_t word = ends[at / 64]; word != 0; word &= word - 1)
          *to++ = results[at + static_cast<std::size_t>(std::countr_zero(word))];
    }
  }

  tile_kernels<T> const& kernels_;
  segments_job<T> const& job_;
  segments_of_block const& where_;
  Op op_;
  std::size_t first_ = 0;  // head
  std::size_t end_ = 0;    // of the elements of these segments in the block
};

}  // namespace

template <class T, class Op>
void scan_block_by_kernels(tile_kernels<T> const& kernels, segments_job<T> const& job, segments_of_block const& where,
                           Op op)
{
  bool const large = where.size_of_values * sizeof(T) >= tuning_in_use().streamed_bytes;
  segments_of_thread<T, Op> segments(kernels, job, op, where.size_of_values, large);
  if constexpr (Op::exactly_associative) {
    if (where.count * tuning_in_use().elements_a_head >= where.size) {
      detail::took("segments: a block by its bits");
      block_by_bits<T, Op>(kernels, job, where, op).run(segments);
      return;
    }
  }
  detail::took("segments: a block by its places");
  segments.writable_to(where.writable_end);
  places_of_heads heads(where);
  std::size_t offset[most_in_block + 1];
  heads.next(1, offset);
  for (std::size_t s = 0, count; s < where.count; s += count) {
    count = std::min(most_in_block, where.count - s);
    bool const more = s + count < where.count;
    heads.next(more ? count : count - 1, offset + 1);
    if (!more) offset[count] = where.end;
    segments.take(s, count, offset, {false},
                  [&](std::size_t of, std::size_t begin, std::size_t end) { segments.take_alone(of, begin, end, 1); });
    offset[0] = offset[count];
  }
}

#ifndef TALLY_HEADER_ONLY  // which instantiates what the program uses
#define TALLY_INSTANTIATE(T, Wide, Exact)                                                                              \
  template void scan_segments_by_kernels(tile_kernels<T> const&, segments_job<T> const&,                               \
                                         operator_by_pointer<T, Wide, Exact>);                                         \
  template void scan_block_by_kernels(tile_kernels<T> const&, segments_job<T> const&, segments_of_block const&,        \
                                      operator_by_pointer<T, Wide, Exact>);
TALLY_FOR_EACH_OPERATOR_BY_POINTER(TALLY_INSTANTIATE)
#endif

}  // namespace tally::cpu_backend
