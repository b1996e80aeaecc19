// One tile, by rows: what is the same for every operator. Short rows, streaming stores, prefetching, the next tile's total.
#if defined(TALLY_CPU_TILE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TALLY_CPU_TILE_INL
#undef TALLY_CPU_TILE_INL
#else
#define TALLY_CPU_TILE_INL
#endif

#include <hwy/cache_control.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "src/cpu/exact-inl.hpp"
#include "src/cpu/ordered-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tally::cpu_backend::HWY_NAMESPACE {

inline constexpr std::size_t row_bytes = 512;
inline constexpr std::size_t line_bytes = 64;

template <class Op, class T, direction Shift>
using row_scan = std::conditional_t<exactly_associative<Op, T>, exact_scan<Op, T, Shift>, ordered_scan<Op, T, Shift>>;
template <class Op, class T>
using row_total = std::conditional_t<exactly_associative<Op, T>, exact_total<Op, T>, ordered_total<Op, T>>;

/// Tiles that are totalled side by side: memory gives more to several streams than to one, twice as much on Zen 4. The hardware
/// prefetches them better than the program can: prefetching by 2 or 8 rows lost a third.
inline constexpr std::size_t streams = 4;

HWY_INLINE void prefetch_row(void const* row)
{
  for (std::size_t byte = 0; byte < row_bytes; byte += line_bytes) hwy::Prefetch(static_cast<char const*>(row) + byte);
}

template <class Op, class T>
T total_of_tile(T const* in, std::size_t size)
{
  row_total<Op, T> total;
  constexpr std::size_t row = order::row<T>;
  std::size_t const before_last = (size - 1) / row;
  for (std::size_t r = 0; r < before_last; ++r) total.row(in + r * row);
  return total.finish(in + before_last * row, size - before_last * row);
}

template <class Op, class T>
void totals_of_tiles(T const* in, std::size_t count, T* out)
{
  constexpr std::size_t row = order::row<T>;
  constexpr std::size_t tile = order::tile<T>;
  for (; count >= streams; count -= streams, in += streams * tile, out += streams) {
    row_total<Op, T> total[streams];
    for (std::size_t k = 0; k < tile - row; k += row) {
      HWY_UNROLL(4)
      for (std::size_t s = 0; s < streams; ++s) total[s].row(in + s * tile + k);
    }
    for (std::size_t s = 0; s < streams; ++s) out[s] = total[s].finish(in + s * tile + tile - row, row);
  }
  for (std::size_t i = 0; i < count; ++i) out[i] = total_of_tile<Op>(in + i * tile, tile);
}

/// Writes rows of a tile around the cache, a whole line of memory at a time, wherever in a line the tile begins.
///
/// Rows are put together in a buffer that has the phase of the output: its first line holds what is left of the row before.
class line_writer {
public:
  explicit line_writer(void* out)
      : phase_(reinterpret_cast<std::uintptr_t>(out) % line_bytes),
        line_(static_cast<char*>(out) - phase_),
        first_(phase_ != 0)
  {
  }

  /// Where the next row, or two, go.
  HWY_INLINE char* place() { return buffer_ + phase_; }

  /// The `Rows` rows at `place` are complete. Prefetches the lines at `ahead` on the way, one for each line written.
  template <std::size_t Rows>
  HWY_INLINE void flush(char const* ahead)
  {
    hn::ScalableTag<std::uint8_t> d8;
    std::size_t byte = 0;
    if (first_) {
      // The first line belongs in part to the tile before, which another thread may be writing.
      std::memcpy(line_ + phase_, buffer_ + phase_, line_bytes - phase_);
      first_ = false;
      byte = line_bytes;
    }
    for (; byte < Rows * row_bytes; byte += line_bytes) {
      if (ahead != nullptr) hwy::Prefetch(ahead + byte);
      for (std::size_t lane = 0; lane < line_bytes; lane += hn::MaxLanes(d8))
        hn::Stream(hn::Load(d8, reinterpret_cast<std::uint8_t const*>(buffer_) + byte + lane), d8,
                   reinterpret_cast<std::uint8_t*>(line_) + byte + lane);
    }
    line_ += Rows * row_bytes;
    if (phase_ != 0) std::memcpy(buffer_, buffer_ + Rows * row_bytes, line_bytes);
  }

