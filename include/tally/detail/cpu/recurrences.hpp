#pragma once

#include <cstddef>
#include <type_traits>

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

template <class T>
struct recurrence_kernels {
  /// The total of a whole tile.
  affine<T> (*total)(T const* a, std::size_t a_row, T const* b);
  recurrence_totals<T> (*tile)(recurrence_job<T> const& job);
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

/// The types whose recurrences are compiled.
template <class T>
inline constexpr bool has_recurrence_kernels = std::is_same_v<T, float> || std::is_same_v<T, double>;

}  // namespace tally::cpu_backend
