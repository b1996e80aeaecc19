#pragma once

#include <cstddef>
#include <type_traits>

#include "tally/detail/batch/ends.hpp"
#include "tally/detail/batch/layout.hpp"
#include "tally/detail/cpu/kernels.hpp"
#include "tally/operators/affine.hpp"
#include "tally/order.hpp"

/// The compiled kernels of linear recurrences of float and double. A recurrence is a scan of maps (affine<T>) on top of
/// a constant map, in the order of docs/order.md; its results are the offsets.
namespace tally::cpu_backend {

/// One tile of a recurrence, and the work to do in the same loop. Coefficients `a` lie one after the other, or are all
/// the same: then `a` has a pair of rows of them, and `a_row` is 0.
template <class T>
struct recurrence_job {
  T const* a;
  std::size_t a_row;  ///< how far the coefficients of a row are from those of the row before: order::row, or 0
  T const* b;
  T* out;            ///< may be `a` or `b`; null: results are looked at only
  std::size_t size;  ///< 1 .. order::tile<affine<T>>
  T carry;           ///< the carry's offset
  stores to = stores::cached;
  bool ahead = false;         ///< whether to prefetch in the same loop
  T const* next_a = nullptr;  ///< a whole tile to total in the same loop, or none
  T const* next_b = nullptr;
};

template <class T>
struct recurrence_totals {
  affine<T> last;      ///< the tile-local map of the last element; of a whole tile only
  affine<T> next;      ///< the total of the next tile, if there is one
  std::size_t finite;  ///< results before the first one that is not finite: those are written, and no others
};

/// The state of recurrences side by side, one a lane of vectors: slot s of recurrence c is state[s * stride + c]. A map
/// has two slots, its scale and its offset. The caller sets `carry` before each tile, and `odd` to 0 before the first.
namespace recurrence_slot {
inline constexpr std::size_t carry = 0;   ///< the carry's offset
inline constexpr std::size_t odd = 1;     ///< not a number after a result that is not finite
inline constexpr std::size_t total = 2;   ///< the tile-local map of the last element
inline constexpr std::size_t groups = 4;  ///< the scanned totals of the row's groups so far
inline constexpr std::size_t rows = 6;    ///< the rows before in the strip
inline constexpr std::size_t strips = 8;  ///< the strips before in the tile
inline constexpr std::size_t base = 10;   ///< both
inline constexpr std::size_t rings = 12;  ///< 1 + 2 + 4 + 8 + 16 operands of Kogge and Stone's rounds
inline constexpr std::size_t count = rings + 2 * (order::row_groups - 1);
}  // namespace recurrence_slot

/// One tile, or the beginning of one, of recurrences whose elements of one index are neighbours: that of recurrence c
/// at step k is b[k * b_step + c].
template <class T>
struct recurrence_columns_job {
  T const* a;
  std::ptrdiff_t a_step;
  bool a_across;  ///< whether coefficients of one step are neighbours; else all recurrences share one
  T const* b;
  std::ptrdiff_t b_step;
  T* out;  ///< may be `a` or `b`
  std::ptrdiff_t out_step;
  std::size_t width;   ///< recurrences
  std::size_t first;   ///< the step at which the tile begins
  std::size_t size;    ///< 1 .. order::tile<affine<T>>
  T* state;            ///< recurrence_slot::count slots
  std::size_t stride;  ///< of slots: `width`, rounded up to whole vectors
  stores to;           ///< around the cache only where `out` and `out_step` are whole lines
  std::size_t ahead;   ///< how many steps farther along to prefetch
  std::size_t* bad;    ///< takes the step of the first result of a recurrence that is not finite. No more are written
};

template <class T>
struct recurrence_kernels {
  /// The total of a whole tile.
  affine<T> (*total)(T const* a, std::size_t a_row, T const* b);
  recurrence_totals<T> (*tile)(recurrence_job<T> const& job);
  void (*columns)(recurrence_columns_job<T> const& job);
};

/// The kernels on T, float or double, for the instruction set of this machine.
template <class T>
recurrence_kernels<T> const& kernels_of_recurrences();

/// One recurrence of floats or doubles in memory.
template <class T>
struct recurrence_in_memory {
  T const* a;
  std::ptrdiff_t a_step;  ///< 0: one coefficient for all steps
  T const* b;
  std::ptrdiff_t b_step;
  T* out;  ///< may be `a` or `b`, with the same step
  std::ptrdiff_t out_step;
  std::size_t size;  ///< at least 1
  T before;
  bool around;  ///< whether results may be written around the cache, unless they replace elements
  int threads;  ///< at most so many; 0: any number
};

/// Writes its states, and returns the last one.
///
/// Memory    at general distances, or backwards, 100 KiB of each thread's stack.
/// Blocks    until done. Throws usage_error if `threads` is negative, std::bad_alloc.
template <class T>
T recur_by_kernels(recurrence_in_memory<T> const& given);

/// Recurrences of floats or doubles at regular places. Coefficients may be repeated along any axis.
template <class T>
struct recurrences_in_memory {
  T const* a;
  T const* b;
  T* out;
  detail::batch::layout where;
  detail::batch::ends<T> given;  ///< with initial values
  int threads;
};

/// The dimension in which neighbours are neighbours in memory, the outermost one if there are several; -1: none, or the
/// elements of a recurrence are neighbours themselves.
inline int columns_of_recurrences(detail::batch::layout const& where)
{
  auto const neighbours = [](std::ptrdiff_t step) { return step == 1 || step == -1; };
  detail::batch::distances const& along = where.along.step;
  if (where.along.extent > 1 && neighbours(along.in) && neighbours(along.out)) return -1;
  for (int d = where.dimensions; d-- > 0;) {
    detail::batch::distances const& step = where.across[d].step;
    if (step.in == 1 && step.out == 1 && (step.coefficients == 0 || step.coefficients == 1)) return d;
  }
  return -1;
}

/// Writes the states of all recurrences, and their last ones to given.lasts unless that is null.
///
/// Requires  dimension == columns_of_recurrences(given.where), which is not -1.
/// Memory    of each thread some 150 KiB.
/// Blocks    until done. Throws usage_error if `threads` is negative, std::bad_alloc.
template <class T>
void recur_columns_by_kernels(recurrences_in_memory<T> const& given, int dimension);

/// The types whose recurrences are compiled.
template <class T>
inline constexpr bool has_recurrence_kernels = std::is_same_v<T, float> || std::is_same_v<T, double>;

}  // namespace tally::cpu_backend
