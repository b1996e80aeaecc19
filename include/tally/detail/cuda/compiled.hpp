#pragma once

#include <cstddef>
#include <type_traits>

#include "tally/counted.hpp"
#include "tally/detail/batch/ends.hpp"
#include "tally/detail/batch/layout.hpp"
#include "tally/detail/built_in.hpp"
#include "tally/detail/cuda/call.hpp"
#include "tally/half.hpp"

/// The calls that are compiled into the library: sums, products, extremes and bit operators of numbers in contiguous
/// memory. Code that nvcc does not compile can make them, and nvcc compiles them once.
namespace tally::cuda_backend {

template <class T>
inline constexpr bool is_compiled_integer = std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8;
template <class T>
inline constexpr bool is_compiled_float =
    std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, half> || std::is_same_v<T, bfloat16>;

template <class Op, class T>
inline constexpr bool is_compiled =
    (is_compiled_integer<T> || is_compiled_float<T>) && detail::built_in::takes<Op, is_compiled_integer<T>>;

/// Calls with a count in memory are compiled for sums only, of 32 or 64 bits: their kernels are others.
template <class Op, class T>
inline constexpr bool is_compiled_counted = is_compiled<Op, T> && std::is_same_v<Op, plus> && sizeof(T) >= 4;

/// The type whose compiled calls Op uses on T.
template <class Op, class T>
using compiled_element = detail::built_in::element<Op, T>;

enum class work { reduce, inclusive_scan, exclusive_scan };

/// The values that a call begins with: null, or on the host and read before the call returns.
template <class T>
struct beginning {
  T const* init = nullptr;
  T const* nothing = nullptr;  ///< the reduction of no elements, without an initial value
};

/// A reduction writes one value to `out`.
template <class Op, class T>
void run_compiled(prepared_call& call, work what, T const* in, std::size_t size, T* out, beginning<T> const& from);
template <class Op, class T>
void run_compiled(prepared_call& call, work what, T const* in, detail::element_count size, T* out,
                  beginning<T> const& from);

/// The same of a batch of sequences.
template <class Op, class T>
void run_compiled_sequences(prepared_call& call, work what, detail::batch::layout const& where, T const* in, T* out,
                            detail::batch::ends<T> const& ends);

}  // namespace tally::cuda_backend
