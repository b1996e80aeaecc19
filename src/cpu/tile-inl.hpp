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
#include <cstring>

#include "src/cpu/apart-inl.hpp"
#include "src/cpu/around_cache-inl.hpp"
#include "src/cpu/columns-inl.hpp"
#include "src/cpu/exact-inl.hpp"
#include "src/cpu/flagged-inl.hpp"
#include "src/cpu/ordered-inl.hpp"
#include "src/cpu/short-inl.hpp"
#include "tally/detail/path.hpp"

HWY_BEFORE_NAMESPACE();
namespace tally::cpu_backend::HWY_NAMESPACE {

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

/// The totals of whole tiles that follow each other, by a row of each in turn. Where AVX2 is all there is, one sequence
/// of reads is slower than memory: the hardware's prefetching stops at the end of each page of 4 KiB. Four took .5 to
/// .7 of the time there, and the same in the cache. With AVX-512 Zen 4 read one sequence at full speed, and four at
/// three quarters of it.
template <class Op, class T>
void totals_of_tiles(T const* in, T* totals)
{
  constexpr std::size_t tile = order::tile<T>;
#if HWY_ARCH_X86 && HWY_TARGET > HWY_AVX3
  constexpr std::size_t row = order::row<T>;
  row_total<Op, T> total[tiles_at_once];
  for (std::size_t r = 0; r < tile - row; r += row)
    for (std::size_t i = 0; i < tiles_at_once; ++i) total[i].row(in + i * tile + r);
  for (std::size_t i = 0; i < tiles_at_once; ++i) totals[i] = total[i].finish(in + (i + 1) * tile - row, row);
#else
  for (std::size_t i = 0; i < tiles_at_once; ++i) totals[i] = total_of_tile<Op, T>(in + i * tile, tile);
#endif
}

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
void scan_columns(column_job<T> const& job)
{
  if (job.apart != nullptr)
    columns_apart<Op, T>(job).run(total_of_tile<Op, T>,
                                  [](tile_job<T> const& row) { return scan_of_tile<Op, T>(row).last; });
  else
    column_scan<Op, T>(job).run();
}

template <class Op, class T>
constexpr tile_kernels<T> make_kernels()
{
  return {&total_of_tile<Op, T>, &totals_of_tiles<Op, T>, &scan_of_tile<Op, T>,  &scan_columns<Op, T>,
          &scan_short<Op, T>,    &scan_flagged<Op, T>,    &copy_around_cache<T>, lanes<T>};
}

}  // namespace tally::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
