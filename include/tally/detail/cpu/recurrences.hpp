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

/// Recurrences that lie one after the other without a gap, all of one length.
template <class T>
struct short_recurrences_job {
  T const* a;
  T const* b;
  T* out;
  std::size_t size;   ///< of each: 1 .. short_recurrence::most
  std::size_t count;
  T before;           ///< of all
  T const* befores;   ///< or one each, if not null
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

}  // namespace tally::cpu_backend
