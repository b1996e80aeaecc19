#pragma once

#include <cstddef>
#include <type_traits>

#include "tally/detail/batch/ends.hpp"
#include "tally/detail/batch/layout.hpp"
#include "tally/detail/cpu/kernels.hpp"
#include "tally/detail/cpu/tuning.hpp"
#include "tally/half.hpp"
#include "tally/operators/affine.hpp"
#include "tally/operators/traits.hpp"
#include "tally/order.hpp"

/// The compiled kernels of linear recurrences of float, double, half and bfloat16, in the order of docs/order.md. T is
/// the type of elements in memory. States of half and bfloat16 are floats (working_type<T>) until they are stored.
namespace tally::cpu_backend {

/// One tile of a recurrence, and the work to do in the same loop. Coefficients `a` lie one after the other, or are all
/// the same: then `a` has a row of them, and `a_row` is 0.
template <class T>
struct recurrence_job {
  T const* a;
  std::size_t a_row;  ///< how far the coefficients of a row are from those of the row before: order::row, or 0
  T const* b;
  T* out;                 ///< may be `a` or `b`; null: results are looked at only
  std::size_t size;       ///< 1 .. order::tile<affine<T>>
  working_type<T> carry;  ///< the carry's offset
  stores to = stores::cached;
  bool ahead = false;         ///< whether to prefetch in the same loop
  T const* next_a = nullptr;  ///< a whole tile to total in the same loop, or none
  T const* next_b = nullptr;
};

template <class T>
struct recurrence_totals {
  affine<working_type<T>> last;  ///< the total of the tile, if it is a whole one
  affine<working_type<T>> next;  ///< the total of the next tile, if there is one
  std::size_t finite;            ///< results before the first one that is not finite: those are written, and no others
};

/// The states of recurrences side by side, one a lane of vectors: slot s of recurrence c is state[s * stride + c]. The
/// caller sets `carry` before each tile.
namespace recurrence_slot {
inline constexpr std::size_t carry = 0;  ///< the state before the tile
inline constexpr std::size_t total = 1;  ///< the total of a whole tile: its scale, and its offset in the next slot
inline constexpr std::size_t count = 3;
}  // namespace recurrence_slot

/// Columns of a job, at most: two thousand bytes of each step, which take 45 KiB of the stack, of two-byte elements 88.
/// 2048 steps of as many floats took 0.35 ns a step, for 0.43 in blocks of 512 bytes.
template <class T>
inline constexpr std::size_t most_recurrence_columns = 2048 / sizeof(T);
/// Where more columns would leave threads without work.
template <class T>
inline constexpr std::size_t least_recurrence_columns = 512 / sizeof(T);

/// One tile of recurrences whose elements of one index are neighbours: that of recurrence c at step k is
/// b[k * b_step + c].
template <class T>
struct recurrence_columns_job {
  T const* a;
  std::ptrdiff_t a_step;
  bool a_across;  ///< whether coefficients of one step are neighbours; else all recurrences share one
  T const* b;
  std::ptrdiff_t b_step;
  T* out;  ///< may be `a` or `b`; null: a whole tile is totalled only
  std::ptrdiff_t out_step;
  std::size_t width;       ///< recurrences: at most most_recurrence_columns
  std::size_t first;       ///< the step at which the tile begins
  std::size_t size;        ///< 1 .. order::tile<affine<T>>
  working_type<T>* state;  ///< recurrence_slot::count slots
  std::size_t stride;      ///< of slots: `width`, rounded up to whole vectors
  stores to;               ///< around the cache only where `out` and `out_step` are whole lines
  bool ahead;              ///< whether to fetch steps ahead
  /// For each recurrence the step of its first result that is not finite, from which on no results are written. The
  /// caller sets all of them to a number that is no step.
  std::size_t* bad;
  bool has_bad;  ///< whether a recurrence has had such a result in an earlier tile
};

/// One of several recurrences that are run at once, whose steps are neighbours in memory.
template <class T>
struct recurrence_lane {
  T const* a;  ///< its first coefficient
  T const* b;
  T* out;            ///< may be `a` or `b`
  std::size_t size;  ///< 1 .. order::recurrence::strip<T>
  T before;
  T last;  ///< the result: its last state
};

/// Recurrences of one size at regular places, whose steps are neighbours in memory.
template <class T>
struct recurrence_rows_job {
  T const* a;
  T const* b;
  T* out;                                ///< may be `a` or `b`
  std::ptrdiff_t a_row, b_row, out_row;  ///< from a recurrence to the next one
  std::ptrdiff_t step;                   ///< from a step to the next one: 1 or -1
  bool repeats_a;                        ///< whether each recurrence has one coefficient, else they lie as the terms do
  std::size_t size;                      ///< 1 .. order::recurrence::strip<T>
  std::size_t count;
  T const* befores;
  std::ptrdiff_t before_row;  ///< 0: one for all
  T* lasts;                   ///< takes the last states, unless null
  std::ptrdiff_t last_row;
  bool ahead;  ///< whether to fetch the next recurrences
};

template <class T>
struct recurrence_kernels {
  /// The total of a whole tile.
  affine<working_type<T>> (*total)(T const* a, std::size_t a_row, T const* b);
  recurrence_totals<T> (*tile)(recurrence_job<T> const& job);
  /// Returns whether a recurrence has a result that is not finite, in this tile or an earlier one.
  bool (*columns)(recurrence_columns_job<T> const& job);
  void (*rows)(recurrence_rows_job<T> const& job);
  /// `step` and `repeats_a` are those of recurrence_rows_job. A vector has `lanes` recurrences.
  void (*several)(recurrence_lane<T>* of, std::size_t count, std::ptrdiff_t step, bool repeats_a);
  /// out[k] = a[k] * b[k], or a[size - 1 - k] * b[k], rounded.
  void (*multiply)(T const* a, bool reverses_a, T const* b, T* out, std::size_t size);
  /// out[k] = in[size - 1 - k], which do not overlap.
  void (*reverse)(T const* in, T* out, std::size_t size);
  std::size_t lanes;
};

/// The kernels on T, for the instruction set of this machine.
template <class T>
recurrence_kernels<T> const& kernels_of_recurrences();

/// Where the states of a recurrence go besides, each times a factor.
template <class T>
struct recurrence_products {
  T const* factors;
  std::ptrdiff_t factors_step;
  T* out;
  std::ptrdiff_t out_step;
  T last;  ///< the factor of the last step: `factors` has one less
};

/// One recurrence in memory.
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
  /// Whether the coefficient of step k is number k - 1 of `a`, and that of the first step 1: a gradient's.
  bool follows = false;
  recurrence_products<T> const* products = nullptr;  ///< or none

