#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tally/detail/built_in.hpp"
#include "tally/detail/contract.hpp"
#include "tally/operators/arithmetic.hpp"
#include "tally/order.hpp"

/// The kernels of the compiled library: built-in operators on arithmetic types in contiguous memory, vectorised for
/// each instruction set that Highway dispatches to at run time.
namespace tally::cpu_backend {

using detail::direction;

/// Whether the results go through the cache or around it.
enum class stores { cached, streaming };

/// Memory that a kernel fetches before it reads it. The quickest way depends on the processor
/// (docs/measurements/cpu_notes.md).
enum class fetching {
  none,
  pages,  ///< the first line of the next page, at which the hardware's own prefetching stops
  lines   ///< each line, some rows before it is read
};

/// One tile to scan, and the work to do in the same loop.
template <class T>
struct tile_job {
  T const* in;       ///< `size` elements, any alignment of T
  T* out;            ///< may be `in`
  std::size_t size;  ///< 1 .. order::tile<T>
  T carry;           ///< the operator's identity if absent
  T previous;        ///< exclusive scans: the first result
  direction shift = direction::inclusive;
  stores to = stores::cached;
  T const* next = nullptr;          ///< a whole tile to total in the same loop, or none
  bool next_by_rows = false;        ///< whether it is totalled a row at a time, or else along with the pieces of rows,
                                    ///< as always where results leave by a buffer
  fetching ahead = fetching::none;  ///< of `next`, by lines then, or if there is none of `in`
};

template <class T>
struct tile_totals {
  T last;  ///< the value at the last element: tile-local, or with the carry if the operator is exactly associative
  T next;  ///< the total of `next`; the identity if there was none
};

/// The state of sequences that are scanned side by side, one a lane of vectors: slot s of sequence c is
/// state[s * stride + c]. The caller sets `carry` and `previous` before each tile.
namespace lane_slot {
inline constexpr std::size_t carry = 0;     ///< the tile's carry; the operator's identity if absent
inline constexpr std::size_t previous = 1;  ///< the inclusive result of the last element taken; at first, of none
inline constexpr std::size_t total = 2;     ///< the tile-local value of the last element; unused by exact operators
inline constexpr std::size_t groups = 3;    ///< the scanned totals of the row's groups so far
inline constexpr std::size_t rows = 4;      ///< the rows before in the strip
inline constexpr std::size_t strips = 5;    ///< the strips before in the tile
inline constexpr std::size_t base = 6;      ///< both
inline constexpr std::size_t rings = 7;     ///< 1 + 2 + 4 + 8 + 16 operands of Kogge-Stone's rounds
inline constexpr std::size_t count = rings + order::row_groups - 1;
}  // namespace lane_slot

inline constexpr std::size_t line_bytes = 64;  ///< of memory

/// Groups that a kernel of columns takes at once, where the caller wants it and as many are left.
inline constexpr std::size_t groups_at_once = 4;
/// Elements of memory for the chunks of `width` columns (`column_job::chunks`): two of them, and a line behind each.
template <class T>
constexpr std::size_t chunks_size(std::size_t width)
{
  return 2 * (groups_at_once * order::group<T> * width + line_bytes / sizeof(T));
}

/// Rows of columns that are taken apart begin so many elements one behind the other: not a multiple of a page, as few
/// lines of such addresses stay in the cache together.
template <class T>
inline constexpr std::size_t apart_distance = order::tile<T> + 3 * line_bytes / sizeof(T);

/// A part of one tile of sequences whose elements of one index are neighbours: element k of sequence c is
/// in[k * in_step + c]. An exactly associative operator has no tiles: all elements may be one job.
template <class T>
struct column_job {
  T const* in;  ///< of element `first`
  std::ptrdiff_t in_step;
  T* out;  ///< may be `in`; null for a reduction
  std::ptrdiff_t out_step;
  std::size_t width;   ///< sequences
  std::size_t first;   ///< elements of the tile that earlier jobs took: whole rows
  std::size_t size;    ///< at least 1
  T* state;            ///< lane_slot::count slots
  std::size_t stride;  ///< of slots: `width`, rounded up to whole vectors
  direction shift = direction::inclusive;
  stores to = stores::cached;   ///< around the cache only where `out` and `out_step` are whole lines, or with a stage
  T* stage = nullptr;           ///< memory for results that are to be written around the cache at other places, or none
  std::size_t stage_size = 0;   ///< its elements: a group of all sequences at least
  std::size_t ahead = 0;        ///< how many elements farther along to prefetch
  std::size_t out_ahead = 0;    ///< the same of the output, where it goes through the cache and is not in it
  bool several_groups = false;  ///< whether groups are taken `groups_at_once`
  T* chunks = nullptr;          ///< where nothing lies between the rows of `in`, nor of `out`, and `out` is not `in`:
                                ///< memory for chunks, which are copied in and out around the cache, or none
  T* apart = nullptr;  ///< where nothing lies between the rows of `in`, nor of `out`, and there are two to four
                       ///< columns: memory for a row of each, `apart_distance<T>`, to take them apart, or none
};

/// Sequences of `short_sequences_job` have at most this many bytes: a strip of the order.
inline constexpr std::size_t most_short_bytes = 4096;
/// And this many bytes behind the end of each may be read, and behind the end of all results written: a row.
inline constexpr std::size_t bytes_beyond = 512;

/// Inclusive scans of short sequences that are contiguous each, or empty. The results lie one after the other, those of
/// sequence i at out[to[i] - to[0]], and so `to[i + 1] - to[i]` is its size.
template <class T>
struct short_sequences_job {
  T const* in;              ///< sequence i begins at in + from[i], where distances may wrap around
  std::size_t const* from;  ///< `count`
  T* out;                   ///< not `in`
  std::size_t const* to;    ///< `count` + 1
  std::size_t count;
  T initial;             ///< of all sequences; the identity if absent
  T const* initials;     ///< or one a sequence
  bool adjacent;         ///< whether each sequence begins where the one before ends
  std::size_t size = 0;  ///< of each sequence, if all have one; else 0
  /// Only for operators that are exactly associative: if not null, the reductions of sequences that are not empty go
  /// here, one for each sequence, and nothing to `out`.
  T* totals = nullptr;
};

/// Bits [first, first + count) of some words, at most 64 of them, as the lowest bits of one. No word is read that has
/// none of them.
inline std::uint64_t heads_from(std::uint64_t const* words, std::size_t first, std::size_t count)
{
  std::uint64_t const* const at = words + first / 64;
  std::size_t const shift = first % 64;
  std::uint64_t heads = at[0] >> shift;
  if (shift + count > 64) heads |= at[1] << (64 - shift);
  return count < 64 ? heads & ((std::uint64_t{1} << count) - 1) : heads;
}

/// Segments that begin where bits are set: element k begins one if bit `first + k` of the words is set.
template <class T>
struct flagged_job {
  T const* in;
  T* out;  ///< may be `in`
  std::uint64_t const* heads;
  std::size_t first;
  std::size_t size;
  T initial;  ///< of all segments; the identity if absent
  T carry;    ///< of the segment that began before the first element
  direction shift = direction::inclusive;
};

/// Tiles that `tile_kernels::totals` takes at once.
inline constexpr std::size_t tiles_at_once = 4;

/// The kernels of one operator on one type, for the instruction set of this machine.
template <class T>
struct tile_kernels {
  /// The tile-local value of the last of `size` elements, 1 <= size <= order::tile<T>.
  T (*total)(T const* in, std::size_t size);
  /// The same of a whole tile, fetched by lines.
  T (*total_by_lines)(T const* in);
  /// The same of each of `tiles_at_once` whole tiles, one behind the other in memory.
  void (*totals)(T const* in, T* totals);
  tile_totals<T> (*scan)(tile_job<T> const& job);
  void (*scan_columns)(column_job<T> const& job);
  void (*scan_short)(short_sequences_job<T> const& job);
  /// Inclusive result of the last element. Only for operators that are exactly associative.
  T (*scan_flagged)(flagged_job<T> const& job);
  void (*copy_around_cache)(T const* from, T* to, std::size_t size);
  std::size_t lanes;  ///< of a vector
};

/// The most lanes that a vector has.
template <class T>
inline constexpr std::size_t most_lanes = 64 / sizeof(T);

/// Which operators on which types are compiled.
template <class Op, class T>
inline constexpr bool has_kernels = std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8 &&
                                    detail::built_in::takes<Op, std::is_integral_v<T>>;

/// The type whose kernels Op uses on T.
template <class Op, class T>
using kernel_element = detail::built_in::element<Op, T>;

/// The kernels of every built-in operator on T, in the table's order, for the best instruction set of this machine (or
/// the one that Highway was told to use). Empty for operators that do not take T, or share the kernels of another type.
template <class T>
std::array<tile_kernels<T>, detail::built_in::count> const& all_kernels();

/// The kernels of Op on T, a kernel_element.
template <class Op, class T>
tile_kernels<T> const& kernels_of()
#ifdef TALLY_HEADER_ONLY
    ;  // of one instruction set: src/cpu/header_only.hpp
#else
{
  return all_kernels<T>()[detail::built_in::entry<Op>::place];
}
#endif

/// The job of scanning one tile on top of `before`.
template <class T, class Op>
tile_job<T> job_after(order::carry<T, Op> const& before, Op& op, T identity, T const* in, T* out, std::size_t size,
                      direction shift)
{
  return {in, out, size, before.next(op).value_or(identity), before.last().value_or(identity), shift};
}

/// Scans one tile on top of `before`, and takes its total into it.
template <class T, class Op>
void scan_one_tile(tile_kernels<T> const& kernels, tile_job<T> const& job, order::carry<T, Op>& before, Op& op)
{
  T const last = kernels.scan(job).last;
  if constexpr (exactly_associative<Op, T>)
    before = order::carry<T, Op>(last);
  else
    before.push(last, op);
}

/// An operator called through pointers. Passes over many tiles are compiled with it, so once for each type and not once
/// for each operator. They apply it only twice for a tile of 32 KiB.
template <class T, class Wide, bool Exact>
struct operator_by_pointer {
  static constexpr bool exactly_associative = Exact;
  using carry = Wide;

