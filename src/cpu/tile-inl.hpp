// One tile, row by row: the part that all operators share. It handles short rows, streaming stores, prefetching, and
// the next tile's total.
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

#include "src/cpu/columns-inl.hpp"
#include "src/cpu/exact-inl.hpp"
#include "src/cpu/flagged-inl.hpp"
#include "src/cpu/ordered-inl.hpp"
#include "src/cpu/short-inl.hpp"
#include "tally/detail/path.hpp"

HWY_BEFORE_NAMESPACE();
namespace tally::cpu_backend::HWY_NAMESPACE {

/// The cache level of prefetching, as an argument of __builtin_prefetch. A prefetch into the first level holds a buffer
/// for misses, which reading the tile itself from the second level needs: that gave 0.84 of the copy limit on Zen 4,
/// and this 0.97.
inline constexpr int to_second_level = 2;

template <class Op, class T, direction Shift>
using row_scan = std::conditional_t<exactly_associative<Op, T>, exact_scan<Op, T, Shift>, ordered_scan<Op, T, Shift>>;
template <class Op, class T>
using row_total = std::conditional_t<exactly_associative<Op, T>, exact_total<Op, T>, ordered_total<Op, T>>;

template <class Op, class T>
T total_of_tile(T const* in, std::size_t size)
{
  row_total<Op, T> total;
  constexpr std::size_t row = order::row<T>;
  std::size_t const before_last = (size - 1) / row;
  for (std::size_t r = 0; r < before_last; ++r) total.row(in + r * row);
  return total.finish(in + before_last * row, size - before_last * row);
}

/// Writes rows around the cache, a whole line of memory at a time, wherever in a line the tile begins.
///
/// A row is assembled in one half of a buffer that has the phase of the output; the first line of the half holds the
/// rest of the row before. It is written while the other half is filled.
class line_writer {
public:
  explicit line_writer(void* out)
      : phase_(reinterpret_cast<std::uintptr_t>(out) % line_bytes),
        filling_(static_cast<char*>(out) - phase_),
        first_(phase_ != 0)
  {
  }

  /// Whether the output begins with a line.
  bool in_phase() const { return phase_ == 0; }
  /// The place for the next row.
  HWY_INLINE char* place() { return buffer_ + half_ + phase_; }

  /// Writes lines [first, first + count) of the row before, if there is one.
  HWY_INLINE void lines(std::size_t first, std::size_t count)
  {
    if (writing_ == nullptr) return;
    for (std::size_t line = first; line < first + count; ++line) {
      char const* const from = buffer_ + (half_ ^ row_bytes) + line * line_bytes;
      if (line == 0 && first_) {
        // The first line belongs in part to the tile before, which another thread may be writing.
        std::memcpy(writing_ + phase_, from + phase_, line_bytes - phase_);
        first_ = false;
        continue;
      }
      hn::ScalableTag<std::uint8_t> d8;
      for (std::size_t lane = 0; lane < line_bytes; lane += hn::MaxLanes(d8))
        hn::Stream(hn::Load(d8, reinterpret_cast<std::uint8_t const*>(from) + lane), d8,
                   reinterpret_cast<std::uint8_t*>(writing_) + line * line_bytes + lane);
    }
  }

  /// Goes on to the next row: the row at `place` is complete, and the lines of the row before it are written.
  HWY_INLINE void next()
  {
    writing_ = filling_;
    filling_ += row_bytes;
    half_ ^= row_bytes;
    if (half_ == 0 && phase_ != 0) std::memcpy(buffer_, buffer_ + 2 * row_bytes, line_bytes);
  }

