#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "src/cpu/batch_parts.hpp"
#include "tally/detail/cpu/kernels.hpp"
#include "tally/detail/cpu/tuning.hpp"

/// Blocks of short sequences, for one thread. Kernels write beyond the end of a sequence, where the results of the next
/// ones follow; where none do, results are copied.
namespace tally::cpu_backend {

/// Elements of a block, unless it goes to its place at once.
template <class T>
inline constexpr std::size_t block_size = 2 * most_short_bytes / sizeof(T);
/// The most sequences in such a block.
inline constexpr std::size_t most_in_block = 256;

/// Sequences as in short_sequences_job, with all that a scan may ask for.
template <class T>
struct short_block {
  T const* in;
  std::size_t const* from;
  std::size_t const* to;
  std::size_t count;
  bool reversed = false;            ///< element k lies k places before the first
  bool adjacent = false;            ///< as in short_sequences_job
  bool some_empty = true;           ///< whether a sequence may be empty
  bool totals_alone = false;        ///< no results but `lasts` are wanted, of an exactly associative operator
  std::size_t size = 0;             ///< the same
  T const* readable_end = nullptr;  ///< as far as may be read, if sequences ascend; null: no more than the elements
  T initial{};
  T const* initials = nullptr;
  direction shift = direction::inclusive;
};

template <class T>
class short_blocks {
public:
  explicit short_blocks(tile_kernels<T> const& kernels) : kernels_(kernels) {}

  /// Scans a block. Its results are returned, and stay until the next call. With `out` they lie there instead, as far
  /// as `writable_end` allows to write beyond a sequence's end: the next block overwrites that. With `out` and
  /// `readable_end` a block may have any size. `lasts` takes the
  /// inclusive result of the last element of each sequence that is not empty, unless it is null.
  T* scan(short_block<T> const& those, T* lasts, T* out = nullptr, T* writable_end = nullptr)
  {
    short_sequences_job<T> job{those.in,    those.from,    nullptr,        those.to,
                               those.count, those.initial, those.initials, those.adjacent};
    job.size = those.size;
    job.count =
        those.readable_end == nullptr ? 0 : before(those.from, those.to, those.count, those.readable_end - those.in);
    if (out == nullptr) {
      job.out = stage_;
      if (job.count > 0) scan_part(job, those, lasts);
      if (job.count < those.count) scan_copies(those, job, lasts, stage_ + (those.to[job.count] - those.to[0]));
      return stage_;
    }
    job.out = out;
    // One place more, for exclusive results.
    auto const end = writable_end - out - 1 + static_cast<std::ptrdiff_t>(those.to[0]);
    job.count = before(those.to, those.to, job.count, end);
    if (job.count > 0) scan_part(job, those, lasts);
    if (job.count < those.count) {
      std::size_t const done = those.to[job.count] - those.to[0];
      scan_copies(those, job, lasts, stage_);
      std::copy_n(stage_, those.to[those.count] - those.to[0] - done, out + done);
    }
    return out;
  }

private:
  static constexpr std::size_t most = block_size<T> + bytes_beyond / sizeof(T) + 1;

  /// The first ones of `count` ascending sequences that end so far before `end` that a row behind each may be touched.
  /// Sequence i begins at begins[i].
  static std::size_t before(std::size_t const* begins, std::size_t const* to, std::size_t count, std::ptrdiff_t end)
  {
    end -= static_cast<std::ptrdiff_t>(bytes_beyond / sizeof(T));
    while (count > 0 && static_cast<std::ptrdiff_t>(begins[count - 1] + (to[count] - to[count - 1])) > end) --count;
    return count;
  }

  /// Scans, and makes the results those of the direction asked for.
  void scan_part(short_sequences_job<T> job, short_block<T> const& those, T* lasts)
  {
    direction const shift = those.shift;
    if (those.totals_alone) {
      job.totals = lasts;
      kernels_.scan_short(job);
      return;
    }
    T* const results = job.out;
    std::size_t const* const to = job.to;
    // Exclusive results are the inclusive ones a place later, except the first of each sequence.
    if (shift == direction::exclusive) ++job.out;
    kernels_.scan_short(job);
    if (lasts != nullptr && job.size != 0) {
      for (std::size_t i = 0; i < job.count; ++i) lasts[i] = job.out[(i + 1) * job.size - 1];
    } else if (lasts != nullptr && !those.some_empty) {
      for (std::size_t i = 0; i < job.count; ++i) lasts[i] = job.out[to[i + 1] - to[0] - 1];
    } else if (lasts != nullptr) {
      for (std::size_t i = 0; i < job.count; ++i) {
        // No branch: which segments are empty cannot be predicted.
        std::size_t const present = to[i] != to[i + 1] ? 1 : 0;
        T const either[2] = {lasts[i], job.out[to[i + 1] - to[0] - present]};
        lasts[i] = either[present];
      }
    }
    if (shift == direction::exclusive)
      for (std::size_t i = 0; i < job.count; ++i)
        results[to[i] - to[0]] = job.initials != nullptr ? job.initials[i] : job.initial;
  }

  /// Scans the sequences behind the first `job.count` ones as copies, to `results`.
  void scan_copies(short_block<T> const& those, short_sequences_job<T> job, T* lasts, T* results)
  {
    std::size_t const first = job.count;
    std::size_t const* const to = those.to + first;
    std::size_t from[most_in_block + bytes_beyond];  // a block, or those near the end of a longer one
    for (std::size_t i = 0; first + i < those.count; ++i) {
      T const* const in = those.in + static_cast<std::ptrdiff_t>(those.from[first + i]);
      std::size_t const size = to[i + 1] - to[i];
      from[i] = to[i] - to[0];
      if (those.reversed)
        std::reverse_copy(in + 1 - size, in + 1, copies_ + from[i]);
      else
        std::copy_n(in, size, copies_ + from[i]);
    }
    job.in = copies_;
    job.from = from;
    job.out = results;
    job.to = to;
    job.count = those.count - first;
    if (job.initials != nullptr) job.initials += first;
    job.adjacent = true;
    scan_part(job, those, lasts == nullptr ? nullptr : lasts + first);
  }

  tile_kernels<T> const& kernels_;
  alignas(line_bytes) T stage_[most];
  alignas(line_bytes) T copies_[most];
};

}  // namespace tally::cpu_backend