  T (*of_elements)(T, T);
  Wide (*of_carries)(Wide, Wide);
  T identity;

  T operator()(T a, T b) const { return of_elements(a, b); }
  Wide operator()(Wide a, Wide b) const
    requires(!std::is_same_v<T, Wide>)
  {
    return of_carries(a, b);
  }
};
template <class Op, class T>
auto by_pointer()
{
  using wide = carry_type<Op, T>;
  return operator_by_pointer<T, wide, exactly_associative<Op, T>>{
      [](T a, T b) { return static_cast<T>(Op{}(a, b)); }, [](wide a, wide b) { return static_cast<wide>(Op{}(a, b)); },
      Op::template identity<T>()};
}

/// Passes over `size` contiguous elements on at most `threads` threads (0: any number). `before` is the carry before
/// the first element, and becomes the one after the last.
template <class T, class Op>
void reduce_by_kernels(tile_kernels<T> const& kernels, T const* in, std::size_t size, order::carry<T, Op>& before,
                       Op op, int threads);
template <class T, class Op>
void scan_by_kernels(tile_kernels<T> const& kernels, T const* in, T* out, std::size_t size, order::carry<T, Op>& before,
                     Op op, direction shift, int threads);

/// reduce and scan of `size` contiguous elements of a kernel_element, as `reduce_by_kernels`.
/// Memory    one thread needs none beyond the stack. Several need 32 KiB each for a scan; a reduction needs up to 16
///           bytes for each 32 KiB of input, 512 KiB in all.
/// Blocks    until done. Throws usage_error if `threads` is negative, std::bad_alloc.
template <class Op, class T>
void reduce_contiguous(T const* in, std::size_t size, order::carry<T, Op>& before, int threads)
{
  auto const op = by_pointer<Op, T>();
  order::carry<T, std::remove_const_t<decltype(op)>> carry(before);
  reduce_by_kernels(kernels_of<Op, T>(), in, size, carry, op, threads);
  before = order::carry<T, Op>(carry);
}
template <class Op, class T>
void scan_contiguous(T const* in, T* out, std::size_t size, order::carry<T, Op>& before, direction shift, int threads)
{
  auto const op = by_pointer<Op, T>();
  order::carry<T, std::remove_const_t<decltype(op)>> carry(before);
  scan_by_kernels(kernels_of<Op, T>(), in, out, size, carry, op, shift, threads);
  before = order::carry<T, Op>(carry);
}

}  // namespace tally::cpu_backend
