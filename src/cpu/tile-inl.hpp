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
#include <type_traits>

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

inline constexpr std::size_t rows_in_page = 4096 / row_bytes;

/// Rows by which prefetching runs ahead of reading. 8 to 32 were equal on Zen 4; 64 lost a tenth.
inline constexpr std::size_t rows_ahead = 8;

/// Fetches the first line of the page after this one.
HWY_INLINE void fetch_next_page(void const* in)
{
  constexpr std::size_t page = rows_in_page * row_bytes;
  auto const byte = static_cast<char const*>(in);
  __builtin_prefetch(byte - reinterpret_cast<std::uintptr_t>(in) % page + page, 0, to_second_level);
}

/// Fetches `bytes` some rows ahead.
HWY_INLINE void fetch_lines_ahead(void const* in, std::size_t bytes)
{
  auto const first = static_cast<char const*>(in) + rows_ahead * row_bytes;
  for (std::size_t byte = 0; byte < bytes; byte += line_bytes) __builtin_prefetch(first + byte, 0, to_second_level);
}

template <class Op, class T, fetching Ahead = fetching::pages>
T total_of_tile(T const* in, std::size_t size)
{
  row_total<Op, T> total;
  constexpr std::size_t row = order::row<T>;
  std::size_t const before_last = (size - 1) / row;
  for (std::size_t r = 0; r < before_last; ++r) {
    if constexpr (Ahead == fetching::lines)
      fetch_lines_ahead(in + r * row, row_bytes);
    else if (r % rows_in_page == 0)
      fetch_next_page(in + r * row);
    total.row(in + r * row);
  }
  return total.finish(in + before_last * row, size - before_last * row);
}

template <class Op, class T>
T total_of_tile_by_lines(T const* in)
{
  return total_of_tile<Op, T, fetching::lines>(in, order::tile<T>);
}

/// The totals of whole tiles that follow each other, by a row of each in turn.
template <class Op, class T>
void totals_of_tiles(T const* in, T* totals)
{
  constexpr std::size_t tile = order::tile<T>;
#if HWY_ARCH_X86
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
    scan.end(cached_writer<T>(results));
    return scan.last();
  } else {
    HWY_ALIGN T locals[row];
    scan.end(cached_writer<T>(results), locals);
    return locals[size - 1];
  }
}

/// Scans a tile. Results go by a `Writer` of around_cache-inl.hpp.
/// Requires  job.next == nullptr || job.size == order::tile<T>: the next tile is totalled row for row.
template <class Op, class T, direction Shift, class Writer>
HWY_NOINLINE tile_totals<T> scan_tile_by(tile_job<T> const& job)
{
  constexpr std::size_t row = order::row<T>;
  std::size_t const whole = job.size / row;
  std::size_t const rest = job.size % row;
  // Copies: to the compiler any store of a result may change `job`.
  T const* const in = job.in;
  fetching const ahead = job.ahead;
  T const* const next = job.next;
  T const* const read = next != nullptr ? next : in;
  typename row_scan<Op, T, Shift>::memory memory;
  row_scan<Op, T, Shift> scan(job, memory);
  row_total<Op, T> next_total;
  Writer writer(job.out, job.size);
  T last = Op::template identity<T>();
  if (whole > 0) scan.begin(in);
  std::size_t r = 0;
  if constexpr (!std::is_same_v<Writer, line_writer>) {
    // A loop without pieces, whose tests cost small arrays a tenth, and those in memory up to a third on Zen 4.
    if (whole > 0 && (next != nullptr ? job.next_by_rows : ahead != fetching::lines)) {
      for (; r + 1 < whole; ++r) {
        if (ahead == fetching::pages && r % rows_in_page == 0) fetch_next_page(in + r * row);
        scan.row(in + (r + 1) * row, writer, [](std::size_t) {});
        writer.next();
        if (next != nullptr) {
          fetch_lines_ahead(next + r * row, row_bytes);
          next_total.row(next + r * row);
        }
      }
      scan.end(writer);
      writer.next();
      ++r;
    }
  }
  for (; r < whole; ++r) {
    // The row to take while the results of row r are written. The last row is taken again, for nothing.
    T const* const following = in + (r + 1 < whole ? r + 1 : r) * row;
    // The work done along with scanning row r, a piece at a time: memory takes one line after the other as fast as it
    // can, and stalls on bursts. The last row of `next` is for its `finish`. Lines are fetched also where pages would
    // do, which made no difference where a buffer's lines are written along.
    scan.row(following, writer.row(), [&](std::size_t piece) HWY_ATTR {
      if (ahead != fetching::none) fetch_lines_ahead(read + r * row + piece * (piece_bytes / sizeof(T)), piece_bytes);
      if (next != nullptr && r + 1 < whole) next_total.piece(next + r * row, piece);
      writer.along(piece);
    });
    writer.next();
  }
  if (whole > 0) last = scan.last();
  HWY_ALIGN T results[row];
  if (rest > 0) last = scan_rest<Op, T>(scan, in + whole * row, rest, results);
  writer.finish(results, rest * sizeof(T));
  return {last, next != nullptr ? next_total.finish(next + (whole - 1) * row, row) : Op::template identity<T>()};
}

/// Requires  job.next == nullptr || job.size == order::tile<T>.
template <class Op, class T, direction Shift>
tile_totals<T> scan_tile(tile_job<T> const& job)
{
  if (job.to == stores::streaming) {
    if constexpr (blocks<T> > 1) {
      if (row_writer<T, 0>::fits(job.out, job.size)) {
        detail::took("tile: whole lines");
        return scan_tile_by<Op, T, Shift, row_writer<T, 0>>(job);
      }
      // The usual place of a large std::vector's elements.
      if (row_writer<T, 1>::fits(job.out, job.size)) {
        detail::took("tile: lines from two results");
        return scan_tile_by<Op, T, Shift, row_writer<T, 1>>(job);
      }
    }
    detail::took("tile: lines from a buffer");
    return scan_tile_by<Op, T, Shift, line_writer>(job);
  }
  if (job.ahead != fetching::none || job.next != nullptr) {
    detail::took("tile: rows with the next tile along");
    return scan_tile_by<Op, T, Shift, cached_writer<T>>(job);
  }
  detail::took("tile: rows alone");
  return scan_tile_by<Op, T, Shift, cached_writer<T>>(job);
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
  return {&total_of_tile<Op, T>, &total_of_tile_by_lines<Op, T>, &totals_of_tiles<Op, T>,
          &scan_of_tile<Op, T>,  &scan_columns<Op, T>,           &scan_short<Op, T>,
          &scan_flagged<Op, T>,  &copy_around_cache<T>,          lanes<T>};
}

}  // namespace tally::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
