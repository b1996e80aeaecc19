#pragma once

#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <type_traits>

#include "tally/detail/batch/ends.hpp"
#include "tally/detail/batch/gradients.hpp"
#include "tally/detail/batch/layout.hpp"
#include "tally/detail/cuda/call.hpp"
#include "tally/detail/cuda/compiled.hpp"
#include "tally/detail/recurrence/steps.hpp"

/// The kernels of linear recurrences that are compiled into the library: of floating-point numbers in memory, which are
/// also the type of the states.
namespace tally::cuda_backend {

template <class T, class A, class B, class Out>
inline constexpr bool has_recurrence_kernels =
    is_compiled_float<T> && std::is_same_v<B, T> && std::is_same_v<Out, T> &&
    (std::is_same_v<A, T*> || std::is_same_v<A, T const*> || std::is_same_v<A, detail::recurrence::constant<T>>);

/// Whether this program is compiled for devices alone that have these kernels. It then compiles no other ones for such
/// recurrences, which take minutes.
#ifdef __CUDA_ARCH_LIST__
inline constexpr bool is_compiled_for_recurrence_kernels = [] {
  for (int architecture : {__CUDA_ARCH_LIST__})
    if (architecture < 900) return false;
  return true;
}();
#else
inline constexpr bool is_compiled_for_recurrence_kernels = true;
#endif

/// The arrays of the sequences' first one. The coefficients are all `constant` if `a` is null.
template <class T>
struct recurrence_arrays {
  T const* a;
  T constant;
  T const* b;
  T* out;
};

/// Writes the states of all sequences of a layout, whose `ends` have initial values. Returns false, and does nothing,
/// on devices before sm_90.
template <class T>
bool run_recurrences(prepared_call& call, detail::batch::layout const& where, recurrence_arrays<T> const& arrays,
                     detail::batch::ends<T> const& ends);

template <class I, class T>
concept points_to = std::contiguous_iterator<I> && std::is_same_v<std::iter_value_t<I>, T>;
template <class I>
concept points_to_offsets = std::contiguous_iterator<I> && std::is_integral_v<std::iter_value_t<I>> &&
                            (sizeof(std::iter_value_t<I>) == 4 || sizeof(std::iter_value_t<I>) == 8);

/// Segments from their fronts in arrays of one floating-point type have kernels.
template <class T, class A, class B, class Offsets, class Out, class From>
inline constexpr bool has_kernels_of_segments =
    is_compiled_float<T> && (points_to<A, T> || std::is_same_v<A, detail::recurrence::constant<T>>) &&
    points_to<B, T> && points_to_offsets<Offsets> && points_to<Out, T> &&
    std::is_same_v<From, detail::batch::from_front>;

/// Offsets of segments in the device's memory, of 4 or 8 bytes.
struct segment_offsets {
  void const* first;
  bool are_wide;
  std::size_t segments;
  std::size_t most;  ///< a bound on the number of elements
};

/// Writes the states of all segments, whose `ends` have initial values, from their fronts. Returns false, and does
/// nothing, on devices before sm_90.
template <class T>
bool run_recurrences_of_segments(prepared_call& call, segment_offsets const& offsets,
                                 recurrence_arrays<T> const& arrays, detail::batch::ends<T> const& ends);

/// Writes the gradients of all sequences. Returns false, and does nothing, on devices before sm_90, and where the
/// generic way is better: for columns, and for few long sequences.
template <class T>
bool run_gradients(prepared_call& call, detail::batch::gradients<T> const& given);

}  // namespace tally::cuda_backend