  /// Writes what is left, and `bytes` more at `place`.
  HWY_INLINE void finish(std::size_t bytes)
  {
    std::size_t const from = first_ ? phase_ : 0;
    std::memcpy(line_ + from, buffer_ + from, phase_ + bytes - from);
  }

private:
  alignas(64) char buffer_[2 * row_bytes + line_bytes];
  std::size_t phase_;
  char* line_;
  bool first_;
};

/// The last, short row of a tile, by way of buffers; the results to `results`. Returns what `tile_totals::last` wants.
template <class Op, class T, class Scan>
HWY_INLINE T scan_rest(Scan& scan, T const* in, std::size_t size, T* results)
{
  constexpr std::size_t row = order::row<T>;
  HWY_ALIGN T padded[row];
  std::fill(std::copy(in, in + size, padded), padded + row, Op::template identity<T>());
  if constexpr (exactly_associative<Op, T>) {
    scan.template rows<1>(padded, results);
    return scan.last();
  } else {
    HWY_ALIGN T locals[row];
    scan.template rows<1>(padded, results, locals);
    return locals[size - 1];
  }
}

/// Requires  job.next == nullptr || job.size == order::tile<T>: the next tile is totalled row for row.
template <class Op, class T, direction Shift>
tile_totals<T> scan_tile(tile_job<T> const& job)
{
  constexpr std::size_t row = order::row<T>;
  std::size_t const whole = job.size / row;
  std::size_t const rest = job.size % row;
  row_scan<Op, T, Shift> scan(job);
  row_total<Op, T> next;
  auto const ahead = reinterpret_cast<char const*>(job.ahead);
  T last = Op::template identity<T>();

  if (job.to == stores::streaming) {
    line_writer lines(job.out);
    std::size_t r = 0;
    for (; r + 2 <= whole; r += 2) {
      if (job.next != nullptr) {
        next.row(job.next + r * row);
        if (r + 2 < whole) next.row(job.next + (r + 1) * row);
      }
      scan.template rows<2>(job.in + r * row, reinterpret_cast<T*>(lines.place()));
      lines.flush<2>(ahead != nullptr ? ahead + r * row_bytes : nullptr);
    }
    if (r < whole) {
      scan.template rows<1>(job.in + r * row, reinterpret_cast<T*>(lines.place()));
      lines.flush<1>(ahead != nullptr ? ahead + r * row_bytes : nullptr);
    }
    if (whole > 0) last = scan.last();
    HWY_ALIGN T results[row];
    if (rest > 0) last = scan_rest<Op, T>(scan, job.in + whole * row, rest, results);
    std::memcpy(lines.place(), results, rest * sizeof(T));
    lines.finish(rest * sizeof(T));
  } else {
    std::size_t r = 0;
    for (; r + 2 <= whole; r += 2) {
      if (ahead != nullptr) {
        prefetch_row(ahead + r * row_bytes);
        prefetch_row(ahead + (r + 1) * row_bytes);
      }
      if (job.next != nullptr) {
        next.row(job.next + r * row);
        if (r + 2 < whole) next.row(job.next + (r + 1) * row);
      }
      scan.template rows<2>(job.in + r * row, job.out + r * row);
    }
    if (r < whole) scan.template rows<1>(job.in + r * row, job.out + r * row);
    if (whole > 0) last = scan.last();
    if (rest > 0) {
      HWY_ALIGN T results[row];
      last = scan_rest<Op, T>(scan, job.in + whole * row, rest, results);
      std::memcpy(job.out + whole * row, results, rest * sizeof(T));
    }
  }
  return {last, job.next != nullptr ? next.finish(job.next + (whole - 1) * row, row) : Op::template identity<T>()};
}

template <class Op, class T>
tile_totals<T> scan_of_tile(tile_job<T> const& job)
{
  return job.shift == direction::exclusive ? scan_tile<Op, T, direction::exclusive>(job)
                                           : scan_tile<Op, T, direction::inclusive>(job);
}

template <class Op, class T>
constexpr tile_kernels<T> make_kernels()
{
  return {&total_of_tile<Op, T>, &totals_of_tiles<Op, T>, &scan_of_tile<Op, T>};
}

}  // namespace tally::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