  /// Writes the remaining lines, and then the `bytes` at `rest`, at most a row.
  HWY_INLINE void finish(void const* rest, std::size_t bytes)
  {
    // Before the copy: with the phase, `rest` may reach into the other half, where the row before waits.
    if (bytes > 0 && writing_ != nullptr)
      detail::took(half_ == 0 ? "tile: a short row before the waiting one" : "tile: a short row after the waiting one");
    lines(0, row_bytes / line_bytes);
    std::memcpy(place(), rest, bytes);
    std::size_t const from = first_ ? phase_ : 0;
    std::memcpy(filling_ + from, buffer_ + half_ + from, phase_ + bytes - from);
  }

private:
  alignas(64) char buffer_[2 * row_bytes + line_bytes];
  std::size_t phase_;
  std::size_t half_ = 0;     // the offset in the buffer of the row that is being filled: 0 or row_bytes
  char* filling_;            // the first line of that row in memory
  char* writing_ = nullptr;  // the same of the row before
  bool first_;
};

/// Scans the last, short row of a tile through a buffer, to `results`. Returns the value for `tile_totals::last`.
template <class Op, class T, class Scan>
HWY_INLINE T scan_rest(Scan& scan, T const* in, std::size_t size, T* results)
{
  constexpr std::size_t row = order::row<T>;
  detail::took("tile: a short row");
  HWY_ALIGN T padded[row];
  std::fill(std::copy(in, in + size, padded), padded + row, Op::template identity<T>());
  scan.begin(padded);
  if constexpr (exactly_associative<Op, T>) {
    scan.end(results);
    return scan.last();
  } else {
    HWY_ALIGN T locals[row];
    scan.end(results, locals);
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
  T last = Op::template identity<T>();
  std::size_t r = 0;

  // The work done along with scanning row r, a piece at a time: memory takes one line after the other as fast as it
  // can, and stalls on bursts. The last row of `next` is for `finish`.
  auto const along = [&](std::size_t piece) HWY_ATTR {
    if (job.ahead != nullptr) {
      auto const ahead = reinterpret_cast<char const*>(job.ahead + r * row) + piece * piece_bytes;
      for (std::size_t byte = 0; byte < piece_bytes; byte += line_bytes)
        __builtin_prefetch(ahead + byte, 0, to_second_level);
    }
    if (job.next != nullptr && r + 1 < whole) next.piece(job.next + r * row, piece);
  };
  // The row to take while the results of row r are written. The last row is taken again, for nothing.
  auto const following = [&] { return job.in + (r + 1 < whole ? r + 1 : r) * row; };

  if (whole > 0) scan.begin(job.in);
  if (job.to == stores::streaming) {
    line_writer writer(job.out);
    detail::took(writer.in_phase() ? "tile: whole lines" : "tile: lines across rows");
    for (; r < whole; ++r) {
      scan.row(following(), reinterpret_cast<T*>(writer.place()), [&](std::size_t piece) HWY_ATTR {
        along(piece);
        writer.lines(piece * (piece_bytes / line_bytes), piece_bytes / line_bytes);
      });
      writer.next();
    }
    if (whole > 0) last = scan.last();
    HWY_ALIGN T results[row];
    if (rest > 0) last = scan_rest<Op, T>(scan, job.in + whole * row, rest, results);
    writer.finish(results, rest * sizeof(T));
  } else {
    if (job.ahead == nullptr && job.next == nullptr) {
      // Small arrays have a loop of their own: the tests at each piece cost them a tenth.
      detail::took("tile: rows alone");
      for (; r + 1 < whole; ++r) scan.row(job.in + (r + 1) * row, job.out + r * row, [](std::size_t) {});
      if (whole > 0) scan.end(job.out + r * row);
    } else {
      detail::took("tile: rows with the next tile along");
      for (; r < whole; ++r) scan.row(following(), job.out + r * row, along);
    }
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
  return {&total_of_tile<Op, T>,
          &scan_of_tile<Op, T>,
          &scan_columns<Op, T>,
          &scan_short<Op, T>,
          &scan_flagged<Op, T>,
          &copy_around_cache<T>,
          lanes<T>};
}

}  // namespace tally::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
