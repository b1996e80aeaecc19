#pragma once

#include <cstddef>
#include <type_traits>

#include "tally/cpu/kernels.hpp"
#include "tally/cuda/call.hpp"
#include "tally/half.hpp"
#include "tally/operators/arithmetic.hpp"

/// The calls that the library brings compiled, for code that nvcc does not see, and so that nobody waits for nvcc twice: the operators
/// that the CPU has kernels for, on the same types and on half and bfloat16, in contiguous memory.
namespace tally::cuda_backend {

template <class Op, class T>
inline constexpr bool is_compiled = cpu_backend::has_kernels<Op, T>;
template <class Op>
inline constexpr bool is_compiled<Op, half> = cpu_backend::has_kernels<Op, float>;
template <class Op>
inline constexpr bool is_compiled<Op, bfloat16> = cpu_backend::has_kernels<Op, float>;

/// Types that share their kernels, as on the CPU.
template <class Op, class T>
struct compiled_element : cpu_backend::kernel_element<Op, T> {};
template <class Op>
struct compiled_element<Op, half> {
  using type = half;
};
template <class Op>
struct compiled_element<Op, bfloat16> {
  using type = bfloat16;
};

enum class work { reduce, inclusive_scan, exclusive_scan };

/// `init` is null, or points to a value on the host, which is read before this returns. Of a reduction, `out` takes one value.
template <class Op, class T>
void run_compiled(prepared_call& call, work what, T const* in, std::size_t size, T* out, T const* init);

}  // namespace tally::cuda_backend
