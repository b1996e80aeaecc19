#include "tally/detail/cpu/segments.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/cpu/batch_parts.hpp"
#include "src/cpu/short_blocks.hpp"
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

template <class T, class Op>
class segments_call {
  using carry = order::carry<T, Op>;

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
    short_ = std::min(sizes.short_bytes, most_short_bytes) / sizeof(T);
    // Threads share elements and segments together: a segment is as many units as it has elements, and one more. So
    // neither many empty segments nor a few long ones are left to one thread.
    std::size_t const share = units / (16 * static_cast<std::size_t>(members_));
    deferred_.resize(units / sizes.long_sequence + 1);
    share_units(units, std::clamp(share, block, 16 * block), members_, [&] { return worker(*this); });
    for (std::size_t i = 0; i < deferred_count_; ++i) {
      std::size_t const s = deferred_[i];
      long_segment(s, job_.offsets[s], job_.offsets[s + 1], job_.threads);
    }
  }

private:
  /// The share of one thread in the call.
  class worker {
  public:
    explicit worker(segments_call& call) : call_(call), shorts_(call.kernels_) {}
    worker(worker const&) = delete;
    ~worker() = default;

    /// The segments that begin in units [first, end).
    void operator()(std::size_t first, std::size_t end)
    {
      offsets_of_segments const& offsets = call_.job_.offsets;
      std::size_t const behind = call_.first_from(end);
      if (call_.job_.out != nullptr) writable_end_ = call_.job_.out + std::min(offsets[behind], call_.end_);
      std::size_t offset[most_in_block + 1];
      for (std::size_t s = call_.first_from(first), count; s < behind; s += count) {
        count = std::min(most_in_block, behind - s);
        offsets.read(offsets.offsets, s, count + 1, offset);
        call_.check(s, count, offset);
        call_.fill_lasts(s, count);  // those of segments that are not empty are written again
        take(s, count, offset);
      }
    }

  private:
    /// Takes segments [s, s + count).
    void take(std::size_t s, std::size_t count, std::size_t const* offset)
    {
      constexpr std::size_t most = block_size<T>;
      for (std::size_t i = 0; i < count;) {
        std::size_t const first = i, begin = offset[i];
        while (i < count && offset[i + 1] - offset[i] <= call_.short_ && offset[i + 1] - begin <= most) ++i;
        if (i > first) take_block(s + first, i - first, offset + first);
        if (i < count && offset[i + 1] - offset[i] > call_.short_) {
          take_long(s + i, offset[i], offset[i + 1]);
          ++i;
        }
      }
    }

    /// Takes short segments.
    void take_block(std::size_t s, std::size_t count, std::size_t const* offset)
    {
      segments_job<T> const& job = call_.job_;
      std::size_t const begin = offset[0], size = offset[count] - begin;
      if (size == 0) return;
      short_block<T> those{job.values, offset, offset, count};
      std::size_t last[most_in_block];  // the last elements of reversed segments
      those.adjacent = !job.from_back;
      those.reversed = job.from_back;
      if (job.from_back) {
        for (std::size_t i = 0; i < count; ++i) last[i] = offset[i + 1] - 1;
        those.from = last;
      } else {
        those.readable_end = job.values + (call_.out_of_place_ ? call_.end_ : offset[count]);
      }
      those.initial = job.given.initial.value_or(call_.op_.identity);
      if (job.given.initials != nullptr) those.initials = job.given.initials + s;
      those.shift = job.shift;
      T* const lasts = job.given.lasts == nullptr ? nullptr : job.given.lasts + s;
      if (job.out != nullptr && call_.out_of_place_ && !job.from_back) {
        shorts_.scan(those, lasts, job.out + begin, writable_end_);
        return;
      }
      T* const results = shorts_.scan(those, lasts);
      if (job.out == nullptr) return;
      if (job.from_back)
        for (std::size_t i = 0; i < count; ++i)
          std::reverse(results + (offset[i] - begin), results + (offset[i + 1] - begin));
      std::copy_n(results, size, job.out + begin);
    }

    void take_long(std::size_t s, std::size_t begin, std::size_t end)
    {
      if (end - begin < tuning_in_use().long_sequence || call_.members_ == 1) {
        call_.long_segment(s, begin, end, 1);
      } else {
        detail::took("batch: a long segment waits for all threads");
        call_.deferred_[call_.deferred_count_.fetch_add(1, std::memory_order_relaxed)] = s;
      }
    }

    segments_call& call_;
    short_blocks<T> shorts_;
    T* writable_end_ = nullptr;  // the results of this thread's segments end there
  };

  std::optional<T> initial(std::size_t s) const
  {
    return job_.given.initials != nullptr ? std::optional<T>(job_.given.initials[s]) : job_.given.initial;
  }

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

  void check(std::size_t s, std::size_t count, std::size_t const* offset) const
  {
    bool decrease = false;
    for (std::size_t i = 0; i < count; ++i) decrease |= offset[i + 1] < offset[i];
    if (!decrease && offset[0] >= base_ && offset[count] <= end_) return;
    for (std::size_t i = 0; i < count; ++i)
      if (offset[i + 1] < offset[i] || offset[i] < base_ || end_ < offset[i + 1])
        refuse(s + i, offset[i], offset[i + 1]);
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

  /// A segment by itself, on at most `threads` threads.
  void long_segment(std::size_t s, std::size_t begin, std::size_t end, int threads)
  {
    std::size_t const size = end - begin;
    auto const init = initial(s);
    carry before = init ? carry(*init) : carry();
    if (job_.from_back) {
      T* const out = job_.out == nullptr ? nullptr : job_.out + (end - 1);
      scan_strided(kernels_, op_, job_.values + (end - 1), -1, out, -1, size, before, job_.shift, threads);
    } else {
      T* const out = job_.out == nullptr ? nullptr : job_.out + begin;
      if (threads == 1)
        scan_row(kernels_, op_, job_.values + begin, out, size, before, job_.shift, stores::cached, large_);
      else if (out == nullptr)
        reduce_by_kernels(kernels_, job_.values + begin, size, before, op_, threads);
      else
        scan_by_kernels(kernels_, job_.values + begin, out, size, before, op_, job_.shift, threads);
    }
    if (job_.given.lasts != nullptr) job_.given.lasts[s] = *before.last();
  }

  tile_kernels<T> const& kernels_;
  segments_job<T> const& job_;
  Op op_;
  std::size_t base_;
  std::size_t end_;
  int members_ = 1;
  bool out_of_place_ = job_.out != job_.values;  // nothing else writes to the values meanwhile
  bool large_ = false;                           // more than the cache holds
  std::size_t short_ = 0;                        // the longest segment that is scanned in a block with others
  std::vector<std::size_t> deferred_;            // long segments
  std::atomic<std::size_t> deferred_count_{0};
};

}  // namespace

template <class T, class Op>
void scan_segments_by_kernels(tile_kernels<T> const& kernels, segments_job<T> const& job, Op op)
{
  segments_call<T, Op>(kernels, job, op).run();
}

#define TALLY_INSTANTIATE(T, Wide, Exact)                                                                              \
  template void scan_segments_by_kernels(tile_kernels<T> const&, segments_job<T> const&,                               \
                                         operator_by_pointer<T, Wide, Exact>);
TALLY_FOR_EACH_OPERATOR_BY_POINTER(TALLY_INSTANTIATE)

}  // namespace tally::cpu_backend
