#include "tally/detail/cpu/segments.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/cpu/batch_parts.hpp"
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

/// Short segments that wait to be scanned side by side, as a job of the kernels.
template <class T>
struct waiting_set {
  T const* in[most_lanes<T>];
  T* out[most_lanes<T>];
  std::size_t sizes[most_lanes<T>];
  std::size_t numbers[most_lanes<T>];
  T lengths[most_lanes<T>];
  std::size_t count;
  bool reads_beyond;  // whether 16 bytes at a time may be read of all of them
};

template <class T, class Op>
class segments_call {
  using carry = order::carry<T, Op>;
  static constexpr std::size_t group = order::group<T>;
  static constexpr std::size_t tile = order::tile<T>;
  static constexpr std::size_t most_groups = order::row_groups;

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
    short_ = std::min(sizes.side_by_side_bytes / sizeof(T), order::row<T>);
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
    explicit worker(segments_call& call) : call_(call), sets_(most_groups + 2)
    {
      for (std::size_t g = 0; g < most_groups + 2; ++g) {
        sets_.data()[g].count = 0;
        sets_.data()[g].reads_beyond = call.out_of_place_;
      }
    }
    worker(worker const&) = delete;
    ~worker() = default;

    /// The segments that begin in units [first, end).
    void operator()(std::size_t first, std::size_t end)
    {
      offsets_of_segments const& offsets = call_.job_.offsets;
      std::size_t const behind = call_.first_from(end);
      constexpr std::size_t at_once = 256;
      std::size_t offset[at_once + 1];
      for (std::size_t s = call_.first_from(first), count; s < behind; s += count) {
        count = std::min(at_once, behind - s);
        offsets.read(offsets.offsets, s, count + 1, offset);
        call_.check(s, count, offset);
        call_.fill_lasts(s, count);  // those of segments that are not empty are written again
        take(s, count, offset);
      }
    }

    /// Does what waits. Sets that are not full are joined, the longest segments first.
    void finish()
    {
      waiting_set<T>& joined = sets_.data()[most_groups + 1];
      joined.reads_beyond = false;
      std::size_t count = 0, most_in_set = 0;
      for (std::size_t g = most_groups; g > 0; --g) {
        for (std::size_t c = 0; c < sets_.data()[g].count; ++c) {
          if (count == 0) most_in_set = g;
          joined.in[count] = sets_.data()[g].in[c];
          joined.out[count] = sets_.data()[g].out[c];
          joined.sizes[count] = sets_.data()[g].sizes[c];
          joined.numbers[count] = sets_.data()[g].numbers[c];
          if (++count == call_.kernels_.lanes) {
            call_.side_by_side(joined, count, 0, most_in_set * group);
            count = 0;
          }
        }
        sets_.data()[g].count = 0;
      }
      if (count > 0) call_.side_by_side(joined, count, 0, most_in_set * group);
    }

  private:
    /// Takes segments [s, s + count).
    void take(std::size_t s, std::size_t count, std::size_t const* offset)
    {
      constexpr std::size_t prefetched_at_once = 256 / sizeof(T);  // bursts hold up the reading
      std::size_t prefetched = offset[0];
      // Copies that the compiler can keep in registers, whatever is written to the sets.
      segments_job<T> const& job = call_.job_;
      T const* const values = job.values;
      T* const out = job.out;
      bool const from_back = job.from_back, large = call_.large_;
      std::size_t const lanes = call_.kernels_.lanes, most = call_.short_, base = call_.base_, end_of_all = call_.end_;
      waiting_set<T>* const sets = sets_.data();
      for (std::size_t i = 0; i < count; ++i) {
        std::size_t const begin = offset[i], end = offset[i + 1], size = end - begin;
        if (large && end >= prefetched + prefetched_at_once && size <= most) {
          call_.prefetch(prefetched, end);
          prefetched = end;
        }
        if (size > most) {
          take_long(s + i, begin, end);
          prefetched = end;
          continue;
        }
        // No branch for empty segments: where they are cannot be predicted. They wait for ever.
        std::size_t const g = (size + group - 1) / group;
        waiting_set<T>& set = sets[g];
        std::size_t const c = set.count;
        std::size_t const reach = g * group;
        std::size_t const first = from_back ? end - 1 : begin;
        if (from_back ? end < base + reach : begin + reach > end_of_all) set.reads_beyond = false;
        set.in[c] = values + first;
        set.out[c] = out + first;
        set.sizes[c] = size;
        set.numbers[c] = s + i;
        set.lengths[c] = static_cast<T>(static_cast<std::int32_t>(size));
        std::size_t const waiting = c + (size != 0 ? 1 : 0);
        set.count = waiting;
        if (waiting == lanes) {
          call_.side_by_side(set, waiting, reach - group + 1, reach);
          set.count = 0;
          set.reads_beyond = call_.out_of_place_;
        }
      }
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
    scratch<waiting_set<T>> sets_;  // by the number of groups: 0 for empty segments; the last one is for joining
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

  /// Prefetches values and results [begin, end), but farther along: short segments are worked on some time after they
  /// were met, in another order.
  void prefetch(std::size_t begin, std::size_t end) const
  {
    constexpr std::size_t line = line_bytes / sizeof(T);
    std::size_t const ahead = tuning_in_use().segments_ahead_bytes / sizeof(T);
    for (std::size_t k = (begin + line - 1) / line * line; k < end; k += line) {
      __builtin_prefetch(job_.values + k + ahead, 0, 2);
      if (job_.out != nullptr && out_of_place_) __builtin_prefetch(job_.out + k + ahead, 1, 2);
    }
  }

  /// `count` short segments.
  void side_by_side(waiting_set<T>& set, std::size_t count, std::size_t shortest, std::size_t longest) const
  {
    std::size_t const lanes = kernels_.lanes;
    T initials[most_lanes<T>], lasts[most_lanes<T>];
    for (std::size_t c = count; c < lanes; ++c) {
      set.in[c] = set.in[0];
      set.out[c] = set.out[0];
      set.sizes[c] = 0;
    }
    std::fill_n(initials, lanes, job_.given.initial.value_or(op_.identity));
    if (job_.given.initials != nullptr)
      for (std::size_t c = 0; c < count; ++c) initials[c] = job_.given.initials[set.numbers[c]];
    row_set_job<T> job{set.in, job_.out == nullptr ? nullptr : set.out, set.sizes, initials, lasts, shortest, longest};
    if (sizeof(T) >= 4 && set.reads_beyond) job.lengths = set.lengths;
    job.in_reversed = job.out_reversed = job_.from_back;
    job.shift = job_.shift;
    kernels_.scan_row_set(job);
    if (job_.given.lasts != nullptr)
      for (std::size_t c = 0; c < count; ++c) job_.given.lasts[set.numbers[c]] = lasts[c];
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
  std::size_t short_ = 0;                        // the longest segment that is scanned side by side with others
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
