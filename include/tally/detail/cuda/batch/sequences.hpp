#pragma once

#include <cstddef>
#include <cstring>
#include <optional>
#include <type_traits>

#include "tally/cuda_execution.hpp"
#include "tally/detail/batch/ends.hpp"
#include "tally/detail/batch/layout.hpp"
#include "tally/detail/contract.hpp"
#include "tally/detail/cuda/backend.hpp"
#include "tally/detail/cuda/call.hpp"
#include "tally/detail/cuda/compiled.hpp"

#ifdef __CUDACC__
#include "tally/detail/cuda/batch/sequences_launch.cuh"
#endif

/// Scans and reductions of many sequences of one length, on a GPU.
namespace tally::cuda_backend {

/// The same pointers and values, as the type whose compiled calls are used.
template <class Stored, class T>
detail::batch::ends<Stored> ends_as(detail::batch::ends<T> const& ends)
{
  detail::batch::ends<Stored> result;
  if (ends.initial) {
    Stored value;
    static_assert(sizeof value == sizeof(T));
    std::memcpy(&value, &*ends.initial, sizeof value);
    result.initial = value;
  }
  result.initials = reinterpret_cast<Stored const*>(ends.initials);
  result.lasts = reinterpret_cast<Stored*>(ends.lasts);
  return result;
}

/// Every call on a batch. Sequences have one element at least, and there is one sequence at least.
template <class T, class In, class Out, class Op>
void run_sequences(prepared_call& call, work what, detail::batch::layout const& where, In const* in, Out* out,
                   detail::batch::ends<T> const& ends, [[maybe_unused]] Op& op)
{
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_copyable_v<In> &&
                    std::is_trivially_copyable_v<Out>,
                "tally: a call on a GPU takes values that can be copied as bytes");
  static_assert(std::is_default_constructible_v<working_type<T>>,
                "tally: a call on a GPU takes values that can be default-constructed");
  static_assert(std::is_convertible_v<In const&, T>,
                "tally: a call on a GPU takes elements that convert to the accumulator's type");
  call.check_pointer(in, "input");
  call.check_pointer(out, "output");
  if (ends.initials != nullptr) call.check_pointer(ends.initials, "initial values");
  if (ends.lasts != nullptr) call.check_pointer(ends.lasts, "last values");
  // One array has kernels of its own, which share out few tiles among more blocks.
  bool const is_one_array = where.sequences() == 1 && where.along.step.in == 1 &&
                            (what == work::reduce || where.along.step.out == 1) && ends.initials == nullptr &&
                            ends.lasts == nullptr;
  constexpr bool in_memory = std::is_same_v<In, T> && std::is_same_v<Out, T>;
  if (is_one_array) {
    std::identity transform;
    run_call<T>(call, what, in, where.along.extent, out, {ends.initial ? &*ends.initial : nullptr}, op, transform);
  } else if constexpr (in_memory && is_compiled<Op, T>) {
    using stored = typename compiled_element<Op, T>::type;
    run_compiled_sequences<Op, stored>(call, what, where, reinterpret_cast<stored const*>(in),
                                       reinterpret_cast<stored*>(out), ends_as<stored>(ends));
  } else {
#ifdef __CUDACC__
    run(call, what, where, in, out, ends, op);
#else
    static_assert(never<T, In>, "tally: only built-in operators on arrays of numbers are compiled into the library; a "
                                "call with another operator or type on a GPU must be compiled by nvcc, in a .cu file");
#endif
  }
}

/// Exact sums and scans of a batch.
template <class T, class In, class Out>
void run_exactly(execution const& on, prepared_call& call, work what, detail::batch::layout const& where, In const* in,
                 Out* out, detail::batch::ends<T> const& ends)
{
  static_assert(std::is_trivially_copyable_v<In> && std::is_trivially_copyable_v<Out>,
                "tally: a call on a GPU takes values that can be copied as bytes");
  call.check_pointer(in, "input");
  call.check_pointer(out, "output");
  if (ends.initials != nullptr) call.check_pointer(ends.initials, "initial values");
  if (ends.lasts != nullptr) call.check_pointer(ends.lasts, "last values");
  [[maybe_unused]] bool const is_exclusive = what == work::exclusive_scan;
  if constexpr (std::is_same_v<In, T> && std::is_same_v<Out, T>) {
    if (what == work::reduce)
      exact::run_compiled_sums(on, call, where, in, out, ends);
    else
      exact::run_compiled_scans(on, call, where, in, out, ends, is_exclusive);
  } else {
#ifdef __CUDACC__
    if (what == work::reduce)
      exact::run_sums(on, call, where, in, out, ends);
    else
      exact::run_scans(on, call, where, in, out, ends, is_exclusive);
#else
    static_assert(never<T, In>,
                  "tally: only exact sums of arrays of numbers are compiled into the library; a call with "
                  "another type on a GPU must be compiled by nvcc, in a .cu file");
#endif
  }
}

/// Found by argument-dependent lookup on the execution argument, as the functions of backend.hpp.
template <class T, class In, class Out, class Op>
void backend_scan_sequences(execution const& on, detail::batch::layout const& where, In const* in, Out* out,
                            detail::batch::ends<T> const& ends, Op& op, detail::direction shift)
{
  prepared_call call(on, "tally::scan of sequences");
  work const what = shift == detail::direction::inclusive ? work::inclusive_scan : work::exclusive_scan;
  if constexpr (is_exact_sum<Op>)
    run_exactly(on, call, what, where, in, out, ends);
  else
    run_sequences(call, what, where, in, out, ends, op);
}

template <class T, class In, class Out, class Op>
void backend_reduce_sequences(execution const& on, detail::batch::layout const& where, In const* in, Out* out,
                              detail::batch::ends<T> const& ends, Op& op)
{
  prepared_call call(on, "tally::reduce of sequences");
  if constexpr (is_exact_sum<Op>)
    run_exactly(on, call, work::reduce, where, in, out, ends);
  else
    run_sequences(call, work::reduce, where, in, out, ends, op);
}

}  // namespace tally::cuda_backend