  T coefficient(std::size_t k) const
  {
    if (follows && k == 0) return T(1.0f);
    return a[(static_cast<std::ptrdiff_t>(k) - (follows ? 1 : 0)) * a_step];
  }
  void put(std::size_t k, T state) const
  {
    auto const number = static_cast<std::ptrdiff_t>(k);
    out[number * out_step] = state;
    if (products != nullptr)
      products->out[number * products->out_step] =
          state * (k + 1 == size ? products->last : products->factors[number * products->factors_step]);
  }
};

/// Writes its states, and returns the last one.
///
/// Memory    at general distances, or backwards, 100 KiB of each thread's stack.
/// Blocks    until done. Throws usage_error if `threads` is negative, std::bad_alloc.
template <class T>
T recur_by_kernels(recurrence_in_memory<T> const& given);

/// Recurrences at regular places. Coefficients may be repeated along any axis.
template <class T>
struct recurrences_in_memory {
  T const* a;
  T const* b;
  T* out;
  detail::batch::layout where;
  detail::batch::ends<T> given;  ///< with initial values
  int threads;
  bool follows = false;  ///< that of recurrence_in_memory
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
/// Memory    45 KiB of each thread's stack, of elements of two bytes 88, and 30 KiB.
/// Blocks    until done. Throws usage_error if `threads` is negative, std::bad_alloc.
template <class T>
void recur_columns_by_kernels(recurrences_in_memory<T> const& given, int dimension);

/// Whether the steps of each recurrence are neighbours in memory, and they are so few, or so are the recurrences, that
/// vectors with one recurrence in each lane are the quicker way. Rows of 1000 floats are as quick one after the other.
template <class T>
bool has_rows_of_recurrences(detail::batch::layout const& where)
{
  detail::batch::distances const& along = where.along.step;
  bool const neighbours = (along.in == 1 || along.in == -1) && along.out == along.in &&
                          (along.coefficients == along.in || along.coefficients == 0);
  if (!neighbours || where.dimensions == 0) return false;
  std::size_t const n = where.along.extent, row = order::row<affine<T>>;
  if (n <= row) return true;
  tuning const& sizes = tuning_in_use();
  bool const from_memory = where.sequences() * n * sizeof(T) >= sizes.streamed_bytes;
  if (along.in > 0 && from_memory && n * sizeof(T) >= sizes.recurrence_alone_bytes) return false;
  return n <= 4 * row && where.sequences() >= sizes.recurrences_at_once;
}

/// Writes the states of all recurrences, and their last ones to given.lasts unless that is null.
///
/// Requires  has_rows_of_recurrences<T>(given.where).
/// Memory    20 KiB of each thread's stack.
/// Blocks    until done. Throws usage_error if `threads` is negative.
template <class T>
void recur_rows_by_kernels(recurrences_in_memory<T> const& given);

/// The types whose recurrences are compiled.
template <class T>
inline constexpr bool has_recurrence_kernels =
    std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, half> || std::is_same_v<T, bfloat16>;

}  // namespace tally::cpu_backend
